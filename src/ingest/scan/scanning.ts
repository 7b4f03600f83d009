/**
 * Pass 1 of an import: scans every large member, and reads the six small tables.
 * Invariant: all files are first read as ISO-8859-1, the registry's encoding. A file whose
 * non-ASCII characters show that it is UTF-8 is read again. If a file has too few such characters,
 * those of all files together decide. The maximum number of malformed rows applies to all files
 * together.
 */
import { basename } from "node:path";
import type { DumpFolder } from "../../dump/archive.ts";
import { checkRows } from "../../dump/completeness.ts";
import type { DumpMember } from "../../dump/directory.ts";
import type { FileType, LookupType } from "../../dump/layout.ts";
import { type Lookups, readLookup, readLookups } from "../../dump/lookups.ts";
import { isUtf8, sumSequences, type TextEncoding } from "../../dump/registrytext.ts";
import { RULE_NAMES } from "../../dump/rules.ts";
import { CommandError } from "../../errors.ts";
import { wordFor } from "../../text/amounts.ts";
import { type StartStage, watched } from "../assemble.ts";
import { dayOf, type MemberScan, type Release, SLOT_BYTES } from "../release-tables.ts";
import { mergeTallies, Tally, type TallyResult } from "../tally.ts";
import type { Threads } from "../threads.ts";
import type { Workspace } from "../workspace.ts";
import type { ScanTask } from "./scan.ts";

/** The date in a row is valid up to this many days after the snapshot date. */
const DAYS_AFTER = 7;

/** Max files in a message. */
const NAMES_MAX = 4;

interface Scanning {
  readonly dump: DumpFolder;
  readonly release: Release;
  readonly workspace: Workspace;
  readonly threads: Threads;
  readonly partitions: number;
  readonly keepCpf: boolean;
  readonly skipBadRows: number;
  readonly partial: boolean;
  readonly startStage: StartStage;
}

/** Contents of a dump. */
export interface ScannedDump {
  readonly scans: readonly MemberScan[];
  readonly lookups: Lookups;
  /** Counts the rows that were dropped from the small tables. */
  readonly tally: TallyResult;
  readonly warnings: readonly string[];
  /** True if files without rows are allowed. */
  readonly partial: boolean;
  /** Malformed rows that were dropped. */
  readonly rowsLeftOut: number;
}

/** Scans all files. @throws CommandError that names file, line, and reason, or all empty files. */
export async function scanDump(scanning: Scanning): Promise<ScannedDump> {
  const { dump, skipBadRows } = scanning;
  const [scanned, tables] = await Promise.all([
    scanAll(scanning, scannedMembers(dump), false),
    readLookups(dump, { skipBadRows }),
  ]);
  const { scans, lookups } = await readAsEncoded(scanning, scanned, tables);
  const tally = lookupTally(lookups);
  const rowsLeftOut = checkBadRows([...scans.map((scan) => scan.tally), tally], skipBadRows);
  const empty = [
    ...scans.filter(({ rowsKept }) => rowsKept === 0).map(({ member }) => member),
    ...Object.values(lookups).flatMap(({ rows, files }) =>
      rows.size > 0 ? [] : files.map((file) => ({ file, bytes: 1 })),
    ),
  ];
  // Files without bytes were already reported by the check of the folder.
  const files = empty.filter(({ bytes }) => bytes > 0).map(({ file }) => file);
  const lacking = files.length === 0 ? [] : checkRows(files, scanning.partial);
  if (lacking.length > 0 && !scanning.partial) {
    throw new CommandError(
      `The dump in ${dump.folder} cannot be imported:\n- ${lacking.join("\n- ")}`,
    );
  }
  const warnings = [...lacking, ...encodingWarnings(scans, lookups)];
  return { scans, lookups, tally, warnings, partial: lacking.length > 0, rowsLeftOut };
}

function scannedMembers(dump: DumpFolder): DumpMember[] {
  const types: readonly FileType[] = ["empresas", "simples", "estabelecimentos"];
  return dump.members.filter(({ type }) => types.includes(type));
}

/** Uncompressed bytes read in pass 1. */
export function scannedBytes(dump: DumpFolder): number {
  return scannedMembers(dump).reduce((sum, member) => sum + member.bytes, 0);
}

async function scanAll(
  scanning: Scanning,
  members: readonly DumpMember[],
  utf8: boolean,
): Promise<MemberScan[]> {
  const { release, workspace, threads, partitions, keepCpf, skipBadRows } = scanning;
  const largest = [...members].sort((a, b) => b.bytes - a.bytes);
  const bytes = members.reduce((sum, member) => sum + member.bytes, 0);
  const stage = scanning.startStage("scan", Math.round(bytes / 2 ** 20), "MB");
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const latestDay = dayOf(release.date) + DAYS_AFTER;
  const tasks = largest.map((member): ScanTask => {
    const spillPath = workspace.file(`${member.type}-${member.part ?? 0}`);
    const how = { partitions, slotBytes: SLOT_BYTES, keepCpf, latestDay, utf8, skipBadRows };
    return { member, spillPath, ...how, progress };
  });
  const step = (): void => stage.update(Atomics.load(progress, 0) / 1024);
  const results = await watched(step, () => threads.run("scan", tasks));
  stage.done();
  const scans = results.map((result, i) => ({ ...result, member: largest[i] as DumpMember }));
  return scans.sort((a, b) => orderOf(a.member) - orderOf(b.member));
}

/**
 * Returns the position of a member in the order of files. It decides which of two rows with the
 * same key is the first.
 */
function orderOf({ type, part }: DumpMember): number {
  return { empresas: 0, simples: 1000, estabelecimentos: 2000 }[type as "simples"] + (part ?? 0);
}

/** Reads files again as UTF-8 if they turn out to be UTF-8. */
async function readAsEncoded(
  scanning: Scanning,
  scans: readonly MemberScan[],
  lookups: Lookups,
): Promise<Pick<ScannedDump, "scans" | "lookups">> {
  const tables = Object.entries(lookups) as [LookupType, Lookups[LookupType]][];
  const found = [...scans.map((scan) => scan.encoding), ...tables.map(([, t]) => t.encoding)];
  const month = sumSequences(found);
  const isOther = (encoding: TextEncoding, type: readonly TextEncoding[]): boolean =>
    !encoding.utf8 && isUtf8(encoding, sumSequences(type), month);
  const ofType = (type: FileType): TextEncoding[] =>
    scans.filter(({ member }) => member.type === type).map((scan) => scan.encoding);
  const others = scans.filter((scan) => isOther(scan.encoding, ofType(scan.member.type)));
  const again = { ...lookups };
  for (const [type, { encoding }] of tables) {
    if (!isOther(encoding, [encoding])) continue;
    again[type] = await readLookup(scanning.dump, type, { ...scanning, utf8: true });
  }
  // A file with only ASCII characters is the same in both encodings, so it need not be read again.
  const decisive = others.filter(({ encoding }) => encoding.right + encoding.broken > 0);
  if (decisive.length === 0) return { scans, lookups: again };
  const read = await scanAll(
    scanning,
    decisive.map(({ member }) => member),
    true,
  );
  const byMember = new Map(read.map((scan) => [scan.member, scan]));
  return { scans: scans.map((scan) => byMember.get(scan.member) ?? scan), lookups: again };
}

/** A file, or several of one type, with the counts of non-ASCII sequences. */
interface EncodedFile {
  readonly names: readonly string[];
  readonly encoding: TextEncoding;
}

/** Returns warnings about characters in any file that may be decoded wrongly. */
function encodingWarnings(scans: readonly MemberScan[], lookups: Lookups): string[] {
  const files: EncodedFile[] = [
    ...scans.map(({ member, encoding }) => ({ names: [basename(member.file)], encoding })),
    ...Object.values(lookups).map((table) => ({
      names: table.files.map((file) => basename(file)),
      encoding: table.encoding,
    })),
  ];
  const utf8 = files.filter(({ encoding }) => encoding.utf8);
  const mixed = files.filter(({ encoding }) => !encoding.utf8 && encoding.right > 0);
  return [...sayUtf8(utf8), ...sayMixed(mixed)];
}

function sayUtf8(files: readonly EncodedFile[]): string[] {
  const read = files.filter(({ encoding }) => encoding.right + encoding.broken > 0);
  if (read.length === 0) return [];
  const names = read.flatMap((file) => file.names);
  const { right, broken } = sumSequences(read.map(({ encoding }) => encoding));
  const letters = wordFor(right, "character that is not ASCII", "characters that are not ASCII");
  return [
    `${firstOf(names)} ${wordFor(names.length, "is", "are")} UTF-8 and ` +
      `${wordFor(names.length, "was", "were")} read as such; the registry publishes ISO-8859-1. ` +
      `${right.toLocaleString("en-US")} ${letters}, ${broken.toLocaleString("en-US")} broken.`,
  ];
}

/** Returns a warning about ISO-8859-1 files that seem to contain UTF-8, the most affected first. */
function sayMixed(files: readonly EncodedFile[]): string[] {
  if (files.length === 0) return [];
  const most = [...files].sort((a, b) => b.encoding.right - a.encoding.right);
  const names = most.map(({ names, encoding }) => {
    return `${names.join(", ")} (${encoding.right.toLocaleString("en-US")})`;
  });
  const { right } = sumSequences(files.map(({ encoding }) => encoding));
  const what = wordFor(right, "character looks", "characters look");
  return [
    `${right.toLocaleString("en-US")} ${what} like UTF-8 in files of ISO-8859-1, and ` +
      `${wordFor(right, "was", "were")} read as that, \u00c3\u00a3 in place of \u00e3: ` +
      `${firstOf(names)}. A few were typed so; many say that a file is of both.`,
  ];
}

function firstOf(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  return names.slice(0, NAMES_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function lookupTally(lookups: Lookups): TallyResult {
  const tallies = Object.values(lookups).flatMap(({ leftOut, windows }) => [
    ...leftOut.map(({ place, line, reason }) => {
      const tally = new Tally(place);
      tally.add("row_malformed", line, () => reason);
      return tally.result();
    }),
    ...windows.map(({ place, line }) => {
      const tally = new Tally(place);
      tally.add("text_windows", line);
      return tally.result();
    }),
  ]);
  return mergeTallies(tallies);
}

/**
 * Returns the number of malformed rows in all files; throws if it is too large. (Each scan checks
 * only its own file.)
 */
function checkBadRows(tallies: readonly TallyResult[], allowed: number): number {
  const { counts, examples } = mergeTallies(tallies);
  const count = counts[RULE_NAMES.indexOf("row_malformed")] as number;
  if (count <= allowed) return count;
  const places = (examples.row_malformed ?? []).map(({ place, value }) => `- ${place}: ${value}`);
  throw new CommandError(
    `${count} rows of all files are malformed, and --skip-bad-rows allows ${allowed}:\n` +
      `${places.join("\n")}${count > places.length ? "\n- …" : ""}`,
  );
}
