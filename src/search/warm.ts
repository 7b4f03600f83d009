/**
 * Takes a segment through its first uses. What comes in: a segment just opened. What goes out: the
 * same one, with its code tables built and the pages of common queries in memory.
 * Invariant: changes no answer; gives way to other work between its steps, so that a server that
 * takes over a new snapshot keeps answering meanwhile.
 */
import { setImmediate } from "node:timers/promises";
import { TABLES } from "../../native-index/columns.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, SORT_FIELDS } from "../spec/fields.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { search } from "./searcher.ts";
import type { Segment } from "./segment.ts";

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

/** Warms a segment. Throws as a search does when the snapshot is damaged. */
export async function warm(segment: Segment): Promise<void> {
  for (const table of TABLES) {
    segment.codeOf(table, "");
    await setImmediate();
  }
  for (const question of QUESTIONS) {
    const { spec } = normalizeSpec(question, {
      catalog: segment.catalog,
      limitDefault: 50,
      limitCap: 50,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      fullAllowed: false,
    });
    await setImmediate();
    search(segment, { spec, fields: OUTPUT_FIELD_NAMES, afterRow: -1, explain: false });
    await setImmediate();
  }
}
