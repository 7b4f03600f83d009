/**
 * Proves: the time to parse input for lists is proportional to its length, for any content and
 * however it is cut. A cell or a text that is one long run of any character blocks no other client.
 * These inputs would take minutes if a pattern needed quadratic time.
 * Does not prove the results of the parsing (cnpjcandidates.test.ts, upload.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CsvUpload, Upload } from "../../../src/lists/upload.ts";
import { cleaned, cnpjCandidates } from "../../../src/spec/cnpj/cnpjcandidates.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

const LENGTH = 200_000;
/** Time limit for all texts together: far above the usual time, far below quadratic time. */
const MS_MAX = 15_000;

/** Parts of long texts. They contain every character that some pattern searches for. */
const PARTS = [
  ...["'", '"', "`", " ", "\u00a0", "=", "1", "A", "é", "-", ".", "/", "1.", "12 ", "1,5E"],
  ...["12.345.678/", "\u200b", "\u2013", "12345678 ", "'1", "1234567890123 ", "\\", "_x0027_"],
];

function within(what: string, act: () => void): void {
  const begun = performance.now();
  act();
  const ms = performance.now() - begun;
  assert.ok(ms < MS_MAX, `${what}: ${ms} ms`);
}

describe("a long text", () => {
  for (const part of PARTS) {
    const text = part.repeat(LENGTH / part.length);
    it(`of ${JSON.stringify(part)} is parsed in time`, () => {
      for (const whole of [text, `a${text}b`, `1${text}A`]) {
        within("pieces", () => cnpjCandidates(whole));
        within("an upload", () => new Upload(false).take(whole, { line: 1 }));
      }
    });
  }

  it("in a CSV file is parsed in time, in pieces of any length", () => {
    for (const [length, bytes] of [
      [100_000, 1],
      [LENGTH, 64],
      [LENGTH, 65_536],
    ] as const) {
      for (const part of ["x", '""', "a''b", ";", "\r\n"]) {
        const cell = `a${part.repeat(length / part.length / 2)}b`;
        const file = Buffer.from(`cnpj;x\n11222333000181;"${cell}"\n"${cell}";1\n`);
        within(`${length} of ${JSON.stringify(part)} in pieces of ${bytes}`, () => {
          const upload = new CsvUpload(false, "cnpj");
          for (let at = 0; at < file.length; at += bytes) {
            upload.add(file.subarray(at, at + bytes));
          }
          assert.ok(upload.end().read >= 1);
        });
      }
    }
  });
});

describe("characters around a text", () => {
  it("are removed as by a pattern for both ends", () => {
    const slow = (text: string) =>
      text
        .trim()
        .replace(/^=?\s*["'`´‘’“”]*|["'`´‘’“”]*$/g, "")
        .trim();
    for (let seed = 1; seed <= 2_000; seed++) {
      const draw = new Draw(seededRng(seed));
      const signs = Array.from({ length: draw.below(9) }, () =>
        draw.of(["'", '"', "“", "=", " ", "1", "é"]),
      );
      const text = signs.join("");
      assert.equal(cleaned(text), slow(text), JSON.stringify(text));
    }
  });
});
