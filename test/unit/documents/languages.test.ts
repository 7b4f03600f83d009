/**
 * Proves that README.pt-BR.md matches README.md: the same sections in the same order, and in each
 * the same code (except comments), pictures, links, rows of tables, and figures. Each page of
 * docs/pt-BR shows commands and answers of its English page, in the same order. Portuguese pages
 * link to other Portuguese pages where these exist.
 * Does not prove: that a sentence has the meaning of its original.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesMatching, textOf } from "../../support/house/checkout.ts";

/** The part of a section that does not depend on the language. */
interface Section {
  readonly level: string;
  readonly code: readonly string[];
  readonly links: readonly string[];
  readonly rows: number;
  readonly figures: readonly string[];
}

/** Returns the sections of a document. Text before the first heading belongs to no section. */
function sectionsOf(file: string): Section[] {
  const text = textOf(file).replace(/<!--[\s\S]*?-->\n?/g, "");
  const parts = splitAtHeadings(text);
  return parts.map(({ level, body }) => {
    const code = [...body.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = ""]) =>
      block.replace(/ +# .*$/gm, ""),
    );
    const prose = body.replace(/^```\w*\n[\s\S]*?^```$/gm, "");
    const targets = [...prose.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    const links = targets.map((target) => target.replace("docs/pt-BR/", "docs/"));
    const rows = (prose.match(/^\|/gm) ?? []).length;
    return { level, code, links: links.sort(), rows, figures: figuresIn(prose) };
  });
}

/** Returns the headings outside code blocks, each with its text. */
function splitAtHeadings(text: string): { level: string; body: string }[] {
  const found: { level: string; body: string }[] = [];
  let inCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    const heading = inCode ? null : /^(#+) /.exec(line);
    if (heading !== null) found.push({ level: heading[1] ?? "", body: "" });
    const last = found.at(-1);
    if (last !== undefined && heading === null) last.body += `${line}\n`;
  }
  return found;
}

/** Returns the figures of a text without separators, which depend on the language. */
function figuresIn(prose: string): string[] {
  const plain = prose.replace(/\]\([^)]+\)/g, "]").replace(/`[^`]*`/g, "");
  const figures = plain.match(/\d+(?:[.,]\d+)*/g) ?? [];
  return figures.map((figure) => figure.replace(/[.,]/g, "")).sort();
}

/** Each README links to the other one, so these links differ. */
const other = (link: string) => !/^README(\.pt-BR)?\.md$/.test(link);

describe("README.pt-BR.md", () => {
  const [english, portuguese] = ["README.md", "README.pt-BR.md"].map(sectionsOf);

  it("has the sections of README.md", () => {
    assert.ok((english?.length ?? 0) > 6, "the sections are not read");
    assert.deepEqual(
      portuguese?.map(({ level }) => level),
      english?.map(({ level }) => level),
    );
  });

  it("has the code, links, rows, and figures of each section", () => {
    english?.forEach((section, at) => {
      const translated = portuguese?.[at];
      assert.deepEqual(translated?.code, section.code, `code of section ${at}`);
      assert.deepEqual(translated?.links.filter(other), section.links.filter(other), `${at}`);
      assert.equal(translated?.rows, section.rows, `rows of section ${at}`);
      assert.deepEqual(translated?.figures, section.figures, `figures of section ${at}`);
    });
  });

  it("detects a missing figure, link, and line of code", () => {
    assert.deepEqual(figuresIn("98,5 % de 1.419.000 em `x 3`"), ["1419000", "985"]);
    assert.notDeepEqual(figuresIn("98,5 %"), figuresIn("98,6 %"));
  });
});

describe("pages in Portuguese", () => {
  const pages = filesMatching(/^docs\/pt-BR\/.*\.md$/);
  const codeOf = (file: string) => sectionsOf(file).flatMap(({ code }) => code);

  it("are those of the first tasks", () => {
    const names = pages.map((file) => file.replace("docs/pt-BR/", ""));
    assert.deepEqual(names, ["exports.md", "load.md", "search.md", "start.md"]);
  });

  for (const file of pages) {
    it(`show what the English page shows: ${file}`, () => {
      const english = codeOf(file.replace("pt-BR/", ""));
      const portuguese = codeOf(file);
      assert.ok(portuguese.length > 0);
      let at = -1;
      for (const block of portuguese) {
        const found = english.indexOf(block, at + 1);
        assert.ok(found > at, `not in the English page, or in another order:\n${block}`);
        at = found;
      }
    });
  }

  it("are linked where they exist", () => {
    const all = ["README.pt-BR.md", ...pages].map((file) => ({ file, text: textOf(file) }));
    for (const page of pages.map((file) => file.replace("docs/pt-BR/", ""))) {
      const readme = new RegExp(`\\(docs/${page}`);
      const sibling = new RegExp(`\\(\\.\\./${page}(?!#)`);
      for (const { file, text } of all) {
        assert.doesNotMatch(text, file.startsWith("docs/") ? sibling : readme, file);
      }
    }
  });
});
