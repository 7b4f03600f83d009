/**
 * Entries of a change list as people and programs read them. What comes in: entries of an answer
 * and the wanted output fields. What goes out: the items of the JSON contract, or rows of a file.
 * Invariant: `peneira diff` and exports take their bytes from here, so both write the same ones; a
 * row of a file holds the values of the newer snapshot where the account is in it, else the older.
 *
 * Who owns what: the rows of csv, html, xlsx and jsonl are made here; what stands around them
 * (header, frame, Parquet) belongs to src/export. `changeRuns` is for whoever needs rows himself.
 */
import type { RowsRequest } from "../../native-index/napi/engine.ts";
import { guarded, type Segment } from "../search/segment.ts";
import { HEADINGS_EN, HEADINGS_PT } from "../spec/fields/headings.ts";
import { type LabelLanguage, valueWord } from "../spec/fields/words.ts";
import { OUTPUT_FIELD_NAMES, type OutputField } from "../spec/fields.ts";
import type { ChangeKind } from "./kinds.ts";
import type { ChangeList } from "./list.ts";
import type { ChangeEntry } from "./query.ts";

/** Columns that stand before the fields in csv, html, xlsx and Parquet files. */
export const CHANGE_COLUMNS = ["change", "changed_fields"] as const;

/** Values of an account by field. */
type ChangeValues = Readonly<Record<string, unknown>>;

/** One account of an answer, as JSON shows it. */
export interface ChangeItem {
  readonly cnpj: string;
  readonly change: ChangeKind;
  readonly changed_fields: readonly string[];
  /** Null when the account is not in the older snapshot at all. */
  readonly before: ChangeValues | null;
  /** Null when the account is not in the newer snapshot at all. */
  readonly after: ChangeValues | null;
}

/** How rows of a file are wanted; see `RowsRequest`. */
export interface ChangeRowsOptions {
  readonly format: RowsRequest["format"];
  readonly fields: readonly string[];
  /** Language of a file for people. */
  readonly labels?: LabelLanguage | undefined;
  /** csv; a comma where not given. */
  readonly delimiter?: RowsRequest["delimiter"];
  /** xlsx: number of the first row in its sheet; 2 (behind the header) where not given. */
  readonly firstNumber?: number;
}

/** Consecutive entries whose rows come from one snapshot. */
interface ChangeRun {
  readonly segment: Segment;
  readonly entries: readonly ChangeEntry[];
  /** A row of the segment per entry. */
  readonly rows: Uint32Array;
}

/** The items of entries: the wanted fields, then those of the changed ones that are not wanted. */
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

/** Rows of a file for entries, in pieces that belong one behind the other. */
export function changeRows(
  list: ChangeList,
  entries: readonly ChangeEntry[],
  options: ChangeRowsOptions,
): Uint8Array[] {
  const { format, fields, labels, delimiter = ",", firstNumber = 2 } = options;
  if (format === "jsonl") return [jsonLines(list, entries, fields)];
  let number = firstNumber;
  return changeRuns(list, entries).map((run) => {
    const request = {
      format,
      fields,
      extra: changeCells(run.entries, labels),
      labels,
      leading: CHANGE_COLUMNS.length,
      delimiter,
      firstNumber: number,
    };
    number += run.rows.length;
    return guarded(() => run.segment.native.renderRows(run.rows, request));
  });
}

/** The two columns before the fields; several changed fields are one cell, like activities. */
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

/** Splits entries where the snapshot changes that holds their latest row. */
function changeRuns(list: ChangeList, entries: readonly ChangeEntry[]): ChangeRun[] {
  const runs: ChangeRun[] = [];
  for (let from = 0; from < entries.length; ) {
    const gone = (entries[from] as ChangeEntry).rowNewer < 0;
    let to = from + 1;
    while (to < entries.length && (entries[to] as ChangeEntry).rowNewer < 0 === gone) to++;
    const run = entries.slice(from, to);
    const rows = Uint32Array.from(run, (entry) => (gone ? entry.rowOlder : entry.rowNewer));
    runs.push({ segment: gone ? list.older : list.newer, entries: run, rows });
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

/** What has to be read for the items, each field once. */
function fieldsToRead(entries: readonly ChangeEntry[], fields: readonly string[]): string[] {
  const changed = new Set<OutputField>(entries.flatMap((entry) => entry.changed));
  return OUTPUT_FIELD_NAMES.filter((name) => {
    return name === "cnpj" || fields.includes(name) || changed.has(name);
  });
}

/** Values of rows of a segment, null for row -1. */
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
