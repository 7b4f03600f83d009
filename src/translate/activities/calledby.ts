/**
 * What activities are called. What comes in: names by code, made when the program is built, or from
 * the lexicon where it runs from its sources. What goes out: the same, as a map.
 * Invariant: names stand as the lexicon writes them. Apart because a program that is built has
 * these as text, and no entries.
 */
import { type CalledBy, entryNamesByCode } from "./lexiconentries.ts";

/** Pairs as JSON, which the bundler puts in (src/executable/bundle.mjs). */
declare const BUILD_NAMES: string | undefined;
const NAMES = typeof BUILD_NAMES === "string" ? BUILD_NAMES : "";

/** What every code, prefix or section is called. */
export function namesByCode(): ReadonlyMap<string, CalledBy> {
  if (typeof BUILD_NAMES !== "string") return entryNamesByCode();
  return new Map(JSON.parse(NAMES) as (readonly [code: string, CalledBy])[]);
}
