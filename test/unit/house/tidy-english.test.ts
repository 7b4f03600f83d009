/**
 * Proves that documents and help hold no construction of the list of plain-english.ts, no sentence
 * over 40 words, and no heading that is a question. The number of places left in messages,
 * comments, and the record of benchmarks only decreases.
 * Does not prove that a text is true or easy: readers do.
 * Every test prints all places that break its rule.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";
import {
  commentProse,
  findingsIn,
  helpProse,
  markdownProse,
  messageProse,
  openingsIn,
  questionsIn,
} from "../../support/house/plain-english.ts";

/** Maximum number of findings in each area. Lower it after a rewrite, and never raise it. */
const LEFT = {
  "docs/benchmarks.md": 0,
  messages: 1,
  "comments of src": 1,
  "comments of native-index": 2,
  "comments of test": 3,
  "comments of bench": 0,
} as const;
type Area = keyof typeof LEFT;

/**
 * Returns how far a maximum may exceed the actual number of findings. The difference is small,
 * so that new findings are noticed.
 */
const slackOf = (bound: number) => Math.max(20, bound / 5);

const DOCUMENTS = filesMatching(/^[^/]+\.md$|^docs\/.*\.md$|^\.github\/.*\.md$/);
const isPortuguese = (file: string) => file.includes("pt-BR");

function documentFindings(file: string): string[] {
  const english = !isPortuguese(file);
  return findingsIn(markdownProse(textOf(file)), { english }).map((one) => `${file}:${one}`);
}

function commentFindings(file: string): string[] {
  const prose = commentProse(textOf(file));
  return [...findingsIn(prose), ...openingsIn(prose)].map((one) => `${file}:${one}`);
}

/** For each area with a maximum, a function that returns all findings. */
const AREAS: Readonly<Record<Area, () => string[]>> = {
  "docs/benchmarks.md": () => documentFindings("docs/benchmarks.md"),
  messages: () =>
    filesMatching(/^src\/(?!console\/web\/|translate\/).*\.ts$/).flatMap((file) =>
      findingsIn(messageProse(file, textOf(file))).map((one) => `${file}:${one}`),
    ),
  "comments of src": () => commentsIn(/^src\/.*\.(tsx?|mjs|cjs)$/),
  "comments of native-index": () => commentsIn(/^native-index\/.*\.(ts|mjs|cc|h)$/),
  "comments of test": () => commentsIn(/^test\/.*\.(ts|mjs)$/),
  "comments of bench": () => commentsIn(/^bench\/.*\.ts$/),
};

function commentsIn(pattern: RegExp): string[] {
  return filesMatching(pattern).flatMap(commentFindings);
}

describe("plain English", () => {
  it("is the language of documents", () => {
    const files = DOCUMENTS.filter((file) => !(file in LEFT));
    refuse(files.flatMap(documentFindings), "write these in the words on their right");
  });

  it("is the language of the help", () => {
    const found = filesMatching(/^test\/support\/help\/.*\.txt$/).flatMap((file) => {
      return findingsIn(helpProse(textOf(file))).map((one) => `${file}:${one}`);
    });
    refuse(found, "write these in the words on their right, where the command is defined");
  });

  it("has headings that are nouns or imperatives", () => {
    const found = DOCUMENTS.flatMap((file) =>
      questionsIn(textOf(file)).map((one) => `${file}:${one}`),
    );
    refuse(found, "a heading is no question");
  });

  for (const [area, bound] of Object.entries(LEFT) as [Area, number][]) {
    it(`spreads: ${area}`, (test) => {
      const found = AREAS[area]();
      test.diagnostic(`${found.length} places are left, of ${bound} allowed`);
      const last = found.slice(0, 50).join("\n  ");
      assert.ok(found.length <= bound, `more than ${bound} places, ${found.length}:\n  ${last}`);
      assert.ok(found.length >= bound - slackOf(bound), `lower ${area} to ${found.length}`);
    });
  }
});

describe("the reader of plain English", () => {
  const paragraphs = (text: string) => findingsIn(markdownProse(text));

  it("finds constructions in paragraphs, lists and tables", () => {
    assert.match(paragraphs("Whoever asks\nwaits.")[0] ?? "", /^1: "Whoever": .*the client/);
    assert.equal(paragraphs("- one\n- It is told\n  later.").length, 1);
    assert.equal(paragraphs("| a | b |\n|---|---|\n| made anew | mended |").length, 2);
    assert.equal(paragraphs("It ends. Of all rows, one is left.").length, 1);
    assert.equal(paragraphs("Of course it ends.").length, 0);
  });

  it("finds sentences over 40 words, and counts code and specimens as one word", () => {
    const words = (count: number) => `${"word ".repeat(count - 1)}word.`;
    assert.equal(paragraphs(`${words(40)} ${"W"}${words(40).slice(1)}`).length, 0);
    assert.match(paragraphs(words(41))[0] ?? "", /41 words/);
    assert.equal(paragraphs(`A \`${words(50)}\` "${words(50)}" [b](${"c".repeat(9)}).`).length, 0);
  });

  it("skips fences, comments and generated parts", () => {
    const text =
      "```\nanew\n```\n<!-- anew -->\n<!-- generated: x -->\nanew\n<!-- end of generated -->\n";
    assert.deepEqual(paragraphs(text), []);
  });

  it("reads options and commands of the help one by one", () => {
    const text =
      "Options:\n  --a <b>  one\n           made anew\n  --c      two\n\n  $ peneira anew\n";
    const prose = helpProse(text);
    assert.deepEqual(
      prose.map(({ line }) => line),
      [2, 4],
    );
    assert.equal(findingsIn(prose).length, 1);
  });

  it("finds questions among headings", () => {
    assert.deepEqual(questionsIn("# How it works\n## Is it there?\n## What can go wrong\n"), [
      "2: Is it there?",
      "3: What can go wrong",
    ]);
  });

  it("reads comments with their lines, and openings without a verb", () => {
    const code =
      "let a;\n/**\n * What it is,\n * made anew.\n */\nlet b; // anew\n  // anew\n  // twice\n";
    const prose = commentProse(code);
    assert.deepEqual(
      prose.map(({ line }) => line),
      [3, 7],
    );
    assert.equal(findingsIn(prose).length, 2);
    assert.equal(openingsIn(prose).length, 1);
  });

  it("reads sentences of messages, also those of templates", () => {
    const code = `const a = \`The file \${name} is made anew.\`; const b = "anew";`;
    assert.deepEqual(findingsIn(messageProse("a.ts", code)).length, 1);
  });
});
