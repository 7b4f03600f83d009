/**
 * The campaign of sentences. Input: how many requests are generated, a seed. What goes out:
 * what the suites of sweeps say of every text that they have.
 * Invariant: the sweeps are whole, every municipality with every wish in every spelling; `npm test`
 * tries an even share of them.
 */
import { scaled } from "../support/run/scale.ts";
import { runProgram } from "./program.ts";
import type { Campaign } from "./run.ts";

/** More texts than all sweeps together have. */
const ALL_TEXTS = 10_000_000;

/** Translates every text of the sweeps. */
export const sentences: Campaign = {
  round: "a generated request; the sweeps are whole beside them",
  rounds: 10_000,
  run({ rounds, seed }) {
    const counts = scaled({ "sweep texts": ALL_TEXTS, "generated requests": rounds }, seed);
    const suites = ["translate/sweeps", "translate/strangers", "translate/generated"];
    return runProgram(["build.mjs", "test", ...suites], counts);
  },
};
