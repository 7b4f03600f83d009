/**
 * Downloads a whole month from the share into a folder for `import`. Input: the share, a folder,
 * and the month, or none for the newest complete one. Output: `DIR/YYYY-MM` with every zip of one
 * publication, and a summary.
 * Invariant: the folder gets its final name only after every zip was checked against the share,
 * both before and after the download. An interrupted download leaves only resumable parts. Files of
 * two publications are never mixed.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { openDump } from "../dump/archive.ts";
import { readZip, type ZipMember } from "../dump/directory.ts";
import { CommandError } from "../errors.ts";
import { tryLock } from "../store/database.ts";
import { wordFor } from "../text/amounts.ts";
import { placeOf, type Share } from "./address.ts";
import { retryLimitsOf, withRetries } from "./backoff.ts";
import { DownloadError, ShareFault } from "./downloaderror.ts";
import { fetchFile } from "./fetchfile.ts";
import { examine, otherPublication, readThrough, reopen, sameMember } from "./finished.ts";
import {
  type ListedFile,
  listMonthAt,
  listMonths,
  NotReady,
  samePublication,
  trySources,
} from "./months.ts";
import { NO_PROXIES, type ProxyRules } from "./proxy.ts";
import { checkMembers, checkNewer, type ReadyMonth, readyMonth } from "./releasedate.ts";
import { Source, type SourceContext, type SourcesContext } from "./source.ts";
import { inParallelStreams, type StreamLimit } from "./streams.ts";
import { namesText, reasonOf, sizeText } from "./words.ts";
import * as folder from "./workfolder.ts";
import { checkSpace, type SpaceNeed } from "./workfolder.ts";

/** Max consecutive failures of a file, and of a request. */
const FILE_ATTEMPTS = 12;
const QUESTION_ATTEMPTS = 5;
/** Max number of times that a month may change on the share during its download. */
const ROUNDS_MAX = 3;
/** Max months checked to find a complete one. */
const MONTHS_TRIED = 3;

/** Displays progress in bytes. */
export interface ByteDisplay {
  update(done: number): void;
  done(): void;
}

/** Receives messages and progress. */
export interface Listener {
  /** Prints a sentence without a full stop or a line end. */
  readonly report: (text: string) => void;
  readonly show: (label: string, bytes: number) => ByteDisplay;
}

/** Access to shares. */
export interface ShareUse {
  /** The shares to use, in order of preference. */
  readonly shares: readonly Share[];
  /** Proxies; default none. */
  readonly proxies?: ProxyRules;
  readonly streams: number;
  readonly stallMs: number;
  readonly signal: AbortSignal;
  readonly listener: Listener;
}

/** Options of a download. */
export interface DownloadOptions extends ShareUse {
  /** Month to download, or null for the newest complete one. */
  readonly month: string | null;
  /** Parent of the month's folder. */
  readonly to: string;
  /** True to download the partners too, which an import does not read. */
  readonly all: boolean;
  /** Discards a finished folder of another publication. */
  readonly replace: boolean;
  /** Reads every received byte and compares checksums. */
  readonly verify: boolean;
  /** Accepts only a month whose data has a later date. */
  readonly newerThan?: string;
  /** Returns the disk space needed after the download. */
  readonly needs?: (bytes: number) => readonly SpaceNeed[];
}

/** Summary of a download. */
export interface Downloaded {
  readonly month: string;
  /** Source host. */
  readonly host: string;
  readonly folder: string;
  readonly token: string | null;
  readonly files: number;
  readonly bytes: number;
  /** Number of downloaded bytes, including repeated ones. */
  readonly fetched_bytes: number;
  readonly seconds: number;
  /** True if nothing had to be downloaded. */
  readonly already: boolean;
}

/** Prepares listing requests to the shares. */
export function sourcesContextOf(use: ShareUse): SourcesContext {
  const { shares, stallMs, signal, listener, proxies = NO_PROXIES } = use;
  return {
    sources: shares.map((share) => new Source(share, stallMs, proxies)),
    retryLimits: retryLimitsOf(stallMs, QUESTION_ATTEMPTS),
    signal,
    report: listener.report,
  };
}

/** Downloads a month. @throws CommandError, Interrupted */
export async function downloadMonth(options: DownloadOptions): Promise<Downloaded> {
  await folder.makeFolder(options.to);
  const unlock = tryLock(options.to, ".download.lock");
  if (unlock === null) throw new CommandError(`Another download works in ${options.to}.`);
  try {
    return await new MonthDownload(options).run();
  } finally {
    folder.removeEmpty(options.to);
    unlock();
  }
}

class MonthDownload {
  readonly #options: DownloadOptions;
  readonly #context: SourcesContext;
  readonly #started = performance.now();

  constructor(options: DownloadOptions) {
    this.#options = options;
    this.#context = sourcesContextOf(options);
  }

  async run(): Promise<Downloaded> {
    const { month } = this.#options;
    if (month !== null) return this.#fetch(month);
    const labels = await listMonths(this.#context);
    if (labels.length === 0) {
      const places = this.#options.shares.map(placeOf).join(", ");
      throw new ShareFault(`There are no months at ${places}. Check download.url.`);
    }
    let reason: NotReady | null = null;
    for (const label of labels.slice(0, MONTHS_TRIED)) {
      try {
        return await this.#fetch(label);
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        this.#options.listener.report(error.message);
        reason ??= error;
      }
    }
    throw new CommandError("None of the newest months of the share can be downloaded.", 1, reason);
  }

  /** Downloads a month from the first source that has it and does not fail. */
  #fetch(label: string): Promise<Downloaded> {
    return trySources(this.#context, (source) => {
      const context = { ...this.#context, source };
      return new MonthFrom(this.#options, context, this.#started).run(label);
    });
  }
}

/** Downloads a month from one source. */
class MonthFrom {
  readonly #options: DownloadOptions;
  readonly #context: SourceContext;
  readonly #streamLimit: StreamLimit;
  readonly #started: number;
  #fetched = 0;

  constructor(options: DownloadOptions, context: SourceContext, started: number) {
    this.#options = options;
    this.#context = context;
    this.#streamLimit = { streams: options.streams };
    this.#started = started;
  }

  async run(label: string): Promise<Downloaded> {
    for (let round = 1; ; round++) {
      try {
        const { all } = this.#options;
        return await this.#complete(await readyMonth(this.#context, this.#streamLimit, label, all));
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error;
        if (round === ROUNDS_MAX) {
          throw new ShareFault(
            `${label} changed at the share or came damaged ${round} times: ${reasonOf(error)}. ` +
              "Run the command again later; nothing mixed is kept.",
            1,
            error,
          );
        }
        this.#report(
          `${label}: ${error.message}; it was published anew or is damaged: looking at it again ` +
            "and throwing away what is not of it",
        );
      }
    }
  }

  #report(text: string): void {
    this.#options.listener.report(text);
  }

  async #complete(ready: ReadyMonth): Promise<Downloaded> {
    const { month } = ready;
    const { to, newerThan } = this.#options;
    checkNewer(month.label, ready.token, newerThan);
    const paths = folder.monthPaths(to, month.label);
    if (existsSync(paths.final) && (await this.#isThere(ready, paths))) {
      await rm(paths.work, { recursive: true, force: true });
      return this.#done(ready, paths.final, true);
    }
    await this.#fetchAll(ready, paths);
    const after = await listMonthAt(this.#context, month.label, this.#options.all);
    if (!samePublication(month, after)) {
      throw new DownloadError("replaced", "the listing changed in the meantime");
    }
    const token = await this.#check(ready, paths);
    checkNewer(month.label, token, newerThan);
    await folder.settle(paths, this.#record(ready, token));
    // Checks the files as an import does, under their final names.
    await openDump(paths.work, month.label);
    await folder.publish(paths);
    return this.#done({ ...ready, token }, paths.final, false);
  }

  #done(ready: ReadyMonth, path: string, already: boolean): Downloaded {
    const { month, token } = ready;
    return {
      month: month.label,
      host: this.#context.source.host,
      folder: path,
      token,
      files: month.files.length,
      bytes: month.bytes,
      fetched_bytes: this.#fetched,
      seconds: Math.round(performance.now() - this.#started) / 1000,
      already,
    };
  }

  #record({ month }: ReadyMonth, token: string | null): folder.DownloadRecord {
    const files = month.files.map(({ name, bytes, etag, modified, mark }) => {
      return { name, bytes, etag, modified, mark };
    });
    const { host } = this.#context.source;
    return { format: 1, month: month.label, host, token, files };
  }

  /** Returns true if the finished folder is complete. Otherwise makes it an unfinished one. */
  async #isThere(ready: ReadyMonth, paths: folder.MonthPaths): Promise<boolean> {
    const { replace, verify } = this.#options;
    const { final } = paths;
    const found = await examine({ final, ready, verify, check: readThrough });
    if (found.other.length > 0) {
      if (!replace) throw otherPublication(final, found.other);
      this.#report(`${final} holds another publication (${namesText(found.other)}): replacing it`);
    } else if (found.damaged.length === 0) return true;
    else this.#report(`${final}: missing or damaged: ${namesText(found.damaged)}; fetching again`);
    const record = this.#record(ready, null);
    const files = record.files.filter(({ name }) => found.same.includes(name));
    await reopen(paths, { ...record, files }, [...found.damaged, ...found.other]);
    return false;
  }

  async #fetchAll(ready: ReadyMonth, paths: folder.MonthPaths): Promise<void> {
    const { month } = ready;
    const there = await folder.prepare(paths, month);
    const have = [...there.values()].reduce((sum, bytes) => sum + bytes, 0);
    const left = month.bytes - have;
    const need = { folder: paths.work, bytes: left, what: `the zips of ${month.label}` };
    checkSpace([need, ...(this.#options.needs?.(month.bytes) ?? [])]);
    this.#report(
      `${month.label}${ready.token === null ? "" : ` (${ready.token})`}: ` +
        `${month.files.length} ${wordFor(month.files.length, "zip")}, ` +
        `${sizeText(month.bytes)} from ${this.#context.source.host}` +
        (have > 0 ? `; ${sizeText(have)} of them are here already` : ""),
    );
    const display = this.#options.listener.show(`download ${month.label}`, left);
    let done = 0;
    const onBytes = (bytes: number): void => {
      done += bytes;
      if (bytes > 0) this.#fetched += bytes;
      display.update(Math.max(0, done));
    };
    const items = month.files.filter((file) => !existsSync(folder.completePath(paths, file)));
    await inParallelStreams({
      items,
      streamLimit: this.#streamLimit,
      signal: this.#context.signal,
      report: (text) => this.#report(text),
      work: (file, lane) => this.#fetchOne({ file, paths, onBytes }, lane),
    });
    display.done();
  }

  async #fetchOne(
    { file, paths, onBytes }: OneFile,
    lane: { readonly signal: AbortSignal; readonly alone: () => boolean },
  ): Promise<void> {
    const context = { ...this.#context, signal: lane.signal };
    let at = 0;
    let furthest = 0;
    const count = (bytes: number): void => {
      at += bytes;
      furthest = Math.max(furthest, at);
      onBytes(bytes);
    };
    const part = folder.partPath(paths, file);
    const whole = folder.completePath(paths, file);
    await withRetries({
      ...context,
      name: file.name,
      retryLimits: retryLimitsOf(this.#options.stallMs, FILE_ATTEMPTS),
      leave: ({ kind }) => kind === "crowded" && !lane.alone(),
      reached: () => furthest,
      step: () => fetchFile({ context, file, part, whole, onBytes: count }),
    });
  }

  /**
   * Compares the received files with the share's list. Returns the date token ("D60808") that all
   * member names contain, or null if none contains one.
   */
  async #check(ready: ReadyMonth, paths: folder.MonthPaths): Promise<string | null> {
    const members = new Map<string, ZipMember>();
    for (const file of ready.month.files) {
      const path = folder.completePath(paths, file);
      try {
        const packed = await readZip(path);
        const listed = ready.members?.get(file.name);
        if (listed !== undefined && !sameMember(packed, listed)) {
          throw new Error("it is another zip than the one that was looked at before");
        }
        if (this.#options.verify) await readThrough(path);
        members.set(file.name, packed);
      } catch (error) {
        await rm(path, { force: true });
        throw new DownloadError("replaced", `${file.name}: ${reasonOf(error)}`);
      }
    }
    return checkMembers(ready.month.label, members);
  }
}

interface OneFile {
  readonly file: ListedFile;
  readonly paths: folder.MonthPaths;
  readonly onBytes: (bytes: number) => void;
}
