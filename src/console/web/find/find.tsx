/**
 * The find view: the sentence box, the filters, and the results. Notices report an opened link and
 * a newer month of data.
 * Invariant: the page has one first-level heading. The view reads each change of the address. "/"
 * focuses the sentence box unless the user is typing. Every invalid part of a link is reported with
 * its text. The screen never mixes data of two months. A new month is announced once, and the query
 * is repeated once for the month, even if the repetition fails.
 */
import { effect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { reachable } from "../app/api.ts";
import { month } from "../app/format.ts";
import { hasFilterRail, narrow } from "../app/media.ts";
import { keep, read } from "../app/preferences.ts";
import { loadStatus, status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { Busy } from "../parts/busy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";
import { toast } from "../parts/toast.tsx";
import { catalogFailed, loadCatalog, refreshCatalog } from "./catalog.ts";
import { CHARTS_FROM, Charts } from "./charts/charts.tsx";
import { FilterSheet, Filters } from "./filters/filters.tsx";
import { Guidance, needsGuidance } from "./guidance.tsx";
import { FiltersButton, FindHeader } from "./header.tsx";
import { isNotUnderstood, NotUnderstood } from "./notunderstood.tsx";
import { Overview } from "./overview.tsx";
import { Printed } from "./printed.tsx";
import {
  dismissLink,
  exploration,
  followAddress,
  isEmpty,
  linkTroubles,
  openingLink,
  query,
  renewAddress,
  reopenAddress,
  retry,
  staleMonth,
} from "./query.ts";
import { SentenceBox } from "./sentence.tsx";
import { focusCell } from "./table/grid.tsx";
import { place } from "./table/list.ts";
import { Results, SelectionBar } from "./table/results.tsx";
import { Understood } from "./understood.tsx";

// The company view shares nearly all of this code, so one chunk contains both views.
export { CompanyView } from "../company/company.tsx";

const CHARTS_KEY = "peneira.charts";
/** Window height below which charts leave no space for rows, as on small laptops. */
const LOW_PX = 800;

/** The view. */
export function Find(): VNode {
  const box = useRef<HTMLInputElement>(null);
  const [sheet, setSheet] = useState(false);
  useEffect(followAddress, []);
  useEffect(followMonth, []);
  useEffect(() => {
    // A notice elsewhere shows the failure and offers a retry.
    loadCatalog().catch(() => undefined);
  }, []);
  const served = exploration.value.answer?.snapshot;
  useEffect(() => {
    if (served !== undefined) refreshCatalog(served);
  }, [served]);
  useSlash(box);
  useReturn();
  const { find } = words.value;
  return (
    <div class="find">
      <h1 class="visually-hidden">{find.title}</h1>
      <div class="find-top">
        <SentenceBox box={box} />
        <Understood />
        <LinkNotice />
        {catalogFailed.value && <CatalogNotice />}
      </div>
      <ToResults />
      <div class="find-body">
        {hasFilterRail.value && (
          <aside class="find-rail" aria-label={find.filters}>
            <Filters />
          </aside>
        )}
        <Found onFilters={() => setSheet(true)} />
      </div>
      {!hasFilterRail.value && <FilterSheet open={sheet} onClose={() => setSheet(false)} />}
      <Announcer />
      <Printed />
    </div>
  );
}

/** Retries requests that failed because the server was unreachable. */
function useReturn(): void {
  const isThere = reachable.value;
  useEffect(() => {
    if (isThere && exploration.peek().error?.status === 0) retry();
  }, [isThere]);
}

/** Offers a button that skips to the table, past a hundred tab stops of filters and charts. */
function ToResults(): VNode | null {
  const { answer } = exploration.value;
  if (answer === null || isEmpty(query.value) || needsGuidance() || isNotUnderstood()) return null;
  return (
    <button type="button" class="skip" onClick={() => focusCell(place.peek())}>
      {words.value.find.skip}
    </button>
  );
}

/** Shows the results, or the guidance or notice that replaces them. */
function Found({ onFilters }: { onFilters: () => void }): VNode {
  if (openingLink.value) {
    return (
      <div class="find-main">
        <Busy />
      </div>
    );
  }
  if (isEmpty(query.value)) {
    return (
      <div class="find-main find-start">
        <FiltersButton onFilters={onFilters} />
        <Overview />
      </div>
    );
  }
  if (isNotUnderstood()) {
    return (
      <div class="find-main">
        <FiltersButton onFilters={onFilters} />
        <NotUnderstood />
      </div>
    );
  }
  // If there are few matches, no charts are drawn, because the rows show enough. If there are none,
  // guidance replaces the charts.
  const few = (exploration.value.answer?.total ?? CHARTS_FROM) < CHARTS_FROM;
  return (
    <div class="find-side" key="side">
      <div class="find-main">
        <FindHeader onFilters={onFilters} />
        {!few && <ChartStrip />}
        {needsGuidance() ? (
          <Guidance />
        ) : (
          <div class="find-results">
            <Results />
          </div>
        )}
      </div>
      {hasFilterRail.value && !needsGuidance() && <SelectionBar />}
    </div>
  );
}

/** Shows the charts, which are closed by default on phones and in low windows. */
function ChartStrip(): VNode {
  const [open, setOpen] = useState(() => {
    const stored = read(CHARTS_KEY);
    return stored === null ? !narrow.value && innerHeight > LOW_PX : stored === "open";
  });
  const toggle = () => {
    setOpen(!open);
    keep(CHARTS_KEY, open ? "closed" : "open");
  };
  return (
    <div class="find-charts">
      <button
        type="button"
        class="find-charts-toggle"
        aria-expanded={open}
        aria-controls="find-charts"
        onClick={toggle}
      >
        <Icon name={open ? "chevronDown" : "chevronRight"} />
        {words.value.find.charts}
      </button>
      <div id="find-charts" hidden={!open}>
        {open && <Charts />}
      </div>
    </div>
  );
}

function CatalogNotice(): VNode {
  const { find, shell } = words.value;
  return (
    <Notice kind="error" action={{ label: shell.retry, onClick: () => void reopenAddress() }}>
      {find.catalogFailed}
    </Notice>
  );
}

/** Announces the count to screen readers once it stops changing, not after every edit. */
function Announcer(): VNode {
  const [text, setText] = useState("");
  const { state, answer } = exploration.value;
  const isAnswered = state === "ready" && !isEmpty(query.value) && !isNotUnderstood();
  const total = isAnswered && answer !== null ? answer.total : null;
  useEffect(() => {
    // The count of an old query must not be read with a new query.
    if (total === null) return setText("");
    const timer = setTimeout(() => setText(words.value.find.announce(total)), 600);
    return () => clearTimeout(timer);
  }, [total, answer]);
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}

/** Focuses a box on "/", except while the user types or a dialog is open. */
function useSlash(box: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const go = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(target instanceof HTMLElement) || target.isContentEditable) return;
      if (target.closest("input, textarea, select, dialog")) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    addEventListener("keydown", go);
    return () => removeEventListener("keydown", go);
  }, [box]);
}

function LinkNotice(): VNode | null {
  const { find } = words.value;
  const troubles = linkTroubles.value;
  const linked = staleMonth.value;
  if (troubles.length === 0 && linked === null) return null;
  const served = exploration.value.answer?.snapshot ?? "";
  const title = troubles.length > 0 ? find.linkTroubleTitle : find.linkMonthTitle;
  return (
    <Notice kind="warn" title={title} action={{ label: find.understood, onClick: dismissLink }}>
      {troubles.length > 0 && (
        <ul>
          {troubles.map(({ key, value, reason }) => (
            <li key={`${key} ${value} ${reason}`}>{find.linkTroubles[reason](key, value)}</li>
          ))}
        </ul>
      )}
      {linked !== null && <p>{find.linkMonth(linked, served)}</p>}
    </Notice>
  );
}

/** The newest month that was shown or requested. It is empty at first. */
let newest = "";
/** True from the discovery of a new month until its counts are loaded and the address names it. */
let isAwaited = false;

/** Repeats the query when the server has a new month of data. The returned function ends this. */
function followMonth(): () => void {
  return effect(() => {
    const { state, answer } = exploration.value;
    const served = status.value?.snapshot ?? "";
    const counted = answer?.snapshot ?? "";
    if (counted === "" || served === "" || state === "busy") return;
    const [later = ""] = [counted, served].sort().reverse();
    if (later === newest) {
      if (isAwaited && counted === later) renewAddress();
      isAwaited = isAwaited && counted !== later;
      return;
    }
    const isFirst = newest === "" && counted === served;
    newest = later;
    if (isFirst) return;
    isAwaited = true;
    if (counted < later) retry();
    if (served < later) void loadStatus();
    toast(words.peek().find.newMonth(month(later)));
  });
}
