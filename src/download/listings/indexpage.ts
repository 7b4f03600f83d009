/**
 * Reads the page on which a web server lists a folder.
 * What comes in: HTML of Apache, nginx, Caddy, `python -m http.server` or their like, and the
 * address of the folder. What goes out: the names of what lies directly in it.
 * Invariant: a link counts only when it leads to the same host, directly below the folder, without
 * a query; other hosts, `..`, slashes in names, columns to sort by and scripts are passed over.
 * Nothing on the page is believed but names. It takes time in proportion to the page.
 */
import { nameIn } from "./place.ts";
import { ListingFault } from "./xml.ts";

const ENTRIES_MAX = 20_000;
/** Longer tags are no links of a listing; a short piece also keeps the patterns quick. */
const TAG_LENGTH_MAX = 4_096;

/** One file or folder of a page. */
export interface PageEntry {
  readonly name: string;
  readonly folder: boolean;
}

/** The entries of a page; null where it lists nothing. @throws ListingFault */
export function parseIndexPage(html: string, folder: URL): readonly PageEntry[] | null {
  const found = new Map<string, PageEntry>();
  for (const href of linksOf(html)) {
    if (/[?#]/.test(href) || !URL.canParse(href, folder.href)) continue;
    const target = new URL(href, folder);
    if (target.origin !== folder.origin || target.username !== "") continue;
    const name = nameIn(folder, target.href);
    if (name === null) continue;
    // A link that leads to a folder says so with its slash; one without may stand beside it.
    const is = target.pathname.endsWith("/") || found.get(name)?.folder === true;
    found.set(name, { name, folder: is });
    if (found.size > ENTRIES_MAX) throw new ListingFault("it lists too many files");
  }
  const titled = /<(title|h1)[^<>]{0,200}>\s*(index of|directory listing)/i;
  if (found.size === 0 && !titled.test(html.slice(0, 65_536))) return null;
  // A page that was cut lists fewer than there are.
  const begins = /<html[\s>]/i.test(html.slice(0, 65_536));
  if (begins && !/<\/html\s*>/i.test(html.slice(-65_536))) {
    throw new ListingFault("it ends in the middle");
  }
  return [...found.values()];
}

/** Parts of a page in which a `<` is no tag. */
const OPAQUE = ["script", "style", "textarea", "title"];

/** The addresses of all links of a page, in their order. */
function* linksOf(html: string): Generator<string> {
  // What was looked for once and is not there is not looked for again.
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

/** Ends at the next `<` at the latest, so that no part of a page is looked at twice. */
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

/** A value with its entities replaced; what is none stays as it stands, as browsers do it. */
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
