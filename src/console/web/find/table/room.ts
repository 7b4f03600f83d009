/**
 * The room of the table within what scrolls around it. What comes in: the frame of the table. What
 * goes out: its greatest height as a property of style, and a wheel that moves what is outside
 * before what is inside.
 * Invariant: header and end of the table can always be on screen together; the wheel is listened to
 * in the way of scrolling only while there is something outside left to scroll.
 */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

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
