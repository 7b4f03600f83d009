/**
 * Proves that place names which are added only when needed are found as if all had been added
 * first, for any order of look-ups. The words extracted from one text of all names equal the words
 * of the names' tokens.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Named, PlaceNames } from "../../../src/translate/places/placenames.ts";
import { tokensOfName } from "../../../src/translate/words/phrases.ts";
import { foldWord, tokenize } from "../../../src/translate/words/tokens.ts";

/** Short words and others, with accents, marks, digits, foreign letters, and mixed case. */
const WORDS = [
  ...[
    "São",
    "sao",
    "SAO",
    "S",
    "Sta",
    "Santa",
    "Santana",
    "Das",
    "Dasópolis",
    "do",
    "d",
    "D'Ávila",
  ],
  ...["Pau", "d'Arco", "Paud", "Não-Me-Toque", "Açu", "É", "&", "S/A", "2º", "nº", "25", "Ærø"],
  ...["Łódź", "ß", "www.a.com", "p.o.", "Pa", "p", "(Pau)", "x\u00ady", "e\u0301po"],
];
const name = fc
  .tuple(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([words, hyphen]) => words.join(hyphen ? "-" : " "));
const names = fc.array(fc.oneof({ weight: 9, arbitrary: name }, fc.constant("Pau\nSão")), {
  maxLength: 12,
});
const looks = fc.array(fc.tuple(name, fc.boolean()), { minLength: 1, maxLength: 6 });

const named = (list: readonly string[]): Named[] =>
  list.map((one, at) => ({ name: one, place: () => ({ states: [`${at}`] }) }));

function made(list: readonly string[], whole: boolean): PlaceNames {
  const places = new PlaceNames();
  places.take(named(list));
  if (whole) places.speedUp();
  return places;
}

/** Maps the folded form of every word in the names, except prepositions, to its spelling. */
function wordsOf(list: readonly string[]): Map<string, string> {
  const small = new Set(["d", "da", "de", "do", "das", "dos"]);
  const words = new Map<string, string>();
  for (const one of list) {
    for (const { kind, text, folded } of tokensOfName(one)) {
      if (kind !== "word" || small.has(folded) || words.has(folded)) continue;
      words.set(folded, text);
    }
  }
  return words;
}

describe("lazily added names of places", () => {
  it("are found as if all had been added, for any first look-up", () => {
    fc.assert(
      fc.property(names, looks, (list, texts) => {
        const [late, whole] = [made(list, false), made(list, true)];
        for (const [text, asName] of texts) {
          const tokens = tokenize(text);
          if (asName) assert.deepEqual(late.named(text), whole.named(text));
          for (let from = 0; from < tokens.length; from++) {
            assert.deepEqual(late.longest(tokens, from), whole.longest(tokens, from));
            const [found, wanted] = [late, whole].map((one) =>
              [...one.continuations(tokens, from, from + 1)].sort(),
            );
            assert.deepEqual(found, wanted);
          }
        }
        for (const one of list) assert.deepEqual(late.named(one), whole.named(one), one);
      }),
      { numRuns: 500 },
    );
  });

  it("are found before and after all are added", () => {
    fc.assert(
      fc.property(names, fc.array(name, { maxLength: 20 }), fc.nat(20), (list, texts, when) => {
        const [late, whole] = [made(list, false), made(list, true)];
        for (const [at, text] of texts.entries()) {
          if (at === when) late.speedUp();
          assert.deepEqual(late.named(text), whole.named(text), text);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("have the words of their tokens", () => {
    fc.assert(
      fc.property(names, fc.boolean(), (list, whole) => {
        const words = wordsOf(list);
        const places = made(list, false);
        if (whole) assert.deepEqual([...places.vocabulary], [...words]);
        for (const word of new Set([...words.keys(), ...WORDS.map(foldWord), "zz", "a", ""])) {
          assert.equal(places.has(word), words.has(word), `${word} in ${JSON.stringify(list)}`);
        }
        assert.deepEqual([...places.vocabulary], [...words]);
      }),
      { numRuns: 500 },
    );
  });

  it("are found by every letter that folds", () => {
    for (let code = 0xc0; code <= 0x24f; code++) {
      const letter = String.fromCharCode(code);
      const list = [`${letter}guas Belas`, `Lagoa ${letter}guas`, letter];
      const places = made(list, false);
      for (const one of list) assert.deepEqual(places.named(one), made(list, true).named(one));
      for (const [word] of wordsOf(list)) assert.ok(places.has(word), `${word} of U+${code}`);
    }
  });
});
