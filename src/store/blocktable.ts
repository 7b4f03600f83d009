/**
 * Lists of sorted entries in the database, stored as blocks. A change of a list makes a new
 * revision, which shares all unchanged blocks with its predecessor. An export that needs a list is
 * pinned to one revision, whose blocks then remain. Input: blocks, and the revisions that add or
 * remove them. Output: a revision's blocks.
 * Invariant: the bytes of a block are stored separately from its place in revisions. So they can be
 * written in small steps before a revision uses them, and a revision begins with a few small rows.
 * The pins of an export stay while it may be rendered. This file does not know the meaning of
 * entries, and treats tenants' lists and lists of exported accounts alike.
 */
import { checkBlobs } from "./checksums.ts";
import type { StateDatabase } from "./statedatabase.ts";

/** A written block that belongs to no revision yet. */
export interface StagedBlock {
  readonly id: number;
  /** The block's first entry. */
  readonly first: bigint;
}

/** The bytes of a block, with the checksum computed when they were written. */
interface StoredBytes {
  readonly id: number;
  readonly entries: Buffer;
  readonly checksum: number | null;
}

/** The blocks that a revision replaces and adds, compared to its predecessor. */
export interface PlacedBlocks {
  readonly replaced: readonly number[];
  readonly made: readonly StagedBlock[];
}

/** Blocks of a revision. */
const OF_REVISION = "list = @list AND since <= @revision AND (until IS NULL OR until > @revision)";
/** The smallest value that an entry can have. */
const LEAST = "-9223372036854775808";

/** Two tables of the database: the bytes of blocks, and the revisions that contain each block. */
export class BlockTable {
  readonly #database: StateDatabase;
  readonly #blocks: string;
  readonly #entries: string;

  /** The tables' names are `<name>_blocks` and `<name>_entries`. */
  constructor(database: StateDatabase, name: "list" | "exported") {
    this.#database = database;
    this.#blocks = `${name}_blocks`;
    this.#entries = `${name}_entries`;
  }

  /** Returns the id and the first entry of each block of a revision, in order. */
  index(pin: ListPin): StagedBlock[] {
    return this.#database
      .prepare<[ListPin], { id: bigint; first: bigint }>(
        `SELECT id, first FROM ${this.#blocks} WHERE ${OF_REVISION} ORDER BY first`,
      )
      .safeIntegers()
      .all(pin)
      .map(({ id, first }) => ({ id: Number(id), first }));
  }

  /** Returns, in order, the ids of a revision's blocks that the revision `earlier` lacks. */
  idsSince(pin: ListPin, earlier: number): number[] {
    return this.#database
      .prepare<[ListPin & { earlier: number }], number>(
        `SELECT id FROM ${this.#blocks} WHERE ${OF_REVISION} AND since > @earlier ORDER BY first`,
      )
      .pluck()
      .all({ ...pin, earlier });
  }

  /** Returns the entries of a block; undefined if there is none. */
  entriesOf(id: number): Buffer | undefined {
    const row = this.#database
      .prepare<[number], StoredBytes>(
        `SELECT id, entries, checksum FROM ${this.#entries} WHERE id = ?`,
      )
      .get(id);
    return row === undefined ? undefined : this.#checked(row).entries;
  }

  /** Yields a revision's blocks in order. Run no other statement before the iteration ends. */
  *blocks(pin: ListPin): IterableIterator<StoredBytes> {
    const rows = this.#database
      .prepare<[ListPin], StoredBytes>(
        `SELECT id, entries, checksum FROM ${this.#blocks} JOIN ${this.#entries} USING (id)
         WHERE ${OF_REVISION} ORDER BY first`,
      )
      .iterate(pin);
    for (const row of rows) yield this.#checked(row);
  }

  /** Returns up to `limit` blocks of a revision, from the block that may contain `from`. */
  blocksFrom(pin: ListPin, from: bigint, limit: number): Buffer[] {
    return this.#database
      .prepare<[ListPin & { from: bigint; limit: number }], StoredBytes>(
        `SELECT id, entries, checksum FROM ${this.#blocks} JOIN ${this.#entries} USING (id)
         WHERE ${OF_REVISION} AND first >= coalesce(
           (SELECT max(first) FROM ${this.#blocks} WHERE ${OF_REVISION} AND first <= @from),
           ${LEAST})
         ORDER BY first LIMIT @limit`,
      )
      .all({ ...pin, from, limit })
      .map((row) => this.#checked(row).entries);
  }

  /** Returns `row`. Throws `BlobDamage` if its bytes do not match the checksum. */
  #checked(row: StoredBytes): StoredBytes {
    checkBlobs(this.#entries, row.checksum, row.entries);
    return row;
  }

  /** Writes the bytes of blocks, which are in no revision yet. Returns their ids. */
  write(blocks: readonly Uint8Array[]): number[] {
    const insert = this.#database
      .prepare<[{ block: Uint8Array }], number>(
        `INSERT INTO ${this.#entries} (entries, checksum) VALUES (@block, blob_checksum(@block))
         RETURNING id`,
      )
      .pluck();
    return blocks.map((block) => insert.get({ block }) as number);
  }

  /** Begins a new revision of a list, from blocks that are already written. */
  place(list: number, revision: number, { replaced, made }: PlacedBlocks): void {
    const replace = this.#database.prepare(`UPDATE ${this.#blocks} SET until = ? WHERE id = ?`);
    for (const id of replaced) replace.run(revision, id);
    const insert = this.#database.prepare(
      `INSERT INTO ${this.#blocks} (id, list, first, since) VALUES (?, ?, ?, ?)`,
    );
    for (const { id, first } of made) insert.run(id, list, first, revision);
  }

  /** Begins an empty revision of a list, in which no block remains. */
  end(list: number, revision: number): void {
    this.#database
      .prepare(`UPDATE ${this.#blocks} SET until = ? WHERE list = ? AND until IS NULL`)
      .run(revision, list);
  }

  /** Returns the lists with outdated blocks, which are not in their newest revision. */
  listsWithOld(): number[] {
    return this.#database
      .prepare<[], number>(`SELECT DISTINCT list FROM ${this.#blocks} WHERE until IS NOT NULL`)
      .pluck()
      .all();
  }

  /**
   * Deletes up to `limit` blocks that neither the list's newest revision nor an export needs.
   * Returns how many were deleted.
   */
  deleteOld(list: number, limit: number): number {
    const ids = this.#database
      .prepare<[{ list: number; limit: number }], number>(
        `DELETE FROM ${this.#blocks} WHERE id IN (
           SELECT id FROM ${this.#blocks} AS old
           WHERE list = @list AND until IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM export_lists AS pinned WHERE pinned.list = @list
               AND pinned.revision >= old.since AND pinned.revision < old.until)
           LIMIT @limit)
         RETURNING id`,
      )
      .pluck()
      .all({ list, limit });
    this.deleteBytes(ids);
    return ids.length;
  }

  /** Deletes the bytes of blocks, except of blocks that are in a revision. */
  deleteBytes(ids: readonly number[]): void {
    const remove = this.#database.prepare(
      `DELETE FROM ${this.#entries}
       WHERE id = ? AND NOT EXISTS (SELECT 1 FROM ${this.#blocks} AS kept WHERE kept.id = ?)`,
    );
    for (const id of ids) remove.run(id, id);
  }
}

/** A list at a revision. */
export interface ListPin {
  readonly list: number;
  readonly revision: number;
}

/**
 * Selects the exports that may still be rendered. This includes done exports, which are rendered
 * again if their file is lost.
 */
const PINNING = `SELECT id FROM exports
  WHERE state IN ('queued', 'running') OR (state = 'done' AND expired_at IS NULL)`;

/** Deletes a list's pins (which keep a revision) of exports that will not be rendered again. */
export function forgetPins(database: StateDatabase, list: number): void {
  database
    .prepare(`DELETE FROM export_lists WHERE list = ? AND export_id NOT IN (${PINNING})`)
    .run(list);
}
