/**
 * Where the table is scrolled. What comes in: the elements of the table. What goes out: the rows to
 * draw, and movements to a row or a cell.
 * Invariant: measured at most once per frame; on wide screens the table scrolls by itself, on
 * phones with the page, and both are measured from where the rows stand on the screen.
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

/** The elements of a table and what its rows measure. */
export interface ScrollStage {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** Whether the page scrolls in place of the table. */
  readonly page: boolean;
  readonly rowHeight: number;
  readonly count: number;
}

/** How far the rows are scrolled; null while there are no elements. */
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
  // The header stays above the rows and covers as much as it is high.
  const height = box.clientHeight - rows.offsetTop;
  return { scrollTop: box.scrollTop, height, rowHeight, count };
}

/** The rows to draw; `onSeen` is told the last row that can be seen. */
export function useRowWindow(stage: ScrollStage, onSeen: (row: number) => void): RowWindow {
  const [drawn, setDrawn] = useState<RowWindow>({ first: 0, end: 0 });
  const measure = () => {
    const scrolled = scrolledOf(stage);
    if (scrolled === null) return;
    const next = windowOf(scrolled);
    setDrawn((old) => (old.first === next.first && old.end === next.end ? old : next));
    onSeen(lastSeen(scrolled));
  };
  // The listeners live as long as the table; they measure with what was drawn last.
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
    // Scrolling does not bubble: whatever scrolls, table or page, is heard on its way down.
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

/** Scrolls no further than needed so that a row is seen. */
export function showRow(stage: ScrollStage, row: number): void {
  const scrolled = scrolledOf(stage);
  if (scrolled === null || row < 0) return;
  const top = scrollTopFor(row, scrolled);
  if (top === scrolled.scrollTop) return;
  if (stage.page) scrollBy(0, top - scrolled.scrollTop);
  else if (stage.scroller.current !== null) stage.scroller.current.scrollTop = top;
}

/** Scrolls sideways so that a cell is seen beside the first column, which stays. */
export function showCell(stage: ScrollStage, cell: HTMLElement): void {
  const box = stage.scroller.current;
  const first = cell.parentElement?.firstElementChild;
  if (box === null || !(first instanceof HTMLElement) || first === cell || stage.page) return;
  const { offsetLeft: left, offsetWidth: width } = cell;
  const room = box.clientWidth;
  const sideways = { left, width, scrollLeft: box.scrollLeft, room, sticky: first.offsetWidth };
  // Behind the last cell there is the button of the chooser, which must not cover its heading.
  const to = cell.nextElementSibling === null ? box.scrollWidth : scrollLeftFor(sideways);
  if (to !== box.scrollLeft) box.scrollLeft = to;
}
