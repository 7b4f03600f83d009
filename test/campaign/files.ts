/**
 * The campaign of hostile files. Input: how many files, a seed. Output: how many
 * were tried, and that each was refused in words or harmless.
 * Invariant: half of them are bytes that libFuzzer mutates, opened and asked under the address
 * and undefined-behaviour checks; half are forged metadata, tables, directories and footers with
 * right checksums (forge-mutations.ts), opened by the product with an addon built for
 * AddressSanitizer.
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
