/**
 * `peneira search`: a search without a server. What comes in: a snapshot file and a spec (a file
 * or standard input). What goes out: accounts on standard output, everything else for people on
 * standard error.
 * Invariant: the accounts and their order are those of the HTTP search of the same spec.
 */
import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CommandError } from "../errors.ts";
import { openAnySegment } from "../ingest/boot.ts";
import { describePlan, plan } from "../search/plan.ts";
import { type SearchAnswer, search } from "../search/searcher.ts";
import type { Segment } from "../search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../spec/fields.ts";
import { parseJson } from "../spec/json.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import {
  PRINT_FORMATS,
  type PrintedAccount,
  type PrintFormat,
  printCsvHeader,
  printCsvRows,
  printJsonLines,
  printTable,
} from "./print.ts";

interface SearchOptions {
  readonly snapshot: string;
  readonly spec: string;
  readonly limit?: number;
  readonly format: PrintFormat;
  readonly explain?: true;
  readonly explainPlan?: true;
}

/** Largest page of one call; a larger `--limit` takes several. */
const PAGE_MAX = 50_000;
const LIMIT_DEFAULT = 100;

const EXAMPLES = `
Examples:
  $ peneira search --snapshot 2026-10.peneira --spec bakeries.json
  $ echo '{"filters":{"industry":{"cnae_any_of":["4721-1/02"]},"geo":{"uf_any_of":["MG"]}}}' \\
      | peneira search --snapshot 2026-10.peneira --spec - --limit 5
  $ peneira search --snapshot 2026-10.peneira --spec bakeries.json --explain-plan`;

/** Adds `peneira search` to the program. */
export function registerSearch(program: Command): void {
  program
    .command("search")
    .summary("search a snapshot without a server")
    .description("Searches a snapshot and prints the accounts that a spec matches, in its order.")
    .requiredOption("--snapshot <file>", "the snapshot to search")
    .requiredOption("--spec <file>", "the spec as JSON; - reads standard input")
    .option("--limit <n>", "accounts wanted (default: the spec's limit, else 100)", positive)
    .addOption(
      new Option("--format <format>", "how to print").choices(PRINT_FORMATS).default("table"),
    )
    .option("--explain", "add score parts and matched filters (formats json and jsonl)")
    .option("--explain-plan", "print how the search would run, and stop")
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run(options: SearchOptions): Promise<void> {
  if (options.explain && options.format !== "json" && options.format !== "jsonl") {
    throw new CommandError("--explain needs --format json or jsonl.", 2);
  }
  const input = readSpec(options.spec);
  const segment = await openAnySegment(options.snapshot);
  try {
    const wanted = options.limit ?? limitOf(input) ?? LIMIT_DEFAULT;
    const spec = normalize(segment, input, Math.min(wanted, PAGE_MAX));
    for (const warning of spec.explain.warnings) process.stderr.write(`warning: ${warning}\n`);
    if (options.explainPlan) process.stdout.write(`${describePlan(plan(segment, spec))}\n`);
    else printPages(segment, spec, wanted, options);
  } finally {
    segment.close();
  }
}

function readSpec(path: string): unknown {
  try {
    return parseJson(readFileSync(path === "-" ? 0 : path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new CommandError(`There is no spec file ${path}.`, 2, error);
  }
}

function limitOf(input: unknown): number | undefined {
  const limit = (input as { limit?: unknown } | null)?.limit;
  return typeof limit === "number" ? limit : undefined;
}

function normalize(segment: Segment, input: unknown, bodyLimit: number): AccountQuerySpec {
  const { spec } = normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: LIMIT_DEFAULT,
    limitCap: PAGE_MAX,
    bodyLimit,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
    fullAllowed: false,
  });
  return spec;
}

/** Takes pages until enough are printed; only `json` and `table` hold more than one in memory. */
function printPages(
  segment: Segment,
  spec: AccountQuerySpec,
  wanted: number,
  { format, explain }: SearchOptions,
): void {
  const { fields } = spec.output;
  const held: PrintedAccount[] = [];
  if (format === "csv") process.stdout.write(printCsvHeader(fields));
  let answer: SearchAnswer | undefined;
  for (let left = wanted; left > 0; left -= PAGE_MAX) {
    const page = { ...spec, limit: Math.min(left, PAGE_MAX) };
    const afterRow: number = answer?.lastRow ?? -1;
    answer = search(segment, { spec: page, fields, afterRow, explain: explain === true });
    const accounts = JSON.parse(Buffer.from(answer.accounts).toString()) as PrintedAccount[];
    if (format === "csv") process.stdout.write(printCsvRows(accounts, fields));
    else if (format === "jsonl") process.stdout.write(printJsonLines(accounts));
    else held.push(...accounts);
    if (!answer.more) break;
  }
  const total = answer?.total ?? 0;
  const { label: snapshot, snapshotDate } = segment;
  if (format === "table") process.stdout.write(printTable(held, fields));
  if (format === "json") {
    const document = { snapshot, snapshot_date: snapshotDate, total, spec, accounts: held };
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  }
  process.stderr.write(`${total} accounts match in snapshot ${snapshot} (${snapshotDate})\n`);
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
