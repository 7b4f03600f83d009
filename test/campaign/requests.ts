/**
 * The campaign of requests. What comes in: how many, a seed. What goes out: how they were
 * answered, by transport and status.
 * Invariant: the requests and what is asked of their answers are those of http-fuzz.test.ts:
 * every method, CONNECT and unknown ones among them, right, nearly right and malformed, some with
 * a reset.
 */
import { runProgram } from "./program.ts";
import type { Campaign } from "./run.ts";

/** Sends requests of every kind and method to both transports. */
export const requests: Campaign = {
  round: "a request",
  rounds: 200_000,
  run({ rounds, seed }) {
    const script = ["--import", "tsx", "test/fuzz-run.mjs"];
    return runProgram([...script, "--requests", String(rounds), "--seed", String(seed)]);
  },
};
