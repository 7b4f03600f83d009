/**
 * What goes away by itself: files of expired exports, idempotency keys after a day. What comes in:
 * the passing of time. What goes out: fewer rows and files.
 * Invariant: an export is marked as expired, durably, before its file is removed, so what has
 * expired stays so; a file that could not be removed is tried again; a clock that leaps ahead does
 * not cost anybody a file before the operator could set it right.
 */
import type { Clock } from "../clock.ts";
import { faultPoint } from "../fault.ts";
import { describeError, type Log } from "../log.ts";
import type { ExportStore } from "../store/exportstore.ts";
import type { ExportFolder } from "./folder.ts";
import { KEY_KEPT_MS } from "./intake.ts";

/** Exports that are marked in one transaction. */
const BATCH = 100;
/** Keys that are forgotten in one sweep. */
const KEYS_PER_SWEEP = 1_000;
/** A step of the wall clock against the monotonic one that nobody makes on purpose. */
const LEAP_MS = 600_000;

/** What sweeping needs. */
export interface SweeperParts {
  readonly store: ExportStore;
  readonly folder: ExportFolder;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sweeps when it is told to. */
export class Sweeper {
  readonly #parts: SweeperParts;
  /** Names of files that could not be removed yet. */
  readonly #left = new Set<string>();
  #offsetMs: number;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
    this.#offsetMs = this.#clockOffset();
  }

  /** Expires, removes and forgets what its time has come for. Throws the database's errors. */
  sweep(): void {
    const { store, clock } = this.#parts;
    for (const name of this.#left) this.discard(name);
    if (!this.#holds()) while (this.#expireSome());
    store.forgetBefore(clock.nowMs() - KEY_KEPT_MS, KEYS_PER_SWEEP);
  }

  /** Removes a file; where that fails it is tried again at every sweep. */
  discard(name: string): void {
    const { folder, log } = this.#parts;
    try {
      folder.remove(name);
      this.#left.delete(name);
    } catch (error) {
      if (!this.#left.has(name)) log.warn(describeError(error), "a file was not removed yet");
      this.#left.add(name);
    }
  }

  /** Expires a batch; true when there may be more. */
  #expireSome(): boolean {
    const { store, folder, clock, log } = this.#parts;
    const nowMs = clock.nowMs();
    const due = store.due(nowMs, BATCH);
    if (due.length === 0) return false;
    store.atomically(() => {
      for (const { id } of due) store.expire(id, nowMs);
      faultPoint("expire.before_commit");
    });
    for (const { id, format } of due) {
      faultPoint("expire.before_unlink");
      this.discard(folder.nameOf(id, format));
      faultPoint("expire.after_unlink");
      log.info({ export_id: id }, "export expired");
    }
    return due.length === BATCH;
  }

  /** True for a while after the wall clock has leapt. */
  #holds(): boolean {
    const { clock, log } = this.#parts;
    const offsetMs = this.#clockOffset();
    if (Math.abs(offsetMs - this.#offsetMs) > LEAP_MS) {
      this.#heldUntilMs = clock.monotonicMs() + LEAP_MS;
      const leapSeconds = Math.round((offsetMs - this.#offsetMs) / 1_000);
      log.warn({ leap_s: leapSeconds }, "the clock has leapt: expired files are kept for a while");
      this.#offsetMs = offsetMs;
    }
    return clock.monotonicMs() < this.#heldUntilMs;
  }

  #clockOffset(): number {
    return this.#parts.clock.nowMs() - this.#parts.clock.monotonicMs();
  }
}
