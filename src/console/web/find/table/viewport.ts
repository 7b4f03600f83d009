/**
 * The position and the height of the table on the page. Input: the elements of the table and its
 * frame. Output: the rows to draw, movements to a row or a cell, the greatest height as a property
 * of style, and a wheel that moves the page outside before the table.
 * Invariant: measured at most once per frame; on wide screens the table scrolls by itself, on
 * phones with the page, and both are measured from where the rows are on the screen. Header and end
 * of the table can always be on screen together; the wheel is handled only while there is something
 * outside left to scroll.
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

/** Height of a line where a wheel counts in lines. */
const LINE_PX = 36;

/** Fits a frame into its room; not where the page scrolls in place of the table. */
export function useRoom(frame: RefObject<HTMLElement | null>, page: boolean): void {
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || page) return;
    const room = new Room(element);
    return () => room.leave();
  }, [frame, page]);
}

/** A frame and what scrolls around it. */
class Room {
  readonly #frame: HTMLElement;
  readonly #observer = new ResizeObserver(() => this.#measure());
  #outer: Element;
  #listening = false;

  constructor(frame: HTMLElement) {
    this.#frame = frame;
    this.#outer = outerOf(frame);
    addEventListener("resize", this.#measure);
    document.addEventListener("scroll", this.#listen, { capture: true, passive: true });
    this.#observer.observe(this.#outer);
    this.#measure();
  }

  leave(): void {
    this.#observer.disconnect();
    removeEventListener("resize", this.#measure);
    document.removeEventListener("scroll", this.#listen, { capture: true });
    this.#frame.removeEventListener("wheel", this.#wheel);
    this.#frame.style.removeProperty("--room");
  }

  readonly #measure = (): void => {
    const outer = outerOf(this.#frame);
    if (outer !== this.#outer) {
      this.#observer.disconnect();
      this.#observer.observe(outer);
      this.#outer = outer;
    }
    const { style } = this.#frame;
    // The page's own height is known to the style sheet, with the header that covers its top.
    if (outer === document.scrollingElement) style.removeProperty("--room");
    else style.setProperty("--room", `${outer.clientHeight}px`);
    this.#listen();
  };

  readonly #listen = (): void => {
    const wanted = this.#left() >= 1;
    if (wanted === this.#listening) return;
    this.#listening = wanted;
    if (wanted) this.#frame.addEventListener("wheel", this.#wheel, { passive: false });
    else this.#frame.removeEventListener("wheel", this.#wheel);
  };

  /** How far the outside can still be scrolled down. */
  #left(): number {
    const { scrollHeight, clientHeight, scrollTop } = this.#outer;
    return scrollHeight - clientHeight - scrollTop;
  }

  readonly #wheel = (event: WheelEvent): void => {
    const { deltaX, deltaY, deltaMode, ctrlKey } = event;
    if (ctrlKey || deltaY <= 0 || Math.abs(deltaX) > deltaY) return;
    const left = this.#left();
    if (left < 1) return;
    this.#outer.scrollTop += Math.min(left, deltaMode === 0 ? deltaY : deltaY * LINE_PX);
    event.preventDefault();
  };
}

/** The nearest element around that scrolls, else the page. */
function outerOf(element: HTMLElement): Element {
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(outer).overflowY)) return outer;
  }
  return document.scrollingElement ?? document.documentElement;
}
