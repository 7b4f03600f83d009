/**
 * Newer snapshots for a running server. What comes in: a file or a folder that is looked at again
 * and again. What goes out: a newer valid snapshot, opened, verified, warmed and registered.
 * Invariant: what is served changes in one step and only to a segment whose every block is right; a
 * file that is refused is named once and is not tried again until it changes; one look at a time.
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

/** How often the place is looked at where file events do not reach (network shares). */
const POLL_MS = 5_000;
/** A file that was written to this lately may still be growing. */
const QUIET_MS = 300;
/** A file that is being written makes thousands of events a second; one look answers so many. */
const GATHER_MS = 20;

/** What looking again needs. */
interface ReloadParts {
  /** File or folder. */
  readonly path: string;
  readonly current: () => Segment | null;
  /** Makes a newer snapshot known to all that are going to serve it. */
  readonly prepare?: (segment: Segment) => Promise<void>;
  /** Takes over a newer snapshot, which is its own from then on. */
  readonly load: (segment: Segment) => void;
  /** Gives up the current snapshot, whose file is not what was opened any more. */
  readonly drop: () => void;
  /** Told whenever something may have happened to a file, before it is looked at. */
  readonly glance?: () => void;
  /** Told whenever the place was looked at. */
  readonly looked?: () => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
}

/** What a file was like when it was looked at. */
type Mark = Pick<BigIntStats, "size" | "mtimeNs" | "ctimeNs" | "ino" | "nlink"> | undefined;

/** Looks for newer snapshots until it is stopped. */
export class Reload {
  readonly #parts: ReloadParts;
  readonly #folder: string;
  /** The only file that counts, or null where all of the folder do. */
  readonly #only: string | null;
  /** The files that were looked at, by path. */
  readonly #seen = new Map<string, Mark>();
  /** What was said last of a file that was refused. */
  readonly #told = new Map<string, string>();
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  /** Whether the place could not be read, and the current snapshot neither. */
  #blind = false;
  #lost = false;

  /**
   * Takes what is there now for known; so make it before the first snapshot is opened. Throws
   * `CommandError` when there is nothing at the path.
   */
  constructor(parts: ReloadParts) {
    this.#parts = parts;
    const folder = isFolder(parts.path);
    this.#folder = folder ? parts.path : dirname(parts.path);
    this.#only = folder ? null : basename(parts.path);
    for (const [path, mark] of this.#files()) this.#seen.set(path, mark);
  }

  /** Begins to look: now, at file events, and every few seconds where there are none. */
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

  /** Ends it; resolves when a look that had begun is over. Nothing is taken over any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watcher?.close();
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#soon !== null) clearTimeout(this.#soon);
    await this.#looking;
  }

  /** A file event; the name is not known everywhere. */
  #noticed(name: string | null): void {
    if (this.#stopped || (name !== null && !this.#counts(name))) return;
    this.#parts.glance?.();
    this.#soon ??= setTimeout(() => {
      this.#soon = null;
      void this.look();
    }, GATHER_MS);
  }

  /** Whether a file of this name in the folder could be a snapshot. */
  #counts(name: string): boolean {
    return this.#only === null ? !/^\.|\.(tmp|partial)$/.test(name) : name === this.#only;
  }

  /** Looks now; resolves when everything that changed until now was looked at. Never rejects. */
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
        // A share may be gone for a while; what is served does not depend on it.
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
        // It is being checked again, block by block, and whoever does that says the rest.
        this.#seen.set(path, mark);
        continue;
      }
      if (served !== null) this.#overwritten(path);
      this.#seen.set(path, await this.#quiet(path));
      await this.#take(path);
    }
  }

  /** Once the current snapshot cannot be read, any valid file will do, also a known one. */
  #noteLoss(): void {
    const lost = this.#parts.current()?.native.poisoned() === true;
    if (lost && !this.#lost) this.#seen.clear();
    this.#lost = lost;
  }

  /** If a file, and not only its name, is the one that is served: its size when it was opened. */
  #servedSize(mark: Mark): bigint | null {
    const current = this.#parts.current();
    if (current === null || current.native.poisoned()) return null;
    const { inode, size } = current.native.opened;
    return inode === mark?.ino ? BigInt(size) : null;
  }

  /** A file that was written over while it is served would give a mixture of two snapshots. */
  #overwritten(path: string): void {
    const detail = "the served snapshot was written over; rename a new file to its place instead";
    this.#parts.log.error({ file: path }, detail);
    this.#parts.drop();
  }

  /** The files that could be snapshots; by their names the newest first. */
  *#files(): Generator<[path: string, mark: Mark]> {
    for (const name of readdirSync(this.#folder).sort().reverse()) {
      if (!this.#counts(name)) continue;
      const path = join(this.#folder, name);
      const found = fileAt(path);
      if (found !== undefined) yield [path, found];
    }
  }

  /** Waits until a file has stopped changing; gives what it is like then. */
  async #quiet(path: string): Promise<Mark> {
    for (let before: Mark; ; ) {
      const now = fileAt(path);
      if (now === undefined || this.#stopped) return now;
      const ageMs = this.#parts.clock.nowMs() - Number(now.mtimeMs);
      // Where the clock of a share is ahead of ours, only a second look tells.
      if (ageMs >= QUIET_MS || same(before, now)) return now;
      before = now;
      await sleep(QUIET_MS);
    }
  }

  /** Opens a file and puts it into the registry when it is newer than what is served. */
  async #take(path: string): Promise<void> {
    const { load, log } = this.#parts;
    let segment: Segment | null = null;
    try {
      // What is none at first sight is not read to its end, which may be terabytes away.
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
      load(segment);
      this.#told.delete(path);
      const { label: snapshot, snapshotDate: date } = segment;
      log.info({ snapshot, date, replaced, file: path }, `${kind} snapshot served`);
    } catch (error) {
      segment?.close();
      this.#sayRefused(path, error);
    }
  }

  /** What a snapshot is to the one that it replaces. */
  #kindOf(segment: Segment): "first" | "newer" | "older" | "another" {
    const current = this.#parts.current();
    if (current === null) return "first";
    if (isNewer(segment, current)) return "newer";
    return isNewer(current, segment) ? "older" : "another";
  }

  #sayRefused(path: string, error: unknown): void {
    const current = this.#parts.current();
    const why = error instanceof CommandError ? { why: error.message } : describeError(error);
    const works = current !== null && !current.native.poisoned();
    const still = works ? "what was served still is" : "nothing is served";
    const known = { file: path, served: works ? current.label : "none", ...why };
    // A file that is being copied is looked at again and again, and is the same trouble each time.
    const trouble = JSON.stringify([String(fileAt(path)?.ino), known]);
    const level = this.#told.get(path) === trouble ? "info" : "error";
    this.#told.set(path, trouble);
    this.#parts.log[level](known, `snapshot refused; ${still}`);
  }

  /** Of a folder only newer ones; in the place of a named file whatever is another one. */
  #wanted(segment: Segment): boolean {
    const current = this.#parts.current();
    if (current === null || current.native.poisoned()) return true;
    if (this.#only !== null) return segment.snapshotId !== current.snapshotId;
    return isNewer(segment, current);
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
