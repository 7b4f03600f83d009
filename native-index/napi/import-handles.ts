/**
 * Types of the addon's scan, join, and record batches for imports: their options, and their results
 * as plain values.
 * Invariant: types only; `import/passes.cc` is the counterpart. Code tables are the bytes of a
 * Uint16Array, because the addon reads byte arrays.
 */
import type { ColumnBuffers, Sized } from "./handles.ts";

/** Options of a native scan. */
export interface ScanRequest {
  readonly type: "empresas" | "simples" | "estabelecimentos";
  /** Output bucket file. */
  readonly path: string;
  readonly partitions: number;
  readonly slotBytes: number;
  /** Keeps the CPF in names. */
  readonly keepCpf: boolean;
  /** Latest valid date, in days since 1970-01-01. */
  readonly latestDay: number;
  /** Uses only instructions that every processor has. */
  readonly portable: boolean;
  /** Reads texts as UTF-8 even without a byte order mark. */
  readonly utf8: boolean;
  /** Maximum malformed rows that are skipped and counted. */
  readonly skipBadRows: number;
}

/** The encoding detected in a file, and the evidence; see src/dump/registrytext.ts. */
interface EncodingFound {
  readonly utf8: boolean;
  readonly right: number;
  readonly broken: number;
}

/** Extents of a bucket file, in file order. */
export interface ExtentLists {
  readonly buckets: Uint32Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** Codes of one kind by provisional number, and the number of rows with each. */
interface CodesMet {
  readonly codes: Uint32Array;
  readonly counts: Float64Array;
}

/** Results of a native scan. */
export interface ScanFindings<Kind extends string> {
  readonly rowsIn: number;
  readonly rowsKept: number;
  readonly extents: ExtentLists;
  readonly codes: Readonly<Record<Kind, CodesMet>>;
  /** Rows per state and TOM code; empty except for establishments. */
  readonly places: Uint32Array;
  readonly encoding: EncodingFound;
  /** By rule number. */
  readonly counts: Float64Array;
  /** The first rows that broke each rule, in order, with the bytes of the fields concerned. */
  readonly examples: readonly {
    readonly rule: number;
    readonly line: number;
    readonly fields: readonly Buffer[];
  }[];
}

/**
 * A scan of one file. A damaged file throws an error with code DUMP_REFUSED, whose message begins
 * with the line.
 */
export interface NativeScan<Kind extends string> {
  /** Processes a chunk. */
  push(piece: Uint8Array): void;
  /** Ends the file and the scan. */
  finish(): ScanFindings<Kind>;
  /** Releases memory and file; idempotent. */
  close(): void;
}

/** Spilled establishment records; per kind of code, dictionary codes by provisional number. */
type EstablishmentSpill<Kind extends string> = Readonly<Record<Kind, Uint8Array>> & {
  readonly records: Uint8Array;
};

/** Input of a native join; see `JoinContext` in src/ingest/join.ts. */
export interface JoinInput<Kind extends string> {
  /** Null if the rows already contain their company's data. */
  readonly companies:
    | readonly { readonly records: Uint8Array; readonly nature: Uint8Array }[]
    | null;
  readonly simples: readonly Uint8Array[];
  readonly establishments: readonly EstablishmentSpill<Kind>[];
  readonly ibge: Uint8Array;
  readonly tomCount: number;
  readonly tomAbroad: number;
  readonly ufAbroad: number;
  readonly cnaeNotInformed: number;
  /** Lists of CNPJs of 14 bytes, ascending; null if a list was not imported. */
  readonly sanctioned: Uint8Array | null;
  readonly cnep: Uint8Array | null;
  readonly cepim: Uint8Array | null;
  /** Spilled debts (`src/ingest/debts.ts`); null if they were not imported. */
  readonly debts: readonly Uint8Array[] | null;
  readonly snapshotDay: number;
  /** Domains of public mail providers, each followed by a newline. */
  readonly providers: Uint8Array;
}

/** A partition, and the output of its rows. */
export interface JoinRequest<Kind extends string> extends JoinInput<Kind> {
  /** Output bucket file. */
  readonly path: string;
  readonly slotBytes: number;
  /** The last key before each range except the first; scores are u16. */
  readonly splits: {
    readonly scores: Uint8Array;
    readonly roots: Float64Array;
    readonly rests: Uint32Array;
  };
  /** Output file of e-mails and phones, and its number of buckets. */
  readonly valuesPath: string;
  readonly valueBuckets: number;
}

/** Sort keys of rows: parallel lists. */
export interface SampledKeys {
  readonly scores: Uint32Array;
  readonly roots: Float64Array;
  readonly rests: Uint32Array;
}

/** Results of a native join. */
export interface JoinFindings
  extends Pick<ScanFindings<string>, "extents" | "counts" | "examples"> {
  readonly values: ExtentLists;
  /** Distinct numbers of active establishments of companies, ascending. */
  readonly establishments: Uint32Array;
  readonly rows: number;
  readonly companies: number;
}

/** Input of counting: one bucket of every partition, in order. */
export interface CountRequest {
  /** Output file of corrections, in buckets by range. */
  readonly path: string;
  readonly ranges: number;
  readonly slotBytes: number;
  readonly entries: readonly Uint8Array[];
}

/** Results of counting. */
export interface CountFindings {
  readonly extents: ExtentLists;
  /** Distinct numbers of companies per value, ascending. */
  readonly counts: Uint32Array;
}

/** Collects row records, in the given order, into the buffers of one record batch. */
export interface NativeBatch {
  readonly rowCount: number;
  /** Appends the records that start at `starts` (bytes into `records`), in that order. */
  append(records: Uint8Array, starts: Uint32Array): void;
  /** Appends `count` rows of a loaded range, from `first` in rank order on. */
  appendRange(range: NativeRange, first: number, count: number): void;
  /** Returns the buffers in column order and empties the batch. */
  finish(): ColumnBuffers[];
  /**
   * Returns the lengths of the buffers in column order, and empties the batch; the buffers stay in
   * the addon for `writeSealed`. Throws while earlier sealed buffers are unwritten.
   */
  seal(): ColumnBuffers<Sized>[];
  /** Writes the sealed buffers; rows may be appended meanwhile. Rejects with system errors. */
  writeSealed(request: SealedWrite): Promise<void>;
  /** Releases the memory; buffers being written are released afterwards. */
  close(): void;
}

/** Extents of a bucket file, read consecutively. */
export interface FileExtents {
  readonly path: string;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** A range of the rank order: row records that another thread reads, corrects, and sorts. */
export interface NativeRange {
  /**
   * Reads the records from the files, in order, and releases their disk space; `corrections` come
   * from `src/ingest/shared-values.ts`. Resolves to the number of rows.
   */
  load(rows: readonly FileExtents[], corrections: readonly FileExtents[]): Promise<number>;
  /** Releases the memory, after loading if that is in progress. */
  close(): void;
}

/** Output of a batch's sealed buffers. */
interface SealedWrite {
  /** An existing file; bytes between the parts are unchanged. */
  readonly path: string;
  /** Bytes before the buffers, and their offset. */
  readonly head: Uint8Array;
  readonly offset: number;
  /** Offsets of validity, offsets, and data of every column; ignored for empty buffers. */
  readonly places: Float64Array;
}
