/**
 * Makes the corpus of a benchmark: a snapshot made by `sample` and `import` with a fixed seed. The
 * snapshot is cached under `.cache/bench` for the next run.
 * Invariant: `peneira sample` draws the accounts, with combinations of values as frequent as in the
 * registry. Rows are in score order. The same number of accounts gives the same bytes.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Seed from which every corpus is made. */
export const CORPUS_SEED = 20_261_001;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, ".cache", "bench");

/** Paths of a corpus. */
export interface Corpus {
  readonly snapshot: string;
  /** Folder for the databases of other engines. */
  readonly folder: string;
  readonly accounts: number;
}

/** Makes the corpus if it is missing; removes the dump after the import. */
export function makeCorpus(accounts: number): Corpus {
  const folder = join(FOLDER, String(accounts));
  const snapshot = join(folder, "corpus.peneira");
  if (!existsSync(snapshot)) {
    mkdirSync(folder, { recursive: true });
    const dump = join(folder, "2026-10");
    rmSync(dump, { recursive: true, force: true });
    const establishments = ["--establishments", String(accounts), "--seed", String(CORPUS_SEED)];
    peneira("sample", "--out", dump, ...establishments, "--label", "2026-10");
    peneira("import", dump, "--out", snapshot, "--label", "2026-10");
    rmSync(dump, { recursive: true, force: true });
  }
  return { snapshot, folder, accounts };
}

/** Returns the command line of the built product. */
export function peneiraCommand(): string[] {
  return [process.execPath, join(ROOT, "dist", "bundle", "main.mjs")];
}

function peneira(...parameters: string[]): void {
  const [node, main] = peneiraCommand();
  const child = spawnSync(node as string, [main as string, ...parameters], { stdio: "inherit" });
  if (child.status !== 0) throw new Error(`peneira ${parameters[0]} failed`);
}
