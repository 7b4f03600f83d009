/**
 * Forges snapshots with valid checksums. It changes a good snapshot's META text (its metadata as
 * JSON), the metadata in the footer, a section, the directory, the index location, or the footer.
 * It then recomputes the checksums of all blocks, of BLOCKS (the section that holds these
 * checksums), and of the directory. The digests of the blocks and the snapshot's identity are
 * recomputed too.
 * Invariant: everything is in memory, and no byte before the checksums moves. A forgery therefore
 * costs a copy and the checksums of the added bytes. A changed section is appended, and its old
 * bytes stay where they were, but no directory entry refers to them.
 */
import { createHash } from "node:crypto";
import {
  decodeBlocks,
  decodeFooter,
  encodeFooter,
} from "../../../native-index/format/arrow/arrow.ts";
import {
  ARROW_MAGIC,
  alignUp,
  type FooterParts,
} from "../../../native-index/format/arrow/arrow-parts.ts";
import { BATCH_ROWS, COLUMNS, TABLES } from "../../../native-index/format/columns.ts";
import { INDEX_KEY, META_KEY } from "../../../native-index/format/snapshot/footer.ts";
import {
  encodeTable,
  type SnapshotMeta,
  tableValues,
} from "../../../native-index/format/snapshot/meta.ts";
import { BLOCK_BYTES, SECTION } from "../../../native-index/format/snapshot/region.ts";
import {
  createSnapshotWriter,
  locationText,
} from "../../../native-index/format/snapshot/snapshot.ts";
import { FORMAT_VERSION } from "../../../native-index/format/snapshot/versions.ts";
import { crc32c, createBatch, rankRecords } from "../../../native-index/napi/engine.ts";
import {
  encodeRecords,
  FIXTURE_NUMBERS,
  FIXTURE_TABLES,
  type FixtureRow,
  randomRows,
} from "../native-index/fixture-rows.ts";

const HEADER_BYTES = 48;
const ENTRY_BYTES = 24;

/** One entry of a section directory. Its numbers may be invalid. */
export interface ForgedEntry {
  readonly kind: number;
  readonly argument: number;
  readonly offset: bigint;
  readonly length: bigint;
}

/** The changes that make a forgery. Everything else stays as in the good snapshot. */
export interface Forgery {
  /**
   * Bytes of META, the section with the metadata. If it is a text, the copy of the metadata in the
   * footer gets it too, unless `footerMeta` is given.
   */
  readonly meta?: string | Uint8Array;
  readonly footerMeta?: string;
  /** New content of sections. The key is `kind.argument`. */
  readonly sections?: ReadonlyMap<string, Uint8Array>;
  /** Returns the directory entries to write, given the right ones. */
  readonly entries?: (entries: readonly ForgedEntry[]) => readonly ForgedEntry[];
  /** May change the bytes of the directory before its checksum is computed. */
  readonly directory?: (bytes: Buffer) => void;
  /** Returns the text of the index location to write, given the right one. */
  readonly location?: (text: string) => string;
  /** Returns the footer to write, given the right one. */
  readonly footer?: (parts: FooterParts) => FooterParts;
  /** Returns the footer's bytes to write, without length and magic, given the right ones. */
  readonly footerBytes?: (bytes: Buffer) => Uint8Array;
}

/** Makes forgeries of one good snapshot. */
export class SnapshotForge {
  /** The metadata of the good snapshot as JSON text. */
  readonly metaText: string;
  readonly entries: readonly ForgedEntry[];
  readonly #content: Buffer;
  readonly #header: Buffer;
  readonly #footer: FooterParts;
  readonly #location: string;
  /**
   * Checksums of the blocks of the good content. Appended sections may continue the last
   * block, which changes its checksum.
   */
  readonly #sums: readonly number[];

  /** `bytes` must be a snapshot that opens. */
  constructor(bytes: Buffer) {
    const footerLength = bytes.readInt32LE(bytes.length - 10);
    const footerBytes = bytes.subarray(bytes.length - 10 - footerLength, bytes.length - 10);
    const decoded = decodeFooter(footerBytes);
    this.metaText = decoded.schemaMetadata[META_KEY] as string;
    this.#location = decoded.metadata[INDEX_KEY] as string;
    const { schemaMetadata, metadata } = decoded;
    this.#footer = { columns: COLUMNS, schemaMetadata, metadata, ...decodeBlocks(footerBytes) };
    const location = JSON.parse(this.#location) as { offset: string; length: string };
    const directory = bytes.subarray(Number(location.offset)).subarray(0, Number(location.length));
    this.#header = directory.subarray(0, HEADER_BYTES);
    this.entries = readEntries(directory);
    const blocks = this.entries.find(({ kind }) => kind === SECTION.blocks) as ForgedEntry;
    this.#content = bytes.subarray(0, Number(blocks.offset));
    this.#sums = sumsOf(this.#content, []);
  }

  /** A fresh copy of the good metadata. */
  meta(): SnapshotMeta {
    return JSON.parse(this.metaText) as SnapshotMeta;
  }

  /** Returns the bytes of a section of the good snapshot. */
  section(kind: number, argument = 0): Buffer {
    const found = this.entries.find((entry) => entry.kind === kind && entry.argument === argument);
    if (found === undefined) throw new RangeError(`no section ${kind}.${argument}`);
    const start = Number(found.offset);
    return this.#content.subarray(start, start + Number(found.length));
  }

  /**
   * Returns a snapshot with other metadata, and with string tables that match these metadata where
   * possible.
   */
  withMeta(meta: unknown): Buffer {
    return this.forge({ meta: JSON.stringify(meta), sections: tablesOf(meta) });
  }

  /** Returns the bytes of a file with the given changes and valid checksums. */
  forge(forgery: Forgery = {}): Buffer {
    const changed = new Map(forgery.sections);
    const { meta } = forgery;
    if (meta !== undefined) changed.set(`${SECTION.meta}.0`, Buffer.from(meta as string));
    const { content, entries } = this.#place(changed);
    const parts = [content];
    const sums = Buffer.alloc(4 * Math.ceil(content.length / BLOCK_BYTES));
    const known = content.length === this.#content.length ? this.#sums : this.#sums.slice(0, -1);
    sumsOf(content, known).forEach((sum, block) => {
      sums.writeUInt32LE(sum, 4 * block);
    });
    let end = append(parts, content.length, sums);
    const blocks = {
      kind: SECTION.blocks,
      argument: 0,
      offset: BigInt(content.length),
      length: BigInt(sums.length),
    };
    const right = [...entries.filter(({ kind }) => kind !== SECTION.blocks), blocks];
    const directory = this.#directory(forgery.entries?.(right) ?? right, crc32c(sums));
    forgery.directory?.(directory);
    const place = { offset: end, length: directory.length, crc32c: crc32c(directory) };
    end = append(parts, end, directory);
    const { bytes: digests, sha256 } = digestsOf(Buffer.concat(parts));
    const located = { ...place, digests: { offset: end, length: digests.length, sha256 } };
    const location = locationText(located);
    append(parts, end, digests);
    parts.push(this.#encodeFooter(forgery, forgery.location?.(location) ?? location));
    return Buffer.concat(parts);
  }

  /** Appends the changed sections to the content, and points their directory entries to them. */
  #place(changed: ReadonlyMap<string, Uint8Array>): { content: Buffer; entries: ForgedEntry[] } {
    if (changed.size === 0) return { content: this.#content, entries: [...this.entries] };
    const parts = [this.#content];
    let end = this.#content.length;
    const entries = this.entries.map((entry) => {
      const bytes = changed.get(`${entry.kind}.${entry.argument}`);
      if (bytes === undefined) return entry;
      const moved = { ...entry, offset: BigInt(end), length: BigInt(bytes.length) };
      end = append(parts, end, bytes);
      return moved;
    });
    return { content: Buffer.concat(parts), entries };
  }

  #directory(entries: readonly ForgedEntry[], blocksSum: number): Buffer {
    const bytes = Buffer.alloc(alignUp(HEADER_BYTES + ENTRY_BYTES * entries.length));
    this.#header.copy(bytes);
    bytes.writeUInt32LE(entries.length, 12);
    bytes.writeBigUInt64LE(BigInt(blocksSum), 40);
    entries.forEach(({ kind, argument, offset, length }, i) => {
      const at = HEADER_BYTES + ENTRY_BYTES * i;
      bytes.writeUInt32LE(kind, at);
      bytes.writeUInt32LE(argument, at + 4);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, offset), at + 8);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, length), at + 16);
    });
    return bytes.subarray(0, HEADER_BYTES + ENTRY_BYTES * entries.length);
  }

  #encodeFooter({ meta, footerMeta, footer, footerBytes }: Forgery, location: string): Buffer {
    const text = footerMeta ?? (meta === undefined ? this.metaText : Buffer.from(meta as string));
    const right = {
      ...this.#footer,
      schemaMetadata: { [META_KEY]: text.toString() },
      metadata: { [INDEX_KEY]: location },
    };
    const encoded = Buffer.from(encodeFooter(footer?.(right) ?? right));
    if (footerBytes === undefined) return encoded;
    const bytes = footerBytes(encoded.subarray(0, -10));
    const tail = Buffer.alloc(4);
    tail.writeInt32LE(bytes.length);
    return Buffer.concat([bytes, tail, Buffer.from(ARROW_MAGIC)]);
  }
}

function readEntries(directory: Buffer): ForgedEntry[] {
  return Array.from({ length: directory.readUInt32LE(12) }, (_, i) => {
    const at = HEADER_BYTES + ENTRY_BYTES * i;
    return {
      kind: directory.readUInt32LE(at),
      argument: directory.readUInt32LE(at + 4),
      offset: directory.readBigUInt64LE(at + 8),
      length: directory.readBigUInt64LE(at + 16),
    };
  });
}

/** Appends bytes and padding. Returns the offset at which the next part begins. */
function append(parts: Buffer[], from: number, bytes: Uint8Array): number {
  const end = alignUp(from + bytes.length);
  parts.push(Buffer.from(bytes), Buffer.alloc(end - from - bytes.length));
  return end;
}

function sumsOf(content: Buffer, known: readonly number[]): number[] {
  const sums = [...known];
  for (let at = sums.length * BLOCK_BYTES; at < content.length; at += BLOCK_BYTES) {
    sums.push(crc32c(content.subarray(at, at + BLOCK_BYTES)));
  }
  return sums;
}

/** Returns the digests of all blocks, and their hash, which is the snapshot's identity. */
function digestsOf(bytes: Buffer): { readonly bytes: Buffer; readonly sha256: string } {
  const digests: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    digests.push(hashOf(bytes.subarray(at, at + BLOCK_BYTES)));
  }
  const head = Buffer.from("PNRIDENT\0\0\0\0\0\0\0\0", "latin1");
  head.writeBigUInt64LE(BigInt(bytes.length), 8);
  const list = Buffer.concat(digests);
  return { bytes: list, sha256: hashOf(Buffer.concat([head, list])).toString("hex") };
}

function hashOf(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Returns the string tables that fit the metadata, except those with malformed metadata. */
function tablesOf(meta: unknown): Map<string, Uint8Array> {
  const tables = new Map<string, Uint8Array>();
  TABLES.forEach((name, argument) => {
    try {
      const values = tableValues(meta as SnapshotMeta, name);
      tables.set(`${SECTION.table}.${argument}`, encodeTable(values.map(String)));
    } catch {
      // The table of the good snapshot stays.
    }
  });
  return tables;
}

/**
 * Writes a small good snapshot: fixture rows, every dictionary and table filled. `alter` may change
 * the rows.
 */
export async function writeSmallSnapshot(
  path: string,
  label = "2026-10",
  alter: (row: FixtureRow, index: number) => FixtureRow = (row) => row,
): Promise<void> {
  const rows = randomRows(5, 40).map((row, index) => ({
    ...alter(row, index),
    registration_status: row.registration_status || null,
  }));
  const writer = createSnapshotWriter(path, smallMeta(rows.length, label));
  const records = encodeRecords(rows);
  const batch = createBatch(FIXTURE_NUMBERS);
  batch.append(records, rankRecords(records, records.length).subarray(0, BATCH_ROWS));
  await writer.writeBatch(batch.rowCount, batch.finish());
  await writer.finish({ threads: 1 });
}

/** Real codes. Each replaces an invented code, so that queries of every kind have results. */
const KNOWN = { cnae: "4721102", nature: "2062", ibge: "3550308" } as const;

/** Returns the metadata that an import would write for fixture rows. */
function smallMeta(accounts: number, label: string): SnapshotMeta {
  const { cnae_description, legal_nature_description, municipality_name, ...rest } = FIXTURE_TABLES;
  const { municipality_population: people, ...coded } = rest;
  const dictionaries = {
    ...coded,
    cnae_primary: [...coded.cnae_primary.slice(0, -1), KNOWN.cnae],
    legal_nature: [...coded.legal_nature.slice(0, -1), KNOWN.nature],
    municipality_ibge: [...coded.municipality_ibge.slice(0, -1), KNOWN.ibge],
  };
  const named = (codes: readonly string[], names: readonly string[] = codes) =>
    codes.map((code, i) => [code, names[i] ?? ""] as const);
  return {
    format: FORMAT_VERSION,
    label,
    snapshot_date: `${label}-10`,
    provenance: {
      rfb_snapshot: label,
      ibge_population_year: "2025",
      ceis_as_of_date: "not_available",
    },
    accounts,
    score_version: 1,
    created_by: "peneira 1.0.0",
    lookups: {
      cnaes: named(dictionaries.cnae_primary, cnae_description),
      legal_natures: named(dictionaries.legal_nature, legal_nature_description),
      reasons: named(dictionaries.registration_status_reason),
      countries: named(dictionaries.country_code),
      municipalities: dictionaries.municipality_tom.map((tom, i) => {
        const ibge = dictionaries.municipality_ibge[i];
        const name = municipality_name[i] ?? "";
        if (ibge === undefined) return [tom, name, null, i % 2 === 0 ? "EX" : null, null];
        return [tom, name, ibge, "SP", people[i] === "" ? null : Number(people[i])];
      }),
    },
    dictionaries,
  };
}
