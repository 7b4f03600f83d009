/**
 * Proves: a dump is rejected if one of its files holds the rows of another file, or if a table has
 * almost none of the codes that the rows use. The message names all such files. With --partial, the
 * dump is imported anyway. A correct dump needs no flag.
 * Does not prove files of another kind (unit/dump/foreign.test.ts).
 */
import assert from "node:assert/strict";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openDump, readMember } from "../../../src/dump/archive.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { CommandError } from "../../../src/errors.ts";
import { MiniWorkspace } from "../../support/dump/mini.ts";
import { zipOf } from "../../support/files/zip.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const RIGHT = join(space.folder, "right-2026-08");
before(() => writeSample({ folder: RIGHT, establishments: 3_000, seed: 3, label: "2026-08" }));

/** Returns the rows of the dump's file with this name. */
async function rowsOf(name: string): Promise<Buffer> {
  const { members } = await openDump(RIGHT, "2026-08");
  const member = members.find(({ file }) => file.endsWith(`/${name}`));
  assert.ok(member !== undefined, name);
  const pieces: Uint8Array[] = [];
  for await (const piece of readMember(member)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Copies the correct dump, and replaces the rows of the named files. */
function dumpWith(name: string, rows: Readonly<Record<string, Buffer>>): string {
  const folder = join(space.folder, `${name}-2026-08`);
  cpSync(RIGHT, folder, { recursive: true });
  for (const [file, bytes] of Object.entries(rows)) {
    assert.ok(readdirSync(folder).includes(file), file);
    writeFileSync(join(folder, file), zipOf({ "dados.csv": bytes }));
  }
  return folder;
}

async function refusal(folder: string): Promise<string> {
  try {
    await space.import(folder, "refused.peneira", { partial: false });
  } catch (error) {
    assert.ok(error instanceof CommandError, String((error as Error).stack));
    return error.message;
  }
  assert.fail("nothing was refused");
}

describe("a file with the rows of another", () => {
  it("is rejected, with every such file", async () => {
    const folder = dumpWith("swapped", {
      "Simples.zip": await rowsOf("Empresas1.zip"),
      "Empresas1.zip": await rowsOf("Simples.zip"),
    });
    const message = await refusal(folder);
    assert.match(
      message,
      /Simples\.zip: \d+ of \d+ rows break one rule \(A Simples or MEI flag is/,
    );
    assert.match(message, /Empresas1\.zip: [\d,]+ of [\d,]+ rows break one rule \(The /);
    assert.match(message, /--partial imports them as they are/);
    const report = await space.import(folder, "partial.peneira", { partial: true });
    assert.equal(report.accounts, 3_000);
  });

  it("is rejected if it is a table", async () => {
    const cut = Buffer.from('"0111301";"Cultivo de arroz"\n');
    assert.match(
      await refusal(dumpWith("cut", { "Cnaes.zip": cut })),
      /Cnaes\.zip: it has 1 codes, and [\d,]+ of [\d,]+ codes in the rows are none of them/,
    );
    const swapped = dumpWith("tables", {
      "Motivos.zip": await rowsOf("Paises.zip"),
      "Paises.zip": await rowsOf("Motivos.zip"),
    });
    assert.match(await refusal(swapped), /Paises\.zip: it has \d+ codes/);
  });

  it("is never detected in a valid dump", async () => {
    const report = await space.import(RIGHT, "right.peneira", { partial: false });
    assert.equal(report.accounts, 3_000);
    assert.ok(Object.keys(report.rules).length > 0);
  });
});
