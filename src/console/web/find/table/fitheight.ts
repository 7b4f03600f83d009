/**
 * Limits the table's height to that of its scroll container, by a style property. The mouse wheel
 * first scrolls the container to its end, then the table.
 * Invariant: the table's header and end always fit on screen together. The blocking wheel listener
 * exists only while the container can scroll further.
 */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Line height for wheels that report lines, in pixels. */
const LINE_PX = 36;

/** Fits a frame into its container, unless the page scrolls instead of the table. */
export function useFitHeight(frame: RefObject<HTMLElement | null>, page: boolean): void {
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || page) return;
    const room = new HeightFitter(element);
    return () => room.leave();
  }, [frame, page]);
}

/** A frame and its scroll container. */
class HeightFitter {
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
    // If the page itself scrolls, the style sheet determines the height and allows for the
    // header that covers it.
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

  /** Returns how far the container can still scroll. */
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

/** Returns the nearest scroll container, else the page. */
function outerOf(element: HTMLElement): Element {
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(outer).overflowY)) return outer;
  }
  return document.scrollingElement ?? document.documentElement;
}
