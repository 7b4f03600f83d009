/**
 * Types of the options and results of the addon's scan, join, and record batches for imports. All
 * results are plain values.
 * Invariant: this file contains only types; `import/passes.cc` is the counterpart. Code tables are
 * passed as the bytes of a Uint16Array, because the addon reads byte arrays.
 */
import type { ColumnBuffers, Sized } from "./handles.ts";

/** Options of a native scan. */
export interface ScanRequest {
  readonly type: "empresas" | "simples" | "estabelecimentos";
  /** Output bucket file. */
  readonly path: string;
  readonly partitions: number;
  readonly slotBytes: number;
  /** If true, keeps the CPF that a name contains. */
  readonly keepCpf: boolean;
  /** Latest valid date, in days since 1970-01-01. */
  readonly latestDay: number;
  /** Uses only instructions that every processor has. */
  readonly portable: boolean;
  /** If true, reads texts as UTF-8 even without a byte order mark. */
  readonly utf8: boolean;
  /** Maximum number of malformed rows to skip and count. */
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

/** The codes of one kind by provisional number, and the number of rows with each code. */
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
  /**
   * Number of rows for each pair of state and TOM code (the registry's municipality code). Empty
   * except for establishments.
   */
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

/** A scan of one file. Damage throws DUMP_REFUSED; the message begins with the line. */
export interface NativeScan<Kind extends string> {
  /** Processes a chunk. */
  push(piece: Uint8Array): void;
  /** Tells the scan that the file ends here, and returns the results. */
  finish(): ScanFindings<Kind>;
  /** Releases memory and closes the file. Idempotent. */
  close(): void;
}

/**
 * Spilled establishment records and, for each kind of code, the dictionary codes in the order of
 * provisional numbers.
 */
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
  /** Each list contains CNPJs of 14 bytes, ascending. Null if the list was not imported. */
  readonly sanctioned: Uint8Array | null;
  readonly cnep: Uint8Array | null;
  readonly cepim: Uint8Array | null;
  /** Spilled debts (`src/ingest/debts.ts`); null if they were not imported. */
  readonly debts: readonly Uint8Array[] | null;
  readonly snapshotDay: number;
  /** Domains of public mail providers, with a newline after each. */
  readonly providers: Uint8Array;
}

/** A partition to join, and the files that receive its rows. */
export interface JoinRequest<Kind extends string> extends JoinInput<Kind> {
  /** Output bucket file. */
  readonly path: string;
  readonly slotBytes: number;
  /** The first key of each range except the first range. Scores are u16. */
  readonly splits: {
    readonly scores: Uint8Array;
    readonly roots: Float64Array;
    readonly rests: Uint32Array;
  };
  /** The file to which e-mails and phones are written, and its number of buckets. */
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
  /** The different numbers of active establishments that the companies have, ascending. */
  readonly establishments: Uint32Array;
  readonly rows: number;
  readonly companies: number;
}

/** Request to count the values in one bucket, read from every partition in order. */
export interface CountRequest {
  /** The file to which the corrections are written, in buckets by range. */
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
  /** Appends the records that start at the byte offsets `starts` in `records`, in that order. */
  append(records: Uint8Array, starts: Uint32Array): void;
  /** Appends `count` rows of a loaded range, beginning with row `first` in rank order. */
  appendRange(range: NativeRange, first: number, count: number): void;
  /** Returns the buffers in column order and empties the batch. */
  finish(): ColumnBuffers[];
  /**
   * Returns the lengths of the buffers in column order, and empties the batch. The addon keeps the
   * buffers for `writeSealed`. Throws if earlier sealed buffers have not been written yet.
   */
  seal(): ColumnBuffers<Sized>[];
  /**
   * Writes the sealed buffers; rows may be appended meanwhile. Rejects with errors of the system.
   */
  writeSealed(request: SealedWrite): Promise<void>;
  /** Releases the memory. Buffers that are being written are released once they are written. */
  close(): void;
}

/** Extents of a bucket file to read one after the other. */
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
  /** Releases the memory. If the range is being loaded, releases it after loading. */
  close(): void;
}

/** Where to write a batch's sealed buffers. */
interface SealedWrite {
  /** Path of an existing file. Bytes between the written parts stay unchanged. */
  readonly path: string;
  /** Bytes to write before the buffers, and the offset at which to write them. */
  readonly head: Uint8Array;
  readonly offset: number;
  /**
   * File offsets of three buffers per column: validity, offsets, and data. The offset of an empty
   * buffer is ignored.
   */
  readonly places: Float64Array;
}
