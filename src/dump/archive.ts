/**
 * The zips of one monthly release, or their unzipped members, and the record that a download leaves
 * beside them. Input: a folder with them. Output: the list of members with everything needed to
 * read them, their decompressed bytes as a stream, and the host that the files came from.
 * Invariant: all members are of one release date, every needed file is there (or that some are not
 * was allowed), and a stream that ends without an error had the size and CRC-32 that the zip's
 * directory promised. Anybody may have written the record; what is read from it is one short line
 * or nothing.
 */
import { createReadStream, lstatSync, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { createInflateRaw, type InflateRaw } from "node:zlib";
import { isPrintable } from "../../native-index/format/printable.ts";
import { CommandError } from "../errors.ts";
import { insteadOf, kindOfFile } from "../files/filekind.ts";
import { wordFor } from "../text/amounts.ts";
import { crc32 } from "./crc32.ts";
import { type DumpMember, type PackedFile, readPlain, readZip } from "./directory.ts";
import { FILE_TYPES, LAYOUTS, readLabel, readMemberName, readNames } from "./layout.ts";
import {
  checkDate,
  checkTokens,
  checkWhole,
  type DumpAllowance,
  type Findings,
} from "./wholeness.ts";

const CHUNK_BYTES = 1 << 20;

/** A folder that was found whole. */
export interface DumpFolder {
  readonly folder: string;
  /** `YYYY-MM` of the folder's name, or null when its name holds none. */
  readonly label: string | null;
  /** The token all members share; null when no member has one (plain lookup tables). */
  readonly token: string | null;
  /** `YYYY-MM-DD` of token and label; null when either is unknown. */
  readonly date: string | null;
  /** By file type, then part. */
  readonly members: readonly DumpMember[];
  /** Host that it was downloaded from; null where nothing says so. */
  readonly host: string | null;
  /** Whether parts are missing or empty, and that was allowed. */
  readonly partial: boolean;
  /** Sentences about things that look wrong but do not stop an import. */
  readonly warnings: readonly string[];
}

/**
 * Lists and checks the folder. `label` (`YYYY-MM`) overrides the folder's name.
 * @throws CommandError naming every problem at once: damaged, encrypted or foreign zips, missing
 * or doubled files, files without rows, of different release dates or of another month.
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
  const lacks = checkWhole(found, partial);
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
  // Beside each file on a foreign disk macOS leaves one of its own.
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
    const meant = readNames(name, name);
    if (meant !== null) found.damaged.push(meant);
  }
}

/** An unzipped member is text; an empty one is reported as a part without rows. */
function refuseOtherKinds(file: string): void {
  const kind = kindOfFile(file);
  // What the scanner says of UTF-16 has the place and the way out.
  if (kind === null || kind.id === "empty" || kind.id === "utf16") return;
  throw new Error(`${insteadOf(kind, "a file of the registry")}. Put the unzipped file there.`);
}

/** What bears the name of a zip and is no file would be waited for without an end. */
function sayOther(name: string, isFolder: boolean, found: Findings): void {
  const kind = isFolder ? "a folder" : "no file but a pipe, a socket or a device";
  const meant = /\.zip$/i.test(name) ? readNames(name, name) : null;
  if (meant === null) {
    found.warnings.push(`${name} is ${kind} and is ignored.`);
    return;
  }
  found.problems.push(`${name} is ${kind}; only regular files are read. Put the zip in its place.`);
  found.damaged.push(meant);
}

/** Members whose own names say nothing are told in one line: whoever made the zips has all so. */
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
 * Streams a member's decompressed bytes in chunks of up to 1 MiB; inflating runs on another
 * thread while the caller works on the chunk before.
 * @throws CommandError naming file and member when the packed data are cut off or damaged.
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
 * Returns why a member cannot be read: the damage of its zip if there is any, else `refusal`. A
 * changed byte shows as a fault of a row long before the checksum at the end is compared.
 */
export async function truerReason(member: PackedFile, refusal: unknown): Promise<unknown> {
  if (member.crc === null || !(refusal instanceof CommandError)) return refusal;
  try {
    for await (const _ of readMember(member));
    return refusal;
  } catch (damage) {
    return damage;
  }
}

/** How a member is called in messages: `Empresas0.zip (K3241.K03200Y0.D60808.EMPRECSV)`. */
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

/** Name of the file that tells of which publication a finished month is. */
export const DOWNLOAD_RECORD = "download.json";

/** A record has some 200 bytes for each of 37 zips. */
const BYTES_MAX = 1 << 20;
/** Longest host; names of the DNS have 253 characters. */
const HOST_LENGTH_MAX = 300;

/** The host that the files of a folder were downloaded from; null where nothing says so. */
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
