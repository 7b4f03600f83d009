/**
 * Proves: every measured figure that is used in several documents is that of
 * `bench/measurements.json`, in both languages. Every measurement is shown in some document. No
 * document has a time, size, or rate without a measurement, except benchmarks.md, which is the
 * record of all runs.
 * Does not prove: that the file has the measured values.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  DOCUMENTS,
  figuresIn,
  fillFigures,
  knownFigures,
} from "../../support/documents/figures.ts";
import { filesMatching, textOf } from "../../support/house/checkout.ts";

const FILES = filesMatching(DOCUMENTS);
const RECORD = "docs/benchmarks.md";

/**
 * Matches a number with a unit that only measured figures have. Limits are written in KiB, MiB, and
 * seconds instead.
 */
const MEASURED =
  /\d[\d.,]*(?: ?(?:µs|ms|GB|MB)\b|\/s\b| (?:establishments |rows )?a second| por segundo)/g;

/** Lines with numbers not measured here: the file, the line's content, and the reason. */
const NOT_OURS: readonly (readonly [file: RegExp, line: RegExp, why: string])[] = [
  [/(README|load)/, /7[.,]7 GB/, "published size of the registry"],
  [/load\.md/, /^\| (Estab|Empresas|Simples|Socios|six|seis|\*\*)/, "published by open importers"],
  [/load\.md/, /^- \*\*Sizes\*\* in September 2026/, "published by open importers"],
  [/load\.md/, /24 GB|of memory:|53 GB|11 MB/, "the machine, a rule, an example"],
  [/(comparison|translate)\.md/, /^\| (\[|disk)|rival/, "of others, by their own words"],
  [
    /(operations|fleet|limits|api|errors|changes|recovery)\.md/,
    /./,
    "settings and rules of the product",
  ],
  [/start\.md/, /11 MB/, "an example's output"],
];

function unnamed(file: string): string[] {
  const text = textOf(file)
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/<!-- generated[\s\S]*?<!-- end of generated -->/g, "");
  return text.split("\n").flatMap((line) => {
    if (NOT_OURS.some(([name, pattern]) => name.test(file) && pattern.test(line))) return [];
    return (line.match(MEASURED) ?? []).map((figure) => `${file}: ${figure} in: ${line}`);
  });
}

describe("measured figures", () => {
  for (const file of FILES) {
    it(`match the measurements: ${file}`, () => {
      const text = textOf(file);
      assert.equal(text, fillFigures(file, text), "run test/support/documents/generate.ts");
    });
  }

  it("are all shown, each in one document or more", () => {
    const shown = new Set(FILES.flatMap((file) => figuresIn(textOf(file))));
    assert.deepEqual([...shown].sort(), knownFigures().sort());
  });

  it("name their measurement outside of the record of the runs", () => {
    const found = FILES.filter((file) => file !== RECORD).flatMap(unnamed);
    assert.deepEqual(found, []);
  });

  it("are detected if they differ, in either language", () => {
    const mark = "<!-- =import.72m.rate -->";
    const filled = fillFigures("README.pt-BR.md", `1${mark}`);
    assert.match(filled, /^\d{3}\.\d{3}<!--/);
    assert.equal(fillFigures("README.md", filled).replace(",", "."), filled);
    assert.equal("takes 3 ms, 1,000/s and 2 GB".match(MEASURED)?.length, 3);
    assert.throws(() => fillFigures("README.md", "1<!-- =no.such -->"), /no figure "no.such"/);
  });
});
