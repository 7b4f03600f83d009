/**
 * Sorted entries in blocks that revisions share, in the database, and the revisions that exports
 * are pinned to. Input: blocks, and the revisions that begin or end with them. Output: a revision's
 * blocks.
 * Invariant: the bytes of a block are stored separately from its place in revisions. So they can be
 * written in small steps before a revision uses them, and a revision begins with a few small rows.
 * The pins of an export stay while it may be rendered. The meaning of entries and lists is unknown
 * here: tenants' lists and lists of exported accounts are treated alike.
 */
import { checkBlobs } from "./checksums.ts";
import type { StateDatabase } from "./statedatabase.ts";

/** A written block that belongs to no revision yet. */
export interface StagedBlock {
  readonly id: number;
  /** Value of its first entry. */
  readonly first: bigint;
}

/** The bytes of a block, with the checksum computed when they were written. */
interface StoredBytes {
  readonly id: number;
  readonly entries: Buffer;
  readonly checksum: number | null;
}

/** Changes of a revision to its predecessor. */
export interface PlacedBlocks {
  readonly replaced: readonly number[];
  readonly made: readonly StagedBlock[];
}

/** Blocks of a revision. */
const OF_REVISION = "list = @list AND since <= @revision AND (until IS NULL OR until > @revision)";
/** Minimum value of an entry. */
const LEAST = "-9223372036854775808";

/** Two tables: the bytes of blocks, and their places in revisions. */
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

  /** Returns ids and first entries of a revision's blocks, in order. */
  index(pin: ListPin): StagedBlock[] {
    return this.#database
      .prepare<[ListPin], { id: bigint; first: bigint }>(
        `SELECT id, first FROM ${this.#blocks} WHERE ${OF_REVISION} ORDER BY first`,
      )
      .safeIntegers()
      .all(pin)
      .map(({ id, first }) => ({ id: Number(id), first }));
  }

  /**
   * Returns the ids of the blocks that a revision has and the revision `earlier` lacks, in order.
   */
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

  /** Yields the blocks of a revision in order. Run no other statement before it ends. */
  *blocks(pin: ListPin): IterableIterator<StoredBytes> {
    const rows = this.#database
      .prepare<[ListPin], StoredBytes>(
        `SELECT id, entries, checksum FROM ${this.#blocks} JOIN ${this.#entries} USING (id)
         WHERE ${OF_REVISION} ORDER BY first`,
      )
      .iterate(pin);
    for (const row of rows) yield this.#checked(row);
  }

  /** Returns up to `limit` blocks of a revision that may hold entries from `from`. */
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

  /** Writes bytes of blocks without a revision; returns their ids. */
  write(blocks: readonly Uint8Array[]): number[] {
    const insert = this.#database
      .prepare<[{ block: Uint8Array }], number>(
        `INSERT INTO ${this.#entries} (entries, checksum) VALUES (@block, blob_checksum(@block))
         RETURNING id`,
      )
      .pluck();
    return blocks.map((block) => insert.get({ block }) as number);
  }

  /** Begins a revision of a list with written blocks. */
  place(list: number, revision: number, { replaced, made }: PlacedBlocks): void {
    const replace = this.#database.prepare(`UPDATE ${this.#blocks} SET until = ? WHERE id = ?`);
    for (const id of replaced) replace.run(revision, id);
    const insert = this.#database.prepare(
      `INSERT INTO ${this.#blocks} (id, list, first, since) VALUES (?, ?, ?, ?)`,
    );
    for (const { id, first } of made) insert.run(id, list, first, revision);
  }

  /** Ends all blocks of a list with an empty revision. */
  end(list: number, revision: number): void {
    this.#database
      .prepare(`UPDATE ${this.#blocks} SET until = ? WHERE list = ? AND until IS NULL`)
      .run(revision, list);
  }

  /** Returns lists with blocks that their newest revision no longer uses. */
  listsWithOld(): number[] {
    return this.#database
      .prepare<[], number>(`SELECT DISTINCT list FROM ${this.#blocks} WHERE until IS NOT NULL`)
      .pluck()
      .all();
  }

  /** Deletes up to `limit` blocks of a list that are old and unpinned; returns the number. */
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

/** Exports that may still be rendered; a done export is rendered again if its file is lost. */
const PINNING = `SELECT id FROM exports
  WHERE state IN ('queued', 'running') OR (state = 'done' AND expired_at IS NULL)`;

/** Deletes a list's pins of exports that will not be rendered again. */
export function forgetPins(database: StateDatabase, list: number): void {
  database
    .prepare(`DELETE FROM export_lists WHERE list = ? AND export_id NOT IN (${PINNING})`)
    .run(list);
}
