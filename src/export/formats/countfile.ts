/**
 * Counts as a file. Input: all values of facets, and tables of two facets. Output: a CSV or XLSX
 * file with a line for each value and each pair of values with matches, or one table of two facets
 * with totals.
 * Invariant: the lines of a facet or a pair sum to the total, and so do the rows and columns of a
 * table. The same snapshot and spec give the same bytes. With labels, codes are words, and
 * Portuguese numbers have a comma. The second sheet of a workbook has snapshot and filters.
 */
import type { AllCounts, CrossCount, CrossTable } from "../../search/cross.ts";
import type { Segment } from "../../search/segment.ts";
import { type CountLayout, type FacetName, isTimeFacet } from "../../spec/facets.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { facetWord, inWords, type LabelTexts, TOTAL, valueWords } from "./countwords.ts";
import { describeFilters } from "./describe.ts";
import { describeWords } from "./describewords.ts";
import { type Grid, type GridCell, gridCsv, gridXlsx } from "./grid.ts";
import { registryNames } from "./names.ts";
import { type AboutRow, section } from "./source.ts";

interface CountFile {
  readonly counts: AllCounts;
  readonly labels: LabelLanguage | null;
  readonly layout: CountLayout;
  readonly segment: Segment;
  /** The spec that was counted. */
  readonly spec: AccountQuerySpec;
}

/** Columns of the first facet, of the second facet of a pair, and of the numbers, in this order. */
const COLUMNS = {
  first: ["facet", "value", "label"],
  second: ["facet_2", "value_2", "label_2"],
  last: ["count", "share"],
} as const;
const HEADINGS: Readonly<Record<string, LabelTexts>> = {
  facet: ["Campo", "Field"],
  value: ["Valor", "Value"],
  label: ["Descrição", "Description"],
  facet_2: ["Campo 2", "Field 2"],
  value_2: ["Valor 2", "Value 2"],
  label_2: ["Descrição 2", "Description 2"],
  count: ["Quantidade", "Count"],
  share: ["Parte do total", "Share of the total"],
};

/** Makes a CSV file of counts. */
export function countCsv(file: CountFile): Buffer {
  return gridCsv(gridOf(file), file.labels);
}

/** Makes a workbook with the lines on its first sheet. */
export function countXlsx(file: CountFile): Buffer {
  const { labels, segment, layout } = file;
  const sheets: LabelTexts = layout === "table" ? ["Tabela", "Table"] : ["Contagens", "Counts"];
  const sheet = inWords(sheets, labels ?? "en");
  const about = aboutOf(file);
  return gridXlsx(gridOf(file), { labels, sheet, date: segment.snapshotDate, about });
}

/** Returns the snapshot, its date, the fields, and the filters. */
function aboutOf({ counts, labels, segment, spec }: CountFile): AboutRow[] {
  const isPt = labels === "pt";
  const { total, facets, crosses } = counts;
  const { labels: _, ...plain } = spec.output;
  const output = labels === null ? plain : { ...plain, labels };
  const filters = describeFilters({ ...spec, output }, registryNames(segment));
  const named = (name: FacetName) => (labels === null ? name : facetWord(name, labels));
  const fields = [
    ...(Object.keys(facets) as FacetName[]).map(named),
    ...crosses.map(({ facets: [first, second] }) => `${named(first)} × ${named(second)}`),
  ];
  const date = describeWords(labels ?? undefined).day(segment.snapshotDate);
  const source: readonly (readonly [LabelTexts, string])[] = [
    [["Base de dados", "Snapshot"], segment.label],
    [["Data de referência", "Reference date"], date],
    [["Estabelecimentos contados", "Accounts counted"], String(total)],
  ];
  const word = (words: LabelTexts) => inWords(words, labels ?? "en");
  return [
    ...section(isPt ? "Origem" : "Source", [
      ...source.map(([label, value]) => ({ label: word(label), values: [value] })),
      ...(fields.length === 0 ? [] : [{ label: word(["Campos", "Fields"]), values: fields }]),
    ]),
    ["", ""],
    ...section(isPt ? "Filtros" : "Filters", filters),
    ...(filters.length === 0 ? [[word(["Nenhum", "None"]), ""] as const] : []),
  ];
}

function gridOf(file: CountFile): Grid {
  const [cross] = file.counts.crosses;
  if (file.layout === "table" && cross !== undefined) return tableOf(cross, file);
  const { first, second, last } = COLUMNS;
  const names = [...first, ...(cross === undefined ? [] : second), ...last];
  const { labels } = file;
  const headings = names.map((name) => {
    return labels === null ? name : inWords(HEADINGS[name] as LabelTexts, labels);
  });
  return { headings, lines: [...linesOf(file)] };
}

/** Returns the table of a pair: a line for each value of the first facet, then the totals. */
function tableOf(
  { facets: [first, second], rows, columns, counts: cells }: CrossTable,
  { counts: { total }, labels }: CountFile,
): Grid {
  const down = inOrder(first, rows);
  const across = inOrder(second, columns);
  const name = (facet: FacetName, one: Value) => {
    if (labels === null) return one.value === null ? "null" : String(one.value);
    return valueWords(facet, one, labels) || String(one.value);
  };
  const corner =
    labels === null
      ? `${first}*${second}`
      : `${facetWord(first, labels)} × ${facetWord(second, labels)}`;
  const totalName = labels === null ? "total" : inWords(TOTAL, labels);
  const lines = down.map(({ at, one }) => {
    const own = cells[at] as readonly number[];
    return [name(first, one), ...across.map((column) => own[column.at] as number), one.count];
  });
  return {
    headings: [corner, ...across.map(({ one }) => name(second, one)), totalName],
    lines: [...lines, [totalName, ...across.map(({ one }) => one.count), total]],
  };
}

/** Yields the total, then the values of facets, then the pairs. */
function* linesOf({ counts, labels }: CountFile): Generator<readonly GridCell[]> {
  const { total, facets, crosses } = counts;
  const isPaired = crosses.length > 0;
  const line = (first: readonly string[], second: readonly string[], count: number): GridCell[] => {
    const share = total === 0 ? 0 : Math.round((count / total) * 1e6) / 1e6;
    return [...first, ...(isPaired ? second : []), count, share];
  };
  const none = ["", "", ""];
  yield line([labels === null ? "total" : inWords(TOTAL, labels), "", ""], none, total);
  for (const [key, { values, missing }] of Object.entries(facets)) {
    const name = key as FacetName;
    for (const { one } of inOrder(name, values)) {
      yield line(valueCells(name, one, labels), none, one.count);
    }
    if (missing > 0) yield line(valueCells(name, { value: null }, labels), none, missing);
  }
  for (const { facets: pair, rows, columns, counts: cells } of crosses) {
    const [first, second] = pair;
    const across = columns.map((one) => valueCells(second, one, labels));
    for (const [at, row] of rows.entries()) {
      const own = valueCells(first, row, labels);
      for (const [by, count] of (cells[at] as readonly number[]).entries()) {
        if (count > 0) yield line(own, across[by] as readonly string[], count);
      }
    }
  }
}

type Value = Omit<CrossCount, "count">;

/**
 * Returns values with their indexes in `values`. Values of time are sorted by time, and others by
 * count. Matches without a value come last.
 */
export function inOrder<One extends Value>(
  name: FacetName,
  values: readonly One[],
): readonly { readonly one: One; readonly at: number }[] {
  const placed = values.map((one, at) => ({ one, at }));
  if (!isTimeFacet(name)) return placed;
  const key = ({ value }: Value) => (value === null ? "~" : String(value));
  return placed.sort((a, b) => (key(a.one) < key(b.one) ? -1 : 1));
}

/** Returns facet, value as in filters, and the value's name. With labels, all three are words. */
export function valueCells(
  name: FacetName,
  one: Value,
  labels: LabelLanguage | null,
): readonly string[] {
  const value = one.value === null ? "" : String(one.value);
  if (labels === null) return [name, value, one.label ?? ""];
  return [facetWord(name, labels), value, valueWords(name, one, labels)];
}
