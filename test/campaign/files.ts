/**
 * Runs the campaign of hostile files. Prints how many files were tried, and that each was rejected
 * with a message or was harmless.
 * Invariant: libFuzzer mutates half of the files, and opens and queries them with AddressSanitizer
 * and UndefinedBehaviorSanitizer. The other half have forged metadata, tables, directories, or
 * footers with valid checksums (forge-mutations.ts). The product opens these with an addon built
 * for AddressSanitizer.
 */

import { scaled } from "../support/run/scale.ts";
import { runProgram } from "./program.ts";
import type { Campaign } from "./run.ts";

/** Opens mutated and forged snapshots under the sanitizers. */
export const hostileFiles: Campaign = {
  round: "a mutated file",
  rounds: 20_000,
  async run({ rounds, seed }) {
    const half = String(Math.ceil(rounds / 2));
    const fuzz = ["native-index/fuzz/run.mjs", "--target", "opener", "--runs", half];
    const mutated = await runProgram([...fuzz, "--seed", String(seed)]);
    const forgeries = scaled({ forgeries: Number(half) }, seed);
    const forged = await runProgram(["build.mjs", "test", "--asan", "forged-meta"], forgeries);
    return `${mutated}\n${forged}`;
  },
};
