/**
 * Proves: replacing the characters above U+00FF of a script by escape sequences does not change its
 * meaning. This holds in comments, in regular expressions with and without the flag `u`, and after
 * backslashes. Other characters stay.
 * Does not prove: that esbuild leaves such characters nowhere else. If it did, the suites of the
 * bundle would fail.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ROOT } from "../../support/house/checkout.ts";

const { inOneByte } = (await import(join(ROOT, "src/executable/bundle.mjs"))) as {
  readonly inOneByte: (text: string) => string;
};

/** Characters that occur in regular expressions of the program, and a character beyond U+FFFF. */
const MARKS = ["“", "’", "–", "−", "≥", "\u2010", "ſ", "😀"];

function evaluated(script: string): unknown {
  return new Function(`return ${script};`)() as unknown;
}

describe("inOneByte", () => {
  it("leaves what fits in one byte", () => {
    const text = 'const ação = /[«»´]/u; // ÿ \\\\ \\" \u0080';
    assert.equal(inOneByte(text), text);
    assert.equal(inOneByte(""), "");
  });

  it("keeps the meaning of expressions", () => {
    for (const mark of MARKS) {
      for (const source of [
        `^[a${mark}]$`,
        `${mark}+`,
        `a\\\\${mark}`,
        `(${mark}|\\\\\\\\${mark})`,
      ]) {
        for (const flags of ["", "u", "iu"]) {
          const script = `/${source}/${flags}`;
          const escaped = inOneByte(script);
          assert.ok(/^[\0-ÿ]*$/.test(escaped), script);
          const [before, after] = [evaluated(script) as RegExp, evaluated(escaped) as RegExp];
          for (const text of [mark, `a\\${mark}`, `\\\\${mark}`, "a", "u", "\\", ...MARKS]) {
            assert.equal(after.test(text), before.test(text), `${script} of ${text}`);
          }
        }
      }
    }
  });

  it("keeps the meaning of an escaped character", () => {
    for (const mark of MARKS.filter((one) => one.length === 1)) {
      const escaped = inOneByte(`/^[\\${mark}]$/`);
      const after = evaluated(escaped) as RegExp;
      assert.ok(after.test(mark), escaped);
      assert.ok(!after.test("u") && !after.test("\\"), escaped);
    }
  });

  it("keeps the lines of comments", () => {
    assert.equal(inOneByte("// it’s\n1 /* – */"), "// it\\u2019s\n1 /* \\u2013 */");
  });
});
