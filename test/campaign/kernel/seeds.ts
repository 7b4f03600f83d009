/**
 * Seeds for native-index/fuzz/run.mjs. Input: a folder. Output: small snapshots in its `opener`
 * folder, intact and with forged metadata, tables, directories, and footers. Random queries are in
 * `kernel`, files of a dump in `scan`, and CSV files of CNPJs in `records`. The location of a good
 * snapshot of two chunks is in `kernel.txt` as "path offset length crc32c".
 * Invariant: deterministic; existing seeds are rewritten. A manual run takes the folder as its
 * argument.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { hostileFile } from "../../support/dump/hostile.ts";
import { randomCsv } from "../../support/export/sent-files.ts";
import { mutate } from "../../support/files/forge-mutations.ts";
import { SnapshotForge, writeSmallSnapshot } from "../../support/files/forge-snapshot.ts";
import { randomRows, rowsOfKinds, seededRandom } from "../../support/native-index/fixture-rows.ts";
import { writeFixture } from "../../support/native-index/region-fixture.ts";

/** Number of forged snapshots in the `opener` folder. */
const FORGED = 24;

/** Writes the seeds into a folder. */
export async function writeFuzzSeeds(folder: string): Promise<void> {
  mkdirSync(path.join(folder, "opener"), { recursive: true });
  mkdirSync(path.join(folder, "kernel"), { recursive: true });
  mkdirSync(path.join(folder, "scan"), { recursive: true });
  mkdirSync(path.join(folder, "records"), { recursive: true });
  for (const count of [0, 1, 40, 400]) {
    await writeFixture(path.join(folder, "opener", `${count}`), randomRows(count + 1, count));
  }
  // The rows have so few kinds that the file contains PLACES, the counts by municipality.
  await writeFixture(path.join(folder, "opener", "kinds"), rowsOfKinds(8, 1_000, 5));
  await writeForged(path.join(folder, "opener"));
  writeDumpFiles(path.join(folder, "scan"));
  writeSentFiles(path.join(folder, "records"));
  const good = await writeFixture(path.join(folder, "kernel.snapshot"), randomRows(7, 70_000));
  const { offset, length, crc32c } = good.directory;
  writeFileSync(path.join(folder, "kernel.txt"), [good.path, offset, length, crc32c].join(" "));
  const random = seededRandom(3);
  for (let i = 0; i < 64; i++) {
    const bytes = Uint8Array.from({ length: 20 + i * 4 }, () => random() * 256);
    writeFileSync(path.join(folder, "kernel", `${i}`), bytes);
  }
}

/** Writes hostile files of all three types. Their first two bytes select the kind of scan. */
function writeDumpFiles(folder: string): void {
  const random = seededRandom(5);
  const types = ["estabelecimentos", "empresas", "simples"] as const;
  types.forEach((type, choice) => {
    for (let i = 0; i < 16; i++) {
      const bytes = Buffer.concat([
        Buffer.of(choice + 3 * i, 16 * i),
        hostileFile(random, type, 6),
      ]);
      writeFileSync(path.join(folder, `${type}-${i}`), bytes);
    }
  });
}

/** Writes files of CNPJs. Their first four bytes select the kind of scan. */
function writeSentFiles(folder: string): void {
  const random = seededRandom(9);
  const accounts = [{ cnpj: "11222333000181" }, { cnpj: "61497227000190" }];
  for (let i = 0; i < 24; i++) {
    const { bytes } = randomCsv(random, accounts);
    writeFileSync(path.join(folder, `${i}`), Buffer.concat([Buffer.of(i, i, i, i), bytes]));
  }
}

/** Writes snapshots with moved, duplicated, or overlapping sections, rare in random mutation. */
async function writeForged(folder: string): Promise<void> {
  const small = path.join(folder, "small");
  await writeSmallSnapshot(small);
  const forge = new SnapshotForge(readFileSync(small));
  const random = seededRandom(11);
  for (let i = 0; i < FORGED; i++) {
    writeFileSync(path.join(folder, `forged-${i}`), mutate(forge, random).bytes);
  }
}

const [, script, folder] = process.argv;
if (script === fileURLToPath(import.meta.url) && folder !== undefined) await writeFuzzSeeds(folder);
