/**
 * Goes through the XML of a stranger.
 * What comes in: a text, and who hears of its elements. What goes out: each opening, text and
 * closing, in their order.
 * Invariant: no document type, no entities but the five of XML, short tags only; anything else is
 * refused, never guessed. It takes time in proportion to the text.
 */

/** Longer tags are no listing of ours; a short piece also keeps the pattern quick. */
const TAG_LENGTH_MAX = 4_096;

/** Why a text is no listing. */
export class ListingFault extends Error {}

/** Hears of what stands in a text. */
export interface XmlHandler {
  /** An element begins; its attributes as they are written. */
  readonly open: (name: string, attributes: string) => void;
  /** Text between two tags, its entities replaced. */
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
}

/** Goes through a text. @throws ListingFault naming what is wrong. */
export function scanXml(text: string, handler: XmlHandler): void {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    handler.text(plainXml(text.slice(at, open < 0 ? text.length : open)));
    if (open < 0) break;
    at = markup(text, open, handler);
  }
}

/** Handles what begins at a `<`; gives the place behind it. */
function markup(text: string, open: number, handler: XmlHandler): number {
  if (text.startsWith("<!--", open)) return behind(text, "-->", open + 4);
  if (text.startsWith("<?", open)) return behind(text, "?>", open + 2);
  if (text.startsWith("<![CDATA[", open)) {
    const end = behind(text, "]]>", open + 9);
    handler.text(text.slice(open + 9, end - 3));
    return end;
  }
  if (text.startsWith("<!", open)) throw new ListingFault("it has a document type");
  const tag = TAG.exec(text.slice(open, open + TAG_LENGTH_MAX));
  if (tag === null) throw new ListingFault(`its markup is broken at character ${open}`);
  const [whole, close, name, attributes, empty] = tag as unknown as string[];
  if (close === "/") handler.close(name as string);
  else {
    handler.open(name as string, attributes as string);
    if (empty === "/") handler.close(name as string);
  }
  return open + (whole as string).length;
}

const TAG =
  /^<(\/?)([A-Za-z_][\w.:-]{0,127})((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/;

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

/** A text with its entities replaced. @throws ListingFault for one that XML does not have */
export function plainXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (whole, hex, decimal, name) => {
    const code = hex === undefined ? Number(decimal ?? -1) : Number.parseInt(hex, 16);
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    const known = name === undefined ? undefined : NAMED[name];
    if (known === undefined) throw new ListingFault(`it has an unknown entity ${whole}`);
    return known;
  });
}
