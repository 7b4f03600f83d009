/**
 * Shows two groups side by side: their totals, and for each value of a facet their count, share,
 * and index, as a chart and a table. Users can copy or save the table.
 * Invariant: chart, table, copy, and file have the same numbers, and the file has every value. The
 * index compares the share in a group with the share in its base, which is the accounts of its
 * snapshot with the status that all groups name. It is 100 if both shares are equal. The view and
 * the file name the base.
 */
import type { VNode } from "preact";
import type { FacetName } from "../../../spec/facets.ts";
import { list, month as monthName, number, percent } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { words } from "../app/words.ts";
import { differences } from "../exports/summary.ts";
import { catalog } from "../find/catalog.ts";
import { type Lines, tabbed } from "../find/charts/lines.ts";
import { factsOf, saveComparison } from "../find/charts/numbers.ts";
import { type Query, specOf } from "../find/question.ts";
import { Busy } from "../parts/busy.tsx";
import { Button, copyText } from "../parts/button.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { type FacetValue, usePost, valueName } from "./values.ts";

/** Max values in the chart; the table has all. */
const BARS_MAX = 12;

interface Base {
  readonly snapshot: string;
  readonly registration_status_any_of: readonly number[];
  readonly accounts: number;
}

/** `POST /accounts/compare`, as POST /v1/accounts/compare. */
interface CompareAnswer {
  readonly totals: readonly number[];
  readonly bases: readonly Base[];
  readonly facets: Readonly<
    Record<
      string,
      {
        readonly values: readonly {
          readonly value: FacetValue;
          readonly label?: string;
          readonly registry: number;
          readonly counts: readonly number[];
          readonly shares: readonly number[];
          readonly index: readonly (number | null)[];
        }[];
        readonly other: { readonly values: number; readonly counts: readonly number[] };
      }
    >
  >;
}

interface Row {
  readonly name: string;
  readonly counts: readonly number[];
  readonly shares: readonly number[];
  readonly index: readonly (number | null)[];
}

/** Shows the numbers of two groups. */
export function Compared({
  queries,
  month,
  facet,
}: {
  readonly queries: readonly Query[];
  /** Older month of the second group; null for the month that is served. */
  readonly month: string | null;
  readonly facet: FacetName;
}): VNode {
  const { compare } = lazyWords.value;
  const specs = queries.map((query) => specOf(query));
  const snapshots = month === null ? undefined : [null, month];
  const body = { specs, facets: [facet], snapshots };
  const { answer, error, retry } = usePost<CompareAnswer>("/accounts/compare", body);
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />;
  if (answer?.facets[facet] === undefined) return <Busy />;
  const rows = rowsOf(answer, facet);
  const groups = namesOf(queries, month === null ? [] : answer.bases);
  const bases = basesOf(answer);
  const lines = linesOf(rows, answer, compare.facetNames[facet], groups);
  const title = `${compare.title} ${compare.facetNames[facet]}`;
  const hint = compare.indexHint(list(bases.map(([name]) => name)));
  const facts = () => [...factsOf(title, ...specs), [hint]];
  const save = (format: "csv" | "xlsx") => () => {
    void saveComparison({ title, body, groups, facts: facts() }, format);
  };
  return (
    <>
      <Totals totals={answer.totals} bases={bases} groups={groups} />
      <Chart rows={rows} groups={groups} />
      <div class="compare-head">
        <h2>{compare.facetNames[facet]}</h2>
        <Button icon="copy" onClick={() => void copyText(tabbed(lines))}>
          {lazyWords.value.numbers.copy}
        </Button>
        <Button icon="file" onClick={save("csv")}>
          CSV
        </Button>
        <Button icon="table" onClick={save("xlsx")}>
          XLSX
        </Button>
      </div>
      <Table {...{ rows, groups }} totals={answer.totals} what={compare.facetNames[facet]} />
      <p class="field-hint">
        {hint} {answer.facets[facet].other.values > 0 && compare.fileHasAll}
      </p>
    </>
  );
}

/** Max length of the filters' text in a group's name. */
const NAME_MAX = 40;

/** Returns the name of each different base, with the number of its accounts. */
function basesOf({ bases }: CompareAnswer): (readonly [name: string, accounts: number])[] {
  const { compare } = lazyWords.value;
  const { statuses } = words.value.codes;
  const hasMonths = new Set(bases.map(({ snapshot }) => snapshot)).size > 1;
  const named = bases.map(({ snapshot, registration_status_any_of: statusCodes, accounts }) => {
    const status = list(statusCodes.map((code) => statuses[code] ?? String(code)));
    return [compare.base(status, hasMonths ? monthName(snapshot) : ""), accounts] as const;
  });
  return [...new Map(named)];
}

/** Returns group names: a number, and the filters that differ. */
function namesOf(queries: readonly Query[], bases: readonly Base[]): string[] {
  const { compare } = lazyWords.value;
  return differences(queries, catalog.value).map((filters, at) => {
    const counted = bases[at] ? [monthName(bases[at].snapshot)] : [];
    const difference = [...counted, ...(filters === "" ? [] : [filters])].join(", ");
    const short =
      difference.length > NAME_MAX ? `${difference.slice(0, NAME_MAX - 1)}…` : difference;
    return short === "" ? compare.groupNamed(at + 1) : `${compare.groupNamed(at + 1)}: ${short}`;
  });
}

function rowsOf({ facets, totals }: CompareAnswer, facet: FacetName): Row[] {
  const found = facets[facet];
  if (found === undefined) return [];
  const rows = found.values.map(({ value, label, ...numbers }) => {
    return { name: valueName(facet, value, label), ...numbers };
  });
  const { values, counts } = found.other;
  if (values === 0) return rows;
  const shares = counts.map((count, at) => (totals[at] ? count / totals[at] : 0));
  const name = words.value.charts.others(number(values));
  return [...rows, { name, counts, shares, index: counts.map(() => null) }];
}

function linesOf(
  rows: readonly Row[],
  { totals }: CompareAnswer,
  what: string,
  names: readonly string[],
): Lines {
  const { compare } = lazyWords.peek();
  const { charts } = words.peek();
  const groups = totals.map((_, at) => at);
  const named = (name: string, at: number) => `${name} (${names[at]})`;
  return {
    head: [
      what,
      ...groups.flatMap((at) => [
        named(charts.count, at),
        named(compare.share, at),
        named(compare.index, at),
      ]),
    ],
    body: [
      [charts.total, ...totals.flatMap((total) => [String(total), total === 0 ? "0" : "1", ""])],
      ...rows.map(({ name, counts, shares, index }) => [
        name,
        ...groups.flatMap((at) => [
          String(counts[at]),
          decimal(shares[at] ?? 0),
          decimal(index[at] ?? null),
        ]),
      ]),
    ],
  };
}

/** Formats a number with the language's decimal sign, for spreadsheets. */
function decimal(value: number | null): string {
  if (value === null) return "";
  return number(value, 6).replace(/[.\s](?=\d{3}(\D|$))/g, "");
}

interface TotalsProps {
  readonly totals: readonly number[];
  readonly bases: ReturnType<typeof basesOf>;
  readonly groups: readonly string[];
}

function Totals({ totals, bases, groups }: TotalsProps): VNode {
  const { compare } = lazyWords.value;
  return (
    <dl class="compare-totals">
      {totals.map((total, at) => (
        <div key={compare.groupNamed(at + 1)} data-group={at}>
          <dt>{groups[at]}</dt>
          <dd>{number(total)}</dd>
        </div>
      ))}
      {bases.map(([name, accounts]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{number(accounts)}</dd>
        </div>
      ))}
    </dl>
  );
}

type ChartProps = { readonly rows: readonly Row[]; readonly groups: readonly string[] };

function Chart({ rows, groups }: ChartProps): VNode {
  const { compare } = lazyWords.value;
  const shown = rows.slice(0, BARS_MAX);
  const most = Math.max(...shown.flatMap(({ shares }) => shares), 0) || 1;
  return (
    <figure class="compare-chart">
      <figcaption>{compare.chart}</figcaption>
      <ul>
        {shown.map(({ name, shares }) => (
          <li key={name}>
            <span class="compare-name">{name}</span>
            {shares.map((share, at) => (
              <span key={compare.groupNamed(at + 1)} class="compare-bar" data-group={at}>
                <span style={{ width: `${(share / most) * 80}%` }} />
                <span class="visually-hidden">{groups[at]}: </span>
                {percent(share)}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface TableProps {
  readonly groups: readonly string[];
  readonly rows: readonly Row[];
  readonly totals: readonly number[];
  readonly what: string;
}

function Table({ rows, groups, totals, what }: TableProps): VNode {
  const { compare } = lazyWords.value;
  const { charts } = words.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="numbers-scroll" aria-label={compare.table} tabIndex={0}>
      <table class="data-table numbers-table">
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              {what}
            </th>
            {groups.map((name) => (
              <th key={name} scope="colgroup" colSpan={3}>
                {name}
              </th>
            ))}
          </tr>
          <tr>
            {groups.map((name) =>
              [charts.count, compare.share, compare.index].map((heading) => (
                <th key={`${name} ${heading}`} scope="col" data-number="true">
                  {heading}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, counts, shares, index }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {groups.map((group, at) => [
                <td key={`${group} count`} data-number="true">
                  {number(counts[at] ?? 0)}
                </td>,
                <td key={`${group} share`} data-number="true">
                  {percent(shares[at] ?? 0)}
                </td>,
                <td key={`${group} index`} data-number="true">
                  {index[at] == null ? "–" : number(index[at])}
                </td>,
              ])}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{charts.total}</th>
            {groups.map((group, at) => [
              <td key={`${group} count`} data-number="true">
                {number(totals[at] ?? 0)}
              </td>,
              <td key={`${group} rest`} colSpan={2} />,
            ])}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
