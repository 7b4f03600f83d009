/**
 * Seeds for native-index/fuzz/run.mjs. What comes in: a folder. What goes out: small snapshots in
 * its `opener` folder, random queries in `kernel`, and a good snapshot of two chunks whose place
 * stands in `kernel.txt` as "path offset length crc32c".
 * Invariant: the same seeds every time; what is there already is written anew. Run by hand it
 * takes the folder as its argument.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { randomRows, seededRandom } from "./fixture-rows.ts";
import { writeFixture } from "./region-fixture.ts";

/** Writes the seeds into a folder. */
export async function writeFuzzSeeds(folder: string): Promise<void> {
  mkdirSync(path.join(folder, "opener"), { recursive: true });
  mkdirSync(path.join(folder, "kernel"), { recursive: true });
  for (const count of [0, 1, 40, 400]) {
    await writeFixture(path.join(folder, "opener", `${count}`), randomRows(count + 1, count));
  }
  const good = await writeFixture(path.join(folder, "kernel.snapshot"), randomRows(7, 70_000));
  const { offset, length, crc32c } = good.directory;
  writeFileSync(path.join(folder, "kernel.txt"), [good.path, offset, length, crc32c].join(" "));
  const random = seededRandom(3);
  for (let i = 0; i < 64; i++) {
    const bytes = Uint8Array.from({ length: 20 + i * 4 }, () => random() * 256);
    writeFileSync(path.join(folder, "kernel", `${i}`), bytes);
  }
}

const [, script, folder] = process.argv;
if (script === fileURLToPath(import.meta.url) && folder !== undefined) await writeFuzzSeeds(folder);
