/**
 * A search's accounts by two facets: a table with row and column totals, which users can copy, or
 * save with all cells.
 * Invariant: counts are exact. Rows and columns sum to the total, because unlisted values have
 * their own row and column.
 */
import type { VNode } from "preact";
import { type FacetName, isTimeFacet } from "../../../spec/facets.ts";
import { number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { words } from "../app/words.ts";
import { type Lines, tabbed } from "../find/charts/lines.ts";
import { saveNumbers } from "../find/charts/numbers.ts";
import { type Query, specOf } from "../find/question.ts";
import { Busy } from "../parts/busy.tsx";
import { Button, copyText } from "../parts/button.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { type FacetValue, usePost, valueName } from "./values.ts";

interface Side {
  readonly value: FacetValue;
  readonly label?: string;
  readonly count: number;
}

/** `POST /accounts/count` with a pair of facets. */
interface CountAnswer {
  readonly total: number;
  readonly crosses: readonly {
    readonly facets: readonly [FacetName, FacetName];
    readonly rows: readonly Side[];
    readonly columns: readonly Side[];
    readonly counts: readonly (readonly number[])[];
    readonly other_rows: { readonly values: number; readonly count: number };
    readonly other_columns: { readonly values: number; readonly count: number };
  }[];
}

/** A row or column of counts with its name. The last count is the total. */
interface Line {
  readonly name: string;
  readonly counts: readonly number[];
}

interface CrossProps {
  readonly query: Query;
  readonly facets: readonly [FacetName, FacetName];
}

/** The cross table. */
export function CrossTable({ query, facets }: CrossProps): VNode {
  const { compare, numbers } = lazyWords.value;
  const spec = specOf(query);
  const { answer, error, retry } = usePost<CountAnswer>("/accounts/count", {
    spec,
    facets: [facets],
  });
  const cross = answer?.crosses[0];
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />;
  if (answer === null || cross === undefined || String(cross.facets) !== String(facets)) {
    return <Busy />;
  }
  const [rowName, columnName] = [compare.facetNames[facets[0]], compare.facetNames[facets[1]]];
  const title = compare.crossOf(rowName, columnName);
  const { head, lines } = tableOf(answer, cross, title);
  const save = (format: "csv" | "xlsx") => () => {
    void saveNumbers({ title, facets: [facets], spec }, format);
  };
  const copied: Lines = {
    head,
    body: lines.map(({ name, counts }) => [name, ...counts.map(String)]),
  };
  return (
    <>
      <div class="compare-head">
        <h2>{title}</h2>
        <Button icon="copy" onClick={() => void copyText(tabbed(copied))}>
          {numbers.copy}
        </Button>
        <Button icon="file" onClick={save("csv")}>
          CSV
        </Button>
        <Button icon="table" onClick={save("xlsx")}>
          XLSX
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section class="numbers-scroll" aria-label={title} tabIndex={0}>
        <table class="data-table numbers-table cross-table">
          <thead>
            <tr>
              {head.map((name, at) => (
                <th key={name} scope="col" data-number={at > 0}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, counts }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {counts.map((count, at) => (
                  <td key={head[at + 1]} data-number="true">
                    {count === 0 ? "–" : number(count)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {cross.other_rows.values + cross.other_columns.values > 0 && (
        <p class="field-hint">{compare.fileHasAll}</p>
      )}
    </>
  );
}

/** Returns the values of a facet with their positions, periods by time, "no value" last. */
function inOrder(facet: FacetName, sides: readonly Side[]) {
  const placed = sides.map((one, at) => ({ one, at }));
  if (!isTimeFacet(facet)) return placed;
  const key = ({ value }: Side) => (value === null ? "~" : String(value));
  return placed.sort((a, b) => (key(a.one) < key(b.one) ? -1 : 1));
}

/** Adds totals and unlisted values to a table. */
function tableOf({ total }: CountAnswer, cross: CountAnswer["crosses"][number], corner: string) {
  const { charts } = words.value;
  const [rowFacet, columnFacet] = cross.facets;
  const hasOther = cross.other_columns.count > 0;
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
  const down = inOrder(rowFacet, cross.rows);
  const across = inOrder(columnFacet, cross.columns);
  const others = (values: number) => charts.others(number(values));
  const head = [
    corner,
    ...across.map(({ one: { value, label } }) => valueName(columnFacet, value, label)),
    ...(hasOther ? [others(cross.other_columns.values)] : []),
    charts.total,
  ];
  const lines: Line[] = down.map(({ one: { value, label, count }, at }) => {
    const own = across.map((column) => cross.counts[at]?.[column.at] ?? 0);
    const rest = hasOther ? [count - sum(own)] : [];
    return { name: valueName(rowFacet, value, label), counts: [...own, ...rest, count] };
  });
  const below = [
    ...across.map(({ one }) => one.count),
    ...(hasOther ? [cross.other_columns.count] : []),
    total,
  ];
  if (cross.other_rows.count > 0) {
    const counts = below.map((all, at) => all - sum(lines.map((line) => line.counts[at] ?? 0)));
    lines.push({ name: others(cross.other_rows.values), counts });
  }
  return { head, lines: [...lines, { name: charts.total, counts: below }] };
}
