/**
 * Parses the folder list of a web server, as HTML or JSON. Input: HTML of Apache, nginx, Caddy,
 * `python -m http.server`, or similar, or the JSON of nginx (`autoindex_format json`) or Caddy, and
 * the address of the folder. Output: the names in it.
 * Invariant: only names exactly one step below the folder are accepted. A link counts only if it
 * leads to the same host, directly below the folder, without a query. Other hosts, `..`, slashes in
 * names, sort columns, and scripts are skipped. The time is linear in the page's length.
 */
import { ListingFault } from "./xml.ts";

const ENTRIES_MAX = 20_000;
/** Max length of a tag. Links of listings are shorter, and the limit keeps the patterns fast. */
const TAG_LENGTH_MAX = 4_096;

interface PageEntry {
  readonly name: string;
  readonly folder: boolean;
}

/** Returns the entries of a page, or null if it is not a listing. @throws ListingFault */
export function parseIndexPage(html: string, folder: URL): readonly PageEntry[] | null {
  const found = new Map<string, PageEntry>();
  for (const href of linksOf(html)) {
    if (/[?#]/.test(href) || !URL.canParse(href, folder.href)) continue;
    const target = new URL(href, folder);
    if (target.origin !== folder.origin || target.username !== "") continue;
    const name = nameIn(folder, target.href);
    if (name === null) continue;
    // A link with a slash is a folder, even if it also occurs without a slash.
    const is = target.pathname.endsWith("/") || found.get(name)?.folder === true;
    found.set(name, { name, folder: is });
    if (found.size > ENTRIES_MAX) throw new ListingFault("it lists too many files");
  }
  const titled = /<(title|h1)[^<>]{0,200}>\s*(index of|directory listing)/i;
  if (found.size === 0 && !titled.test(html.slice(0, 65_536))) return null;
  // A truncated page lists only some files.
  const begins = /<html[\s>]/i.test(html.slice(0, 65_536));
  if (begins && !/<\/html\s*>/i.test(html.slice(-65_536))) {
    throw new ListingFault("it ends in the middle");
  }
  return [...found.values()];
}

/** Elements in which `<` begins no tag. */
const OPAQUE = ["script", "style", "textarea", "title"];

/** Yields the addresses of all links of a page, in order. */
function* linksOf(html: string): Generator<string> {
  // End markers that the rest of the page lacks, so that they are not searched again.
  const gone = new Set<string>();
  const behind = (mark: RegExp, from: number): number => {
    if (gone.has(mark.source)) return html.length;
    mark.lastIndex = from;
    if (mark.test(html)) return mark.lastIndex;
    gone.add(mark.source);
    return html.length;
  };
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      at = behind(/-->/g, at + 4);
      continue;
    }
    const tag = TAG.exec(html.slice(at, at + TAG_LENGTH_MAX));
    if (tag === null) {
      at++;
      continue;
    }
    const [whole, name = "", attributes = ""] = tag;
    at += whole.length;
    const lower = name.toLowerCase();
    if (OPAQUE.includes(lower)) at = behind(new RegExp(`</${lower}\\s*>`, "gi"), at);
    const href = lower === "a" ? HREF.exec(attributes) : null;
    const value = href?.[1] ?? href?.[2] ?? href?.[3];
    if (value !== undefined) yield plainHtml(value).trim();
  }
}

/** Matches one tag, up to the next `<` at most, so that no part of a page is scanned twice. */
const TAG = /^<([A-Za-z][A-Za-z0-9]{0,20})(?=[\s/>])((?:"[^"<]*"|'[^'<]*'|[^"'<>])*)>/;
const HREF = /(?:^|[\s/])href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** Replaces entities in a value. Leaves invalid ones, as browsers do. */
function plainHtml(text: string): string {
  return text.replace(
    /&(?:#x([0-9A-Fa-f]{1,6});?|#(\d{1,7});?|([a-z]{2,4});)/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Returns the entries of a JSON list, or null if the text is not one. @throws ListingFault */
export function parseJsonIndex(text: string, folder: URL): readonly PageEntry[] | null {
  if (!/^\s*\[\s*(\{|\])/.test(text.slice(0, 1_000))) return null;
  if (!/\]\s*$/.test(text.slice(-1_000))) throw new ListingFault("it ends in the middle");
  const listed = valuesOf(text);
  if (listed.length > ENTRIES_MAX) throw new ListingFault("it lists too many files");
  return listed.flatMap((value): PageEntry[] => {
    const {
      name: written,
      type,
      is_dir: isFolder,
    } = Object(value) as Readonly<Record<string, unknown>>;
    if (typeof written !== "string") return [];
    const name = nameIn(folder, `./${encodeURIComponent(written.replace(/\/$/, ""))}`);
    return name === null ? [] : [{ name, folder: type === "directory" || isFolder === true }];
  });
}

function valuesOf(text: string): readonly unknown[] {
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    throw new ListingFault("it is not valid JSON");
  }
}

/** Returns the name of a direct entry of a folder, or null for any other target. */
export function nameIn(folder: URL, href: string): string | null {
  if (!URL.canParse(href, folder.href)) return null;
  try {
    const path = decodeURIComponent(new URL(href, folder).pathname).replace(/\/$/, "");
    const base = decodeURIComponent(folder.pathname);
    const name = path.startsWith(base) ? path.slice(base.length) : "";
    return /^\.{0,2}$/.test(name) || /[/\\\0]/.test(name) ? null : name;
  } catch {
    return null;
  }
}
