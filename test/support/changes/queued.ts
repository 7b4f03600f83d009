/**
 * Adds counted notices and their queued deliveries to the state of an office (office.ts), as a
 * server does after counting.
 * Invariant: each notice has its own search, one company that newly matches, and a new id.
 */
import { WebhookStore } from "../../../src/store/webhookstore.ts";
import { type Office, TENANT } from "./office.ts";

let notices = 0;

/** Queues notices of a tenant; returns their ids. */
export function queueNotices(office: Office, count: number, tenantId = TENANT): string[] {
  const store = new WebhookStore(office.database);
  const months = `INSERT INTO served_months VALUES (1, '2026-09', '2026-09-10', 'a', 0)
    ON CONFLICT DO NOTHING`;
  office.database.exec(months);
  const insert = office.database.prepare(
    `INSERT INTO notices (id, tenant_id, search_id, number, month, since, state, attempts, counts,
       created_at, counted_at) VALUES (?, ?, ?, 1, 1, 1, 'counted', 0, ?, ?, ?)`,
  );
  const counts = '{"entered":1,"left":0,"changed":0,"changed_fields":{},"first":[]}';
  return store.atomically(() =>
    Array.from({ length: count }, () => {
      const id = `ntc_${String(++notices).padStart(32, "0")}`;
      const search = office.search(`search ${notices}`, {}, { tenantId });
      const nowMs = office.clock.nowMs();
      insert.run(id, tenantId, search, counts, nowMs, nowMs);
      store.queue(id, tenantId, search, nowMs);
      return id;
    }),
  );
}
