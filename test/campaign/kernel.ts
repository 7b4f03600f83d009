/**
 * The campaign of the kernel's fuzzer: takes a duration in seconds and prints what libFuzzer tried.
 * Invariant: AddressSanitizer and UndefinedBehaviorSanitizer are on, and every answer is compared
 * with a scan (native-index/fuzz/kernel_fuzz.cc). The inputs depend on the corpus as well as the
 * seed, because new inputs are saved for the next run.
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
