/**
 * Turns counts by code into the tables of POST /v1/accounts/count. Input: the counts of the addon.
 * Output: the bytes of a file, or the JSON of the tables of two facets.
 * Invariant: it runs on the compute thread, because a table has up to two million cells. The counts
 * are moved there, and the bytes come back in shared memory, so neither is copied.
 */
import { countCsv, countXlsx } from "../../../export/formats/countfile.ts";
import { shareBytes } from "../../../process/tasks.ts";
import {
  type CodeCounts,
  type CrossTable,
  countsOf,
  type FacetRequest,
} from "../../../search/cross.ts";
import { FACET_VALUES_MAX } from "../../../search/facet.ts";
import type { CountLayout } from "../../../spec/facets.ts";
import type { LabelLanguage } from "../../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { Computation, ComputationContext } from "../../server/body.ts";
import type { Shape } from "../typed-answer.ts";
import type { FileFormat } from "./search-request.ts";

/** Counts by code, and the tables to make of them. */
export interface CountTablesTask {
  readonly request: FacetRequest;
  readonly codes: CodeCounts;
  /** The file to make, or null for JSON. */
  readonly file: {
    readonly format: FileFormat;
    readonly layout: CountLayout;
    readonly labels: LabelLanguage | null;
    readonly spec: AccountQuerySpec;
  } | null;
}

/** Makes a file of counts, or the tables of an answer as JSON. */
export const COUNT_TABLES: Computation<CountTablesTask, Uint8Array> = {
  name: "countTables",
  run({ request, codes, file }, segment) {
    const counts = countsOf(segment, request, codes);
    if (file === null) {
      const tables: Shape<"CountAnswer">["crosses"] = counts.crosses.map(cut);
      return shareBytes(Buffer.from(JSON.stringify(tables)));
    }
    const { format, ...own } = file;
    const written = { ...own, counts, segment };
    return shareBytes(format === "csv" ? countCsv(written) : countXlsx(written));
  },
};

/** Returns the memory of counts, to be moved to the compute thread, and its size. */
export function movedMemory(
  counted: readonly CodeCounts[],
): Pick<ComputationContext, "moved" | "size"> {
  const arrays = counted.flatMap(({ facets, pairs }) => [...facets, ...pairs]);
  // Groups of a comparison may have the same counts.
  const moved = [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))];
  return { moved, size: moved.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/** Returns the most frequent rows and columns of a table, with sums of the omitted ones. */
function cut({ facets, rows, columns, counts }: CrossTable) {
  const some = <Item>(items: readonly Item[]) => items.slice(0, FACET_VALUES_MAX);
  return {
    facets,
    rows: some(rows),
    columns: some(columns),
    counts: some(counts).map(some),
    other_rows: others(rows),
    other_columns: others(columns),
  };
}

function others(all: CrossTable["rows"]): { readonly values: number; readonly count: number } {
  const rest = all.slice(FACET_VALUES_MAX);
  return { values: rest.length, count: rest.reduce((sum, { count }) => sum + count, 0) };
}
