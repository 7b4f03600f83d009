/**
 * Measures the most expensive requests of each kind. Input: a corpus. Output: for each request its
 * size, its status, the units charged to its rate limit, the longest time that it blocked the event
 * loop, and the processor time.
 * Command: `npm run bench -- worst [--accounts 1000000] [--runs 9] [--only REGEX]`.
 * Invariant: the handlers of a server answer the requests, and nothing is cached between two
 * requests (see worst-service.ts). The fastest of several runs counts. Both times are processor
 * times of all threads, which other programs disturb least.
 */
import { parseArgs } from "node:util";
import { openSegment } from "../src/search/segment.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { worstRequests } from "./scale/worst-requests.ts";
import { type RequestCost, type WorstRequest, WorstService } from "./scale/worst-service.ts";

/** Maximum milliseconds for which a request should block the event loop (a million accounts). */
const HOLD_MAX_MS = 20;

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    runs: { type: "string", default: "9" },
    only: { type: "string", default: "" },
  },
});

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Sends a request several times. Returns the shortest of each of the two times. */
async function quickest(service: WorstService, request: WorstRequest): Promise<RequestCost> {
  let best = await service.send(request);
  for (let run = 1; run < Number(values.runs); run++) {
    const took = await service.send(request);
    best = {
      ...took,
      holdMs: Math.min(best.holdMs, took.holdMs),
      processorMs: Math.min(best.processorMs, took.processorMs),
    };
  }
  return best;
}

const corpus = makeCorpus(Number(values.accounts));
const segment = await openSegment(corpus.snapshot);
const requests = worstRequests(segment);
segment.close();
const service = await WorstService.open(corpus.snapshot);
const only = new RegExp(values.only);
print(`${Number(values.accounts).toLocaleString("en")} accounts; Node ${process.version}\n`);
print("| request | bytes | status | units | longest hold, ms | processor, ms |");
print("| --- | --: | --: | --: | --: | --: |");
const held: string[] = [];
for (const { name, ...request } of requests) {
  if (!only.test(name)) continue;
  const { status, units, holdMs, processorMs } = await quickest(service, request);
  const bytes = Buffer.byteLength(request.body ?? "").toLocaleString("en");
  const times = `${holdMs.toFixed(1)} | ${processorMs.toFixed(1)}`;
  print(`| ${name} | ${bytes} | ${status} | ${units} | ${times} |`);
  if (holdMs > HOLD_MAX_MS) held.push(name);
}
await service.close();
const over = held.length === 0 ? "none" : held.join("; ");
print(`\nheld the event loop for more than ${HOLD_MAX_MS} ms: ${over}`);
