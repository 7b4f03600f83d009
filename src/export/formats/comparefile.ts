/**
 * A comparison of groups as a file. Input: every value of facets with its numbers in each group.
 * Output: a CSV or XLSX file with a line for the totals, one for the bases of the index, and one
 * for each value.
 * Invariant: the numbers equal those of the JSON answer, and no value is omitted. The second sheet
 * of a workbook names snapshot, base, and filters of each group.
 */
import type { ComparedValue } from "../../search/cross.ts";
import type { Segment } from "../../search/segment.ts";
import type { FacetName } from "../../spec/facets.ts";
import type { LabelLanguage } from "../../spec/fields/words.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { inOrder, valueCells } from "./countfile.ts";
import { inWords, type LabelTexts, TOTAL } from "./countwords.ts";
import { describeFilters } from "./describe.ts";
import { describeWords } from "./describewords.ts";
import { type Grid, type GridCell, gridCsv, gridXlsx } from "./grid.ts";
import { registryNames } from "./names.ts";
import { type AboutRow, section } from "./source.ts";

/** A value of a facet, with its share and its index in each group. */
export interface MeasuredValue extends ComparedValue {
  readonly shares: readonly number[];
  /** 100 if the group's share equals that of the base. Null in an empty group. */
  readonly index: readonly (number | null)[];
}

/** A group, and the accounts that form the base of its index. */
interface FileGroup {
  readonly segment: Segment;
  readonly spec: AccountQuerySpec;
  readonly total: number;
  readonly base: number;
}

interface CompareFile {
  readonly labels: LabelLanguage | null;
  /** The served snapshot with its accounts. */
  readonly segment: Segment;
  readonly groups: readonly FileGroup[];
  readonly facets: readonly (readonly [FacetName, readonly MeasuredValue[]])[];
}

const VALUE: Readonly<Record<string, LabelTexts>> = {
  facet: ["Campo", "Field"],
  value: ["Valor", "Value"],
  label: ["Descrição", "Description"],
  registry: ["Todo o cadastro", "Whole registry"],
};
const NUMBERS: Readonly<Record<string, LabelTexts>> = {
  count: ["Quantidade", "Count"],
  share: ["Parte do grupo", "Share of the group"],
  index: ["Índice", "Index"],
};
const BASE: LabelTexts = ["Base do índice", "Base of the index"];

/** Makes a CSV file. */
export function compareCsv(file: CompareFile): Buffer {
  return gridCsv(gridOf(file), file.labels);
}

/** Makes a workbook. */
export function compareXlsx(file: CompareFile): Buffer {
  const { labels, segment } = file;
  const sheet = inWords(["Comparação", "Comparison"], labels ?? "en");
  const about = aboutOf(file);
  return gridXlsx(gridOf(file), { labels, sheet, date: segment.snapshotDate, about });
}

function gridOf({ labels, segment, groups, facets }: CompareFile): Grid {
  const word = ([name, words]: [string, LabelTexts]) =>
    labels === null ? name : inWords(words, labels);
  const ofGroup = (at: number) =>
    Object.entries(NUMBERS).map((one) => {
      return labels === null ? `${one[0]}_${at + 1}` : `${word(one)} (${at + 1})`;
    });
  const summed = (name: string, registry: GridCell, cellsOf: (group: FileGroup) => GridCell[]) => {
    return [name, "", "", registry, ...groups.flatMap(cellsOf)];
  };
  return {
    headings: [...Object.entries(VALUE).map(word), ...groups.flatMap((_, at) => ofGroup(at))],
    lines: [
      summed(word(["total", TOTAL]), segment.accounts, ({ total }) => {
        return [total, total === 0 ? 0 : 1, ""];
      }),
      summed(word(["base", BASE]), "", ({ base }) => [base, "", ""]),
      ...facets.flatMap(([name, values]) =>
        inOrder(name, values).map(({ one }) => [
          ...valueCells(name, one, labels),
          one.registry,
          ...groups.flatMap((_, at): GridCell[] => numbersAt(one, at)),
        ]),
      ),
    ],
  };
}

function numbersAt({ counts, shares, index }: MeasuredValue, at: number): GridCell[] {
  return [counts[at] as number, shares[at] as number, index[at] ?? ""];
}

/** Returns a section for each group: snapshot, accounts, accounts in its base, and filters. */
function aboutOf({ labels, groups }: CompareFile): AboutRow[] {
  const language = labels ?? "en";
  const word = (words: LabelTexts) => inWords(words, language);
  return groups.flatMap(({ segment, spec, total, base }, at) => {
    const { labels: _, ...plain } = spec.output;
    const output = labels === null ? plain : { ...plain, labels };
    const filters = describeFilters({ ...spec, output }, registryNames(segment));
    const facts: readonly (readonly [LabelTexts, string])[] = [
      [["Base de dados", "Snapshot"], segment.label],
      [
        ["Data de referência", "Reference date"],
        describeWords(labels ?? undefined).day(segment.snapshotDate),
      ],
      [["Estabelecimentos contados", "Accounts counted"], String(total)],
      [BASE, String(base)],
    ];
    const items = [
      ...facts.map(([label, value]) => ({ label: word(label), values: [value] })),
      ...(filters.length > 0
        ? filters
        : [{ label: word(["Filtros", "Filters"]), values: [word(["Nenhum", "None"])] }]),
    ];
    const own = section(`${word(["Grupo", "Group"])} ${at + 1}`, items);
    return at === 0 ? own : [["", ""] as const, ...own];
  });
}
