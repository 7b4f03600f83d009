/**
 * Downloads the public lists that an import can add to the registry: CEIS, CNEP, CEPIM, and PGFN's
 * debts. Input: the wanted lists, a folder. Output: files such as `20260930_CEIS.zip`, and the
 * folder `2026_trimestre_02` with PGFN's three zips.
 * Invariant: a list gets its name in one step, after all its bytes were received and checked. An
 * interrupted download leaves resumable parts in `lists.part`. The previous publication is removed
 * after the new one is in place, and only if this program recorded it in `lists.json`.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readMember } from "../../dump/archive.ts";
import { isOwnEntry, readZipMembers } from "../../dump/directory.ts";
import { CommandError } from "../../errors.ts";
import { makeFolders } from "../../files/newfolder.ts";
import { tryLock } from "../../store/database.ts";
import { retryLimitsOf, withRetries } from "../backoff.ts";
import { DownloadError, ShareFault } from "../downloaderror.ts";
import { fetchFile } from "../fetchfile.ts";
import type { ShareUse } from "../month.ts";
import type { RemoteFile } from "../months.ts";
import { NO_PROXIES } from "../proxy.ts";
import { Source, type SourceContext } from "../source.ts";
import { inParallelStreams } from "../streams.ts";
import { reasonOf, sizeText } from "../words.ts";
import { checkSpace, makeFolder, replaceDocument } from "../workfolder.ts";
import { listOfName, type PublicList, settingOf } from "./names.ts";
import { newestPublication, type Publication } from "./publication.ts";

/** Max consecutive failures of a file, and of a request. */
const FILE_ATTEMPTS = 12;
const QUESTION_ATTEMPTS = 5;
/** Max number of times that a list may change on the server during its download. */
const ROUNDS_MAX = 3;
const WORK = "lists.part";
const RECORD = "lists.json";

/** Access to the publishers. */
export interface ListsUse extends Omit<ShareUse, "shares"> {
  /** Addresses of the settings; both end with `/`. */
  readonly sanctionsUrl: string;
  readonly debtsUrl: string;
  /** Folder that gets the lists. */
  readonly to: string;
  /** True to read every byte of PGFN's zips; sanctions lists are always read. */
  readonly verify: boolean;
  /** Parses a sanctions list as an import does. @throws CommandError if it is invalid */
  readonly check: (path: string, list: Exclude<PublicList, "pgfn">) => Promise<unknown>;
}

/** A list that is now in the folder, downloaded by this run or an earlier one. */
export interface FetchedList {
  readonly list: PublicList;
  /** Path for the import: the file, or the folder of the zips. */
  readonly path: string;
  /** Date of the list, or month of the debts. */
  readonly as_of: string;
  readonly files: number;
  readonly bytes: number;
  readonly fetched_bytes: number;
  /** True if nothing had to be downloaded. */
  readonly already: boolean;
}

/** Downloads lists, one after the other. @throws CommandError, Interrupted */
export async function downloadLists(
  lists: readonly PublicList[],
  use: ListsUse,
  onList: (list: FetchedList) => void = () => undefined,
): Promise<FetchedList[]> {
  await makeFolder(use.to);
  const unlock = tryLock(use.to, ".download.lock");
  if (unlock === null) throw new CommandError(`Another download works in ${use.to}.`);
  try {
    const fetched: FetchedList[] = [];
    for (const list of lists) {
      fetched.push(await downloadList(list, use));
      onList(fetched.at(-1) as FetchedList);
    }
    return fetched;
  } finally {
    await rmdir(join(use.to, WORK)).catch(() => undefined);
    unlock();
  }
}

async function downloadList(list: PublicList, use: ListsUse): Promise<FetchedList> {
  const context = sourceContextOf(list, use);
  try {
    for (let round = 1; ; round++) {
      try {
        return await new ListDownload(use, context, await newestPublication(context, list)).run();
      } catch (error) {
        if (!(error instanceof DownloadError)) throw error;
        if (round === ROUNDS_MAX) {
          throw new ShareFault(`it changed or came damaged ${round} times: ${reasonOf(error)}.`);
        }
        use.listener.report(`${list.toUpperCase()}: ${error.message}; looking at it again`);
      }
    }
  } catch (error) {
    if (!(error instanceof ShareFault)) throw error;
    const reason = error.message.replaceAll("download.url", settingOf(list));
    const remedy = `Or download it with a browser from ${context.source.share.root.href}.`;
    throw new ShareFault(`${list.toUpperCase()}: ${reason} ${remedy}`, 1, error);
  }
}

/** Hosts of the government, to which the portal's redirects lead. */
const GOVERNMENT = /(?:^|\.)gov\.br$/;

function sourceContextOf(list: PublicList, use: ListsUse): SourceContext {
  const { stallMs, signal, listener, proxies = NO_PROXIES } = use;
  const root = new URL(list === "pgfn" ? use.debtsUrl : use.sanctionsUrl);
  const hosts = GOVERNMENT.test(root.hostname) ? { hosts: GOVERNMENT } : {};
  const share = { root, authorization: null, prefix: null, ...hosts };
  return {
    source: new Source(share, stallMs, proxies),
    retryLimits: retryLimitsOf(stallMs, QUESTION_ATTEMPTS),
    signal,
    report: listener.report,
  };
}

/** Downloads one publication. */
class ListDownload {
  readonly #use: ListsUse;
  readonly #context: SourceContext;
  readonly #found: Publication;
  readonly #work: string;
  readonly #final: string;
  #fetched = 0;

  constructor(use: ListsUse, context: SourceContext, found: Publication) {
    this.#use = use;
    this.#context = context;
    this.#found = found;
    this.#work = join(use.to, WORK);
    this.#final = join(use.to, found.name);
  }

  async run(): Promise<FetchedList> {
    const record = await readRecord(this.#use.to);
    if (await this.#isThere(record)) return this.#done(true);
    makeFolders(this.#work);
    await this.#removeOtherParts();
    await this.#fetchAll();
    await this.#check();
    await this.#publish(record);
    return this.#done(false);
  }

  #done(already: boolean): FetchedList {
    const { list, asOf, files } = this.#found;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const fetched_bytes = this.#fetched;
    const path = this.#final;
    return { list, path, as_of: asOf, files: files.length, bytes, fetched_bytes, already };
  }

  /** Returns a file's final path; PGFN's files are in the quarter's folder. */
  #finalPath({ name }: RemoteFile): string {
    return this.#found.list === "pgfn" ? join(this.#final, name) : this.#final;
  }

  #completePath({ name, mark }: RemoteFile): string {
    return join(this.#work, `${name}.${mark}`);
  }

  /** True if this publication was downloaded before and its files have the right sizes. */
  async #isThere(record: ListsRecord): Promise<boolean> {
    const { list, name, files } = this.#found;
    if (record.lists[name]?.mark !== markOf(files)) return false;
    for (const file of files) {
      const size = (await stat(this.#finalPath(file)).catch(() => null))?.size;
      if (size !== file.bytes) return false;
    }
    if (!this.#use.verify) return true;
    const faults = await this.#faults((file) => this.#finalPath(file));
    if (faults.length > 0)
      this.#report(`${list.toUpperCase()}: ${faults.join("; ")}; fetching again`);
    return faults.length === 0;
  }

  #report(text: string): void {
    this.#use.listener.report(text);
  }

  /** Removes partial files of other publications of the same files. */
  async #removeOtherParts(): Promise<void> {
    const wanted = new Set(this.#found.files.map((file) => basename(this.#completePath(file))));
    for (const name of readdirSync(this.#work)) {
      const plain = name.replace(/\.part$/, "");
      const [, file] = /^(.*\.zip)\.[0-9a-f]{12}$/.exec(plain) ?? [];
      const ours = file !== undefined && listOfPart(file) === this.#found.list;
      if (ours && !wanted.has(plain)) await rm(join(this.#work, name), { force: true });
    }
  }

  async #fetchAll(): Promise<void> {
    const { list, name, files } = this.#found;
    const items = files.filter((file) => !existsSync(this.#completePath(file)));
    const sizes = await Promise.all(
      items.map((file) => sizeOf(`${this.#completePath(file)}.part`)),
    );
    const left = items.reduce((sum, { bytes }, i) => sum + bytes - (sizes[i] ?? 0), 0);
    checkSpace([{ folder: this.#work, bytes: Math.max(0, left), what: list.toUpperCase() }]);
    this.#report(`${name}: ${sizeText(left)} to fetch from ${this.#context.source.host}`);
    const display = this.#use.listener.show(`download ${name}`, left);
    let done = 0;
    const onBytes = (bytes: number): void => {
      done += bytes;
      if (bytes > 0) this.#fetched += bytes;
      display.update(Math.max(0, done));
    };
    try {
      await inParallelStreams({
        ...{ items, streamLimit: { streams: this.#use.streams } },
        signal: this.#context.signal,
        report: (text) => this.#report(text),
        work: (file, lane) => this.#fetchOne(file, onBytes, lane),
      });
    } finally {
      display.done();
    }
  }

  async #fetchOne(
    file: RemoteFile,
    onBytes: (bytes: number) => void,
    lane: { readonly signal: AbortSignal; readonly alone: () => boolean },
  ): Promise<void> {
    const context = { ...this.#context, signal: lane.signal };
    const whole = this.#completePath(file);
    let [at, furthest] = [0, 0];
    const count = (bytes: number): void => {
      at += bytes;
      furthest = Math.max(furthest, at);
      onBytes(bytes);
    };
    await withRetries({
      ...context,
      name: file.name,
      retryLimits: retryLimitsOf(this.#use.stallMs, FILE_ATTEMPTS),
      leave: ({ kind }) => kind === "crowded" && !lane.alone(),
      reached: () => furthest,
      step: () => fetchFile({ context, file, part: `${whole}.part`, whole, onBytes: count }),
    });
  }

  /** Reads the received files. Removes damaged ones and fetches them again. */
  async #check(): Promise<void> {
    const faults = await this.#faults((file) => this.#completePath(file), true);
    if (faults.length > 0) throw new DownloadError("replaced", faults.join("; "));
  }

  async #faults(pathOf: (file: RemoteFile) => string, removes = false): Promise<string[]> {
    const faults: string[] = [];
    for (const file of this.#found.files) {
      const path = pathOf(file);
      try {
        await this.#read(path);
      } catch (error) {
        if (removes) await rm(path, { force: true });
        faults.push(`${file.name}: ${reasonOf(error)}`);
      }
    }
    return faults;
  }

  async #read(path: string): Promise<void> {
    const { list, asOf, name } = this.#found;
    if (list !== "pgfn") {
      await this.#use.check(path, list);
      return;
    }
    const month = asOf.replace("-", "");
    const members = await readZipMembers(path, (member) => isCsv(member));
    if (members.length === 0) throw new Error("the zip holds no CSV");
    const other = members.find(({ member }) => !member.toLowerCase().endsWith(`${month}.csv`));
    if (other !== undefined) throw new Error(`${other.member} is not of ${name}`);
    if (!this.#use.verify) return;
    for (const member of members) {
      for await (const _ of readMember(member));
    }
  }

  /** Moves the list to its final name, records it, and removes the previous publication. */
  async #publish(record: ListsRecord): Promise<void> {
    const { list, name, files } = this.#found;
    if (list === "pgfn") await this.#publishQuarter();
    else await rename(this.#completePath(files[0] as RemoteFile), this.#final);
    const older = Object.keys(record.lists).filter((one) => {
      return one !== name && record.lists[one]?.list === list && listOfName(one) === list;
    });
    const retained = Object.entries(record.lists).filter(([one]) => !older.includes(one));
    const { host } = this.#context.source;
    const entry = { list, as_of: this.#found.asOf, host, mark: markOf(files) };
    const lists = { ...Object.fromEntries(retained), [name]: entry };
    const content: ListsRecord = { format: 1, lists };
    await replaceDocument(this.#use.to, RECORD, content);
    for (const one of older) {
      await rm(join(this.#use.to, one), { recursive: true, force: true });
      this.#report(`${one}: removed, as ${name} is newer`);
    }
  }

  async #publishQuarter(): Promise<void> {
    const folder = join(this.#work, this.#found.name);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    // After a crash here, the zips are fetched again. The previous quarter stays.
    for (const file of this.#found.files) {
      await rename(this.#completePath(file), join(folder, file.name));
    }
    await rm(this.#final, { recursive: true, force: true });
    await rename(folder, this.#final);
  }
}

/** Returns the list to which a zip in the work folder belongs. */
function listOfPart(file: string): PublicList | null {
  return file.startsWith("Dados_abertos_") ? "pgfn" : listOfName(file);
}

function isCsv(name: string): boolean {
  return isOwnEntry(name) && /\.csv$/i.test(name);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

function markOf(files: readonly RemoteFile[]): string {
  const marks = files.map(({ name, mark }) => `${name} ${mark}`).sort();
  return createHash("sha256").update(marks.join("\n")).digest("hex").slice(0, 12);
}

/** Content of `lists.json`: the publications that this program has put into the folder. */
interface ListsRecord {
  readonly format: 1;
  readonly lists: Readonly<
    Record<
      string,
      {
        readonly list: PublicList;
        readonly as_of: string;
        readonly host: string;
        readonly mark: string;
      }
    >
  >;
}

async function readRecord(folder: string): Promise<ListsRecord> {
  try {
    const record = JSON.parse(await readFile(join(folder, RECORD), "utf8")) as ListsRecord;
    if (record.format === 1 && typeof record.lists === "object") return record;
  } catch {
    // Without a record, no file may be treated as one that this program downloaded.
  }
  return { format: 1, lists: {} };
}
