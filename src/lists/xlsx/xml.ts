/**
 * XML as workbooks have it, read while it comes. What comes in: bytes, cut anywhere. What goes out:
 * tags and texts, in order.
 * Invariant: memory does not grow with the file; no document type is read, so nothing can be
 * defined or fetched; what is not well formed is refused. Texts are told byte by byte (latin1), and
 * `textOf` makes words of them.
 * Why not a library: the ones there are build a tree, or cost a second for what this does in a
 * tenth, and read what must not be read.
 */
import { XlsxRefusal } from "./refusal.ts";

/** Longest tag, comment or piece of text that is waited for. */
const TOKEN_MAX = 1_048_576;
const DEPTH_MAX = 64;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** What takes what is read. `name` is without its prefix, `tag` all that stands in the brackets. */
export interface XmlTaker {
  open(name: string, tag: string): void;
  close(name: string): void;
  /** Part of a text, or all of it. */
  text(bytes: string): void;
}

/** Reads one part. */
export class XmlReader {
  readonly #place: string;
  readonly #taker: XmlTaker;
  #rest = "";
  #open: string[] = [];
  #begun = false;

  /** `place` is said where something is wrong. */
  constructor(place: string, taker: XmlTaker) {
    this.#place = place;
    this.#taker = taker;
  }

  /** Takes a piece. Throws `XlsxRefusal`. */
  add(piece: Buffer): void {
    let text = this.#rest + piece.toString("latin1");
    if (!this.#begun) {
      if (text.length < 4) {
        this.#rest = text;
        return;
      }
      text = this.#beginning(text);
    }
    const at = this.#read(text);
    this.#rest = at === 0 ? text : text.slice(at);
    if (this.#rest.length > TOKEN_MAX) this.#refuse("something in it has no end");
  }

  /** There is no more. Throws `XlsxRefusal` where something is left open. */
  end(): void {
    if (!this.#begun || this.#open.length > 0 || /[^\s]/.test(this.#rest)) {
      this.#refuse("it ends too early");
    }
  }

  #beginning(text: string): string {
    this.#begun = true;
    if (/^(\xfe\xff|\xff\xfe)|^.?\0/s.test(text)) this.#refuse("it is not in UTF-8");
    return text.replace(/^\xef\xbb\xbf/, "");
  }

  /** Reads all that is whole; gives how far that is. */
  #read(text: string): number {
    for (let at = 0; ; ) {
      const bracket = text.indexOf("<", at);
      if (bracket < 0) return at;
      if (bracket > at) this.#text(text.slice(at, bracket));
      const next = this.#token(text, bracket);
      if (next < 0) return bracket;
      at = next;
    }
  }

  /** Reads what begins at a bracket; gives what follows it, -1 where it is not all there. */
  #token(text: string, at: number): number {
    const sign = text.charCodeAt(at + 1);
    if (sign === 0x3f) return this.#instruction(text, at);
    if (sign === 0x21) return this.#declaration(text, at);
    const end = endOfTag(text, at + 1);
    if (end < 0) return -1;
    this.#tag(text.slice(at + 1, end));
    return end + 1;
  }

  #instruction(text: string, at: number): number {
    const end = text.indexOf("?>", at);
    if (end < 0) return -1;
    const encoding = /^<\?xml\s[^>]*encoding\s*=\s*["']([^"']*)/.exec(text.slice(at, end))?.[1];
    if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding)) {
      this.#refuse("it is not in UTF-8");
    }
    return end + 2;
  }

  #declaration(text: string, at: number): number {
    if (text.length < at + 9) return -1;
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      return end < 0 ? -1 : end + 3;
    }
    if (!text.startsWith("<![CDATA[", at)) this.#refuse("it has a document type");
    const end = text.indexOf("]]>", at + 9);
    if (end < 0) return -1;
    this.#taker.text(text.slice(at + 9, end));
    return end + 3;
  }

  #tag(tag: string): void {
    if (tag.charCodeAt(0) === 0x2f) {
      const name = nameOf(tag, 1);
      if (this.#open.pop() !== name) this.#refuse(`</${name.slice(0, 40)}> closes nothing`);
      this.#taker.close(name);
      return;
    }
    const name = nameOf(tag, 0);
    if (name === "") this.#refuse("it has a tag without a name");
    this.#taker.open(name, tag);
    if (tag.charCodeAt(tag.length - 1) === 0x2f) {
      this.#taker.close(name);
      return;
    }
    this.#open.push(name);
    if (this.#open.length > DEPTH_MAX) this.#refuse("its tags lie too deep in each other");
  }

  #text(bytes: string): void {
    if (this.#open.length > 0) this.#taker.text(plain(bytes, this.#place));
  }

  #refuse(wrong: string): never {
    throw new XlsxRefusal(this.#place, wrong);
  }
}

/** Where a tag ends; a bracket in quotes is none. */
function endOfTag(text: string, from: number): number {
  let quote = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (quote !== 0) {
      if (sign === quote) quote = 0;
    } else if (sign === 0x3e) return at;
    else if (sign === 0x22 || sign === 0x27) quote = sign;
  }
  return -1;
}

/** The name that begins at a place, without its prefix. */
function nameOf(tag: string, from: number): string {
  let begin = from;
  let at = from;
  for (; at < tag.length; at++) {
    const sign = tag.charCodeAt(at);
    if (sign <= 0x20 || sign === 0x2f) break;
    if (sign === 0x3a) begin = at + 1;
  }
  return tag.slice(begin, at);
}

/** The attributes of a tag by their names without prefixes. Throws `XlsxRefusal`. */
export function attributesOf(tag: string, place: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const one = /\s+(?:[^\s=:/]+:)?([^\s=:/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
  const name = /^[^\s/]+/.exec(tag)?.[0] ?? "";
  one.lastIndex = name.length;
  let end = name.length;
  for (let match = one.exec(tag); match !== null; match = one.exec(tag)) {
    end = one.lastIndex;
    found.set(match[1] as string, plain(match[2] ?? match[3] ?? "", place));
  }
  if (!/^\s*\/?$/.test(tag.slice(end))) {
    throw new XlsxRefusal(place, `<${name.slice(0, 40)}> is not written as XML is`);
  }
  return found;
}

/** Bytes as they are meant: what stands for a sign becomes it. */
function plain(bytes: string, place: string): string {
  if (!bytes.includes("&")) return bytes;
  return bytes.replace(/&([^;&]{0,12})(;?)/g, (_, name: string, end: string) => {
    const sign = end === ";" ? (ENTITIES[name] ?? numbered(name)) : undefined;
    if (sign === undefined) throw new XlsxRefusal(place, `&${name} is no sign of XML`);
    return sign;
  });
}

function numbered(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name) ?? [];
  if (hex === undefined && decimal === undefined) return undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0x10ffff ? undefined : Buffer.from(String.fromCodePoint(code)).toString("latin1");
}

/** The text of bytes; what Excel writes as `_x000D_` is the sign that it stands for. */
export function textOf(bytes: string): string {
  const text = /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, "latin1").toString("utf8") : bytes;
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
