/**
 * Makes a server's change lists, once per pair of snapshots, in the data directory, and opens them.
 * Invariant: one list is made at a time, in its own thread. Concurrent callers share it. A
 * list that does not open is rebuilt. Failures are reported with their reason and retried later.
 * The folder holds a bounded number of lists and bytes.
 */
import { resolve } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import { describeError, type Log } from "../process/log.ts";
import type { Segment } from "../search/segment.ts";
import { readThrough } from "../search/warm.ts";
import { openDataDir } from "../store/datadir.ts";
import { storageRefusal } from "../store/failures.ts";
import { type ChangeList, ChangeListError, changeListName, openChangeList } from "./list.ts";
import {
  CHANGES_FOLDER,
  changeListPath,
  evictOldLists,
  markUsed,
  removePartial,
} from "./listfolder.ts";
import { type ListBuild, ListThread } from "./listthread.ts";

/** Milliseconds after a failure during which callers get the same error. */
const FAILURE_CACHE_MS = 15_000;
/** Milliseconds between checks whether a wait should end. */
const WAIT_TURN_MS = 100;
/** Bounds of Retry-After, in seconds. */
const RETRY_SECONDS = [2, 120] as const;
/** Retry-After if the duration is still unknown. */
const RETRY_UNKNOWN = 10;

const NOT_MADE = "change list was not made";

/** An older and a newer snapshot, both open. */
export interface ChangePair {
  readonly older: Segment;
  readonly newer: Segment;
}

/** Dependencies of the change lists. */
interface ChangeListsParts {
  readonly dataDir: string;
  /** Milliseconds that a list stays open after its last use. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Keeps a segment open. Returns a function that releases it. */
  readonly retain: (segment: Segment) => () => void;
}

/** How long a caller waits for a list. */
interface ListPatience {
  readonly waitMs: number;
  /** Called again and again during the wait. If it returns true, the wait ends. */
  readonly ended: () => boolean;
}

/** A list in use until it is released; `release` may be called again. */
export interface RetainedList {
  readonly list: ChangeList;
  release(): void;
}

/** A pair of snapshots with its open list, or the list that is being made. */
interface Entry {
  readonly name: string;
  list: ChangeList | null;
  letGo: () => void;
  users: number;
  usedMs: number;
  opening: Promise<void> | null;
  making: ListBuild | null;
  beganMs: number;
  failure: { readonly error: AppError; readonly atMs: number } | null;
}

/** Makes, opens and closes change lists. */
export class ChangeLists {
  readonly #parts: ChangeListsParts;
  readonly #folder: string;
  readonly #thread: ListThread;
  readonly #entries = new Map<string, Entry>();
  #stopped = false;

  /** Creates the folder if it is missing. Throws `CommandError` if others could access it. */
  constructor(parts: ChangeListsParts) {
    this.#parts = parts;
    this.#folder = resolve(parts.dataDir, CHANGES_FOLDER);
    openDataDir(this.#folder);
    this.#thread = new ListThread(parts.log);
  }

  /** Removes partial files of a crashed process. Call it once, before any list is used. */
  start(): void {
    removePartial(this.#folder);
  }

  /** Returns the path of a pair's list, which may not exist. */
  pathOf(older: Segment, newer: Segment): string {
    return changeListPath(this.#parts.dataDir, older.snapshotId, newer.snapshotId);
  }

  /**
   * Returns the list of a pair, and makes it if it is missing. Throws `AppError`:
   * `changes_preparing` if this takes longer than the wait, `snapshot_unavailable` or `overloaded`
   * if it fails.
   */
  async open(pair: ChangePair, patience: ListPatience): Promise<RetainedList> {
    const entry = this.#entryOf(pair);
    const held = this.#held(entry);
    if (held !== null) return held;
    refuseFailed(entry);
    const untilMs = this.#parts.clock.monotonicMs() + patience.waitMs;
    entry.opening ??= this.#begin(pair, entry);
    for (;;) {
      const leftMs = untilMs - this.#parts.clock.monotonicMs();
      const ended = patience.ended();
      if (!ended && entry.opening !== null)
        await settledWithin(entry.opening, Math.min(leftMs, WAIT_TURN_MS));
      const now = this.#held(entry);
      if (now !== null) return now;
      refuseFailed(entry);
      const over = ended || leftMs <= WAIT_TURN_MS || this.#stopped;
      if (over || entry.opening === null) throw this.#preparing(entry, pair);
    }
  }

  /** Makes the list of a pair in the background. Failures are logged. */
  prepare(pair: ChangePair): void {
    const entry = this.#entryOf(pair);
    if (entry.list === null && entry.failure === null) entry.opening ??= this.#begin(pair, entry);
  }

  /** Number of open lists. */
  get size(): number {
    return [...this.#entries.values()].filter(({ list }) => list !== null).length;
  }

  /** Closes lists without recent use. */
  sweep(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    for (const [name, entry] of this.#entries) {
      const busy = entry.users > 0 || entry.opening !== null;
      if (busy || nowMs - entry.usedMs < this.#parts.keepMs) continue;
      this.#close(entry);
      this.#entries.delete(name);
    }
  }

  /**
   * Removes lists that lack both snapshots, then the least recently used lists beyond the limits.
   */
  clean(isThere: (snapshotId: string) => boolean): void {
    const busy = new Set([...this.#entries.values()].map(({ name }) => name));
    try {
      for (const name of evictOldLists(this.#folder, isThere, busy)) {
        this.#parts.log.info({ list: name }, "change list removed");
      }
    } catch (error) {
      this.#parts.log.warn(describeError(error), "old change lists were not removed");
    }
  }

  /** Begins to stop: makes no more lists, and ends all waits. */
  stop(): void {
    this.#stopped = true;
    this.#thread.stop();
  }

  /** Closes everything. No list may be used afterwards. */
  async close(): Promise<void> {
    this.stop();
    await this.#thread.close();
    await Promise.all([...this.#entries.values()].map(({ opening }) => opening));
    for (const entry of this.#entries.values()) this.#close(entry);
    this.#entries.clear();
  }

  #entryOf({ older, newer }: ChangePair): Entry {
    const name = changeListName(older, newer);
    const known = this.#entries.get(name);
    if (known !== undefined) {
      // An open list refers to its segments, so it is closed if these have been reopened.
      const { list } = known;
      if (list !== null && known.users === 0 && !isOf(list, { older, newer })) this.#close(known);
      const age = this.#parts.clock.monotonicMs() - (known.failure?.atMs ?? 0);
      if (age >= FAILURE_CACHE_MS) known.failure = null;
      return known;
    }
    const usedMs = this.#parts.clock.monotonicMs();
    const entry: Entry = {
      ...{ name, usedMs, list: null, letGo: () => {}, users: 0 },
      ...{ opening: null, making: null, beganMs: usedMs, failure: null },
    };
    this.#entries.set(name, entry);
    return entry;
  }

  #held(entry: Entry): RetainedList | null {
    const { list } = entry;
    if (list === null) return null;
    entry.users++;
    entry.usedMs = this.#parts.clock.monotonicMs();
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      entry.users--;
      entry.usedMs = this.#parts.clock.monotonicMs();
    };
    return { list, release };
  }

  /** Opens the list, after making it if needed. Never rejects. */
  async #begin(pair: ChangePair, entry: Entry): Promise<void> {
    const { retain, clock } = this.#parts;
    entry.beganMs = clock.monotonicMs();
    const holds = [retain(pair.older), retain(pair.newer)];
    const letGo = () => {
      for (const release of holds) release();
    };
    try {
      const path = this.pathOf(pair.older, pair.newer);
      const found = await this.#opened(path, pair);
      if (found === null) await this.#make(path, pair, entry);
      entry.list = found ?? (await this.#opened(path, pair));
      if (entry.list === null) throw new Error("a list that was made does not open");
      entry.letGo = letGo;
    } catch (error) {
      letGo();
      const known = error instanceof AppError ? error : unmade("other", error);
      if (known !== error) this.#parts.log.error(describeError(error), NOT_MADE);
      if (!this.#stopped) entry.failure = { error: known, atMs: clock.monotonicMs() };
    } finally {
      ended(entry);
    }
  }

  /** Opens the list in a file. Returns null if it must be rebuilt. */
  async #opened(path: string, { older, newer }: ChangePair): Promise<ChangeList | null> {
    try {
      // Opening reads the whole list to verify it. Reading ahead avoids waits for the disk.
      await readThrough(path, () => this.#stopped).catch(() => {});
      const list = openChangeList(path, older, newer);
      markUsed(path);
      return list;
    } catch (error) {
      if (!(error instanceof ChangeListError)) throw error;
      const { problem } = error;
      if (problem !== "missing") this.#parts.log.warn({ problem }, "a change list is made anew");
      return null;
    }
  }

  async #make(path: string, { older, newer }: ChangePair, entry: Entry): Promise<void> {
    const { log, clock } = this.#parts;
    const months = { since: older.label, until: newer.label };
    const beganMs = clock.monotonicMs();
    entry.making = this.#thread.make({ older, newer, path });
    const outcome = await entry.making.outcome;
    if (outcome.kind === "made") {
      const took_ms = Math.round(clock.monotonicMs() - beganMs);
      log.info({ ...months, entries: outcome.entries, took_ms }, "change list made");
      return;
    }
    if (outcome.kind === "cancelled") throw unmade("other");
    log.error({ ...months, why: outcome.why, ...outcome.error }, NOT_MADE);
    throw unmade(outcome.why);
  }

  /** Returns the error after a wait, with the progress and the time to retry. */
  #preparing({ making, beganMs }: Entry, { older, newer }: ChangePair): AppError {
    const share = making?.progress() ?? 0;
    const detail =
      `What changed from ${older.label} to ${newer.label} is being listed, which is done once: ` +
      `${Math.round(share * 100)} % so far. Ask again after the time in Retry-After.`;
    const tookMs = this.#parts.clock.monotonicMs() - beganMs;
    const seconds = share < 0.01 ? RETRY_UNKNOWN : (tookMs * (1 - share)) / share / 1_000;
    const wait = Math.min(Math.max(Math.ceil(seconds), RETRY_SECONDS[0]), RETRY_SECONDS[1]);
    const headers = { "Retry-After": String(wait) };
    const members = { progress: Math.round(share * 1_000) / 1_000 };
    return new AppError("changes_preparing", detail, { headers, members });
  }

  #close(entry: Entry): void {
    entry.list?.close();
    entry.list = null;
    entry.letGo();
    entry.letGo = () => {};
  }
}

function ended(entry: Entry): void {
  entry.opening = null;
  entry.making = null;
}

function refuseFailed({ failure }: Entry): void {
  if (failure !== null) throw failure.error;
}

function isOf(list: ChangeList, { older, newer }: ChangePair): boolean {
  return list.older === older && list.newer === newer;
}

/** Resolves when the work has settled, or after `waitMs`. */
async function settledWithin(work: Promise<void>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, Math.max(0, Math.ceil(waitMs)));
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function unmade(why: "snapshot" | "disk" | "other", cause?: unknown): AppError {
  const headers = { "Retry-After": "30" };
  if (why === "snapshot") {
    const detail = "One of the two snapshots is gone or damaged. The operator must replace it.";
    return new AppError("snapshot_unavailable", detail, { headers, cause });
  }
  if (why === "disk") {
    const detail =
      "The server's disk is full, so the changes cannot be listed. Ask its operator for space.";
    return new AppError("storage_full", detail, { headers, cause });
  }
  const detail = "The changes could not be listed at the moment. Try again later.";
  return storageRefusal(cause) ?? new AppError("overloaded", detail, { headers, cause });
}
