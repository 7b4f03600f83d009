/**
 * One file of a release. What comes in: nothing. What goes out: what is known of it.
 * Invariant: a plain value, so that it can be passed to a worker thread.
 */
import type { PackedFile } from "./directory.ts";
import type { FileType } from "./layout.ts";

/** A file of the release: where its bytes are, and what they hold. */
export interface DumpMember extends PackedFile {
  readonly type: FileType;
  /** 0 to 9; null for the types that have one file. */
  readonly part: number | null;
  readonly token: string | null;
}
