/**
 * Reads a folder with one monthly release: its zips or their unzipped members, and the download
 * record next to them. Output: the list of members with all data needed to read them, their
 * decompressed bytes as a stream, and the host from which the release was downloaded.
 * Invariant: all members have the same release date, and every required file exists (or `partial`
 * allows gaps). If a stream ends without an error, its bytes had the size and CRC-32 in the zip's
 * directory. The record is untrusted: only one short line is read from it.
 */
import { createReadStream, lstatSync, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { createInflateRaw, type InflateRaw } from "node:zlib";
import { isPrintable } from "../../native-index/format/printable.ts";
import { CommandError } from "../errors.ts";
import { kindOfFile, wrongKindText } from "../files/filekind.ts";
import { wordFor } from "../text/amounts.ts";
import {
  checkComplete,
  checkDate,
  checkTokens,
  type DumpAllowance,
  type Findings,
} from "./completeness.ts";
import { crc32 } from "./crc32.ts";
import { type DumpMember, type PackedFile, readPlain, readZip } from "./directory.ts";
import { FILE_TYPES, LAYOUTS, readLabel, readMemberName, readNames } from "./layout.ts";

const CHUNK_BYTES = 1 << 20;

/** A complete dump folder. */
export interface DumpFolder {
  readonly folder: string;
  /** `YYYY-MM` of the folder's name, or null if it has none. */
  readonly label: string | null;
  /** Date token ("D60808") in all member names, or null if none has one (plain lookup tables). */
  readonly token: string | null;
  /** `YYYY-MM-DD`, derived from token and label. Null if either is unknown. */
  readonly date: string | null;
  /** Members, ordered by file type, then by part. */
  readonly members: readonly DumpMember[];
  /** Host of the download; null if unknown. */
  readonly host: string | null;
  /** True if parts are missing or empty, and that was allowed. */
  readonly partial: boolean;
  /** Warnings that do not stop an import. */
  readonly warnings: readonly string[];
}

/**
 * Lists and checks the folder. `label` (`YYYY-MM`) overrides the folder's name.
 * @throws CommandError naming all problems together: damaged, encrypted, or foreign zips; missing,
 * duplicate, or empty files; different release dates; or another month.
 */
export async function openDump(
  folder: string,
  label?: string,
  { partial = false, date: given }: DumpAllowance = {},
): Promise<DumpFolder> {
  const root = resolve(folder);
  const names = await listFolder(root);
  const found: Findings = { members: [], damaged: [], problems: [], warnings: [] };
  for (const name of names) await inspect(join(root, name), found);
  sayRenamed(found);
  const token = checkTokens(found);
  const lacks = checkComplete(found, partial);
  const knownLabel = label ?? readLabel(basename(root));
  const date = checkDate(found, knownLabel, token, given);
  if (found.problems.length > 0) {
    throw new CommandError(
      `The dump in ${root} cannot be imported:\n- ${found.problems.join("\n- ")}`,
    );
  }
  found.members.sort(
    (a, b) =>
      FILE_TYPES.indexOf(a.type) - FILE_TYPES.indexOf(b.type) || (a.part ?? 0) - (b.part ?? 0),
  );
  const { members, warnings } = found;
  const known = { folder: root, label: knownLabel, token, date, host: hostOfDump(root) };
  return { ...known, members, partial: lacks, warnings };
}

async function listFolder(root: string): Promise<string[]> {
  try {
    return (await readdir(root)).sort();
  } catch (error) {
    throw new CommandError(`${root} cannot be read as a folder: ${reasonOf(error)}`, 1, error);
  }
}

async function inspect(file: string, found: Findings): Promise<void> {
  const name = basename(file);
  if (/\.(part|tmp|crdownload)$/i.test(name)) {
    found.warnings.push(`${name} looks like an unfinished download and is ignored.`);
    return;
  }
  // On disks with a foreign file system, macOS adds such a file for each file.
  if (name.startsWith("._")) return;
  const isZip = /\.zip$/i.test(name);
  if (!isZip && readMemberName(name) === null) return;
  try {
    const status = await stat(file);
    if (!status.isFile()) return sayOther(name, status.isDirectory(), found);
    const packed = isZip ? await readZip(file) : readPlain(file, status.size);
    if (!isZip) refuseOtherKinds(file);
    const member = readNames(name, packed.member);
    if (member !== null) found.members.push({ ...packed, ...member });
    else if (isRegistryZip(name)) {
      found.problems.push(
        `${name}: its member is none of the registry's files, and no zip of it is called so. ` +
          "Download it again.",
      );
    } else found.warnings.push(`${name} is not one of the registry's files and is ignored.`);
  } catch (error) {
    found.problems.push(`${name}: ${reasonOf(error)}`);
    const damage = readNames(name, name);
    if (damage !== null) found.damaged.push(damage);
  }
}

/** Refuses files that are not text. An empty file is reported later, as a part without rows. */
function refuseOtherKinds(file: string): void {
  const kind = kindOfFile(file);
  // The scanner reports UTF-16 with the place and the fix.
  if (kind === null || kind.id === "empty" || kind.id === "utf16") return;
  throw new Error(`${wrongKindText(kind, "a file of the registry")}. Put the unzipped file there.`);
}

/** Reports entries that are not files. Opening a pipe would wait indefinitely. */
function sayOther(name: string, isFolder: boolean, found: Findings): void {
  const kind = isFolder ? "a folder" : "no file but a pipe, a socket or a device";
  const damage = /\.zip$/i.test(name) ? readNames(name, name) : null;
  if (damage === null) {
    found.warnings.push(`${name} is ${kind} and is ignored.`);
    return;
  }
  found.problems.push(`${name} is ${kind}; only regular files are read. Put the zip in its place.`);
  found.damaged.push(damage);
}

/** Reports members with unknown names in one line, because their zips usually have one origin. */
function sayRenamed({ members, warnings }: Findings): void {
  const renamed = members.filter(({ member }) => readMemberName(member) === null);
  const [first] = renamed;
  if (first === undefined) return;
  const more = renamed.length - 1;
  const others = more === 0 ? "" : ` and ${more} more`;
  const known = wordFor(
    renamed.length,
    "is taken for what the zip's",
    "are taken for what their zip's",
  );
  warnings.push(
    `${placeOf(first)}${others} ${known} name says: the member's own is not the registry's.`,
  );
}

function isRegistryZip(name: string): boolean {
  return FILE_TYPES.some((type) => name.toLowerCase().startsWith(LAYOUTS[type].zip.toLowerCase()));
}

/**
 * Streams a member's decompressed bytes in chunks of up to 1 MiB. Another thread inflates while the
 * caller processes the previous chunk.
 * @throws CommandError naming file and member if the packed data are truncated or damaged.
 */
export async function* readMember(member: PackedFile): AsyncGenerator<Uint8Array> {
  let size = 0;
  let crc = 0;
  const damaged = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`${placeOf(member)}: ${damageWords(member, reason)}`, 1, cause);
  try {
    for await (const chunk of unpack(member)) {
      size += chunk.length;
      if (size > member.bytes)
        throw damaged(`it is longer than the ${member.bytes} bytes promised`);
      if (member.crc !== null) crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof CommandError ? error : damaged(reasonOf(error), error);
  }
  if (size < member.bytes) throw damaged(`it ends after ${size} of ${member.bytes} bytes`);
  if (member.crc !== null && crc !== member.crc) {
    throw damaged("the checksum (CRC-32) of this member differs");
  }
}

function damageWords({ packing }: PackedFile, reason: string): string {
  const what = packing === "plain" ? "the file changed while it was read" : "the zip is damaged";
  return `${what}: ${reason}. Download the file again.`;
}

/**
 * Returns the damage of the member's zip if it is damaged, else `refusal`. A damaged byte often
 * breaks a row, so parsing fails long before the checksum at the end is compared.
 */
export async function specificReason(member: PackedFile, refusal: unknown): Promise<unknown> {
  if (member.crc === null || !(refusal instanceof CommandError)) return refusal;
  try {
    for await (const _ of readMember(member));
    return refusal;
  } catch (damage) {
    return damage;
  }
}

/** Formats a member's name for messages: `Empresas0.zip (K3241.K03200Y0.D60808.EMPRECSV)`. */
export function placeOf(member: PackedFile): string {
  const name = basename(member.file);
  return member.packing === "plain" ? name : `${name} (${member.member})`;
}

async function* unpack(member: PackedFile): AsyncGenerator<Uint8Array> {
  if (member.packedBytes === 0) return;
  const range = { start: member.offset, end: member.offset + member.packedBytes - 1 };
  const source = createReadStream(member.file, { ...range, highWaterMark: CHUNK_BYTES >> 1 });
  if (member.packing !== "deflated") {
    yield* source as AsyncIterable<Uint8Array>;
    return;
  }
  const inflate: InflateRaw = createInflateRaw({ chunkSize: CHUNK_BYTES });
  source.on("error", (error) => inflate.destroy(error));
  source.pipe(inflate);
  try {
    yield* inflate as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
    inflate.destroy();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Name of the file in a finished month that identifies its publication. */
export const DOWNLOAD_RECORD = "download.json";

/** Max bytes of a record. Each of 37 zips takes some 200. */
const BYTES_MAX = 1 << 20;
/** Max characters of a host; DNS names have 253. */
const HOST_LENGTH_MAX = 300;

/** Returns the host that a folder was downloaded from, or null if it is unknown. */
export function hostOfDump(folder: string): string | null {
  const path = join(folder, DOWNLOAD_RECORD);
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.size > BYTES_MAX) return null;
    const { host } = JSON.parse(readFileSync(path, "utf8")) as { readonly host?: unknown };
    const fits = typeof host === "string" && host !== "" && host.length <= HOST_LENGTH_MAX;
    return fits && isPrintable(host) ? host : null;
  } catch {
    return null;
  }
}
