/**
 * Opens whatever a person points at. What comes in: a path to a snapshot, or to a plain Arrow file
 * with the documented columns. What goes out: an opened segment.
 * Invariant: a plain file is ranked and indexed first, out of sight, and answers the same; its
 * temporary index is gone when the segment is closed.
 */
import { isIndexed } from "../../../native-index/format/snapshot/footer.ts";
import { openSegment, type Segment } from "../../search/segment.ts";

/** Opens a snapshot, indexing a plain Arrow file at boot; throws `CommandError` when refused. */
export async function openAnySegment(path: string): Promise<Segment> {
  if (isIndexed(path)) return openSegment(path);
  // Loaded only here, because it takes a third of the time in which a server starts.
  const { indexPlainArrow } = await import("./plain.ts");
  const indexed = await indexPlainArrow(path);
  const segment = await openSegment(indexed.path).catch((error: unknown) => {
    indexed.cleanup();
    throw error;
  });
  const close = () => {
    segment.close();
    indexed.cleanup();
  };
  return { ...segment, close };
}
