/**
 * Reads a page of a bucket's listing.
 * What comes in: the XML text of a `ListBucketResult` (S3, ListObjectsV2), and the prefix that was
 * asked for. What goes out: the files and folders directly below the prefix, and how to ask for
 * the next page.
 * Invariant: keys that do not begin with the prefix, or lie deeper, are passed over; so are names
 * of dots alone, which would lead out of their folder. Depth and number of entries are bounded.
 */
import { ListingFault, scanXml } from "./xml.ts";

const DEPTH_MAX = 8;
/** S3 gives 1,000 on a page; others up to 10,000. */
const ENTRIES_MAX = 20_000;

/** One file or folder below a prefix. */
export interface BucketEntry {
  readonly name: string;
  readonly folder: boolean;
  readonly bytes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

/** One page of a listing. */
export interface BucketPage {
  readonly entries: readonly BucketEntry[];
  /** Asks for the next page; null on the last one. */
  readonly next: string | null;
}

/** Whether a text begins like a bucket's listing. */
export function isBucketPage(text: string): boolean {
  return /^\ufeff?\s*(<\?xml[^>]*>\s*)?<(\w{1,20}:)?ListBucketResult[\s>]/.test(text);
}

type Members = Readonly<Record<string, string>>;

/** Parses a page. @throws ListingFault naming what is wrong. */
export function parseBucketPage(text: string, prefix: string): BucketPage {
  const { members, files, folders } = readElements(text);
  const spaced = (key: string) => (members.EncodingType === "url" ? key.replaceAll("+", " ") : key);
  const decode = (key = "") => {
    if (members.EncodingType !== "url") return key;
    try {
      return decodeURIComponent(spaced(key));
    } catch {
      return "";
    }
  };
  const entries = [
    ...folders.map(({ Prefix }): BucketEntry => {
      const name = nameBelow(prefix, decode(Prefix).replace(/\/$/, ""));
      return { name, folder: true, bytes: null, etag: null, modified: null };
    }),
    ...files.map(({ Key, Size = "", ETag = "", LastModified = "" }): BucketEntry => {
      const bytes = /^\d{1,15}$/.test(Size) ? Number(Size) : null;
      const etag = ETag === "" ? null : `"${ETag.replace(/^"|"$/g, "")}"`;
      const name = nameBelow(prefix, decode(Key));
      return { name, folder: false, bytes, etag, modified: httpDate(LastModified) };
    }),
  ].filter(({ name }) => name !== "");
  if (members.IsTruncated !== "true") return { entries, next: null };
  const next = members.NextContinuationToken ?? "";
  if (next === "") throw new ListingFault("it goes on, but does not say where");
  return { entries, next };
}

/** The name of what lies directly below a prefix; empty for everything else. */
function nameBelow(prefix: string, key: string): string {
  const name = key.startsWith(prefix) ? key.slice(prefix.length) : "";
  return name.includes("/") || /^\.{0,2}$/.test(name) ? "" : name;
}

/** A file's date as its answers will say it: whole seconds, as HTTP writes them. */
function httpDate(text: string): string | null {
  const ms = Date.parse(text);
  return text === "" || Number.isNaN(ms) ? null : new Date(ms).toUTCString();
}

/** The values directly in the root, and those of each file and folder. */
function readElements(page: string) {
  const stack: string[] = [];
  const members: Record<string, string> = {};
  const files: Members[] = [];
  const folders: Members[] = [];
  let one: Record<string, string> = {};
  let value = "";
  const close = (): void => {
    const path = stack.map((item) => item.replace(/^.*:/, "")).join("/");
    stack.pop();
    const [, outer, inner, more] = path.split("/");
    if (outer !== undefined && inner === undefined) {
      if (outer === "Contents") files.push(one);
      else if (outer === "CommonPrefixes") folders.push(one);
      else members[outer] = value.trim();
    } else if (inner !== undefined && more === undefined) one[inner] = value.trim();
    value = "";
    if (files.length + folders.length > ENTRIES_MAX) throw new ListingFault("it lists too much");
  };
  const open = (name: string): void => {
    if (stack.length === 0 && name.replace(/^.*:/, "") !== "ListBucketResult") {
      throw new ListingFault("it is no bucket's list");
    }
    if (stack.length === 1) one = {};
    stack.push(name);
    value = "";
  };
  const text = (piece: string): void => {
    value += piece;
  };
  scanXml(page, { open, text, close }, DEPTH_MAX);
  return { members, files, folders };
}
