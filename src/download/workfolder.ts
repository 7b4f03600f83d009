/**
 * The work folder of a month's download, and the free space on its disk. Input: the folder of
 * months, the wanted zips, the bytes to be written. Output: the existing zips, complete or partial,
 * and finally the month under its own name; or an error with the needed and the free bytes.
 * Invariant: until the whole month was checked and recorded in `download.json`, a file's name
 * includes the mark of its publication (`Empresas0.zip.<mark>.part`, and without `.part` when it is
 * complete). A file with another mark is removed, never resumed. Only files with names of this
 * program are removed. Space is checked before the download, so that hours of it do not end with a
 * full disk.
 */
import { existsSync, readdirSync, rmdirSync, statfsSync, statSync } from "node:fs";
import { lstat, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DOWNLOAD_RECORD as RECORD } from "../dump/archive.ts";
import { CommandError } from "../errors.ts";
import { makeFolders } from "../files/newfolder.ts";
import { folderFailure, storageErrorText } from "../files/storage.ts";
import type { ListedFile, ListedMonth } from "./months.ts";
import { sizeText } from "./words.ts";

/** Bytes that must stay free for other programs. */
const SPARE_BYTES = 64 * 2 ** 20;

/** Disk space that some work needs in a folder. */
export interface SpaceNeed {
  readonly folder: string;
  readonly bytes: number;
  /** Purpose of the bytes, such as `the zips of 2026-10`. */
  readonly what: string;
}

/** Checks that each disk has space for all needs on it together. @throws CommandError */
export function checkSpace(needs: readonly SpaceNeed[]): void {
  const disks = new Map<number, SpaceNeed[]>();
  for (const need of needs) {
    const { dev } = statSync(need.folder);
    disks.set(dev, [...(disks.get(dev) ?? []), need]);
  }
  const problems = [...disks.values()].flatMap((together) => {
    const { folder } = together[0] as SpaceNeed;
    const { bavail, bsize } = statfsSync(folder);
    const needed = together.reduce((sum, { bytes }) => sum + bytes, 0);
    if (needed === 0 || needed + SPARE_BYTES <= bavail * bsize) return [];
    const parts = together.map(({ what, bytes }) => `${what} (${sizeText(bytes)})`);
    return [
      `The disk of ${folder} has ${sizeText(bavail * bsize)} free, which is not enough for ` +
        `${parts.join(" and ")} and ${sizeText(SPARE_BYTES)} to spare.`,
    ];
  });
  if (problems.length > 0) throw new CommandError(problems.join("\n"));
}

/** Contents of `download.json`. */
export interface DownloadRecord {
  readonly format: 1;
  readonly month: string;
  /** Host of the source. Paths and user names are private, so they are left out. */
  readonly host: string;
  readonly token: string | null;
  readonly files: readonly Pick<ListedFile, "name" | "bytes" | "etag" | "modified" | "mark">[];
}

/** Names that this program writes into a month's folder. */
const OURS = /^[A-Z][a-z]+\d{0,2}\.zip(\.[0-9a-f]{12}(\.part)?)?$/;

/** The two folders of a month. */
export interface MonthPaths {
  /** `DIR/2026-10`, which exists only when complete. */
  readonly final: string;
  /** `DIR/2026-10.part`, the work folder. */
  readonly work: string;
}

/** The folders of a month. */
export function monthPaths(to: string, label: string): MonthPaths {
  return { final: join(to, label), work: join(to, `${label}.part`) };
}

/** Returns the path of a complete file until `settle` gives the file its final name. */
export function completePath({ work }: MonthPaths, { name, mark }: ListedFile): string {
  return join(work, `${name}.${mark}`);
}

/** Path of a partial file. */
export function partPath(paths: MonthPaths, file: ListedFile): string {
  return `${completePath(paths, file)}.part`;
}

/** Number of bytes already on the disk, by file. */
export type Inventory = Map<string, number>;

/** Creates the folder, removes other publications' files, and counts the existing bytes. */
export async function prepare(paths: MonthPaths, month: ListedMonth): Promise<Inventory> {
  makeFolders(paths.work);
  const record = await readRecord(paths.work);
  const trusted = new Map(record?.files.map(({ name, mark }) => [name, mark]));
  for (const file of month.files) {
    // A crash during `settle` leaves files under their final names.
    const plain = join(paths.work, file.name);
    const known = trusted.get(file.name) === file.mark && existsSync(plain);
    if (known) await rename(plain, completePath(paths, file));
  }
  await rm(join(paths.work, RECORD), { force: true });
  const wanted = new Map<string, ListedFile>();
  for (const file of month.files) {
    wanted.set(`${file.name}.${file.mark}`, file);
    wanted.set(`${file.name}.${file.mark}.part`, file);
  }
  const inventory: Inventory = new Map();
  for (const name of await readdir(paths.work)) {
    const path = join(paths.work, name);
    const file = wanted.get(name);
    const size = (await lstat(path)).size;
    const sound = file !== undefined && (name.endsWith(".part") || size === file.bytes);
    if (sound) inventory.set(file.name, Math.max(inventory.get(file.name) ?? 0, size));
    else if (OURS.test(name)) await rm(path, { force: true });
  }
  return inventory;
}

/** Writes the record, then gives the files their final names. */
export async function settle(paths: MonthPaths, record: DownloadRecord): Promise<void> {
  await writeRecord(paths.work, record);
  for (const { name, mark } of record.files) {
    await rename(join(paths.work, `${name}.${mark}`), join(paths.work, name));
  }
  await syncFolder(paths.work);
}

/** The last step: makes the month visible to an import. */
export async function publish({ work, final }: MonthPaths): Promise<void> {
  await rename(work, final);
  await syncFolder(join(final, ".."));
}

/** Reads a folder's record, or null if it has no valid one. */
export async function readRecord(folder: string): Promise<DownloadRecord | null> {
  try {
    const record = JSON.parse(await readFile(join(folder, RECORD), "utf8")) as DownloadRecord;
    return record.format === 1 && Array.isArray(record.files) ? record : null;
  } catch {
    return null;
  }
}

/** Removes empty folders of months, left by a refusal before the first byte. */
export function removeEmpty(to: string): void {
  for (const name of readdirSync(to)) {
    if (!/^\d{4}-\d\d\.part$/.test(name)) continue;
    try {
      rmdirSync(join(to, name));
    } catch {
      // A folder that is not empty stays, so that the next run resumes it.
    }
  }
}

/** Replaces the record atomically. */
export function writeRecord(folder: string, record: DownloadRecord): Promise<void> {
  return replaceDocument(folder, RECORD, record);
}

/** Replaces a JSON document atomically, and syncs its folder. */
export async function replaceDocument(
  folder: string,
  name: string,
  content: unknown,
): Promise<void> {
  const draft = join(folder, `${name}.tmp`);
  const handle = await open(draft, "w");
  try {
    await handle.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(folder, name));
  await syncFolder(folder);
}

/** Creates the folder of months. @throws CommandError */
export async function makeFolder(path: string): Promise<void> {
  try {
    makeFolders(path);
  } catch (error) {
    const reason = folderFailure(path, error);
    const why = storageErrorText(reason) ?? `${(reason as Error).message}.`;
    throw new CommandError(`The folder ${path} was not made: ${why}`, 1, reason);
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
