/**
 * Lists the folders of a share by its protocol: WebDAV, an HTML page or a JSON list, a bucket's
 * XML, or the local disk.
 * Invariant: a listing is read completely, up to a size limit, or not used at all. A truncated
 * listing is requested again. An unusable one is refused with its address.
 */
import { type Share, urlBelow } from "./address.ts";
import type { Answerer, ShareAnswer } from "./client.ts";
import { DownloadError, errorOfStatus, ShareFault } from "./downloaderror.ts";
import { nameIn, parseIndexPage, parseJsonIndex } from "./listings/indexpage.ts";
import { listLocalFolder } from "./listings/localfolder.ts";
import {
  type BucketPage,
  isBucketPage,
  ListingFault,
  parseBucketPage,
  parseMultistatus,
} from "./listings/xml.ts";

/** Max bytes of a listing. A listing of 10,000 files takes half of that. */
const LISTING_BYTES_MAX = 8 * 2 ** 20;
/** Pages of 1,000 keys. */
const PAGES_MAX = 20;

/** A direct entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly folder: boolean;
  readonly url: URL;
  /** Size; null if the listing lacks it. */
  readonly bytes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
  /** True if listings lack size, tag, and date, so that each file needs a request for them. */
  readonly unmeasured: boolean;
}

/** Access to a share. */
interface ShareAccess extends Answerer {
  readonly share: Share;
  readonly signal: AbortSignal;
}

/** Lists a folder below the root. @throws DownloadError, ShareFault */
export type Lister = (access: ShareAccess, path: readonly string[]) => Promise<FolderEntry[]>;

/** Detects a share's kind of listing by listing its root. @throws DownloadError, ShareFault */
export async function listerOf(
  access: ShareAccess,
): Promise<{ readonly lister: Lister; readonly entries: FolderEntry[] }> {
  const { share } = access;
  const settled = async (lister: Lister) => ({ lister, entries: await lister(access, []) });
  if (share.root.protocol === "file:") return settled(localLister);
  if (share.prefix !== null) return settled(bucketLister(share.root, share.prefix));
  const answer = await propfind(access, []);
  if (answer.status === 207)
    return { lister: davLister, entries: await davEntries(access, answer) };
  answer.drop();
  const { status } = answer;
  // Statuses of a busy share. Other statuses may mean that PROPFIND is not supported.
  const busy = (status >= 500 && status !== 501) || [401, 408, 423, 425, 429].includes(status);
  if (busy) throw errorOfStatus(answer, false);
  return withoutDav(access, answer);
}

/** Handles a share without WebDAV: tries the pages that browsers get. */
async function withoutDav(access: ShareAccess, { status }: ShareAnswer) {
  const { share } = access;
  const page = await get(access, share.root);
  if (page.status === 200) {
    const { root } = share;
    const text = await textOf(page);
    if (isBucketPage(text)) {
      const lister = bucketLister(root, "");
      return { lister, entries: await lister(access, []) };
    }
    const entries = pageEntries(page, text);
    if (entries !== null) return { lister: pageLister, entries };
    throw new ShareFault(
      `${root} is no WebDAV folder (it answers ${status}), no page that lists files and no ` +
        "bucket; check download.url.",
    );
  }
  const isBucket = [...BUCKET_HEADERS].some((name) => page.headers.get(name) !== null);
  page.drop();
  if (isBucket) {
    for (const [base, prefix] of bucketsOf(share.root)) {
      const lister = bucketLister(base, prefix);
      const entries = await lister(access, []).catch((error: unknown) => {
        if (error instanceof ShareFault) return [];
        throw error;
      });
      if (entries.length > 0) return { lister, entries };
    }
  }
  const unknown = [400, 405, 501].includes(status) || (status >= 200 && status < 300);
  throw errorOfStatus(unknown ? page : { ...page, status }, false);
}

/** Headers that only S3 servers send. */
const BUCKET_HEADERS = ["x-amz-request-id", "x-amz-bucket-region", "x-goog-generation"];

/** Returns the meanings of a bucket's address: the path is a prefix, or begins with the bucket. */
function bucketsOf(root: URL): [base: URL, prefix: string][] {
  const path = decodeURIComponent(root.pathname).slice(1);
  const slash = path.indexOf("/") + 1;
  const bucket = new URL(`/${encodeURIComponent(path.slice(0, slash - 1))}/`, root);
  return path === ""
    ? []
    : [
        [new URL("/", root), path],
        [bucket, path.slice(slash)],
      ];
}

const localLister: Lister = async ({ share }, path) => {
  const entries = await listLocalFolder(urlBelow(share, path, true));
  return entries.map((entry) => {
    return {
      ...entry,
      unmeasured: false,
      url: urlBelow(share, [...path, entry.name], entry.folder),
    };
  });
};

const davLister: Lister = async (access, path) => {
  const answer = await propfind(access, path);
  if (answer.status === 207) return davEntries(access, answer, path);
  answer.drop();
  const { status, url } = answer;
  if (status < 200 || status >= 300) throw errorOfStatus(answer, false);
  throw new ShareFault(`${url} is no WebDAV folder (it answers ${status}); check download.url.`);
};

function propfind(
  { share, request, signal }: ShareAccess,
  path: readonly string[],
): Promise<ShareAnswer> {
  return request({
    method: "PROPFIND",
    url: urlBelow(share, path, true),
    signal,
    headers: { depth: "1", "content-type": "application/xml; charset=utf-8" },
    body:
      '<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/>' +
      "<d:getcontentlength/><d:getlastmodified/><d:getetag/></d:prop></d:propfind>",
  });
}

async function davEntries(
  { share }: ShareAccess,
  answer: ShareAnswer,
  path: readonly string[] = [],
): Promise<FolderEntry[]> {
  const listed = read(answer.url, parseMultistatus, await textOf(answer));
  return listed.flatMap(({ href, ...entry }) => {
    const name = nameIn(answer.url, href);
    if (name === null) return [];
    return [
      { ...entry, name, unmeasured: false, url: urlBelow(share, [...path, name], entry.folder) },
    ];
  });
}

const pageLister: Lister = async (access, path) => {
  const answer = await get(access, urlBelow(access.share, path, true));
  if (answer.status === 200) {
    const entries = pageEntries(answer, await textOf(answer));
    if (entries !== null) return entries;
    throw unusable(answer.url, "it lists no files");
  }
  answer.drop();
  throw errorOfStatus(answer, false);
};

function get({ request, signal }: ShareAccess, url: URL): Promise<ShareAnswer> {
  const headers = { accept: "text/html, application/xml;q=0.9, */*;q=0.1" };
  return request({ method: "GET", url, signal, headers });
}

/** The entries of a page, or null if it is no listing. */
function pageEntries({ url }: ShareAnswer, text: string): FolderEntry[] | null {
  const folder = new URL(".", url);
  const parse = (list: string) => parseJsonIndex(list, folder) ?? parseIndexPage(list, folder);
  const found = read(url, parse, text);
  if (found === null) return null;
  return found.map(({ name, folder: is }) => {
    const there = new URL(`${encodeURIComponent(name)}${is ? "/" : ""}`, folder);
    const unknown = { bytes: null, etag: null, modified: null };
    return { ...unknown, name, folder: is, url: there, unmeasured: !is };
  });
}

/** Returns a lister that presents a bucket's keys as folders, split at slashes. */
function bucketLister(base: URL, root: string): Lister {
  return async (access, path) => {
    const top = root === "" || root.endsWith("/") ? root : `${root}/`;
    const prefix = `${top}${path.map((name) => `${name}/`).join("")}`;
    const entries: FolderEntry[] = [];
    const tokens = new Set<string>();
    for (let token: string | null = null; ; ) {
      const { entries: some, next } = await bucketPage(access, base, { prefix, token });
      for (const entry of some) {
        const key = `${prefix}${entry.name}`.split("/").map(encodeURIComponent).join("/");
        entries.push({ ...entry, unmeasured: false, url: new URL(base.pathname + key, base) });
      }
      if (next === null) return entries;
      // Refuses a list that loops or never ends.
      if (tokens.has(next) || tokens.size >= PAGES_MAX) throw unusable(base, "it has no end");
      tokens.add(next);
      token = next;
    }
  };
}

async function bucketPage(
  access: ShareAccess,
  base: URL,
  { prefix, token }: { readonly prefix: string; readonly token: string | null },
): Promise<BucketPage> {
  const url = new URL(base);
  const members = { "list-type": "2", delimiter: "/", "encoding-type": "url", prefix };
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  if (token !== null) url.searchParams.set("continuation-token", token);
  const answer = await get(access, url);
  if (answer.status === 200) {
    return read(base, (text) => parseBucketPage(text, prefix), await textOf(answer));
  }
  answer.drop();
  throw errorOfStatus({ ...answer, url: base }, false);
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

function read<T>(url: URL, parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof ListingFault)) throw error;
    // A listing may be truncated, or a proxy may have sent a temporary page instead of it. In both
    // cases, the next attempt may get the whole listing.
    if (error.message === "it ends in the middle") {
      throw new DownloadError("again", "the list ends in the middle");
    }
    throw unusable(url, error.message);
  }
}

function unusable(url: URL, why: string): ShareFault {
  return new ShareFault(`The list of ${url} cannot be used: ${why}. Check download.url.`);
}
