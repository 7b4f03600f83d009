/**
 * The lists of tenants. What comes in: names, and entries in any order. What goes out: lists as
 * they are, what a change has changed, pages of entries.
 * Invariant: another tenant's list does not exist; a change is durable when its promise resolves,
 * is one revision, and none where nothing changed; what is dear is done off the event loop.
 */
import { randomBytes } from "node:crypto";
import { sortEntriesAside } from "../../native-index/napi/engine.ts";
import type { Clock } from "../clock.ts";
import { AppError } from "../errors.ts";
import type { Segment } from "../search/segment.ts";
import { EXPORTED } from "../spec/listids.ts";
import type { ExportedStore } from "../store/exportedstore.ts";
import type { ListPin } from "../store/listpins.ts";
import type { ListKind, ListRow, ListStore } from "../store/liststore.ts";
import { isStateFailure } from "../store/sqlite.ts";
import { type BlockVerb, changeBlocks } from "./blocks.ts";
import { ENTRY_BYTES, entryText } from "./entries.ts";
import { bytesOf, unpackEntries } from "./packed.ts";

/** Blocks that are read at once for a page of entries. */
const PAGE_BLOCKS = 4;

/** How many lists a tenant may have, and entries in each. */
interface ListLimits {
  readonly lists: number;
  readonly list_entries: number;
}

/** What a change has changed. */
export interface ChangedList {
  readonly list: ListRow;
  /** Entries that were sent, each once. */
  readonly distinct: number;
  /** Those that were added, or taken away. */
  readonly changed: number;
  /** Those of which the snapshot has no account; null without a snapshot. */
  readonly absent: number | null;
}

/** Entries behind one of them. */
interface EntryPage {
  /** A CNPJ of 14 characters, or the root of a company. */
  readonly entries: readonly string[];
  /** The last of them as a number; null where nothing follows. */
  readonly next: bigint | null;
}

/** The lists of all tenants. */
export class Lists {
  readonly #store: ListStore;
  readonly #clock: Pick<Clock, "nowMs">;

  constructor(store: ListStore, clock: Pick<Clock, "nowMs">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** What exports have held, as it is stored. */
  get exported(): ExportedStore {
    return this.#store.exported;
  }

  /** A tenant's lists below a sequence, newest first, and `exported` last. */
  page(tenantId: string, before: number, limit: number): ListRow[] {
    return stored(() => this.#store.list(tenantId, before, limit));
  }

  /** A list of a tenant, or undefined. */
  seen(tenantId: string, id: string): ListRow | undefined {
    return stored(() => this.#store.find(tenantId, id));
  }

  /** A list. Throws `list_not_found`. */
  find(tenantId: string, id: string): ListRow {
    const row = this.seen(tenantId, id);
    if (row === undefined) throw listNotFound();
    return row;
  }

  /** Makes an empty list. Throws `plan_not_allowed` where the tenant has all that it may. */
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
      `The plan allows ${most} lists, and you have them. Delete one first.`,
    );
  }

  /** A list that its tenant may change. Throws `list_not_found`, or `invalid_request`. */
  own(tenantId: string, id: string): ListRow {
    const row = this.find(tenantId, id);
    if (id !== EXPORTED) return row;
    const detail =
      "The list exported is kept by the server: what an export holds is in it as soon as the " +
      "export is done, and nobody else changes it. Make a list of your own for what you keep.";
    throw new AppError("invalid_request", detail);
  }

  /** Gives a list another name. Throws as `own`. */
  rename(tenantId: string, id: string, name: string): ListRow {
    this.own(tenantId, id);
    stored(() => this.#store.rename(tenantId, id, name, this.#clock.nowMs()));
    return this.find(tenantId, id);
  }

  /** Removes a list. Throws as `own`. */
  remove(tenantId: string, id: string): void {
    this.own(tenantId, id);
    const nowMs = this.#clock.nowMs();
    stored(() => this.#store.atomically(() => this.#store.remove(tenantId, id, nowMs)));
  }

  /**
   * Adds entries, or takes them away; they come in any order. Throws as `own`, or
   * `plan_not_allowed` where the list would have more than the plan allows.
   */
  async change(
    { tenantId, id }: Pick<ListRow, "tenantId" | "id">,
    sent: { readonly entries: Uint8Array; readonly verb: BlockVerb },
    { limits, segment }: { readonly limits: ListLimits; readonly segment: Segment | null },
  ): Promise<ChangedList> {
    const entries = await sortEntriesAside(sent.entries);
    const distinct = entries.byteLength / ENTRY_BYTES;
    const found = (await segment?.native.entryRowsAside(entries))?.found;
    const changed = stored(() =>
      this.#store.atomically(() => {
        const row = this.own(tenantId, id);
        return this.#apply(row, { entries, verb: sent.verb }, limits.list_entries);
      }),
    );
    const absent = found === undefined ? null : distinct - found;
    return { list: this.find(tenantId, id), distinct, changed, absent };
  }

  #apply(
    row: ListRow,
    { entries, verb }: { readonly entries: Uint8Array; readonly verb: BlockVerb },
    most: number,
  ): number {
    const { changed, ...blocks } = changeBlocks(
      this.#store.blocks({ list: row.sequence, revision: row.revision }),
      entries,
      verb,
    );
    const count = verb === "add" ? row.entries + changed : row.entries - changed;
    if (verb === "add" && count > most) {
      throw new AppError(
        "plan_not_allowed",
        `The list would have ${count} entries; the plan allows ${most}. Nothing was added.`,
      );
    }
    if (changed === 0) return 0;
    this.#store.change(row, { ...blocks, entries: count, changedAt: this.#clock.nowMs() });
    return changed;
  }

  /** Entries of a list behind a number, at the present revision. */
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

  /** The block of a list that has a number, if any has. */
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

  /** All entries of a list of a tenant's own at a revision, ascending. */
  allEntries(pin: ListPin): Uint8Array {
    return stored(() => {
      const blocks = Array.from(this.#store.blocks(pin), ({ entries }) => entries);
      return Buffer.concat(blocks);
    });
  }
}

/** What is said of every list that the asker does not have, whatever the reason. */
export function listNotFound(pointer?: string): AppError {
  const detail = "You have no list of this id. GET /v1/lists names those that you have.";
  const errors = pointer === undefined ? [] : [{ pointer, code: "list_not_found", detail }];
  return new AppError("list_not_found", detail, { errors });
}

/** Runs what needs the database; that it cannot be written or read becomes the public 503. */
function stored<Value>(action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    if (!isStateFailure(error)) throw error;
    const detail = "The server cannot write its state at the moment. Try again later.";
    throw new AppError("overloaded", detail, { cause: error, headers: { "Retry-After": "10" } });
  }
}
