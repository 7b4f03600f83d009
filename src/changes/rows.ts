/**
 * Renders entries of a change list as items of the JSON answer, or as rows of a file.
 * Invariant: `peneira diff` and exports share this code, so both write the same bytes for an entry.
 * A row of a file has the values of the newer snapshot if it has the account, else of the older
 * one. Rows of csv, html, xlsx, and jsonl are made here. src/export writes the rest of these files,
 * such as the header, and the Parquet files.
 */
import type { RowsRequest } from "../../native-index/napi/engine.ts";
import { guarded, type Segment } from "../search/segment.ts";
import { HEADINGS_PT } from "../spec/fields/headings.ts";
import { HEADINGS_EN } from "../spec/fields/headings-en.ts";
import { type LabelLanguage, valueWord } from "../spec/fields/words.ts";
import { OUTPUT_FIELD_NAMES, type OutputField } from "../spec/fields.ts";
import type { ChangeKind } from "./kinds.ts";
import type { ChangeList } from "./list.ts";
import type { ChangeEntry } from "./query.ts";

/** Columns before the fields in csv, html, xlsx, and Parquet files. */
export const CHANGE_COLUMNS = ["change", "changed_fields"] as const;

type ChangeValues = Readonly<Record<string, unknown>>;

/** A changed account in the JSON contract. */
export interface ChangeItem {
  readonly cnpj: string;
  readonly change: ChangeKind;
  readonly changed_fields: readonly string[];
  /** Values in the older snapshot, or null if it lacks the account. */
  readonly before: ChangeValues | null;
  /** Values in the newer snapshot, or null if it lacks the account. */
  readonly after: ChangeValues | null;
}

/** Options for rows of a file; see `RowsRequest`. */
export interface ChangeRowsOptions {
  readonly format: RowsRequest["format"];
  readonly fields: readonly string[];
  /** Language of a file for people. */
  readonly labels?: LabelLanguage | undefined;
  /** csv only; default comma. */
  readonly delimiter?: RowsRequest["delimiter"];
  /** For xlsx, number of the first row in its sheet. The default is 2, after the header. */
  readonly firstNumber?: number;
  /** Returns columns to append after the fields, with values for these rows. Not for jsonl. */
  readonly added?: (
    segment: Segment,
    rows: Uint32Array,
    entries: readonly ChangeEntry[],
  ) => RowsRequest["extra"];
}

/** Consecutive entries whose rows come from one snapshot. */
interface ChangeRun {
  readonly segment: Segment;
  readonly entries: readonly ChangeEntry[];
  /** A row of the segment per entry. */
  readonly rows: Uint32Array;
}

/** Returns the JSON items of entries: the requested fields, then the other changed fields. */
export function changeItems(
  list: ChangeList,
  entries: readonly ChangeEntry[],
  fields: readonly string[],
): ChangeItem[] {
  const names = fieldsToRead(entries, fields);
  const before = valuesOf(
    list.older,
    entries.map(({ rowOlder }) => rowOlder),
    names,
  );
  const after = valuesOf(
    list.newer,
    entries.map(({ rowNewer }) => rowNewer),
    names,
  );
  return entries.map(({ kind, changed }, i) => {
    const old = before[i] ?? null;
    const now = after[i] ?? null;
    const shown = [...fields, ...changed.filter((name) => !fields.includes(name))];
    return {
      cnpj: (now ?? old)?.cnpj as string,
      change: kind,
      changed_fields: changed,
      before: pick(old, shown),
      after: pick(now, shown),
    };
  });
}

/** Rows of a file for entries, in consecutive chunks. */
export function changeRows(
  list: ChangeList,
  entries: readonly ChangeEntry[],
  options: ChangeRowsOptions,
): Uint8Array[] {
  const { format, fields, labels, delimiter = ",", firstNumber = 2, added = () => [] } = options;
  if (format === "jsonl") return [jsonLines(list, entries, fields)];
  let number = firstNumber;
  return changeRuns(list, entries).map((run) => {
    const request = {
      format,
      fields,
      extra: [...changeCells(run.entries, labels), ...added(run.segment, run.rows, run.entries)],
      labels,
      leading: CHANGE_COLUMNS.length,
      delimiter,
      firstNumber: number,
    };
    number += run.rows.length;
    return guarded(() => run.segment.native.renderRows(run.rows, request));
  });
}

/** Returns the two columns before the fields. Commas separate the names of changed fields. */
function changeCells(
  entries: readonly ChangeEntry[],
  labels: LabelLanguage | undefined,
): RowsRequest["extra"] {
  const kinds = entries.map(({ kind }) => (labels ? valueWord(kind, labels) : kind));
  const headings = labels === "pt" ? HEADINGS_PT : HEADINGS_EN;
  const changed = entries.map((entry) =>
    labels ? entry.changed.map((name) => headings[name]).join(", ") : entry.changed.join(","),
  );
  return [
    { name: CHANGE_COLUMNS[0], kind: "text", values: kinds },
    { name: CHANGE_COLUMNS[1], kind: "text", values: changed },
  ];
}

/** Splits entries into runs. All entries of a run have their latest rows in the same snapshot. */
function changeRuns(list: ChangeList, entries: readonly ChangeEntry[]): ChangeRun[] {
  const runs: ChangeRun[] = [];
  for (let from = 0; from < entries.length; ) {
    const isGone = (entries[from] as ChangeEntry).rowNewer < 0;
    let to = from + 1;
    while (to < entries.length && (entries[to] as ChangeEntry).rowNewer < 0 === isGone) to++;
    const run = entries.slice(from, to);
    const rows = Uint32Array.from(run, (entry) => (isGone ? entry.rowOlder : entry.rowNewer));
    runs.push({ segment: isGone ? list.older : list.newer, entries: run, rows });
    from = to;
  }
  return runs;
}

function jsonLines(
  list: ChangeList,
  entries: readonly ChangeEntry[],
  fields: readonly string[],
): Uint8Array {
  const lines = changeItems(list, entries, fields).map((item) => `${JSON.stringify(item)}\n`);
  return Buffer.from(lines.join(""));
}

/** Returns the fields to read for the JSON items, without repeats. */
function fieldsToRead(entries: readonly ChangeEntry[], fields: readonly string[]): string[] {
  const changed = new Set<OutputField>(entries.flatMap((entry) => entry.changed));
  return OUTPUT_FIELD_NAMES.filter((name) => {
    return name === "cnpj" || fields.includes(name) || changed.has(name);
  });
}

/** Returns the values of a segment's rows, or null for row -1. */
function valuesOf(
  { native }: Segment,
  rows: readonly number[],
  fields: readonly string[],
): (ChangeValues | null)[] {
  const there = Uint32Array.from(rows.filter((row) => row >= 0));
  const bytes = guarded(() => native.renderJson(there, fields));
  const values = JSON.parse(Buffer.from(bytes).toString()) as ChangeValues[];
  let at = 0;
  return rows.map((row) => (row < 0 ? null : (values[at++] as ChangeValues)));
}

function pick(values: ChangeValues | null, names: readonly string[]): ChangeValues | null {
  return values && Object.fromEntries(names.map((name) => [name, values[name]]));
}
