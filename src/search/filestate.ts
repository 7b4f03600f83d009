/**
 * Whether a file was written to. What comes in: what the system knew of it at two moments. What
 * goes out: whether its bytes may be others now.
 * Invariant: the time of the last write can be given back, the time of the last change (ctime)
 * cannot. It also changes when the file gets or loses a name, as each pin of an export does; that
 * alone writes nothing, and shows in the number of names.
 */
import type { FileState } from "../../native-index/napi/engine.ts";

/** Whether something happened between two looks that may have changed the bytes. */
export function wasTouched(before: FileState, now: FileState): boolean {
  if (before.inode !== now.inode) return true;
  if (before.size !== now.size || before.modifiedNs !== now.modifiedNs) return true;
  return before.changedNs !== now.changedNs && before.links === now.links;
}
