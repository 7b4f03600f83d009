/**
 * What the share has.
 * What comes in: a share. What goes out: its months, and the registry's zips of one of them.
 * Invariant: only names that this program expects are ever looked at, so nothing that a listing
 * says becomes a path; a month is complete when every zip that an import needs is listed.
 */
import { createHash, randomBytes } from "node:crypto";
import { FILE_TYPES, type FileType, LAYOUTS } from "../dump/layout.ts";
import { CommandError } from "../errors.ts";
import { below } from "./address.ts";
import { type Patience, patiently } from "./backoff.ts";
import type { ShareAnswer, ShareClient } from "./client.ts";
import { DownloadError, troubleOfStatus } from "./downloaderror.ts";
import { ListingFault, parseMultistatus, type ResourceEntry } from "./multistatus.ts";

/** A folder of the share with 10,000 files is described in half of this. */
const LISTING_BYTES_MAX = 8 * 2 ** 20;
/** The registry cuts its large types into this many parts, at least. */
const PARTS = 10;

/** How questions are asked. */
export interface Inquiry {
  readonly client: ShareClient;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** One zip as the share lists it. */
export interface ListedFile {
  /** `Empresas0.zip`, spelled as the registry does. */
  readonly name: string;
  /** The name at the share, which may differ in case. */
  readonly remote: string;
  readonly type: FileType;
  readonly part: number | null;
  readonly bytes: number;
  readonly etag: string | null;
  readonly modified: string | null;
  /** Twelve digits that stand for this publication of this file, and for no other. */
  readonly mark: string;
}

/** One month of the share. */
export interface ListedMonth {
  readonly label: string;
  /** The zips that are wanted, the largest first. */
  readonly files: readonly ListedFile[];
  /** Names of wanted zips that are not there, or are empty. */
  readonly missing: readonly string[];
  readonly bytes: number;
  /** When the newest of the files was written, as an ISO date; null when nobody says. */
  readonly modified: string | null;
}

/** The months of the share, the newest first. @throws CommandError */
export async function listMonths(inquiry: Inquiry): Promise<string[]> {
  const entries = await listFolder(inquiry, []);
  const labels = entries.filter(({ entry, name }) => {
    return entry.folder && /^20\d\d-(0[1-9]|1[0-2])$/.test(name);
  });
  return [...new Set(labels.map(({ name }) => name))].sort().reverse();
}

/** The zips of a month; with `all` those of the partners too. @throws CommandError */
export async function listMonth(
  inquiry: Inquiry,
  label: string,
  all: boolean,
): Promise<ListedMonth> {
  const found = new Map<string, ListedFile>();
  for (const { entry, name } of await listFolder(inquiry, [label])) {
    const file = entry.folder ? null : listedFile(label, name, entry);
    if (file === null || (file.type === "socios" && !all)) continue;
    if (found.has(file.name)) throw new CommandError(`The share lists ${file.name} twice.`);
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

/** Every zip that a month must have; parts beyond the tenth count when they are listed. */
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

/** A zip of the registry by its name; null for everything else. */
function listedFile(label: string, remote: string, entry: ResourceEntry): ListedFile | null {
  const match = /^([A-Za-z]{5,20})(\d{1,2})?\.zip$/i.exec(remote);
  const type = FILE_TYPES.find((one) => {
    return LAYOUTS[one].zip.toLowerCase() === match?.[1]?.toLowerCase();
  });
  if (match === null || type === undefined) return null;
  if (LAYOUTS[type].parts !== (match[2] !== undefined)) return null;
  const part = match[2] === undefined ? null : Number(match[2]);
  const name = `${LAYOUTS[type].zip}${part ?? ""}.zip`;
  const { bytes, etag, modified } = entry;
  // Without a validator nothing tells one publication from another: the mark is of this listing.
  const bound = etag ?? modified ?? randomBytes(8).toString("hex");
  const text = JSON.stringify([label, name, bytes, bound, modified]);
  const mark = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { name, remote, type, part, bytes: bytes ?? 0, etag, modified, mark };
}

/** Whether two listings are of the same publication, file by file. */
export function samePublication(one: ListedMonth, other: ListedMonth): boolean {
  const markOf = ({ etag, modified, mark, bytes }: ListedFile) =>
    etag === null && modified === null ? String(bytes) : mark;
  const marks = ({ files }: ListedMonth) => new Map(files.map((one) => [one.name, markOf(one)]));
  const [before, now] = [marks(one), marks(other)];
  return before.size === now.size && [...before].every(([name, mark]) => now.get(name) === mark);
}

interface NamedEntry {
  readonly entry: ResourceEntry;
  readonly name: string;
}

/** What lies directly in a folder of the share. */
async function listFolder(inquiry: Inquiry, path: readonly string[]): Promise<NamedEntry[]> {
  const { client } = inquiry;
  const url = below(client.share, path, true);
  const name = path.length === 0 ? "the list of months" : `the list of ${path.join("/")}`;
  return patiently({ ...inquiry, name, step: () => ask(inquiry, url) });
}

async function ask({ client, signal }: Inquiry, url: URL): Promise<NamedEntry[]> {
  const answer = await client.ask({
    method: "PROPFIND",
    url,
    signal,
    headers: { depth: "1", "content-type": "application/xml; charset=utf-8" },
    body:
      '<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/>' +
      "<d:getcontentlength/><d:getlastmodified/><d:getetag/></d:prop></d:propfind>",
  });
  if (answer.status === 207) return entriesOf(answer.url, await textOf(answer));
  answer.drop();
  if (answer.status >= 200 && answer.status < 300) {
    throw new CommandError(
      `${url} is no WebDAV folder (it answers ${answer.status}); check download.url.`,
    );
  }
  throw troubleOfStatus(answer, false);
}

async function textOf(answer: ShareAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body()) {
    bytes += piece.length;
    if (bytes > LISTING_BYTES_MAX) throw unusable(answer.url, "it is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function entriesOf(folder: URL, text: string): NamedEntry[] {
  try {
    return parseMultistatus(text).flatMap((entry) => {
      const name = nameIn(folder, entry.href);
      return name === null ? [] : [{ entry, name }];
    });
  } catch (error) {
    if (!(error instanceof ListingFault)) throw error;
    // A listing that was cut, or a page of a proxy that passes: it may be whole the next time.
    if (error.message === "it ends in the middle") {
      throw new DownloadError("again", "the list ends in the middle");
    }
    throw unusable(folder, error.message);
  }
}

function unusable(url: URL, why: string): CommandError {
  return new CommandError(`The list of ${url} cannot be used: ${why}. Check download.url.`);
}

/** The name of what lies directly in a folder; null for the folder itself and what lies apart. */
function nameIn(folder: URL, href: string): string | null {
  if (!URL.canParse(href, folder.href)) return null;
  try {
    const path = decodeURIComponent(new URL(href, folder).pathname).replace(/\/$/, "");
    const base = decodeURIComponent(folder.pathname);
    const name = path.startsWith(base) ? path.slice(base.length) : "";
    return name === "" || name.includes("/") ? null : name;
  } catch {
    return null;
  }
}
