/**
 * What comes in: a spec as sent and its normalized form. What goes out: the list of differences,
 * one per altered member, for a person who edits specs by hand.
 * Invariant: a normalized spec compared with its own normalization has no differences; the order
 * is that of the normalized spec.
 */
import { isJsonObject, type JsonObject, pointerToken } from "./reader.ts";

/** One thing that normalization altered. */
export interface NormalizationNote {
  /** RFC 6901 pointer into the request body. */
  readonly pointer: string;
  /** What was sent; absent where nothing was. */
  readonly from?: unknown;
  /** What it became; absent where an unused extension was left out. */
  readonly to?: unknown;
  /** The same as a sentence. */
  readonly detail: string;
}

/** Lists what differs between an accepted input and its normalized form. */
export function describeChanges(
  input: unknown,
  spec: unknown,
  pointer: string,
): NormalizationNote[] {
  const changes: NormalizationNote[] = [];
  compare(input, spec, pointer, changes);
  return changes;
}

/** Compares one value; objects member by member, everything else as a whole. */
function compare(from: unknown, to: unknown, pointer: string, changes: NormalizationNote[]): void {
  if (from === undefined) {
    changes.push({ pointer, to, detail: `${pointer} was missing and got its default.` });
  } else if (to === undefined) {
    changes.push({ pointer, from, detail: `${pointer} changes nothing and was left out.` });
  } else if (isJsonObject(from) && isJsonObject(to)) {
    compareMembers(from, to, pointer, changes);
  } else if (JSON.stringify(from) !== JSON.stringify(to)) {
    changes.push({ pointer, from, to, detail: `${pointer} was rewritten in normal form.` });
  }
}

/** Compares the members of two objects, those of the normalized one first. */
function compareMembers(
  from: JsonObject,
  to: JsonObject,
  pointer: string,
  changes: NormalizationNote[],
): void {
  const names = new Set([...Object.keys(to), ...Object.keys(from)]);
  for (const name of names) {
    compare(from[name], to[name], `${pointer}/${pointerToken(name)}`, changes);
  }
}
