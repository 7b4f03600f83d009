/**
 * The campaign of the kernel's fuzzer. Input: for how many seconds. Output: what
 * libFuzzer says it has tried.
 * Invariant: address and undefined-behaviour checks are on, and every answer is compared with
 * that of a scan (native-index/fuzz/kernel_fuzz.cc). What is tried follows from the corpus, not
 * from the seed alone, because what a run finds new is kept for the next one.
 */
import { runProgram } from "./program.ts";
import type { Campaign } from "./run.ts";

/** Asks random queries of a good file under the sanitizers. */
export const kernel: Campaign = {
  round: "a second of libFuzzer",
  rounds: 600,
  run({ rounds, seed }) {
    const target = ["native-index/fuzz/run.mjs", "--target", "kernel"];
    return runProgram([...target, "--seconds", String(rounds), "--seed", String(seed)]);
  },
};
