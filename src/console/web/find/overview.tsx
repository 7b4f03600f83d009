/**
 * The find view without a query: the whole register at a glance. It shows the number of accounts
 * and their month, three example sentences, a map, activities, opening years, and sizes.
 * Invariant: the counts are made once per visit and cached, so that they reappear immediately. The
 * space of every part is reserved before numbers arrive.
 */
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ExploreAnswer } from "../app/answers.ts";
import { post } from "../app/api.ts";
import { dayShort, month, number } from "../app/format.ts";
import { words } from "../app/words.ts";
import { ErrorNotice } from "../parts/notice.tsx";
import { EXAMPLES, examples, loadCatalog } from "./catalog.ts";
import { Sections } from "./charts/activities.tsx";
import { Sizes } from "./charts/lists.tsx";
import { States } from "./charts/states.tsx";
import { Years } from "./charts/years.tsx";
import { exploration, submitSentence } from "./query.ts";
import { emptyQuery, specOf } from "./question.ts";

const FACETS = ["uf", "cnae_section", "company_size", "started_year"];

const whole = signal<ExploreAnswer | null>(null);
const failure = signal<unknown>(null);
const counting = signal(false);

/** Counts the register once per served snapshot. */
async function count(): Promise<void> {
  const served = exploration.peek().answer?.snapshot;
  const known = whole.peek();
  if (counting.peek() || (known !== null && (served ?? known.snapshot) === known.snapshot)) return;
  counting.value = true;
  failure.value = null;
  try {
    const body = { spec: specOf(emptyQuery()), facets: FACETS };
    whole.value = await post<ExploreAnswer>("/explore", body);
  } catch (error) {
    failure.value = error;
  } finally {
    counting.value = false;
  }
}

/** The start page of the find view. */
export function Overview() {
  const served = exploration.value.answer?.snapshot;
  useEffect(() => void count(), [served]);
  // The catalog is loaded in advance, because a click on a sector needs the activities in it.
  useEffect(() => void loadCatalog().catch(() => {}), []);
  const section = useFocusPassedOn();
  const answer = whole.value;
  const { filters } = emptyQuery();
  const facets = answer?.facets ?? {};
  const { charts } = words.value;
  const last = Number(answer?.snapshot_date.slice(0, 4) ?? new Date().getUTCFullYear());
  const busy = answer === null && counting.value;
  return (
    <section
      ref={section}
      class="overview"
      aria-label={charts.overview.title}
      aria-busy={busy}
      data-busy={busy}
      data-blank={answer === null}
    >
      <Head answer={answer} />
      {failure.value !== null && answer === null ? (
        <ErrorNotice
          error={failure.value}
          title={charts.overview.failed}
          onRetry={() => void count()}
        />
      ) : (
        <div class="overview-grid">
          <States facet={facets.uf} filters={filters} size="large" />
          <div class="overview-side">
            <Sections facet={facets.cnae_section} filters={filters} />
            <div class="overview-pair">
              <Years facet={facets.started_year} filters={filters} last={last} />
              <Sizes facet={facets.company_size} filters={filters} />
            </div>
          </div>
        </div>
      )}
    </section>
  );
}

/**
 * Keeps the keyboard focus when a press on this page replaces the page with the results. The focus
 * then moves to the same state on the map of the results, or else to the start of the view.
 */
function useFocusPassedOn() {
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { current } = section;
    return () => {
      const active = document.activeElement;
      if (active === null || !current?.contains(active)) return;
      const uf = active.getAttribute("data-uf");
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const same = uf === null ? null : document.querySelector<SVGElement>(`[data-uf="${uf}"]`);
        (same ?? document.getElementById("main"))?.focus({ preventScroll: true });
      });
    };
  }, []);
  return section;
}

function Head({ answer }: { answer: ExploreAnswer | null }) {
  const { find } = words.value;
  const { overview } = words.value.charts;
  return (
    <div class="overview-head">
      <div class="overview-total">
        {/* Remounted with the count, so that nothing near it moves. */}
        <p key={answer === null ? "blank" : "counted"}>
          <strong>{answer === null ? "\u2007" : number(answer.total)}</strong>{" "}
          {answer !== null && overview.accounts}
        </p>
        <p class="overview-month">
          {answer === null
            ? "\u2007"
            : overview.snapshot(month(answer.snapshot), dayShort(answer.snapshot_date))}
        </p>
        <p class="overview-start">{overview.start}</p>
      </div>
      <div class="overview-examples">
        <h2>{find.examplesTitle}</h2>
        <ul>
          {Array.from({ length: EXAMPLES }, (_, at) => examples.value[at]).map((example, at) => (
            <li key={example ?? at}>
              {example === undefined ? (
                "\u2007"
              ) : (
                <button type="button" title={example} onClick={() => void submitSentence(example)}>
                  {example}
                </button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
