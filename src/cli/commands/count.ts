/**
 * `peneira count`. Input: a snapshot, a spec, and names of facets, or pairs of names. Output: the
 * exact number of matches and of each value, as a table, one JSON document, CSV, or XLSX.
 * Invariant: the numbers and the files equal those of POST /v1/accounts/count for the same spec. A
 * spec that the server would refuse as too broad is also counted.
 */
import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { type Command, Option } from "commander";
import { CommandError } from "../../errors.ts";
import { countCsv, countXlsx } from "../../export/formats/countfile.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { type AllCounts, countAll, type FacetRequest, tooLarge } from "../../search/cross.ts";
import type { Segment } from "../../search/segment.ts";
import {
  COUNT_LAYOUTS,
  type CountLayout,
  FACET_PAIRS_MAX,
  FACETS,
  type FacetName,
  type FacetPair,
  fitsTable,
} from "../../spec/facets.ts";
import { LABEL_LANGUAGES, type LabelLanguage } from "../../spec/fields/words.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../spec/fields.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { wordFor } from "../../text/amounts.ts";
import { specSource } from "../support/inputfiles.ts";
import { printTable } from "../support/print.ts";
import { isSystemError } from "../support/systemerrors.ts";

interface CountOptions {
  readonly snapshot: string;
  readonly spec?: string;
  readonly text?: string;
  readonly facets?: FacetRequest;
  readonly format?: CountFormat;
  readonly labels?: LabelLanguage;
  readonly layout?: CountLayout;
  readonly out?: string;
  readonly force?: true;
}

const COUNT_FORMATS = ["table", "json", "csv", "xlsx"] as const;
type CountFormat = (typeof COUNT_FORMATS)[number];
/** Ending of a file of each format. */
const ENDINGS = { table: ".txt", json: ".json", csv: ".csv", xlsx: ".xlsx" } as const;
const NOTHING: FacetRequest = { names: [], pairs: [] };
/** Separator between the two facets of a pair. */
const BY = "*";

const EXAMPLES = `
Facets: ${FACETS.slice(0, 6).join(", ")},
  ${FACETS.slice(6, 12).join(", ")},
  ${FACETS.slice(12, 17).join(", ")},
  ${FACETS.slice(17).join(", ")}.
At most ${FACET_PAIRS_MAX} pairs, such as 'uf*company_size'.

Examples:
  $ peneira count --snapshot 2026-10.peneira --spec bakeries.json --facets uf,company_size
  $ peneira count --snapshot 2026-10.peneira --text "padarias" --facets 'uf*started_year' \\
      --format xlsx --labels pt --out counts.xlsx`;

/** Adds `peneira count` to the program. */
export function registerCount(program: Command): void {
  program
    .command("count")
    .summary("count accounts by the values of fields")
    .description("Counts the accounts that match a spec, in total and by the values of facets.")
    .requiredOption("--snapshot <file>", "the snapshot to count (required)")
    .option("--spec <file>", "the spec as JSON; - reads standard input")
    .option("--text <sentence>", "a Portuguese, English, or Spanish sentence instead of a spec")
    .option("--facets <names>", "facets and pairs to count, separated by commas", readFacets)
    .addOption(
      new Option(
        "--format <format>",
        "how to print; by default what the ending of --out says, or table",
      ).choices(COUNT_FORMATS),
    )
    .addOption(
      new Option("--labels <language>", "csv, xlsx: headings and values in words").choices(
        LABEL_LANGUAGES,
      ),
    )
    .addOption(
      new Option(
        "--layout <layout>",
        "csv, xlsx: lines has one line for each value or pair of values; table is a cross " +
          "table with totals, the default for a single pair",
      ).choices(COUNT_LAYOUTS),
    )
    .option("--out <file>", "write to this file instead of standard output")
    .option("--force", "replace the file if it exists")
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run(options: CountOptions): Promise<void> {
  const { labels, out, facets: request = NOTHING } = options;
  const format = formatOf(options);
  if (labels !== undefined && format !== "csv" && format !== "xlsx") {
    throw new CommandError("--labels needs --format csv or xlsx.", 2);
  }
  const fits = fitsTable(request.names, request.pairs);
  const { layout = fits ? "table" : "lines" } = options;
  if (options.layout !== undefined && format !== "csv" && format !== "xlsx") {
    throw new CommandError("--layout needs --format csv or xlsx.", 2);
  }
  if (layout === "table" && !fits) {
    throw new CommandError("--layout table needs exactly one pair in --facets: uf*mei.", 2);
  }
  if (format === "xlsx" && out === undefined) {
    throw new CommandError("--format xlsx needs --out FILE.", 2);
  }
  const target = { out, force: options.force === true };
  const specOf = specSource(options);
  const segment = await openAnySegment(options.snapshot);
  try {
    refuseLarge(segment, request.pairs);
    const spec = normalize(segment, specOf(segment));
    for (const warning of spec.explain.warnings) stderr.print(`warning: ${warning}\n`);
    const counts = await countAll(segment, spec, request);
    const { label: snapshot, snapshotDate } = segment;
    const file = { counts, labels: labels ?? null, layout, segment, spec };
    if (format === "csv") write(countCsv(file), target);
    else if (format === "xlsx") write(countXlsx(file), target);
    else if (format === "json") write(Buffer.from(documentOf(segment, spec, counts)), target);
    else write(Buffer.from(tableOf(counts)), target);
    const { total } = counts;
    const match = wordFor(total, "account matches", "accounts match");
    stderr.print(`${total} ${match} in snapshot ${snapshot} (${snapshotDate})\n`);
  } finally {
    segment.close();
  }
}

/** Returns the requested format, or else the format of the file name's extension. */
function formatOf({ format, out }: CountOptions): CountFormat {
  const ending = extname(out ?? "").toLowerCase();
  if (ending === "" || ending === ".") return format ?? "table";
  const named = COUNT_FORMATS.find((one) => ENDINGS[one] === ending);
  if (named === undefined) {
    const known = Object.values(ENDINGS).join(", ");
    throw new CommandError(
      `--out ${out} ends in ${ending}, which is no format of counts. ` +
        `Use one of ${known}, or no ending.`,
      2,
    );
  }
  if (format === undefined || format === named) return named;
  throw new CommandError(
    `--out ${out} ends in ${ending}, but --format is ${format}. ` +
      `Use the ending ${ENDINGS[format]}, or leave out --format.`,
    2,
  );
}

const NO_PAIR = (part: string) =>
  `${part} is no pair. Name two facets: uf${BY}mei. Separate pairs by commas.`;

/** Parses facets such as `uf,company_size,uf*started_year`. */
function readFacets(text: string): FacetRequest {
  const names: FacetName[] = [];
  const pairs: FacetPair[] = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue;
    const [first, second, ...more] = part.split(BY).map((one) => facetNamed(one.trim()));
    if (first === undefined || more.length > 0) throw new CommandError(NO_PAIR(part), 2);
    if (second === undefined && names.includes(first)) {
      throw new CommandError(`--facets names ${first} twice. Name it once.`, 2);
    }
    if (second === undefined) names.push(first);
    else if (first === second) throw new CommandError(`${part} names one facet twice.`, 2);
    else pairs.push([first, second]);
  }
  if (pairs.length > FACET_PAIRS_MAX) {
    throw new CommandError(`--facets takes at most ${FACET_PAIRS_MAX} pairs.`, 2);
  }
  return { names, pairs };
}

function facetNamed(text: string): FacetName {
  const known = FACETS.find((name) => name === text);
  if (known !== undefined) return known;
  throw new CommandError(`${text} is not a facet. Use one of ${FACETS.join(", ")}.`, 2);
}

function refuseLarge(segment: Segment, pairs: readonly FacetPair[]): void {
  const large = pairs.filter((pair) => tooLarge(segment, pair)).map((pair) => pair.join(BY));
  if (large.length === 0) return;
  throw new CommandError(`${large.join(", ")} has too many cells. Name a coarser facet.`, 2);
}

function normalize(segment: Segment, input: unknown): AccountQuerySpec {
  const { exportLimitMax: most } = SPEC_LIMITS;
  return normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: most,
    limitCap: most,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "either",
    fullAllowed: true,
  }).spec;
}

function documentOf(segment: Segment, spec: AccountQuerySpec, counts: AllCounts): string {
  const { label: snapshot, snapshotDate: snapshot_date } = segment;
  const { total, facets, crosses } = counts;
  return `${JSON.stringify({ snapshot, snapshot_date, spec, total, facets, crosses }, null, 2)}\n`;
}

/** Makes a table with a line for each value, and for each pair. */
function tableOf({ facets, crosses }: AllCounts): string {
  const ofFacets = Object.entries(facets).flatMap(([facet, { values, missing }]) => [
    ...values.map(({ value, label, count }) => ({
      ...{ facet, value: String(value), count },
      name: label ?? null,
    })),
    ...(missing === 0 ? [] : [{ facet, value: null, count: missing, name: null }]),
  ]);
  const ofPairs = crosses.flatMap(({ facets: pair, rows, columns, counts }) =>
    rows.flatMap((row, at) =>
      columns.flatMap((column, by) => {
        const count = counts[at]?.[by] ?? 0;
        if (count === 0) return [];
        const value = `${row.value ?? "-"} ${BY} ${column.value ?? "-"}`;
        return [{ facet: pair.join(BY), value, count, name: null }];
      }),
    ),
  );
  const lines = [...ofFacets, ...ofPairs];
  return lines.length === 0 ? "" : printTable(lines, ["facet", "value", "count", "name"]);
}

interface Target {
  readonly out: string | undefined;
  readonly force: boolean;
}

function write(bytes: Uint8Array, { out, force }: Target): void {
  if (out === undefined) {
    stdout.data(Buffer.from(bytes));
    return;
  }
  try {
    writeFileSync(out, bytes, { flag: force ? "w" : "wx" });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const exists = error.code === "EEXIST";
    const why = exists ? "exists; --force replaces it" : `cannot be written (${error.code})`;
    throw new CommandError(`${out} ${why}.`, 1, error);
  }
}
