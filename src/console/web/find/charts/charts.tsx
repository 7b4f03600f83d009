/**
 * Shows the charts of a query's matches: map, activities, years, and sizes. The other charts,
 * including contacts, appear on demand. A click changes the query.
 * Invariant: the row of charts has its full height from the first paint. While a query is counted,
 * the last numbers stay, dimmed. The selected values are those of the query, so they change
 * immediately on a click. The parts of the contact chart sum to the total, and the count of a
 * contact filter is the sum of its parts.
 */
import { signal } from "@preact/signals";
import { number, percent } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { change, exploration, query } from "../query.ts";
import { Activities } from "./activities.tsx";
import { Bars } from "./bars.tsx";
import { type ChartReach, reachChosen, toggleReach } from "./choice.ts";
import { type ChartData, Frame } from "./frame.tsx";
import { type ListProps, Municipalities, OptIns, Sizes, Statuses } from "./lists.tsx";
import { type FacetRows, rowsOf } from "./rows.ts";
import { States } from "./states.tsx";
import { Years } from "./years.tsx";

/** Minimum number of matches for charts. Fewer matches are better shown as rows. */
export const CHARTS_FROM = 10;

/** True if the second row of charts is open. Stays so when the user changes the view. */
const more = signal(false);

/** All charts of the find view. */
export function Charts() {
  const { answer, state } = exploration.value;
  const { filters } = query.value;
  const { charts } = words.value;
  const facets = answer?.facets ?? {};
  const states = answer?.beside.uf ?? facets.uf;
  const last = Number(answer?.snapshot_date.slice(0, 4) ?? new Date().getUTCFullYear());
  const busy = answer === null || state === "busy";
  return (
    <section
      class="charts"
      aria-label={charts.title}
      aria-busy={busy}
      data-busy={busy}
      data-blank={answer === null}
    >
      <div class="charts-row">
        <States facet={states} filters={filters} size="small" />
        <Activities facets={facets} filters={filters} />
        <Years facet={facets.started_year} filters={filters} last={last} />
        <Sizes facet={facets.company_size} filters={filters} />
      </div>
      {more.value && (
        <div class="charts-row charts-more" id="charts-more">
          <Municipalities facet={facets.municipality} filters={filters} />
          <Contact facet={facets.contact} filters={filters} />
          <Statuses facet={facets.registration_status} filters={filters} />
          <OptIns facets={facets} filters={filters} />
        </div>
      )}
      <button
        type="button"
        class="charts-toggle"
        aria-expanded={more.value}
        aria-controls="charts-more"
        onClick={() => {
          more.value = !more.value;
        }}
      >
        {more.value ? charts.fewer : charts.more}
      </button>
    </section>
  );
}

const PARTS = ["email_and_phone", "email", "phone", "none"];
const REACHES = [
  ["email", ["email_and_phone", "email"]],
  ["phone", ["email_and_phone", "phone"]],
  ["any", ["email_and_phone", "email", "phone"]],
] as const;

function Contact({ facet, filters }: ListProps) {
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
      facets={["contact"]}
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
