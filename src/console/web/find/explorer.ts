/**
 * Exact counts while somebody edits. What comes in: one spec after the other. What goes out: the
 * state of the exploration of the last one.
 * Invariant: at most one request is on its way, an answer of an older spec is never shown as that
 * of a newer one, and the last good answer stays until there is a better one.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { ExploreAnswer } from "../app/answers.ts";
import type { SentSpec } from "./question.ts";

/** How far an exploration is; `answer` is the last good one, also while busy or failed. */
export interface Exploration<Failure> {
  state: "idle" | "busy" | "ready" | "failed";
  answer: ExploreAnswer | null;
  error: Failure | null;
}

/** What an explorer works with. */
interface ExplorerParts<Failure> {
  readonly ask: (spec: SentSpec, signal: AbortSignal) => Promise<ExploreAnswer>;
  /** What is thrown by `ask`, as the views want it. */
  readonly failureOf: (error: unknown) => Failure;
  /** How long edits settle before a request. */
  readonly delayMs: number;
}

/** Explores the last spec that it was given. */
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

  /** Explores a spec once edits have settled, or at once. */
  explore(spec: SentSpec, { now = false } = {}): void {
    this.#last = spec;
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
    this.#state.value = { ...this.#state.peek(), state: "busy", error: null };
    if (now) void this.#run(spec);
    else this.#timer = setTimeout(() => void this.#run(spec), this.#parts.delayMs);
  }

  /** Asks the last spec once more. */
  retry(): void {
    if (this.#last !== null) this.explore(this.#last, { now: true });
  }

  async #run(spec: SentSpec): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      const answer = await this.#parts.ask(spec, controller.signal);
      if (this.#running !== controller) return;
      this.#state.value = { state: "ready", answer, error: null };
    } catch (error) {
      // An aborted request rejects as well; what replaced it has the say.
      if (this.#running !== controller) return;
      const { answer } = this.#state.peek();
      this.#state.value = { state: "failed", answer, error: this.#parts.failureOf(error) };
    }
    this.#running = null;
  }
}
