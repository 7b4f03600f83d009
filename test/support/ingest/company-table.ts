/**
 * The companies of one partition in a table by root.
 * Input: spilled companies (`companies.ts`) and Simples rows (`simples.ts`).
 * Output: for each company root, the offset of its record, and its flags for Simples and MEI. A
 * company that has only a Simples row has flags but no record.
 * Invariant: if a company has several rows, the first one with a name is kept. Natures are
 * dictionary codes. The table uses the memory of the partition's companies plus about 30 bytes for
 * each company, including those with only a Simples row.
 */
import { RECORD_NULL } from "../../../native-index/builder/record.ts";
import { BRANCHES, writeBase36 } from "../../../src/dump/cnpj.ts";
import type { JoinFile } from "../../../src/ingest/join.ts";
import { bucketBytes, readBucket, type SpillFile } from "../../../src/ingest/spill.ts";
import type { Tally } from "../../../src/ingest/tally.ts";
import { COMPANY } from "./companies.ts";
import { KeyTable } from "./keytable.ts";
import { SIMPLES_BYTES } from "./simples.ts";

/** Flag of a company for which a Simples row was read. */
const SEEN = 0x80;

/** Flag of a company for which an establishment was read. */
const MET = 0x40;

/** Marks a company without a record, in place of its offset. */
const NO_ROW = 0xffffffff;

/** Smallest company record. */
const COMPANY_BYTES_MIN = 32;

/** Companies of one partition by root. */
export class CompanyTable {
  /** All company records of the partition. */
  readonly bytes: Buffer;
  /** A view of the same bytes. */
  readonly view: DataView;
  private readonly keys: KeyTable;
  private readonly offsets: Uint32Array;
  private readonly optIns: Uint8Array;
  private readonly untils: Int32Array;
  private readonly tally: Tally;
  /** Number of companies that have a row in Empresas, not only in Simples. */
  readonly rows: number;

  /** Reads the partition; duplicates are counted in `tally`. */
  constructor(
    files: readonly JoinFile[],
    simples: readonly SpillFile[],
    partition: number,
    tally: Tally,
  ) {
    const total = files.reduce((sum, { spill }) => sum + bucketBytes(spill, partition), 0);
    const optInBytes = simples.reduce((sum, file) => sum + bucketBytes(file, partition), 0);
    const companiesMax = Math.ceil(total / COMPANY_BYTES_MIN) + optInBytes / SIMPLES_BYTES;
    this.bytes = Buffer.alloc(total);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, total);
    this.keys = new KeyTable(companiesMax);
    this.offsets = new Uint32Array(companiesMax);
    this.optIns = new Uint8Array(companiesMax);
    this.untils = new Int32Array(2 * companiesMax).fill(RECORD_NULL.days);
    this.tally = tally;
    let start = 0;
    for (const { spill, remaps } of files) {
      const end = readBucket(spill, partition, this.bytes, start);
      this.addCompanies(start, end, remaps.nature);
      start = end;
    }
    this.rows = this.keys.size;
    for (const file of simples) this.addSimples(file, partition);
  }

  /** Records that the company has an establishment. Returns its index, or -1 if unknown. */
  meet(root: number): number {
    const index = this.keys.find(root, 0);
    if (index >= 0) this.optIns[index] = (this.optIns[index] as number) | MET;
    return index;
  }

  /** Returns the offset of a company's record in `bytes`, or -1 if it has none. */
  offset(index: number): number {
    const offset = this.offsets[index] as number;
    return offset === NO_ROW ? -1 : offset;
  }

  /** Returns the company's flags for Simples and MEI, as bits of RECORD_FLAGS. */
  flags(index: number): number {
    return (this.optIns[index] as number) & ~(SEEN | MET);
  }

  /** Returns the days on which the company was excluded from Simples and from MEI. */
  excluded(index: number): readonly [simples: number, mei: number] {
    return [this.untils[2 * index] as number, this.untils[2 * index + 1] as number];
  }

  /** Counts the Simples rows whose company has no establishment, in the order of companies. */
  countOrphans(): void {
    for (let index = 0; index < this.keys.size; index++) {
      if (((this.optIns[index] as number) & (SEEN | MET)) !== SEEN) continue;
      const root = this.keys.roots[index] as number;
      this.tally.add("simples_orphan", 0, () => rootText(root));
    }
  }

  private addCompanies(start: number, end: number, natures: Uint16Array): void {
    const { view, keys, offsets } = this;
    for (let at = start; at < end; at += view.getUint32(at, true)) {
      const nature = view.getUint16(at + COMPANY.nature, true);
      if (nature !== RECORD_NULL.u16) {
        view.setUint16(at + COMPANY.nature, natures[nature] as number, true);
      }
      const root = view.getFloat64(at + COMPANY.root, true);
      const before = keys.size;
      const index = keys.add(root, 0);
      if (keys.size === before) {
        this.tally.add("company_duplicate", 0, () => rootText(root));
        if (this.hasName(offsets[index] as number) || !this.hasName(at)) continue;
      }
      offsets[index] = at;
    }
  }

  private hasName(at: number): boolean {
    return this.view.getUint16(at + COMPANY.nameLength, true) !== RECORD_NULL.stringLength;
  }

  private addSimples(file: SpillFile, partition: number): void {
    const bytes = Buffer.alloc(bucketBytes(file, partition));
    readBucket(file, partition, bytes, 0);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += SIMPLES_BYTES) {
      const root = view.getFloat64(at, true);
      const index = this.keys.add(root, 0);
      if (index >= this.rows) this.offsets[index] = NO_ROW;
      if (((this.optIns[index] as number) & SEEN) !== 0) {
        this.tally.add("simples_duplicate", 0, () => rootText(root));
        continue;
      }
      this.optIns[index] = view.getUint32(at + 8, true) | SEEN;
      this.untils[2 * index] = view.getInt32(at + 12, true);
      this.untils[2 * index + 1] = view.getInt32(at + 16, true);
    }
  }
}

function rootText(root: number): string {
  const bytes = Buffer.alloc(8);
  writeBase36(bytes, 0, Math.floor(root / BRANCHES));
  writeBase36(bytes, 4, root % BRANCHES);
  return bytes.toString("latin1");
}
