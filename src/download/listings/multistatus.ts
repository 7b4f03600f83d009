/**
 * Reads the answer of a WebDAV folder.
 * What comes in: the XML text of a `multistatus` (RFC 4918). What goes out: one entry per resource.
 * Invariant: names are compared with their namespace; properties count only from a `propstat`
 * of status 200. Depth and number of entries are bounded; what is no listing is refused.
 */
import type { XmlAttributes, XmlHandler } from "../../text/xmlreader.ts";
import { ListingFault, scanXml } from "./xml.ts";

const DEPTH_MAX = 24;
const ENTRIES_MAX = 20_000;
const DAV = "DAV:";

/** One file or folder of the listing. */
interface ResourceEntry {
  /** As it was written, still encoded. */
  readonly href: string;
  readonly folder: boolean;
  readonly bytes: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Parses a listing. @throws ListingFault naming what is wrong. */
export function parseMultistatus(text: string): ResourceEntry[] {
  const reader = new MultistatusReader();
  scanXml(text, reader, DEPTH_MAX);
  return reader.entries;
}

interface Element {
  /** `response`, `href` … when it is WebDAV's, else "". */
  readonly name: string;
  readonly namespaces: ReadonlyMap<string, string>;
  text: string;
}

type Values = Partial<Record<"href" | "length" | "etag" | "modified", string>> & {
  folder?: boolean;
};

/** Follows the elements and collects entries. */
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
      throw new ListingFault("it is no multistatus");
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

/** The namespaces of an element: those around it and its own. */
function declared(attributes: XmlAttributes, outer: ReadonlyMap<string, string>) {
  let all: Map<string, string> | null = null;
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
    all ??= new Map(outer);
    all.set(name.slice(6), value);
  }
  return all ?? outer;
}
