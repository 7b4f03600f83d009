/**
 * How the matches can be reached. What comes in: the facet `contact`, whose four values exclude
 * each other. What goes out: one bar of four parts with their numbers, and three filters.
 * Invariant: the parts sum to the total; a filter's count is that of all parts it lets through.
 */
import { number, percent } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { change } from "../query.ts";
import { Bars } from "./bars.tsx";
import { type ChartReach, reachChosen, toggleReach } from "./choice.ts";
import { type ChartData, Frame } from "./frame.tsx";
import type { ListProps } from "./lists.tsx";
import { type FacetRows, rowsOf } from "./rows.ts";

const PARTS = ["email_and_phone", "email", "phone", "none"];
const REACHES = [
  ["email", ["email_and_phone", "email"]],
  ["phone", ["email_and_phone", "phone"]],
  ["any", ["email_and_phone", "email", "phone"]],
] as const;

/** The chart of contacts. */
export function Contact({ facet, filters }: ListProps) {
  const { charts } = words.value;
  const found = rowsOf(facet, { rowsMax: PARTS.length, chosen: () => false, all: PARTS });
  const name = (value: string) => charts.contactNames[value] ?? value;
  const parts = found.rows.map((row) => ({ ...row, key: row.value, label: name(row.value) }));
  const filter = (reach: ChartReach) => () => change((draft) => toggleReach(draft, reach));
  const reaches: ChartData = {
    ...found,
    rest: { values: 0, count: 0 },
    missing: 0,
    rows: REACHES.map(([reach, through]) => {
      const count = sumOf(found, through);
      const share = found.total === 0 ? 0 : count / found.total;
      const chosen = reachChosen(filters, reach);
      const label = charts.reaches[reach];
      return { key: reach, label, count, share, chosen, press: filter(reach) };
    }),
    most: found.total,
  };
  return (
    <Frame
      area="contact"
      title={charts.contact}
      what={charts.contact}
      data={{ ...found, rows: parts }}
    >
      <Bars data={reaches} />
      <div class="stack" aria-hidden="true">
        {found.rows.map((row) => (
          <span key={row.value} data-part={row.value} style={{ flexGrow: row.share }} />
        ))}
      </div>
      <ul class="stack-legend" aria-label={charts.contactParts}>
        {parts.map((row) => (
          <li key={row.key}>
            <span class="stack-swatch" data-part={row.key} />
            <span class="stack-name">{row.label}</span>
            <span class="bar-count">{number(row.count ?? 0)}</span>
            <span class="bar-share">{percent(row.share)}</span>
          </li>
        ))}
      </ul>
    </Frame>
  );
}

function sumOf({ rows }: FacetRows, values: readonly string[]): number {
  return rows
    .filter(({ value }) => values.includes(value))
    .reduce((sum, { count }) => sum + (count ?? 0), 0);
}
