/**
 * Routes of webhooks and of the log of notices.
 * Invariant: this file has only the route rows. The handlers are in noticeanswers.ts.
 */
import Type from "typebox";
import { LIST_LIMIT_MAX } from "../../../export/listcursor.ts";
import { EXAMPLE_END, EXAMPLE_REQUEST } from "../../openapi/examples.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { type ApiRoute, BODY_ERRORS, route } from "../route.ts";
import {
  EXAMPLE_EVENT,
  EXAMPLE_FAILURE,
  EXAMPLE_NOTICE,
  EXAMPLE_SECRET,
  EXAMPLE_WEBHOOK,
} from "./notice-examples.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listNotices,
  listWebhooks,
  readWebhook,
  replayNotices,
  rotateWebhook,
  testWebhook,
} from "./noticeanswers.ts";

const webhookExample = () => ({ ...EXAMPLE_REQUEST, webhook: EXAMPLE_WEBHOOK });
const secretExample = () => ({
  ...webhookExample(),
  ...{ secret: EXAMPLE_SECRET, public_key: EXAMPLE_WEBHOOK.public_key },
});
const one = {
  description: "The webhook.",
  schema: "WebhookAnswer",
  example: webhookExample,
} as const;

/** Returns the path parameter of an id. */
export function idOf(name: string, of: string, example: string): Parameter {
  const path = { name, in: "path", required: true } as const;
  return { ...path, description: `id of the ${of}.`, schema: Type.String(), example };
}

const webhookId = idOf("id", "webhook", EXAMPLE_WEBHOOK.id);
const noticeId = idOf("id", "notice", EXAMPLE_NOTICE.notice_id);

/** Parameters of a page of a list. */
export const NOTICE_PAGE: readonly Parameter[] = [
  {
    ...{ name: "limit", in: "query", required: false, description: "Items in a page." },
    schema: Type.Integer({ minimum: 1, maximum: LIST_LIMIT_MAX, default: 50 }),
  },
  {
    ...{ name: "cursor", in: "query", required: false },
    description: "next_cursor of the page before.",
    schema: Type.String(),
  },
];

const SENT =
  "A notice goes out by POST when a newer month is served, once per search, at least once " +
  "delivered, with the headers webhook-id, webhook-timestamp and webhook-signature of " +
  "Standard Webhooks. Failed attempts are repeated for a day; an answer 410 disables the webhook.";

const WRITE_ERRORS = [...BODY_ERRORS, "invalid_request", "overloaded"] as const;
const READ_ERRORS = ["not_found", "overloaded"] as const;

/** The requests that a receiver gets, as the OpenAPI document describes them. */
export const NOTICE_WEBHOOKS = {
  notice: received({
    operationId: "receiveNotice",
    summary: "A notice, as a webhook gets it",
    description: SENT,
    schema: "NoticeEvent",
    example: EXAMPLE_EVENT,
  }),
  failedNotice: received({
    operationId: "receiveFailedNotice",
    summary: "A notice that could not be counted, as a webhook gets it",
    description:
      "Goes out when the count of a notice is given up, after a day or immediately if the search " +
      "cannot be read. A replay counts the notice again.",
    schema: "NoticeFailedEvent",
    example: EXAMPLE_FAILURE,
  }),
};

function received(sent: {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: string;
  readonly example: object;
}) {
  const { schema: name, example, ...words } = sent;
  const schema = { $ref: `#/components/schemas/${name}` };
  return {
    post: {
      ...{ ...words, tags: ["notices"], security: [] },
      requestBody: { required: true, content: { "application/json": { schema, example } } },
      responses: {
        "2XX": { description: "It has arrived." },
        "410": { description: "No more notices are wanted: the webhook is disabled." },
      },
    },
  };
}

/** Routes of webhooks and notices. */
export const NOTICE_ROUTES: readonly ApiRoute[] = [
  route({
    method: "POST",
    path: "/v1/webhooks",
    access: "key",
    ...{ id: "createWebhook", tag: "notices", summary: "Create a webhook" },
    description: `Names where notices of saved searches go. ${SENT} The secret is shown once.`,
    body: { schema: "WebhookRequest", example: { url: EXAMPLE_WEBHOOK.url, signature: "both" } },
    answers: {
      201: {
        description: "The webhook with its secret.",
        ...{ schema: "WebhookSecret", example: secretExample, headers: ["Location"] },
      },
    },
    errors: [...WRITE_ERRORS, "plan_not_allowed"],
    handle: createWebhook,
  }),
  route({
    method: "GET",
    path: "/v1/webhooks",
    access: "key",
    ...{ id: "listWebhooks", tag: "notices", summary: "List the webhooks" },
    description: "Newest first, with their health.",
    parameters: NOTICE_PAGE,
    answers: {
      200: {
        description: "One page.",
        schema: "Webhooks",
        example: () => ({ webhooks: [EXAMPLE_WEBHOOK], ...EXAMPLE_END }),
        sometimes: ["Link"],
      },
    },
    errors: ["invalid_cursor", "overloaded"],
    handle: listWebhooks,
  }),
  route({
    method: "GET",
    path: "/v1/webhooks/{id}",
    access: "key",
    ...{ id: "readWebhook", tag: "notices", summary: "Read one webhook" },
    description: "Whether it is enabled, since when it fails, and its public key.",
    parameters: [webhookId],
    answers: { 200: one },
    errors: READ_ERRORS,
    handle: readWebhook,
  }),
  route({
    method: "PATCH",
    path: "/v1/webhooks/{id}",
    access: "key",
    ...{ id: "changeWebhook", tag: "notices", summary: "Change a webhook" },
    description:
      "Only the members that are sent change. A disabled webhook keeps its queue; enabled true " +
      "begins that again.",
    parameters: [webhookId],
    body: { schema: "WebhookPatch", example: { enabled: true } },
    answers: { 200: one },
    errors: ["not_found", ...WRITE_ERRORS],
    handle: changeWebhook,
  }),
  route({
    method: "DELETE",
    path: "/v1/webhooks/{id}",
    access: "key",
    ...{ id: "deleteWebhook", tag: "notices", summary: "Delete a webhook" },
    description: "Its queue goes with it.",
    parameters: [webhookId],
    answers: { 204: { description: "It is gone.", schema: null, types: [] } },
    errors: READ_ERRORS,
    handle: deleteWebhook,
  }),
  route({
    method: "POST",
    path: "/v1/webhooks/{id}/rotate",
    access: "key",
    bodyless: true,
    ...{ id: "rotateWebhook", tag: "notices", summary: "Replace the secret of a webhook" },
    description: "For 24 hours deliveries have the signatures of both secrets.",
    parameters: [webhookId],
    answers: {
      200: {
        description: "The webhook with its new secret.",
        ...{ schema: "WebhookSecret", example: secretExample },
      },
    },
    errors: ["not_found", ...WRITE_ERRORS],
    handle: rotateWebhook,
  }),
  route({
    method: "POST",
    path: "/v1/webhooks/{id}/test",
    access: "key",
    bodyless: true,
    sheds: "first",
    ...{ id: "testWebhook", tag: "notices", summary: "Send a sample to a webhook" },
    description:
      "Sends an event of the type webhook.test once, and answers when its outcome is known, " +
      "after 15 s at the latest.",
    parameters: [webhookId],
    answers: {
      200: {
        description: "The outcome.",
        schema: "WebhookTest",
        example: () => ({
          ...EXAMPLE_REQUEST,
          test: {
            ...{ id: "tst_0123456789abcdef0123456789abcdef", delivered: true, status: 204 },
            ...{ duration_ms: 87, error: null },
          },
        }),
      },
    },
    errors: ["not_found", ...WRITE_ERRORS],
    handle: testWebhook,
  }),
  route({
    method: "GET",
    path: "/v1/notices",
    access: "key",
    ...{ id: "listNotices", tag: "notices", summary: "List the notices with their deliveries" },
    description: "Newest first: what each held, whether it arrived, and when it is tried again.",
    parameters: [
      {
        ...{ name: "search", in: "query", required: false },
        description: "Only notices of this saved search.",
        schema: Type.String(),
      },
      ...NOTICE_PAGE,
    ],
    answers: {
      200: {
        description: "One page.",
        schema: "Notices",
        example: () => ({ notices: [EXAMPLE_NOTICE], ...EXAMPLE_END }),
        sometimes: ["Link"],
      },
    },
    errors: ["not_found", "invalid_cursor", "overloaded"],
    handle: listNotices,
  }),
  route({
    method: "POST",
    path: "/v1/notices/{id}/replay",
    access: "key",
    bodyless: true,
    ...{ id: "replayNotice", tag: "notices", summary: "Send notices again" },
    description:
      "Queues a notice, or all from it through another one, for its receivers again, " +
      "under the same ids. A notice that could not be counted is counted again.",
    parameters: [noticeId],
    body: { schema: "ReplayRequest", example: { only_failed: true } },
    answers: {
      200: {
        description: "What was queued.",
        schema: "Replayed",
        example: () => ({ ...EXAMPLE_REQUEST, queued: 1 }),
      },
    },
    errors: ["not_found", ...WRITE_ERRORS],
    handle: replayNotices,
  }),
];
