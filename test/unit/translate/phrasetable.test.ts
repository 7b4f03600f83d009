/**
 * Proves that names in the text of a table are found like the same names added one by one. Compares
 * the longest name, its meaning, continuations, and spellings, before and after the index exists. A
 * table that is not used is not read.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lexicon } from "../../../src/translate/activities/lexicon.ts";
import { makeLexiconData } from "../../../src/translate/activities/lexicondata.ts";
import { entryNamesByCode } from "../../../src/translate/activities/lexiconentries.ts";
import { requestText } from "../../../src/translate/filters/table.ts";
import { Phrases } from "../../../src/translate/words/phrases.ts";
import { PhraseTable, phraseText } from "../../../src/translate/words/phrasetable.ts";
import { tokenize } from "../../../src/translate/words/tokens.ts";
import { ROOT } from "../../support/house/checkout.ts";

/**
 * Words that begin with, fold to, or combine to other words of this list, or contain marks and
 * digits.
 */
const WORDS = ["a", "ab", "abc", "b", "çb", "Cabo", "cabos", "de", "&", "3d", "4.0", "x-y", "ü"];
const name = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 });
const names = fc.array(name, { maxLength: 40 });
const text = fc.array(fc.constantFrom(...WORDS, ",", "zz"), { maxLength: 8 });

function made(lists: readonly (readonly string[])[]): Phrases<{ readonly at: number }> {
  const phrases = new Phrases<{ readonly at: number }>();
  lists.forEach((words, at) => {
    // Some share a value.
    phrases.add(words.join(" "), { at: at % 7 });
  });
  return phrases;
}

describe("a table of phrases", () => {
  it("answers like the phrases that it was made of", () => {
    fc.assert(
      fc.property(names, text, fc.boolean(), (lists, words, quick) => {
        const twin = made(lists);
        const table = new PhraseTable<{ readonly at: number }>(phraseText(twin));
        if (quick) table.speedUp();
        const tokens = tokenize(words.join(" "));
        for (let from = 0; from < tokens.length; from++) {
          assert.deepEqual(table.longest(tokens, from), twin.longest(tokens, from));
          for (let to = from; to <= tokens.length; to++) {
            const found = table.continuations(tokens, from, to);
            const wanted = twin.continuations(tokens, from, to);
            assert.deepEqual([...found].sort(), [...wanted].sort());
          }
        }
        for (const key of [...twin.vocabulary.keys(), ...WORDS, "", "c", "cab", "zz"]) {
          assert.equal(table.written(key), twin.written(key), key);
        }
        const inOrder = [...twin.vocabulary].sort(([one], [other]) => (one < other ? -1 : 1));
        assert.deepEqual([...table.vocabulary], inOrder);
        for (const [key, text] of inOrder) assert.equal(table.written(key), text);
      }),
      { numRuns: 300 },
    );
  });

  it("returns what its reader makes of a value", () => {
    const rows = ["one", "other"];
    const phrases = new Phrases<number>();
    phrases.add("casa", 1);
    const table = new PhraseTable<string>(
      phraseText(phrases),
      (at) => rows[at as number] as string,
    );
    assert.equal(table.longest(tokenize("casas"), 0)?.value, "other");
  });

  it("reads only the requested parts of a table", () => {
    const table = new PhraseTable<number>("casa\t0\npao\t2\n\f1\nno JSON\n\f\tno words");
    assert.equal(table.longest(tokenize("casa"), 0)?.value, 1);
    assert.throws(() => table.longest(tokenize("pão"), 0), SyntaxError);
  });
});

describe("the lexicon of a build", () => {
  it("is the one that the sources yield", async () => {
    const { tableConstants, tableFiles } = await import(join(ROOT, "src/executable/bundle.mjs"));
    const { trades, goods } = makeLexiconData();
    const names = JSON.stringify([...entryNamesByCode()]);
    const files = { "trades.txt": trades, "goods.txt": goods, "names.json": names };
    assert.deepEqual(tableFiles(ROOT), files);
    assert.equal(JSON.parse(tableConstants(ROOT).BUILD_PHRASES), requestText());
    for (const book of [lexicon().trades, lexicon().goods]) {
      assert.ok(book.vocabulary.size > 4_000);
      // A word must not contain blanks, tabs, or line ends.
      for (const word of book.vocabulary.keys()) assert.match(word, /^[^\s]+$/);
    }
  });
});
