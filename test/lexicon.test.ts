/**
 * Proves that the activity lexicon is sound: its form, that every code and prefix exists, that a
 * name stands once per file, and that every activity in use can be reached by some words. Does not
 * prove that the words mean what they are mapped to; the evaluation of translation measures that.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { sectionOfCnae } from "../src/spec/catalog.ts";
import { ROOT } from "./checkout.ts";

const FOLDER = join(ROOT, "data/lexicon");
const ROLES = ["retail", "wholesale", "make", "repair", "rent", "agent", "install"];
const REFERENCE = join(ROOT, "../shared/reference/rfb_CNAECSV.csv");
const skip = existsSync(REFERENCE) ? false : "skipped: no reference data";

/** Codes that were replaced by others; their successors are what people mean. */
const REPLACED = new Set(
  (
    "4751200 5239700 5611202 5812300 5822100 6201500 7410201 8020000 8630505 9412000 " +
    "9609201 9609203"
  ).split(" "),
);
/** The dump's code for accounts without an activity. */
const NOT_INFORMED = "8888888";

interface Entry {
  readonly names: readonly string[];
  readonly codes?: readonly string[];
  readonly [role: string]: readonly string[] | undefined;
}

const files = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [];
const entriesOf = (file: string) =>
  JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as readonly Entry[];
const all = files.flatMap((file) => entriesOf(file).map((entry) => ({ file, entry })));
const codesOf = (entry: Entry) => [
  ...(entry.codes ?? []),
  ...ROLES.flatMap((role) => entry[role] ?? []),
];

/** Accents and case do not tell two names apart. */
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
      const known = file.startsWith("trades-") ? ["codes"] : ROLES;
      const { names, ...rest } = entry;
      assert.ok(names.length > 0);
      assert.ok(Object.keys(rest).length > 0, `${file}: ${names[0]} leads nowhere`);
      for (const [role, codes] of Object.entries(rest)) {
        assert.ok(known.includes(role), `${file}: ${names[0]} has a role ${role}`);
        assert.ok(codes !== undefined && codes.length >= 1 && codes.length <= 6, names[0]);
        assert.equal(new Set(codes).size, codes.length, `${file}: ${names[0]} repeats a code`);
        for (const code of codes) assert.match(code, /^([A-U]|\d{2,5}|\d{7})$/);
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
