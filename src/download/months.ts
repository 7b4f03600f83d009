/**
 * Finds the months of the shares, their folders, and the registry's zips in them.
 * Invariant: only expected names are followed, so a listing cannot choose a path. A month is
 * complete if every zip that an import needs is listed. Months are folders named YYYY-MM or
 * YYYY-MM-DD. They are at the root, or in the first folder that has such folders with zips of the
 * registry. The search is bounded. If a month has several folders, the latest day is used. Case is
 * ignored only in names of zips.
 */

import { createHash, randomBytes } from "node:crypto";
import { FILE_TYPES, type FileType, LAYOUTS } from "../dump/layout.ts";
import { placeOf } from "./address.ts";
import { withRetries } from "./backoff.ts";
import { DownloadError, errorOfStatus, ShareFault } from "./downloaderror.ts";
import type { FolderEntry } from "./lister.ts";
import { listFolder, type Source, type SourceContext, type SourcesContext } from "./source.ts";
import { inParallelStreams, type StreamLimit } from "./streams.ts";

/** Max depth of the search. The registry has its months three folders below the published root. */
const DEPTH_MAX = 5;
const LISTINGS_MAX = 30;
/** Patterns of folder names to search first. Later ones have priority. */
const LIKELY = [/dados/i, /cadastros?/i, /cnpj|receita/i];

/** Folder of each month by label, as the list of names on its path. */
type MonthFolders = ReadonlyMap<string, readonly string[]>;

/** Finds the months of a source, without a cache. @throws ShareFault */
async function findMonths(context: SourceContext): Promise<MonthFolders> {
  const { source, report } = context;
  const entries = await listFolder(context, []);
  const here = monthsAmong(entries, []);
  if (here.size > 0) return here;
  if (holdsZips(entries)) {
    const label = labelOf(
      decodeURIComponent(/([^/]*)\/$/.exec(source.share.root.pathname)?.[1] ?? ""),
    );
    return new Map(label === null ? [] : [[label, []]]);
  }
  const [path, months] = (await walk(context, entries)) ?? [];
  if (path === undefined || months === undefined) return new Map();
  report(`${source.host}: the months are in ${path.join("/")}`);
  return months;
}

/** Returns the label of a month's folder, or null for other names. */
function labelOf(name: string): string | null {
  const match = /^(20\d\d-(?:0[1-9]|1[0-2]))(?:-(?:0[1-9]|[12]\d|3[01]))?$/.exec(name);
  return match?.[1] ?? null;
}

function monthsAmong(entries: readonly FolderEntry[], path: readonly string[]): MonthFolders {
  const months = new Map<string, readonly string[]>();
  // In this order, the latest day of a month comes last and replaces earlier days.
  const names = entries.filter(({ folder }) => folder).map(({ name }) => name);
  for (const name of names.sort()) {
    const label = labelOf(name);
    if (label !== null) months.set(label, [...path, name]);
  }
  return months;
}

function holdsZips(entries: readonly FolderEntry[]): boolean {
  return entries.some(({ folder, name }) => !folder && readZipName(name) !== null);
}

/** Finds the first folder with months. Searches likely folders first. */
async function walk(
  context: SourceContext,
  top: readonly FolderEntry[],
): Promise<[path: readonly string[], months: MonthFolders] | null> {
  const queue = foldersOf(top, []);
  for (let listings = 0; listings < LISTINGS_MAX && queue.length > 0; listings++) {
    queue.sort(byChance);
    const path = queue.shift() as readonly string[];
    const entries = await listed(context, path);
    const months = monthsAmong(entries, path);
    const newest = [...months].sort().at(-1)?.[1];
    // Other data also has monthly folders. Only the registry's folders hold zips.
    if (newest !== undefined && holdsZips(await listed(context, newest))) return [path, months];
    if (path.length < DEPTH_MAX) queue.push(...foldersOf(entries, path));
  }
  return null;
}

/** Lists a folder. Skips a folder that cannot be listed. */
async function listed(
  context: SourceContext,
  path: readonly string[],
): Promise<readonly FolderEntry[]> {
  return listFolder(context, path).catch((error: unknown) => {
    if (error instanceof ShareFault) return [];
    throw error;
  });
}

function foldersOf(
  entries: readonly FolderEntry[],
  path: readonly string[],
): (readonly string[])[] {
  return entries
    .filter(({ folder, name }) => folder && labelOf(name) === null && !name.startsWith("."))
    .map(({ name }) => [...path, name]);
}

function byChance(one: readonly string[], other: readonly string[]): number {
  const chance = (path: readonly string[]) => {
    return LIKELY.findLastIndex((pattern) => pattern.test(path.at(-1) ?? ""));
  };
  const [a, b] = [one.join("/"), other.join("/")];
  return chance(other) - chance(one) || one.length - other.length || (a < b ? -1 : 1);
}

interface ZipName {
  /** Name in the registry's spelling: `Empresas0.zip`. */
  readonly name: string;
  readonly type: FileType;
  readonly part: number | null;
}

/** Parses the name of a registry zip. Returns null for other names. */
function readZipName(written: string): ZipName | null {
  const match = /^([A-Za-z]{5,20})(\d{1,2})?\.zip$/i.exec(written);
  const type = FILE_TYPES.find((one) => {
    return LAYOUTS[one].zip.toLowerCase() === match?.[1]?.toLowerCase();
  });
  if (match === null || type === undefined) return null;
  if (LAYOUTS[type].parts !== (match[2] !== undefined)) return null;
  const part = match[2] === undefined ? null : Number(match[2]);
  return { name: `${LAYOUTS[type].zip}${part ?? ""}.zip`, type, part };
}

/** Number of zips of each large file type. A month with fewer is incomplete. */
const PARTS = 10;
/** Number of concurrent size requests, for listings without sizes. */
const MEASURING = 2;

/** A file of a share, as listed. */
export interface RemoteFile {
  readonly name: string;
  readonly url: URL;
  readonly bytes: number;
  readonly etag: string | null;
  readonly modified: string | null;
  /** Twelve digits that identify this publication of this file. */
  readonly mark: string;
}

/** A zip of the registry. Its name has the registry's spelling, such as `Empresas0.zip`. */
export interface ListedFile extends RemoteFile {
  readonly type: FileType;
  readonly part: number | null;
}

/** A month of the share. */
export interface ListedMonth {
  readonly label: string;
  /** The wanted zips, the largest first. */
  readonly files: readonly ListedFile[];
  /** Names of wanted zips that are missing or empty. */
  readonly missing: readonly string[];
  readonly bytes: number;
  /** ISO date of the newest file, or null if it is unknown. */
  readonly modified: string | null;
}

/** Error for a month that cannot be downloaded, or cannot be downloaded yet. */
export class NotReady extends ShareFault {}

/**
 * Returns the months of the first source that has any, newest first. Reports failures of earlier
 * sources. @throws ShareFault if none answers
 */
export async function listMonths(context: SourcesContext): Promise<string[]> {
  const months = await trySources(context, async (source) => {
    const found = await monthsOf({ ...context, source });
    if (found.size === 0 && context.sources.length > 1) throw noMonths(source);
    return found;
  });
  return [...months.keys()].sort().reverse();
}

/** Returns a month's zips at the first source that has them. `all` includes the partners' zips. */
export async function listMonth(
  context: SourcesContext,
  label: string,
  all: boolean,
): Promise<ListedMonth> {
  return trySources(context, (source) => listMonthAt({ ...context, source }, label, all));
}

/**
 * Tries sources in order, and reports why it skips one. A source is skipped without an attempt if
 * its months could not be listed before. @throws ShareFault with the reasons of all
 */
export async function trySources<T>(
  { sources, report }: SourcesContext,
  attempt: (source: Source) => Promise<T>,
): Promise<T> {
  const faults: ShareFault[] = [];
  for (const [index, source] of sources.entries()) {
    if (source.fault !== null) {
      faults.push(source.fault);
      continue;
    }
    try {
      return await attempt(source);
    } catch (error) {
      if (!(error instanceof ShareFault)) throw error;
      faults.push(error);
      if (source.months === null) source.fault = error;
      const next = sources.slice(index + 1).find(({ fault }) => fault === null);
      if (next !== undefined) report(`${error.message}\nGoing on with ${placeOf(next.share)}`);
    }
  }
  if (faults.length === 1) throw faults[0];
  const reasons = faults.map(({ message }, index) => {
    return `${sources[index]?.host}: ${message.replaceAll("\n", "\n  ")}`;
  });
  const Fault = faults.some((fault) => fault instanceof NotReady) ? NotReady : ShareFault;
  throw new Fault(`None of the ${faults.length} addresses will do:\n- ${reasons.join("\n- ")}`);
}

/** Finds the months of a source, and caches them in `source.months`. @throws ShareFault */
async function monthsOf(context: SourceContext): Promise<MonthFolders> {
  const months = await findMonths(context);
  context.source.months = months;
  return months;
}

function noMonths({ share }: Source): ShareFault {
  return new ShareFault(
    `There are no months at ${placeOf(share)}. The registry's share has moved before: look for ` +
      "its new link and set download.url (PENEIRA_DOWNLOAD_URL, or --url) to it.",
  );
}

/** The zips of a month at one source. @throws ShareFault, NotReady */
export async function listMonthAt(
  context: SourceContext,
  label: string,
  all: boolean,
): Promise<ListedMonth> {
  const { source } = context;
  const months = source.months ?? (await monthsOf(context));
  const path = months.get(label);
  if (path === undefined) throw notPublished(source, label, [...months.keys()].sort());
  const found = new Map<string, ListedFile>();
  const entries = (await listFolder(context, path)).filter(({ folder, name }) => {
    const type = readZipName(name)?.type;
    return !folder && type !== undefined && (type !== "socios" || all);
  });
  for (const entry of await measured(context, entries)) {
    const file = listedFile(label, source, entry);
    if (file === null) continue;
    const first = found.get(file.name);
    if (first !== undefined) {
      throw new NotReady(
        `${placeOf(source.share)} lists ${file.name} twice in ${label}: as ${lastOf(first.url)} ` +
          `and as ${lastOf(file.url)}. Which one counts, nobody says.`,
      );
    }
    found.set(file.name, file);
  }
  const files = [...found.values()].filter(({ bytes }) => bytes > 0);
  const names = new Set(files.map(({ name }) => name));
  const dates = files.map(({ modified }) => Date.parse(modified ?? "")).filter((ms) => ms > 0);
  return {
    label,
    files: files.sort((a, b) => b.bytes - a.bytes),
    missing: expectedNames([...found.values()], all).filter((name) => !names.has(name)),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    modified: dates.length === 0 ? null : new Date(Math.max(...dates)).toISOString(),
  };
}

/** Returns the last name in an address. */
function lastOf({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1));
}

/** Returns an error that distinguishes a future month, a removed month, and a moved share. */
function notPublished(source: Source, label: string, labels: readonly string[]): ShareFault {
  const [oldest, newest] = [labels[0], labels.at(-1)];
  if (oldest === undefined || newest === undefined) return noMonths(source);
  const { host, share } = source;
  if (label > newest) {
    return new NotReady(`${label} is not published; the newest is ${newest} (${host}).`);
  }
  return new NotReady(
    `${label} is not available: there is no folder at ${placeOf(share)} for it. ` +
      `The ${labels.length} months there go from ${oldest} to ${newest}.`,
  );
}

/** Requests sizes that a listing lacks. */
export async function measured(
  context: SourceContext,
  entries: readonly FolderEntry[],
): Promise<readonly FolderEntry[]> {
  const open = entries.filter(({ unmeasured }) => unmeasured);
  const found = new Map<FolderEntry, FolderEntry>();
  const streamLimit: StreamLimit = { streams: MEASURING };
  await inParallelStreams({
    ...context,
    items: open,
    streamLimit,
    work: async (entry, lane) => {
      const measure = await withRetries({
        ...context,
        signal: lane.signal,
        name: entry.name,
        leave: ({ kind }) => kind === "crowded" && !lane.alone(),
        step: () => measureOf({ ...context, signal: lane.signal }, entry.url),
      });
      found.set(entry, { ...entry, ...measure });
    },
  });
  return entries.map((entry) => found.get(entry) ?? entry);
}

type Measure = Pick<FolderEntry, "bytes" | "etag" | "modified">;

/** Requests a file's size, tag, and date by HEAD, or by a GET of its first byte. */
async function measureOf({ source, signal }: SourceContext, url: URL): Promise<Measure> {
  let answer = await source.request({ method: "HEAD", url, signal, headers: {} });
  answer.drop();
  let size = answer.status === 200 ? answer.headers.get("content-length") : null;
  if (size === null && ![404, 410].includes(answer.status)) {
    answer = await source.request({ method: "GET", url, signal, headers: { range: "bytes=0-0" } });
    answer.drop();
    const range = /^bytes 0-0\/(\d+)$/.exec(answer.headers.get("content-range") ?? "")?.[1] ?? null;
    size = answer.status === 200 ? answer.headers.get("content-length") : range;
  }
  const { status, headers } = answer;
  // A page may list a removed file, which then counts as missing.
  if (status === 404 || status === 410) return { bytes: null, etag: null, modified: null };
  if (status !== 200 && status !== 206) throw errorOfStatus(answer, true);
  if (size === null || !/^\d{1,15}$/.test(size)) {
    throw new DownloadError("again", "the share does not say how large it is");
  }
  const [etag, modified] = [headers.get("etag"), headers.get("last-modified")];
  return { bytes: Number(size), etag, modified };
}

/** Returns the names of all zips of a complete month, and of listed parts after the tenth. */
function expectedNames(files: readonly ListedFile[], all: boolean): string[] {
  return FILE_TYPES.filter((type) => all || type !== "socios").flatMap((type) => {
    const { zip, parts } = LAYOUTS[type];
    if (!parts) return [`${zip}.zip`];
    const last = Math.max(
      PARTS - 1,
      ...files.filter((file) => file.type === type).map(({ part }) => part ?? 0),
    );
    return Array.from({ length: last + 1 }, (_, part) => `${zip}${part}.zip`);
  });
}

/** Converts an entry of a listing to a registry zip. Returns null for other names. */
function listedFile(label: string, source: Source, entry: FolderEntry): ListedFile | null {
  const known = readZipName(entry.name);
  if (known === null) return null;
  return { ...known, ...remoteFile([label, known.name], source, entry) };
}

/** Makes a listed file with the `mark` of its publication. `place` holds the names of its path. */
export function remoteFile(
  place: readonly string[],
  { host }: Source,
  { bytes, etag, modified, url }: FolderEntry,
): RemoteFile {
  // Without tag and date, publications look alike, so the mark is unique to this listing.
  const bound = etag ?? modified ?? randomBytes(8).toString("hex");
  // The host is included, so that bytes of two sources are never mixed, even with equal tags.
  const text = JSON.stringify([...place, bytes, bound, modified, host]);
  const mark = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { name: place.at(-1) ?? "", url, bytes: bytes ?? 0, etag, modified, mark };
}

/** True if two listings have the same publication of every file. */
export function samePublication(one: ListedMonth, other: ListedMonth): boolean {
  const markOf = ({ etag, modified, mark, bytes }: ListedFile) =>
    etag === null && modified === null ? String(bytes) : mark;
  const marks = ({ files }: ListedMonth) => new Map(files.map((one) => [one.name, markOf(one)]));
  const [before, now] = [marks(one), marks(other)];
  return before.size === now.size && [...before].every(([name, mark]) => now.get(name) === mark);
}
