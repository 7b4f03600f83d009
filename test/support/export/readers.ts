/**
 * Reads exported files for tests: the cells of a CSV file, and the elements of a page.
 * Invariant: these readers follow RFC 4180 and the HTML standard and share nothing with the
 * writers. They throw on syntax that they do not know, such as an entity or an unclosed quote.
 */
import assert from "node:assert/strict";

/** Returns the cells of a CSV text in which every line must end with CR LF. */
export function readCsv(text: string, delimiter = ","): string[][] {
  const lines: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const cells: string[] = [];
    for (;;) {
      const { cell, end } = readCell(text, at, delimiter);
      cells.push(cell);
      at = end + 1;
      if (text[end] === delimiter) continue;
      assert.equal(text.slice(end, end + 2), "\r\n", `the end of line ${lines.length + 1}`);
      at = end + 2;
      break;
    }
    lines.push(cells);
  }
  return lines;
}

function readCell(text: string, from: number, delimiter: string): { cell: string; end: number } {
  if (text[from] !== '"') {
    let end = from;
    while (text[end] !== delimiter && text[end] !== "\r") {
      assert.ok(end < text.length && text[end] !== '"' && text[end] !== "\n", `bare cell ${from}`);
      end++;
    }
    return { cell: text.slice(from, end), end };
  }
  let cell = "";
  for (let at = from + 1; ; at++) {
    assert.ok(at < text.length, `the quote at ${from} is not closed`);
    if (text[at] !== '"') cell += text[at];
    else if (text[at + 1] === '"') cell += text[at++];
    else return { cell, end: at + 1 };
  }
}

/** An element of a page: its name, attributes, and all text inside it. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: PageElement[];
  text: string;
}

const VOID = new Set(["meta", "br", "hr", "img", "input", "link"]);
const RAW = new Set(["style", "script"]);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  "#13": "\r",
};

/** Parses a page into its elements. Throws if a closing tag does not match. */
export function readPage(page: string): PageElement {
  // The HTML standard converts CR LF and CR to LF before parsing.
  const text = page.replace(/\r\n?/g, "\n").replace(/^<!doctype html>\n/, "");
  const root: PageElement = { name: "#root", attributes: {}, children: [], text: "" };
  const open: PageElement[] = [root];
  const append = (words: string) => {
    for (const element of open) element.text += words;
  };
  for (let at = 0; at < text.length; ) {
    const top = open[open.length - 1] as PageElement;
    const next = text.indexOf(RAW.has(top.name) ? `</${top.name}>` : "<", at);
    const end = next < 0 ? text.length : next;
    const words = text.slice(at, end);
    append(RAW.has(top.name) ? words : decode(words));
    if (end === text.length) break;
    const tag = /^<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"]*")*)\s*>/.exec(text.slice(end));
    assert.ok(tag, `a tag at ${end}: ${text.slice(end, end + 80)}`);
    at = end + tag[0].length;
    const [, closing, name = "", attributes = ""] = tag;
    if (closing) {
      assert.equal(open.pop()?.name, name, `what closes at ${end}`);
      continue;
    }
    const element = { name, attributes: readAttributes(attributes), children: [], text: "" };
    top.children.push(element);
    if (!VOID.has(name)) open.push(element);
  }
  assert.equal(open.length, 1, "every element is closed");
  return root;
}

/** Elements of this name inside another element, in page order. */
export function elements(below: PageElement, name: string): PageElement[] {
  return below.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...elements(child, name),
  ]);
}

function readAttributes(text: string): Record<string, string> {
  const found = text.matchAll(/([a-z-]+)="([^"]*)"/g);
  return Object.fromEntries([...found].map(([, name, value = ""]) => [name, decode(value)]));
}

function decode(text: string): string {
  return text.replace(/&([a-z0-9#]*);?/g, (whole, name) => {
    const character = ENTITIES[name];
    assert.ok(character !== undefined && whole.endsWith(";"), `the entity ${whole}`);
    return character;
  });
}
