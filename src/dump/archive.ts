/**
 * What comes in: a folder with the zips of one monthly release (or their unzipped members).
 * What goes out: the list of members with everything needed to read them, and their decompressed
 * bytes as a stream.
 * Invariant: all members are of one release date, every needed file type is there, and a stream
 * that ends without an error had the size and CRC-32 that the zip's directory promised.
 */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { createInflateRaw, type InflateRaw } from "node:zlib";
import { CommandError } from "../errors.ts";
import { crc32 } from "./crc32.ts";
import { type PackedFile, readPlain, readZip } from "./directory.ts";
import {
  FILE_TYPES,
  type FileType,
  LAYOUTS,
  readLabel,
  readMemberName,
  readToken,
} from "./layout.ts";

const CHUNK_BYTES = 1 << 20;

/** One file of the release; a plain value, so that it can be passed to a worker thread. */
export interface DumpMember extends PackedFile {
  readonly type: FileType;
  /** 0 to 9; null for the types that have one file. */
  readonly part: number | null;
  readonly token: string | null;
}

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
  /** Sentences about things that look wrong but do not stop an import. */
  readonly warnings: readonly string[];
}

/** Everything found in a folder, before the checks. */
interface Findings {
  readonly members: DumpMember[];
  readonly problems: string[];
  readonly warnings: string[];
}

/**
 * Lists and checks the folder. `label` (`YYYY-MM`) overrides the folder's name.
 * @throws CommandError naming every problem at once: damaged, encrypted or foreign zips, missing
 * or doubled files, files of different release dates.
 */
export async function openDump(folder: string, label?: string): Promise<DumpFolder> {
  const root = resolve(folder);
  const names = await listFolder(root);
  const found: Findings = { members: [], problems: [], warnings: [] };
  for (const name of names) await inspect(join(root, name), found);
  const token = checkTokens(found);
  checkWhole(found);
  if (found.problems.length > 0) {
    throw new CommandError(
      `The dump in ${root} cannot be imported:\n- ${found.problems.join("\n- ")}`,
    );
  }
  found.members.sort(
    (a, b) =>
      FILE_TYPES.indexOf(a.type) - FILE_TYPES.indexOf(b.type) || (a.part ?? 0) - (b.part ?? 0),
  );
  const knownLabel = label ?? readLabel(basename(root));
  const date = token !== null && knownLabel !== null ? readToken(token, knownLabel) : null;
  return { folder: root, label: knownLabel, token, date, ...found };
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
  const isZip = /\.zip$/i.test(name);
  if (!isZip && readMemberName(name) === null) return;
  try {
    const packed = isZip ? await readZip(file) : await readPlain(file);
    const member = packed === null ? null : readMemberName(packed.member);
    if (packed !== null && member !== null) found.members.push({ ...packed, ...member });
    else if (isRegistryZip(name)) {
      found.problems.push(`${name}: its member is none of the registry's files.`);
    } else found.warnings.push(`${name} is not one of the registry's files and is ignored.`);
  } catch (error) {
    found.problems.push(`${name}: ${reasonOf(error)}`);
  }
}

function isRegistryZip(name: string): boolean {
  return FILE_TYPES.some((type) => name.toLowerCase().startsWith(LAYOUTS[type].zip.toLowerCase()));
}

function checkTokens(found: Findings): string | null {
  const byToken = new Map<string, string[]>();
  for (const { token, file } of found.members) {
    if (token !== null) byToken.set(token, [...(byToken.get(token) ?? []), basename(file)]);
  }
  if (byToken.size > 1) {
    const groups = [...byToken].map(([token, files]) => `${token} (${files.join(", ")})`);
    found.problems.push(
      `files of different releases are mixed: ${groups.join("; ")}. Download all of one month.`,
    );
  }
  return [...byToken.keys()][0] ?? null;
}

function checkWhole(found: Findings): void {
  const counts = new Map<FileType, number>();
  for (const type of FILE_TYPES) {
    const members = found.members.filter((member) => member.type === type);
    const parts = members.map((member) => member.part ?? 0).sort((a, b) => a - b);
    counts.set(type, members.length);
    const { zip, parts: hasParts } = LAYOUTS[type];
    const first = hasParts ? `${zip}0.zip` : `${zip}.zip`;
    if (type === "socios") continue;
    if (members.length === 0) found.problems.push(`${first} is missing (no ${type} file at all).`);
    for (const part of new Set(parts.filter((part, index) => parts[index - 1] === part))) {
      const files = members.filter((m) => (m.part ?? 0) === part).map((m) => basename(m.file));
      found.problems.push(`${type} part ${part} is there more than once: ${files.join(", ")}.`);
    }
    for (let part = 0; part < (parts.at(-1) ?? 0); part++) {
      if (!parts.includes(part)) found.problems.push(`${zip}${part}.zip is missing.`);
    }
  }
  if (counts.get("empresas") !== counts.get("estabelecimentos")) {
    found.warnings.push(
      `There are ${counts.get("empresas")} Empresas and ${counts.get("estabelecimentos")} ` +
        "Estabelecimentos files; the registry publishes ten of each.",
    );
  }
}

/**
 * Streams a member's decompressed bytes in chunks of up to 1 MiB; inflating runs on another
 * thread while the caller works on the chunk before.
 * @throws CommandError naming file and member when the packed data are cut off or damaged.
 */
export async function* readMember(member: DumpMember): AsyncGenerator<Uint8Array> {
  let size = 0;
  let crc = 0;
  const damaged = (reason: string, cause?: unknown): CommandError =>
    new CommandError(`${placeOf(member)}: ${reason}; download the file again`, 1, cause);
  try {
    for await (const chunk of unpack(member)) {
      size += chunk.length;
      if (size > member.bytes) throw damaged(`longer than the ${member.bytes} bytes promised`);
      if (member.crc !== null) crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof CommandError ? error : damaged(reasonOf(error), error);
  }
  if (size < member.bytes) throw damaged(`ends after ${size} of ${member.bytes} bytes`);
  if (member.crc !== null && crc !== member.crc) throw damaged("the checksum (CRC-32) is wrong");
}

/** How a member is called in messages: `Empresas0.zip (K3241.K03200Y0.D60808.EMPRECSV)`. */
export function placeOf(member: DumpMember): string {
  const name = basename(member.file);
  return member.packing === "plain" ? name : `${name} (${member.member})`;
}

async function* unpack(member: DumpMember): AsyncGenerator<Uint8Array> {
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
