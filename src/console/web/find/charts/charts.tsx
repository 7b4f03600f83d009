/**
 * The charts over the matches of a query. What comes in: the last exploration and the query. What
 * goes out: map, activities, years and sizes, and on demand the rest; a click changes the query.
 * Invariant: the strip has its full height from the first paint on; while a query is counted the
 * last numbers stay, dimmed. Rows read the query, so that a mark answers a click at once.
 */
import { signal } from "@preact/signals";
import { words } from "../../app/words.ts";
import { exploration, query } from "../query.ts";
import { Activities } from "./activities.tsx";
import { Contact } from "./contact.tsx";
import { Municipalities, OptIns, Sizes, Statuses } from "./lists.tsx";
import { States } from "./states.tsx";
import { Years } from "./years.tsx";

/** Fewer matches than these have no charts: the rows themselves tell more. */
export const CHARTS_FROM = 10;

/** Whether the second row is open; it stays so while other views are shown. */
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
