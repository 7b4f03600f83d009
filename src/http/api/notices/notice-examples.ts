/**
 * Examples of notices and webhooks for the OpenAPI document.
 * Invariant: all values are invented and match the schemas. Tests and the linter check this.
 * Separate because the routes of saved searches also show a notice.
 */

/** A webhook's id. */
const WEBHOOK_ID = "whk_0123456789abcdef0123456789abcdef";

/** A counted notice that was delivered. */
export const EXAMPLE_NOTICE = {
  notice_id: "ntc_0123456789abcdef0123456789abcdef",
  search_id: "sch_0123456789abcdef0123456789abcdef",
  search_name: "Cantinas de Minas",
  sequence: 2,
  ...{ snapshot: "2026-11", snapshot_date: "2026-11-14", since: "2026-10", state: "counted" },
  ...{ entered: 12, left: 3, changed: 5, changed_fields: { email: 4, phone_1: 2 } },
  ...{ export_id: null, problem: null },
  created_at: "2026-11-15T06:00:00.000Z",
  counted_at: "2026-11-15T06:00:02.000Z",
  deliveries: [
    {
      ...{ webhook_id: WEBHOOK_ID, email_id: null },
      ...{ state: "delivered", attempts: 1, last_attempt_at: "2026-11-15T06:00:03.000Z" },
      ...{ last_status: 204, last_duration_ms: 87, last_error: null, next_attempt_at: null },
    },
  ],
};

/** A webhook without failures. */
export const EXAMPLE_WEBHOOK = {
  id: WEBHOOK_ID,
  url: "https://crm.example.com/hooks/peneira",
  searches: null,
  signature: "both",
  public_key: "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
  enabled: true,
  ...{ disabled_reason: null, disabled_at: null, failing_since: null, warnings: 0 },
  ...{ last_success_at: "2026-11-15T06:00:03.000Z", old_secret_until: null },
  created_at: "2026-10-21T12:00:00.000Z",
  changed_at: "2026-10-21T12:00:00.000Z",
};

/** An e-mail receiver without failures. */
export const EXAMPLE_EMAIL = {
  id: "eml_0123456789abcdef0123456789abcdef",
  address: "vendas@example.com",
  searches: null,
  ...{ language: "pt" as const, contacts: false, enabled: true },
  ...{ disabled_reason: null, disabled_at: null, failing_since: null, warnings: 0 },
  last_success_at: "2026-11-15T06:00:03.000Z",
  created_at: "2026-10-21T12:00:00.000Z",
  changed_at: "2026-10-21T12:00:00.000Z",
};

/** An invented secret, which belongs to no webhook. */
export const EXAMPLE_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/** The body of a delivery. */
export const EXAMPLE_EVENT = {
  type: "search.changed",
  timestamp: "2026-11-15T06:00:02.000Z",
  data: {
    notice_id: EXAMPLE_NOTICE.notice_id,
    search_id: EXAMPLE_NOTICE.search_id,
    search_name: EXAMPLE_NOTICE.search_name,
    sequence: 2,
    ...{ snapshot: "2026-11", snapshot_date: "2026-11-14", since: "2026-10" },
    ...{ entered: 12, left: 3, changed: 5, changed_fields: { email: 4, phone_1: 2 } },
    first: [{ cnpj: "11222333000181", change: "entered", changed_fields: [] }],
    links: {
      console: `https://peneira.example.com/app/news#${EXAMPLE_NOTICE.search_id}`,
      changes: `https://peneira.example.com/v1/searches/${EXAMPLE_NOTICE.search_id}/changes?since=2026-10`,
      export: null,
    },
    problem: null,
  },
};

/** The body of a delivery about a notice whose count failed. */
export const EXAMPLE_FAILURE = {
  type: "search.failed",
  timestamp: "2026-11-15T06:00:00.000Z",
  data: {
    notice_id: EXAMPLE_NOTICE.notice_id,
    search_id: EXAMPLE_NOTICE.search_id,
    search_name: EXAMPLE_NOTICE.search_name,
    sequence: 2,
    ...{ snapshot: "2026-11", snapshot_date: "2026-11-14", since: "2026-10" },
    links: EXAMPLE_EVENT.data.links,
    problem: "There is no older snapshot to compare with.",
  },
};
