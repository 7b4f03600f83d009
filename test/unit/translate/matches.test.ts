/**
 * Proves that a sentence finds the same names with and without the cache of its look-ups. This
 * holds after words were corrected or became names, and if some words already belong to another
 * part of the sentence. Does not prove speed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Phrases } from "../../../src/translate/words/phrases.ts";
import { Sentence } from "../../../src/translate/words/sentence.ts";
import { randomFrom } from "../../support/translate/shapes.ts";

const WORDS = ["casa", "carne", "loja", "roupa", "de", "e", "bar"];

describe("cached names of a sentence", () => {
  it("are those of a walk, for any reads of the sentence in between", () => {
    const random = randomFrom(3);
    const word = () => WORDS[Math.floor(random() * WORDS.length)] as string;
    const phrases = new Phrases<number>();
    for (let i = 0; i < 40; i++) phrases.add(`${word()} ${word()} ${word()}`, i);
    for (let text = 0; text < 200; text++) {
      const sentence = new Sentence(Array.from({ length: 12 }, word).join(" "));
      for (let step = 0; step < 8; step++) {
        const at = Math.floor(random() * sentence.tokens.length);
        if (random() < 0.4) sentence.readAs(at, word());
        else if (random() < 0.3) sentence.claim(at, at + 1, "filler");
        else if (random() < 0.1) sentence.name(at, at + 1);
        const free = (index: number) => sentence.free(index);
        // A copy of the tokens bypasses the sentence's cache.
        const plain = [...sentence.tokens];
        for (let from = 0; from < plain.length; from++) {
          for (const usable of [undefined, free]) {
            const cached = phrases.longest(sentence.tokens, from, usable);
            assert.deepEqual(cached, phrases.longest(plain, from, usable));
          }
        }
      }
    }
  });

  it("are walked once, for any number of look-ups", () => {
    const phrases = new Phrases<number>();
    let followed = 0;
    const follow = (phrases as unknown as { follow: (...all: unknown[]) => unknown }).follow;
    Object.assign(phrases, {
      follow(this: unknown, ...all: unknown[]) {
        followed++;
        return follow.apply(this, all);
      },
    });
    phrases.add("casa carne", 1);
    const { tokens } = new Sentence("casa de carne e bar");
    for (let i = 0; i < 50; i++) phrases.longest(tokens, 0);
    assert.ok(followed <= 3, `${followed} steps`);
  });

  it("stay cached if a word is read as another that no walk to them read", () => {
    const phrases = new Phrases<number>();
    phrases.add("casa carne", 1);
    let walks = 0;
    const walk = phrases.walk.bind(phrases);
    phrases.walk = (...all) => {
      walks++;
      return walk(...all);
    };
    const sentence = new Sentence("casa carne bar ".repeat(60));
    const all = () => sentence.tokens.map((_, at) => phrases.longest(sentence.tokens, at));
    all();
    walks = 0;
    for (let at = 2; at < sentence.tokens.length; at += 3) sentence.readAs(at, "loja");
    all();
    // After a correction, only cached look-ups that read the corrected word are repeated. They
    // begin at that word, or at "carne" before it.
    assert.ok(walks <= 2 * 60, `${walks} walks`);
  });
});
