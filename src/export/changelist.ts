/**
 * The list that an export of changes goes through. What comes in: its path and both snapshots.
 * What goes out: the opened list, made first where it is missing or damaged.
 * Invariant: a list that was accepted with an export may be gone by the time it is rendered (the
 * folder is bounded, the disk is not ours alone); the same pair gives the same list.
 */
import { dirname } from "node:path";
import {
  type ChangeList,
  ChangeListError,
  makeChangeList,
  openChangeList,
} from "../changes/list.ts";
import type { Segment } from "../search/segment.ts";
import { openDataDir } from "../store/datadir.ts";
import { RenderCancelled } from "./render.ts";

/** Opens or makes a list; `ended` asks for an end. Throws `RenderCancelled` for that. */
export async function listOf(
  path: string,
  { older, newer }: { readonly older: Segment; readonly newer: Segment },
  ended: () => boolean,
): Promise<ChangeList> {
  try {
    return openChangeList(path, older, newer);
  } catch (error) {
    if (!(error instanceof ChangeListError)) throw error;
  }
  openDataDir(dirname(path));
  const aborted = new AbortController();
  const onProgress = () => {
    if (ended()) aborted.abort();
  };
  try {
    await makeChangeList(older, newer, path, { signal: aborted.signal, onProgress });
  } catch (error) {
    throw aborted.signal.aborted ? new RenderCancelled() : error;
  }
  return openChangeList(path, older, newer);
}
