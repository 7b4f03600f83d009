/**
 * Turns counts by code into the tables of POST /v1/accounts/compare. Input: the counts of the
 * groups, of their bases, and of the whole snapshot. Output: the bytes of a file, or the JSON of
 * the facets.
 * Invariant: it runs on the compute thread, because four groups may have 80 facets in total. The
 * index of a value is 100 if its share in a group equals its share in the group's base.
 */
import {
  compareCsv,
  compareXlsx,
  type MeasuredValue,
} from "../../../export/formats/comparefile.ts";
import { shareBytes } from "../../../process/tasks.ts";
import { type ComparedCodes, type ComparedValue, comparedFacets } from "../../../search/cross.ts";
import { FACET_VALUES_MAX } from "../../../search/facet.ts";
import type { Segment } from "../../../search/segment.ts";
import type { FacetName } from "../../../spec/facets.ts";
import type { LabelLanguage } from "../../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { Computation } from "../../server/body.ts";
import type { Shape } from "../typed-answer.ts";
import type { FileFormat } from "./search-request.ts";

/** Counts by code, and the tables to make of them. */
export interface CompareTablesTask {
  readonly names: readonly FacetName[];
  readonly codes: ComparedCodes;
  /** For each group, the index of its snapshot: 0 for the served one, 1 for the first other. */
  readonly snapshots: readonly number[];
  /** The file to make, with the spec of each group. Null for JSON. */
  readonly file: {
    readonly format: FileFormat;
    readonly labels: LabelLanguage | null;
    readonly specs: readonly AccountQuerySpec[];
  } | null;
}

/** Makes a file of a comparison, or its facets as JSON. */
export const COMPARE_TABLES: Computation<CompareTablesTask, Uint8Array> = {
  name: "compareTables",
  run(task, segment, _payer, others = []) {
    const { names, codes, snapshots, file } = task;
    const all = [segment, ...others];
    const segments = snapshots.map((at) => all[at] as Segment);
    const valuesOf = comparedFacets(segment, segments, names, codes);
    const facets = names.map((name) => [name, measured(codes, valuesOf(name))] as const);
    if (file === null) return facetsJson(codes, facets);
    const { format, labels, specs } = file;
    const groups = specs.map((spec, at) => ({
      ...{ segment: segments[at] as Segment, spec },
      ...{ total: totalAt(codes.groups, at), base: totalAt(codes.bases, at) },
    }));
    const written = { labels, segment, groups, facets };
    return shareBytes(format === "csv" ? compareCsv(written) : compareXlsx(written));
  },
};

/** Adds the share and the index of each group to the values of a facet. */
function measured(
  { groups, bases }: ComparedCodes,
  values: readonly ComparedValue[],
): readonly MeasuredValue[] {
  return values.map((one) => ({
    ...one,
    shares: one.counts.map((count, at) => shareOf(count, totalAt(groups, at))),
    index: one.counts.map((count, at) => {
      const known = one.bases[at] as number;
      return indexOf(count, totalAt(groups, at), known, totalAt(bases, at));
    }),
  }));
}

function facetsJson(
  { groups }: ComparedCodes,
  facets: readonly (readonly [FacetName, readonly MeasuredValue[]])[],
): Uint8Array {
  const tables: Shape<"CompareAnswer">["facets"] = Object.fromEntries(
    facets.map(([name, values]) => [name, tableOf(values, groups.length)]),
  );
  return shareBytes(Buffer.from(JSON.stringify(tables)));
}

/** Returns the most frequent values of a facet, and the sums of all its other values. */
function tableOf(values: readonly MeasuredValue[], groups: number) {
  const rest = values.slice(FACET_VALUES_MAX);
  const counts = Array.from({ length: groups }, (_, at) =>
    rest.reduce((sum, one) => sum + (one.counts[at] as number), 0),
  );
  return {
    values: values.slice(0, FACET_VALUES_MAX),
    other: { values: rest.length, counts },
  };
}

function totalAt(counted: ComparedCodes["groups"], at: number): number {
  return counted[at]?.total as number;
}

function shareOf(count: number, total: number): number {
  return total === 0 ? 0 : Math.round((count / total) * 1e6) / 1e6;
}

/** Returns 100 × (share in the group) / (share in its base), or null for an empty group. */
function indexOf(count: number, total: number, known: number, base: number): number | null {
  if (total === 0 || known === 0 || base === 0) return null;
  return Math.round(((count * base) / (total * known)) * 1_000) / 10;
}
