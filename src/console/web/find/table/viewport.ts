/**
 * The table's scroll position: which rows to draw, and scrolling to a row or a cell.
 * Invariant: the position is measured at most once per frame. On wide screens the table scrolls, on
 * phones the page. In both cases, the position is computed from where the rows are on screen.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  lastSeen,
  type RowWindow,
  type Scrolled,
  scrollLeftFor,
  scrollTopFor,
  windowOf,
} from "./window.ts";

/** The table's elements and dimensions. */
export interface ScrollStage {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** True if the page scrolls instead of the table. */
  readonly page: boolean;
  readonly rowHeight: number;
  readonly count: number;
}

/** Returns the scroll position of the rows, or null if they are not drawn. */
export function scrolledOf({
  scroller,
  body,
  page,
  rowHeight,
  count,
}: ScrollStage): Scrolled | null {
  const box = scroller.current;
  const rows = body.current;
  if (box === null || rows === null) return null;
  if (page) {
    const { top } = rows.getBoundingClientRect();
    return { scrollTop: -top, height: innerHeight, rowHeight, count };
  }
  // The sticky header covers a part of the box, so its height is subtracted.
  const height = box.clientHeight - rows.offsetTop;
  return { scrollTop: box.scrollTop, height, rowHeight, count };
}

/** Returns the rows to draw. Calls `onSeen` with the last visible row. */
export function useRowWindow(stage: ScrollStage, onSeen: (row: number) => void): RowWindow {
  const [drawn, setDrawn] = useState<RowWindow>({ first: 0, end: 0 });
  const measure = () => {
    const scrolled = scrolledOf(stage);
    if (scrolled === null) return;
    const next = windowOf(scrolled);
    setDrawn((old) => (old.first === next.first && old.end === next.end ? old : next));
    onSeen(lastSeen(scrolled));
  };
  // The listeners are added once and live as long as the table, so they call the latest `measure`.
  const latest = useRef(measure);
  latest.current = measure;
  useLayoutEffect(measure, [stage.page, stage.rowHeight, stage.count]);
  useEffect(() => {
    let frame = 0;
    const soon = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        latest.current();
      });
    };
    // Scroll events do not bubble, so they are captured, both from the table and from the page.
    document.addEventListener("scroll", soon, { capture: true, passive: true });
    const observer = new ResizeObserver(soon);
    if (stage.scroller.current !== null) observer.observe(stage.scroller.current);
    observer.observe(document.documentElement);
    return () => {
      document.removeEventListener("scroll", soon, { capture: true });
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [stage.scroller]);
  return drawn;
}

/** Scrolls only as far as needed to show a row. */
export function showRow(stage: ScrollStage, row: number): void {
  const scrolled = scrolledOf(stage);
  if (scrolled === null || row < 0) return;
  const top = scrollTopFor(row, scrolled);
  if (top === scrolled.scrollTop) return;
  if (stage.page) scrollBy(0, top - scrolled.scrollTop);
  else if (stage.scroller.current !== null) stage.scroller.current.scrollTop = top;
}

/** Scrolls sideways until the sticky first column does not cover the cell. */
export function showCell(stage: ScrollStage, cell: HTMLElement): void {
  const box = stage.scroller.current;
  const first = cell.parentElement?.firstElementChild;
  if (box === null || !(first instanceof HTMLElement) || first === cell || stage.page) return;
  const { offsetLeft: left, offsetWidth: width } = cell;
  const room = box.clientWidth;
  const sideways = { left, width, scrollLeft: box.scrollLeft, room, sticky: first.offsetWidth };
  // The chooser's button follows the last cell, so the table scrolls fully to show it.
  const to = cell.nextElementSibling === null ? box.scrollWidth : scrollLeftFor(sideways);
  if (to !== box.scrollLeft) box.scrollLeft = to;
}
