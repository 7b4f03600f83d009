/**
 * The files of finished exports, wherever they are stored: diskfiles.ts uses the local disk,
 * storedfiles.ts an object store.
 * Invariant: a file has its final name only when it is whole and durable. Stored files never
 * change. Renders always write to the local disk first, so free space is checked there.
 */
import type { Readable } from "node:stream";

/** The values that determine the name of an export's file. */
export interface StoredFile {
  readonly id: string;
  readonly format: string;
  readonly compression: string | null;
}

/** A file with size and hash from its render. */
export interface FinishedFile extends StoredFile {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** An export's row; size and hash are set once it is done. */
export interface RecordedFile extends StoredFile {
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
}

/** A request for the bytes of a file. */
export interface FileRequest {
  readonly method: "GET" | "HEAD";
  /** Range of bytes that the client requests. By default, it is the whole file. */
  readonly offset: number;
  readonly length: number;
  /** Headers that the answer needs. */
  readonly type: string;
  readonly disposition: string;
  /** Max lifetime of a redirect address, in seconds. */
  readonly seconds: number;
}

/** The bytes of a file, or a redirect to them. */
export type OpenedFile =
  /** An open descriptor, which the caller closes. */
  | { readonly kind: "disk"; readonly descriptor: number }
  /** The requested bytes, which the caller reads or destroys. */
  | { readonly kind: "stream"; readonly bytes: Readable }
  /** An address that answers the client's request for a short time. */
  | { readonly kind: "redirect"; readonly address: string };

/** State of the object store. */
export interface FilesState {
  /** False if the store does not answer. */
  readonly up: boolean;
  /** Numbers of answered and unanswered requests to the store, by operation. */
  readonly requests: ReadonlyMap<string, { readonly ok: number; readonly failed: number }>;
  readonly uploadedBytes: number;
  /** Number of removed objects and uploads that belonged to no export. */
  readonly swept: number;
}

/** A file that a client has sent for an export. */
export interface SentObject {
  readonly id: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Keeps sent files where all servers can read them, because any server may render exports. */
export interface SharedSentFiles {
  /** Copies the local file. Rejects with `FilesUnavailable`, or with the signal's reason. */
  put(file: SentObject, signal: AbortSignal): Promise<void>;
  /**
   * Fetches a file to its local path. Rejects with `FilesUnavailable`, `SentFileMissing`, the
   * signal's reason, or an error of the disk.
   */
  fetch(file: SentObject, signal: AbortSignal): Promise<void>;
  /** Removes the copy, now or later. */
  remove(file: SentObject): void;
}

/** The files of finished exports. */
export interface ExportFiles {
  /** Null if sent files are only on the server that has received them. */
  readonly sent: SharedSentFiles | null;
  /**
   * Stores a rendered file durably, from its local path. Rejects with `FilesUnavailable` if it
   * gives up, or with the signal's reason.
   */
  put(file: FinishedFile, signal: AbortSignal): Promise<void>;
  /** Called once the state has durably recorded that the export of a stored file is done. */
  settle(file: FinishedFile): void;
  /** True if a done export's file is known to be missing. It must then be rendered again. */
  isLost(file: RecordedFile): boolean;
  /** Opens a file. Rejects with `FilesUnavailable`, or `ENOENT` if it does not exist. */
  open(file: FinishedFile, wanted: FileRequest): Promise<OpenedFile>;
  /** Removes only this server's copy, because another server has taken over the export. */
  abandon(file: StoredFile): void;
  /** Removes a file. If this throws, the caller tries again later. */
  remove(file: RecordedFile): void;
  /** Begins the periodic work. */
  start(): void;
  /** Returns the state of the store, or null for the local disk. */
  state(): FilesState | null;
  close(): Promise<void>;
}

/** Thrown if the store does not answer. */
export class FilesUnavailable extends Error {}

/** Thrown if the store has no copy of a sent file. */
export class SentFileMissing extends Error {}
