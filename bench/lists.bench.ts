/**
 * Lists of accounts: the upload time of a large list, the cost of the upload for other clients, and
 * the cost of a search that names the list. Measured over HTTP with one server. Another process
 * uploads CNPJs as CSV and XLSX. Searches run on 8 connections at a fixed rate (open loop), without
 * and during such uploads. The same search, and a CSV file of the whole registry, also run
 * alternately with and without the list. Corpus model: `peneira sample`; half of the list is in the
 * snapshot, half is invented.
 * Command: npm run bench -- lists [--accounts 1000000] [--entries 1000000] [--rounds 5]
 *   [--rate 200] [--seconds 20]
 * Invariant: compared runs alternate, and nothing is cached between them. An unexpected answer ends
 * the run without figures.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cnpjCheckDigits } from "../src/spec/cnpj/cnpj.ts";
import { UFS } from "../src/spec/fields.ts";
import { call, entriesOf, makeList } from "./load/calls.ts";
import { runLoad } from "./load/load.ts";
import { mainThreadUs, quiet, startServer } from "./load/server.ts";
import { formatRatio, formatUs } from "./measure.ts";
import { makeCorpus } from "./questions/corpus.ts";
import { writeSheet } from "./questions/sheet.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    entries: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "5" },
    rate: { type: "string", default: "200" },
    seconds: { type: "string", default: "20" },
  },
});
const rounds = Number(values.rounds);
const entries = Number(values.entries);
const seconds = Number(values.seconds);
const SENDER = fileURLToPath(new URL("load/sender.mjs", import.meta.url));
const CONNECTIONS = 8;
/**
 * Number of searches in each block, and number of blocks. Blocks with and without the list
 * alternate.
 */
const BLOCK = 50;
const BLOCKS = 30;
const FIELDS = ["cnpj", "legal_name", "trade_name", "uf", "municipality_name", "email", "phone_1"];
const UNLIMITED = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "1000000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "1000000",
  PENEIRA_PLANS_ENTERPRISE_EXPORT_ROWS: "1000000000",
  PENEIRA_PLANS_ENTERPRISE_EXPORT_ROWS_PER_DAY: "1000000000000",
};
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

interface Filters {
  readonly [group: string]: Readonly<Record<string, unknown>>;
}

const SOME: Filters = {
  industry: { cnae_any_of: ["47"] },
  geo: { uf_any_of: ["SP", "MG", "RJ"] },
  company: { registration_status_any_of: [2] },
};
const ALL: Filters = { geo: { uf_any_of: UFS } };
const bodyOf = (filters: Filters) => JSON.stringify({ spec: { filters }, limit: 50 });

const corpus = makeCorpus(Number(values.accounts));
const folder = mkdtempSync(join(tmpdir(), "peneira-bench-"));
const server = await startServer(corpus.snapshot, bodyOf(SOME), {
  pin: false,
  environment: UNLIMITED,
});
const out = (line: string) => process.stdout.write(`${line}\n`);
const sorted = (numbers: number[]) => numbers.sort((a, b) => a - b);
const middle = (numbers: number[]) => sorted(numbers)[Math.floor(numbers.length / 2)] as number;

/** Returns CNPJs in no order: half of them from the snapshot, half invented. */
async function cnpjs(): Promise<string[]> {
  const id = await makeList(server, "all");
  await call(server, "POST", `/v1/lists/${id}/entries/from-search`, {
    body: JSON.stringify({ spec: { filters: ALL } }),
  });
  const found = await entriesOf(server, id);
  await call(server, "DELETE", `/v1/lists/${id}`);
  const held = found.filter((_, at) => at % 2 === 0).slice(0, entries / 2);
  const made = Array.from({ length: entries - held.length }, (_, at) => {
    const base = `${String(99_999_999 - at).padStart(8, "0")}9876`;
    return base + cnpjCheckDigits(base);
  });
  const all = [...held, ...made];
  // Steps of this size visit each entry once, because 7,919 is a prime that does not divide the
  // number of entries.
  return all.map((_, at) => all[(at * 7_919) % all.length] as string);
}

/** Uploads files from another process, which reports the seconds of each upload. */
class Sender {
  readonly #child = spawn(process.execPath, [SENDER], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  readonly #answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  async send(id: string, file: string, type: string): Promise<number> {
    const url = `http://127.0.0.1:${server.port}/v1/lists/${id}/entries`;
    const requested = { url, key: server.key, file, type, entries };
    this.#child.stdin.write(`${JSON.stringify(requested)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error("a file was not taken as expected");
    return Number(value);
  }

  end(): void {
    this.#child.stdin.end();
  }
}

const sender = new Sender();

async function uploaded(file: string, type: string): Promise<number> {
  const id = await makeList(server, "upload");
  const took = await sender.send(id, file, type);
  await call(server, "DELETE", `/v1/lists/${id}`);
  return took;
}

/** Runs searches at a fixed rate. The caller may do other work meanwhile. */
function searching(): ReturnType<typeof runLoad> {
  const body = bodyOf(SOME);
  const head = [
    ...["POST /v1/accounts/search HTTP/1.1", "Host: x", `Authorization: Bearer ${server.key}`],
    ...["Content-Type: application/json", `Content-Length: ${body.length}`, "", ""],
  ].join("\r\n");
  const request = Buffer.from(head + body);
  const { port } = server;
  const rate = Number(values.rate);
  return runLoad({ port, request, connections: CONNECTIONS, seconds, rate, statuses: [200] });
}

async function uploads(files: readonly (readonly [string, string, string])[]): Promise<void> {
  out(
    `a file of ${entries.toLocaleString("en")} CNPJs, ${values.rate} searches a second beside it`,
  );
  await searching();
  for (const [name, file, type] of files) {
    const alone: number[] = [];
    for (let round = 0; round < rounds; round++) alone.push(await uploaded(file, type));
    const still = await searching();
    const during: number[] = [];
    let over = false;
    const sending = (async () => {
      while (!over) during.push(await uploaded(file, type));
    })();
    const busy = await searching();
    over = true;
    await sending;
    const summary = (times: number[]) =>
      `${middle(times).toFixed(2)} s (worst ${Math.max(...times).toFixed(2)} s)`;
    out(`${name}: alone ${summary(alone)}, beside searches ${summary(during)}`);
    out(
      `  searches: p50 ${formatUs(still.p50)}, p99 ${formatUs(still.p99)}; while files come ` +
        `p50 ${formatUs(busy.p50)}, p99 ${formatUs(busy.p99)} ` +
        `(${formatRatio(busy.p99, still.p99)})`,
    );
  }
}

/** Times a search with and without the list, in turns. */
async function filters(id: string): Promise<void> {
  out("the same search with the list and without, medians");
  for (const [name, rest] of [
    ["activity, 3 states, active", SOME],
    ["one state", { geo: { uf_any_of: ["SP"] } }],
    ["all states", ALL],
  ] as const) {
    for (const lists of [{ exclude: [id] }, { any_of: [id] }]) {
      const [without, within] = [bodyOf(rest), bodyOf({ ...rest, lists })];
      const times: [number[], number[]] = [[], []];
      const processor: [number, number] = [0, 0];
      for (let block = 0; block < BLOCKS * 2; block++) {
        const which = (block % 2) as 0 | 1;
        const before = mainThreadUs(server.pid);
        for (let left = BLOCK; left > 0; left--) {
          const begun = performance.now();
          const body = which === 0 ? without : within;
          await call(server, "POST", "/v1/accounts/search", { body });
          times[which].push(performance.now() - begun);
        }
        processor[which] += mainThreadUs(server.pid) - before;
      }
      const [bare, listed] = [middle(times[0]), middle(times[1])];
      const [bareUs, listedUs] = processor.map((us) => us / BLOCKS / BLOCK) as [number, number];
      out(
        `  ${name}, ${Object.keys(lists)[0]}: ${formatUs(bare * 1e3)} without, ` +
          `${formatUs(listed * 1e3)} with: ${(listed - bare).toFixed(3)} ms more; of processor ` +
          `${formatUs(bareUs)} and ${formatUs(listedUs)}`,
      );
    }
  }
}

interface Made {
  readonly seconds: number;
  readonly rows: number;
}

async function exported(filters: Filters, key: string, limit?: number): Promise<Made> {
  const output = { format: "csv", fields: FIELDS };
  const begun = performance.now();
  const made = await call(server, "POST", "/v1/exports", {
    body: JSON.stringify({ spec: { filters }, output, limit }),
    headers: { "idempotency-key": key },
  });
  const { export: record } = JSON.parse(made) as { export: { export_id: string } };
  const path = `/v1/exports/${record.export_id}`;
  const reported = JSON.parse(await call(server, "GET", `${path}?wait=60&require=done`)) as {
    row_count: number;
  };
  const took = (performance.now() - begun) / 1000;
  await call(server, "DELETE", path);
  return { seconds: took, rows: reported.row_count };
}

/** Measures the fixed cost that a list adds to an export, and its cost per row. */
async function exports(id: string): Promise<void> {
  const kinds: readonly (readonly [string, Filters, number?])[] = [
    ["1,000 rows", ALL, 1_000],
    ["1,000 rows, none of the list", { ...ALL, lists: { exclude: [id] } }, 1_000],
    ["the whole registry", ALL],
    ["the whole registry, none of the list", { ...ALL, lists: { exclude: [id] } }],
  ];
  const runs = kinds.map((): Made[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, [, filters, limit]] of kinds.entries()) {
      runs[at]?.push(await exported(filters, `run-${at}-${round}`, limit));
    }
  }
  const made = runs.map((all) => ({
    rows: all[0]?.rows as number,
    seconds: middle(all.map((run) => run.seconds)),
    worst: Math.max(...all.map((run) => run.seconds)),
  }));
  out("CSV files");
  for (const [at, [name]] of kinds.entries()) {
    const { rows, seconds: took, worst } = made[at] as (typeof made)[number];
    out(`  ${name}: ${rows} rows in ${took.toFixed(2)} s (worst ${worst.toFixed(2)} s)`);
  }
  const perRow = (few: number, all: number) => {
    const [less, more] = [made[few] as Made, made[all] as Made];
    return ((more.seconds - less.seconds) / (more.rows - less.rows)) * 1e6;
  };
  const [bare, listed] = [perRow(0, 2), perRow(1, 3)];
  out(
    `  a further row: ${bare.toFixed(3)} µs, with the list ${listed.toFixed(3)} µs ` +
      `(${(listed / bare).toFixed(2)}×)`,
  );
}

try {
  const all = await cnpjs();
  const csv = join(folder, "list.csv");
  const xlsx = join(folder, "list.xlsx");
  writeFileSync(csv, `cnpj\n${all.join("\n")}\n`);
  await writeSheet(xlsx, all);
  await quiet(server.pid);
  await uploads([
    ["CSV", csv, "text/csv"],
    ["XLSX", xlsx, XLSX],
  ]);
  const id = await makeList(server, "kept");
  await sender.send(id, csv, "text/csv");
  await filters(id);
  await exports(id);
} finally {
  sender.end();
  await server.stop();
  rmSync(folder, { recursive: true });
}
