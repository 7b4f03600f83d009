/**
 * Compares two months, against DuckDB. Input: a corpus and the month after it. Output: for both
 * engines, the median times to list every changed account and to answer queries about changes, and
 * the memory without mapped files.
 * Invariant: both engines find the same accounts before anything is timed. DuckDB reads Parquet
 * files of the same columns, uses all processors, and writes its list as Parquet. Peneira uses one
 * thread. Each side runs in its own process, whose anonymous memory is sampled from outside.
 * With --searches, the benchmark instead measures a server with that many saved searches
 * (questions/notices.ts).
 * Command: npm run bench -- changes [--accounts 1000000] [--runs 3] [--searches 1000]
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import polars from "nodejs-polars";
import { COLUMNS } from "../native-index/format/columns.ts";
import { CHANGE_KINDS } from "../src/changes/kinds.ts";
import { buildChangeList, type ChangeList, openChangeList } from "../src/changes/list.ts";
import { type ChangeQuery, changeCatalog, changePage, changeTotals } from "../src/changes/query.ts";
import { openSegment } from "../src/search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, type OutputField } from "../src/spec/fields.ts";
import { normalizeSpec } from "../src/spec/normalize.ts";
import { formatRatio, formatUs, measureAsync, median } from "./measure.ts";
import { CORPUS_SEED, type Corpus, makeCorpus, peneiraCommand } from "./questions/corpus.ts";
import { benchNotices } from "./questions/notices.ts";

const SELF = fileURLToPath(import.meta.url);
const SAMPLE_MS = 10;

/** Queries of both sides; each field in `watch` has a column of the same name. */
const QUESTIONS = [
  { name: "all, any of 3 fields", filters: {}, where: "true", watch: ["uf", "email", "phone_1"] },
  {
    name: "state, active, e-mail",
    filters: { geo: { uf_any_of: ["SP"] }, company: { registration_status_any_of: [2] } },
    where: "uf = 'SP' AND registration_status = 2",
    watch: ["email"],
  },
  {
    name: "activity with e-mail, status",
    filters: {
      industry: { cnae_any_of: ["4781-4/00"] },
      contact: { require_email: true },
    },
    where: "cnae_primary = '4781400' AND email IS NOT NULL",
    watch: ["registration_status"],
  },
] as const satisfies readonly {
  name: string;
  filters: object;
  where: string;
  watch: readonly OutputField[];
}[];

/** Results of one side's process. */
interface Report {
  readonly entries: number;
  /** Microseconds that each run took to make the list. */
  readonly making: readonly number[];
  /** Processor microseconds of each run, over all threads. */
  readonly processor: readonly number[];
  /**
   * For each query: the totals, the microseconds that it took to count them (`total`), and the
   * microseconds that a page of 100 entries took (`page`). DuckDB has no times for a page.
   */
  readonly answers: readonly { totals: readonly number[]; total: number; page: number }[];
  /** Maximum anonymous memory in bytes, which the parent process samples. */
  readonly memory: number;
}

/** Two snapshots and their Parquet copies. */
interface Months {
  readonly older: string;
  readonly newer: string;
  readonly folder: string;
}

function makeMonths(corpus: Corpus): Months {
  const newer = join(corpus.folder, "later.peneira");
  if (!existsSync(newer)) {
    const dump = join(corpus.folder, "2026-11");
    rmSync(dump, { recursive: true, force: true });
    const size = ["--establishments", String(corpus.accounts), "--seed", String(CORPUS_SEED)];
    peneira("sample", "--out", dump, ...size, "--label", "2026-11", "--since", "2026-10");
    peneira("import", dump, "--out", newer, "--label", "2026-11");
    rmSync(dump, { recursive: true, force: true });
  }
  const months = { older: corpus.snapshot, newer, folder: corpus.folder };
  for (const side of ["older", "newer"] as const) {
    const parquet = parquetOf(months, side);
    if (existsSync(parquet)) continue;
    polars.scanIPC(months[side]).collectSync().writeParquet(parquet);
  }
  return months;
}

function peneira(...parameters: string[]): void {
  const [node, main] = peneiraCommand() as [string, string];
  const child = spawnSync(node, [main, ...parameters], { stdio: "inherit" });
  if (child.status !== 0) throw new Error(`peneira ${parameters[0]} failed`);
}

function parquetOf({ folder }: Months, side: "older" | "newer"): string {
  return join(folder, `changes-${side}.parquet`);
}

// --- our side ------------------------------------------------------------------------------

async function ours(months: Months, runs: number): Promise<Omit<Report, "memory">> {
  const older = await openSegment(months.older);
  const newer = await openSegment(months.newer);
  for (const { native } of [older, newer]) await native.verify();
  const path = join(months.folder, "bench.changes");
  const making: number[] = [];
  const processor: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const before = process.cpuUsage();
    const started = performance.now();
    await buildChangeList(older, newer, path);
    if (run === 0) continue;
    making.push((performance.now() - started) * 1000);
    processor.push(processorUs(before));
  }
  const list = openChangeList(path, older, newer);
  const answers = [];
  for (const question of QUESTIONS) answers.push(await answer(list, question));
  return { entries: list.entries, making, processor, answers };
}

async function answer(list: ChangeList, question: (typeof QUESTIONS)[number]) {
  const { older, newer } = list;
  const { spec } = normalizeSpec(
    { filters: question.filters },
    {
      catalog: changeCatalog(older, newer),
      limitDefault: 1,
      limitCap: 1,
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "search",
      fullAllowed: false,
    },
  );
  const fresh = (): ChangeQuery => {
    for (const { native } of [older, newer]) native.dropCaches();
    // The list object caches totals, so each answer uses a copy of its own.
    return { list: { ...list }, spec, kinds: CHANGE_KINDS, watch: question.watch };
  };
  const totals = Object.values(await changeTotals(fresh()));
  const total = (await measureAsync(() => changeTotals(fresh()))).median;
  const page = (await measureAsync(() => changePage(fresh(), { from: 0, limit: 100 }))).median;
  return { totals, total, page };
}

// --- the rival -----------------------------------------------------------------------------

const COMPARED = COLUMNS.map(({ name }) => name).filter(
  (name) => name !== "cnpj" && name !== "sanctioned" && !name.startsWith("score"),
);

async function theirs(months: Months, runs: number): Promise<Omit<Report, "memory">> {
  const duck = await (await DuckDBInstance.create(":memory:")).connect();
  for (const side of ["older", "newer"] as const) {
    await duck.run(`CREATE VIEW ${side} AS FROM read_parquet('${parquetOf(months, side)}')`);
  }
  const list = join(months.folder, "bench-rival.parquet");
  const bits = COMPARED.map(
    (name, bit) => `(CASE WHEN o.${name} IS DISTINCT FROM n.${name} THEN ${2 ** bit} ELSE 0 END)`,
  );
  const sql = `COPY (SELECT * FROM (SELECT coalesce(o.cnpj, n.cnpj) AS cnpj,
      CASE WHEN o.cnpj IS NULL THEN -1 WHEN n.cnpj IS NULL THEN -2 ELSE ${bits.join("+")} END
        AS mask FROM older o FULL OUTER JOIN newer n ON o.cnpj = n.cnpj)
    WHERE mask <> 0 ORDER BY cnpj) TO '${list}' (FORMAT parquet)`;
  const making: number[] = [];
  const processor: number[] = [];
  for (let run = 0; run <= runs; run++) {
    const before = process.cpuUsage();
    const started = performance.now();
    await duck.run(sql);
    if (run === 0) continue;
    making.push((performance.now() - started) * 1000);
    processor.push(processorUs(before));
  }
  const [[entries]] = (await duck.runAndReadAll(`SELECT count(*) FROM '${list}'`)).getRows() as [
    [unknown],
  ];
  const answers = [];
  for (const { where, watch } of QUESTIONS) {
    const columns = ["cnpj", ...watch].join(", ");
    const changed = watch.map((name) => `o.${name} IS DISTINCT FROM n.${name}`).join(" OR ");
    const joined = `SELECT count(*) FILTER (o.cnpj IS NULL), count(*) FILTER (n.cnpj IS NULL),
      count(*) FILTER (o.cnpj IS NOT NULL AND n.cnpj IS NOT NULL AND (${changed}))
      FROM (SELECT ${columns} FROM older WHERE ${where}) o
      FULL OUTER JOIN (SELECT ${columns} FROM newer WHERE ${where}) n ON o.cnpj = n.cnpj`;
    const query = async () => (await duck.runAndReadAll(joined)).getRows()[0] as unknown[];
    const totals = (await query()).map(Number);
    answers.push({ totals, total: (await measureAsync(query, { samples: 5 })).median, page: 0 });
  }
  duck.closeSync();
  return { entries: Number(entries), making, processor, answers };
}

function processorUs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

// --- both ----------------------------------------------------------------------------------

/** Runs one side in its own process and samples its memory. */
async function side(name: "ours" | "theirs", parameters: readonly string[]): Promise<Report> {
  const child = spawn(process.execPath, ["--import", "tsx", SELF, "--side", name, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (part) => {
    text += part;
  });
  let memory = 0;
  const timer = setInterval(() => {
    memory = Math.max(memory, anonymousBytes(child.pid as number));
  }, SAMPLE_MS);
  const status = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(timer);
  if (status !== 0) throw new Error(`${name} failed`);
  return { ...(JSON.parse(text) as Omit<Report, "memory">), memory };
}

function anonymousBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function report(months: Months, we: Report, they: Report): string {
  const same = JSON.stringify([we.entries, ...we.answers.map(({ totals }) => totals)]);
  const other = JSON.stringify([they.entries, ...they.answers.map(({ totals }) => totals)]);
  if (same !== other) throw new Error(`we found ${same}, the rival ${other}`);
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  const rows = [
    ["list every difference", we.entries, median(we.making), median(they.making)] as const,
    ["… processor time", we.entries, median(we.processor), median(they.processor)] as const,
    ...QUESTIONS.map(({ name }, i) => {
      const [mine, rival] = [we.answers[i], they.answers[i]] as const;
      const found = mine?.totals.reduce((sum, count) => sum + count, 0) ?? 0;
      return [`totals: ${name}`, found, mine?.total ?? 0, rival?.total ?? 0] as const;
    }),
  ];
  const lines = rows.map(([name, found, mine, rival]) => {
    const ratio = formatRatio(rival, mine);
    const cells = [name, found.toLocaleString("en"), formatUs(mine), formatUs(rival), ratio];
    return `| ${cells.join(" | ")} |`;
  });
  const pages = we.answers.map(({ page }, i) => `${QUESTIONS[i]?.name} ${formatUs(page)}`);
  const size = statSync(join(months.folder, "bench.changes")).size;
  return [
    "| work | accounts | Peneira | DuckDB | ÷ DuckDB |\n|---|--:|--:|--:|--:|",
    ...lines,
    `first page of 100: ${pages.join(", ")}`,
    `anonymous memory at most: ${megabytes(we.memory)} and ${megabytes(they.memory)}`,
    `the list: ${size.toLocaleString("en")} bytes\n`,
  ].join("\n");
}

if (process.argv[1]?.endsWith("changes.bench.ts") === true) {
  const { values } = parseArgs({
    options: {
      accounts: { type: "string", default: "1000000" },
      runs: { type: "string", default: "3" },
      side: { type: "string" },
      searches: { type: "string" },
    },
  });
  const accounts = Number(values.accounts);
  const runs = Number(values.runs);
  const months = values.searches === undefined ? makeMonths(makeCorpus(accounts)) : null;
  if (months === null) {
    await benchNotices(accounts, Number(values.searches));
  } else if (values.side !== undefined) {
    const reported = values.side === "ours" ? await ours(months, runs) : await theirs(months, runs);
    process.stdout.write(JSON.stringify(reported));
  } else {
    const parameters = ["--accounts", values.accounts, "--runs", values.runs];
    const we = await side("ours", parameters);
    const they = await side("theirs", parameters);
    process.stdout.write(report(months, we, they));
  }
}
