/**
 * JSON Schemas of notices, their deliveries, and webhooks. Part of the table in schemas.ts.
 * Invariant: every body of these routes has a schema. `NoticeEvent` is the body that a webhook
 * receives.
 */
import Type, { type TSchema } from "typebox";
import {
  closed,
  count,
  cursor,
  hasMore,
  label,
  named,
  orNull,
  requestId,
  source,
  text,
} from "../../openapi/schema-parts.ts";

/** States of notices, states of deliveries, and reasons why a webhook is disabled. */
const NOTICE_STATES = ["counting", "counted", "failed"] as const;
const DELIVERY_STATES = ["waiting", "delivered", "failed"] as const;
const DISABLED_REASONS = ["owner", "gone", "failing"] as const;
const SIGNATURES = ["v1", "v1a", "both"] as const;

const time = Type.String({ format: "date-time" });
const maybeTime = orNull(time);

const delivery = Type.Object(
  {
    webhook_id: orNull(text("The webhook; null for an e-mail.")),
    email_id: orNull(text("The e-mail receiver; null for a webhook.")),
    state: Type.Enum([...DELIVERY_STATES]),
    attempts: count("Attempts since it was queued, or replayed."),
    last_attempt_at: maybeTime,
    last_status: orNull(
      Type.Integer({ description: "HTTP status or SMTP code; null without an answer." }),
    ),
    last_duration_ms: orNull(count("Duration of the last attempt.")),
    last_error: orNull(text("Why it failed.")),
    next_attempt_at: maybeTime,
  },
  closed,
);

const totals = {
  entered: orNull(count("Match now and did not. Null before it is counted.")),
  left: orNull(count("Matched and do not now.")),
  changed: orNull(count("Match in both months, and a watched field differs.")),
};

const head = {
  notice_id: Type.String({ pattern: "^ntc_[0-9a-f]{32}$" }),
  search_id: Type.String(),
  search_name: Type.String(),
  sequence: Type.Integer({
    minimum: 1,
    description: "Counts up per search; unsent months are gaps.",
  }),
  ...source,
  since: { ...label, description: "The older month." } as TSchema,
};

const changedFields = Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
  description: "Changed accounts by watched field that differs.",
});

const notice = Type.Object(
  {
    ...head,
    state: Type.Enum([...NOTICE_STATES]),
    ...totals,
    changed_fields: orNull(changedFields),
    export_id: orNull(text("The export that was made with it.")),
    problem: orNull(text("Why it could not be counted yet, or why it has no export.")),
    created_at: time,
    counted_at: maybeTime,
    deliveries: Type.Array(delivery),
  },
  closed,
);

const webhookMembers = {
  url: Type.String({
    maxLength: 2_048,
    description: "Where notices are sent: https, or http inside notices.allow_networks.",
  }),
  searches: orNull(
    Type.Array(Type.String(), { description: "Ids of saved searches; null: all of the tenant." }),
  ),
  signature: Type.Enum([...SIGNATURES], {
    description: "v1: HMAC-SHA256 with the secret. v1a: ed25519, verified with the public key.",
  }),
};

const webhook = Type.Object(
  {
    id: Type.String({ pattern: "^whk_[0-9a-f]{32}$" }),
    ...webhookMembers,
    public_key: orNull(text("whpk_…; null if it does not sign v1a.")),
    enabled: Type.Boolean(),
    disabled_reason: orNull(Type.Enum([...DISABLED_REASONS])),
    disabled_at: maybeTime,
    failing_since: maybeTime,
    warnings: count("Warnings since then; it is disabled after the third."),
    last_success_at: maybeTime,
    old_secret_until: maybeTime,
    created_at: time,
    changed_at: time,
  },
  closed,
);

const optional = {
  searches: Type.Optional(webhookMembers.searches),
  signature: Type.Optional(webhookMembers.signature),
};

const emailMembers = {
  address: Type.String({
    maxLength: 254,
    description: "One address without a name, such as name@example.com.",
  }),
  searches: webhookMembers.searches,
  language: Type.Enum(["pt", "en"], { description: "Language of the e-mails." }),
  contacts: Type.Boolean({
    description: "True: the e-mails have phones and e-mails of companies. Default: false.",
  }),
};

const email = Type.Object(
  {
    id: Type.String({ pattern: "^eml_[0-9a-f]{32}$" }),
    ...emailMembers,
    enabled: Type.Boolean(),
    disabled_reason: orNull(Type.Enum([...DISABLED_REASONS, "unsubscribed"])),
    disabled_at: maybeTime,
    failing_since: maybeTime,
    warnings: count("Warnings since then; it is disabled after the third."),
    last_success_at: maybeTime,
    created_at: time,
    changed_at: time,
  },
  closed,
);

const emailOptions = {
  searches: Type.Optional(emailMembers.searches),
  language: Type.Optional(emailMembers.language),
  contacts: Type.Optional(emailMembers.contacts),
};

const secret = text("whsec_…, for v1. Shown only now.");

/** Schemas of notices by name. */
export const NOTICE_SCHEMAS = {
  Notice: notice,
  Notices: Type.Object(
    { notices: Type.Array(named("Notice")), next_cursor: cursor, has_more: hasMore },
    closed,
  ),
  ReplayRequest: Type.Object(
    {
      through: Type.Optional(text("Last notice of a range that begins with the one in the path.")),
      webhook: Type.Optional(
        text("Id of a webhook or an e-mail receiver; default: all of the search."),
      ),
      only_failed: Type.Optional(
        Type.Boolean({ description: "True: only deliveries that failed. Default: false." }),
      ),
    },
    closed,
  ),
  Replayed: Type.Object(
    { request_id: requestId, queued: count("Notices that are sent or counted again.") },
    closed,
  ),
  Webhook: webhook,
  Webhooks: Type.Object(
    { webhooks: Type.Array(named("Webhook")), next_cursor: cursor, has_more: hasMore },
    closed,
  ),
  WebhookRequest: Type.Object({ url: webhookMembers.url, ...optional }, closed),
  WebhookPatch: Type.Object(
    {
      url: Type.Optional(webhookMembers.url),
      ...optional,
      enabled: Type.Optional(
        Type.Boolean({ description: "True also begins the waiting deliveries again." }),
      ),
    },
    closed,
  ),
  WebhookAnswer: Type.Object({ request_id: requestId, webhook: named("Webhook") }, closed),
  WebhookSecret: Type.Object(
    {
      request_id: requestId,
      webhook: named("Webhook"),
      secret,
      public_key: orNull(text("whpk_…, for v1a.")),
    },
    closed,
  ),
  WebhookTest: Type.Object(
    {
      request_id: requestId,
      test: Type.Object(
        {
          id: text("webhook-id of the test."),
          delivered: Type.Boolean(),
          status: orNull(Type.Integer({ description: "HTTP status; null without an answer." })),
          duration_ms: count("Duration of the attempt."),
          error: orNull(text("Why it failed.")),
        },
        closed,
      ),
    },
    closed,
  ),
  Email: email,
  Emails: Type.Object(
    { emails: Type.Array(named("Email")), next_cursor: cursor, has_more: hasMore },
    closed,
  ),
  EmailRequest: Type.Object({ address: emailMembers.address, ...emailOptions }, closed),
  EmailPatch: Type.Object(
    {
      ...emailOptions,
      enabled: Type.Optional(
        Type.Boolean({ description: "True also begins the waiting deliveries again." }),
      ),
    },
    closed,
  ),
  EmailAnswer: Type.Object({ request_id: requestId, email: named("Email") }, closed),
  EmailTest: Type.Object(
    {
      request_id: requestId,
      test: Type.Object(
        {
          id: text("Part of the Message-ID of the test."),
          delivered: Type.Boolean({ description: "True if the mail server took it." }),
          status: orNull(Type.Integer({ description: "SMTP code; null without an answer." })),
          duration_ms: count("Duration of the attempt."),
          error: orNull(text("Why it failed.")),
        },
        closed,
      ),
    },
    closed,
  ),
  NoticeEvent: Type.Object(
    {
      type: Type.Literal("search.changed"),
      timestamp: time,
      data: Type.Object(
        {
          ...head,
          ...{ entered: count("Match now and did not."), left: count("Matched and do not now.") },
          changed: count("Match in both months, and a watched field differs."),
          changed_fields: changedFields,
          first: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
            maxItems: 10,
            description: "The first accounts: those that entered, then changed, then left.",
          }),
          links: Type.Object(
            { console: Type.String(), changes: Type.String(), export: orNull(Type.String()) },
            closed,
          ),
          problem: orNull(text("Why it has no export although the search requests one.")),
        },
        closed,
      ),
    },
    { ...closed, description: "The body of a delivery to a webhook." },
  ),
  NoticeFailedEvent: Type.Object(
    {
      type: Type.Literal("search.failed"),
      timestamp: time,
      data: Type.Object(
        {
          ...head,
          links: Type.Object(
            { console: Type.String(), changes: Type.String(), export: Type.Null() },
            closed,
          ),
          problem: orNull(text("Why the notice could not be counted.")),
        },
        closed,
      ),
    },
    {
      ...closed,
      description:
        "The body of a delivery about a notice that could not be counted. Its webhook-id is the " +
        "id of the notice and _failed; a replay that counts the notice later sends search.changed.",
    },
  ),
} as const satisfies Readonly<Record<string, TSchema>>;
