/**
 * Proves: an import that cannot be complete is rejected with file, line, and reason, leaves no
 * output and no temporary file, and keeps the previous snapshot. The same dump yields the same
 * bytes for any number of threads and partitions. A rule that keeps the first of several equal rows
 * applies across the parts of a file.
 * Does not prove: every damage of a zip (unit/dump/archive.test.ts).
 */
import assert from "node:assert/strict";
import { cpSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { CommandError } from "../../../src/errors.ts";
import { establishment, MiniWorkspace } from "../../support/dump/mini.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const ONE = "11222333000181";

/** Imports the folder. Expects a rejection that contains all of `words` and leaves no files. */
async function refused(folder: string, ...words: readonly (string | RegExp)[]): Promise<void> {
  await assert.rejects(space.import(folder, "refused.peneira"), (error: Error) => {
    assert.ok(error instanceof CommandError, String(error.stack));
    for (const word of words) assert.match(error.message, new RegExp(word));
    return true;
  });
  assert.deepEqual(
    space.files().filter((name) => name.startsWith("refused")),
    [],
  );
}

describe("an import is rejected", () => {
  it("if files of two releases are mixed", async () => {
    const folder = space.write({ estabelecimentos: [establishment(ONE)] });
    const other = space.write({}, "D60711");
    renameSync(join(other, "F.K03200$Z.D60711.CNAECSV"), join(folder, "F.K03200$Z.D60711.CNAECSV"));
    await refused(folder, "D60808", "D60711");
  });

  it("if a file type is missing", async () => {
    const folder = space.write({ estabelecimentos: [establishment(ONE)] });
    rmSync(join(folder, "F.K03200$W.SIMPLES.CSV.D60808"));
    await refused(folder, "Simples");
  });

  it("at the line that has too few columns", async () => {
    const rows = [establishment(ONE), { raw: '"00000000";"0001";"91"\n' }];
    const folder = space.write({ estabelecimentos: rows });
    await refused(folder, "ESTABELE", "line 2", "3 columns where 30 belong");
  });

  it("if a quoted field never ends", async () => {
    const folder = space.write({ empresas: [{ raw: '"11222333";"SEM FIM' }] });
    await refused(folder, "EMPRECSV", "line 1");
  });

  it("if no month is known", async () => {
    const folder = space.write({ estabelecimentos: [establishment(ONE)] });
    const without = { label: undefined };
    await assert.rejects(space.import(folder, "refused.peneira", without), /--label/);
  });

  it("and leaves the previous snapshot unchanged", async () => {
    const folder = space.write({ estabelecimentos: [establishment(ONE)] });
    await space.import(folder, "kept.peneira");
    const before = space.bytes("kept.peneira");
    const broken = space.write({ estabelecimentos: [{ raw: '"1";"2"\n' }] });
    await assert.rejects(space.import(broken, "kept.peneira"), /columns/);
    assert.ok(before.equals(space.bytes("kept.peneira")));
  });
});

describe("a sample dump", () => {
  it("produces the same bytes for any threads, partitions, and zip names", async () => {
    const folder = join(space.folder, "dump-sample");
    await writeSample({ folder, establishments: 3000, seed: 5, label: "2026-08" });
    await space.import(folder, "a.peneira");
    const first = space.bytes("a.peneira");
    await space.import(folder, "b.peneira", { threads: 1, partitionBytes: 100_000 });
    assert.ok(first.equals(space.bytes("b.peneira")), "threads and partitions leave no trace");
    const renamed = join(space.folder, "dump-renamed");
    cpSync(folder, renamed, { recursive: true });
    for (const name of readdirSync(renamed)) {
      renameSync(join(renamed, name), join(renamed, `x${name.split("").reverse().join("")}.zip`));
    }
    await space.import(renamed, "c.peneira");
    assert.ok(first.equals(space.bytes("c.peneira")), "names of zips leave no trace");
  });

  it("is rejected if a zip was truncated, with its name", async () => {
    const folder = join(space.folder, "dump-sample");
    truncateSync(join(folder, "Estabelecimentos3.zip"), 5000);
    await refused(folder, "Estabelecimentos3.zip");
  });
});

describe("population and sanctions files", () => {
  const folder = () => space.write({ estabelecimentos: [establishment(ONE)] });

  it("are rejected by line or by name", async () => {
    const population = space.path("p.csv");
    writeFileSync(population, "code_muni;2024\n3550308;viele\n355;1\n");
    await assert.rejects(
      space.import(folder(), "x.peneira", { population }),
      /line 2[\s\S]*line 3/,
    );
    const ceis = space.path("sancoes.csv");
    writeFileSync(ceis, "a;b\n");
    await assert.rejects(space.import(folder(), "x.peneira", { ceis }), /20260930_CEIS/);
    // The date 30 February must be refused here, because every reader would reject a snapshot with
    // it.
    const impossible = space.path("20260230_CEIS.csv");
    writeFileSync(impossible, "a;b\n");
    await assert.rejects(
      space.import(folder(), "x.peneira", { ceis: impossible }),
      /must start with the list's date/,
    );
    const header = space.path("20260930_CEIS.csv");
    writeFileSync(header, "a;b\n");
    await assert.rejects(space.import(folder(), "x.peneira", { ceis: header }), /TIPO DE PESSOA/);
  });
});
