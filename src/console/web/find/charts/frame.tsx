/**
 * The frame of a chart: a section with a heading and a button that shows the same numbers as a
 * table.
 * Invariant: chart and table take the same space, so that nothing below moves. The table's rows are
 * the same buttons as the chart's marks, so small marks always have an alternative.
 */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { number, percent } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { NumbersMenu } from "./numbersmenu.tsx";

/** A row of a chart; `count` is null if the query's own filter excludes the value. */
export interface ChartRow {
  readonly key: string;
  readonly label: string;
  /** Shorter label to show, if labels begin alike. */
  readonly shown?: string | undefined;
  /** The full name, as a tooltip. */
  readonly full?: string | undefined;
  readonly code?: string | undefined;
  readonly count: number | null;
  readonly share: number;
  readonly chosen: boolean;
  /** Toggles the value. Absent if the row has no filter. */
  readonly press?: () => void;
  /** Selects only this value. */
  readonly only?: (() => void) | undefined;
}

/** A chart's numbers, which sum to the total. */
export interface ChartData {
  readonly rows: readonly ChartRow[];
  readonly rest: { readonly values: number; readonly count: number };
  readonly missing: number;
  readonly total: number;
  readonly most: number;
}

/** Props of a frame. */
interface FrameProps {
  /** Suffix of the class `chart-<area>`. */
  readonly area: string;
  readonly title: string;
  /** Heading of the first column of the table. */
  readonly what: string;
  readonly data: ChartData;
  readonly children: ComponentChildren;
  /** Element next to the title, such as a clear button. */
  readonly action?: ComponentChildren;
  /** Facets of the chart. The menu offers all values of them. */
  readonly facets: readonly string[];
}

/** A chart with heading and table. */
export function Frame(props: FrameProps) {
  const { area, title, what, data, children, action, facets } = props;
  const asTable = useSignal(false);
  const id = useId();
  const section = useFocusRestored();
  const { charts } = words.value;
  return (
    <section ref={section} class={`chart chart-${area}`} aria-labelledby={id} tabIndex={-1}>
      <header class="chart-head">
        <h3 id={id}>{title}</h3>
        {action}
        <button
          type="button"
          class="chart-flip"
          aria-pressed={asTable.value}
          aria-label={charts.asTable(title)}
          title={charts.asTable(title)}
          onClick={() => {
            asTable.value = !asTable.value;
          }}
        >
          <TableMark />
        </button>
        <NumbersMenu title={title} facets={facets} />
      </header>
      <div class="chart-body">
        {asTable.value ? <DataTable title={title} what={what} data={data} /> : children}
      </div>
    </section>
  );
}

/** Keeps the focus in a chart when the focused button is removed, not at the top of the page. */
function useFocusRestored() {
  const section = useRef<HTMLElement>(null);
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const { current } = section;
    const entered = (event: FocusEvent) => {
      last.current = event.target as Element;
    };
    // If the focused button is removed, or the user clicks elsewhere, the event has no element that
    // receives the focus.
    const left = (event: FocusEvent) => {
      if (event.relatedTarget !== null) last.current = null;
    };
    current?.addEventListener("focusin", entered);
    current?.addEventListener("focusout", left);
    return () => {
      current?.removeEventListener("focusin", entered);
      current?.removeEventListener("focusout", left);
    };
  }, []);
  useEffect(() => {
    const gone = last.current !== null && !last.current.isConnected;
    if (!gone) return;
    last.current = null;
    if (document.activeElement === document.body) section.current?.focus({ preventScroll: true });
  });
  return section;
}

/** A chart's numbers as a table whose rows filter like the chart. */
export function DataTable({ title, what, data }: Pick<FrameProps, "title" | "what" | "data">) {
  const { charts } = words.value;
  const share = (count: number) => percent(data.total === 0 ? 0 : count / data.total);
  return (
    // A scrolling region must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="chart-scroll" tabIndex={0} aria-label={charts.asTable(title)}>
      <table class="chart-table">
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col">{charts.count}</th>
            <th scope="col">{charts.share}</th>
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row) => (
            <tr key={row.key} data-chosen={row.chosen}>
              <th scope="row">
                <RowName row={row} />
              </th>
              <td>{row.count === null ? "–" : number(row.count)}</td>
              <td>{row.count === null ? "–" : share(row.count)}</td>
            </tr>
          ))}
          {countsWithoutRow(data).map(([name, count]) => (
            <tr key={name} class="chart-rest">
              <th scope="row">{name}</th>
              <td>{number(count)}</td>
              <td>{share(count)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{charts.total}</th>
            <td>{number(data.total)}</td>
            <td>{share(data.total)}</td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function RowName({ row }: { row: ChartRow }) {
  const name = (
    <span>
      {row.label}
      {row.code !== undefined && <span class="bar-code"> {row.code}</span>}
    </span>
  );
  if (row.press === undefined) return name;
  return (
    <button type="button" class="chart-name" aria-pressed={row.chosen} onClick={row.press}>
      <CheckMark />
      {name}
    </button>
  );
}

/**
 * Returns the counts that have no row in the chart, with names: other values and missing values.
 */
export function countsWithoutRow({ rest, missing }: ChartData): [name: string, count: number][] {
  const { charts } = words.value;
  const others = rest.values === 1 ? charts.othersOne : charts.others(number(rest.values));
  const all: [string, number][] = [
    [others, rest.count],
    [charts.missing, missing],
  ];
  return all.filter(([, count]) => count > 0);
}

/** Check mark of a selected row; takes the same space when hidden. */
export function CheckMark() {
  return (
    <svg class="chart-check" viewBox="0 0 12 12" aria-hidden="true">
      <path d="M2 6.5 5 9.5 10 3" />
    </svg>
  );
}

function TableMark() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M7 6.5v6" />
    </svg>
  );
}
