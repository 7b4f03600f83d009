/**
 * Checks before the download that all zips of a month belong to one release. Reads every zip's
 * directory by a range request for its last bytes. Compares the date tokens ("D60808") in the names
 * of the zips' members.
 * Invariant: an incomplete month, a month of several releases, or one with unknown members is
 * refused, and the error names all files concerned. If the server does not support ranges, the
 * check happens after the download.
 */

import { monthsApart } from "../dump/completeness.ts";
import { readZipElsewhere, type ZipMember } from "../dump/directory.ts";
import { readMemberName, readToken } from "../dump/layout.ts";
import { kindOf, wrongKindText } from "../files/filekind.ts";
import { wordFor } from "../text/amounts.ts";
import { withRetries } from "./backoff.ts";
import type { ShareAnswer } from "./client.ts";
import { DownloadError, errorOfStatus } from "./downloaderror.ts";
import {
  type ListedFile,
  type ListedMonth,
  listMonthAt,
  NotReady,
  type RemoteFile,
} from "./months.ts";
import type { SourceContext } from "./source.ts";
import { inParallelStreams, type StreamLimit } from "./streams.ts";
import { namesText, reasonOf } from "./words.ts";

/**
 * Numbers of bytes to read at the end of a zip. The second number is used if the first does not
 * include the whole directory. A directory of the registry takes 700 bytes, or 64 kB with the
 * longest possible zip comment.
 */
const TAILS = [4_096, 70_000] as const;

/** A month ready to download. */
export interface ReadyMonth {
  readonly month: ListedMonth;
  /** Members by the name of their zip, or null if the server does not support ranges. */
  readonly members: ReadonlyMap<string, ZipMember> | null;
  readonly token: string | null;
}

/** Lists and checks a month. @throws NotReady, CommandError, DownloadError (`replaced`) */
export async function readyMonth(
  context: SourceContext,
  streamLimit: StreamLimit,
  label: string,
  all: boolean,
): Promise<ReadyMonth> {
  const month = await listMonthAt(context, label, all);
  if (month.missing.length > 0) {
    throw new NotReady(
      `${label} is not complete at the share: ${month.missing.length} of ` +
        `${month.missing.length + month.files.length} zips ` +
        `${wordFor(month.missing.length, "is", "are")} missing ` +
        `(${namesText(month.missing)}). Perhaps it is being published; try again later.`,
    );
  }
  return inspectParts(context, streamLimit, month);
}

/** Checks the zips of a complete month. @throws NotReady, CommandError, DownloadError */
export async function inspectParts(
  context: SourceContext,
  streamLimit: StreamLimit,
  month: ListedMonth,
): Promise<ReadyMonth> {
  const members = await readMembers(context, streamLimit, month);
  if (members === null) {
    context.report(
      "the share does not answer ranges: what the zips hold is checked when they are here",
    );
  }
  return { month, members, token: members === null ? null : checkMembers(month.label, members) };
}

/** Reads the directories of all zips. Returns null if the server does not support ranges. */
async function readMembers(
  context: SourceContext,
  streamLimit: StreamLimit,
  month: ListedMonth,
): Promise<ReadonlyMap<string, ZipMember> | null> {
  const members = new Map<string, ZipMember>();
  let ranges = true;
  await inParallelStreams({
    items: month.files,
    streamLimit,
    signal: context.signal,
    report: context.report,
    work: async (file, lane) => {
      if (!ranges) return;
      const member = await withRetries({
        ...context,
        signal: lane.signal,
        name: file.name,
        leave: ({ kind }) => kind === "crowded" && !lane.alone(),
        step: () => readDirectory({ ...context, signal: lane.signal }, month.label, file),
      });
      if (member === null) ranges = false;
      else members.set(file.name, member);
    },
  });
  return ranges ? members : null;
}

/** Reads the directory of one zip, or null if the server ignores ranges. */
async function readDirectory(
  context: SourceContext,
  label: string,
  file: ListedFile,
): Promise<ZipMember | null> {
  let fault: unknown = null;
  for (const most of TAILS) {
    const start = Math.max(0, file.bytes - most);
    const tail = await readRange(context, file, [start, file.bytes - start]);
    if (tail === null) return null;
    try {
      return await readZipElsewhere(file.bytes, async (offset, length) => {
        // The zip's end record is searched from the end, so bytes before the tail may stay zero.
        const bytes = new Uint8Array(length);
        const from = Math.max(start, offset);
        bytes.set(tail.subarray(from - start, offset + length - start), from - offset);
        return bytes;
      });
    } catch (error) {
      // A file's kind depends on its first bytes, which the tail includes only for small files.
      const kind = start === 0 ? kindOf(tail) : null;
      const isZip = kind === null || kind.id === "zip";
      fault = isZip ? (fault ?? error) : new Error(wrongKindText(kind, "a zip"));
      if (start === 0) break;
    }
  }
  throw new NotReady(
    `${file.name} of ${label} is damaged at the share: ` +
      `${reasonOf(fault).replace(/\.( Download it again\.)?$/, "")}. ` +
      "Perhaps it is being published; try again later.",
  );
}

/** Reads some bytes of a remote file, or null if the server ignores ranges. */
async function readRange(
  { source, signal }: SourceContext,
  file: ListedFile,
  [offset, length]: readonly [number, number],
): Promise<Uint8Array | null> {
  const answer = await source.request({
    method: "GET",
    url: file.url,
    signal,
    headers: { range: `bytes=${offset}-${offset + length - 1}` },
  });
  const whole = answer.status === 200 && length === file.bytes;
  if (answer.status === 206 || whole) {
    checkSame(answer, file);
    const range = answer.headers.get("content-range");
    if (!whole && !range?.startsWith(`bytes ${offset}-`)) {
      answer.drop();
      throw new DownloadError("again", `the share sends another range (${range})`);
    }
    return collect(answer, length);
  }
  answer.drop();
  if (answer.status === 200) return null;
  throw errorOfStatus(answer, true);
}

async function collect(answer: ShareAnswer, length: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body()) {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > length) break;
  }
  if (bytes !== length)
    throw new DownloadError("again", `the share sends ${bytes} of ${length} bytes`);
  return Buffer.concat(pieces);
}

/**
 * Refuses an answer whose size, tag, or date differs from the listed file.
 * @throws DownloadError (`replaced`), after dropping the answer
 */
export function checkSame(answer: ShareAnswer, file: RemoteFile): void {
  const { headers, status } = answer;
  const range = /^bytes \d+-\d+\/(\d+)$/.exec(headers.get("content-range") ?? "");
  const length = status === 206 ? range?.[1] : headers.get("content-length");
  const [etag, modified] = [headers.get("etag"), headers.get("last-modified")];
  const other = [
    length !== undefined && length !== null && Number(length) !== file.bytes
      ? `${length} bytes instead of ${file.bytes}`
      : "",
    differ(etag, file.etag) ? "another tag (ETag)" : "",
    differ(modified, file.modified) ? "another date (Last-Modified)" : "",
  ].filter((text) => text !== "");
  if (other.length === 0) return;
  answer.drop();
  throw new DownloadError("replaced", `the share sends ${other.join(", ")} than it lists`);
}

/**
 * True if two tags differ. Weak and strong tags are treated alike, because the size is compared
 * too.
 */
function differ(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return false;
  return one.replace(/^W\//, "") !== other.replace(/^W\//, "");
}

/**
 * Returns the date token ("D60808") that all member names contain, or null if none contains one.
 * @throws NotReady naming all files, if the tokens differ or a member does not fit the name of its
 * zip
 */
export function checkMembers(
  label: string,
  members: ReadonlyMap<string, Pick<ZipMember, "member">>,
): string | null {
  const problems: string[] = [];
  const byToken = new Map<string, string[]>();
  for (const [name, { member }] of members) {
    const found = readMemberName(member);
    const holds = found === null ? "" : `${found.type}${found.part ?? ""}.zip`;
    if (holds !== name.toLowerCase()) problems.push(`${name} holds ${member}`);
    const token = found?.token ?? null;
    if (token !== null) byToken.set(token, [...(byToken.get(token) ?? []), name]);
  }
  if (byToken.size > 1) {
    const groups = [...byToken].map(([token, names]) => `${token} (${namesText(names)})`);
    problems.push(`releases are mixed: ${groups.join("; ")}`);
  }
  const [token] = byToken.keys();
  const date = token === undefined ? null : readToken(token, label);
  if (byToken.size === 1 && date === null) {
    problems.push(`its files bear a date that is none of the calendar: ${token}`);
  } else if (byToken.size === 1 && date !== null && monthsApart(label, date) > 1) {
    problems.push(`its files are of another month: their names say ${token} (${date})`);
  }
  if (problems.length > 0) {
    throw new NotReady(
      `${label} cannot be used as it is at the share:\n- ${problems.join("\n- ")}\n` +
        "Perhaps it is being published; try again later.",
    );
  }
  return [...byToken.keys()][0] ?? null;
}

/**
 * Checks that a month's data is newer than the local data. @throws NotReady if it is not,
 * regardless of the folder's name
 */
export function checkNewer(label: string, token: string | null, date: string | undefined): void {
  const found = token === null ? null : readToken(token, label);
  if (found === null || date === undefined || found > date) return;
  throw new NotReady(
    `${label} at the share has nothing newer than what is here: its files say ${token} ` +
      `(${found}), and here is the data of ${date}. Perhaps it is being published; ` +
      "try again later.",
  );
}
