/**
 * The lists `exported` of a crash run. What comes in: which exports were accepted and seen done,
 * the database of a dead process or a server that has recovered. What goes out: nothing, or the
 * violation of I13.
 * Invariant: accounts are compared without their check digits, as lists keep them.
 */
import { join } from "node:path";
import Database from "better-sqlite3";
import { ENTRY_BYTES, entryText } from "../../../src/lists/entries.ts";
import { bytesOf, unpackEntries } from "../../../src/lists/packed.ts";
import type { HeldLedger, Known } from "./held.ts";
import { jsonOf } from "./ledger.ts";
import { unexpected, type World } from "./load.ts";
import { TENANTS } from "./plan.ts";
import type { References } from "./reference.ts";
import { must } from "./violation.ts";

/** Entries of a page over HTTP. */
const PAGE = 5_000;

/** I13, over HTTP: with nothing under way a list holds what was seen done, and is whole. */
export async function checkHeld(world: World): Promise<void> {
  const { ledger, references } = world;
  for (const tenant of TENANTS.keys()) {
    const done = ledger.held.of(tenant).filter((known) => known.done);
    const entries = await entriesOver(world, tenant);
    checkEntries(nameOf(tenant), entries, {
      must: await accountsOf(references, done),
      may: await accountsOf(references, ledger.held.of(tenant)),
    });
  }
}

async function entriesOver(world: World, tenant: number): Promise<string[]> {
  const { server } = world;
  const ask = async (path: string) => {
    const reply = await server.ask(path, { tenant });
    if (reply.status !== 200) throw unexpected(world, reply, "a list of exported accounts");
    return jsonOf(reply) as object;
  };
  const { list } = (await ask("/v1/lists/exported")) as { list: { entries: number } };
  const entries: string[] = [];
  for (let cursor = ""; ; ) {
    const path = `/v1/lists/exported/entries?limit=${PAGE}${cursor}`;
    const page = (await ask(path)) as { entries: string[]; next_cursor: string | null };
    entries.push(...page.entries);
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  const told = list.entries;
  must(told === entries.length, "I13", `${nameOf(tenant)} has ${entries.length}, not ${told}`);
  return entries;
}

interface StoredList {
  readonly sequence: number;
  readonly entries: number;
  readonly tenant: string;
}

/**
 * I13, in the database of a dead process: a list holds what is stored as done, whatever has become
 * of the files, and nothing that no export has held.
 */
export async function checkStoredHeld(
  database: Database.Database,
  held: HeldLedger,
  references: References,
): Promise<void> {
  const tables = "SELECT name FROM sqlite_master WHERE name = 'exported_blocks'";
  if (database.prepare(tables).all().length === 0) return;
  const lists = database
    .prepare<[], StoredList>(
      `SELECT sequence, entries, tenants.name AS tenant
       FROM lists JOIN tenants ON tenants.id = tenant_id WHERE sequence < 0`,
    )
    .all();
  for (const { sequence, entries: told, tenant: name } of lists) {
    const tenant = TENANTS.findIndex((one) => one.name === name);
    const stored = storedExports(database, name, tenant);
    const entries = storedEntries(database, sequence);
    must(told === entries.length, "I13", `${name} has ${entries.length} entries, not ${told}`);
    checkEntries(name, entries, {
      must: await accountsOf(
        references,
        stored.filter(({ done }) => done),
      ),
      may: await accountsOf(references, [...stored, ...held.of(tenant)]),
    });
  }
}

function storedExports(database: Database.Database, name: string, tenant: number): Known[] {
  const rows = database
    .prepare<[string], { snapshot: string; spec: string; state: string }>(
      `SELECT snapshot, spec, state FROM exports
       WHERE tenant_id = (SELECT id FROM tenants WHERE name = ?)`,
    )
    .all(name);
  return rows.map(({ snapshot, spec, state }) => {
    return { tenant, snapshot, spec: JSON.parse(spec), done: state === "done" };
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

/** I13: an operator's stop leaves nothing in the state that belongs to no list. */
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

/** What a list holds in any case, and what it holds at most. */
interface Bounds {
  readonly must: ReadonlySet<string>;
  readonly may: ReadonlySet<string>;
}

/** I13: entries ascend, each once, and are within their bounds. */
export function checkEntries(name: string, entries: readonly string[], bounds: Bounds): void {
  const numbers = entries.map((entry) => entry.slice(0, 12));
  for (let at = 1; at < numbers.length; at++) {
    const [before, here] = [numbers[at - 1] as string, numbers[at] as string];
    must(before < here, "I13", `${here} comes behind ${before} in the list of ${name}`);
  }
  const there = new Set(numbers);
  const lost = [...bounds.must].filter((number) => !there.has(number));
  must(lost.length === 0, "I13", `${lost.length} such as ${lost[0]} are not held for ${name}`);
  const extra = numbers.filter((number) => !bounds.may.has(number));
  must(extra.length === 0, "I13", `${extra.length} such as ${extra[0]} were never ${name}'s`);
}

async function accountsOf(
  references: References,
  exports: readonly Readonly<Known>[],
): Promise<Set<string>> {
  const accounts = new Set<string>();
  for (const { snapshot, spec } of exports) {
    for (const account of await references.accountsOf(snapshot, spec)) accounts.add(account);
  }
  return accounts;
}

function nameOf(tenant: number): string {
  return TENANTS[tenant]?.name ?? "?";
}
