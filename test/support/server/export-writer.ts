/**
 * A process that contract/store/postgres.test.ts starts. It creates exports under idempotency
 * keys that other processes use too, within a quota and a maximum number of queued exports, as a
 * server does.
 * Arguments: address, number of keys, maximum number of queued exports.
 */
import { ExportStore } from "../../../src/store/exportstore.ts";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";

const [, , address, keys, most] = process.argv;
const database = openPostgres(stateAddress(address as string));
const store = new ExportStore(database);

function create(key: string): void {
  if (store.remembered("ten", key) !== undefined) return;
  if (store.queuedOf("ten") >= Number(most)) return;
  const id = `exp_${key}_${process.pid}`;
  const plan = { plan: "free", format: "csv", compression: null, slug: "x", title: null };
  const snapshot = { snapshot: "2026-10", snapshotDate: "2026-10-10", snapshotId: "s" };
  const since = { since: null, sinceDate: null, sinceId: null, sincePath: null };
  store.insert({
    ...{ id, tenantId: "ten", spec: "{}", ...plan, ...snapshot, snapshotPath: "s" },
    ...{ ...since, kinds: null, watch: null, sent: null, sentBytes: 0 },
    ...{ createdAt: 1, keyId: "key", chargedDay: 1, chargedRows: 1 },
  });
  const request = { fingerprint: "same", bodyHash: null, exportId: id, createdAt: 1 };
  store.remember({ tenantId: "ten", key, ...request });
}

for (let n = 0; n < Number(keys); n++) store.atomically(() => create(`k${n}`));
database.close();
