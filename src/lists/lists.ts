/**
 * The saved lists of tenants: reads, changes, and pages of entries.
 * Invariant: another tenant's list is reported as missing. A change is durable when its promise
 * resolves, and creates one revision, or none if nothing changed. Expensive work runs off the event
 * loop. A name is one line of 1 to `LIST_NAME_MAX` characters. It must not equal the name of the
 * server's own list, even in another case, because clients could not distinguish them.
 */
import { randomBytes } from "node:crypto";
import { sortEntriesAsync } from "../../native-index/napi/engine.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import type { Segment } from "../search/segment.ts";
import { EXPORTED, LIST_NAME_MAX } from "../spec/listids.ts";
import type { ListPin } from "../store/blocktable.ts";
import { BlobDamage } from "../store/checksums.ts";
import type { ExportedStore } from "../store/exportedstore.ts";
import { stateUnwritable } from "../store/failures.ts";
import type { ListKind, ListRow, ListStore } from "../store/liststore.ts";
import { isStateFailure } from "../store/sqlite.ts";
import { readGivenName } from "../text/givenname.ts";
import { type BlockVerb, bytesOf, unpackEntries } from "./blocks.ts";
import type { ChangeThread } from "./changethread.ts";
import { ENTRY_BYTES, entryText } from "./entries.ts";
import { type ChangeOutcome, changeEntries, removeList } from "./listchange.ts";

/** Reason why a text cannot be a name, with an error code. */
type NameMistake = { readonly code: "wrong_format" | "reserved"; readonly detail: string };

const RESERVED =
  `The name ${EXPORTED} is that of the list which the server keeps of what exports have held. ` +
  "Choose another one.";

/** Reads a name. */
export function readListName(text: string): { readonly name: string } | NameMistake {
  const read = readGivenName(text, "The name", LIST_NAME_MAX);
  if ("detail" in read) return { code: "wrong_format", detail: read.detail };
  const { name } = read;
  if (name.toLowerCase() === EXPORTED) return { code: "reserved", detail: RESERVED };
  return { name };
}

/** Blocks per read for a page of entries. */
const PAGE_BLOCKS = 4;
/** Maximum entries in list and input for a change on this thread, about a millisecond. */
const AT_ONCE = 32_768;
/** Bytes of entries per look-up in a snapshot. */
const SLICE_BYTES = 65_536 * ENTRY_BYTES;

/** Maximum number of lists that `names` returns: the most that any plan allows, and `exported`. */
const NAMED_MAX = 10_001;

/** Maximum number of lists of a tenant, and of entries in each list. */
export interface ListLimits {
  readonly lists: number;
  readonly list_entries: number;
}

/** Result of a change. */
export interface ChangedList {
  readonly list: ListRow;
  /** Distinct entries sent. */
  readonly distinct: number;
  /** Entries added or removed. */
  readonly changed: number;
  /** Number of entries that have no account in the snapshot. Null without a snapshot. */
  readonly absent: number | null;
}

/** A page of entries. */
interface EntryPage {
  /** A CNPJ of 14 characters, or the root of a company. */
  readonly entries: readonly string[];
  /** Number of the last entry; null on the last page. */
  readonly next: bigint | null;
}

/** The lists of all tenants. */
export class Lists {
  readonly #store: ListStore;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #thread: ChangeThread | null;

  /** `thread` makes large changes. If it is null, they are made on this thread. */
  constructor(store: ListStore, clock: Pick<Clock, "nowMs">, thread: ChangeThread | null = null) {
    this.#store = store;
    this.#clock = clock;
    this.#thread = thread;
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#thread?.close();
  }

  /** The stored list of exported accounts. */
  get exported(): ExportedStore {
    return this.#store.exported;
  }

  /** Reads several values in one transaction, isolated from concurrent changes. */
  atOneMoment<Result>(read: () => Result): Result {
    return this.#store.atOneMoment(read);
  }

  /** Returns up to `limit` lists with sequence numbers below `before`, newest first. */
  page(tenantId: string, before: number, limit: number): ListRow[] {
    return stored(() => this.#store.list(tenantId, before, limit));
  }

  /** Runs several changes in one transaction; an error undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return stored(() => this.#store.atomically(change));
  }

  /** The names of a tenant's lists, newest first, without `exported`. */
  names(tenantId: string): Pick<ListRow, "id" | "name">[] {
    const all = this.page(tenantId, Number.MAX_SAFE_INTEGER, NAMED_MAX);
    return all.filter(({ id }) => id !== EXPORTED).map(({ id, name }) => ({ id, name }));
  }

  /** Returns a list of a tenant, or undefined if there is none. */
  seen(tenantId: string, id: string): ListRow | undefined {
    return stored(() => this.#store.find(tenantId, id));
  }

  /** Returns a list of a tenant. Throws `list_not_found` if there is none. */
  find(tenantId: string, id: string): ListRow {
    const row = this.seen(tenantId, id);
    if (row === undefined) throw listNotFound();
    return row;
  }

  /** Creates an empty list. Throws `plan_not_allowed` if the tenant has the maximum. */
  create(
    tenantId: string,
    { name, kind }: { readonly name: string; readonly kind: ListKind },
    { lists: most }: ListLimits,
  ): ListRow {
    const id = `lst_${randomBytes(16).toString("hex")}`;
    const createdAt = this.#clock.nowMs();
    const made = stored(() => this.#store.insert({ id, tenantId, name, kind, createdAt }, most));
    if (made) return this.find(tenantId, id);
    throw new AppError(
      "plan_not_allowed",
      `The plan allows ${most} lists, and all are in use. Delete one first.`,
    );
  }

  /** Returns a list that its tenant may change. Throws `list_not_found`, or `invalid_request`. */
  own(tenantId: string, id: string): ListRow {
    const row = this.find(tenantId, id);
    if (id !== EXPORTED) return row;
    const detail =
      "The list exported is kept by the server: what an export holds is in it as soon as the " +
      "export is done, and nobody else changes it. Make a list of your own for what you keep.";
    throw new AppError("invalid_request", detail);
  }

  /** Renames a list. Throws like `own`. */
  rename(tenantId: string, id: string, name: string): ListRow {
    this.own(tenantId, id);
    stored(() => this.#store.rename(tenantId, id, name, this.#clock.nowMs()));
    return this.find(tenantId, id);
  }

  /** Removes a list. Throws like `own`. */
  async remove(tenantId: string, id: string): Promise<void> {
    const { entries } = this.own(tenantId, id);
    const thread = this.#threadFor(entries);
    const order = { tenantId, id, nowMs: this.#clock.nowMs(), hurried: this.#isHurried(thread) };
    refuse(thread === null ? removeList(this.#store, order) : await thread.remove(order));
  }

  /**
   * Adds or removes entries, which may be in any order. Their buffers may be transferred to another
   * thread and are then unusable. Throws like `own`, and `plan_not_allowed` if the list would
   * exceed the plan.
   */
  async change(
    { tenantId, id }: Pick<ListRow, "tenantId" | "id">,
    sent: { readonly entries: readonly Uint8Array[]; readonly verb: BlockVerb },
    { limits, segment }: { readonly limits: ListLimits; readonly segment: Segment | null },
  ): Promise<ChangedList> {
    const entries = await this.#sorted(tenantId, sent.entries);
    const distinct = entries.byteLength / ENTRY_BYTES;
    const absent = segment === null ? null : distinct - (await foundIn(segment, entries));
    const thread = this.#threadFor(this.own(tenantId, id).entries + distinct);
    const bounds = { most: limits.list_entries, nowMs: this.#clock.nowMs() };
    const hurried = this.#isHurried(thread);
    const order = { tenantId, id, entries, verb: sent.verb, hurried, ...bounds };
    const outcome =
      thread === null ? changeEntries(this.#store, order) : await thread.change(order);
    const changed = refuse(outcome);
    return { list: this.find(tenantId, id), distinct, changed, absent };
  }

  /** Entries sorted without repeats. */
  async #sorted(tenantId: string, sent: readonly Uint8Array[]): Promise<Uint8Array> {
    const bytes = sent.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const thread = this.#threadFor(bytes / ENTRY_BYTES);
    if (thread === null) return sortEntriesAsync(Buffer.concat(sent));
    return thread.sort(tenantId, sent);
  }

  /** Returns the thread if it is busy or if this many entries would block requests. */
  #threadFor(entries: number): ChangeThread | null {
    return entries > AT_ONCE || this.#thread?.busy ? this.#thread : null;
  }

  /** True if work on this thread may make requests wait. In a command, there are no requests. */
  #isHurried(thread: ChangeThread | null): boolean {
    return thread === null && this.#thread !== null;
  }

  /** Returns the entries of a list after the entry number `after`, at the current revision. */
  entries(row: ListRow, after: bigint, limit: number): EntryPage {
    const texts: string[] = [];
    for (let last = after; ; ) {
      const from = last + 1n;
      const blocks = this.#blocksFrom(row, from);
      for (const block of blocks) {
        for (let at = 0; at * ENTRY_BYTES < block.byteLength; at++) {
          const number = block.readBigInt64LE(at * ENTRY_BYTES);
          if (number < from) continue;
          if (texts.length === limit) return { entries: texts, next: last };
          texts.push(entryText(block, at));
          last = number;
        }
      }
      if (blocks.length < PAGE_BLOCKS) return { entries: texts, next: null };
    }
  }

  /** Returns the block in which the entry with this number is or would be, or undefined. */
  blockFor(row: ListRow, number: bigint): Buffer | undefined {
    return this.#blocksFrom(row, number, 1)[0];
  }

  #blocksFrom(
    { id, sequence, revision }: ListRow,
    from: bigint,
    most = PAGE_BLOCKS,
  ): readonly Buffer[] {
    const pin = { list: sequence, revision };
    return stored(() => {
      if (id !== EXPORTED) return this.#store.blocksFrom(pin, from, most);
      const packed = this.exported.blocksFrom(pin, from, most);
      return packed.map((block) => Buffer.from(bytesOf(unpackEntries(block)).buffer));
    });
  }

  /** Returns all entries of a list at a revision, ascending; not for `exported`. */
  allEntries(pin: ListPin): Uint8Array {
    return stored(() => {
      const blocks = Array.from(this.#store.blocks(pin), ({ entries }) => entries);
      return Buffer.concat(blocks);
    });
  }
}

/** Returns the error for a list that the client does not have, for any reason. */
export function listNotFound(pointer?: string): AppError {
  const detail = "You have no list of this id. GET /v1/lists names those that you have.";
  const errors = pointer === undefined ? [] : [{ pointer, code: "list_not_found", detail }];
  return new AppError("list_not_found", detail, { errors });
}

/** Counts the entries that have an account in a segment, in slices that are quick to copy. */
async function foundIn({ native }: Segment, entries: Uint8Array): Promise<number> {
  let found = 0;
  for (let at = 0; at < entries.byteLength; at += SLICE_BYTES) {
    found += (await native.entryRowsAsync(entries.slice(at, at + SLICE_BYTES))).found;
  }
  return found;
}

/** Returns the number of changed entries. Throws on failure. */
function refuse(outcome: ChangeOutcome): number {
  const { kind } = outcome;
  if (kind === "missing") throw listNotFound();
  if (kind === "unwritable") {
    throw stateUnwritable(Object.assign(new Error(outcome.why), { code: outcome.code }));
  }
  if (kind === "damaged") throw new BlobDamage(outcome.why);
  if (kind === "changed") return outcome.entries;
  const { entries, most } = outcome;
  throw new AppError(
    "plan_not_allowed",
    `The list would have ${entries} entries; the plan allows ${most}. Nothing was added.`,
  );
}

/** Runs a database action; converts its failure to a public error. */
function stored<Value>(action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    throw isStateFailure(error) ? stateUnwritable(error) : error;
  }
}
