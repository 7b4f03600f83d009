/**
 * What a workbook says about itself. What comes in: the context of an export. What goes out: rows
 * of a label and a value: where the data comes from, what was asked for, what the columns mean.
 * Invariant: the same words as on the HTML page; a label stands beside the first of its values
 * only; rows of an empty label and value part the sections.
 */
import type { DescriptionItem } from "../describe.ts";
import { columnLabel, headerCells } from "../labels.ts";
import type { RenderContext } from "../renderer.ts";
import { describeAsked, describeSource, titleOf } from "../source.ts";

/** A row of the sheet; both may be empty. */
export type AboutRow = readonly [label: string, value: string];

/** Describes an export whose file has these columns. */
export function aboutRows(context: RenderContext, columns: readonly string[]): AboutRow[] {
  const { output } = context.spec;
  const pt = output.labels === "pt";
  const headings = headerCells(columns, output);
  const meanings = columns.map((name, i) => ({
    label: headings[i] ?? name,
    values: [columnLabel(name, output).sentence],
  }));
  return [
    // Counts are plain digits, because thousands are parted differently where a file is opened.
    ...(output.labels === undefined && output.title === undefined
      ? []
      : [[titleOf(context.spec, context.segment), ""] as const, ["", ""] as const]),
    ...section(pt ? "Origem" : "Source", describeSource(context, String)),
    ["", ""],
    ...section(pt ? "Filtros e ordem" : "Filters and order", describeAsked(context)),
    ["", ""],
    ...section(pt ? "O que as colunas significam" : "What the columns mean", meanings),
  ];
}

function section(title: string, items: readonly DescriptionItem[]): AboutRow[] {
  const rows = items.flatMap(({ label, values }) =>
    values.map((value, i): AboutRow => [i === 0 ? label : "", value]),
  );
  return [[title, ""], ...rows];
}
