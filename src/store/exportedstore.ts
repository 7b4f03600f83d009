/**
 * The accounts that exports have held, in the database. What comes in: blocks that a thread has
 * made, and the export whose end makes them count. What goes out: the blocks of a revision.
 * Invariant: what is staged is seen by nobody until `keep`, which belongs to the transaction that
 * makes the export done; a block of a revision is there while that is the newest, or an export that
 * may be rendered is pinned to it. A list of this kind has a number below zero. It knows nothing of
 * what an entry means.
 */
import { BlockTable, forgetPins, type ListPin, type StagedBlock } from "./blocktable.ts";
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

/** Replaced blocks that are deleted in one transaction: others wait for it. */
const FORGOTTEN_AT_ONCE = 64;

/** How long a reader waits where the log is being put in order, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** The tables `exported_entries` and `exported_blocks`. */
export class ExportedStore {
  readonly #database: StateDatabase;
  readonly #blocks: BlockTable;

  constructor(database: StateDatabase) {
    this.#database = database;
    this.#blocks = new BlockTable(database, "exported");
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
    return this.#blocks.index(pin);
  }

  /** Ids of the blocks of a revision that an earlier one does not have, in order. */
  idsSince(pin: ListPin, earlier: number): number[] {
    return this.#blocks.idsSince(pin, earlier);
  }

  /** The entries of a block. */
  entriesOf(id: number): Buffer {
    const found = this.#blocks.entriesOf(id);
    if (found === undefined) throw new Error("a block of exported accounts is gone");
    return found;
  }

  /** Blocks of a revision that may hold entries from a number on, at most so many. */
  blocksFrom(pin: ListPin, from: bigint, limit: number): Buffer[] {
    return this.#blocks.blocksFrom(pin, from, limit);
  }

  /** Writes blocks that nobody sees; gives their ids. */
  stage(blocks: readonly Uint8Array[]): number[] {
    return this.#atomically(() => this.#blocks.write(blocks));
  }

  /** Makes staged blocks part of the next revision; false where they are for another one. */
  keep(staged: StagedEntries, changedAt: number): boolean {
    const { list, revision, added } = staged;
    const changed = this.#database
      .prepare(
        `UPDATE lists SET revision = revision + 1, entries = entries + ?, changed_at = ?
         WHERE sequence = ? AND revision = ?`,
      )
      .run(added, changedAt, list, revision);
    if (changed.changes === 0) return false;
    this.#blocks.place(list, revision + 1, staged);
    return true;
  }

  /** Deletes staged blocks that no revision will have. */
  drop(made: readonly Pick<StagedBlock, "id">[]): void {
    this.#atomically(() => this.#blocks.deleteBytes(made.map(({ id }) => id)));
  }

  /** Deletes all that is staged; nothing may be staging. Gives how many blocks that were. */
  dropStaged(): number {
    return this.#blocks.deleteUnplaced();
  }

  /** Deletes some replaced blocks of a list that no export is pinned to; gives how many. */
  forget(list: number): number {
    return this.#atomically(() => {
      forgetPins(this.#database, list);
      return this.#blocks.deleteOld(list, FORGOTTEN_AT_ONCE);
    });
  }

  #atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }
}
