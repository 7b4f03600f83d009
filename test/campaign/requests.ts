/**
 * The campaign of requests: prints how requests were answered, by transport and status.
 * Invariant: requests and checks are those of requests/http.test.ts. There are requests of every
 * method, including CONNECT and unknown ones: correct, nearly correct, and malformed; some are
 * reset.
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
