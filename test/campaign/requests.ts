/**
 * The campaign of requests. Output: how many requests were answered with each status, for each
 * transport.
 * Invariant: the requests and checks are those of requests/http.test.ts. Requests have every
 * method, including CONNECT and unknown ones. They are correct, nearly correct, or malformed, and
 * some connections are reset.
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
