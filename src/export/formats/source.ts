/**
 * Where the rows of a file come from and what was asked for, in words. What comes in: the context
 * of an export. What goes out: labels with their values.
 * Invariant: every format that tells about itself tells the same; a file of changes names both
 * snapshots, the kinds and the watched fields.
 */
import type { ChangeKind } from "../../changes/kinds.ts";
import { valueWord } from "../../spec/fields/words.ts";
import { type DescriptionItem, describeFilters, describeLimit, describeSpec } from "./describe.ts";
import { describeWords } from "./describewords.ts";
import { columnLabel } from "./labels.ts";
import { registryNames } from "./names.ts";
import type { RenderContext } from "./renderer.ts";
import { toldLimit } from "./toldlimit.ts";

/** Describes snapshot, provenance and counts; `formatCount` writes a count as the format does. */
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
    [pt ? "Linhas deste arquivo" : "Rows in this file", formatCount(rowCount)],
    [matchesLabel(changes !== undefined, pt), formatCount(matches)],
  ];
  return items.map(([label, value]) => ({ label, values: [value] }));
}

function matchesLabel(areChanges: boolean, pt: boolean): string {
  if (areChanges) return pt ? "Estabelecimentos que mudaram" : "Accounts that changed";
  return pt ? "Estabelecimentos encontrados" : "Accounts that match";
}

/** Describes filters and order, of changes what is watched. */
export function describeAsked(context: RenderContext): DescriptionItem[] {
  const { segment, spec, changes } = context;
  const names = registryNames(segment);
  const limit = toldLimit(context);
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
