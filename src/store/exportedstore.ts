/**
 * Previously exported accounts in the database. Input: blocks made by a thread, and the export
 * whose completion commits them. Output: the blocks of a revision.
 * Invariant: staged blocks are invisible until `keep`, which is in the transaction that marks the
 * export as done. They belong to the server (member of the fleet) that staged them, and are dropped
 * after it has ended. A block is stored while the newest revision contains it, or while an
 * export that may be rendered needs an older revision with it. Lists of this kind have negative
 * numbers. This file does not know the meaning of entries.
 */
import { BlockTable, forgetPins, type ListPin, type StagedBlock } from "./blocktable.ts";
import type { StateDatabase } from "./statedatabase.ts";

/** Blocks that a thread has written for an export that is about to be done. */
export interface StagedEntries {
  readonly list: number;
  /** The staged blocks can be applied only to this revision. */
  readonly revision: number;
  readonly replaced: readonly number[];
  readonly made: readonly StagedBlock[];
  /** Number of new entries. */
  readonly added: number;
}

/** Max replaced blocks that a transaction deletes, because other writers wait for it. */
const FORGOTTEN_AT_ONCE = 64;

/** The tables `exported_entries` and `exported_blocks`. */
export class ExportedStore {
  readonly #database: StateDatabase;
  readonly #blocks: BlockTable;
  readonly #owner: string;

  /**
   * `owner` is the server of the fleet to which staged blocks belong. Blocks without an owner may
   * be dropped at any time.
   */
  constructor(database: StateDatabase, owner = "") {
    this.#database = database;
    this.#owner = owner;
    this.#blocks = new BlockTable(database, "exported");
  }

  /**
   * Runs `read` on one snapshot of the state, over several turns of the event loop. Calls `read`
   * before this method returns. Rejects if `read` does.
   */
  async atOnce<Result>(read: (store: ExportedStore) => Promise<Result>): Promise<Result> {
    const connection = this.#database.atOneMoment();
    try {
      return await read(new ExportedStore(connection));
    } finally {
      connection.close();
    }
  }

  /** Returns the newest revision of a tenant's list `exported`. */
  now(tenantId: string): ListPin {
    const found = this.#database
      .prepare<[string], ListPin>(
        "SELECT sequence AS list, revision FROM lists WHERE tenant_id = ? AND sequence < 0",
      )
      .get(tenantId);
    if (found === undefined) throw new Error("a tenant has no list of what it exported");
    return found;
  }

  /** Returns the id and the first entry of each block of a revision, in order. */
  index(pin: ListPin): StagedBlock[] {
    return this.#blocks.index(pin);
  }

  /** Returns, in order, the ids of a revision's blocks that the revision `earlier` lacks. */
  idsSince(pin: ListPin, earlier: number): number[] {
    return this.#blocks.idsSince(pin, earlier);
  }

  entriesOf(id: number): Buffer {
    const found = this.#blocks.entriesOf(id);
    if (found === undefined) throw new Error("a block of exported accounts is gone");
    return found;
  }

  /** Returns up to `limit` blocks of a revision, from the block that may contain `from`. */
  blocksFrom(pin: ListPin, from: bigint, limit: number): Buffer[] {
    return this.#blocks.blocksFrom(pin, from, limit);
  }

  /** Writes blocks that are invisible until `keep` commits them. Returns their ids. */
  stage(blocks: readonly Uint8Array[]): number[] {
    const own = this.#database.prepare("INSERT INTO exported_staged (id, owner) VALUES (?, ?)");
    return this.#atomically(() => {
      const ids = this.#blocks.write(blocks);
      for (const id of ids) own.run(id, this.#owner);
      return ids;
    });
  }

  /**
   * Commits staged blocks to the next revision; returns false if they are for another revision, or
   * were dropped. Call it inside a transaction.
   */
  keep(staged: StagedEntries, changedAt: number): boolean {
    const { list, revision, added, made } = staged;
    const isStaged = this.#database.prepare<[number]>("SELECT 1 FROM exported_staged WHERE id = ?");
    if (made.some(({ id }) => isStaged.get(id) === undefined)) return false;
    const changed = this.#database
      .prepare(
        `UPDATE lists SET revision = revision + 1, entries = entries + ?, changed_at = ?
         WHERE sequence = ? AND revision = ?`,
      )
      .run(added, changedAt, list, revision);
    if (changed.changes === 0) return false;
    this.#blocks.place(list, revision + 1, staged);
    const settle = this.#database.prepare("DELETE FROM exported_staged WHERE id = ?");
    for (const { id } of made) settle.run(id);
    return true;
  }

  /** Deletes staged blocks that will not be used. */
  drop(made: readonly Pick<StagedBlock, "id">[]): void {
    this.#atomically(() => this.#blocks.deleteBytes(made.map(({ id }) => id)));
  }

  /** Deletes the staged blocks of servers (members) that have ended; returns how many. */
  dropStaged(): number {
    return this.#database
      .prepare(
        `DELETE FROM exported_entries WHERE id NOT IN (SELECT id FROM exported_blocks)
           AND id NOT IN (SELECT id FROM exported_staged
             WHERE owner IN (SELECT id FROM members))`,
      )
      .run().changes;
  }

  /** Deletes some of a list's replaced blocks that no export needs. Returns how many. */
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
