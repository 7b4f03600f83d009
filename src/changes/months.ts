/**
 * Finds and opens the older snapshots in the served folder.
 * Invariant: a file is inspected again only if it changed. It stays open while in use, and for
 * `keepMs` after. If two files have the same label, the one with the later date is used. New,
 * removed, or replaced files change the reported months, but never a segment that is being read.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError, CommandError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import { describeError, type Log } from "../process/log.ts";
import { openSegment, type Segment } from "../search/segment.ts";

/** A snapshot in the folder, as last inspected. */
export interface Month
  extends Pick<Segment, "path" | "label" | "snapshotDate" | "snapshotId" | "accounts"> {}

interface MonthsParts {
  /** The served folder, or null if a single file is served. */
  readonly folder: string | null;
  /** Milliseconds that an opened month stays open after its last use. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** An inspected file; `month` is null if it is not a snapshot. */
interface Seen {
  readonly mark: string;
  readonly month: Month | null;
}

interface Opened {
  readonly segment: Segment;
  usedMs: number;
  readers: number;
}

/** Finds, opens, and closes older snapshots. */
export class Months {
  readonly #parts: MonthsParts;
  #seen: ReadonlyMap<string, Seen> = new Map();
  readonly #opened = new Map<string, Opened>();
  readonly #opening = new Map<string, Promise<Segment>>();
  #looking: Promise<void> | null = null;
  #blind = false;
  #closed = false;

  constructor(parts: MonthsParts) {
    this.#parts = parts;
  }

  /** True if a folder is served, which may hold other months. */
  get inFolder(): boolean {
    return this.#parts.folder !== null;
  }

  segments(): Segment[] {
    return [...this.#opened.values()].map(({ segment }) => segment);
  }

  get size(): number {
    return this.#opened.size;
  }

  /** All months of the last scan, of any age. */
  all(): Month[] {
    return [...this.#seen.values()].flatMap(({ month }) => (month === null ? [] : [month]));
  }

  /** All available months, and open months whose files are missing. */
  known(): Month[] {
    const seen = this.all();
    const open = [...this.#opened.values()].map(({ segment }): Month => segment);
    return [...seen, ...open.filter(({ snapshotId }) => !seen.some(hasId(snapshotId)))];
  }

  /** The months older than a snapshot, one for each label, newest first. */
  before(segment: Pick<Segment, "label" | "snapshotDate">): Month[] {
    const byLabel = new Map<string, Month>();
    for (const month of this.all()) {
      if (month.label === segment.label || orderOf(month) >= orderOf(segment)) continue;
      const twin = byLabel.get(month.label);
      if (twin === undefined || ageOf(month) > ageOf(twin)) byLabel.set(month.label, month);
    }
    return [...byLabel.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
  }

  /** Scans the folder; concurrent calls share one scan. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /**
   * Opens a month, or returns its open segment. Retain it before the next await. Throws `AppError`
   * `snapshot_unavailable` if its file is gone or replaced.
   */
  async open(month: Month): Promise<Segment> {
    const known = this.opened((id) => id === month.snapshotId);
    if (known !== null) return known;
    const begun = this.#opening.get(month.snapshotId);
    const opening = begun ?? this.#openNow(month);
    if (begun === undefined) this.#opening.set(month.snapshotId, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(month.snapshotId);
    }
  }

  /**
   * Returns the open month whose id fulfills `belongs`, even if its file is missing. Returns null
   * if there is none. The call counts as a use of the month.
   */
  opened(belongs: (snapshotId: string) => boolean): Segment | null {
    for (const [id, opened] of this.#opened) {
      if (opened.segment.native.poisoned() || !belongs(id)) continue;
      opened.usedMs = this.#parts.clock.monotonicMs();
      return opened.segment;
    }
    return null;
  }

  /** Keeps a segment from `open` open. Returns the function that releases it. */
  retain(segment: Segment): () => void {
    const opened = this.#opened.get(segment.snapshotId);
    if (opened === undefined || opened.segment !== segment) return () => {};
    opened.readers++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      opened.readers--;
      opened.usedMs = this.#parts.clock.monotonicMs();
      if (this.#closed && opened.readers === 0) segment.close();
    };
  }

  /** Closes damaged months, and months without readers or recent use. */
  sweep(): string[] {
    const nowMs = this.#parts.clock.monotonicMs();
    const closed: string[] = [];
    for (const [id, { segment, usedMs, readers }] of this.#opened) {
      const idle = nowMs - usedMs >= this.#parts.keepMs || segment.native.poisoned();
      if (readers > 0 || !idle) continue;
      this.#opened.delete(id);
      segment.close();
      closed.push(segment.label);
    }
    return closed;
  }

  /** Closes all segments; segments with readers close when their readers end. */
  close(): void {
    this.#closed = true;
    for (const { segment, readers } of this.#opened.values()) if (readers === 0) segment.close();
    this.#opened.clear();
  }

  async #openNow(month: Month): Promise<Segment> {
    let segment: Segment;
    try {
      segment = await openSegment(month.path);
    } catch (error) {
      if (isShortage(error)) throw error;
      throw gone(month.label, error);
    }
    if (segment.snapshotId !== month.snapshotId || this.#closed) {
      segment.close();
      throw gone(month.label, undefined);
    }
    const usedMs = this.#parts.clock.monotonicMs();
    this.#opened.set(month.snapshotId, { segment, usedMs, readers: 0 });
    return segment;
  }

  async #lookOnce(): Promise<void> {
    const { folder, log } = this.#parts;
    if (folder === null || this.#closed) return;
    const seen = new Map<string, Seen>();
    try {
      for (const name of (await readdir(folder)).sort()) {
        if (/^\.|\.tmp$|\.partial$/.test(name)) continue;
        const path = join(folder, name);
        const found = await this.#lookInto(path);
        if (found !== null) seen.set(path, found);
      }
      this.#blind = false;
    } catch (error) {
      // A network share may be unavailable for a while. Until it is available again, the months of
      // the last scan are reported.
      if (!this.#blind) log.warn(describeError(error), "the older snapshots cannot be looked at");
      this.#blind = true;
      return;
    }
    this.#seen = seen;
  }

  /** Inspects a file. If it is unchanged, returns the result of the last inspection. */
  async #lookInto(path: string): Promise<Seen | null> {
    const found = await stat(path).catch(() => null);
    if (found === null || !found.isFile()) return null;
    const mark = `${found.ino}-${found.size}-${found.mtimeMs}`;
    const before = this.#seen.get(path);
    if (before?.mark === mark) return before;
    try {
      const segment = await openSegment(path);
      const { label, snapshotDate, snapshotId, accounts } = segment;
      segment.close();
      return { mark, month: { path: segment.path, label, snapshotDate, snapshotId, accounts } };
    } catch (error) {
      // A shortage of files or memory may pass, so the file will be inspected again.
      return isShortage(error) ? null : { mark, month: null };
    }
  }
}

function hasId(id: string): (month: Month) => boolean {
  return ({ snapshotId }) => snapshotId === id;
}

/** Returns a sort key: the date of the data, then the label, for releases of one day. */
function orderOf({ snapshotDate, label }: Pick<Month, "snapshotDate" | "label">): string {
  return `${snapshotDate} ${label}`;
}

/**
 * Returns a key by which files with the same label are compared. The file with the larger key is
 * used. Between equal copies, the path decides, so that the choice never varies.
 */
function ageOf({ snapshotDate, snapshotId, path }: Month): string {
  return `${snapshotDate} ${snapshotId} ${path}`;
}

/** True if this process lacks resources. The file may be intact. */
function isShortage(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return !(error instanceof CommandError) && ["EMFILE", "ENFILE", "ENOMEM"].includes(code);
}

function gone(label: string, cause: unknown): AppError {
  const detail = `The snapshot of ${label} is being replaced or was taken away. Try again later.`;
  const headers = { "Retry-After": "5" };
  return new AppError("snapshot_unavailable", detail, { headers, cause });
}
