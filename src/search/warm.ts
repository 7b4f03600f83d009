/**
 * Prepares a snapshot for its first queries: fills the system's file cache, builds code tables, and
 * maps the first pages.
 * Invariant: no answer changes. Yields to other work between steps. Only the cost of `readThrough`
 * grows with the registry.
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

/** Bytes per read. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** The first queries that run: the first page of all accounts, and of the accounts in one state. */
const FIRST = [{ filters: {} }, { filters: { geo: { uf_any_of: ["SP"] } } }];

/**
 * One query for each sort field, for the first accounts in that order. These queries count nothing.
 */
const SORTED = SORT_FIELDS.map((field) => ({ filters: {}, sort: [{ field, direction: "asc" }] }));

/** Reads a file into the page cache, off the main thread. Ends early when `ended` returns true. */
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
 * Runs the first queries on a segment, to prove that searches work. Reads the blocks of two pages,
 * regardless of the number of accounts. Throws like a search if the snapshot is damaged.
 */
export async function runFirstQueries(segment: Segment): Promise<void> {
  for (const question of FIRST) {
    const spec = specOf(question, segment);
    if (spec === null) continue;
    search(segment, { spec, fields: OUTPUT_FIELD_NAMES, afterRow: -1, explain: false });
    await setImmediate();
  }
}

/**
 * Warms a segment, with other work between its steps. Ends early if `ended` returns true. Throws
 * like a search if the snapshot is damaged. The cost of a step does not depend on the number of
 * accounts. A full count would read the whole registry, so the first request that needs it makes
 * it.
 */
export async function warm(segment: Segment, ended: () => boolean = () => false): Promise<void> {
  const lookup = catalogLookup(segment.catalog);
  const steps: (() => unknown)[] = [
    ...TABLES.map((table) => () => segment.codeOf(table, "")),
    () => lookup.cnae(""),
    () => lookup.legalNatures(""),
    () => lookup.municipalityByTom(""),
    () => runFirstQueries(segment),
    ...SORTED.map((question) => () => querySorted(segment, question)),
  ];
  for (const step of steps) {
    if (ended()) return;
    await step();
    await setImmediate();
  }
}

/** Selects the first page of an order off the main thread, because it reads from the disk. */
async function querySorted(segment: Segment, question: unknown): Promise<void> {
  const spec = specOf(question, segment);
  if (spec === null) return;
  await setImmediate();
  const { clauses, order, method, seed } = guarded(() => plan(segment, spec));
  const request = { clauses, order, method, seed, afterRow: -1, limit: spec.limit };
  await guarded(() => segment.native.selectAsync(request));
}

/** Returns the spec of a query; null if a small snapshot lacks one of its codes. */
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
