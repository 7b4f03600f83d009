/**
 * The campaign of sentences. Generates requests from a seed, and prints the results of the
 * systematic suites (sweeps) for every text.
 * Invariant: the sweeps are complete. They try every municipality with every request in every
 * spelling. `npm test` runs an evenly spread sample.
 */
import { scaled } from "../support/run/scale.ts";
import { runProgram } from "./program.ts";
import type { Campaign } from "./run.ts";

/** Limit above the number of texts in all sweeps. */
const ALL_TEXTS = 10_000_000;

/** Translates every text of all series. */
export const sentences: Campaign = {
  round: "a generated request; the sweeps are whole beside them",
  rounds: 10_000,
  run({ rounds, seed }) {
    const counts = scaled({ "sweep texts": ALL_TEXTS, "generated requests": rounds }, seed);
    const suites = ["translate/sweeps", "translate/strangers", "translate/generated"];
    return runProgram(["build.mjs", "test", ...suites], counts);
  },
};
