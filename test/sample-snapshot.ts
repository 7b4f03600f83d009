/**
 * A snapshot to test against. What comes in: a number of accounts and a seed. What goes out: a
 * snapshot made by `sample` and `import`, with invented populations, in a folder of its own.
 * Invariant: made by the public commands, so that what is tested is what a user gets.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import { Command } from "commander";
import { registerImport } from "../src/cli/import.ts";
import { registerSample } from "../src/cli/sample.ts";

/** Paths of a made snapshot; `dispose` removes all of it. */
export interface SampleSnapshot {
  readonly folder: string;
  readonly dump: string;
  readonly snapshot: string;
  dispose(): void;
}

/** Makes a sample dump and imports it; every thread of the import costs time to start. */
export async function makeSampleSnapshot(
  accounts: number,
  seed: number,
  label = "2026-10",
  threads?: number,
): Promise<SampleSnapshot> {
  const folder = mkdtempSync(join(tmpdir(), "peneira-test-"));
  const dump = join(folder, label);
  const snapshot = join(folder, "sample.peneira");
  const population = join(folder, "population.csv");
  writeFileSync(population, inventedPopulation());
  const size = ["--establishments", String(accounts), "--seed", String(seed)];
  await run(registerSample, ["sample", "--out", dump, ...size, "--label", label]);
  const how = threads === undefined ? [] : ["--threads", String(threads)];
  const from = ["import", dump, "--population", population];
  await run(registerImport, [...from, "--out", snapshot, ...how]);
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  return { folder, dump, snapshot, dispose };
}

/** Nine of ten municipalities with a population, so that some have none, and some the same. */
function inventedPopulation(): string {
  const lines = getMunicipalities()
    .filter((_, i) => i % 10 !== 0)
    .map(({ code }, i) => `${code};${1000 + ((i * 7919) % 3000) * 100}`);
  return `\ufeffcode_muni;2025\r\n${lines.join("\r\n")}\r\n`;
}

async function run(register: (program: Command) => void, parameters: string[]): Promise<void> {
  const program = new Command("peneira").exitOverride();
  register(program);
  await program.parseAsync(parameters, { from: "user" });
}
