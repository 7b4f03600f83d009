/**
 * What a search costs the server, by how often the same question comes. Measured: requests a second
 * on one core, processor time of the server's main thread for each, and both as shares of
 * `/healthz` in the same run. Corpus model: `peneira sample` (bench/questions/corpus.ts), questions
 * as in bench/questions/traffic.ts, 50 accounts each.
 * Command: npm run bench -- requests [--accounts 1000000] [--seconds 5] [--main FILE]
 *   [--response-memory 0]
 * Needs Linux and wrk. Answers are remembered only where that is asked for.
 * Invariant: three seconds of the same load go before, and what a server does by itself after its
 * start is over by then; "never asked before" asks nothing twice.
 */
import { parseArgs } from "node:util";
import { openSegment } from "../src/search/segment.ts";
import { mainThreadUs, quiet, startServer, wrkOver } from "./load/server.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { trafficOf } from "./questions/traffic.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "5" },
    /** Another build's main file, to compare with. */
    main: { type: "string" },
    /** Bytes for answers that are remembered. */
    "response-memory": { type: "string", default: "0" },
  },
});
const seconds = Number(values.seconds);
const WARM_SECONDS = 3;
/** More questions than a server answers in the time of a measurement. */
const NEW_QUESTIONS = 60_000;
/** Far above what one core answers. */
const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
};

const corpus = makeCorpus(Number(values.accounts));
const segment = await openSegment(corpus.snapshot);
const asked = trafficOf(segment, 1, 5_300);
const fresh = trafficOf(segment, 2, NEW_QUESTIONS);
segment.close();

/** Rows of the table: what is asked, in this order, over and over. */
const ROWS: readonly (readonly [name: string, bodies: readonly string[] | null])[] = [
  ["healthz", null],
  ["one question", asked.slice(0, 1)],
  ["300 questions", asked.slice(0, 300)],
  ["5,000 questions", asked.slice(300)],
  ["never asked before", fresh],
];

const server = await startServer(corpus.snapshot, asked[0] as string, {
  environment: UNLIMITED,
  responseMemory: values["response-memory"],
  ...(values.main === undefined ? {} : { main: values.main }),
});
try {
  await quiet(server.pid);
  let bare = 0;
  process.stdout.write("asked                    requests/s   of healthz   µs of processor\n");
  for (const [name, bodies] of ROWS) {
    const once = bodies === fresh;
    const half = Math.floor(fresh.length / 2);
    wrkOver(server, once ? fresh.slice(0, half) : bodies, WARM_SECONDS);
    const before = mainThreadUs(server.pid);
    const { perSecond, requests } = wrkOver(server, once ? fresh.slice(half) : bodies, seconds);
    const us = (mainThreadUs(server.pid) - before) / requests;
    if (once && requests > half) throw new Error("questions came twice; make more of them");
    if (bodies === null) bare = perSecond;
    const cells = [
      Math.round(perSecond).toLocaleString("en").padStart(10),
      (perSecond / bare).toFixed(3).padStart(12),
      us.toFixed(1).padStart(17),
    ];
    process.stdout.write(`${name.padEnd(24)} ${cells.join(" ")}\n`);
  }
} finally {
  await server.stop();
}
