/**
 * `peneira search`: searches a snapshot without a server. Prints accounts on standard output,
 * messages on standard error.
 * Invariant: the accounts and their order equal those of an HTTP search with the same spec.
 */
import { type Command, Option } from "commander";
import { CommandError } from "../../errors.ts";
import { renderBytes } from "../../export/render.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { describePlans, planPhases } from "../../search/plan.ts";
import { type SearchAnswer, search } from "../../search/searcher.ts";
import type { Segment } from "../../search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../spec/fields.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { wordFor } from "../../text/amounts.ts";
import { positive, specSource } from "../support/inputfiles.ts";
import {
  PRINT_FORMATS,
  type PrintedAccount,
  type PrintFormat,
  printJsonLines,
  printTable,
} from "../support/print.ts";

interface SearchOptions {
  readonly snapshot: string;
  readonly spec?: string;
  readonly text?: string;
  readonly limit?: number;
  readonly format: PrintFormat;
  readonly explain?: true;
  readonly explainPlan?: true;
}

/** Max page size of a call. A larger `--limit` needs several calls. */
const PAGE_MAX = 50_000;
const LIMIT_DEFAULT = 100;

const EXAMPLES = `
Examples:
  $ peneira search --snapshot 2026-10.peneira --spec bakeries.json
  $ echo '{"filters":{"industry":{"cnae_any_of":["4721-1/02"]},"geo":{"uf_any_of":["MG"]}}}' \\
      | peneira search --snapshot 2026-10.peneira --spec - --limit 5
  $ peneira search --snapshot 2026-10.peneira --text "padarias em MG com e-mail, exceto MEI"
  $ peneira search --snapshot 2026-10.peneira --spec bakeries.json --explain-plan`;

/** Adds `peneira search` to the program. */
export function registerSearch(program: Command): void {
  program
    .command("search")
    .summary("search a snapshot without a server")
    .description(
      "Searches a snapshot and prints the accounts that match a spec, in the order of the spec.",
    )
    .requiredOption("--snapshot <file>", "the snapshot to search (required)")
    .option("--spec <file>", "the spec as JSON; - reads standard input")
    .option("--text <sentence>", "a Portuguese, English, or Spanish sentence instead of a spec")
    .option(
      "--limit <n>",
      "maximum number of accounts (default: the spec's limit, else 100)",
      positive,
    )
    .addOption(
      new Option("--format <format>", "how to print").choices(PRINT_FORMATS).default("table"),
    )
    .option("--explain", "add score parts and matched filters (formats json, jsonl and csv)")
    .option("--explain-plan", "print the plan of the search, and stop")
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run(options: SearchOptions): Promise<void> {
  if (options.explain && options.format === "table") {
    throw new CommandError("--explain needs --format json, jsonl or csv.", 2);
  }
  const specOf = specSource(options);
  const segment = await openAnySegment(options.snapshot);
  try {
    const input = specOf(segment);
    const wanted = options.limit ?? limitOf(input) ?? LIMIT_DEFAULT;
    const spec = normalize(segment, input, Math.min(wanted, PAGE_MAX));
    for (const warning of spec.explain.warnings) stderr.print(`warning: ${warning}\n`);
    if (options.explainPlan) stdout.print(`${describePlans(planPhases(segment, spec))}\n`);
    else if (options.format === "csv") await printCsv(segment, spec, wanted, options.explain);
    else printPages(segment, spec, wanted, options);
  } finally {
    segment.close();
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

/** Searches page by page. Only `json` and `table` hold more than one page in memory. */
function printPages(
  segment: Segment,
  spec: AccountQuerySpec,
  wanted: number,
  { format, explain }: SearchOptions,
): void {
  const { fields } = spec.output;
  const buffered: PrintedAccount[] = [];
  let answer: SearchAnswer | undefined;
  for (let left = wanted; left > 0; left -= PAGE_MAX) {
    const page = { ...spec, limit: Math.min(left, PAGE_MAX) };
    const afterRow: number = answer?.lastRow ?? -1;
    answer = search(segment, { spec: page, fields, afterRow, explain: explain === true });
    const accounts = JSON.parse(Buffer.from(answer.accounts).toString()) as PrintedAccount[];
    if (format === "jsonl") stdout.data(printJsonLines(accounts));
    else buffered.push(...accounts);
    if (!answer.more) break;
  }
  const total = answer?.total ?? 0;
  const { label: snapshot, snapshotDate } = segment;
  if (format === "table") stdout.print(printTable(buffered, fields));
  if (format === "json") {
    const document = { snapshot, snapshot_date: snapshotDate, total, spec, accounts: buffered };
    stdout.data(`${JSON.stringify(document, null, 2)}\n`);
  }
  printTotal(segment, total);
}

/** Prints the CSV that an export of the same spec would contain. */
async function printCsv(
  segment: Segment,
  spec: AccountQuerySpec,
  wanted: number,
  explain = false,
): Promise<void> {
  const output = { ...spec.output, format: "csv" as const, include_explain: explain };
  const work = { segment, spec: { ...spec, limit: wanted, output } };
  const { matches } = await renderBytes(work, (bytes) => stdout.data(Buffer.from(bytes)));
  printTotal(segment, matches);
}

function printTotal({ label, snapshotDate }: Segment, total: number): void {
  const match = wordFor(total, "account matches", "accounts match");
  stderr.print(`${total} ${match} in snapshot ${label} (${snapshotDate})\n`);
}
