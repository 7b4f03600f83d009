/**
 * The fuzzer of http-fuzz.test.ts on demand, over both transports half and half.
 * Command: `node --import tsx test/fuzz-run.mjs [--requests 1000000] [--seed 20261121]
 * [--transport node]`. What goes out: progress every ten seconds, then answers by status; status 1
 * where one was wrong, with the bytes that were sent.
 * Invariant: number of requests and seed say which requests are sent, except for what earlier
 * answers gave (ids, cursors, links).
 */
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000000" },
    seed: { type: "string", default: "20261121" },
    transport: { type: "string" },
  },
});
process.env.PENEIRA_FUZZ_REQUESTS = values.requests;
process.env.PENEIRA_FUZZ_SEED = values.seed;
if (values.transport !== undefined) process.env.PENEIRA_FUZZ_TRANSPORT = values.transport;
await import("./http-fuzz.test.ts");
