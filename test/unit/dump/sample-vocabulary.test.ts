/**
 * Proves: the number of different words in a sample's names grows as in real text, and the words
 * are similarly frequent. So do the domains of e-mails and the districts. The number of threads
 * changes no byte, even of a later month. A sample that fails on threads leaves no files.
 * Does not prove: the words of 72 million establishments (bench/scale.bench.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { sampleThreads, writeSample } from "../../../src/dump/sample/release.ts";
import { readSampleZips } from "../../support/sample/dump.ts";

const SMALL = 20_000;
const LARGE = 80_000;

interface Counted {
  /** Number of times that each word occurs in legal and trade names. */
  readonly words: ReadonlyMap<string, number>;
  readonly domains: number;
  readonly districts: number;
}

const folder = mkdtempSync(join(tmpdir(), "sample-words-"));
after(() => rmSync(folder, { recursive: true }));

async function countOf(establishments: number): Promise<Counted> {
  const path = join(folder, String(establishments));
  await writeSample({ folder: path, establishments, seed: 1, label: "2026-10" });
  const words = new Map<string, number>();
  const [domains, districts] = [new Set<string>(), new Set<string>()];
  for (const { zip, text } of await readSampleZips(path)) {
    const columns = zip.startsWith("Estab") ? 30 : zip.startsWith("Empresas") ? 7 : 0;
    if (columns === 0) continue;
    for (const line of text.split("\n")) {
      const cells = line.slice(1, -1).split('";"');
      // A few rows span several lines on purpose. They are skipped.
      if (cells.length !== columns) continue;
      const name = cells[columns === 30 ? 4 : 1] as string;
      for (const word of name.match(/[A-Z]{2,}/g) ?? []) {
        words.set(word, (words.get(word) ?? 0) + 1);
      }
      if (columns === 7) continue;
      domains.add((cells[27] as string).toLowerCase().split("@")[1] ?? "");
      districts.add(cells[17] as string);
    }
  }
  return { words, domains: domains.size, districts: districts.size };
}

/** Returns the exponent of the power law by which a number grows with the size of the sample. */
const powerOf = (before: number, after: number) =>
  Math.log(after / before) / Math.log(LARGE / SMALL);

describe("words of a sample", () => {
  let small: Counted;
  let large: Counted;
  before(async () => {
    small = await countOf(SMALL);
    large = await countOf(LARGE);
  });

  it("are thousands in a small sample and grow with it", () => {
    assert.ok(small.words.size > 3_000 && small.words.size < 8_000, `${small.words.size}`);
    // Words are drawn so that their number grows with the exponent 0.78. The measured exponent is
    // slightly lower, because both samples contain the common words.
    const growth = powerOf(small.words.size, large.words.size);
    assert.ok(growth > 0.68 && growth < 0.84, `to the power of ${growth}`);
  });

  it("are mostly rare, and few are frequent", () => {
    const counts = [...large.words.values()].sort((a, b) => b - a);
    const once = counts.filter((count) => count === 1).length / counts.length;
    assert.ok(once > 0.5 && once < 0.9, `${once} occur once`);
    const all = counts.reduce((sum, count) => sum + count, 0);
    const head = counts.slice(0, 100).reduce((sum, count) => sum + count, 0);
    assert.ok(head / all > 0.4 && head / all < 0.8, `${head / all} are the first hundred`);
  });

  it("are made of letters and syllables", () => {
    const invented = [...large.words.keys()].filter((word) => large.words.get(word) === 1);
    const odd = invented.filter((word) => !/^[A-Z]{6,18}$/.test(word) || /[^AEIOU]{4}/.test(word));
    assert.deepEqual(odd, []);
  });

  it("form domains and districts that grow too", () => {
    for (const name of ["domains", "districts"] as const) {
      const growth = powerOf(small[name], large[name]);
      assert.ok(growth > 0.6 && growth < 0.96, `${name} to the power of ${growth}`);
    }
    assert.ok(small.districts > 4_000 && small.districts < 9_000, `${small.districts}`);
  });
});

describe("threads", () => {
  const shape = { establishments: 9_000, seed: 6, label: "2026-10" } as const;

  it("change no byte, for any number", async () => {
    for (const since of [{}, { since: "2026-09" }]) {
      const folders = [0, 1, 2].map((threads) => join(folder, `${threads}${since.since ?? ""}`));
      for (const [threads, path] of folders.entries()) {
        await writeSample({ ...shape, ...since, folder: path, threads });
      }
      const [none, ...others] = folders as [string, string, string];
      for (const name of readdirSync(none)) {
        const wanted = readFileSync(join(none, name));
        for (const other of others) assert.ok(readFileSync(join(other, name)).equals(wanted), name);
      }
    }
  });

  it("are not started for a small sample", () => {
    assert.equal(sampleThreads(SMALL), 0);
    assert.ok(sampleThreads(72_000_000) >= 1);
  });

  it("end with a failing sample, which leaves nothing", async () => {
    const onProgress = (done: number): void => {
      if (done > 0) throw new Error("stop");
    };
    const failing = { ...shape, folder: join(folder, "failed"), threads: 2, onProgress };
    await assert.rejects(writeSample(failing), /stop/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes("failed")),
      [],
    );
  });
});
