/**
 * Measures what searches cost a server, for repeated and new queries and for each kind of query.
 * Output: requests per second on one core and processor time of the main thread per request, both
 * also as a multiple of `/healthz` in the same run. For each kind, the median, p99, and maximum,
 * measured in this process.
 * Corpus: `peneira sample` (bench/questions/corpus.ts). Queries have the frequencies of
 * bench/questions/shares.ts and return 50 accounts.
 * Command: npm run bench -- requests [--accounts 1000000] [--seconds 5] [--main FILE]
 *   [--response-memory 0] [--seed N] [--kinds]
 * The load on the server needs Linux and wrk. `--kinds` omits it. Answers are cached only if
 * `--response-memory` is set.
 * Invariant: measuring starts after three seconds of the same load on a started server. The row
 * "never asked before" repeats no query. Each run draws its seed.
 */
import { parseArgs } from "node:util";
import { openSegment } from "../src/search/segment.ts";
import { mainThreadUs, quiet, type RunningServer, startServer, wrkOver } from "./load/server.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { kindLines } from "./questions/kindtimes.ts";
import { PLAIN, seedLine, seedOf, trafficOf } from "./questions/traffic.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "5" },
    /** Main file of another build to compare with. */
    main: { type: "string" },
    /** Size of the response cache in bytes. */
    "response-memory": { type: "string", default: "0" },
    /** Seed of another run, to repeat its queries. */
    seed: { type: "string" },
    /** Measures only the kinds of query, without the load. */
    kinds: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const WARM_SECONDS = 3;
/** Number of queries, more than a server answers during a measurement. */
const NEW_QUESTIONS = 60_000;
/** A rate limit far above the throughput of one processor. */
const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
  // Without this setting, a busy server would refuse expensive queries.
  PENEIRA_HTTP_OVERLOAD_LAG_MS: "30000",
};

const REPEATED = 5_300;

const seed = seedOf(values.seed);
process.stdout.write(seedLine(seed));
const corpus = makeCorpus(Number(values.accounts));
const segment = await openSegment(corpus.snapshot);
if (!values.kinds) await measureLoads();
process.stdout.write(`${(await kindLines(segment, seed)).join("\n")}\n`);
segment.close();

async function measureLoads(): Promise<void> {
  const bodies = trafficOf(segment, seed, REPEATED + NEW_QUESTIONS);
  const one = trafficOf(segment, seed, 1, PLAIN);
  const requested = bodies.slice(0, REPEATED);
  const fresh = bodies.slice(REPEATED);
  /** The rows of the table, with the queries of each row, which are sent in this order. */
  const rows: readonly (readonly [name: string, bodies: readonly string[] | null])[] = [
    ["healthz", null],
    ["one question", one],
    ["300 questions", requested.slice(0, 300)],
    ["5,000 questions", requested.slice(300)],
    ["never asked before", fresh],
  ];
  const server = await startServer(corpus.snapshot, one[0] as string, {
    environment: UNLIMITED,
    responseMemory: values["response-memory"],
    ...(values.main === undefined ? {} : { main: values.main }),
  });
  try {
    await quiet(server.pid);
    let bare = 0;
    process.stdout.write("asked                    requests/s   of healthz   µs of processor\n");
    for (const [name, bodies] of rows) {
      const once = bodies === fresh;
      const { perSecond, us } = measured(server, bodies, once);
      if (bodies === null) bare = perSecond;
      const cells = [
        Math.round(perSecond).toLocaleString("en").padStart(10),
        (perSecond / bare).toFixed(3).padStart(12),
        us.toFixed(1).padStart(17),
      ];
      process.stdout.write(`${name.padEnd(24)} ${cells.join(" ")}\n`);
    }
    process.stdout.write("\n");
  } finally {
    await server.stop();
  }
}

/**
 * Sends the bodies to the server and measures it. With `once`, half of the bodies warm up the
 * server, and only the others are measured, so no query repeats.
 */
function measured(server: RunningServer, bodies: readonly string[] | null, once: boolean) {
  const half = once && bodies !== null ? Math.floor(bodies.length / 2) : 0;
  wrkOver(server, half === 0 ? bodies : (bodies?.slice(0, half) ?? null), WARM_SECONDS);
  const before = mainThreadUs(server.pid);
  const { perSecond, requests } = wrkOver(server, bodies?.slice(half) ?? null, seconds);
  if (once && requests > half) throw new Error("questions came twice; make more of them");
  return { perSecond, us: (mainThreadUs(server.pid) - before) / requests };
}
