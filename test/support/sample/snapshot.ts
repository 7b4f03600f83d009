/**
 * Makes a snapshot to test against. The commands `sample` and `import` make it from a number of
 * accounts and a seed, with invented populations, in a separate folder.
 * Invariant: only public commands are used, so that tests use the same files that a user would
 * have.
 */
import { createHash } from "node:crypto";
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { getMunicipalities } from "@brazilian-utils/brazilian-utils";
import { Command } from "commander";
import { registerImport } from "../../../src/cli/commands/import.ts";
import { registerSample } from "../../../src/cli/commands/sample.ts";
import { ROOT, textOf } from "../house/checkout.ts";
import { sampleSources } from "./sources.ts";

/** Paths of a sample. `dispose` removes all of its files. */
export interface SampleSnapshot {
  readonly folder: string;
  readonly dump: string;
  readonly snapshot: string;
  dispose(): void;
}

/**
 * Returns a sample dump and its imported snapshot. Both are made once for each number of accounts,
 * seed, label, and state of the sources. They are then copied, so that a suite may alter its copy.
 */
export async function makeSampleSnapshot(
  accounts: number,
  seed: number,
  label = "2026-10",
): Promise<SampleSnapshot> {
  const cached = await cachedSample(accounts, seed, label);
  const folder = mkdtempSync(join(tmpdir(), "peneira-test-"));
  cpSync(cached, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  return { folder, dump: join(folder, label), snapshot: join(folder, "sample.peneira"), dispose };
}

/** Makes the next month of a sample. Returns the path of its snapshot. */
export async function makeNextMonth(
  before: SampleSnapshot,
  made: { readonly accounts: number; readonly seed: number },
  label: string,
): Promise<string> {
  const dump = join(before.folder, label);
  const size = ["--establishments", String(made.accounts), "--seed", String(made.seed)];
  const since = ["--label", label, "--since", basename(before.dump)];
  await run(registerSample, ["sample", "--out", dump, ...size, ...since]);
  const out = join(before.folder, `${label}.making.peneira`);
  await run(registerImport, ["import", dump, "--out", out]);
  return out;
}

/**
 * Returns the folder of a cached sample. If it does not exist, the sample is made in a temporary
 * folder next to it, which is then renamed.
 */
async function cachedSample(accounts: number, seed: number, label: string): Promise<string> {
  const cached = join(await samplesFolder(), `${accounts}-${seed}-${label}`);
  if (existsSync(cached)) return cached;
  const making = `${cached}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const dump = join(making, label);
  const population = join(making, "population.csv");
  writeFileSync(population, inventedPopulation());
  const size = ["--establishments", String(accounts), "--seed", String(seed)];
  await run(registerSample, ["sample", "--out", dump, ...size, "--label", label]);
  const out = join(making, "sample.peneira");
  await run(registerImport, ["import", dump, "--out", out, "--population", population]);
  try {
    renameSync(making, cached);
  } catch (error) {
    // Another suite has made the sample meanwhile, with the same bytes.
    if (!existsSync(cached)) throw error;
    rmSync(making, { recursive: true });
  }
  return cached;
}

/**
 * Returns the folder for samples of these sources and removes those of other sources. The suites of
 * one run share the name through a file, because reading every source takes 0.3 s of processor
 * time.
 */
async function samplesFolder(): Promise<string> {
  const run = process.env.TEST_RUN;
  if (run === undefined) return folderOfSources();
  const noted = join(run, "samples");
  if (existsSync(noted)) return readFileSync(noted, "utf8");
  const folder = await folderOfSources();
  writeFileSync(`${noted}.${process.pid}`, folder);
  renameSync(`${noted}.${process.pid}`, noted);
  return folder;
}

async function folderOfSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await sampleSources()) hash.update(`\0${file}\0${textOf(file)}`);
  const all = join(ROOT, ".cache", "samples");
  const wanted = hash.digest("hex").slice(0, 16);
  mkdirSync(join(all, wanted), { recursive: true });
  for (const name of readdirSync(all)) {
    if (name !== wanted) rmSync(join(all, name), { recursive: true, force: true });
  }
  return join(all, wanted);
}

/** Returns populations, some equal, for nine of ten municipalities. */
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
