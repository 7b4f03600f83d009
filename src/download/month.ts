/**
 * A whole month, from the share to a folder that `import` takes.
 * What comes in: the share, a folder, the wanted month or none for the newest complete one.
 * What goes out: `DIR/YYYY-MM` with every zip of one publication, and what was done.
 * Invariant: the folder has its final name only when every zip was checked against what the share
 * lists and holds, before and after; whatever ends the work before that leaves resumable parts and
 * nothing under the final name; files of two publications never stand together.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { wordFor } from "../amounts.ts";
import { openDump } from "../dump/archive.ts";
import { readZip, type ZipMember } from "../dump/directory.ts";
import { CommandError } from "../errors.ts";
import { tryLock } from "../store/database.ts";
import type { Share } from "./address.ts";
import { patienceOf, patiently } from "./backoff.ts";
import { ShareClient } from "./client.ts";
import { DownloadError } from "./downloaderror.ts";
import { fetchFile } from "./fetchfile.ts";
import { examine, otherPublication, readThrough, reopen, sameMember } from "./finished.ts";
import { type Inquiry, type ListedFile, listMonth, listMonths, samePublication } from "./months.ts";
import { checkMembers, NotReady, type ReadyMonth, readyMonth } from "./releasedate.ts";
import { checkSpace, type Demand } from "./space.ts";
import { type Crowd, inStreams } from "./streams.ts";
import { namesText, reasonOf, sizeText } from "./words.ts";
import * as folder from "./workfolder.ts";

/** Failures in a row that end a file, and a question. */
const FILE_ATTEMPTS = 12;
const QUESTION_ATTEMPTS = 5;
/** How often a month may change under our hands. */
const ROUNDS_MAX = 3;
/** Without a wanted month, this many are looked at for a complete one. */
const MONTHS_TRIED = 3;

/** Shows how far the bytes are. */
export interface ByteDisplay {
  update(done: number): void;
  done(): void;
}

/** Who hears of the work. */
export interface Listener {
  /** A sentence for people, without a full stop or a line end. */
  readonly say: (text: string) => void;
  readonly show: (label: string, bytes: number) => ByteDisplay;
}

/** How a share is asked. */
export interface ShareUse {
  readonly share: Share;
  readonly streams: number;
  readonly stallMs: number;
  readonly signal: AbortSignal;
  readonly listener: Listener;
}

/** What to download. */
export interface DownloadOptions extends ShareUse {
  /** Null is the newest complete month. */
  readonly month: string | null;
  /** Folder that gets the month's folder. */
  readonly to: string;
  /** Also the partners, which an import does not read. */
  readonly all: boolean;
  /** Throw away a finished folder of another publication. */
  readonly replace: boolean;
  /** Read every byte of what came and compare checksums. */
  readonly verify: boolean;
  /** What else will need room once the month is there. */
  readonly demands?: (bytes: number) => readonly Demand[];
}

/** What was done. */
export interface Downloaded {
  readonly month: string;
  readonly folder: string;
  readonly token: string | null;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that came over the network for the files, repeated ones included. */
  readonly fetched_bytes: number;
  readonly seconds: number;
  /** True where everything was there before. */
  readonly already: boolean;
}

/** How the share is asked for listings. */
export function inquiryOf({ share, stallMs, signal, listener }: ShareUse): Inquiry {
  return {
    client: new ShareClient(share, stallMs),
    patience: patienceOf(stallMs, QUESTION_ATTEMPTS),
    signal,
    say: listener.say,
  };
}

/** Downloads a month. @throws CommandError, Interrupted */
export async function downloadMonth(wish: DownloadOptions): Promise<Downloaded> {
  await folder.makeFolder(wish.to);
  const unlock = tryLock(wish.to, ".download.lock");
  if (unlock === null) throw new CommandError(`Another download works in ${wish.to}.`);
  try {
    return await new MonthDownload(wish).run();
  } finally {
    unlock();
  }
}

class MonthDownload {
  readonly #wish: DownloadOptions;
  readonly #inquiry: Inquiry;
  readonly #crowd: Crowd;
  readonly #started = performance.now();
  #fetched = 0;

  constructor(wish: DownloadOptions) {
    this.#wish = wish;
    this.#inquiry = inquiryOf(wish);
    this.#crowd = { streams: wish.streams };
  }

  async run(): Promise<Downloaded> {
    let label = this.#wish.month;
    for (let round = 1; ; round++) {
      try {
        const ready = label === null ? await this.#newest() : await this.#ready(label);
        label = ready.month.label;
        return await this.#complete(ready);
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error;
        const name = label ?? "the month";
        if (round === ROUNDS_MAX) {
          throw new CommandError(
            `${name} changed at the share or came damaged ${round} times: ${reasonOf(error)}. ` +
              "Run the command again later; nothing mixed is kept.",
            1,
            error,
          );
        }
        this.#say(
          `${name}: ${error.message}; it was published anew or is damaged: looking at it again ` +
            "and throwing away what is not of it",
        );
      }
    }
  }

  #say(text: string): void {
    this.#wish.listener.say(text);
  }

  #ready(label: string): Promise<ReadyMonth> {
    return readyMonth(this.#inquiry, this.#crowd, label, this.#wish.all);
  }

  /** The newest month that is complete and of one release. */
  async #newest(): Promise<ReadyMonth> {
    const labels = await listMonths(this.#inquiry);
    if (labels.length === 0) {
      throw new CommandError(`There are no months at ${this.#wish.share.root}.`);
    }
    let reason: NotReady | null = null;
    for (const label of labels.slice(0, MONTHS_TRIED)) {
      try {
        return await this.#ready(label);
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        this.#say(error.message);
        reason ??= error;
      }
    }
    throw new CommandError("None of the newest months of the share can be downloaded.", 1, reason);
  }

  async #complete(ready: ReadyMonth): Promise<Downloaded> {
    const { month } = ready;
    const paths = folder.monthPaths(this.#wish.to, month.label);
    if (existsSync(paths.final) && (await this.#isThere(ready, paths))) {
      await rm(paths.work, { recursive: true, force: true });
      return this.#done(ready, paths.final, true);
    }
    await this.#fetchAll(ready, paths);
    const after = await listMonth(this.#inquiry, month.label, this.#wish.all);
    if (!samePublication(month, after)) {
      throw new DownloadError("replaced", "the listing changed in the meantime");
    }
    const token = await this.#check(ready, paths);
    await folder.settle(paths, this.#record(ready, token));
    // The same look that an import takes, at the files under the names that it will find.
    await openDump(paths.work, month.label);
    await folder.publish(paths);
    return this.#done({ ...ready, token }, paths.final, false);
  }

  #done(ready: ReadyMonth, path: string, already: boolean): Downloaded {
    const { month, token } = ready;
    return {
      month: month.label,
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
    return { format: 1, month: month.label, url: this.#wish.share.root.href, token, files };
  }

  /** Whether the finished folder is whole; where it is not, it becomes an unfinished one. */
  async #isThere(ready: ReadyMonth, paths: folder.MonthPaths): Promise<boolean> {
    const { replace, verify } = this.#wish;
    const { final } = paths;
    const found = await examine({ final, ready, verify, check: readThrough });
    if (found.other.length > 0) {
      if (!replace) throw otherPublication(final, found.other);
      this.#say(`${final} holds another publication (${namesText(found.other)}): replacing it`);
    } else if (found.damaged.length === 0) return true;
    else this.#say(`${final}: missing or damaged: ${namesText(found.damaged)}; fetching again`);
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
    const demand = { folder: paths.work, bytes: left, what: `the zips of ${month.label}` };
    checkSpace([demand, ...(this.#wish.demands?.(month.bytes) ?? [])]);
    this.#say(
      `${month.label}${ready.token === null ? "" : ` (${ready.token})`}: ` +
        `${month.files.length} ${wordFor(month.files.length, "zip")}, ` +
        `${sizeText(month.bytes)} from ${this.#wish.share.root.host}` +
        (have > 0 ? `; ${sizeText(have)} of them are here already` : ""),
    );
    const display = this.#wish.listener.show(`download ${month.label}`, left);
    let done = 0;
    const onBytes = (bytes: number): void => {
      done += bytes;
      if (bytes > 0) this.#fetched += bytes;
      display.update(Math.max(0, done));
    };
    const items = month.files.filter((file) => !existsSync(folder.wholePath(paths, file)));
    await inStreams({
      items,
      crowd: this.#crowd,
      signal: this.#inquiry.signal,
      say: (text) => this.#say(text),
      work: (file, lane) => this.#fetchOne({ file, paths, label: month.label, onBytes }, lane),
    });
    display.done();
  }

  async #fetchOne(
    { file, paths, label, onBytes }: OneFile,
    lane: { readonly signal: AbortSignal; readonly alone: () => boolean },
  ): Promise<void> {
    const inquiry = { ...this.#inquiry, signal: lane.signal };
    let at = 0;
    let furthest = 0;
    const count = (bytes: number): void => {
      at += bytes;
      furthest = Math.max(furthest, at);
      onBytes(bytes);
    };
    const part = folder.partPath(paths, file);
    const whole = folder.wholePath(paths, file);
    await patiently({
      ...inquiry,
      name: file.name,
      patience: patienceOf(this.#wish.stallMs, FILE_ATTEMPTS),
      leave: ({ kind }) => kind === "crowded" && !lane.alone(),
      reached: () => furthest,
      step: () => fetchFile({ inquiry, label, file, part, whole, onBytes: count }),
    });
  }

  /** Compares what came with what the share said; gives the one token. */
  async #check(ready: ReadyMonth, paths: folder.MonthPaths): Promise<string | null> {
    const members = new Map<string, ZipMember>();
    for (const file of ready.month.files) {
      const path = folder.wholePath(paths, file);
      try {
        const packed = await readZip(path);
        const listed = ready.members?.get(file.name);
        if (listed !== undefined && !sameMember(packed, listed)) {
          throw new Error("it is another zip than the one that was looked at before");
        }
        if (this.#wish.verify) await readThrough(path);
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
  readonly label: string;
  readonly onBytes: (bytes: number) => void;
}
