/**
 * Makes a snapshot ready for its first questions. What comes in: a file that will be opened, then
 * its segment. What goes out: the same ones, with their bytes in the memory of the system, code
 * tables built and the pages of common queries mapped.
 * Invariant: changes no answer; gives way to other work between its steps, so that a server that
 * takes over a new snapshot keeps answering meanwhile.
 */
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { TABLES } from "../../native-index/format/columns.ts";
import { AppError } from "../errors.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, SORT_FIELDS } from "../spec/fields.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { search } from "./searcher.ts";
import type { Segment } from "./segment.ts";

/** Bytes that are read at a time. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** Questions of every kind; what they match does not matter. */
const QUESTIONS: readonly unknown[] = [
  { filters: { geo: { uf_any_of: ["SP"] } } },
  {
    filters: {
      industry: { cnae_any_of: ["G"], text_hints: ["comercio"] },
      company: {
        registration_status_any_of: [2],
        started_after: "2020",
        legal_nature_any_of: ["2"],
      },
      contact: { require_any_contact: true },
    },
  },
  ...SORT_FIELDS.map((field) => ({
    filters: { geo: { uf_any_of: ["SP"], municipality_ibge_any_of: ["3550308"] } },
    sort: [{ field, direction: "asc" }],
  })),
];

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

/** Warms a segment. Throws as a search does when the snapshot is damaged. */
export async function warm(segment: Segment): Promise<void> {
  for (const table of TABLES) {
    segment.codeOf(table, "");
    await setImmediate();
  }
  for (const question of QUESTIONS) {
    const spec = specOf(question, segment);
    await setImmediate();
    if (spec === null) continue;
    search(segment, { spec, fields: OUTPUT_FIELD_NAMES, afterRow: -1, explain: false });
    await setImmediate();
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
