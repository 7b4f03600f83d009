/**
 * The description that a file contains: title, source of the rows, filters and order, limit, and
 * the meaning of a workbook's columns. Input: the context of an export. Output: labels with their
 * values; for a workbook, rows of a label and a value.
 * Invariant: all formats have the same description. A file of changes names both snapshots, the
 * kinds, and the watched fields. A title is one line. A limit above the snapshot's number of
 * accounts is omitted: plans and commands set different such limits, which would make equal files
 * differ. In a sheet, a label precedes only the first of its values, and empty rows separate the
 * sections.
 */
import type { ChangeKind } from "../../changes/kinds.ts";
import type { Segment } from "../../search/segment.ts";
import { valueWord } from "../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { type DescriptionItem, describeFilters, describeLimit, describeSpec } from "./describe.ts";
import { describeWords } from "./describewords.ts";
import { columnLabel, headerCells } from "./labels.ts";
import { registryNames, stateName } from "./names.ts";
import type { RenderContext } from "./renderer.ts";

/** Describes snapshot, provenance, and counts; `formatCount` formats counts as the file does. */
export function describeSource(
  { segment, spec, rowCount, matches, changes }: RenderContext,
  formatCount: (count: number) => string,
): DescriptionItem[] {
  const { rfb_snapshot, ibge_population_year, ceis_as_of_date } = segment.provenance;
  const pt = spec.output.labels === "pt";
  const known = (text: string) =>
    text === "not_available" ? (pt ? "não disponível" : "not available") : text;
  const day = (iso: string) => describeWords(spec.output.labels).day(iso);
  const sanctionsAsOf = /^\d{4}-\d\d-\d\d$/.test(ceis_as_of_date)
    ? day(ceis_as_of_date)
    : known(ceis_as_of_date);
  const items: readonly (readonly [label: string, value: string])[] = [
    [pt ? "Base de dados" : "Snapshot", segment.label],
    [pt ? "Data de referência" : "Reference date", day(segment.snapshotDate)],
    ...(changes === undefined
      ? []
      : ([
          [pt ? "Comparada com" : "Compared with", changes.older.label],
          [
            pt ? "Data de referência dessa" : "Reference date of that",
            day(changes.older.snapshotDate),
          ],
        ] as const)),
    [pt ? "Publicação do cadastro (Receita Federal)" : "Registry release", rfb_snapshot],
    [pt ? "População do ano (IBGE)" : "Population of the year", known(ibge_population_year)],
    [pt ? "Sanções até (CEIS)" : "Sanctions as of", sanctionsAsOf],
    ...laterSources(segment.provenance, pt, day),
    [pt ? "Linhas deste arquivo" : "Rows in this file", formatCount(rowCount)],
    [matchesLabel(changes !== undefined, pt), formatCount(matches)],
  ];
  return items.map(([label, value]) => ({ label, values: [value] }));
}

/** Describes the optional lists that were imported. */
function laterSources(
  { cnep_as_of_date, cepim_as_of_date, pgfn_as_of_month, partners_snapshot }: Segment["provenance"],
  pt: boolean,
  day: (iso: string) => string,
): (readonly [label: string, value: string])[] {
  const named = [
    [pt ? "Punições até (CNEP)" : "Punishments as of (CNEP)", cnep_as_of_date],
    [pt ? "Impedidas até (CEPIM)" : "Barred as of (CEPIM)", cepim_as_of_date],
    [pt ? "Dívida ativa (PGFN)" : "Federal debts (PGFN)", pgfn_as_of_month],
    [pt ? "Empresas sócias" : "Corporate partners", partners_snapshot],
  ] as const;
  return named.flatMap(([label, value]) =>
    value === undefined ? [] : [[label, value.length === 10 ? day(value) : value] as const],
  );
}

function matchesLabel(areChanges: boolean, pt: boolean): string {
  if (areChanges) return pt ? "Estabelecimentos que mudaram" : "Accounts that changed";
  return pt ? "Estabelecimentos encontrados" : "Accounts that match";
}

/** Describes filters and order. For changes, kinds and watched fields replace the order. */
export function describeRequest(context: RenderContext): DescriptionItem[] {
  const { segment, spec, changes } = context;
  const names = registryNames(segment);
  const limit = limitText(context);
  if (changes === undefined) return describeSpec(spec, names, limit);
  const { labels } = spec.output;
  const words = describeWords(labels);
  const kindWord = (kind: ChangeKind) => (labels ? valueWord(kind, labels) : kind);
  const fieldWord = (field: string) => (labels ? columnLabel(field, { labels }).heading : field);
  return [
    ...describeFilters(spec, names),
    { label: words.changes, values: changes.kinds.map(kindWord) },
    ...(changes.watch.length === 0
      ? []
      : [{ label: words.watched, values: changes.watch.map(fieldWord) }]),
    { label: words.order, values: [words.byCnpj] },
    ...describeLimit(limit, labels),
  ];
}

/** If there are more states, only their number is shown. */
const STATES_NAMED_MAX = 3;

/** Returns the title of a file. */
export function titleOf({ filters, output }: AccountQuerySpec, segment: Segment): string {
  if (output.title !== undefined) return output.title;
  const pt = output.labels === "pt";
  const names = registryNames(segment);
  const { industry, geo } = filters;
  const withMore = (name: string, count: number) =>
    count === 1 ? name : pt ? `${name} e mais ${count - 1}` : `${name} and ${count - 1} more`;
  const [activity] = industry.cnae_any_of;
  const places = [...geo.municipality_ibge_any_of, ...geo.municipality_tom_any_of];
  const [place] = places;
  const parts = [
    ...(activity === undefined
      ? []
      : [withMore(names.activity(activity) ?? activity, industry.cnae_any_of.length)]),
    ...(place === undefined
      ? statesOf(geo.uf_any_of, pt)
      : [withMore(names.municipality(place) ?? place, places.length)]),
  ];
  if (parts.length > 0) return parts.join(", ");
  return pt ? "Estabelecimentos" : "Establishments";
}

function statesOf(ufs: readonly string[], pt: boolean): string[] {
  if (ufs.length === 0) return [];
  if (ufs.length > STATES_NAMED_MAX) return [`${ufs.length} ${pt ? "estados" : "states"}`];
  return [ufs.map((uf) => (uf === "EX" && pt ? "exterior" : (stateName(uf) ?? uf))).join(", ")];
}

/** Returns the limit, or null if the snapshot has fewer rows than the limit. */
export function limitText({
  segment,
  spec,
  changes,
}: Pick<RenderContext, "segment" | "spec" | "changes">): number | null {
  const rowsMax = segment.accounts + (changes?.older.accounts ?? 0);
  return spec.limit < rowsMax ? spec.limit : null;
}

/** A row of the sheet; label and value may be empty. */
export type AboutRow = readonly [label: string, value: string];

/** Describes an export, including the meaning of these columns. */
export function aboutRows(context: RenderContext, columns: readonly string[]): AboutRow[] {
  const { output } = context.spec;
  const pt = output.labels === "pt";
  const headings = headerCells(columns, output);
  const meanings = columns.map((name, i) => ({
    label: headings[i] ?? name,
    values: [columnLabel(name, output).sentence],
  }));
  return [
    // Counts have no thousands separators, because these depend on the reader's locale.
    ...(output.labels === undefined && output.title === undefined
      ? []
      : [[titleOf(context.spec, context.segment), ""] as const, ["", ""] as const]),
    ...section(pt ? "Origem" : "Source", describeSource(context, String)),
    ["", ""],
    ...section(pt ? "Filtros e ordem" : "Filters and order", describeRequest(context)),
    ["", ""],
    ...section(pt ? "O que as colunas significam" : "What the columns mean", meanings),
  ];
}

/** Returns the rows of a section: its title, then labels with their values. */
export function section(title: string, items: readonly DescriptionItem[]): AboutRow[] {
  const rows = items.flatMap(({ label, values }) =>
    values.map((value, i): AboutRow => [i === 0 ? label : "", value]),
  );
  return [[title, ""], ...rows];
}
