/**
 * Compares a finished month with the share. Output: whether the month is complete and unchanged,
 * and which files to download again.
 * Invariant: two zips count as equal if their directories (member name, sizes, CRC-32) are equal.
 * With `verify`, every byte is read too. A folder with another publication of the month is changed
 * only on request.
 */
import { lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { readMember } from "../dump/archive.ts";
import { readZip, type ZipMember } from "../dump/directory.ts";
import { readMemberName } from "../dump/layout.ts";
import { CommandError } from "../errors.ts";
import type { ListedFile } from "./months.ts";
import type { ReadyMonth } from "./releasedate.ts";
import { namesText } from "./words.ts";
import { type DownloadRecord, type MonthPaths, readRecord, writeRecord } from "./workfolder.ts";

/** State of a local file compared with the share. */
type Found = "same" | "damaged" | "other";

/** A finished folder to check. */
interface Examination {
  readonly final: string;
  readonly ready: ReadyMonth;
  readonly verify: boolean;
  /** Reads a whole member. Throws if it is damaged. */
  readonly check: (path: string) => Promise<void>;
}

/** Returns the files of a finished folder, grouped by their state. */
export async function examine(examination: Examination): Promise<Record<Found, string[]>> {
  const record = await readRecord(examination.final);
  const found: Record<Found, string[]> = { same: [], damaged: [], other: [] };
  for (const file of examination.ready.month.files) {
    found[await stateOfFile(examination, file, record)].push(file.name);
  }
  return found;
}

async function stateOfFile(
  { final, ready, verify, check }: Examination,
  file: ListedFile,
  record: DownloadRecord | null,
): Promise<Found> {
  const path = join(final, file.name);
  try {
    const status = await lstat(path);
    if (!status.isFile()) return "damaged";
    const packed = await readZip(path);
    const listed = ready.members?.get(file.name);
    const known = record?.files.find(({ name }) => name === file.name);
    const same = listed === undefined ? known?.mark === file.mark : sameMember(packed, listed);
    // A file whose size differs from its record is damaged, not another publication.
    if (!same || status.size !== file.bytes) {
      if (known === undefined) return "other";
      return known.mark === file.mark || known.bytes !== status.size ? "damaged" : "other";
    }
    if (verify) await check(path);
    return "same";
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") return "damaged";
    throw new CommandError(`${path} cannot be read: ${message}.`, 1, error);
  }
}

/** True if two zips have a member of the same name, sizes, and CRC-32. */
export function sameMember(one: ZipMember, other: ZipMember): boolean {
  return (
    one.member === other.member &&
    one.packedBytes === other.packedBytes &&
    one.bytes === other.bytes &&
    one.crc === other.crc
  );
}

/** Reads every byte of a zip's member. @throws CommandError naming the fault */
export async function readThrough(path: string): Promise<void> {
  const packed = await readZip(path);
  const name = readMemberName(packed.member);
  if (name === null) throw new CommandError(`${path} holds ${packed.member}.`);
  for await (const _ of readMember({ ...packed, ...name }));
}

/**
 * Turns a finished month back into an unfinished one, and deletes the files that must be downloaded
 * again. First writes the record of the remaining files, so that a crash leaves no false record.
 */
export async function reopen(
  paths: MonthPaths,
  record: DownloadRecord,
  broken: readonly string[],
): Promise<void> {
  await rm(paths.work, { recursive: true, force: true });
  await writeRecord(paths.final, record);
  for (const name of broken) await rm(join(paths.final, name), { recursive: true, force: true });
  await rename(paths.final, paths.work);
}

/** Returns the error for a folder whose content the share no longer has. */
export function otherPublication(final: string, names: readonly string[]): CommandError {
  return new CommandError(
    `${final} holds another publication than the share has now (${namesText(names)} differ). ` +
      "--replace throws it away and downloads the new one.",
  );
}
