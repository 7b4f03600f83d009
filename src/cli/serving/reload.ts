/**
 * Loads newer snapshots into a running server. Input: a file or a folder, scanned repeatedly.
 * Output: a newer valid snapshot, opened, verified, warmed up by first queries, and registered.
 * Invariant: the served snapshot changes in one step, and only to a segment whose blocks are all
 * verified. A refused file is reported once and not retried until it changes. One scan runs at a
 * time.
 */
import { type BigIntStats, type FSWatcher, readdirSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readFooter } from "../../../native-index/format/snapshot/footer.ts";
import type { FileState } from "../../../native-index/napi/engine.ts";
import { CommandError } from "../../errors.ts";
import type { Clock } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import { wasTouched } from "../../search/scrubber.ts";
import { openSegment, type Segment } from "../../search/segment.ts";
import { readThrough, warm } from "../../search/warm.ts";
import { fileAt, isFolder, isNewer } from "./served.ts";

/** Interval between scans where file events are not delivered (network shares), in milliseconds. */
const POLL_MS = 5_000;
/** A file modified within this time may still be growing, in milliseconds. */
const QUIET_MS = 300;
/** Debounce of file events, in milliseconds: writing a file causes thousands a second. */
const GATHER_MS = 20;

interface ReloadParts {
  /** File or folder. */
  readonly path: string;
  readonly current: () => Segment | null;
  /** The latest verified snapshot, which may wait for other servers. */
  readonly latest: () => Segment | null;
  /** Opens a newer snapshot on all threads that will serve it. */
  readonly prepare?: (segment: Segment) => Promise<void>;
  /** Receives a newer snapshot, and owns it from then on. Returns true if it is served now. */
  readonly load: (segment: Segment) => boolean;
  /** Drops the current snapshot, because its file was modified. */
  readonly drop: () => void;
  /** Called whenever a file may have changed, before the scan. */
  readonly glance?: () => void;
  readonly looked?: () => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
}

type Mark = Pick<BigIntStats, "size" | "mtimeNs" | "ctimeNs" | "ino" | "nlink"> | undefined;

/** Scans for newer snapshots until it is stopped. */
export class Reload {
  readonly #parts: ReloadParts;
  readonly #folder: string;
  /** The only file to consider, or null for all in the folder. */
  readonly #only: string | null;
  /** Scanned files, by path. */
  readonly #seen = new Map<string, Mark>();
  /** Last report on each refused file. */
  readonly #reported = new Map<string, string>();
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  /** True while the folder cannot be read. */
  #blind = false;
  #lost = false;

  /**
   * Records the existing files as known. So construct a `Reload` before you open the first
   * snapshot. Throws `CommandError` if the path does not exist.
   */
  constructor(parts: ReloadParts) {
    this.#parts = parts;
    const folder = isFolder(parts.path);
    this.#folder = folder ? parts.path : dirname(parts.path);
    this.#only = folder ? null : basename(parts.path);
    for (const [path, mark] of this.#files()) this.#seen.set(path, mark);
  }

  /** Starts scanning: now, at file events, and every few seconds. */
  start(): void {
    this.#timer = setInterval(() => this.look(), POLL_MS);
    try {
      this.#watcher = watch(this.#folder, (_, name) => this.#noticed(name));
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch (error) {
      const known = { folder: this.#folder, ...describeError(error) };
      this.#parts.log.warn(known, "no file events here; looking every few seconds instead");
    }
    void this.look();
  }

  /** Stops. Resolves when a running scan has ended. No further snapshot is loaded. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watcher?.close();
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#soon !== null) clearTimeout(this.#soon);
    await this.#looking;
  }

  /** Handles a file event. The name is null if the system does not report it. */
  #noticed(name: string | null): void {
    if (this.#stopped || (name !== null && !this.#counts(name))) return;
    this.#parts.glance?.();
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      void this.look();
    }, GATHER_MS);
  }

  /** True if a file of this name could be a snapshot. */
  #counts(name: string): boolean {
    return this.#only === null ? !/^\.|\.(tmp|partial)$/.test(name) : name === this.#only;
  }

  /** Scans now. Resolves when all changes until now were checked. Never rejects. */
  look(): Promise<void> {
    this.#parts.glance?.();
    this.#again = true;
    this.#looking ??= this.#run().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.#lookOnce();
        this.#blind = false;
        await this.#parts.looked?.();
      } catch (error) {
        // A share may be unavailable for a while. The served snapshot does not depend on it.
        const known = { folder: this.#folder, ...describeError(error) };
        if (!this.#blind) this.#parts.log.warn(known, "the snapshots cannot be looked at");
        this.#blind = true;
      }
    }
  }

  async #lookOnce(): Promise<void> {
    this.#noteLoss();
    for (const [path, mark] of [...this.#files()]) {
      if (this.#stopped) return;
      const before = this.#seen.get(path);
      if (same(before, mark)) continue;
      const served = this.#servedSize(mark);
      if (served !== null && served === mark?.size && served === (before?.size ?? served)) {
        // This is the served file, and its size has not changed. The scrubber is checking it block
        // by block, and reports the result.
        this.#seen.set(path, mark);
        continue;
      }
      if (served !== null) this.#overwritten(path);
      this.#seen.set(path, await this.#quiet(path));
      await this.#take(path);
    }
  }

  /**
   * If the current snapshot becomes unreadable, forgets which files were scanned. Then any valid
   * file is accepted, even one that was known before.
   */
  #noteLoss(): void {
    const lost = this.#parts.current()?.native.poisoned() === true;
    if (lost && !this.#lost) this.#seen.clear();
    this.#lost = lost;
  }

  /** Returns the size of the served file when opened, or null if `mark` is of another file. */
  #servedSize(mark: Mark): bigint | null {
    const current = this.#parts.current();
    if (current === null || current.native.poisoned()) return null;
    const { inode, size } = current.native.opened;
    return inode === mark?.ino ? BigInt(size) : null;
  }

  /** Drops a served file that was overwritten, because reads would mix two snapshots. */
  #overwritten(path: string): void {
    const detail = "the served snapshot was written over; rename a new file to its place instead";
    this.#parts.log.error({ file: path }, detail);
    this.#parts.drop();
  }

  /** Yields the files that could be snapshots, newest names first. */
  *#files(): Generator<[path: string, mark: Mark]> {
    for (const name of readdirSync(this.#folder).sort().reverse()) {
      if (!this.#counts(name)) continue;
      const path = join(this.#folder, name);
      const found = fileAt(path);
      if (found !== undefined) yield [path, found];
    }
  }

  /** Waits until a file has stopped changing. Returns its state. */
  async #quiet(path: string): Promise<Mark> {
    for (let before: Mark; ; ) {
      const now = fileAt(path);
      if (now === undefined || this.#stopped) return now;
      const ageMs = this.#parts.clock.nowMs() - Number(now.mtimeMs);
      // If the clock of a network share is ahead of this machine's, only a second check can
      // show that the file still changes.
      if (ageMs >= QUIET_MS || same(before, now)) return now;
      before = now;
      await sleep(QUIET_MS);
    }
  }

  /** Opens a file, and loads it if it is newer than the served snapshot. */
  async #take(path: string): Promise<void> {
    const { load, log } = this.#parts;
    let segment: Segment | null = null;
    try {
      // Checks the footer first, so that a file that is not a snapshot is not read whole.
      readFooter(path);
      await readThrough(path, () => this.#stopped);
      segment = await openSegment(path);
      if (!this.#wanted(segment)) return segment.close();
      await segment.native.verify();
      await warm(segment);
      await this.#parts.prepare?.(segment);
      if (this.#stopped) return segment.close();
      const kind = this.#kindOf(segment);
      const replaced = this.#parts.current()?.label ?? "none";
      const isServed = load(segment);
      this.#reported.delete(path);
      const { label: snapshot, snapshotDate: date } = segment;
      const known = { snapshot, date, replaced, file: path };
      if (isServed) log.info(known, `${kind} snapshot served`);
    } catch (error) {
      segment?.close();
      this.#printRefused(path, error);
    }
  }

  #kindOf(segment: Segment): "first" | "newer" | "older" | "another" {
    const current = this.#parts.current();
    if (current === null) return "first";
    if (isNewer(segment, current)) return "newer";
    return isNewer(current, segment) ? "older" : "another";
  }

  #printRefused(path: string, error: unknown): void {
    const current = this.#parts.current();
    const why = error instanceof CommandError ? { why: error.message } : describeError(error);
    const works = current !== null && !current.native.poisoned();
    const still = works ? "what was served still is" : "nothing is served";
    const known = { file: path, served: works ? current.label : "none", ...why };
    // A file that is still being copied is refused repeatedly for the same reason. Only the first
    // refusal is logged as an error.
    const trouble = JSON.stringify([String(fileAt(path)?.ino), known]);
    const level = this.#reported.get(path) === trouble ? "info" : "error";
    this.#reported.set(path, trouble);
    this.#parts.log[level](known, `snapshot refused; ${still}`);
  }

  /**
   * True if a segment should be served. In a folder, it must be newer than the latest. If a single
   * file is served, it only has to be another snapshot.
   */
  #wanted(segment: Segment): boolean {
    const current = this.#parts.current();
    if (current === null || current.native.poisoned()) return true;
    const latest = this.#parts.latest() ?? current;
    if (this.#only !== null) return segment.snapshotId !== latest.snapshotId;
    return isNewer(segment, latest);
  }
}

function same(one: Mark, other: Mark): boolean {
  if (one === undefined || other === undefined) return one === other;
  return !wasTouched(stateOf(one), stateOf(other));
}

function stateOf(mark: NonNullable<Mark>): FileState {
  const { ino: inode, size, nlink, mtimeNs: modifiedNs, ctimeNs: changedNs } = mark;
  return { inode, size: Number(size), links: Number(nlink), modifiedNs, changedNs };
}
