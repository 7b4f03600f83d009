/**
 * The opened snapshots of a server. What comes in: segments, newest last. What goes out: the
 * current one for new questions, and the ones before it for cursors that began on them.
 * Invariant: exactly one segment is current, or none; a retired one stays open until nobody has
 * asked for it during `keepMs`, or until there are too many; every segment is closed once.
 */
import type { Clock } from "../clock.ts";
import type { Segment } from "./segment.ts";

/** Most retired segments that stay open; the oldest gives way. */
export const RETIRED_MAX = 3;

interface Retired {
  readonly segment: Segment;
  usedMs: number;
}

/** Holds the opened segments. */
export class Shelf {
  readonly #clock: Clock;
  readonly #keepMs: number;
  #current: Segment | null = null;
  /** In the order of their retirement. */
  #retired: Retired[] = [];

  constructor(clock: Clock, keepMs: number) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** The segment that new questions are asked of; null before the first and after `close`. */
  current(): Segment | null {
    return this.#current;
  }

  /** A retired segment by its id, for a cursor that began on it; asking keeps it open. */
  retired(belongs: (snapshotId: string) => boolean): Segment | null {
    const found = this.#retired.find(({ segment }) => belongs(segment.snapshotId));
    if (found === undefined) return null;
    found.usedMs = this.#clock.monotonicMs();
    return found.segment;
  }

  /** How many segments are open. */
  get size(): number {
    return this.#retired.length + (this.#current === null ? 0 : 1);
  }

  /** Makes a segment the current one; the one before it retires. */
  put(segment: Segment): void {
    const before = this.#current;
    this.#current = segment;
    if (before === null) return;
    this.#retired.push({ segment: before, usedMs: this.#clock.monotonicMs() });
    while (this.#retired.length > RETIRED_MAX) this.#retired.shift()?.segment.close();
  }

  /** Closes the retired segments that nobody asked for lately; gives their labels. */
  sweep(): string[] {
    const nowMs = this.#clock.monotonicMs();
    const over = this.#retired.filter(({ usedMs }) => nowMs - usedMs >= this.#keepMs);
    this.#retired = this.#retired.filter((one) => !over.includes(one));
    for (const { segment } of over) segment.close();
    return over.map(({ segment }) => segment.label);
  }

  /** Closes everything. */
  close(): void {
    for (const { segment } of this.#retired) segment.close();
    this.#retired = [];
    this.#current?.close();
    this.#current = null;
  }
}
