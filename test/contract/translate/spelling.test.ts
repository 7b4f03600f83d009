/**
 * Proves how typing errors are corrected. The index of similar words returns exactly the words that
 * a comparison with every word returns. Known words are never changed, and the work per sentence is
 * limited. A table has typing errors with their corrections. At least a certain fraction of seeded
 * random errors is corrected rightly. Does not prove that real errors are like the random ones.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { lexicon } from "../../../src/translate/activities/lexicon.ts";
import { Notes } from "../../../src/translate/notes.ts";
import { gazetteerOf } from "../../../src/translate/places/gazetteer.ts";
import { correctSpelling } from "../../../src/translate/spelling/corrections.ts";
import {
  type NearWord,
  SpellIndex,
  slipsAllowed,
} from "../../../src/translate/spelling/spelling.ts";
import { Sentence } from "../../../src/translate/words/sentence.ts";
import { foldWord } from "../../../src/translate/words/tokens.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { FRESH_WORDS, REAL_WORDS } from "../../support/translate/realwords.ts";

/**
 * Returns a generator of random numbers from 0 up to, not including, `below`. The same seed yields
 * the same numbers.
 */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Makes a typing error after the first letter: drops, adds, replaces, or swaps letters. */
function slip(word: string, random: (below: number) => number, letters = LETTERS): string {
  const at = 1 + random(word.length - 1);
  const letter = letters[random(letters.length)] as string;
  const kind = random(4);
  if (kind === 0) return word.slice(0, at) + word.slice(at + 1);
  if (kind === 1) return word.slice(0, at) + letter + word.slice(at);
  if (kind === 2) return word.slice(0, at) + letter + word.slice(at + 1);
  const left = Math.min(at, word.length - 2);
  return word.slice(0, left) + word[left + 1] + word[left] + word.slice(left + 2);
}

/**
 * Reference implementation of the optimal string alignment distance, which computes the whole table
 * of its recurrence.
 */
function slowDistance(one: string, other: string): number {
  const rows = [...Array(one.length + 1)].map((_, i) =>
    [...Array(other.length + 1)].map((__, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const cell = (i: number, j: number) => (rows[i] as number[])[j] as number;
  for (let i = 1; i <= one.length; i++) {
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        least = Math.min(least, cell(i - 2, j - 2) + 1);
      }
      (rows[i] as number[])[j] = least;
    }
  }
  return cell(one.length, other.length);
}

function slowNearest(words: readonly string[], word: string): NearWord[] {
  const limit = slipsAllowed(word.length);
  return [...new Set(words)]
    .map((other) => ({ word: other, distance: slowDistance(word, other) }))
    .filter(({ distance }) => limit > 0 && distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.word < b.word ? -1 : 1));
}

describe("SpellIndex", () => {
  it("returns what a comparison with every word returns", () => {
    const random = randomOf(41);
    let hits = 0;
    // With few letters, many words are similar. Some of the alphabets have spaces or letters beyond
    // a-z.
    for (const letters of ["ab", "abc ", "abcdefgh", "aáβ9 z"]) {
      const word = () => {
        const length = 1 + random(12);
        return [...Array(length)].map(() => letters[random(letters.length)]).join("");
      };
      const words = [...Array(400)].map(word);
      const index = new SpellIndex(words);
      for (let i = 0; i < 300; i++) {
        const known = words[random(words.length)] as string;
        const requested = i % 3 === 0 || known.length < 3 ? word() : slip(known, random, letters);
        const found = index.nearest(requested);
        assert.deepEqual(found, slowNearest(words, requested), requested);
        const initials = "aβ";
        const begin = found.filter((one) => one.word.startsWith("a"));
        const narrowed = index.nearest(requested, { initials });
        assert.deepEqual(
          narrowed.filter((one) => one.word.startsWith("a")),
          begin,
          `${requested} of initials`,
        );
        assert.ok(narrowed.every(({ word }) => found.some((one) => one.word === word)));
        hits += found.length;
      }
    }
    assert.ok(hits > 2_000, `${hits} near words say little`);
  });

  it("knows the permitted edits of a word", () => {
    const index = new SpellIndex(["sol", "lojas", "padarias", "sao jose do rio preto"]);
    const words = (word: string, distanceMax?: number) =>
      index.nearest(word, distanceMax === undefined ? {} : { distanceMax }).map((one) => one.word);
    assert.deepEqual(words("sol"), []);
    assert.deepEqual(words("loja"), ["lojas"]);
    assert.deepEqual(words("lojaxx"), []);
    assert.deepEqual(words("padarixx"), ["padarias"]);
    assert.deepEqual(words("padarixx", 1), []);
    assert.deepEqual(words("sao jose do riu perto"), ["sao jose do rio preto"]);
    assert.deepEqual(index.nearest("x".repeat(3_000)), []);
    assert.deepEqual(new SpellIndex(["aaaa", "aaab"]).nearest("aaac", { countMax: 1 }), [
      { word: "aaaa", distance: 1 },
    ]);
  });
});

/**
 * Texts with typing errors, and the corrections of their words. If the correction is null, the word
 * must stay unchanged.
 */
const SLIPS: readonly (readonly [text: string, read: Readonly<Record<string, string>>])[] = [
  ["padaira em Curtiba", { padaira: "padaria", Curtiba: "Curitiba" }],
  ["restaurantse em Belo Horisonte", { restaurantse: "restaurantes", Horisonte: "Horizonte" }],
  ["dentitas em Florianopólis", { dentitas: "dentistas" }],
  ["acougue em Sao Jose do Riu Preto", { Riu: "Rio" }],
  ["pet shopp no Rio de Janiero", { shopp: "shop", Janiero: "Janeiro" }],
  ["farmácias em Uberlandai/MG", { Uberlandai: "Uberlândia" }],
  ["clínicas em Maringá e Londirna", { Londirna: "Londrina" }],
  ["bares em fotraleza", { fotraleza: "Fortaleza" }],
  ["supermecados na Bahai", { supermecados: "supermercados", Bahai: "Bahia" }],
  ["hopitais na cidade de Sorocba", { hopitais: "hospitais", Sorocba: "Sorocaba" }],
  ["farmaciaa com telefone", { farmaciaa: "farmácia" }],
  // "Curitibaa" is nearer to "Curitiba" than to another word ("curitibana").
  ["padarias em Curitibaa", { Curitibaa: "Curitiba" }],
  [
    "restaurntes em Florianopoliss",
    { restaurntes: "restaurantes", Florianopoliss: "Florianópolis" },
  ],
  ["lojas de motoss", { motoss: "motos" }],
  // Unknown places and names of companies stay unchanged.
  ["padarias em Nárnia", {}],
  ["padarias em Gondor", {}],
  ["padarias em Wakanda e Asgard", {}],
  ["padarias em Springfield", {}],
  ["restaurantes chamados Padaira", {}],
  ['lojas com o nome "Curtiba"', {}],
  ["clientes da PETORBRAS em MG", {}],
  ["padaira@curtiba.com.br", {}],
  ["www.padaira.com.br", {}],
  // English.
  ["restarants in Recfie", { restarants: "restaurants", Recfie: "Recife" }],
];

describe("correctSpelling", () => {
  let sample: SampleSnapshot;
  let segment: Segment;
  before(async () => {
    sample = await makeSampleSnapshot(3_000, 5);
    segment = await openSegment(sample.snapshot);
  });
  after(() => {
    segment.close();
    sample.dispose();
  });

  function corrected(text: string, language: "pt" | "en" = "pt") {
    const sentence = new Sentence(text);
    const notes = new Notes(language);
    const gazetteer = gazetteerOf(segment);
    const count = correctSpelling({ segment, sentence, gazetteer, notes });
    return { sentence, notes, count };
  }

  const keysOf = (sentence: Sentence) => sentence.tokens.map(({ key }) => key).join(" ");

  it("corrects typos to the meant words, and reports it", () => {
    for (const [text, read] of SLIPS) {
      const { notes, count } = corrected(text);
      const seen = Object.fromEntries(
        notes.assumptions.map(({ words = "", detail }) => [
          words,
          /“([^”]*)”\.$/.exec(detail)?.[1],
        ]),
      );
      assert.deepEqual(seen, read, text);
      assert.equal(count, Object.keys(read).length, text);
      for (const { code, words, start, end } of notes.assumptions) {
        assert.equal(code, "spelling");
        assert.equal(words, text.slice(start, end));
      }
    }
    assert.equal(corrected("padaira").notes.assumptions[0]?.detail, "Li “padaira” como “padaria”.");
    const [note] = corrected("padaira", "en").notes.assumptions;
    assert.equal(note?.detail, '"padaira" was read as "padaria".');
  });

  it("never changes a word that a stage names", () => {
    const folder = join(ROOT, "src/translate");
    const named = new Set<string>();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((one) => one.endsWith(".ts"))) {
      const text = readFileSync(join(folder, file), "utf8");
      const code = text.replace(/^\s*(\/\*)?\*.*$|^import.*$|^} from.*$|\$\{[^}]*\}/gm, "");
      for (const [, literal = ""] of code.matchAll(/["'`]([^"'`\n]*)["'`]/g)) {
        for (const word of literal.split(/[^\p{L}]+/u)) if (word.length > 3) named.add(word);
      }
    }
    assert.ok(named.size > 2_000, `${named.size} words`);
    const changed = [...named].filter((word) => corrected(`empresas ${word} em MG`).count > 0);
    assert.deepEqual(changed, []);
  });

  it("never changes a name of the lexicon or of a place", () => {
    const { trades, goods, roles } = lexicon();
    const words = [trades, goods, roles].flatMap(({ vocabulary }) => [...vocabulary.values()]);
    for (const word of words) assert.equal(corrected(word).count, 0, word);
    for (const { name } of segment.catalog.municipalities) {
      assert.equal(corrected(`em ${name}`).count, 0, name);
    }
  });

  it("leaves real words unchanged that it does not know", () => {
    const changes = (words: readonly string[]) =>
      words.flatMap((word) => {
        const frames = [`empresas de ${word} com telefone`, `padarias em ${word}`, word];
        const details = frames.flatMap((text) =>
          corrected(text).notes.assumptions.map((one) => one.detail),
        );
        return details.slice(0, 1);
      });
    assert.deepEqual(changes(REAL_WORDS), []);
    const fresh = changes(FRESH_WORDS);
    assert.ok(fresh.length <= FRESH_WORDS.length * 0.02, fresh.join(" "));
  });

  it("corrects most random typos to the meant word, and hardly any to another", () => {
    const random = randomOf(7);
    const names = readdirSync(join(ROOT, "data/lexicon")).flatMap((file) => {
      const entries = JSON.parse(readFileSync(join(ROOT, "data/lexicon", file), "utf8"));
      return (entries as { names: string[] }[]).flatMap((entry) => entry.names);
    });
    const cities = segment.catalog.municipalities.filter(({ uf }) => uf !== "EX" && uf !== null);
    const frames = [
      { rows: names, frame: (name: string) => `${name} em MG`, right: 0.6, wrong: 0.01 },
      {
        rows: cities.map(({ name }) => name),
        frame: (name: string) => `padarias em ${name}`,
        right: 0.6,
        wrong: 0.01,
      },
    ];
    for (const { rows, frame, right, wrong } of frames) {
      const seen = { right: 0, wrong: 0, none: 0 };
      for (let i = 0; i < 3_000; ) {
        const name = (rows[random(rows.length)] as string).replaceAll("-", " ");
        const words = name.split(" ");
        const at = random(words.length);
        const word = words[at] as string;
        if (word.length < 4) continue;
        i++;
        const written = slip(word, random);
        words[at] = written;
        const { sentence, count } = corrected(frame(words.join(" ")));
        if (count === 0) seen.none++;
        else if (keysOf(sentence) === keysOf(corrected(frame(name)).sentence)) seen.right++;
        else seen.wrong++;
      }
      assert.ok(seen.right > right * 3_000, JSON.stringify(seen));
      assert.ok(seen.wrong < wrong * 3_000, JSON.stringify(seen));
    }
  });

  it("is the same every time, and reads at most 24 unknown words", () => {
    const unknown = [..."bcdfghjklmnpqrstvwxz"].flatMap((a) => [`${a}adaira`, `${a}urtiba`]);
    const text = `${unknown.filter((word) => !/^[pc]/.test(word)).join(" ")} padaira`;
    assert.equal(corrected(text).count, 0, "the last word is the 25th that nobody knows, or later");
    assert.equal(corrected("padaira").count, 1);
    for (const [slipped] of SLIPS) {
      const first = keysOf(corrected(slipped).sentence);
      for (let i = 0; i < 3; i++) assert.equal(keysOf(corrected(slipped).sentence), first);
    }
  });

  it("reads diminutives and the other gender of professions as the known word", () => {
    for (const [text, plain] of [
      ["padariazinha em MG", "padaria em MG"],
      ["padariazinhas em MG", "padaria em MG"],
      ["restaurantezinhos em MG", "restaurante em MG"],
      ["lanchonetezinha em MG", "lanchonete em MG"],
      ["salãozinho de beleza em MG", "salão de beleza em MG"],
      ["salõezinhos de beleza em MG", "salão de beleza em MG"],
      ["hoteizinhos em MG", "hotel em MG"],
      ["farmacinhas em MG", "farmácia em MG"],
      ["barzinho em MG", "barzinho em MG"],
      ["mercadinhos em MG", "mercadinho em MG"],
      ["dentistas em MG", "dentista em MG"],
    ] as const) {
      const { sentence, count } = corrected(text);
      assert.equal(count, 0, text);
      assert.equal(keysOf(sentence), keysOf(new Sentence(plain)), text);
    }
    for (const word of "vizinho moinho vinho linho caminho golfinho cozinha galinha".split(" ")) {
      assert.equal(corrected(word).sentence.folded(0), foldWord(word), word);
    }
    for (const word of "farinha marinha Campinas ônibus lápis ourives tênis gás mês".split(" ")) {
      assert.equal(corrected(word).sentence.folded(0), foldWord(word), word);
    }
  });
});
