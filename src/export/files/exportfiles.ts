/**
 * The files of finished exports, wherever they are kept. diskfiles.ts keeps them on the local disk,
 * storedfiles.ts on a store.
 * Invariant: a file has its final name only when it is whole and durable. A file that was put is
 * not changed later. Renders always write to the local disk first, so the checks of free space
 * count there.
 */
import type { Readable } from "node:stream";

/** The stored values that name an export's file. */
export interface StoredFile {
  readonly id: string;
  readonly format: string;
  readonly compression: string | null;
}

/** A file with the facts of its render. */
export interface FinishedFile extends StoredFile {
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** An export's row, which has the facts of its file once it is done. */
export interface RecordedFile extends StoredFile {
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
}

/** A request for the bytes of a file. */
export interface FileRequest {
  readonly method: "GET" | "HEAD";
  /** Bytes that the client wants; the whole file if it names none. */
  readonly offset: number;
  readonly length: number;
  /** Headers that the answer needs. */
  readonly type: string;
  readonly disposition: string;
  /** Longest life of an address that is handed out, in seconds. */
  readonly seconds: number;
}

/** The bytes of a file, or where they are. */
export type OpenedFile =
  /** An open descriptor, which the caller closes. */
  | { readonly kind: "disk"; readonly descriptor: number }
  /** The requested bytes, which the caller reads or destroys. */
  | { readonly kind: "stream"; readonly bytes: Readable }
  /** An address that answers the client's request for a short time. */
  | { readonly kind: "redirect"; readonly address: string };

/** State of the store of files. */
export interface FilesState {
  /** False if the store does not answer. */
  readonly up: boolean;
  /** Answered and unanswered requests to the store, by operation. */
  readonly requests: ReadonlyMap<string, { readonly ok: number; readonly failed: number }>;
  readonly uploadedBytes: number;
  /** Objects and uploads without an export that were removed. */
  readonly swept: number;
}

/** The files of finished exports. */
export interface ExportFiles {
  /**
   * Keeps a rendered file, which is at its local path; durable when it resolves. Rejects with
   * `FilesUnavailable` if it gave up, and with the reason of the signal.
   */
  put(file: FinishedFile, signal: AbortSignal): Promise<void>;
  /** Called once the export of a file that was put is done, durably. */
  settle(file: FinishedFile): void;
  /** True if the file of a done export is known to be gone, so that it has to be rendered again. */
  isLost(file: RecordedFile): boolean;
  /** Opens a file. Rejects with `FilesUnavailable`, or `ENOENT` if it does not exist. */
  open(file: FinishedFile, wanted: FileRequest): Promise<OpenedFile>;
  /** Removes only what this server has of a file: another one has taken over its export. */
  abandon(file: StoredFile): void;
  /** Removes a file. Throws if it could not, and is then called again. */
  remove(file: RecordedFile): void;
  /** Begins the periodic work. */
  start(): void;
  /** Returns the state of the store; null for the local disk. */
  state(): FilesState | null;
  close(): Promise<void>;
}

/** Thrown if the place of the files does not answer. */
export class FilesUnavailable extends Error {}
