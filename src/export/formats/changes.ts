/**
 * Exports of changes. Input: an opened list with the requested kinds and fields, and batches of
 * changes. Output: the bytes of the file in every format, and its number of rows.
 * Invariant: the bytes depend only on both snapshots and the options. `peneira diff` writes the
 * same csv and jsonl, because both come from src/changes/rows.ts.
 */

import { changeColumnsOf } from "../../changes/columns.ts";
import { comparedCells, comparedGroups, comparedNames } from "../../changes/compared.ts";
import type { ChangeKind } from "../../changes/kinds.ts";
import type { ChangeList } from "../../changes/list.ts";
import {
  type ChangeEntry,
  type ChangeQuery,
  changeBatches,
  changeTotals,
} from "../../changes/query.ts";
import { CHANGE_COLUMNS, type ChangeRowsOptions, changeRows } from "../../changes/rows.ts";
import type { OutputField } from "../../spec/fields.ts";
import { addedColumns } from "../../spec/presets.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import type { ExportFormat } from "../record.ts";
import { layoutCells } from "./explained.ts";
import { refuseTooManyRows } from "./format.ts";
import { htmlFrame } from "./html/html.ts";
import { columnsFile, parquetRenderer, ROW_GROUP_ROWS } from "./parquet/parquet.ts";
import { EntrySlices, type RenderContext, type Renderer } from "./renderer.ts";
import { csvHead } from "./text.ts";
import { ROWS_PER_CALL, XlsxRenderer } from "./xlsx/xlsx.ts";

/** The part of a list that is exported. */
export interface ChangesWork {
  readonly list: ChangeList;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly OutputField[];
}

/** Number of changes per call of the addon. */
const SLICE_ENTRIES = 2_048;

/** Makes the context of a file of changes. Counts the changes before anything is written. */
export async function changesContext(
  spec: AccountQuerySpec,
  changes: ChangesWork,
): Promise<RenderContext> {
  const { kinds, watch, list } = changes;
  const totals = await changeTotals(queryOf(spec, changes));
  const matches = kinds.reduce((sum, kind) => sum + totals[kind], 0);
  const rowCount = Math.min(matches, spec.limit);
  refuseTooManyRows(spec.output.format as ExportFormat, rowCount);
  const { newer: segment, older } = list;
  return { segment, spec, rowCount, matches, changes: { older, kinds, watch } };
}

/** Yields the changes of an export in batches, up to the limit. */
export async function* changeParts(
  spec: AccountQuerySpec,
  changes: ChangesWork,
): AsyncGenerator<readonly ChangeEntry[], void> {
  let left = spec.limit;
  for await (const batch of changeBatches(queryOf(spec, changes))) {
    yield batch.slice(0, left);
    left -= batch.length;
    if (left <= 0) return;
  }
}

function queryOf(spec: AccountQuerySpec, changes: ChangesWork): ChangeQuery {
  return { ...changes, spec };
}

/** Opens the renderer of a file of changes. */
export function openChangesRenderer(
  context: RenderContext,
  { list, watch }: ChangesWork,
  write: (bytes: Uint8Array) => void,
): Renderer<readonly ChangeEntry[]> {
  const { output } = context.spec;
  const { fields, labels } = output;
  const names = addedColumns(output.preset).map(({ name }) => name);
  const compared = { watch, groups: comparedGroups(context.spec, watch), labels };
  const columns = [
    ...[...CHANGE_COLUMNS, ...fields, ...names],
    ...compared.groups.flatMap(comparedNames),
  ];
  const added: ChangeRowsOptions["added"] = (segment, rows, entries) => [
    ...layoutCells(segment, output.preset, rows),
    ...comparedCells(list, entries, compared),
  ];
  const framed = (format: ChangeRowsOptions["format"], { head, tail }: Frame) => {
    const { delimiter = "," } = output;
    return framedRows({ head, tail }, write, (entries) =>
      changeRows(list, entries, { format, fields, labels, delimiter, added }),
    );
  };
  switch (output.format as ExportFormat) {
    case "csv":
      return framed("csv", { head: csvHead(columns, output), tail: "" });
    case "jsonl":
      return framed("jsonl", { head: "", tail: "" });
    case "html":
      return framed("html", htmlFrame(context, columns));
    case "xlsx": {
      const xml = (entries: readonly ChangeEntry[], firstNumber: number) =>
        changeRows(list, entries, { format: "xlsx", fields, labels, firstNumber, added });
      const slices = new EntrySlices(ROWS_PER_CALL);
      return new XlsxRenderer({ context, columns, slices, xml }, write);
    }
    case "parquet": {
      const slices = new EntrySlices(ROW_GROUP_ROWS);
      const fileOf = (entries: readonly ChangeEntry[]) =>
        columnsFile(list.newer, changeColumnsOf(list, entries, { fields, compared }));
      return parquetRenderer({ context, slices, fileOf }, write);
    }
  }
}

interface Frame {
  readonly head: string;
  readonly tail: string;
}

/** Renders rows inside a frame. One slice of rows is in memory at a time. */
function framedRows(
  { head, tail }: Frame,
  write: (bytes: Uint8Array) => void,
  render: (entries: readonly ChangeEntry[]) => Uint8Array[],
): Renderer<readonly ChangeEntry[]> {
  return {
    begin: () => write(Buffer.from(head)),
    rows(batch) {
      for (let from = 0; from < batch.length; from += SLICE_ENTRIES) {
        for (const part of render(batch.slice(from, from + SLICE_ENTRIES))) write(part);
      }
    },
    end: () => write(Buffer.from(tail)),
  };
}
