/**
 * The campaign of the kernel's fuzzer. Input: a duration in seconds. Output: the numbers that
 * libFuzzer reports.
 * Invariant: AddressSanitizer and UndefinedBehaviorSanitizer are on, and every answer is compared
 * with a linear scan (native-index/fuzz/kernel_fuzz.cc). The inputs depend on the seed and on the
 * corpus, because each run saves new inputs for the next.
 */
import { runProgram } from "./program.ts";
import type { Campaign } from "./run.ts";

/** Runs random queries on a good file under the sanitizers. */
export const kernel: Campaign = {
  round: "a second of libFuzzer",
  rounds: 600,
  run({ rounds, seed }) {
    const target = ["native-index/fuzz/run.mjs", "--target", "kernel"];
    return runProgram([...target, "--seconds", String(rounds), "--seed", String(seed)]);
  },
};
