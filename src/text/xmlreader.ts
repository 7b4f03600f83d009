/**
 * Reads untrusted XML as a stream. No other file imports saxes.
 * Invariant: work is proportional to the number of bytes, regardless of how they are chunked.
 * Tokens and depth are bounded, and so is memory. Document types and custom entities are refused,
 * so nothing expands or is fetched. Input that is not well-formed UTF-8 XML throws `XmlFault`.
 */
import { isUtf8 } from "node:buffer";
import { SaxesParser } from "saxes";

/** Maximum bytes of a tag or text, and of consecutive comments and instructions. */
export const TOKEN_MAX = 1_048_576;
/** Bytes parsed per call; a token's length is checked after each call. */
const SLICE_BYTES = 65_536;

const ENDLESS =
  `something in it has no end, or more than ${TOKEN_MAX / 1024 ** 2} MiB: ` +
  "a tag, a text, or comments in a row";

/** Thrown for an invalid text. The message continues a sentence after the name of the text. */
export class XmlFault extends Error {}

/** Thrown for bytes that are not UTF-8. */
export class EncodingFault extends XmlFault {
  /** `at` is the number of bytes before them. */
  constructor(at: number) {
    super(`byte ${(at + 1).toLocaleString("en")} of it is not UTF-8`);
  }
}

/** Attributes by name as written, with entities resolved. */
export type XmlAttributes = Readonly<Record<string, string>>;

/** Receives parsed parts in order. Names are as written, with prefixes. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Called with the whole text up to the next tag, comment, or CDATA section. */
  text(text: string): void;
}

/** Parses one document. */
export class XmlReader {
  readonly #parser = new SaxesParser({
    xmlns: false,
    position: false,
    // XML 1.1 is read as 1.0, because version 1.1 has one more character that ends a line.
    defaultXMLVersion: "1.0",
    forceXMLVersion: true,
  });
  /** The first bytes of a character that continues in the next slice. */
  #cut = Buffer.alloc(0);
  /** Bytes that were parsed. */
  #parsed = 0;
  readonly #depthMax: number;
  #depth = 0;
  /** Bytes since the end of the last token. */
  #pending = 0;
  #first: Buffer | null = Buffer.alloc(0);

  /** `depthMax` limits the nesting of elements. */
  constructor(handler: XmlHandler, depthMax = 64) {
    this.#depthMax = depthMax;
    this.#parser.ENTITIES = ENTITIES;
    this.#listen(handler);
  }

  /** Parses a chunk of any size. Throws `XmlFault`, and errors of the handler. */
  add(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#first !== null) {
      bytes = Buffer.concat([this.#first, chunk]);
      this.#first = bytes.length < 4 ? bytes : null;
      if (this.#first !== null) return;
      refuseOtherEncodings(bytes);
    }
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      this.#pending += slice.length;
      this.#write(slice, false);
      if (this.#pending > TOKEN_MAX + SLICE_BYTES) throw new XmlFault(ENDLESS);
    }
  }

  /** Ends the document. Throws `XmlFault` if an element is open. */
  end(): void {
    this.#write(this.#first ?? Buffer.alloc(0), true);
    this.#parser.close();
  }

  /** Parses the whole characters of a slice. Throws at the first byte that is not UTF-8. */
  #write(slice: Buffer, isLast: boolean): void {
    const bytes = this.#cut.length === 0 ? slice : Buffer.concat([this.#cut, slice]);
    const whole = isLast ? bytes.length : wholeLength(bytes);
    this.#cut = Buffer.from(bytes.subarray(whole));
    const text = bytes.subarray(0, whole);
    if (isUtf8(text)) {
      this.#parsed += whole;
      this.#parser.write(text.toString());
      return;
    }
    const right = validLength(text);
    // The text before it is parsed, so that the handler knows the place.
    this.#parser.write(text.toString("utf8", 0, right));
    throw new EncodingFault(this.#parsed + right);
  }

  /** Registers up to seven handlers. With more, V8 uses a hash table and is 6 times as slow. */
  #listen(handler: XmlHandler): void {
    const parser = this.#parser;
    parser.on("error", ({ message }) => {
      throw new XmlFault(wordsOf(message));
    });
    parser.on("opentag", ({ name, attributes }) => {
      this.#pending = 0;
      if (this.#depth === 0) refuseEncoding(parser.xmlDecl.encoding);
      if (++this.#depth > this.#depthMax) throw new XmlFault("it is nested too deeply");
      handler.open(name, attributes as XmlAttributes);
    });
    parser.on("closetag", ({ name }) => {
      this.#pending = 0;
      this.#depth--;
      handler.close(name);
    });
    const onText = (text: string) => {
      this.#pending = 0;
      if (this.#depth > 0) handler.text(text);
    };
    parser.on("text", onText);
    parser.on("cdata", onText);
    parser.on("doctype", () => {
      throw new XmlFault("it has a document type");
    });
  }
}

/** Max bytes of a character. */
const CHARACTER_BYTES = 4;

/** Returns the number of bytes up to a character that may continue in the next slice. */
function wholeLength(bytes: Buffer): number {
  for (let back = 1; back < CHARACTER_BYTES && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) break;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length > 0) return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Returns the number of bytes before the first one that is not UTF-8. */
function validLength(bytes: Buffer): number {
  let [right, wrong] = [0, bytes.length];
  while (right < wrong) {
    const middle = (right + wrong + 1) >> 1;
    if (isUtf8(bytes.subarray(0, wholeLength(bytes.subarray(0, middle))))) right = middle;
    else wrong = middle - 1;
  }
  return wholeLength(bytes.subarray(0, right));
}

/** Returns the name of an element or attribute without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function refuseEncoding(declared = "utf-8"): void {
  if (!/^(utf-8|us-ascii)$/i.test(declared)) throw new XmlFault("it is not in UTF-8");
}

function refuseOtherEncodings(bytes: Buffer): void {
  const start = bytes.toString("latin1", 0, 4);
  if (/^(\xfe\xff|\xff\xfe)|^.?\0/s.test(start)) throw new XmlFault("it is not in UTF-8");
}

/** The five entities of XML; throws for any other name. */
const ENTITIES: Record<string, string> = new Proxy(
  { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
  {
    get(known: Readonly<Record<string, string>>, name) {
      if (typeof name === "string" && Object.hasOwn(known, name)) return known[name];
      throw new XmlFault(`it has an unknown entity &${shown(String(name))};`);
    },
  },
);

function shown(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

/** Patterns of messages of the parser saxes, each with the text that replaces the message. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /^(unclosed tag|unexpected end|document must contain)/,
    "it ends in the middle, or an & in it begins no entity",
  ],
  [/^text data outside/, "it has text outside its elements"],
  [/^documents may contain only one root/, "it has more than one root element"],
  [/^inappropriately located doctype/, "it has a document type"],
  [
    /^(empty entity name|disallowed character in entity|malformed character entity)/,
    "it has an unknown entity &",
  ],
];

function wordsOf(message: string): string {
  const [, closed] = /^unmatched closing tag: (.*)\.$/s.exec(message) ?? [];
  if (closed !== undefined) return `</${shown(closed)}> closes nothing`;
  if (message === "unexpected close tag.") return "a closing tag of it closes nothing";
  const [, words] = WORDS.find(([pattern]) => pattern.test(message)) ?? [];
  return words ?? `it is broken, or not written as XML is (${shown(message.replace(/\.$/, ""))})`;
}
