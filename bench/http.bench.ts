/**
 * The HTTP interface under load, uWebSockets.js against node:http in the same run. Output: requests
 * per second and latencies by kind of request and number of connections, in a closed and in an open
 * loop.
 * Command: `npm run bench -- http [--accounts 1000000] [--seconds 4]`.
 * Invariant: if the system can pin processes, the server runs on processor 0. This process, the
 * load generator, runs on processor 1. Every answer is read and checked. The key's rate limit does
 * not apply. The open loop sends at half the closed loop's rate.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { type LoadResult, runLoad } from "./load/load.ts";
import { type RunningServer, startServer } from "./load/server.ts";
import { formatRatio, formatUs } from "./measure.ts";
import { makeCorpus } from "./questions/corpus.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "4" },
  },
});
const seconds = Number(values.seconds);
const corpus = makeCorpus(Number(values.accounts));

const SPEC = {
  filters: {
    industry: { cnae_any_of: ["5611-2/01"] },
    geo: { uf_any_of: ["MG"] },
    company: { registration_status_any_of: [2] },
  },
};

/** A rate limit far above the throughput of one processor. */
const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
};

/** A kind of request. */
interface Kind {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly statuses?: readonly number[];
}

function requestOf({ port, key }: RunningServer, kind: Kind): Buffer {
  const { method, path, body, headers = {} } = kind;
  const text = body === undefined ? "" : JSON.stringify(body);
  const content =
    body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`];
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${key}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...content,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`);
}

/** Returns the requests. Their ETag and CNPJ are taken from an answer of the server. */
async function kindsOf({ port, key }: RunningServer): Promise<Kind[]> {
  const search = (limit: number) => ({ spec: SPEC, limit });
  const answer = await fetch(`http://127.0.0.1:${port}/v1/accounts/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(search(50)),
  });
  const tag = answer.headers.get("etag") ?? "";
  const { accounts } = (await answer.json()) as { accounts: { cnpj: string }[] };
  const cnpj = accounts[0]?.cnpj;
  const post = { method: "POST", path: "/v1/accounts/search" } as const;
  return [
    { name: "search, 3 accounts", ...post, body: search(3) },
    { name: "search, 50 accounts", ...post, body: search(50) },
    {
      name: "search, 50, unchanged (304)",
      ...post,
      body: search(50),
      headers: { "If-None-Match": tag },
      statuses: [304],
    },
    { name: "search, 50, two facets", ...post, body: { ...search(50), facets: ["uf", "mei"] } },
    { name: "count", method: "POST", path: "/v1/accounts/count", body: { spec: SPEC } },
    { name: "single account", method: "GET", path: `/v1/accounts/${cnpj}` },
    { name: "healthz", method: "GET", path: "/healthz" },
  ];
}

const out: string[] = [];

function line(name: string, how: string, [uws, node]: readonly [LoadResult, LoadResult]): void {
  const cells = ({ perSecond, p50, p99 }: LoadResult) =>
    `${Math.round(perSecond).toLocaleString("en").padStart(8)}/s ` +
    `${formatUs(p50).padStart(8)} ${formatUs(p99).padStart(8)}`;
  const ratio = formatRatio(uws.perSecond, node.perSecond);
  out.push(`${name.padEnd(28)} ${how.padEnd(14)} ${cells(uws)}   ${cells(node)}   ${ratio}`);
  process.stderr.write(`${out.at(-1)}\n`);
}

if (spawnSync("taskset", ["-V"]).status === 0) {
  spawnSync("taskset", ["-p", "-c", "1", String(process.pid)]);
}
const first = JSON.stringify({ spec: SPEC, limit: 1 });
const servers = [
  await startServer(corpus.snapshot, first, { transport: "uws", environment: UNLIMITED }),
  await startServer(corpus.snapshot, first, { transport: "node", environment: UNLIMITED }),
] as const;
out.push(
  "request                      load             uws: req/s      p50      p99" +
    "     node: req/s      p50      p99   uws ÷ node",
);
try {
  const kinds = await kindsOf(servers[0]);
  for (const kind of kinds) {
    const connections = kind.name === "search, 50 accounts" ? [1, 32, 256] : [32];
    for (const count of connections) {
      const loads = servers.map((server) => ({
        port: server.port,
        request: requestOf(server, kind),
        connections: count,
        seconds,
        statuses: kind.statuses ?? [200],
      }));
      const closed: LoadResult[] = [];
      for (const load of loads) closed.push(await runLoad(load));
      line(kind.name, `${count} closed`, closed as unknown as readonly [LoadResult, LoadResult]);
      if (count === 1) continue;
      const open: LoadResult[] = [];
      for (const [i, load] of loads.entries()) {
        const rate = (closed[i]?.perSecond ?? 0) / 2;
        open.push(await runLoad({ ...load, rate }));
      }
      line(kind.name, `${count} open, half`, open as unknown as readonly [LoadResult, LoadResult]);
    }
  }
} finally {
  for (const server of servers) await server.stop();
}
process.stdout.write(`${out.join("\n")}\n`);
