/**
 * Search latency during exports: sequential searches, without and with two running exports.
 * Invariant: the same server process handles both. Two tenants queue exports of all rows
 * repeatedly; a sample counts only while two of them run.
 */

import { formatRatio, formatUs } from "../measure.ts";
import { call } from "./calls.ts";
import { type RunningServer, startServer } from "./server.ts";

const SAMPLES = 3_000;
const STATES = ["SP", "MG", "RJ", "RS", "PR", "SC", "BA", "GO", "PE", "CE"];

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures searches without and with exports; returns lines for the report. */
export async function searchUnderExports(
  snapshot: string,
  fields: readonly string[],
): Promise<string[]> {
  const search = JSON.stringify({
    spec: {
      filters: {
        industry: { cnae_any_of: ["4721-1/02"] },
        geo: { uf_any_of: ["MG"] },
        contact: { require_email: true },
      },
    },
    limit: 50,
  });
  const server = await startServer(snapshot, search, {
    pin: false,
    environment: { PENEIRA_EXPORTS_THREADS: "2" },
  });
  try {
    await latencyOf(server, search, SAMPLES / 4);
    const quiet = await latencyOf(server, search, SAMPLES);
    const exports = new Exports(server, fields);
    await exports.start();
    const busy = await latencyOf(server, search, SAMPLES);
    const rendered = await exports.stop();
    const line = (name: string, { p50, p99, max }: Latency) =>
      `${name.padEnd(28)} p50 ${formatUs(p50)}  p99 ${formatUs(p99)}  max ${formatUs(max)}`;
    return [
      line("search, no export", quiet),
      line("search, two exports running", busy),
      `ratio p50 ${formatRatio(busy.p50, quiet.p50)}, p99 ${formatRatio(busy.p99, quiet.p99)}; ` +
        `${rendered} exports were finished meanwhile`,
    ];
  } finally {
    await server.stop();
  }
}

async function latencyOf(server: RunningServer, body: string, samples: number): Promise<Latency> {
  const times: number[] = [];
  for (let i = 0; i < samples; i++) {
    const start = performance.now();
    await call(server, "POST", "/v1/accounts/search", { body });
    times.push((performance.now() - start) * 1000);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (samples - 1))] as number;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** Keeps two exports running until it is stopped. */
class Exports {
  #stopped = false;
  #finished = 0;
  #loops: Promise<void>[] = [];
  readonly #server: RunningServer;
  readonly #body: string;

  constructor(server: RunningServer, fields: readonly string[]) {
    this.#server = server;
    const spec = { filters: { geo: { uf_any_of: STATES } } };
    this.#body = JSON.stringify({ spec, output: { format: "csv", fields } });
  }

  async start(): Promise<void> {
    this.#loops = ["a", "b"].map((name) => this.#loop(name));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }

  async stop(): Promise<number> {
    this.#stopped = true;
    await Promise.all(this.#loops);
    return this.#finished;
  }

  async #loop(name: string): Promise<void> {
    for (let round = 0; !this.#stopped; round++) {
      const headers = { "idempotency-key": `${name}-${round}` };
      const sent = { body: this.#body, headers };
      const made = await call(this.#server, "POST", "/v1/exports", sent);
      const { export: record } = JSON.parse(made) as { export: { export_id: string } };
      const path = `/v1/exports/${record.export_id}`;
      for (let state = "queued"; state === "queued" || state === "running"; ) {
        const answer = JSON.parse(await call(this.#server, "GET", `${path}?wait=60`));
        state = (answer as { status: string }).status;
        if (state === "failed") throw new Error(`an export failed: ${JSON.stringify(answer)}`);
      }
      await call(this.#server, "DELETE", path);
      this.#finished++;
    }
  }
}
