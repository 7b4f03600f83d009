/**
 * Reads the XML listings of shares: a page of a bucket, and a WebDAV folder. Input: the text of a
 * `ListBucketResult` (S3, ListObjectsV2) and the requested prefix, or of a `multistatus` (RFC
 * 4918).
 * Output: the files and folders directly below the prefix, one entry per resource, and how to
 * request the next page.
 * Invariant: XML that is not well-formed, has a document type, or nests too deep throws
 * `ListingFault`. Depth and number of entries are bounded. Keys without the prefix, or more than
 * one step below it, are skipped. So are names of only dots, which would lead out of their folder.
 * WebDAV names are compared with their namespace. Properties count only from a `propstat` of status
 * 200.
 */
import { type XmlAttributes, XmlFault, type XmlHandler, XmlReader } from "../../text/xmlreader.ts";

/** Error for a text that is not a valid listing. */
export class ListingFault extends Error {}

/** Parses a listing with up to `depthMax` levels. @throws ListingFault naming the fault. */
function scanXml(text: string, handler: XmlHandler, depthMax: number): void {
  const reader = new XmlReader(handler, depthMax);
  try {
    // Some servers begin with an empty line, which XML does not allow.
    reader.add(Buffer.from(text.trimStart()));
    reader.end();
  } catch (error) {
    throw error instanceof XmlFault ? new ListingFault(error.message) : error;
  }
}

const BUCKET_DEPTH_MAX = 8;
/** Max entries per page: S3 returns 1,000, others up to 10,000. */
const ENTRIES_MAX = 20_000;

/** A file or folder below a prefix. */
export interface BucketEntry {
  readonly name: string;
  readonly folder: boolean;
  readonly bytes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

/** A page of a listing. */
export interface BucketPage {
  readonly entries: readonly BucketEntry[];
  /** Token of the next page, or null on the last page. */
  readonly next: string | null;
}

/** True if a text begins like a bucket's listing. */
export function isBucketPage(text: string): boolean {
  return /^\ufeff?\s*(<\?xml[^>]*>\s*)?<(\w{1,20}:)?ListBucketResult[\s>]/.test(text);
}

type Members = Readonly<Record<string, string>>;

/** Parses a page. @throws ListingFault naming the fault. */
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

/** Returns the name of an entry directly below a prefix, or else an empty text. */
function nameBelow(prefix: string, key: string): string {
  const name = key.startsWith(prefix) ? key.slice(prefix.length) : "";
  return name.includes("/") || /^\.{0,2}$/.test(name) ? "" : name;
}

/** Returns a file's date in the format of HTTP headers, in whole seconds. */
function httpDate(text: string): string | null {
  const ms = Date.parse(text);
  return text === "" || Number.isNaN(ms) ? null : new Date(ms).toUTCString();
}

/** Returns the values directly in the root, and the values of each file and folder. */
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
      throw new ListingFault("it is not a bucket listing");
    }
    if (stack.length === 1) one = {};
    stack.push(name);
    value = "";
  };
  const text = (piece: string): void => {
    value += piece;
  };
  scanXml(page, { open, text, close }, BUCKET_DEPTH_MAX);
  return { members, files, folders };
}

const DAV_DEPTH_MAX = 24;
const DAV = "DAV:";

interface ResourceEntry {
  /** The address as written in the listing, still percent-encoded. */
  readonly href: string;
  readonly folder: boolean;
  readonly bytes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Parses a listing. @throws ListingFault naming the fault. */
export function parseMultistatus(text: string): ResourceEntry[] {
  const reader = new MultistatusReader();
  scanXml(text, reader, DAV_DEPTH_MAX);
  return reader.entries;
}

interface Element {
  /** Element name, such as `response`, or empty outside the WebDAV namespace. */
  readonly name: string;
  readonly namespaces: ReadonlyMap<string, string>;
  text: string;
}

type Values = Partial<Record<"href" | "length" | "etag" | "modified", string>> & {
  folder?: boolean;
};

class MultistatusReader implements XmlHandler {
  readonly #stack: Element[] = [];
  readonly entries: ResourceEntry[] = [];
  #response: Values = {};
  #found: Values = {};
  #status = "";

  open(written: string, attributes: XmlAttributes): void {
    const outer = this.#stack.at(-1)?.namespaces ?? new Map<string, string>();
    const namespaces = declared(attributes, outer);
    const [prefix, local] = written.includes(":") ? split(written) : ["", written];
    const name = namespaces.get(prefix) === DAV ? local : "";
    if (this.#stack.length === 0 && name !== "multistatus") {
      throw new ListingFault("it is not a multistatus");
    }
    this.#stack.push({ name, namespaces, text: "" });
    if (name === "response") this.#response = {};
    if (name === "propstat") {
      this.#found = {};
      this.#status = "";
    }
  }

  text(text: string): void {
    const element = this.#stack.at(-1);
    if (element !== undefined) element.text += text;
  }

  close(): void {
    const element = this.#stack.pop();
    if (element !== undefined) this.#take(element, this.#stack.map(({ name }) => name).join("/"));
  }

  #take({ name, text }: Element, path: string): void {
    const value = text.trim();
    const inner = "multistatus/response";
    if (path === inner && name === "href") this.#response.href = value;
    else if (path === `${inner}/propstat` && name === "status") this.#status = value;
    else if (path === `${inner}/propstat/prop`) this.#property(name, value);
    else if (path.endsWith("prop/resourcetype") && name === "collection") this.#found.folder = true;
    else if (path === inner && name === "propstat") {
      if (/^HTTP\/\d(\.\d)? 200\b/.test(this.#status)) Object.assign(this.#response, this.#found);
    } else if (path === "multistatus" && name === "response") this.#finishEntry();
  }

  #property(name: string, value: string): void {
    if (name === "getcontentlength") this.#found.length = value;
    else if (name === "getetag" && value !== "") this.#found.etag = value;
    else if (name === "getlastmodified" && value !== "") this.#found.modified = value;
  }

  #finishEntry(): void {
    const { href, folder = false, length, etag = null, modified = null } = this.#response;
    if (href === undefined || href === "") throw new ListingFault("an entry has no address");
    if (this.entries.length >= ENTRIES_MAX) throw new ListingFault("it lists too many files");
    const bytes = /^\d{1,15}$/.test(length ?? "") ? Number(length) : null;
    this.entries.push({ href, folder, bytes, etag, modified });
  }
}

function split(written: string): [prefix: string, local: string] {
  const colon = written.indexOf(":");
  return [written.slice(0, colon), written.slice(colon + 1)];
}

/** Returns the namespaces that apply to an element: inherited ones, and those that it declares. */
function declared(attributes: XmlAttributes, outer: ReadonlyMap<string, string>) {
  let all: Map<string, string> | null = null;
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
    all ??= new Map(outer);
    all.set(name.slice(6), value);
  }
  return all ?? outer;
}
