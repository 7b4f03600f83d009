/**
 * Checks the `exported` lists of a crash run. It compares the exports that were accepted and seen
 * with the database of a dead process, or with a recovered server. Throws a violation of I13.
 * Invariant: accounts are compared without their check digits, as lists store them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { bytesOf, unpackEntries } from "../../../src/lists/blocks.ts";
import { ENTRY_BYTES, entryText } from "../../../src/lists/entries.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { allOf } from "./exclusionchecks.ts";
import { accountsIn, excludesExports } from "./exclusions.ts";
import { jsonOf, type Ledger } from "./ledger.ts";
import { unexpected, type World } from "./load.ts";
import { ENRICHMENT_SPECS, TENANTS } from "./plan.ts";
import type { References } from "./reference.ts";
import { must } from "./violation.ts";

/** Number of entries that one page has over HTTP. */
const PAGE = 5_000;

/**
 * Checks I13 over HTTP. While the server is idle, a list is intact and has the accounts of every
 * export that was seen as done.
 */
export async function checkHeld(world: World): Promise<void> {
  const { ledger, references } = world;
  for (const tenant of TENANTS.keys()) {
    const entries = await entriesOver(world, tenant);
    const bounds = await boundsOf(references, knownTo(ledger, tenant));
    checkEntries(nameOf(tenant), entries, bounds);
  }
}

async function entriesOver(world: World, tenant: number): Promise<string[]> {
  const { server } = world;
  const request = async (path: string) => {
    const reply = await server.request(path, { tenant });
    if (reply.status !== 200) throw unexpected(world, reply, "a list of exported accounts");
    return jsonOf(reply) as object;
  };
  const { list } = (await request("/v1/lists/exported")) as { list: { entries: number } };
  const entries: string[] = [];
  for (let cursor = ""; ; ) {
    const path = `/v1/lists/exported/entries?limit=${PAGE}${cursor}`;
    const page = (await request(path)) as { entries: string[]; next_cursor: string | null };
    entries.push(...page.entries);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  const count = list.entries;
  must(count === entries.length, "I13", `${nameOf(tenant)} has ${entries.length}, not ${count}`);
  return entries;
}

interface StoredList {
  readonly sequence: number;
  readonly entries: number;
  readonly tenant: string;
}

/**
 * Checks I13 in the database of a dead process. A list has the accounts of all exports that are
 * stored as done, even if their files no longer exist, and no others.
 */
export async function checkStoredHeld(
  database: Database.Database,
  files: ReadonlyMap<string, string>,
  { ledger, references }: Pick<World, "ledger" | "references">,
): Promise<void> {
  const tables = "SELECT name FROM sqlite_master WHERE name = 'exported_blocks'";
  if (database.prepare(tables).all().length === 0) return;
  const lists = database
    .prepare<[], StoredList>(
      `SELECT sequence, entries, tenants.name AS tenant
       FROM lists JOIN tenants ON tenants.id = tenant_id WHERE sequence < 0`,
    )
    .all();
  for (const { sequence, entries: count, tenant: name } of lists) {
    const tenant = TENANTS.findIndex((one) => one.name === name);
    const stored = storedExports(database, name, files, ledger);
    const entries = storedEntries(database, sequence);
    must(count === entries.length, "I13", `${name} has ${entries.length} entries, not ${count}`);
    const others = knownTo(ledger, tenant).map((known) => ({ ...known, done: false }));
    checkEntries(name, entries, await boundsOf(references, [...stored, ...others]));
  }
}

/** An export. `accounts` is null if its accounts follow from its spec. */
interface Holding {
  readonly id: string | null;
  readonly snapshot: string;
  readonly spec: AccountQuerySpec;
  readonly done: boolean;
  readonly accounts: readonly string[] | null;
}

/** Returns all exports of a tenant that the ledger knows. */
function knownTo({ held, exclusions }: Ledger, tenant: number): Holding[] {
  return [
    ...held.of(tenant).map(({ snapshot, spec, doneAt }) => {
      return { id: null, snapshot, spec, done: doneAt !== null, accounts: null };
    }),
    ...exclusions.of(tenant).map(({ id, snapshot, spec, doneAt, file }) => {
      return { id, snapshot, spec, done: doneAt !== null, accounts: file?.accounts ?? null };
    }),
  ];
}

interface StoredExport {
  readonly id: string;
  readonly snapshot: string;
  readonly spec: string;
  readonly state: string;
  /** Not null only for an enrichment. */
  readonly sent: string | null;
}

function storedExports(
  database: Database.Database,
  name: string,
  files: ReadonlyMap<string, string>,
  ledger: Ledger,
): Holding[] {
  const rows = database
    .prepare<[string], StoredExport>(
      `SELECT id, snapshot, spec, state, sent FROM exports
       WHERE tenant_id = (SELECT id FROM tenants WHERE name = ?)`,
    )
    .all(name);
  return rows.flatMap(({ id, snapshot, spec: stored, state, sent }): Holding[] => {
    if (sent !== null) {
      const known = ledger.find(id)?.spec ?? null;
      // If the request that created an enrichment was not answered, the ledger does not know the
      // enrichment's file.
      const specs = known === null ? ENRICHMENT_SPECS : [known];
      const done = state === "done" && known !== null;
      return specs.map((spec) => ({ id: null, snapshot, spec, done, accounts: null }));
    }
    const spec = JSON.parse(stored) as AccountQuerySpec;
    const path = excludesExports(spec) ? files.get(id) : undefined;
    const accounts = path === undefined ? null : accountsIn(readFileSync(path));
    return [{ id, snapshot, spec, done: state === "done", accounts }];
  });
}

function storedEntries(database: Database.Database, list: number): string[] {
  const blocks = database
    .prepare<[number], Buffer>(
      `SELECT entries FROM exported_blocks JOIN exported_entries USING (id)
       WHERE list = ? AND until IS NULL ORDER BY first`,
    )
    .pluck()
    .all(list);
  return blocks.flatMap((block) => {
    const bytes = bytesOf(unpackEntries(block));
    return Array.from({ length: bytes.byteLength / ENTRY_BYTES }, (_, at) => entryText(bytes, at));
  });
}

/** Checks I13: after an operator's stop, no staged blocks are left in the state. */
export function checkNothingStaged(dataDir: string): void {
  const database = new Database(join(dataDir, "state.db"));
  const left = database
    .prepare<[], number>(
      `SELECT count(*) FROM exported_entries
       WHERE id NOT IN (SELECT id FROM exported_blocks)`,
    )
    .pluck()
    .get();
  database.close();
  must(left === 0, "I13", `${left} blocks are written for no list`);
}

/** The entries that a list must have, and those that it may have. */
interface Bounds {
  readonly must: ReadonlySet<string>;
  readonly may: ReadonlySet<string>;
  /** Other entries that the list may have, up to `most`, because some files were not read. */
  readonly unseen?: { readonly of: ReadonlySet<string>; readonly most: number };
}

/** Checks I13: entries ascend, are unique, and are within the bounds. */
export function checkEntries(name: string, entries: readonly string[], bounds: Bounds): void {
  const numbers = entries.map((entry) => entry.slice(0, 12));
  for (let at = 1; at < numbers.length; at++) {
    const [before, here] = [numbers[at - 1] as string, numbers[at] as string];
    must(before < here, "I13", `${here} comes behind ${before} in the list of ${name}`);
  }
  const there = new Set(numbers);
  const lost = [...bounds.must].filter((number) => !there.has(number));
  must(lost.length === 0, "I13", `${lost.length} such as ${lost[0]} are not held for ${name}`);
  const { of, most } = bounds.unseen ?? { of: bounds.may, most: 0 };
  const extra = numbers.filter((number) => !bounds.may.has(number));
  const never = extra.filter((number) => !of.has(number));
  const wrong = never.length > 0 || extra.length > most ? [...never, ...extra] : [];
  must(wrong.length === 0, "I13", `${extra.length} such as ${wrong[0]} were never ${name}'s`);
}

async function boundsOf(
  references: References,
  exports: readonly Holding[],
): Promise<Required<Bounds>> {
  const bounds = { must: new Set<string>(), may: new Set<string>() };
  const read = new Set(exports.flatMap(({ id, accounts }) => (accounts === null ? [] : [id])));
  const unseen = new Map<string | null, number>();
  const of = new Set<string>();
  for (const { id, snapshot, spec, done, accounts } of exports) {
    if (accounts === null && excludesExports(spec)) {
      if (read.has(id)) continue;
      for (const account of await allOf(references, snapshot, spec)) of.add(account);
      unseen.set(id, spec.limit);
      continue;
    }
    for (const account of accounts ?? (await references.accountsOf(snapshot, spec))) {
      bounds.may.add(account);
      if (done) bounds.must.add(account);
    }
  }
  const most = [...unseen.values()].reduce((sum, limit) => sum + limit, 0);
  return { ...bounds, unseen: { of, most } };
}

function nameOf(tenant: number): string {
  return TENANTS[tenant]?.name ?? "?";
}
