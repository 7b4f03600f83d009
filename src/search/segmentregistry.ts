/**
 * The opened snapshots of a server. What comes in: segments, newest last. What goes out: the
 * current one for new questions, and the ones before it for cursors that began on them.
 * Invariant: exactly one segment is current, or none; a retired one stays open until nobody has
 * asked for it during `keepMs`, or until there are too many; one that is being read stays open
 * until that is over, whatever happens meanwhile; every segment is closed once.
 */
import type { Clock } from "../process/clock.ts";
import type { Segment } from "./segment.ts";

/** Most retired segments that are kept for cursors; the oldest gives way. */
export const RETIRED_MAX = 3;

/** Other threads that have the same segments open. */
interface OtherThreads {
  /** Returns the time since one of them used a segment, in milliseconds. */
  unusedMs(segment: Segment): number;
  /** Closes a segment there; the registry has closed it here. */
  drop(segment: Segment): void;
}

interface Retired {
  readonly segment: Segment;
  usedMs: number;
}

/** Holds the opened segments. */
export class SegmentRegistry {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #serves: (current: Segment | null) => void;
  readonly #others: OtherThreads | null;
  #current: Segment | null = null;
  /** In the order of their retirement. */
  #retired: Retired[] = [];
  /** How many readers a segment has. */
  readonly #readers = new Map<Segment, number>();
  /** Segments that are given up but have readers; nobody new is sent there. */
  readonly #leaving = new Set<Segment>();

  /** `serves` is told whenever another segment is the current one, or none is any more. */
  constructor(
    clock: Clock,
    keepMs: number,
    serves: (current: Segment | null) => void = () => {},
    others: OtherThreads | null = null,
  ) {
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#serves = serves;
    this.#others = others;
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

  /**
   * Keeps a segment open for a reader that goes on after its request was handled. Gives the way to
   * let go of it, which may be called again.
   */
  hold(segment: Segment): () => void {
    this.#readers.set(segment, (this.#readers.get(segment) ?? 0) + 1);
    let held = true;
    return () => {
      if (held) this.#letGo(segment);
      held = false;
    };
  }

  /** All that are open: the current one, those that retired, those that only have readers. */
  segments(): Segment[] {
    const current = this.#current === null ? [] : [this.#current];
    return [...current, ...this.#retired.map(({ segment }) => segment), ...this.#leaving];
  }

  /** How many segments are open. */
  get size(): number {
    return this.#retired.length + this.#leaving.size + (this.#current === null ? 0 : 1);
  }

  /** Makes a segment the current one; the one before it retires. */
  put(segment: Segment): void {
    const before = this.#current;
    this.#current = segment;
    this.#serves(segment);
    if (before !== null) {
      this.#retired.push({ segment: before, usedMs: this.#clock.monotonicMs() });
    }
    this.#giveUpTwins(segment);
    for (const { segment: oldest } of this.#retired.splice(0, this.#retired.length - RETIRED_MAX)) {
      this.#giveUp(oldest);
    }
  }

  /** Gives up the current segment; there is none until the next one is put here. */
  drop(): void {
    this.#serves(null);
    if (this.#current !== null) this.#giveUp(this.#current);
    this.#current = null;
  }

  /** Closes the retired segments that nobody asked for or reads lately; gives their labels. */
  sweep(): string[] {
    const nowMs = this.#clock.monotonicMs();
    const over = this.#retired.filter(({ segment, usedMs }) => {
      const unusedMs = this.#others?.unusedMs(segment) ?? Number.POSITIVE_INFINITY;
      const unused = Math.min(nowMs - usedMs, unusedMs) >= this.#keepMs;
      return unused && !this.#readers.has(segment);
    });
    this.#retired = this.#retired.filter((one) => !over.includes(one));
    for (const { segment } of over) this.#close(segment);
    return over.map(({ segment }) => segment.label);
  }

  /** Closes everything, what is being read when that is over. */
  close(): void {
    for (const { segment } of this.#retired) this.#giveUp(segment);
    this.#retired = [];
    this.drop();
  }

  /** Cursors of the same content go on with the segment that came back. */
  #giveUpTwins({ snapshotId }: Segment): void {
    const twins = this.#retired.filter(({ segment }) => segment.snapshotId === snapshotId);
    this.#retired = this.#retired.filter((one) => !twins.includes(one));
    for (const { segment } of twins) this.#giveUp(segment);
  }

  #giveUp(segment: Segment): void {
    if (this.#readers.has(segment)) this.#leaving.add(segment);
    else this.#close(segment);
  }

  #close(segment: Segment): void {
    segment.close();
    this.#others?.drop(segment);
  }

  #letGo(segment: Segment): void {
    const left = (this.#readers.get(segment) ?? 0) - 1;
    if (left > 0) {
      this.#readers.set(segment, left);
      return;
    }
    this.#readers.delete(segment);
    const retired = this.#retired.find((one) => one.segment === segment);
    if (retired !== undefined) retired.usedMs = this.#clock.monotonicMs();
    if (this.#leaving.delete(segment)) this.#close(segment);
  }
}
