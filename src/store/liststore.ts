/**
 * Lists in the database: their rows, their entries in blocks, and the revisions to which exports
 * are pinned. Input: rows to write, and ids to find. Output: rows as stored, and blocks of a
 * revision.
 * Invariant: a change is durable when the method returns. Every method takes the tenant, or a
 * list that was found with the tenant. The blocks of a revision exist while it is the newest, or
 * while an export that may be rendered is pinned to it. This file does not know the meaning of
 * entries.
 */
import {
  BlockTable,
  forgetPins,
  type ListPin,
  type PlacedBlocks,
  type StagedBlock,
} from "./blocktable.ts";
import { ExportedStore } from "./exportedstore.ts";
import type { StateDatabase, StateStatement } from "./statedatabase.ts";

/** Kind of a list's entries. */
export type ListKind = "accounts" | "companies";

/** A list as stored. Times are milliseconds since the epoch. */
export interface ListRow {
  readonly sequence: number;
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly kind: ListKind;
  readonly revision: number;
  readonly entries: number;
  readonly createdAt: number;
  readonly changedAt: number;
}

type NewListRow = Pick<ListRow, "id" | "tenantId" | "name" | "kind" | "createdAt">;

interface ListChange extends PlacedBlocks {
  /** New number of entries. */
  readonly entries: number;
  readonly changedAt: number;
}

/** Max replaced blocks that a transaction deletes, because other writers wait for it. */
const FORGOTTEN_AT_ONCE = 32;
/** Age, in milliseconds, after which staged blocks are leftovers of an ended program. */
const STAGED_MS = 3_600_000;

const COLUMNS = `sequence, id, tenant_id AS tenantId, name, kind, revision, entries,
  created_at AS createdAt, changed_at AS changedAt FROM lists`;

/** The tables `lists`, `list_blocks`, `list_entries`, `list_staged` and `export_lists`. */
export class ListStore {
  /** Previously exported accounts. */
  readonly exported: ExportedStore;
  readonly #database: StateDatabase;
  readonly #blocks: BlockTable;
  #find: StateStatement<[string, string], ListRow> | null = null;

  constructor(database: StateDatabase) {
    this.exported = new ExportedStore(database);
    this.#blocks = new BlockTable(database, "list");
    this.#database = database;
  }

  /** Runs several changes as one transaction, nested if needed; a throw undoes them all. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }

  /** Runs several reads on one snapshot of the database, despite other writers. */
  atOneMoment<Result>(read: () => Result): Result {
    return this.#database.transaction(() => ({ result: read() })).deferred().result;
  }

  /**
   * Returns up to `limit` lists of a tenant, newest first. All have a sequence number below
   * `before`. The list `exported` comes last.
   */
  list(tenantId: string, before: number, limit: number): ListRow[] {
    return this.#database
      .prepare<[string, number, number], ListRow>(
        `SELECT ${COLUMNS} WHERE tenant_id = ? AND sequence < ? AND removed_at IS NULL
         ORDER BY sequence DESC LIMIT ?`,
      )
      .all(tenantId, before, limit);
  }

  /** Returns a tenant's list by id, or undefined. */
  find(tenantId: string, id: string): ListRow | undefined {
    // The prepared statement is cached, because searches with lists use it, and preparing it costs
    // more than running it.
    this.#find ??= this.#database.prepare<[string, string], ListRow>(
      `SELECT ${COLUMNS} WHERE tenant_id = ? AND id = ? AND removed_at IS NULL`,
    );
    return this.#find.get(tenantId, id);
  }

  /** Stores a list; returns false if the tenant already has `most`. */
  insert(row: NewListRow, most: number): boolean {
    const result = this.#database
      .prepare(
        `INSERT INTO lists
           (id, tenant_id, name, kind, revision, entries, created_at, changed_at)
         SELECT @id, @tenantId, @name, @kind, 0, 0, @createdAt, @createdAt
         WHERE (SELECT count(*) FROM lists
           WHERE tenant_id = @tenantId AND removed_at IS NULL AND sequence > 0) < @most`,
      )
      .run({ ...row, most });
    return result.changes > 0;
  }

  /** Renames a list; returns false if the tenant has none with this id. */
  rename(tenantId: string, id: string, name: string, changedAt: number): boolean {
    const result = this.#database
      .prepare(
        `UPDATE lists SET name = ?, changed_at = ?
         WHERE tenant_id = ? AND id = ? AND removed_at IS NULL`,
      )
      .run(name, changedAt, tenantId, id);
    return result.changes > 0;
  }

  /**
   * Removes a list. Returns false if the tenant has no list with this id. Callers must call
   * `forget` next, which deletes its blocks.
   */
  remove(tenantId: string, id: string, removedAt: number): boolean {
    const row = this.find(tenantId, id);
    if (row === undefined) return false;
    this.#database
      .prepare("UPDATE lists SET removed_at = ?, revision = revision + 1 WHERE sequence = ?")
      .run(removedAt, row.sequence);
    this.#blocks.end(row.sequence, row.revision + 1);
    return true;
  }

  /** Yields a revision's blocks in order. Run no other statement before the iteration ends. */
  blocks(pin: ListPin): ReturnType<BlockTable["blocks"]> {
    return this.#blocks.blocks(pin);
  }

  /** Returns up to `limit` blocks of a revision, from the block that may contain `from`. */
  blocksFrom(pin: ListPin, from: bigint, limit: number): Buffer[] {
    return this.#blocks.blocksFrom(pin, from, limit);
  }

  /** Writes blocks that are invisible until a change uses them. */
  stage(blocks: readonly Uint8Array[], nowMs: number): StagedBlock[] {
    const insert = this.#database.prepare("INSERT INTO list_staged (id, at) VALUES (?, ?)");
    return this.#blocks.write(blocks).map((id, at) => {
      insert.run(id, nowMs);
      return { id, first: firstOf(blocks[at] as Uint8Array) };
    });
  }

  /** Deletes staged blocks that will not be used. */
  drop(staged: readonly StagedBlock[]): void {
    this.#unstage(staged);
    this.#blocks.deleteBytes(staged.map(({ id }) => id));
  }

  /**
   * Changes the entries of a list and increments its revision. Returns false if the list has
   * changed since it was read, has been removed, or if staged blocks are gone. Callers must call
   * `forget` next, which deletes replaced blocks.
   */
  change({ sequence, revision }: ListRow, change: ListChange): boolean {
    if (!this.#unstage(change.made)) return false;
    const next = revision + 1;
    const { entries: count, changedAt } = change;
    const changed = this.#database
      .prepare(
        `UPDATE lists SET revision = ?, entries = ?, changed_at = ?
         WHERE sequence = ? AND revision = ? AND removed_at IS NULL`,
      )
      .run(next, count, changedAt, sequence, revision);
    if (changed.changes === 0) return false;
    this.#blocks.place(sequence, next, change);
    return true;
  }

  /** Marks blocks as no longer staged; returns true if all of them were staged. */
  #unstage(staged: readonly StagedBlock[]): boolean {
    const remove = this.#database.prepare("DELETE FROM list_staged WHERE id = ?");
    return staged.reduce((all, { id }) => remove.run(id).changes === 1 && all, true);
  }

  /**
   * Pins an export to revisions of lists, which then remain. Must be called in the transaction that
   * stores the export.
   */
  pin(exportId: string, pins: readonly ListPin[]): void {
    const insert = this.#database.prepare(
      "INSERT INTO export_lists (export_id, list, revision) VALUES (?, ?, ?)",
    );
    for (const { list, revision } of pins) insert.run(exportId, list, revision);
  }

  /** Returns the revisions that an export is pinned to, with the list ids in its spec. */
  pinsOf(exportId: string): (ListPin & Pick<ListRow, "id" | "tenantId">)[] {
    return this.#database
      .prepare<[string], ListPin & Pick<ListRow, "id" | "tenantId">>(
        `SELECT list, pinned.revision, lists.id, lists.tenant_id AS tenantId
         FROM export_lists AS pinned JOIN lists ON lists.sequence = pinned.list
         WHERE export_id = ?`,
      )
      .all(exportId);
  }

  /**
   * Deletes some replaced blocks, of any list, that no export needs, and some blocks that were
   * staged long ago. This removes leftovers of ended programs and expired exports. Returns how many
   * were deleted.
   */
  forget(nowMs: number): number {
    return this.atomically(() => {
      let gone = this.#dropOld(nowMs - STAGED_MS);
      for (const list of this.#blocks.listsWithOld()) {
        forgetPins(this.#database, list);
        gone += this.#blocks.deleteOld(list, FORGOTTEN_AT_ONCE - gone);
      }
      return gone;
    });
  }

  #dropOld(before: number): number {
    const ids = this.#database
      .prepare<[number, number], number>(
        `DELETE FROM list_staged WHERE id IN
           (SELECT id FROM list_staged WHERE at < ? LIMIT ?) RETURNING id`,
      )
      .pluck()
      .all(before, FORGOTTEN_AT_ONCE);
    this.#blocks.deleteBytes(ids);
    return ids.length;
  }
}

function firstOf({ buffer, byteOffset }: Uint8Array): bigint {
  return new DataView(buffer, byteOffset).getBigInt64(0, true);
}
