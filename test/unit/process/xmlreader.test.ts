/**
 * Proves: XML is parsed exactly, and in the same way however the text is divided into chunks. The
 * work for a token is linear in its length. Endless tokens, document types, custom entities, other
 * encodings, and malformed markup are rejected with a message.
 * Does not prove: how workbooks and listings use it (lists/xlsxupload, download/listing).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { SaxesParser } from "saxes";
import { TOKEN_MAX, type XmlAttributes, XmlFault, XmlReader } from "../../../src/text/xmlreader.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

interface Seen {
  readonly events: (string | XmlAttributes)[];
  readonly refusal: string;
}

/** Reads a document in chunks of this many bytes. */
function read(bytes: Buffer, chunkBytes: number): Seen {
  const events: (string | XmlAttributes)[] = [];
  const join = (text: string) => {
    const last = events.at(-1);
    if (typeof last === "string" && last.startsWith("=")) events[events.length - 1] = last + text;
    else events.push(`=${text}`);
  };
  const reader = new XmlReader({
    open: (name, attributes) => events.push(`<${name}`, { ...attributes }),
    close: (name) => events.push(`>${name}`),
    text: join,
  });
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      reader.add(bytes.subarray(at, at + chunkBytes));
    }
    reader.end();
    return { events, refusal: "" };
  } catch (error) {
    assert.ok(error instanceof XmlFault, String(error));
    return { events, refusal: error.message };
  }
}

const GOOD =
  '\ufeff<?xml version="1.1" encoding="UTF-8"?>\r\n<!-- <c> - é - - -->' +
  '<x:a b="&lt;1&#233;" c=\'>"\'>São &amp; <![CDATA[<d>&e;]]>\u{1f600} Å<e/></x:a><?p i?>\n';

describe("a document", () => {
  it("is parsed the same for any cuts", () => {
    const bytes = Buffer.from(GOOD);
    const whole = read(bytes, bytes.length);
    assert.deepEqual(whole, {
      refusal: "",
      events: ["<x:a", { b: "<1é", c: '>"' }, "=São & <d>&e;\u{1f600} Å", "<e", {}, ">e", ">x:a"],
    });
    for (let chunk = 1; chunk < 40; chunk++) assert.deepEqual(read(bytes, chunk), whole);
  });

  it("is rejected if corrupt with a readable error, the same for any cuts", () => {
    const signs = ["<", ">", '"', "&", "]]>", "<!--", "\0", "</e>", "<!DOCTYPE x>", "\u00ff"];
    let refused = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const draw = new Draw(seededRng(seed));
      const at = draw.below(GOOD.length);
      const text = GOOD.slice(0, at) + draw.of(signs) + GOOD.slice(at + draw.below(4));
      const bytes = Buffer.from(text);
      const { refusal } = read(bytes, bytes.length);
      assert.equal(read(bytes, 1 + draw.below(5)).refusal, refusal, text);
      if (refusal !== "") refused++;
    }
    assert.ok(refused > 100, `${refused} were refused`);
  });

  it("is rejected at its first byte that is not UTF-8, the same for any cuts", () => {
    const begin = Buffer.from("<a>é\u{1f600}\ufffd");
    for (const wrong of ["ff", "80", "c3", "c328", "e282", "f09f98", "eda080", "c080"]) {
      const bytes = Buffer.concat([begin, Buffer.from(wrong, "hex"), Buffer.from("x</a>")]);
      const message = `byte ${begin.length + 1} of it is not UTF-8`;
      for (const chunk of [1, 2, 3, 5, bytes.length]) {
        const { refusal, events } = read(bytes, chunk);
        assert.deepEqual([refusal, events[0]], [message, "<a"], `${wrong} by ${chunk}`);
      }
    }
    assert.match(read(Buffer.from("<a>\u00e9").subarray(0, -1), 9).refusal, /byte 4 of it is not/);
  });

  const refusals: Readonly<Record<string, readonly [string | Buffer, RegExp]>> = {
    "a document type": ["<!DOCTYPE a><a/>", /document type/],
    "entities of its own": ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', /document type/],
    "an unknown entity": ["<a>&nbsp;</a>", /unknown entity &nbsp;/],
    "the name of a property as an entity": ["<a>&constructor;</a>", /unknown entity &constructor/],
    "a number that is no character": ["<a>&#0;</a>", /unknown entity/],
    "another encoding": ['<?xml version="1.0" encoding="latin1"?><a/>', /not in UTF-8/],
    "UTF-16": [Buffer.from("\ufeff<a/>", "utf16le"), /not in UTF-8/],
    "elements nested too deeply": ["<a>".repeat(65) + "</a>".repeat(65), /too deeply/],
    "a missing end": ["<a><b/>", /ends in the middle/],
    "a tag that closes nothing": ["<a></b></a>", /closes nothing/],
    "text outside of the root": ["<a/>b", /text outside/],
    nothing: ["", /ends in the middle/],
  };
  for (const [what, [text, words]] of Object.entries(refusals)) {
    it(`with ${what} is rejected`, () => {
      assert.match(read(Buffer.from(text as string), 65_536).refusal, words);
    });
  }
});

describe("the parser", () => {
  it("is an object whose properties V8 finds without a hash table", () => {
    setFlagsFromString("--allow-natives-syntax");
    const isFast = new Function("value", "return %HasFastProperties(value)") as (
      value: object,
    ) => boolean;
    const found: boolean[] = [];
    const { write } = SaxesParser.prototype;
    SaxesParser.prototype.write = function (chunk) {
      found.push(isFast(this));
      return write.call(this, chunk);
    };
    try {
      assert.equal(read(Buffer.from(GOOD), 10).refusal, "");
    } finally {
      SaxesParser.prototype.write = write;
    }
    assert.ok(found.length > 10 && !found.includes(false), found.join());
  });
});

/** For each kind of token, a document with one long token of that kind. */
const TOKENS: Readonly<Record<string, (length: number) => string>> = {
  comment: (length) => `<a><!--${"x".repeat(length)}--></a>`,
  "comment of hyphens": (length) => `<a><!--${"- ".repeat(length / 2)}--></a>`,
  attribute: (length) => `<a b="${"x".repeat(length)}"/>`,
  "name of an attribute": (length) => `<a ${"x".repeat(length)}="1"/>`,
  "row of attributes": (length) => `<a ${attributes(length)}/>`,
  text: (length) => `<a>${"x".repeat(length)}</a>`,
  "text of line ends": (length) => `<a>${"\r\n".repeat(length / 2)}</a>`,
  "text of entities": (length) => `<a>${"&lt;".repeat(length / 4)}</a>`,
  "row of comments": (length) => `<a>${"<!---->".repeat(length / 7)}</a>`,
  section: (length) => `<a><![CDATA[${"]".repeat(length)}]]></a>`,
  instruction: (length) => `<a><?b ${"?".repeat(length)}?></a>`,
  "name of a tag": (length) => `<${"x".repeat(length)}/>`,
  space: (length) => `<a${" ".repeat(length)}/>`,
};

function attributes(length: number): string {
  return Array.from({ length: length / 16 }, (_, at) => `a${String(at).padStart(9, "0")}=""`).join(
    " ",
  );
}

describe("a long token", () => {
  for (const [what, made] of Object.entries(TOKENS)) {
    it(`(${what}) is scanned once: twice its length is twice the characters`, () => {
      const [one, two] = [TOKEN_MAX / 8, TOKEN_MAX / 4].map((length) =>
        charactersRead(made(length)),
      );
      assert.ok((two as number) < 2.2 * (one as number), `${one} and ${two} characters`);
    });

    it(`(${what}) of the maximum length is accepted, and a longer one rejected`, () => {
      assert.equal(read(Buffer.from(made(TOKEN_MAX - 64)), 65_536).refusal, "");
      const endless = Buffer.from(made(3 * TOKEN_MAX));
      if (what === "row of attributes") return;
      assert.match(read(endless, 65_536).refusal, /no end/);
    });
  }
});

/**
 * Counts the characters that the parser scans when it reads the text in chunks of 1,024. The parser
 * reads single characters with `charCodeAt`, and searches with `indexOf` or a pattern.
 */
function charactersRead(text: string): number {
  const bytes = Buffer.from(text);
  const { charCodeAt, indexOf } = String.prototype;
  const { exec } = RegExp.prototype;
  let read = 0;
  const reader = new XmlReader({ open: () => {}, close: () => {}, text: () => {} });
  String.prototype.charCodeAt = function (at) {
    read++;
    return charCodeAt.call(this, at);
  };
  String.prototype.indexOf = function (sought, from = 0) {
    const found = indexOf.call(this, sought, from);
    read += (found < 0 ? this.length : found) - from;
    return found;
  };
  RegExp.prototype.exec = function (subject) {
    read += subject.length;
    return exec.call(this, subject);
  };
  try {
    for (let at = 0; at < bytes.length; at += 1_024) reader.add(bytes.subarray(at, at + 1_024));
    reader.end();
  } finally {
    Object.assign(String.prototype, { charCodeAt, indexOf });
    RegExp.prototype.exec = exec;
  }
  return read;
}
