/**
 * Fills every table of a state with rows of every kind, for any version of the schema.
 * Invariant: only columns that the schema has are written, so the same rows fill every version. All
 * values are invented and deterministic.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BLOBS, blobChecksum } from "../../../src/store/checksums.ts";
import { SHARED_TABLES } from "../../../src/store/postgres/schema.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";

type Cell = string | number | Buffer | null;
type Row = Readonly<Record<string, Cell>>;

const DAY = 20_778;
const AT = DAY * 86_400_000;

/** Content of the completed export's file. */
const FILE = `cnpj,legal_name\n${"11222333000181,PADARIA DE EXEMPLO LTDA\n".repeat(100)}`;

const bytesOf = (text: string) => createHash("sha256").update(text).digest();
const hexOf = (text: string) => bytesOf(text).toString("hex");

/** Two entries of a list. */
const ENTRIES = Buffer.from("00002000000000000100200000000000", "hex");

const EMAIL_ID = `eml_${"0".repeat(31)}1`;

/** Rows by table, parents first. Every column has a value in some row. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  tenants: [
    { id: "ten_1", name: "acme", created_at: AT, disabled_at: null, plan: "scale" },
    { id: "ten_2", name: "brisa", created_at: AT + 1, disabled_at: AT + 9, plan: null },
  ],
  keys: [
    key(1, { tenant_id: "ten_1", plan: "enterprise", last_used_at: AT + 50 }),
    key(2, { tenant_id: "ten_1", plan: "growth", expires_at: AT + 86_400_000 }),
    key(3, { tenant_id: "ten_2", plan: "free", disabled_at: AT + 8 }),
  ],
  exports: [
    done(1, { expires_at: AT + 604_800_000 }),
    done(2, { expires_at: AT + 60_000, expired_at: AT + 60_001, format: "parquet" }),
    anExport(3, { state: "failed", attempts: 3, failure: "too_many_attempts", ended_at: AT + 30 }),
    anExport(4, {
      ...{ state: "queued", charged_rows: 0, charged_day: null, key_id: null },
      ...{ compression: "gzip", title: "Padarias de Minas" },
    }),
    anExport(5, {
      ...{ state: "running", attempts: 1, tenant_id: "ten_2", sent_bytes: 42 },
      ...{ owner: "mem_1", token: 1, rows_written: 40, rows_expected: 100, read_at: AT },
      sent: '{"sha256":"00","column":"CNPJ","fillZeros":false}',
    }),
    anExport(6, {
      ...{ state: "queued", tenant_id: "ten_2", kinds: "entered,left", watch: "email" },
      ...{ since: "2026-09", since_date: "2026-09-12", since_id: "66554433221100bb" },
      since_path: "/srv/2026-09.peneira",
    }),
  ],
  idempotency: [1, 2, 3, 4, 5, 6, 7].map((n) => ({
    tenant_id: n === 5 || n === 6 ? "ten_2" : "ten_1",
    key: `order ${n}`,
    fingerprint: hexOf(`request ${n}`),
    // There is no export for the seventh key, as if it had been removed.
    export_id: exportId(n),
    created_at: AT + n,
    body_hash: n === 4 ? null : hexOf(`body ${n}`),
  })),
  quota: [
    { tenant_id: "ten_1", day: DAY, charged_rows: 1_200 },
    { tenant_id: "ten_2", day: DAY, charged_rows: 200 },
  ],
  usage: [
    { tenant_id: "ten_1", day: DAY, key_id: "0000000000a1", requests: 41, accounts: 4_000 },
    { tenant_id: "ten_1", day: DAY, key_id: "", requests: 2, export_rows: 600 },
  ].map((row) => ({ accounts: 0, export_rows: 0, ...row })),
  users: [
    user(1, { role: "owner", last_seen_at: AT + 70 }),
    user(2, { role: "member", disabled_at: AT + 71 }),
  ],
  sessions: [1, 2].map((n) => ({
    hash: bytesOf(`session ${n}`),
    id: `ses_${n}`,
    user_id: "usr_1",
    created_at: AT + n,
    seen_at: AT + 10 * n,
    expires_at: AT + 43_200_000,
  })),
  saved_searches: [1, 2].map((n) => ({
    id: `sea_${n}`,
    tenant_id: "ten_1",
    user_id: n === 1 ? "usr_1" : null,
    name: `padarias ${n}`,
    text: n === 1 ? "padarias em MG" : null,
    spec: '{"filters":{"geo":{"uf_any_of":["MG"]}}}',
    snapshot: "2026-10",
    total: 12 * n,
    created_at: AT + n,
    plan: n === 1 ? null : "growth",
    key_id: n === 1 ? null : "0000000000a2",
    watch: n === 1 ? null : "email,phone_1",
    only_changes: n - 1,
    export: n === 1 ? null : '{"output":{"format":"xlsx"},"kinds":["entered"],"limit":null}',
    feed: n === 1 ? null : "feedsecret",
    notices: n,
    ...{ rolling: n - 1, spec_date: n === 1 ? null : "2026-10-10" },
    paused_at: n === 1 ? null : AT + 8,
  })),
  served_months: [9, 10].map((n) => ({
    sequence: n,
    label: `2026-${String(n).padStart(2, "0")}`,
    date: `2026-${String(n).padStart(2, "0")}-10`,
    snapshot_id: `00112233445566a${n % 10}`,
    noted_at: AT + n,
  })),
  notices: [1, 2, 3].map((n) => ({
    sequence: n,
    id: `ntc_${"0".repeat(31)}${n}`,
    ...{ tenant_id: "ten_1", search_id: n === 1 ? "sea_1" : "sea_2", number: n, attempts: n - 1 },
    ...{ month: n === 3 ? 9 : 10, since: 9, created_at: AT + n },
    state: ["counted", "counting", "failed"][n - 1] as string,
    next_at: n === 2 ? AT + 9 : null,
    failure: n === 3 ? "There is no older snapshot to compare with." : null,
    counts: n === 1 ? '{"entered":1,"left":0,"changed":0,"changed_fields":{},"first":[]}' : null,
    export_id: n === 1 ? exportId(1) : null,
    counted_at: n === 1 ? AT + 12 : null,
  })),
  webhooks: [1, 2, 3].map((n) => ({
    sequence: n,
    id: n === 3 ? EMAIL_ID : `whk_${"0".repeat(31)}${n}`,
    ...{ tenant_id: "ten_1", kind: n === 3 ? "email" : "webhook" },
    url: n === 3 ? "mailto:seller@example.com" : `https://crm${n}.example/hook`,
    ...{ language: n === 3 ? "en" : "pt", contacts: n === 3 ? 1 : 0 },
    unsubscribed_at: n === 3 ? AT + 50 : null,
    ...{ searches: n === 1 ? null : '["sea_2"]', signature: n === 1 ? "v1" : "both" },
    ...{ seed: bytesOf(`webhook ${n}`), old_seed: bytesOf(`old webhook ${n}`) },
    ...{ old_until: n === 1 ? null : AT + 99, created_at: AT + n, changed_at: AT + 2 * n },
    ...{ disabled_at: n === 1 ? null : AT + 50, disabled_reason: n === 2 ? "failing" : null },
    ...{ succeeded_at: AT + 3, failing_since: n === 1 ? null : AT + 40 },
    ...{ struck_at: n === 1 ? null : AT + 45, strikes: 2 * n - 2, warnings: n - 1 },
  })),
  deliveries: [1, 2].map((n) => ({
    sequence: n,
    ...{ notice: `ntc_${"0".repeat(31)}1`, webhook: `whk_${"0".repeat(31)}${n}` },
    ...{ state: n === 1 ? "delivered" : "waiting", attempts: n, first_at: AT + 13 },
    ...{ next_at: n === 1 ? null : AT + 60, last_at: AT + 14, last_status: n === 1 ? 204 : 500 },
    ...{ last_ms: 20 * n, last_error: n === 1 ? null : "The receiver answered 500: no success." },
  })),
  unsubscriptions: [1, 2].map((n) => ({
    ...{ tenant_id: "ten_1", address: hexOf(`address ${n}`), at: AT + n },
    asked_at: n === 1 ? null : AT + 9,
  })),
  receiver_mails: [1, 2].map((n) => ({
    ...{ sequence: n, webhook: n === 1 ? EMAIL_ID : `whk_${"0".repeat(31)}2` },
    ...{ user_id: n === 1 ? null : "usr_1", warning: n === 1 ? null : 2 },
    ...{ created_at: AT + n, attempts: n - 1, next_at: AT + 9 * n },
  })),
  lists: [1, 2, 3].map((n) => ({
    sequence: n,
    tenant_id: "ten_1",
    id: `lst_${"0".repeat(31)}${n}`,
    removed_at: n === 3 ? AT + 9 : null,
    name: `clientes ${n}`,
    kind: "accounts",
    revision: 3,
    entries: 2,
    created_at: AT + n,
    changed_at: AT + 2 * n,
  })),
  list_entries: [1, 2, 3, 4].map((n) => ({ id: n, entries: ENTRIES })),
  // In earlier schemas, the blocks themselves contain the entries.
  list_blocks: [1, 2, 3].map((n) => ({
    ...{ id: n, list: n, first: 2_097_152, since: n === 3 ? 1 : 3, until: n === 3 ? 4 : null },
    entries: ENTRIES,
  })),
  list_staged: [{ id: 4, at: AT }],
  exported_entries: [1, 2, 3].map((n) => ({ id: n, entries: Buffer.from([1, 4 * n]) })),
  exported_staged: [{ id: 3, owner: "mem_1" }],
  exported_blocks: [1, 2].map((n) => ({
    ...{ id: n, list: -1, first: n * 2_097_152 + 1, since: 1, until: n === 2 ? 3 : null },
  })),
  members: [
    {
      ...{ id: "mem_1", place: hexOf("state"), name: "one:8080", version: "1.3.0", files: "disk" },
      ...{ snapshot: "2026-10", snapshot_id: "00112233445566aa" },
      ...{ started_at: AT, lease_until: AT + 15_000 },
    },
  ],
  leases: [{ name: "notices", owner: "mem_1", token: 1 }],
  export_lists: [2, 3].map((list) => ({ export_id: exportId(4), list, revision: 3 })),
  audit: [
    { action: "state.upgrade", facts: '{"schema":{"from":1,"to":2}}' },
    {
      ...{ action: "user.role", tenant_id: "ten_1", subject: "usr_2", actor: "user:usr_1" },
      facts: '{"role":{"from":"owner","to":"member"}}',
    },
  ].map((row, n) => ({ at: AT + n, actor: "command", tenant_id: null, subject: null, ...row })),
};

/** Tables that triggers of the database fill. */
const SUMS = ["kept_bytes"];

/** Fills every table. Throws if ROWS has no rows for a table. */
export function fillState(database: SqliteDatabase): void {
  const tables = tablesOf(database);
  const unknown = tables.filter((table) => ROWS[table] === undefined && !SUMS.includes(table));
  if (unknown.length > 0) throw new Error(`no rows for ${unknown.join(", ")} in state-rows.ts`);
  const known = Object.entries(ROWS).filter(([table]) => tables.includes(table));
  for (const [table, rows] of known) {
    const columns = new Set(columnsOf(database, table));
    const blobs = BLOBS.find((one) => one.table === table)?.blobs ?? [];
    for (const row of rows) {
      const checksum = blobChecksum(...blobs.map((name) => row[name] as Buffer));
      const whole = blobs.length === 0 ? row : { ...row, checksum };
      const cells = Object.entries(whole).filter(([column]) => columns.has(column));
      const names = cells.map(([column]) => column).join(", ");
      const places = cells.map(() => "?").join(", ");
      const statement = database.prepare(`INSERT INTO ${table} (${names}) VALUES (${places})`);
      statement.run(...cells.map(([, cell]) => cell));
    }
  }
}

/** Writes the file of the completed export. */
export function fillFiles(dataDir: string): void {
  const folder = join(dataDir, "exports");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, `${exportId(1)}.csv`), FILE, { mode: 0o600 });
}

/** Returns the names of a database's tables, except those of the database engine itself. */
export function tablesOf(database: StateDatabase): string[] {
  if (database.engine === "postgres") return [...columnsOnServer(database).keys()];
  const found = database
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1",
    )
    .all();
  return found.map(({ name }) => name);
}

/**
 * Returns the columns of each table of a state on PostgreSQL. Tables that exist only on PostgreSQL
 * are left out.
 */
function columnsOnServer(database: StateDatabase): ReadonlyMap<string, string[]> {
  const rows = database
    .prepare<[], { readonly place: string; readonly name: string }>(
      `SELECT table_name::text AS place, column_name::text AS name
       FROM information_schema.columns WHERE table_schema = current_schema()
       ORDER BY table_name, ordinal_position`,
    )
    .all();
  const found = new Map<string, string[]>();
  for (const { place, name } of rows) {
    if (!SHARED_TABLES.includes(place)) found.set(place, [...(found.get(place) ?? []), name]);
  }
  return found;
}

/** Returns the names of a table's columns. */
export function columnsOf(database: StateDatabase, table: string): string[] {
  if (database.engine === "postgres") return columnsOnServer(database).get(table) ?? [];
  const found = database
    .prepare<[string], { readonly name: string }>(
      "SELECT name FROM pragma_table_info(?) ORDER BY cid",
    )
    .all(table);
  return found.map(({ name }) => name);
}

/** Returns every row of every table, in a form that can be compared. */
export function contentOf(database: StateDatabase): Record<string, Record<string, unknown>[]> {
  return Object.fromEntries(
    tablesOf(database).map((table) => {
      const columns = columnsOf(database, table);
      const order = columns.map((_, i) => i + 1).join(", ");
      const rows = database.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).all();
      return [table, rows as Record<string, unknown>[]];
    }),
  );
}

function key(n: number, more: Row): Row {
  return {
    id: `0000000000a${n}`,
    name: `key ${n}`,
    hash: bytesOf(`key ${n}`),
    created_at: AT + n,
    expires_at: null,
    disabled_at: null,
    last_used_at: null,
    ...more,
  };
}

/** Id of the n-th export. */
export function exportId(n: number): string {
  return `exp_${hexOf(`export ${n}`).slice(0, 32)}`;
}

function anExport(n: number, more: Row): Row {
  return {
    sequence: n,
    id: exportId(n),
    tenant_id: "ten_1",
    plan: "enterprise",
    spec: '{"filters":{"geo":{"uf_any_of":["MG"]}},"limit":100}',
    format: "csv",
    slug: "companies-mg",
    snapshot: "2026-10",
    snapshot_date: "2026-10-10",
    snapshot_id: "00112233445566aa",
    snapshot_path: "/srv/2026-10.peneira",
    attempts: 0,
    created_at: AT + n,
    key_id: "0000000000a1",
    charged_day: DAY,
    charged_rows: 100,
    ...more,
  };
}

function done(n: number, more: Row): Row {
  const file = { row_count: 100, size_bytes: FILE.length, sha256: hexOf(FILE) };
  return anExport(n, { state: "done", attempts: 1, ended_at: AT + 40, ...file, ...more });
}

function user(n: number, more: Row): Row {
  return {
    id: `usr_${n}`,
    tenant_id: "ten_1",
    email: `person${n}@example.com`,
    password_hash: bytesOf(`password ${n}`),
    password_salt: bytesOf(`salt ${n}`).subarray(0, 16),
    password_cost: "scrypt:65536:8:1",
    created_at: AT + n,
    disabled_at: null,
    last_seen_at: null,
    ...more,
  };
}
