/**
 * The chart of the matches' opening years: a histogram, in which users select an interval by
 * dragging, buttons for decades, and two sliders for the keyboard.
 * Invariant: bars never move sideways, because the axis depends on the snapshot, not on the answer.
 * During a drag, the chart shows the selected years. The query changes only when the drag ends.
 */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { number, percent } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { change } from "../query.ts";
import {
  type Bucket,
  decadesUntil,
  FIRST_YEAR,
  type Interval,
  inInterval,
  yearBuckets,
} from "./buckets.ts";
import { chooseYears, chosenYears, clearYears } from "./choice.ts";
import { type ChartData, Frame } from "./frame.tsx";
import type { ListProps } from "./lists.tsx";

/** Two years, in the order given. */
type Span = readonly [number, number];

/** Shows the chart of opening years, up to the year `last`. */
export function Years({ facet, filters, last }: ListProps & { last: number }) {
  const drag = useSignal<Span | null>(null);
  const at = useSignal<number | null>(null);
  const { charts } = words.value;
  const buckets = yearBuckets(facet, last);
  const selected = chosenYears(filters);
  const shown = drag.value === null ? selected : intervalFrom(drag.value);
  const choose = (span: Span) => {
    drag.value = null;
    change((draft) => {
      if (sameSpan(span, spanOf(selected, last))) clearYears(draft);
      else chooseYears(draft, span, last);
    });
  };
  const data = yearData(buckets, facet, (year) => ({
    chosen: selected !== null && inInterval(year, selected),
    press: () => choose([year, year]),
  }));
  const clear = selected !== null && (
    <button type="button" class="chart-clear" onClick={() => change(clearYears)}>
      {charts.yearsAll}
    </button>
  );
  return (
    <Frame
      area="years"
      title={charts.years}
      what={charts.year}
      data={data}
      action={clear}
      facets={["started_year"]}
    >
      <Readout buckets={buckets} shown={shown} at={at.value} total={data.total} />
      <Histogram {...{ buckets, shown, drag, at, choose }} />
      <Sliders {...{ last, drag, choose }} span={drag.value ?? spanOf(selected, last)} />
      <div class="years-decades">
        {decadesUntil(last).map((decade) => (
          <button
            key={decade}
            type="button"
            aria-label={charts.decade(decade)}
            style={{ left: `${((decade - FIRST_YEAR + 1) / buckets.length) * 100}%` }}
            onClick={() => choose([decade, Math.min(decade + 9, last)])}
          >
            {decade}
          </button>
        ))}
      </div>
    </Frame>
  );
}

interface HistogramProps {
  readonly buckets: readonly Bucket[];
  readonly shown: Interval | null;
  readonly drag: { value: Span | null };
  readonly at: { value: number | null };
  readonly choose: (span: Span) => void;
}

/** The bars. A pointer selects years on them. All other input uses the sliders below. */
function Histogram({ buckets, shown, drag, at, choose }: HistogramProps) {
  const plot = useRef<HTMLDivElement>(null);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  // When the first counts arrive, new bars replace the empty ones. If the empty bars grew instead,
  // browsers would report a layout shift.
  const blank = buckets.every(({ count }) => count === 0);
  const yearAt = (event: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect();
    if (box === undefined) return FIRST_YEAR;
    const place = Math.floor(((event.clientX - box.left) / box.width) * buckets.length);
    return FIRST_YEAR - 1 + Math.min(Math.max(place, 0), buckets.length - 1);
  };
  return (
    <div
      ref={plot}
      class="years-plot"
      aria-hidden="true"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        plot.current?.setPointerCapture(event.pointerId);
        drag.value = [yearAt(event), yearAt(event)];
      }}
      onPointerMove={(event) => {
        const year = yearAt(event);
        if (at.value !== year) at.value = year;
        if (drag.value !== null && drag.value[1] !== year) drag.value = [drag.value[0], year];
      }}
      onPointerUp={() => {
        const { value } = drag;
        if (value !== null) choose(value[0] <= value[1] ? value : [value[1], value[0]]);
      }}
      onPointerCancel={() => {
        drag.value = null;
      }}
      onPointerLeave={() => {
        at.value = null;
      }}
    >
      {buckets.map(({ year, count }) => (
        <span
          key={blank ? -year : year}
          data-in={inInterval(year, shown)}
          data-at={year === at.value}
        >
          <span style={{ height: `${(count / most) * 100}%` }} data-some={count > 0} />
        </span>
      ))}
    </div>
  );
}

interface SlidersProps {
  readonly last: number;
  readonly span: Span;
  readonly drag: { value: Span | null };
  readonly choose: (span: Span) => void;
}

/** Two native sliders on one track, for both ends of the interval. */
function Sliders({ last, span, drag, choose }: SlidersProps) {
  const { charts } = words.value;
  const ends = [charts.yearsFrom, charts.yearsTo] as const;
  const moved = (end: number, value: string): Span => {
    const year = Number(value);
    return end === 0 ? [Math.min(year, span[1]), span[1]] : [span[0], Math.max(year, span[0])];
  };
  return (
    <div class="years-sliders">
      {ends.map((label, end) => (
        <input
          key={label}
          type="range"
          aria-label={label}
          aria-valuetext={yearName(span[end] as number)}
          min={FIRST_YEAR - 1}
          max={last}
          value={span[end]}
          onInput={(event) => {
            drag.value = moved(end, event.currentTarget.value);
          }}
          onChange={(event) => choose(moved(end, event.currentTarget.value))}
        />
      ))}
    </div>
  );
}

interface ReadoutProps {
  readonly buckets: readonly Bucket[];
  readonly shown: Interval | null;
  readonly at: number | null;
  readonly total: number;
}

/** Shows exact numbers of the year under the pointer, else of the interval. */
function Readout({ buckets, shown, at, total }: ReadoutProps) {
  const { charts } = words.value;
  const under = buckets.find(({ year }) => year === at);
  const inside = buckets.filter(({ year }) => inInterval(year, shown));
  const count = under?.count ?? inside.reduce((sum, one) => sum + one.count, 0);
  const [first, end] = [inside[0], inside.at(-1)];
  if (under === undefined && (shown === null || first === undefined || end === undefined)) {
    return <p class="years-readout">{charts.yearsHint}</p>;
  }
  const name =
    under !== undefined
      ? yearName(under.year)
      : charts.interval(yearName(first?.year ?? 0), yearName(end?.year ?? 0));
  return (
    <p class="years-readout">
      <strong>{name}</strong> {charts.of(number(count), percent(total === 0 ? 0 : count / total))}
    </p>
  );
}

function yearName(year: number): string {
  return year < FIRST_YEAR ? words.value.charts.before(FIRST_YEAR) : String(year);
}

/** Returns rows from newest to oldest. `rest` sums up the years that the facet does not list. */
function yearData(
  buckets: readonly Bucket[],
  facet: ListProps["facet"],
  marks: (year: number) => { chosen: boolean; press: () => void },
): ChartData {
  const rest = facet?.other ?? { values: 0, count: 0 };
  const missing = facet?.missing ?? 0;
  const total = buckets.reduce((sum, { count }) => sum + count, rest.count + missing);
  const rows = buckets.toReversed().map(({ year, count }) => ({
    key: String(year),
    label: yearName(year),
    count,
    share: total === 0 ? 0 : count / total,
    ...marks(year),
  }));
  return { rows, rest, missing, total, most: Math.max(0, ...rows.map(({ count }) => count)) };
}

function intervalFrom([a, b]: Span): Interval {
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

function spanOf(interval: Interval | null, last: number): Span {
  const clamp = (year: number) => Math.min(Math.max(year, FIRST_YEAR - 1), last);
  return [clamp(interval?.from ?? FIRST_YEAR - 1), clamp(interval?.to ?? last)];
}

function sameSpan(one: Span, other: Span): boolean {
  return one[0] === other[0] && one[1] === other[1];
}
