/**
 * Renders one export into its file. What comes in: a segment, a spec, a path. What goes out: the
 * complete file under that path with its rows, size and SHA-256, or nothing under that path.
 * Invariant: the same snapshot and spec give the same bytes; memory does not grow with the rows;
 * the file appears under its name only when it is whole and durable.
 */
import type { Segment } from "../search/segment.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";

/** What to render. */
export interface RenderJob {
  readonly segment: Segment;
  /** Normalized in the mode `export`. */
  readonly spec: AccountQuerySpec;
  /** Final path; the folder must exist. A `<name>.<16 hex>.tmp` beside it is used meanwhile. */
  readonly path: string;
  /** Told after every batch. */
  readonly onProgress?: (rowsWritten: number, rowCount: number) => void;
  /** Asked between batches; true ends the work with `RenderCancelled`. */
  readonly cancelled?: () => boolean;
}

/** A finished file. */
export interface RenderedFile {
  readonly rowCount: number;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Thrown when `cancelled` said so; nothing is left behind. */
export class RenderCancelled extends Error {}

/** Renders an export. Rejects with the system's error (ENOSPC …) where writing fails. */
export function renderExport(_job: RenderJob): Promise<RenderedFile> {
  throw new Error("being written");
}
