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
 * Warms a segment, with a turn of the event loop after each step; ends early when `ended` returns
 * true. Throws as a search does when the snapshot is damaged. What each step costs depends on no
 * number of accounts: a whole count of what one kind of question matches reads all of a registry,
 * and is left to the first request that needs it.
 */
export async function warm(segment: Segment, ended: () => boolean = () => false): Promise<void> {
  const lookup = catalogLookup(segment.catalog);
  const steps: (() => unknown)[] = [
    ...TABLES.map((table) => () => segment.codeOf(table, "")),
    () => lookup.cnae(""),
    () => lookup.legalNatures(""),
    () => lookup.municipalityByTom(""),
    () => askFirst(segment),
    ...SORTED.map((question) => () => askSorted(segment, question)),
  ];
  for (const step of steps) {
    if (ended()) return;
    await step();
    await setImmediate();
  }
}

/** Selects a first page in an order of its own, off the main thread: it is read from the disk. */
async function askSorted(segment: Segment, question: unknown): Promise<void> {
  const spec = specOf(question, segment);
  if (spec === null) return;
  await setImmediate();
  const { clauses, order, method, seed } = guarded(() => plan(segment, spec));
  const request = { clauses, order, method, seed, afterRow: -1, limit: spec.limit };
  await guarded(() => segment.native.selectAside(request));
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
