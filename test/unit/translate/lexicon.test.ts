/**
 * Proves that the activity lexicon is sound. Its form is right, and every code and prefix exists. A
 * name occurs at most once in a file, and the name of a trade only once in all files. No code is
 * both a certain and a possible meaning of a name. Every activity in use is reached by some words.
 * Does not prove that the meanings are right, which the evaluation of translation measures.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sectionOfCnae } from "../../../src/spec/catalog.ts";
import { ROOT } from "../../support/house/checkout.ts";

const FOLDER = join(ROOT, "data/lexicon");
const ROLES = ["retail", "wholesale", "make", "repair", "rent", "agent", "install"];
const REFERENCE = join(ROOT, "../shared/reference/rfb_CNAECSV.csv");
const skip = existsSync(REFERENCE) ? false : "skipped: no reference data";

/** Replaced codes, which the lexicon need not reach because users mean the newer codes. */
const REPLACED = new Set(
  (
    "4751200 5239700 5611202 5812300 5822100 6201500 7410201 8020000 8630505 9412000 " +
    "9609201 9609203"
  ).split(" "),
);
/** The dump's code for accounts without an activity. */
const NOT_INFORMED = "8888888";

type ByRole = Readonly<Record<string, readonly string[]>>;

/**
 * An entry of the lexicon. A trade has a list `codes` and optionally a list `also`. Goods have one
 * list of codes for each role, and in `also` another for each role.
 */
interface Entry {
  readonly names: readonly string[];
  readonly [member: string]: readonly string[] | ByRole | undefined;
}

const files = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [];
const entriesOf = (file: string) =>
  JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as readonly Entry[];
const all = files.flatMap((file) => entriesOf(file).map((entry) => ({ file, entry })));
/**
 * Returns an entry's lists of codes, each with its member name. The list of a role inside `also` is
 * named `also.<role>`.
 */
function listsOf({ names: _, ...members }: Entry): [string, readonly string[]][] {
  return Object.entries(members).flatMap(([member, value]): [string, readonly string[]][] =>
    Array.isArray(value)
      ? [[member, value]]
      : Object.entries(value as ByRole).map(([role, codes]) => [`${member}.${role}`, codes]),
  );
}
const codesOf = (entry: Entry) => listsOf(entry).flatMap(([, codes]) => codes);

/** Removes accents and case, because names that differ only in these are equal. */
function fold(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function officialCodes(): string[] {
  const text = readFileSync(REFERENCE, "latin1");
  return [...text.matchAll(/^"?(\d{7})"?;/gm)].map(([, code]) => code as string);
}

describe("the activity lexicon", () => {
  it("has trades with codes and goods with roles, and nothing else", () => {
    assert.ok(all.length > 1_000, `${all.length} entries`);
    for (const { file, entry } of all) {
      const trade = file.startsWith("trades-");
      const meant = trade ? ["codes"] : ROLES;
      const known = [...meant, ...(trade ? ["also"] : ROLES.map((role) => `also.${role}`))];
      const [name] = entry.names;
      const lists = listsOf(entry);
      assert.ok(name !== undefined);
      assert.ok(
        lists.some(([list]) => meant.includes(list)),
        `${file}: ${name} leads nowhere`,
      );
      for (const [list, codes] of lists) {
        assert.ok(known.includes(list), `${file}: ${name} has ${list}`);
        assert.ok(codes.length >= 1 && codes.length <= 11, `${file}: ${name} has too many codes`);
        for (const code of codes) assert.match(code, /^([A-U]|\d{2,5}|\d{7})$/);
      }
    }
  });

  it("separates certain meanings from possible ones", () => {
    for (const { file, entry } of all) {
      const lists = new Map(listsOf(entry));
      for (const [list, codes] of lists) {
        assert.equal(
          new Set(codes).size,
          codes.length,
          `${file}: ${entry.names[0]} repeats a code`,
        );
        const meant = list === "also" ? "codes" : list.replace(/^also\./, "");
        if (meant === list) continue;
        const both = codes.filter((code) => lists.get(meant)?.includes(code));
        assert.deepEqual(both, [], `${file}: ${entry.names[0]}`);
        assert.ok(lists.has(meant), `${file}: ${entry.names[0]} only perhaps means something`);
      }
    }
  });

  it("has names as people write them, each once per file", () => {
    for (const file of files) {
      const seen = new Set<string>();
      for (const name of entriesOf(file).flatMap(({ names }) => names)) {
        assert.equal(name, name.trim().replace(/\s+/g, " "));
        assert.equal(name, name.normalize("NFC"));
        assert.ok(name.length >= 2 && name.length <= 60, name);
        assert.ok(!seen.has(fold(name)), `${file}: ${name} stands there twice`);
        seen.add(fold(name));
      }
    }
  });

  it("has a trade once in all files", () => {
    const seen = new Map<string, string>();
    for (const { file, entry } of all.filter(({ file }) => file.startsWith("trades-"))) {
      for (const name of entry.names) {
        const other = seen.get(fold(name));
        assert.equal(other, undefined, `${name} stands in ${file} and in ${other}`);
        seen.set(fold(name), file);
      }
    }
  });

  it("names activities that exist", { skip }, () => {
    const codes = officialCodes();
    const sections = new Set(codes.map(sectionOfCnae));
    for (const { file, entry } of all) {
      for (const code of codesOf(entry)) {
        const exists = /[A-U]/.test(code)
          ? sections.has(code)
          : codes.some((one) => one.startsWith(code));
        assert.ok(exists, `${file}: ${entry.names[0]} leads to ${code}, which does not exist`);
      }
    }
  });

  it("reaches every activity in use", { skip }, () => {
    const reached = new Set(all.flatMap(({ entry }) => codesOf(entry)));
    const missing = officialCodes().filter(
      (code) => !reached.has(code) && !REPLACED.has(code) && code !== NOT_INFORMED,
    );
    assert.deepEqual(missing, []);
  });
});
