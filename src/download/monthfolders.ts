/**
 * The folders of the months of a place, and the names of the registry's zips by which they are
 * known.
 * Input: a place. Output: the folder of each month, by its label.
 * Invariant: months are folders called YYYY-MM or YYYY-MM-DD, at the root or, if there is none, in
 * the first folder below it that has some with zips of the registry; the walk is bounded. Of
 * several folders of one month that of the latest day counts. Only the registry's names of zips are
 * fetched; case does not count in them, everything else does.
 */

import { FILE_TYPES, type FileType, LAYOUTS } from "../dump/layout.ts";
import { ShareFault } from "./downloaderror.ts";
import type { FolderEntry } from "./lister.ts";
import { listFolder, type SourceInquiry } from "./source.ts";

/** The registry's own share has its months three folders below the root that people link to. */
const DEPTH_MAX = 5;
const LISTINGS_MAX = 30;
/** Names that are gone into first, the best last. */
const LIKELY = [/dados/i, /cadastros?/i, /cnpj|receita/i];

/** The folder of each month by its label, each as the names that lead there. */
export type MonthFolders = ReadonlyMap<string, readonly string[]>;

/** The months of a place; looked up anew each time. @throws ShareFault */
export async function findMonths(inquiry: SourceInquiry): Promise<MonthFolders> {
  const { source, say } = inquiry;
  const entries = await listFolder(inquiry, []);
  const here = monthsAmong(entries, []);
  if (here.size > 0) return here;
  if (holdsZips(entries)) {
    const label = labelOf(
      decodeURIComponent(/([^/]*)\/$/.exec(source.share.root.pathname)?.[1] ?? ""),
    );
    return new Map(label === null ? [] : [[label, []]]);
  }
  const [path, months] = (await walk(inquiry, entries)) ?? [];
  if (path === undefined || months === undefined) return new Map();
  say(`${source.host}: the months are in ${path.join("/")}`);
  return months;
}

/** The label of a month's folder; null for every other name. */
function labelOf(name: string): string | null {
  const match = /^(20\d\d-(?:0[1-9]|1[0-2]))(?:-(?:0[1-9]|[12]\d|3[01]))?$/.exec(name);
  return match?.[1] ?? null;
}

function monthsAmong(entries: readonly FolderEntry[], path: readonly string[]): MonthFolders {
  const months = new Map<string, readonly string[]>();
  // In the order of their names the latest day of a month comes last.
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

/** The first folder that has months, the likely ones first. */
async function walk(
  inquiry: SourceInquiry,
  top: readonly FolderEntry[],
): Promise<[path: readonly string[], months: MonthFolders] | null> {
  const queue = foldersOf(top, []);
  for (let listings = 0; listings < LISTINGS_MAX && queue.length > 0; listings++) {
    queue.sort(byChance);
    const path = queue.shift() as readonly string[];
    const entries = await listed(inquiry, path);
    const months = monthsAmong(entries, path);
    const newest = [...months].sort().at(-1)?.[1];
    // Others publish by the month too; only zips tell that these are the registry's.
    if (newest !== undefined && holdsZips(await listed(inquiry, newest))) return [path, months];
    if (path.length < DEPTH_MAX) queue.push(...foldersOf(entries, path));
  }
  return null;
}

/** A folder on the way that cannot be listed is no reason to stop. */
async function listed(
  inquiry: SourceInquiry,
  path: readonly string[],
): Promise<readonly FolderEntry[]> {
  return listFolder(inquiry, path).catch((error: unknown) => {
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

/** What a name stands for. */
interface ZipName {
  /** `Empresas0.zip`, spelled as the registry does. */
  readonly name: string;
  readonly type: FileType;
  readonly part: number | null;
}

/** A zip of the registry by its name; null for everything else. */
export function readZipName(written: string): ZipName | null {
  const match = /^([A-Za-z]{5,20})(\d{1,2})?\.zip$/i.exec(written);
  const type = FILE_TYPES.find((one) => {
    return LAYOUTS[one].zip.toLowerCase() === match?.[1]?.toLowerCase();
  });
  if (match === null || type === undefined) return null;
  if (LAYOUTS[type].parts !== (match[2] !== undefined)) return null;
  const part = match[2] === undefined ? null : Number(match[2]);
  return { name: `${LAYOUTS[type].zip}${part ?? ""}.zip`, type, part };
}
