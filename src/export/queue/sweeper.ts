/**
 * Deletes expired data: files of expired exports, idempotency keys after a day, and export records
 * long after the export ended.
 * Invariant: an export is durably marked as expired before its file is removed, so it stays
 * expired. If a file cannot be removed, its removal is retried. A record is deleted only after its
 * file. After a clock jump, nothing is deleted until the operator has had time to correct the
 * clock.
 */
import type { Clock } from "../../process/clock.ts";
import { faultPoint } from "../../process/fault.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { ExportRow, ExportStore } from "../../store/exportstore.ts";
import type { ExportFiles, RecordedFile } from "../files/exportfiles.ts";
import type { ExportFolder } from "../files/folder.ts";

/** Retention of an idempotency key, in milliseconds. */
export const IDEMPOTENCY_KEY_MS = 24 * 3_600 * 1_000;

/** Exports marked in one transaction. */
const BATCH = 100;
/** Max keys, and max records, deleted in one sweep. */
const ROWS_PER_SWEEP = 1_000;

interface SweeperParts {
  readonly store: ExportStore;
  readonly folder: ExportFolder;
  readonly files: ExportFiles;
  readonly clock: Clock;
  readonly clockJumps: ClockJumps;
  readonly log: Log;
  /** Retention of an export's record after it expired or failed, in milliseconds. */
  readonly forgetMs: number;
  /** Removes the copy of a sent file, now or later. */
  readonly discardCopy: (row: ExportRow) => void;
}

/** Deletes expired data on each call of `sweep`. */
export class Sweeper {
  readonly #parts: SweeperParts;
  /** Files whose removal failed, by export. */
  readonly #left = new Map<string, RecordedFile>();

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  /** Expires exports and deletes old keys and records. Throws the database's errors. */
  sweep(): void {
    const { store, clock, clockJumps, forgetMs } = this.#parts;
    for (const file of this.#left.values()) this.discard(file);
    if (clockJumps.hold()) return;
    while (this.#expireSome());
    store.forgetBefore(clock.nowMs() - IDEMPOTENCY_KEY_MS, ROWS_PER_SWEEP);
    this.#forgetRecords(clock.nowMs() - forgetMs);
  }

  /** Removes a file. If that fails, every sweep retries. */
  discard(file: RecordedFile): void {
    const { files, log } = this.#parts;
    try {
      files.remove(file);
      this.#left.delete(file.id);
    } catch (error) {
      if (!this.#left.has(file.id)) log.warn(describeError(error), "a file was not removed yet");
      this.#left.set(file.id, file);
    }
  }

  /** Removes an export's sent file and unclaimed entries, or leaves them to the next start. */
  discardSent(row: ExportRow): void {
    const { folder, log, discardCopy } = this.#parts;
    discardCopy(row);
    try {
      folder.removeSent(row.id);
    } catch (error) {
      log.warn(describeError(error), "a sent file was not removed; the next start will");
    }
  }

  /** Expires a batch. Returns true if more exports may be due. */
  #expireSome(): boolean {
    const { store, clock, log } = this.#parts;
    const nowMs = clock.nowMs();
    const due = store.due(nowMs, BATCH);
    if (due.length === 0) return false;
    store.atomically(() => {
      for (const { id } of due) store.expire(id, nowMs);
      faultPoint("expire.before_commit");
    });
    for (const row of due) {
      faultPoint("expire.before_unlink");
      this.discard(row);
      this.discardSent(row);
      faultPoint("expire.after_unlink");
      log.info({ export_id: row.id }, "export expired");
    }
    return due.length === BATCH;
  }

  /** Deletes old records, and with them the text of their specs. */
  #forgetRecords(beforeMs: number): void {
    const { store, folder, log } = this.#parts;
    const forgotten = store.forgetRecords(beforeMs, ROWS_PER_SWEEP);
    if (forgotten === 0) return;
    log.info({ exports: forgotten }, "records of old exports deleted");
    folder.cleanSent((id) => store.find(id) !== undefined, false);
  }
}

/** Min milliseconds of a clock jump, and time after a jump in which nothing expires. */
const JUMP_MS = 600_000;

/** Watches the clocks of one process. */
export class ClockJumps {
  readonly #clock: Clock;
  readonly #log: Log;
  #offsetMs: number;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#offsetMs = this.#offset();
  }

  /** True for a while after the wall clock has jumped. Nothing may expire or be deleted then. */
  hold(): boolean {
    const offsetMs = this.#offset();
    const jumpMs = offsetMs - this.#offsetMs;
    if (Math.abs(jumpMs) > JUMP_MS) {
      this.#heldUntilMs = this.#clock.monotonicMs() + JUMP_MS;
      this.#offsetMs = offsetMs;
      const words = "the clock has leapt: expired files and idempotency keys are kept for a while";
      this.#log.warn({ leap_s: Math.round(jumpMs / 1_000) }, words);
    }
    return this.#clock.monotonicMs() < this.#heldUntilMs;
  }

  #offset(): number {
    return this.#clock.nowMs() - this.#clock.monotonicMs();
  }
}
