/**
 * Checks the conditions that must hold after a crash, in the data directory of a dead process or on
 * a recovered server. Throws the violation of an invariant.
 * Invariant: the directory of a dead process is checked in a copy, so that the check does not
 * repair it. A live server is checked only over HTTP and in its folders, as clients and operators
 * see it.
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { checkExclusions } from "./exclusionchecks.ts";
import { excludesExports } from "./exclusions.ts";
import { checkHeld, checkStoredHeld } from "./heldchecks.ts";
import { type Entry, jsonOf, type Ledger, type SeenRecord } from "./ledger.ts";
import { create, download, read, remove, unexpected, type World } from "./load.ts";
import { sentRequest, TENANTS } from "./plan.ts";
import { LABELS, type References, sha256Of } from "./reference.ts";
import { must, Violation } from "./violation.ts";

/** A directory without a process. */
export interface Remains {
  readonly dataDir: string;
  readonly ledger: Ledger;
  readonly references: References;
}

/** A recovered server with its directory. */
export interface Recovered extends World, Remains {}

/** Minimum retention in milliseconds with which no export expires during a run. */
const LASTING_MS = 60_000;
/** Maximum time for which an expired file may remain, in milliseconds (decisions: 60 s at most). */
const SWEEP_MS = 5_000;
/** Maximum milliseconds for an answer with the status. A slower process counts as hanging. */
const STATUS_MS_MAX = 1_000;
/**
 * Maximum number of polls for one export. On a busy machine, files are late, because they are
 * written at the lowest priority.
 */
const SETTLE_READS_MAX = 15;
const PAGE = 50;
/** Number of exports that are kept for the next life (run of the process). */
const RETAINED = 24;
const SIDE_BY_SIDE = 6;

const FINAL_NAME = /^(exp_[0-9a-f]{32})\.(csv|html|xlsx|parquet|jsonl)(?:\.(?:gz|zst))?$/;

/**
 * Checks the directory of a dead process for I4, I5, and I9. These invariants must hold at any
 * time, not only while the server is idle.
 */
export async function checkRemains({ dataDir, ledger, references }: Remains): Promise<void> {
  const files = finalFiles(dataDir);
  for (const [id, path] of files) {
    const { spec, snapshot } = ledger.find(id) ?? {};
    // If the request that created an export was not answered, its file is compared when the request
    // is repeated.
    if (!spec || !snapshot) continue;
    await checkFile({ ledger, references }, path, readFileSync(path));
  }
  if (!existsSync(join(dataDir, "state.db"))) return;
  const copy = mkdtempSync(join(tmpdir(), "peneira-remains-"));
  try {
    for (const name of ["state.db", "state.db-wal"]) {
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copy, name));
    }
    const database = new Database(join(copy, "state.db"));
    checkState(database, files, ledger);
    await checkStoredHeld(database, files, { ledger, references });
    database.close();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Checks I5: a file is complete and belongs to its export. */
async function checkFile(
  { ledger, references }: Pick<World, "ledger" | "references">,
  path: string,
  bytes: Buffer,
): Promise<void> {
  const id = FINAL_NAME.exec(basename(path))?.[1] ?? "";
  const excluding = ledger.exclusions.find(id);
  if (excluding !== undefined) return ledger.exclusions.read(excluding, bytes);
  const { snapshot, spec } = ledger.find(id) ?? {};
  const wanted = await references.of(snapshot ?? "", spec as never);
  const message = `${basename(path)} (${bytes.byteLength} bytes) is not the whole export`;
  must(sha256Of(bytes) === wanted.sha256, "I5", message);
}

interface StoredDone {
  readonly id: string;
  readonly size: number;
  readonly sha256: string;
}

function checkState(
  database: Database.Database,
  files: ReadonlyMap<string, string>,
  ledger: Ledger,
): void {
  const whole = database.pragma("integrity_check", { simple: true });
  must(whole === "ok", "I9", `the state is damaged: ${String(whole)}`);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'exports'").all();
  if (tables.length === 0) return;
  const done = database
    .prepare<[], StoredDone>(
      `SELECT id, size_bytes AS size, sha256 FROM exports
       WHERE state = 'done' AND expired_at IS NULL`,
    )
    .all();
  for (const { id, size, sha256 } of done) {
    const path = files.get(id);
    must(path !== undefined, "I4", `${id} is stored as done and has no file`);
    const bytes = readFileSync(path);
    const same = bytes.byteLength === size && sha256Of(bytes) === sha256;
    must(same, "I4", `the file of ${id} is not the one that is stored`);
  }
  checkStoredBytes(database);
  const keyless = database
    .prepare<[], { id: string }>(
      `SELECT id FROM exports WHERE 1 <>
         (SELECT count(*) FROM idempotency WHERE export_id = exports.id)`,
    )
    .all();
  must(keyless.length === 0, "I2", `${keyless[0]?.id} has not exactly one idempotency key`);
  const dangling = database
    .prepare<[], { key: string; id: string }>(
      `SELECT key, export_id AS id FROM idempotency
       WHERE export_id NOT IN (SELECT id FROM exports)`,
    )
    .all();
  for (const { key, id } of dangling) {
    must(ledger.mayBeRemoved(id), "I2", `${key} is taken by ${id}, which does not exist`);
  }
}

/** Checks I9: the stored sums of a tenant's bytes equal the sums of its rows. */
function checkStoredBytes(database: Database.Database): void {
  const wrong = database
    .prepare<[], { id: string }>(
      `SELECT tenant_id AS id FROM
         (SELECT tenant_id,
            sum(iif(expired_at IS NULL, coalesce(size_bytes, 0) + sent_bytes, 0)) AS files,
            sum(length(CAST(spec AS BLOB))) AS specs FROM exports GROUP BY tenant_id) AS rows
       LEFT JOIN kept_bytes AS kept USING (tenant_id)
       WHERE kept.files IS NOT rows.files OR kept.specs IS NOT rows.specs`,
    )
    .all();
  must(wrong.length === 0, "I9", `the bytes that ${wrong[0]?.id} keeps are added up wrongly`);
}

/** Waits until a recovered server is idle and checks everything. Then removes most exports. */
export async function checkRecovered(recovered: Recovered): Promise<void> {
  await checkAnswers(recovered);
  await repeatUnanswered(recovered);
  await settle(recovered);
  await checkLists(recovered);
  await readFurther(recovered);
  await compareSome(recovered);
  await checkHeld(recovered);
  await checkExclusions(recovered);
  await checkDisk(recovered);
  const { ledger } = recovered;
  const there = ledger.entries().filter(({ id, removal }) => id !== null && removal === "none");
  await each(there.slice(0, -RETAINED), (entry) => remove(recovered, entry));
  ledger.tidy();
}

/** Checks I8 and I10: the status answers immediately, and a search uses the served snapshot. */
async function checkAnswers({ server, snapshot }: World): Promise<void> {
  const status = await server.request("/v1/status", { tenant: 0 });
  must(status.status === 200, "I10", `the status is ${status.status}`);
  const tookMs = status.receivedAt - status.sentAt;
  must(tookMs <= STATUS_MS_MAX, "I10", `the status took ${tookMs} ms`);
  const label = (jsonOf(status) as { snapshot: string }).snapshot;
  must(label === LABELS[snapshot], "I8", `${LABELS[snapshot]} is served, the status says ${label}`);
}

/** Repeats every unanswered request for an export, as a client would, until it is answered. */
async function repeatUnanswered(world: World): Promise<void> {
  const open = world.ledger.entries().filter(({ id, refused }) => id === null && !refused);
  await each(open, async (entry) => {
    for (let tries = 0; entry.id === null && tries < 600; tries++) {
      await create(world, entry);
      if (entry.id === null) await sleep(20);
    }
    must(entry.id !== null, "I3", `the queue of ${TENANTS[entry.tenant]?.name} never empties`);
  });
}

/** Checks I1 and I3: every acknowledged export exists, and finishes. */
async function settle(world: World): Promise<void> {
  await each(world.ledger.entries(), async (entry) => {
    if (entry.id === null || entry.removal === "done") return;
    const isOver = hasEnded(entry.seen?.record);
    if (isOver && entry.removal === "none" && !isFleeting(entry)) return;
    const record = await ended(world, entry);
    // A requested removal that has not taken effect by now must not take effect later.
    if (entry.removal === "requested") entry.removal = "none";
    if (record === null) return;
    must(hasEnded(record), "I3", `${entry.id} is ${record.status} and does not move`);
  });
}

/**
 * Polls an export until it has ended, or until the maximum number of polls. Returns null if the
 * export no longer exists.
 */
async function ended(world: World, entry: Entry): Promise<SeenRecord | null> {
  for (let reads = 1; ; reads++) {
    const record = await read(world, entry);
    if (record === null || hasEnded(record) || reads === SETTLE_READS_MAX) return record;
  }
}

function hasEnded(record: SeenRecord | undefined): boolean {
  return record?.status === "done" || record?.status === "failed";
}

/** Checks I1 and I2: the lists have exactly the accepted exports, once, newest first. */
async function checkLists(world: World): Promise<void> {
  for (const tenant of TENANTS.keys()) {
    const listed = await wholeList(world, tenant);
    const expected = world.ledger
      .entries()
      .filter((entry) => entry.tenant === tenant && entry.removal === "none" && entry.id !== null)
      .map(({ id }) => id as string);
    const unknown = listed.filter((id) => !expected.includes(id));
    const absent = expected.filter((id) => !listed.includes(id));
    const name = TENANTS[tenant]?.name;
    must(new Set(listed).size === listed.length, "I2", `an export is twice on the list of ${name}`);
    const back = unknown.filter((id) => world.ledger.mayBeRemoved(id));
    must(back.length === 0, "I6", `${back.join(", ")} of ${name} was deleted and is back`);
    must(unknown.length === 0, "I2", `nobody asked for ${unknown.join(", ")} of ${name}`);
    must(absent.length === 0, "I1", `${absent.join(", ")} of ${name} is not on the list`);
  }
}

async function wholeList(world: World, tenant: number): Promise<string[]> {
  const { server, ledger } = world;
  const ids: string[] = [];
  let path = `/v1/exports?limit=${PAGE}`;
  for (;;) {
    const reply = await server.request(path, { tenant });
    if (reply.status !== 200) throw unexpected(world, reply, "a list");
    const page = jsonOf(reply) as {
      exports: readonly SeenRecord[];
      has_more: boolean;
      next_cursor: string | null;
    };
    for (const record of page.exports) {
      ids.push(record.export_id);
      const entry = ledger.find(record.export_id);
      if (entry !== undefined) ledger.observed(entry, record, reply);
    }
    if (!page.has_more) return ids;
    path = `/v1/exports?limit=${PAGE}&cursor=${page.next_cursor}`;
  }
}

/** Checks I4 and I5 for exports that exclude earlier ones, by the content of their files. */
async function readFurther({ dataDir, ledger, references }: Remains): Promise<void> {
  for (const [id, path] of finalFiles(dataDir)) {
    const bytes = ledger.exclusions.find(id) === undefined ? null : readIfThere(path);
    if (bytes !== null) await checkFile({ ledger, references }, path, bytes);
  }
}

/** Checks I4: the records equal the references. Downloads one file in each life. */
async function compareSome(world: World): Promise<void> {
  const { ledger } = world;
  const done = ledger
    .entries()
    .filter(({ removal, seen }) => removal === "none" && seen?.record.status === "done");
  await each(done, async (entry) => {
    const { spec, snapshot, seen } = entry;
    assert(spec !== null && snapshot !== null && seen !== null);
    const file = await wantedOf(world, { id: entry.id, snapshot, spec });
    if (file === null) return;
    const { row_count, size_bytes, sha256 } = seen.record;
    const same =
      row_count === file.rowCount && size_bytes === file.sizeBytes && sha256 === file.sha256;
    must(same, "I4", `${entry.id} says ${JSON.stringify(seen.record)}, not ${file.sha256}`);
  });
  const next = done.find((entry) => !entry.compared && !isFleeting(entry));
  if (next !== undefined) await download(world, next, 1);
}

/** Returns the expected record, or null if the content is known only from an unread file. */
async function wantedOf(
  { ledger, references }: World,
  { id, snapshot, spec }: { id: string | null; snapshot: string; spec: AccountQuerySpec },
) {
  if (!excludesExports(spec)) return references.of(snapshot, spec);
  const file = ledger.exclusions.find(id ?? "")?.file ?? null;
  return file === null ? null : { ...file, rowCount: file.accounts.length };
}

/** Checks I4, I5, and I7: the folders hold the whole files of live exports, and nothing else. */
async function checkDisk({ dataDir, ledger, references }: Remains): Promise<void> {
  const files = finalFiles(dataDir);
  const names = readdirSync(join(dataDir, "exports"));
  const foreign = names.filter((name) => !FINAL_NAME.test(name));
  must(foreign.length === 0, "I7", `${foreign.join(", ")} is left in the folder of exports`);
  for (const [id, path] of files) {
    const entry = ledger.find(id);
    must(entry !== undefined && entry.removal === "none", "I7", `${basename(path)} has no export`);
    const bytes = readIfThere(path);
    if (bytes === null) continue;
    const end = Date.parse(entry.seen?.record.expires_at ?? "");
    must(!(Date.now() - end > SWEEP_MS), "I7", `${id} has expired and its file is there`);
    await checkFile({ ledger, references }, path, bytes);
  }
  for (const entry of ledger.entries()) {
    const wanted = entry.removal === "none" && entry.seen?.record.status === "done";
    if (!wanted || isFleeting(entry)) continue;
    must(files.has(entry.id ?? ""), "I4", `${entry.id} is done and has no file`);
  }
  const pins = join(dataDir, "pins");
  const held = existsSync(pins)
    ? readdirSync(pins).filter((name) => !name.startsWith("served-"))
    : [];
  must(held.length === 0, "I7", `${held.join(", ")} is pinned though no export needs it`);
  checkSent(dataDir, ledger);
  const rest = readdirSync(dataDir).filter((name) => name.endsWith(".tmp"));
  must(rest.length === 0, "I7", `${rest.join(", ")} is left in the data directory`);
}

/**
 * Checks I4 and I7: an enrichment has its sent file until it is removed or expires, and no other
 * sent file is left.
 */
function checkSent(dataDir: string, ledger: Ledger): void {
  const names = new Set(readdirSync(join(dataDir, "sent")));
  for (const name of names) {
    const entry = ledger.find(name);
    const isOf = entry?.removal === "none" && sentRequest(entry.body) !== null;
    must(isOf, "I7", `${name} is left in the folder of sent files`);
    const end = Date.parse(entry.seen?.record.expires_at ?? "");
    must(!(Date.now() - end > SWEEP_MS), "I7", `${name} has expired and its sent file is there`);
  }
  for (const entry of ledger.entries()) {
    const isSent = entry.id !== null && sentRequest(entry.body) !== null;
    if (!isSent || entry.removal !== "none" || isFleeting(entry)) continue;
    if (entry.seen?.record.status === "failed") continue;
    must(names.has(entry.id ?? ""), "I4", `the file that was sent for ${entry.id} is gone`);
  }
}

/** Returns the paths of files with final names, by the ids of their exports. */
function finalFiles(dataDir: string): Map<string, string> {
  const folder = join(dataDir, "exports");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(
    names.flatMap((name) => {
      const id = FINAL_NAME.exec(name)?.[1];
      return id === undefined ? [] : [[id, join(folder, name)] as const];
    }),
  );
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Violation("I5", `${basename(path)} cannot be read: ${String(error)}`);
  }
}

function isFleeting({ tenant }: Entry): boolean {
  return (TENANTS[tenant]?.retentionMs ?? 0) < LASTING_MS;
}

/** Calls a function for every item, a few at a time. */
async function each<Item>(
  items: readonly Item[],
  call: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const next = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await call(item);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, next));
}
