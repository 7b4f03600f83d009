/**
 * Whether a file tells the limit of its spec. What comes in: the context of an export. What goes
 * out: the limit, or null.
 * Invariant: a limit that no answer of the snapshot can reach is not told. Nobody asked for it: it
 * is that of a plan or of the command, and with it the same rows would be another file from each of
 * them. Apart because every format that tells about itself asks.
 */
import type { RenderContext } from "./renderer.ts";

/** The limit, or null where it can cut nothing off. */
export function toldLimit({
  segment,
  spec,
  changes,
}: Pick<RenderContext, "segment" | "spec" | "changes">): number | null {
  const rowsMax = segment.accounts + (changes?.older.accounts ?? 0);
  return spec.limit < rowsMax ? spec.limit : null;
}
