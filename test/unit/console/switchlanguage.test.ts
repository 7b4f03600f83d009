/**
 * Proves: the texts of views that are loaded later are in the current language, in any order of
 * loading and switching the language.
 * Does not prove: that the tables of both languages agree (words.test.ts).
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { language } from "../../../src/console/web/app/language.ts";
import {
  lazyTable,
  loadLazyWords,
  switchLanguage,
  words,
} from "../../../src/console/web/app/words.ts";
import { words as en } from "../../../src/console/web/strings/en.ts";
import { lazyWords as laterEn } from "../../../src/console/web/strings/later-en.ts";
import { lazyWords as laterPt } from "../../../src/console/web/strings/later-pt.ts";
import { words as pt } from "../../../src/console/web/strings/pt.ts";

const TABLES = { en: [en, laterEn], pt: [pt, laterPt] } as const;

function assertOneLanguage(): void {
  const [first, later] = TABLES[language.peek()];
  assert.equal(words.peek(), first);
  assert.equal(lazyTable.peek(), later);
}

it("applies a language switch to texts that are still loading, and to later ones", async () => {
  await switchLanguage("pt");
  assert.equal(lazyTable.peek(), null, "nobody wanted them yet");
  await Promise.all([loadLazyWords(), switchLanguage("en")]);
  assert.equal(language.peek(), "en");
  assertOneLanguage();
  await Promise.all([switchLanguage("pt"), loadLazyWords()]);
  assertOneLanguage();
  await switchLanguage("en");
  assertOneLanguage();
});
