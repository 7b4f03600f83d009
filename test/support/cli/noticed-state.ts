/**
 * Adds notices to a tenant's state: a saved search, two months, one counted and one failed notice,
 * and a webhook with a failed delivery.
 * Invariant: the rows equal those that a server writes, and their ids are the same in every state.
 */
import { openDatabase } from "../../../src/store/database.ts";
import { SearchStore } from "../../../src/store/searchstore.ts";
import { WebhookStore } from "../../../src/store/webhookstore.ts";

/** Ids of the added rows. */
export const NOTICED = {
  search: `sch_${"1".repeat(32)}`,
  notice: `ntc_${"1".repeat(32)}`,
  failed: `ntc_${"2".repeat(32)}`,
  webhook: `whk_${"1".repeat(32)}`,
  email: `eml_${"1".repeat(32)}`,
} as const;

const SEED = Buffer.alloc(32, 7);

/** Adds a receiver of e-mails to the tenant of the notices. */
export function addEmail(dataDir: string, address: string): void {
  const database = openDatabase(dataDir);
  try {
    const tenantId = database.prepare("SELECT tenant_id FROM webhooks").pluck().get() as string;
    const row = { id: NOTICED.email, tenantId, kind: "email", url: `mailto:${address}` } as const;
    const rest = { searches: null, signature: "v1", language: "en", contacts: 0 } as const;
    new WebhookStore(database).insert({ ...row, ...rest, seed: SEED, createdAt: 0 }, 9);
  } finally {
    database.close();
  }
}

/** Adds notices to the tenant of this name, or to the only tenant. */
export function addNotices(
  dataDir: string,
  { url, name, tenant = "default" }: { url: string; name: string; tenant?: string },
): void {
  const database = openDatabase(dataDir);
  try {
    const tenantId = database
      .prepare("SELECT id FROM tenants ORDER BY name <> ? LIMIT 1")
      .pluck()
      .get(tenant) as string;
    const search = { id: NOTICED.search, tenantId, userId: null, name, text: null, spec: "{}" };
    new SearchStore(database).insert({ ...search, snapshot: "2026-10", total: 0, createdAt: 0 }, 9);
    database.exec(
      `INSERT INTO served_months VALUES (1, '2026-09', '2026-09-10', 'a', 0),
         (2, '2026-10', '2026-10-10', 'b', 0);`,
    );
    const insert = database.prepare(
      `INSERT INTO notices (id, tenant_id, search_id, number, month, since, state, attempts,
         failure, counts, created_at, counted_at) VALUES (?, ?, ?, ?, ?, 1, ?, 0, ?, ?, 0, 0)`,
    );
    const counts = '{"entered":12,"left":3,"changed":5,"changed_fields":{},"first":[]}';
    insert.run(NOTICED.notice, tenantId, NOTICED.search, 1, 2, "counted", null, counts);
    insert.run(NOTICED.failed, tenantId, NOTICED.search, 2, 1, "failed", name, null);
    const webhooks = new WebhookStore(database);
    const hook = { id: NOTICED.webhook, tenantId, url, searches: null, signature: "both" } as const;
    webhooks.insert({ ...hook, seed: SEED, createdAt: 0 }, 9);
    webhooks.queue(NOTICED.notice, tenantId, NOTICED.search, 0);
    database.exec("UPDATE deliveries SET state = 'failed', next_at = NULL");
  } finally {
    database.close();
  }
}
