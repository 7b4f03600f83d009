/**
 * Lists in the database: what they are, their entries in blocks, and which revision an export is
 * pinned to. What comes in: rows to write and ids to look for. What goes out: rows as stored, and
 * blocks of a revision.
 * Invariant: a change is durable when the method returns; every method names the tenant or a list
 * that was found by it; the blocks of a revision are there for as long as it is the newest, or an
 * export that may be rendered is pinned to it. It knows nothing of what an entry means.
 */
import { ExportedStore } from "./exportedstore.ts";
import { forgetPins, type ListPin } from "./listpins.ts";
import type { StateDatabase, StateStatement } from "./sqlite.ts";

/** Whose accounts, or companies, a list holds. */
export type ListKind = "accounts" | "companies";

/** A list as it is stored. Times are milliseconds since 1970. */
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

/** A list that is made. */
type NewListRow = Pick<ListRow, "id" | "tenantId" | "name" | "kind" | "createdAt">;

/** A block of entries. */
interface ListBlock {
  readonly id: number;
  readonly entries: Buffer;
}

/** What becomes of the blocks of a list. */
interface ListChange {
  readonly replaced: readonly number[];
  readonly made: readonly Uint8Array[];
  /** Entries that it has from then on. */
  readonly entries: number;
  readonly changedAt: number;
}

/** Replaced blocks that are deleted in one transaction: others wait for it. */
const FORGOTTEN_AT_ONCE = 32;

const COLUMNS = `sequence, id, tenant_id AS tenantId, name, kind, revision, entries,
  created_at AS createdAt, changed_at AS changedAt FROM lists`;

/** The tables `lists`, `list_blocks` and `export_lists`. */
export class ListStore {
  /** What exports have held. */
  readonly exported: ExportedStore;
  readonly #database: StateDatabase;
  #find: StateStatement<[string, string], ListRow> | null = null;

  constructor(database: StateDatabase) {
    this.exported = new ExportedStore(database);
    this.#database = database;
  }

  /** Runs several changes as one; a throw undoes them all. Inside another one it is part of it. */
  atomically<Result>(change: () => Result): Result {
    return this.#database.transaction(change).immediate();
  }

  /** Reads several things of the same moment, whoever writes; what is read after `read` is not. */
  atOneMoment<Result>(read: () => Result): Result {
    return this.#database.transaction(() => ({ result: read() })).deferred().result;
  }

  /** A tenant's lists below a sequence, newest first, and `exported` last. */
  list(tenantId: string, before: number, limit: number): ListRow[] {
    return this.#database
      .prepare<[string, number, number], ListRow>(
        `SELECT ${COLUMNS} WHERE tenant_id = ? AND sequence < ? AND removed_at IS NULL
         ORDER BY sequence DESC LIMIT ?`,
      )
      .all(tenantId, before, limit);
  }

  /** A list of a tenant; undefined where it has none of this id. */
  find(tenantId: string, id: string): ListRow | undefined {
    // Every search that names a list asks for it: preparing anew would cost more than asking.
    this.#find ??= this.#database.prepare<[string, string], ListRow>(
      `SELECT ${COLUMNS} WHERE tenant_id = ? AND id = ? AND removed_at IS NULL`,
    );
    return this.#find.get(tenantId, id);
  }

  /** Stores a list unless the tenant has `most` already; false then. */
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

  /** Gives a list another name; false where the tenant has none of this id. */
  rename(tenantId: string, id: string, name: string, changedAt: number): boolean {
    const result = this.#database
      .prepare(
        `UPDATE lists SET name = ?, changed_at = ?
         WHERE tenant_id = ? AND id = ? AND removed_at IS NULL`,
      )
      .run(name, changedAt, tenantId, id);
    return result.changes > 0;
  }

  /** Removes a list; false where the tenant has none of this id. `forget` comes next. */
  remove(tenantId: string, id: string, removedAt: number): boolean {
    const row = this.find(tenantId, id);
    if (row === undefined) return false;
    this.#database
      .prepare("UPDATE lists SET removed_at = ?, revision = revision + 1 WHERE sequence = ?")
      .run(removedAt, row.sequence);
    this.#database
      .prepare("UPDATE list_blocks SET until = ? WHERE list = ? AND until IS NULL")
      .run(row.revision + 1, row.sequence);
    return true;
  }

  /** Blocks of a revision, in order. Nothing else may be asked before all of them were taken. */
  blocks({ list, revision }: ListPin): IterableIterator<ListBlock> {
    return this.#database
      .prepare<[number, number, number], ListBlock>(
        `SELECT id, entries FROM list_blocks
         WHERE list = ? AND since <= ? AND (until IS NULL OR until > ?) ORDER BY first`,
      )
      .iterate(list, revision, revision);
  }

  /** Blocks of a revision that may hold entries from a number on, at most so many. */
  blocksFrom(pin: ListPin, from: bigint, limit: number): Buffer[] {
    const own = "list = @list AND since <= @revision AND (until IS NULL OR until > @revision)";
    return this.#database
      .prepare<[ListPin & { from: bigint; limit: number }], Buffer>(
        `SELECT entries FROM list_blocks WHERE ${own} AND first >= coalesce(
           (SELECT max(first) FROM list_blocks WHERE ${own} AND first <= @from), 0)
         ORDER BY first LIMIT @limit`,
      )
      .pluck()
      .all({ ...pin, from, limit });
  }

  /**
   * Changes the entries of a list, which has one revision more from then on; false where it has
   * another revision than the one that was read, or is removed. `forget` comes next.
   */
  change({ sequence, revision }: ListRow, change: ListChange): boolean {
    const next = revision + 1;
    const { entries: count, changedAt } = change;
    const changed = this.#database
      .prepare(
        `UPDATE lists SET revision = ?, entries = ?, changed_at = ?
         WHERE sequence = ? AND revision = ? AND removed_at IS NULL`,
      )
      .run(next, count, changedAt, sequence, revision);
    if (changed.changes === 0) return false;
    const replace = this.#database.prepare("UPDATE list_blocks SET until = ? WHERE id = ?");
    for (const id of change.replaced) replace.run(next, id);
    const insert = this.#database.prepare(
      "INSERT INTO list_blocks (list, first, since, entries) VALUES (?, ?, ?, ?)",
    );
    for (const entries of change.made) {
      const bytes = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
      insert.run(sequence, bytes.readBigInt64LE(0), next, bytes);
    }
    return true;
  }

  /** Pins an export to revisions; call it in the transaction that stores the export. */
  pin(exportId: string, pins: readonly ListPin[]): void {
    const insert = this.#database.prepare(
      "INSERT INTO export_lists (export_id, list, revision) VALUES (?, ?, ?)",
    );
    for (const { list, revision } of pins) insert.run(exportId, list, revision);
  }

  /** The lists that an export is pinned to, with the ids that its spec has for them. */
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
   * Deletes some replaced blocks that no export is pinned to, of whichever list: also those that
   * were left where the program ended, or an export kept until it expired. Gives how many.
   */
  forget(): number {
    return this.atomically(() => {
      const lists = this.#database
        .prepare<[], number>("SELECT DISTINCT list FROM list_blocks WHERE until IS NOT NULL")
        .pluck()
        .all();
      for (const list of lists) forgetPins(this.#database, list);
      return this.#database
        .prepare(
          `DELETE FROM list_blocks WHERE id IN (
             SELECT id FROM list_blocks AS old
             WHERE until IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM export_lists AS pinned WHERE pinned.list = old.list
                 AND pinned.revision >= old.since AND pinned.revision < old.until)
             LIMIT ?)`,
        )
        .run(FORGOTTEN_AT_ONCE).changes;
    });
  }
}
