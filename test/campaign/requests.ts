/**
 * The campaign of requests. Input: how many, a seed. Output: how they were
 * answered, by transport and status.
 * Invariant: the requests and what is asked of their answers are those of requests/http.test.ts:
 * every method, CONNECT and unknown ones among them, right, nearly right and malformed, some with
 * a reset.
 */
import { scaled } from "../support/run/scale.ts";
import { runProgram } from "./program.ts";
import type { Campaign } from "./run.ts";

/** Sends requests of every kind and method to both transports. */
export const requests: Campaign = {
  round: "a request",
  rounds: 200_000,
  run({ rounds, seed }) {
    const script = ["--import", "tsx", "test/campaign/requests/http.test.ts"];
    return runProgram(script, scaled({ requests: rounds }, seed));
  },
};
