/**
 * Loads exact counts while the user edits. The explorer sends one spec (the query in the API's
 * form) after another and holds the latest state.
 * Invariant: at most one request is in flight. An answer to an older spec is never shown for a
 * newer one. The last good answer stays until a new one arrives.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ExploreAnswer } from "../app/answers.ts";
import type { SentSpec } from "./question.ts";

/** State of an exploration. `answer` is the last good one, even while busy or after a failure. */
export interface Exploration<Failure> {
  state: "idle" | "busy" | "ready" | "failed";
  answer: ExploreAnswer | null;
  error: Failure | null;
}

/** Dependencies of an explorer. */
interface ExplorerParts<Failure> {
  readonly request: (spec: SentSpec, signal: AbortSignal) => Promise<ExploreAnswer>;
  /** Converts an error of `request` to a failure that the views can show. */
  readonly failureOf: (error: unknown) => Failure;
  /** Debounce before a request. */
  readonly delayMs: number;
}

/** Explores the last spec given. */
export class Explorer<Failure> {
  readonly #parts: ExplorerParts<Failure>;
  readonly #state = signal<Exploration<Failure>>({ state: "idle", answer: null, error: null });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | null = null;
  #last: SentSpec | null = null;

  constructor(parts: ExplorerParts<Failure>) {
    this.#parts = parts;
  }

  get state(): ReadonlySignal<Exploration<Failure>> {
    return this.#state;
  }

  /** Explores a spec after the debounce, or immediately if `now` is true. */
  explore(spec: SentSpec, { now = false } = {}): void {
    this.#last = spec;
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
    this.#state.value = { ...this.#state.peek(), state: "busy", error: null };
    if (now) void this.#run(spec);
    else this.#timer = setTimeout(() => void this.#run(spec), this.#parts.delayMs);
  }

  /** Repeats the last request. */
  retry(): void {
    if (this.#last !== null) this.explore(this.#last, { now: true });
  }

  async #run(spec: SentSpec): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      const answer = await this.#parts.request(spec, controller.signal);
      if (this.#running !== controller) return;
      this.#state.value = { state: "ready", answer, error: null };
    } catch (error) {
      // An aborted request rejects too, but the request that replaced it sets the state.
      if (this.#running !== controller) return;
      const { answer } = this.#state.peek();
      this.#state.value = { state: "failed", answer, error: this.#parts.failureOf(error) };
    }
    this.#running = null;
  }
}
