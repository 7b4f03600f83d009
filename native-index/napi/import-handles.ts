/**
 * The scan, the join and the record batches of an import behind the addon, as JavaScript sees
 * them. What comes in: what they are told. What goes out: what they found, as plain values.
 * Invariant: types only; `import/passes.cc` is the counterpart. Tables of codes
 * are the bytes of a Uint16Array, because an array of bytes is what the addon reads.
 */
import type { ColumnBuffers, Sized } from "./handles.ts";

/** What a native scan is told. */
export interface ScanRequest {
  readonly type: "empresas" | "simples" | "estabelecimentos";
  /** The file of buckets that it makes. */
  readonly path: string;
  readonly partitions: number;
  readonly slotBytes: number;
  /** Leaves the CPF in names. */
  readonly keepCpf: boolean;
  /** Last day that counts as a date, in days since 1970-01-01. */
  readonly latestDay: number;
  /** Takes no instructions that not every processor has. */
  readonly portable: boolean;
  /** Reads texts as UTF-8 whether or not the file has its mark. */
  readonly utf8: boolean;
  /** Malformed rows that are left out and counted before one is refused. */
  readonly skipBadRows: number;
}

/** How a scan read the texts of a file, and what speaks for it; see src/dump/registrytext.ts. */
interface EncodingFound {
  readonly utf8: boolean;
  readonly right: number;
  readonly broken: number;
}

/** Extents of a file of buckets, in the order in which they lie in it. */
export interface ExtentLists {
  readonly buckets: Uint32Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** Codes of one kind by provisional number, and how many rows hold each. */
interface CodesMet {
  readonly codes: Uint32Array;
  readonly counts: Float64Array;
}

/** What a native scan found. */
export interface ScanFindings<Kind extends string> {
  readonly rowsIn: number;
  readonly rowsKept: number;
  readonly extents: ExtentLists;
  readonly codes: Readonly<Record<Kind, CodesMet>>;
  /** Rows per state and TOM code; empty but for establishments. */
  readonly places: Uint32Array;
  readonly encoding: EncodingFound;
  /** By the number of the rule. */
  readonly counts: Float64Array;
  /** The first rows that broke each rule, in order, with the bytes of the fields that did. */
  readonly examples: readonly {
    readonly rule: number;
    readonly line: number;
    readonly fields: readonly Buffer[];
  }[];
}

/**
 * A scan of one file. A file that is damaged is refused by an error with the code DUMP_REFUSED,
 * whose message begins with the line.
 */
export interface NativeScan<Kind extends string> {
  /** Takes a piece. */
  push(piece: Uint8Array): void;
  /** Ends the file; the scan is over. */
  finish(): ScanFindings<Kind>;
  /** Lets go of memory and file; safe to call twice. */
  close(): void;
}

/** Spill records of establishments, and per kind of code the dictionary codes of its numbers. */
type EstablishmentSpill<Kind extends string> = Readonly<Record<Kind, Uint8Array>> & {
  readonly records: Uint8Array;
};

/** What a native join is told; see `JoinContext` in src/ingest/join.ts. */
export interface JoinInput<Kind extends string> {
  /** Null when the rows already hold what their company gives them. */
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
  /** CNPJs of 14 bytes, ascending; null when no list was imported. */
  readonly sanctioned: Uint8Array | null;
  readonly snapshotDay: number;
  /** Domains of public mail providers, a newline behind each. */
  readonly providers: Uint8Array;
}

/** A partition, and where its rows go. */
export interface JoinRequest<Kind extends string> extends JoinInput<Kind> {
  /** The file of buckets that it makes. */
  readonly path: string;
  readonly slotBytes: number;
  /** The last keys before each range but the first; scores are u16. */
  readonly splits: {
    readonly scores: Uint8Array;
    readonly roots: Float64Array;
    readonly rests: Uint32Array;
  };
  /** The file of e-mails and phones that it makes, in so many buckets. */
  readonly valuesPath: string;
  readonly valueBuckets: number;
}

/** Sort keys of rows: parallel lists. */
export interface SampledKeys {
  readonly scores: Uint32Array;
  readonly roots: Float64Array;
  readonly rests: Uint32Array;
}

/** What a native join found. */
export interface JoinFindings
  extends Pick<ScanFindings<string>, "extents" | "counts" | "examples"> {
  readonly values: ExtentLists;
  /** Numbers of active establishments that companies have, ascending. */
  readonly establishments: Uint32Array;
  readonly rows: number;
  readonly companies: number;
}

/** What counting is told: one bucket of every partition, in their order. */
export interface CountRequest {
  /** The file of corrections that it makes, in buckets by range. */
  readonly path: string;
  readonly ranges: number;
  readonly slotBytes: number;
  readonly entries: readonly Uint8Array[];
}

/** What counting found. */
export interface CountFindings {
  readonly extents: ExtentLists;
  /** Numbers of companies that values have, ascending. */
  readonly counts: Uint32Array;
}

/** Collects ordered row records into the buffers of one record batch. */
export interface NativeBatch {
  readonly rowCount: number;
  /** Appends the records that start at `starts` (bytes into `records`), in that order. */
  append(records: Uint8Array, starts: Uint32Array): void;
  /** Appends so many rows of a loaded range, from the `first` in rank order on. */
  appendRange(range: NativeRange, first: number, count: number): void;
  /** Buffers in column order; the batch is empty afterwards. */
  finish(): ColumnBuffers[];
  /**
   * Lengths of the buffers in column order, which stay in the addon for `writeSealed`; the batch is
   * empty afterwards. Refused while the buffers sealed before are not written.
   */
  seal(): ColumnBuffers<Sized>[];
  /** Writes the sealed buffers; rows may be appended meanwhile. Rejects as the system refuses. */
  writeSealed(request: SealedWrite): Promise<void>;
  /** Lets go of the memory; of what is being written when that is done. */
  close(): void;
}

/** Extents of a file of buckets that are read one behind the other. */
export interface FileExtents {
  readonly path: string;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** A range of the rank order: row records that another thread reads, corrects and orders. */
export interface NativeRange {
  /**
   * Takes the records out of the files, one file behind the other, whose room goes back to the
   * disk; `corrections` are those of `src/ingest/shared-values.ts`. Gives the number of rows.
   */
  load(rows: readonly FileExtents[], corrections: readonly FileExtents[]): Promise<number>;
  /** Lets go of the memory, if need be when it is loaded. */
  close(): void;
}

/** Where the sealed buffers of a batch go. */
interface SealedWrite {
  /** A file that is there; what lies between the parts is left as it is. */
  readonly path: string;
  /** Bytes before the buffers, and where they go. */
  readonly head: Uint8Array;
  readonly offset: number;
  /** Places of validity, offsets and data of every column; those of empty ones do not matter. */
  readonly places: Float64Array;
}
