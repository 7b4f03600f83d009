/**
 * Newer snapshots for a running server. What comes in: a file or a folder that is looked at again
 * and again. What goes out: a newer valid snapshot, opened, verified and warmed, put on the shelf.
 * Invariant: the shelf changes in one step and only to a segment whose every block is right; a file
 * that is refused is named once and is not tried again until it changes; one look at a time.
 */
import { type FSWatcher, readdirSync, type Stats, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../clock.ts";
import { CommandError } from "../errors.ts";
import { describeError, type Log } from "../log.ts";
import { openSegment, type Segment } from "../search/segment.ts";
import { warm } from "../search/warm.ts";
import { isNewer } from "./served.ts";

/** How often the place is looked at where file events do not reach (network shares). */
const POLL_MS = 5_000;
/** A file that was written to this lately may still be growing. */
const QUIET_MS = 300;

/** What looking again needs. */
export interface ReloadParts {
  /** File or folder. */
  readonly path: string;
  readonly current: () => Segment | null;
  /** Takes over a newer snapshot, which is its own from then on. */
  readonly load: (segment: Segment) => void;
  readonly log: Log;
  readonly clock: Clock;
}

/** Looks for newer snapshots until it is stopped. */
export class Reload {
  readonly #parts: ReloadParts;
  readonly #folder: string;
  /** The only file that counts, or null where all of the folder do. */
  readonly #only: string | null;
  /** Size and time of the files that were looked at, by path. */
  readonly #seen = new Map<string, string>();
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #again = false;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    const folder = statSync(parts.path).isDirectory();
    this.#folder = folder ? parts.path : dirname(parts.path);
    this.#only = folder ? null : basename(parts.path);
    for (const [path, mark] of this.#files()) this.#seen.set(path, mark);
  }

  /** Begins to look: at file events, and every few seconds where there are none. */
  start(): void {
    this.#timer = setInterval(() => this.look(), POLL_MS);
    try {
      this.#watcher = watch(this.#folder, () => this.look());
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch (error) {
      const known = { folder: this.#folder, ...describeError(error) };
      this.#parts.log.warn(known, "no file events here; looking every few seconds instead");
    }
  }

  /** Ends it; resolves when a look that had begun is over. */
  async stop(): Promise<void> {
    this.#watcher?.close();
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#again = false;
    await this.#looking;
  }

  /** Looks now; resolves when everything that changed until now was looked at. */
  look(): Promise<void> {
    this.#again = true;
    this.#looking ??= this.#run().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      for (const [path, mark] of this.#files()) {
        if (this.#seen.get(path) === mark) continue;
        await this.#quiet(path);
        this.#seen.set(path, markOf(statSync(path, { throwIfNoEntry: false })));
        await this.#take(path);
      }
    }
  }

  /** The files that could be snapshots, with their marks. */
  *#files(): Generator<[path: string, mark: string]> {
    for (const name of readdirSync(this.#folder).sort()) {
      if (this.#only === null ? /^\.|\.tmp$/.test(name) : name !== this.#only) continue;
      const path = join(this.#folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile()) yield [path, markOf(found)];
    }
  }

  /** Waits until a file has stopped changing. */
  async #quiet(path: string): Promise<void> {
    for (let mark = ""; ; ) {
      const found = statSync(path, { throwIfNoEntry: false });
      const now = markOf(found);
      const age = this.#parts.clock.nowMs() - (found?.mtimeMs ?? 0);
      if (found === undefined || (now === mark && age >= QUIET_MS)) return;
      mark = now;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    }
  }

  /** Opens a file and puts it on the shelf when it is newer than what is served. */
  async #take(path: string): Promise<void> {
    const { load, log } = this.#parts;
    let segment: Segment | null = null;
    try {
      segment = await openSegment(path);
      const current = this.#parts.current();
      const lost = current === null || current.native.poisoned();
      const newer = lost || isNewer(segment, current);
      const replaced = this.#only !== null && segment.snapshotId !== current?.snapshotId;
      if (!newer && !replaced) return segment.close();
      await segment.native.verify();
      await warm(segment);
      load(segment);
      log.info({ snapshot: segment.label, date: segment.snapshotDate }, "newer snapshot served");
    } catch (error) {
      segment?.close();
      const served = this.#parts.current()?.label ?? "none";
      const why = error instanceof CommandError ? { why: error.message } : describeError(error);
      log.error({ file: path, served, ...why }, "snapshot refused; the one before is served on");
    }
  }
}

function markOf(found: Stats | undefined): string {
  return found === undefined ? "" : `${found.size}:${found.mtimeMs}:${found.ino}`;
}
