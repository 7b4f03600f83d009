/**
 * A month that is there already.
 * What comes in: a finished folder and what the share has now. What goes out: whether it is whole
 * and the same, and if not, which of its files are to be fetched again.
 * Invariant: a zip is the same when its directory is (member, sizes, CRC-32); with `verify` every
 * byte is read too. A folder of another publication is never changed unless that was asked for.
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

/** How a file on the disk compares with the share. */
type Found = "same" | "damaged" | "other";

/** What is to be done with a finished folder. */
interface Examination {
  readonly final: string;
  readonly ready: ReadyMonth;
  readonly verify: boolean;
  /** Reads a whole member; throws when it is damaged. */
  readonly check: (path: string) => Promise<void>;
}

/** The files of a finished folder by how they are. */
export async function examine(examination: Examination): Promise<Record<Found, string[]>> {
  const record = await readRecord(examination.final);
  const found: Record<Found, string[]> = { same: [], damaged: [], other: [] };
  for (const file of examination.ready.month.files) {
    found[await lookAt(examination, file, record)].push(file.name);
  }
  return found;
}

async function lookAt(
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
    // A file that shrank or grew since it was written down is no other publication.
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

/** Whether two directories are of the same content. */
export function sameMember(one: ZipMember, other: ZipMember): boolean {
  return (
    one.member === other.member &&
    one.packedBytes === other.packedBytes &&
    one.bytes === other.bytes &&
    one.crc === other.crc
  );
}

/** Reads every byte of a zip's member. @throws CommandError naming what is wrong */
export async function readThrough(path: string): Promise<void> {
  const packed = await readZip(path);
  const name = readMemberName(packed.member);
  if (name === null) throw new CommandError(`${path} holds ${packed.member}.`);
  for await (const _ of readMember({ ...packed, ...name }));
}

/**
 * Makes an unfinished month of a finished one, without the files that are to be fetched again.
 * What is left is written down first, so that a crash leaves nothing that is believed wrongly.
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

/** Words for a folder whose content the share does not have any more. */
export function otherPublication(final: string, names: readonly string[]): CommandError {
  return new CommandError(
    `${final} holds another publication than the share has now (${namesText(names)} differ). ` +
      "--replace throws it away and downloads the new one.",
  );
}
