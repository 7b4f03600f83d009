/**
 * Proves that README.pt-BR.md matches README.md: the same sections in the same order, in each the
 * same code blocks except for comments, the same pictures, links, and table rows, and the same
 * figures.
 * Does not prove: that a sentence means the same.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textOf } from "../../support/house/checkout.ts";

/** The language-independent part of a section. */
interface Section {
  readonly level: string;
  readonly code: readonly string[];
  readonly links: readonly string[];
  readonly rows: number;
  readonly figures: readonly string[];
}

/** The sections of a document: text before the first heading of a level belongs to none. */
function sectionsOf(file: string): Section[] {
  const text = textOf(file).replace(/<!--[\s\S]*?-->\n?/g, "");
  const parts = splitAtHeadings(text);
  return parts.map(({ level, body }) => {
    const code = [...body.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = ""]) =>
      block.replace(/ +# .*$/gm, ""),
    );
    const prose = body.replace(/^```\w*\n[\s\S]*?^```$/gm, "");
    const links = [...prose.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    const rows = (prose.match(/^\|/gm) ?? []).length;
    return { level, code, links: links.sort(), rows, figures: figuresIn(prose) };
  });
}

/** Headings outside code blocks, each with its text. */
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

/** Figures independent of the language: without separators of thousands and decimals. */
function figuresIn(prose: string): string[] {
  const plain = prose.replace(/\]\([^)]+\)/g, "]").replace(/`[^`]*`/g, "");
  const figures = plain.match(/\d+(?:[.,]\d+)*/g) ?? [];
  return figures.map((figure) => figure.replace(/[.,]/g, "")).sort();
}

/** Each README names the other one. */
const other = (link: string) => !/^README(\.pt-BR)?\.md$/.test(link);

describe("README.pt-BR.md", () => {
  const [english, portuguese] = ["README.md", "README.pt-BR.md"].map(sectionsOf);

  it("has the sections of README.md", () => {
    assert.ok((english?.length ?? 0) > 8, "the sections are not read");
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
