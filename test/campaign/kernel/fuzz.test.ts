/**
 * Proves: a short coverage-guided run of the fuzz targets finds no crash, hang, undefined behavior,
 * or disagreement. The targets are hostile snapshots with valid checksums, random queries on a good
 * file, hostile files of a dump, and hostile files of clients. Does not prove: that a longer run
 * finds nothing.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openSegment } from "../../../native-index/napi/engine.ts";
import { tries } from "../../support/run/scale.ts";
import { writeFuzzSeeds } from "./seeds.ts";

const RUN = fileURLToPath(new URL("../../../native-index/fuzz/run.mjs", import.meta.url));
const SECONDS = String(tries("fuzz seconds"));
const missing = spawnSync(process.env.CLANGXX ?? "clang++", ["--version"]).status !== 0;

it("starts from seeds that open", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "peneira-seeds-"));
  await writeFuzzSeeds(folder);
  const words = readFileSync(path.join(folder, "kernel.txt"), "utf8").split(" ");
  const [offset = 0, length = 0, sum = 0] = words.slice(1).map(Number);
  const segment = openSegment(words[0] as string, { offset, length, crc32c: sum });
  assert.equal(segment.count([]), 70_000);
  segment.close();
  rmSync(folder, { recursive: true });
});

describe("fuzzing", { skip: missing ? "skipped: no clang++ on this machine" : false }, () => {
  for (const target of ["opener", "kernel", "scan", "records"]) {
    it(`finds no failure in ${SECONDS} seconds of the ${target} target`, () => {
      const args = [RUN, "--seconds", SECONDS, "--target", target];
      // In a run with AddressSanitizer, the process that makes the seeds is ordinary Node, which
      // cannot load that addon.
      const env = { ...process.env };
      if (env.LD_PRELOAD !== undefined) delete env.PENEIRA_ADDON;
      delete env.LD_PRELOAD;
      const child = spawnSync(process.execPath, args, { encoding: "utf8", env });
      assert.equal(child.status, 0, `${child.stdout}\n${child.stderr}`.slice(-8000));
      assert.match(child.stderr, /stat::number_of_executed_units: [1-9]/);
    });
  }
});
