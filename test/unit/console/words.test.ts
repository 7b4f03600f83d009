/**
 * Proves: both languages of the console have the same texts with the same number of parameters, and
 * none is empty. Every text that is a function returns text for zero, one, and many. The Portuguese
 * table has no English words, except words that are also Portuguese.
 * Does not prove: that a translation is good, which speakers judge.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { language } from "../../../src/console/web/app/language.ts";
import { REASONS } from "../../../src/export/enrichment/outcomes.ts";
import { COMPRESSED } from "../../../src/export/formats/format.ts";
import { REFUSALS } from "../../../src/lists/entries.ts";
import { CONTACT_REASONS } from "../../../src/spec/contacts/contactrefusal.ts";
import type { Compression } from "../../../src/spec/fields.ts";
import { FILTERS } from "../../../src/spec/filters/table.ts";
import { englishWords as en, portugueseWords as pt } from "../../support/console/words.ts";

type Word = string | ((...values: unknown[]) => unknown);

/** Returns every text of a table by its path. */
function wordsOf(table: object, path = ""): Map<string, Word> {
  const found = new Map<string, Word>();
  for (const [key, value] of Object.entries(table)) {
    const name = path === "" ? key : `${path}.${key}`;
    if (typeof value === "string" || typeof value === "function") found.set(name, value as Word);
    else if (value !== null && typeof value === "object") {
      for (const [inner, word] of wordsOf(value, name)) found.set(inner, word);
    } else found.set(name, String(value));
  }
  return found;
}

const english = wordsOf(en);
const portuguese = wordsOf(pt);

/** Matches words that are only English. Names of formats, codes, and products are left out. */
const ENGLISH = new RegExp(
  `\\b(${[
    "the|and|with|without|your|you|this|that|these|from|which|what|when|where|are|was|been|has",
    "have|not|will|can|cannot|should|key|keys|search|searches|company|companies|loading|close",
    "cancel|save|saved|copy|remove|rows|row|file|found|nothing|password",
  ].join("|")})\\b`,
  "i",
);

describe("the texts of the console", () => {
  it("are the same in both languages", () => {
    assert.ok(english.size > 100, "the tables are not read");
    assert.deepEqual([...portuguese.keys()].sort(), [...english.keys()].sort());
  });

  it("call establishments so in English: an account is the user's", () => {
    const users = /^(?:account|problems|shell|members|exports\.noExports)\b/;
    const others = [...english].filter(
      ([name, word]) => /\baccounts?\b/i.test(String(word)) && !users.test(name),
    );
    assert.deepEqual(others, []);
  });

  it("explain every reason why a phone or an e-mail is not looked up", () => {
    for (const { find } of [en, pt]) {
      assert.deepEqual(Object.keys(find.contactRefusals).sort(), [...CONTACT_REASONS].sort());
    }
  });

  it("name every compression with its file extension", () => {
    for (const { exports } of [en, pt]) {
      for (const [name, { extension }] of Object.entries(COMPRESSED)) {
        const label = exports.compressions[name as Compression];
        assert.ok(label.endsWith(`(.${extension})`), label);
      }
    }
  });

  it("explain for every filter how an account matched", () => {
    const names = FILTERS.flatMap((row) => ("reason" in row ? [row.reason.name] : []));
    for (const { table } of [en, pt]) {
      assert.deepEqual(
        [...new Set(names)].filter((name) => !(name in table.matched)),
        [],
      );
    }
  });

  it("explain every reason why a line of a list or a row of a sheet is rejected", () => {
    const reasons = new Set([...Object.keys(REFUSALS), ...Object.keys(REASONS)]);
    for (const { listViews } of [en, pt]) {
      assert.deepEqual(Object.keys(listViews.reasons).sort(), [...reasons].sort());
    }
  });

  it("take the same parameters", () => {
    for (const [name, word] of english) {
      const other = portuguese.get(name);
      assert.equal(typeof other, typeof word, name);
      // A translation may ignore a parameter, but it cannot use one that is not passed.
      if (typeof word === "function" && typeof other === "function") {
        assert.ok(other.length <= word.length, `${name} asks for ${other.length} values`);
      }
    }
  });

  it("count municipalities and activities without a grammatical gender", () => {
    assert.doesNotMatch(pt.find.showAll(606), /tod[ao]s/);
  });

  it("are never empty", () => {
    for (const [name, word] of [...english, ...portuguese]) {
      if (typeof word !== "string") continue;
      assert.notEqual(word.trim(), "", name);
    }
  });

  it("are Portuguese in Portuguese", () => {
    const left = [...portuguese]
      .filter(([name]) => name !== "shell.english")
      .filter(([, word]) => typeof word === "string" && ENGLISH.test(word.replace(/“[^”]*”/g, "")))
      .map(([name, word]) => `${name}: ${String(word)}`);
    assert.deepEqual(left, []);
  });

  it("differ, except for words that both languages share", () => {
    const same = [...portuguese].filter(([name, word]) => {
      return typeof word === "string" && word.length > 24 && word === english.get(name);
    });
    assert.deepEqual(same, []);
  });

  for (const [tag, table] of [
    ["en", english],
    ["pt", portuguese],
  ] as const) {
    it(`return text for zero, one, and many (${tag})`, () => {
      language.value = tag;
      for (const [name, word] of table) {
        if (typeof word !== "function") continue;
        for (const count of [0, 1, 2, 1_234]) {
          const text = called(word, count);
          if (text === undefined) continue;
          assert.doesNotMatch(text, /undefined|NaN|\[object/, `${tag} ${name}(${count})`);
          assert.notEqual(text.trim(), "", `${tag} ${name}(${count})`);
        }
      }
      language.value = "pt";
    });
  }
});

/**
 * Returns the text of a function that takes `count` in every parameter. If the function needs
 * another type, calls it with values of other types.
 */
function called(word: (...values: unknown[]) => unknown, count: number): string | undefined {
  for (const value of [count, "2026-10-15", ["a", "b"], { count, total: count }]) {
    try {
      const text = word(...Array.from({ length: word.length }, () => value));
      if (typeof text === "string") return text;
    } catch {
      // The function threw, so it needs values of another type. The next ones are tried.
    }
  }
  return undefined;
}
