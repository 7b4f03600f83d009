/**
 * Proves: every byte of a registry text becomes the character of Windows-1252 or a blank, by a
 * table that is written out here. Control characters and direction marks in UTF-8 become blanks,
 * and are counted once per text. CSI sequences, which control terminals, are removed whole. A
 * user's table is decoded as UTF-8 or as Windows-1252. Quotes and dashes of Windows-1252 are not
 * mistaken for UTF-8.
 * Does not prove: that the addon does the same (unit/ingest/native-scan.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPrintable, printable } from "../../../native-index/format/printable.ts";
import {
  countSequences,
  decodeTable,
  decodeText,
  isUtf8,
  newTextSink,
} from "../../../src/dump/registrytext.ts";
import { fieldText } from "../../../src/dump/values.ts";
import { recordOf } from "../../support/dump/fields.ts";
import { cleanText } from "../../support/ingest/text.ts";

/** Windows-1252 by the Encoding Standard, without the five bytes that it leaves undefined. */
const WINDOWS: Readonly<Record<number, string>> = {
  ...{ 128: "€", 130: "‚", 131: "ƒ", 132: "„", 133: "…", 134: "†", 135: "‡", 136: "ˆ", 137: "‰" },
  ...{ 138: "Š", 139: "‹", 140: "Œ", 142: "Ž", 145: "‘", 146: "’", 147: "“", 148: "”", 149: "•" },
  ...{ 150: "–", 151: "—", 152: "˜", 153: "™", 154: "š", 155: "›", 156: "œ", 158: "ž", 159: "Ÿ" },
};

/** Texts with CSI sequences, whole and truncated, and the cleaned texts. */
const CSI_TEXTS: readonly (readonly [field: string, text: string])[] = [
  ["\x1b[31mLOJA\x1b[0m", "LOJA"],
  ["LOJA \x1b[1;38;5;196mDO\x1b[m ZE", "LOJA DO ZE"],
  ["LOJA\x1b[2JDO\x1b[?25lZE\x1b[2 q", "LOJA DO ZE"],
  ["A\x1b[31m\x1b[1m\x1b[4mB", "A B"],
  // From a sequence without its final byte, only the control character is removed, because the rest
  // may be text.
  ["A\x1b[31", "A [31"],
  ["A\x1b[31\x1b[32mB", "A [31 B"],
  ["A\x1b[", "A ["],
  ["A\x1b31mB", "A 31mB"],
  ["A\x01[31mB", "A [31mB"],
];

function cleaned(field: string, isUtf8Text = false) {
  const sink = newTextSink();
  const length = cleanText(recordOf([field], isUtf8Text), 0, sink);
  const text = Buffer.from(sink.bytes.subarray(0, length)).toString("utf8");
  return { text, windows: sink.windows, controls: sink.controls };
}

/** Returns the text that must result if the byte stands between two letters. */
function expectedOf(byte: number): string {
  if (byte === 0) return "";
  if (byte < 32 || byte === 127 || byte === 160) return " ";
  if (byte < 128 || byte > 160) return String.fromCharCode(byte);
  return WINDOWS[byte] ?? " ";
}

describe("a text of the registry", () => {
  it("decodes each of the 256 bytes as Windows-1252, and counts its kind", () => {
    for (let byte = 0; byte < 256; byte++) {
      const { text, windows, controls } = cleaned(`A${String.fromCharCode(byte)}B`);
      assert.equal(text, `A${expectedOf(byte)}B`, `byte ${byte}`);
      assert.equal(windows, WINDOWS[byte] === undefined ? 0 : 1, `byte ${byte}`);
      const isSpace = [0, 9, 10, 13, 32, 160].includes(byte);
      assert.equal(controls, text === "A B" && !isSpace ? 1 : 0, `byte ${byte}`);
    }
  });

  it("counts a text once, for any number of odd characters", () => {
    const found = cleaned("LOJA \x93DO ZE\x94 \x96 D\x92AVILA\x1b[31m\x81");
    assert.deepEqual(found, {
      text: "LOJA “DO ZE” – D’AVILA",
      windows: 1,
      controls: 1,
    });
  });

  it("blanks only controls and direction marks of UTF-8, as code tables do", () => {
    for (let point = 1; point < 0x3000; point++) {
      const one = String.fromCodePoint(point);
      const { text, controls } = cleaned(`Á${one}B`, true);
      const isBlank = !isPrintable(one) || one === " " || one === "\u00a0";
      assert.equal(text, isBlank ? "Á B" : `Á${one}B`, `U+${point.toString(16)}`);
      assert.equal(controls, isBlank && !/[\t\n\r \u00a0]/.test(one) ? 1 : 0, point.toString(16));
    }
  });

  it("loses whole CSI sequences of terminals, counted as one control of the text", () => {
    for (const [field, text] of CSI_TEXTS) {
      for (const isUtf8Text of [false, true]) {
        const found = cleaned(field, isUtf8Text);
        assert.deepEqual(found, { text, windows: 0, controls: 1 }, JSON.stringify(field));
      }
      // `printable` also cleans names in code tables, and columns of Arrow and Parquet files.
      assert.equal(printable(field), text, JSON.stringify(field));
    }
  });

  it("is decoded alike for code tables and messages", () => {
    assert.equal(fieldText(recordOf(["D\x92\xc1VILA"]), 0), "D’ÁVILA");
    assert.equal(fieldText(recordOf(["D’ÁVILA"], true), 0), "D’ÁVILA");
    // Decoding keeps control characters. The check of a user's table later makes them blanks, with
    // a warning.
    assert.equal(decodeText(Buffer.from([65, 0x81, 66]), "windows-1252"), "A\u0081B");
  });

  it("is decoded in user tables as UTF-8, with or without its mark, or as Windows-1252", () => {
    assert.equal(decodeTable(Buffer.from("\ufeffSÃO")), "SÃO");
    assert.equal(decodeTable(Buffer.from("D’Á")), "D’Á");
    assert.equal(decodeTable(Buffer.from("D\x92\xc1", "latin1")), "D’Á");
  });

  it("is not mistaken for UTF-8 with quotes and dashes of Windows-1252", () => {
    const count = { right: 0, broken: 0 };
    const names = Array.from({ length: 100 }, () => "\x93CAF\xc9\x94 \x96 JOS\xc9\x92S");
    const bytes = Buffer.from(names.join(" "), "latin1");
    countSequences(bytes, 0, bytes.length, count);
    assert.ok(count.right >= 100, "letters before quotes look like UTF-8");
    assert.equal(isUtf8(count, count, count), false);
  });
});
