/**
 * Makes a snapshot ready for its first questions. What comes in: a file that will be opened, then
 * its segment. What goes out: the same ones, with their bytes in the memory of the system, code
 * tables built and what the first pages touch mapped.
 * Invariant: changes no answer; gives way to other work between its steps, so that a server keeps
 * answering meanwhile; nothing here but `readThrough` costs more in a larger registry.
 */
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { TABLES } from "../../native-index/format/columns.ts";
import { AppError } from "../errors.ts";
import type { Steps } from "../scheduling/steps.ts";
import { inTurns } from "../scheduling/turns.ts";
import { catalogLookup } from "../spec/catalog.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, SORT_FIELDS } from "../spec/fields.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { plan } from "./plan.ts";
import { search } from "./searcher.ts";
import { guarded, type Segment } from "./segment.ts";

/** Bytes that are read at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** What a start asks: the first page of all, and one of some; all fields of both. */
const FIRST = [{ filters: {} }, { filters: { geo: { uf_any_of: ["SP"] } } }];

/** The first accounts by each field; nothing is counted for them, whatever there is. */
const SORTED = SORT_FIELDS.map((field) => ({ filters: {}, sort: [{ field, direction: "asc" }] }));

/**
 * Reads a file from the disk without keeping anything, away from the thread that answers requests:
 * opening it then waits for nothing. Ends early when `ended` says so.
 */
export async function readThrough(path: string, ended: () => boolean): Promise<void> {
  const file = await open(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    while (!ended()) if ((await file.read(chunk, 0, CHUNK_BYTES)).bytesRead === 0) break;
  } finally {
    await file.close();
  }
}

/**
 * Asks a segment its first questions, by which it is known that searches are answered; costs the
 * blocks of two pages, of however many. Throws as a search does when the snapshot is damaged.
 */
export async function askFirst(segment: Segment): Promise<void> {
  for (const question of FIRST) {
    const spec = specOf(question, segment);
    if (spec === null) continue;
    search(segment, { spec, fields: OUTPUT_FIELD_NAMES, afterRow: -1, explain: false });
    await setImmediate();
  }
}

/**
 * Warms a segment, a step a turn; ends early when `ended` says so. Throws as a search does when the
 * snapshot is damaged.
 */
export async function warm(segment: Segment, ended: () => boolean = () => false): Promise<void> {
  await inTurns(warmSteps(segment), ended);
}

/**
 * The steps of it. What each costs depends on no number of accounts: a whole count of what one kind
 * of question matches reads all of a registry, and is left to whoever asks it.
 */
function* warmSteps(segment: Segment): Steps<void> {
  for (const table of TABLES) {
    segment.codeOf(table, "");
    yield;
  }
  const lookup = catalogLookup(segment.catalog);
  const lists = [
    () => lookup.cnae(""),
    () => lookup.legalNatures(""),
    () => lookup.municipalityByTom(""),
  ];
  for (const make of lists) {
    make();
    yield;
  }
  yield askFirst(segment);
  for (const question of SORTED) {
    const spec = specOf(question, segment);
    yield;
    if (spec === null) continue;
    const { clauses, order, method, seed } = guarded(() => plan(segment, spec));
    const request = { clauses, order, method, seed, afterRow: -1, limit: spec.limit };
    // Where the order lies on the disk takes time to read, which the loop need not wait for.
    yield guarded(() => segment.native.selectAside(request));
  }
}

/** The spec of a question; null where a small snapshot does not know a code of it. */
function specOf(question: unknown, { catalog }: Segment): AccountQuerySpec | null {
  try {
    return normalizeSpec(question, {
      catalog,
      limitDefault: 50,
      limitCap: 50,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      fullAllowed: false,
    }).spec;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
