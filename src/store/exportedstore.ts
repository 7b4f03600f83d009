/**
 * The accounts that exports have held, in the database. What comes in: blocks that a thread has
 * made, and the export whose end makes them count. What goes out: the blocks of a revision.
 * Invariant: what is staged is seen by nobody until `keep`, which belongs to the transaction that
 * makes the export done; a block of a revision is there while that is the newest, or an export that
 * may be rendered is pinned to it. A list of this kind has a number below zero. It knows nothing of
 * what an entry means.
 */
import { forgetPins, type ListPin } from "./listpins.ts";
import { connect, type StateDatabase } from "./sqlite.ts";

/** What a thread has staged for an export that is about to be done. */
export interface StagedEntries {
  readonly list: number;
  /** The revision that it changes; any other one it does not fit. */
  readonly revision: number;
  readonly replaced: readonly number[];
  readonly made: readonly StagedBlock[];
  /** Entries that the list did not have. */
  readonly added: number;
}

/** A block that was written and belongs to no revision yet. */
export interface StagedBlock {
  readonly id: number;
  /** Number of its first entry. */
  readonly first: bigint;
}

/** Replaced blocks that are deleted in one transaction: others wait for it. */
const FORGOTTEN_AT_ONCE = 64;

/** How long a reader waits where the log is being put in order, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Blocks of a revision. */
const OF_REVISION = "list = @list AND since <= @revision AND (until IS NULL OR until > @revision)";

/** The tables `exported_entries` and `exported_blocks`. */
export class ExportedStore {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
  }

  /**
   * Reads over several turns of the event loop what is there now; `read` begins before this
   * returns. Rejects as `read` does.
   */
  async atOnce<Result>(read: (store: ExportedStore) => Promise<Result>): Promise<Result> {
    const connection = connect(this.#database.name, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      connection.exec("BEGIN");
      return await read(new ExportedStore(connection));
    } finally {
      connection.close();
    }
  }

  /** The list `exported` of a tenant as it is now. */
  now(tenantId: string): ListPin {
    const found = this.#database
      .prepare<[string], ListPin>(
        "SELECT sequence AS list, revision FROM lists WHERE tenant_id = ? AND sequence < 0",
      )
      .get(tenantId);
    if (found === undefined) throw new Error("a tenant has no list of what it exported");
    return found;
  }

  /** Ids and first entries of the blocks of a revision, in order. */
  index(pin: ListPin): StagedBlock[] {
    return this.#database
      .prepare<[ListPin], { id: bigint; first: bigint }>(
        `SELECT id, first FROM exported_blocks WHERE ${OF_REVISION} ORDER BY first`,
      )
      .safeIntegers()
      .all(pin)
      .map(({ id, first }) => ({ id: Number(id), first }));
  }

  /** Ids of the blocks of a revision that an earlier one does not have, in order. */
  idsSince(pin: ListPin, earlier: number): number[] {
    return this.#database
      .prepare<[ListPin & { earlier: number }], number>(
        `SELECT id FROM exported_blocks WHERE ${OF_REVISION} AND since > @earlier ORDER BY first`,
      )
      .pluck()
      .all({ ...pin, earlier });
  }

  /** The entries of a block. */
  entriesOf(id: number): Buffer {
    const found = this.#database
      .prepare<[number], Buffer>("SELECT entries FROM exported_entries WHERE id = ?")
      .pluck()
      .get(id);
    if (found === undefined) throw new Error("a block of exported accounts is gone");
    return found;
  }

  /** Blocks of a revision that may hold entries from a number on, at most so many. */
  blocksFrom(pin: ListPin, from: bigint, limit: number): Buffer[] {
    return this.#database
      .prepare<[ListPin & { from: bigint; limit: number }], Buffer>(
        `SELECT entries FROM exported_blocks JOIN exported_entries USING (id)
         WHERE ${OF_REVISION} AND first >= coalesce(
           (SELECT max(first) FROM exported_blocks WHERE ${OF_REVISION} AND first <= @from),
           -9223372036854775808)
         ORDER BY first LIMIT @limit`,
      )
      .pluck()
      .all({ ...pin, from, limit });
  }

  /** Writes blocks that nobody sees; gives their ids. */
  stage(blocks: readonly Uint8Array[]): number[] {
    const insert = this.#database.prepare("INSERT INTO exported_entries (entries) VALUES (?)");
    const write = () => blocks.map((block) => Number(insert.run(block).lastInsertRowid));
    return this.#database.transaction(write).immediate();
  }

  /** Makes staged blocks part of the next revision; false where they are for another one. */
  keep(staged: StagedEntries, changedAt: number): boolean {
    const { list, revision, replaced, made, added } = staged;
    const changed = this.#database
      .prepare(
        `UPDATE lists SET revision = revision + 1, entries = entries + ?, changed_at = ?
         WHERE sequence = ? AND revision = ?`,
      )
      .run(added, changedAt, list, revision);
    if (changed.changes === 0) return false;
    const next = revision + 1;
    const replace = this.#database.prepare("UPDATE exported_blocks SET until = ? WHERE id = ?");
    for (const id of replaced) replace.run(next, id);
    const insert = this.#database.prepare(
      "INSERT INTO exported_blocks (id, list, first, since) VALUES (?, ?, ?, ?)",
    );
    for (const { id, first } of made) insert.run(id, list, first, next);
    return true;
  }

  /** Deletes staged blocks that no revision will have. */
  drop(made: readonly Pick<StagedBlock, "id">[]): void {
    const remove = this.#database.prepare(
      `DELETE FROM exported_entries
       WHERE id = ? AND NOT EXISTS (SELECT 1 FROM exported_blocks AS kept WHERE kept.id = ?)`,
    );
    this.#database
      .transaction(() => {
        for (const { id } of made) remove.run(id, id);
      })
      .immediate();
  }

  /** Deletes all that is staged; nothing may be staging. Gives how many blocks that were. */
  dropStaged(): number {
    return this.#database
      .prepare("DELETE FROM exported_entries WHERE id NOT IN (SELECT id FROM exported_blocks)")
      .run().changes;
  }

  /** Deletes some replaced blocks of a list that no export is pinned to; gives how many. */
  forget(list: number): number {
    return this.#database
      .transaction(() => {
        forgetPins(this.#database, list);
        const ids = this.#database
          .prepare<[{ list: number; limit: number }], number>(
            `DELETE FROM exported_blocks WHERE id IN (
               SELECT id FROM exported_blocks AS old
               WHERE list = @list AND until IS NOT NULL AND NOT EXISTS (
                 SELECT 1 FROM export_lists AS pinned WHERE pinned.list = @list
                   AND pinned.revision >= old.since AND pinned.revision < old.until)
               LIMIT @limit)
             RETURNING id`,
          )
          .pluck()
          .all({ list, limit: FORGOTTEN_AT_ONCE });
        const remove = this.#database.prepare("DELETE FROM exported_entries WHERE id = ?");
        for (const id of ids) remove.run(id);
        return ids.length;
      })
      .immediate();
  }
}
