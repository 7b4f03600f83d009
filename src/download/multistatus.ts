/**
 * Reads the answer of a WebDAV folder.
 * What comes in: the XML text of a `multistatus` (RFC 4918). What goes out: one entry per resource.
 * Invariant: names are compared with their namespace; properties count only from a `propstat`
 * of status 200. The text comes from a stranger: no document type, no entities but the five of
 * XML, bounded depth and number of entries; anything else is refused, never guessed.
 */

const DEPTH_MAX = 24;
const ENTRIES_MAX = 20_000;
/** Longer tags are no listing of ours; a short piece also keeps the pattern quick. */
const TAG_LENGTH_MAX = 4_096;
const DAV = "DAV:";

/** One file or folder of the listing. */
export interface ResourceEntry {
  /** As it was written, still encoded. */
  readonly href: string;
  readonly folder: boolean;
  readonly bytes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Why a text is no listing. */
export class ListingFault extends Error {}

/** Parses a listing. @throws ListingFault naming what is wrong. */
export function parseMultistatus(text: string): ResourceEntry[] {
  const reader = new MultistatusReader();
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    reader.text(plain(text.slice(at, open < 0 ? text.length : open)));
    if (open < 0) break;
    at = markup(text, open, reader);
  }
  return reader.finish();
}

/** Handles what begins at a `<`; gives the place behind it. */
function markup(text: string, open: number, reader: MultistatusReader): number {
  if (text.startsWith("<!--", open)) return behind(text, "-->", open + 4);
  if (text.startsWith("<?", open)) return behind(text, "?>", open + 2);
  if (text.startsWith("<![CDATA[", open)) {
    const end = behind(text, "]]>", open + 9);
    reader.text(text.slice(open + 9, end - 3));
    return end;
  }
  if (text.startsWith("<!", open)) throw new ListingFault("it has a document type");
  const tag = TAG.exec(text.slice(open, open + TAG_LENGTH_MAX));
  if (tag === null) throw new ListingFault(`its markup is broken at character ${open}`);
  const [whole, close, name, attributes, empty] = tag as unknown as string[];
  if (close === "/") reader.close(name as string);
  else {
    reader.open(name as string, attributes as string);
    if (empty === "/") reader.close(name as string);
  }
  return open + (whole as string).length;
}

const TAG =
  /^<(\/?)([A-Za-z_][\w.:-]{0,127})((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/;
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  if (found < 0) throw new ListingFault("it ends in the middle");
  return found + mark.length;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

const ENTITY = /&(?:#x([0-9A-Fa-f]{1,6});|#(\d{1,7});|(\w{1,8});)?/g;

function plain(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (whole, hex, decimal, name) => {
    const code = hex === undefined ? Number(decimal ?? -1) : Number.parseInt(hex, 16);
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    const known = name === undefined ? undefined : NAMED[name];
    if (known === undefined) throw new ListingFault(`it has an unknown entity ${whole}`);
    return known;
  });
}

interface Element {
  readonly written: string;
  /** `response`, `href` … when it is WebDAV's, else "". */
  readonly name: string;
  readonly namespaces: ReadonlyMap<string, string>;
  text: string;
}

type Values = Partial<Record<"href" | "length" | "etag" | "modified", string>> & {
  folder?: boolean;
};

/** Follows the elements and collects entries. */
class MultistatusReader {
  readonly #stack: Element[] = [];
  readonly #entries: ResourceEntry[] = [];
  #seenRoot = false;
  #response: Values = {};
  #found: Values = {};
  #status = "";

  open(written: string, attributes: string): void {
    if (this.#stack.length >= DEPTH_MAX) throw new ListingFault("it is nested too deeply");
    const outer = this.#stack.at(-1)?.namespaces ?? new Map<string, string>();
    const namespaces = declared(attributes, outer);
    const [prefix, local] = written.includes(":") ? split(written) : ["", written];
    const name = namespaces.get(prefix) === DAV ? local : "";
    if (this.#stack.length === 0) {
      if (this.#seenRoot || name !== "multistatus") throw new ListingFault("it is no multistatus");
      this.#seenRoot = true;
    }
    this.#stack.push({ written, name, namespaces, text: "" });
    if (name === "response") this.#response = {};
    if (name === "propstat") {
      this.#found = {};
      this.#status = "";
    }
  }

  text(text: string): void {
    const element = this.#stack.at(-1);
    if (element !== undefined) element.text += text;
    else if (text.trim() !== "") throw new ListingFault("it has text outside its elements");
  }

  close(written: string): void {
    const element = this.#stack.pop();
    if (element?.written !== written) throw new ListingFault(`</${written}> closes nothing`);
    this.#take(element, this.#stack.map(({ name }) => name).join("/"));
  }

  finish(): ResourceEntry[] {
    if (this.#stack.length > 0 || !this.#seenRoot) throw new ListingFault("it ends in the middle");
    return this.#entries;
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
    if (this.#entries.length >= ENTRIES_MAX) throw new ListingFault("it lists too many files");
    const bytes = /^\d{1,15}$/.test(length ?? "") ? Number(length) : null;
    this.#entries.push({ href, folder, bytes, etag, modified });
  }
}

function split(written: string): [prefix: string, local: string] {
  const colon = written.indexOf(":");
  return [written.slice(0, colon), written.slice(colon + 1)];
}

/** The namespaces of an element: those around it and its own. */
function declared(attributes: string, outer: ReadonlyMap<string, string>) {
  if (!attributes.includes("xmlns")) return outer;
  const all = new Map(outer);
  for (const [, name, double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = plain(double ?? single ?? "");
    if (name === "xmlns") all.set("", value);
    else if (name?.startsWith("xmlns:")) all.set(name.slice(6), value);
  }
  return all;
}
