/**
 * `peneira enrich`. Input: a CSV or XLSX file with a column of CNPJs, and a snapshot. Output: the
 * same file, with a status and registry fields added to each row. Prints progress and the number of
 * CNPJs per outcome on standard error.
 * Invariant: the bytes equal those of a server's enrichment of the same file. The new file appears
 * whole or not at all, and the input is never changed. Wrong flags are reported before any work.
 */
import { existsSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, extname, resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { AppError, CommandError } from "../../errors.ts";
import {
  type EnrichmentSummary,
  enrichFile,
  readLayout,
  SHEET_FORMATS,
  type SheetFormat,
} from "../../export/enrichment/enrichment.ts";
import {
  type CnpjOutcome,
  type EnrichmentOptions,
  OUTCOMES,
  outcomeWords,
} from "../../export/enrichment/outcomes.ts";
import { writeNew, writeWhole } from "../../export/files/sink.ts";
import { notWritten } from "../../files/storage.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { ColumnRefusal } from "../../lists/column.ts";
import { XlsxRefusal } from "../../lists/xlsx/package.ts";
import type { SheetReason } from "../../lists/xlsx/workbook.ts";
import { stderr, visibleLine } from "../../process/terminal.ts";
import type { Segment } from "../../search/segment.ts";
import { LABEL_LANGUAGES, type LabelLanguage } from "../../spec/fields/words.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, type OutputField } from "../../spec/fields.ts";
import { wordFor } from "../../text/amounts.ts";
import { didYouMean } from "../../text/suggest.ts";
import { type Progress, progress } from "../support/progress.ts";
import { isSystemError } from "../support/systemerrors.ts";

interface EnrichFlags {
  readonly snapshot: string;
  readonly out: string;
  readonly fields: readonly OutputField[];
  readonly labels?: LabelLanguage;
  readonly column?: string;
  readonly sheet?: string;
  readonly fillZeros?: true;
  readonly force?: true;
}

/** Signals that end the work. The partial file is removed. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

class Ended extends Error {}

const EXAMPLES = `
Examples:
  $ peneira enrich clients.xlsx --snapshot 2026-10.peneira --out enriched.xlsx --labels pt
  $ peneira enrich suppliers.csv --snapshot 2026-10.peneira --out enriched.csv \\
      --fields legal_name,registration_status,email,phone_1
  $ peneira enrich suppliers.csv --snapshot 2026-10.peneira --out enriched.csv --column documento`;

/** Adds `peneira enrich` to the program. */
export function registerEnrich(program: Command): void {
  program
    .command("enrich")
    .summary("append fields of the registry to a file of CNPJs")
    .description(
      "Writes a copy of a CSV or XLSX file with a status and fields of the registry appended to " +
        "each row. The column of CNPJs is found by its name or content. Your rows and cells stay " +
        "as they are.",
    )
    .argument("<file>", "the CSV or XLSX file with the CNPJs")
    .requiredOption("--snapshot <file>", "the snapshot to look in (required)")
    .requiredOption("--out <file>", "file to write (required); its ending decides the format")
    .addOption(
      new Option("--fields <names>", "output fields, separated by commas")
        .argParser(fieldsOf)
        .default(DEFAULT_FIELDS, DEFAULT_FIELDS.join(",")),
    )
    .addOption(
      new Option("--labels <language>", "headings and values in words of this language").choices(
        LABEL_LANGUAGES,
      ),
    )
    .option("--column <name>", "header or number of the column of CNPJs; for XLSX also its letters")
    .option("--sheet <name>", "sheet of a workbook; by default the one with the most CNPJs")
    .option("--fill-zeros", "restore the leading zeros that a number has lost")
    .option("--force", "replace the file if it exists")
    .addHelpText("after", EXAMPLES)
    .action(run);
}

function fieldsOf(text: string): readonly OutputField[] {
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  if (names.includes("")) {
    throw new InvalidArgumentError(
      "Name fields with commas between them, such as legal_name,email, or leave --fields out for " +
        "the default ones.",
    );
  }
  for (const name of names) {
    if (OUTPUT_FIELD_NAMES.some((known) => known === name)) continue;
    throw new InvalidArgumentError(
      `There is no field ${JSON.stringify(name)}${didYouMean(name, OUTPUT_FIELD_NAMES)}.`,
    );
  }
  return names as OutputField[];
}

async function run(file: string, flags: EnrichFlags): Promise<void> {
  const problem = problemOf(file, flags);
  if (problem !== null) throw new CommandError(problem, 2);
  const { fields, labels = null, column, sheet, fillZeros = false } = flags;
  const options = { fields, labels, column, sheet, fillZeros };
  const segment = await openAnySegment(flags.snapshot);
  const started = performance.now();
  try {
    const format = formatOf(flags.out);
    await reported(file, () => readLayout(file, options, format));
    const { out, force = false } = flags;
    const summary = await enrich(segment, { file, out, force, options, format });
    stderr.print(summaryText(flags.out, summary, (performance.now() - started) / 1_000));
  } finally {
    segment.close();
  }
}

/** Endings of the new file. One that names no format keeps the format of the file that is read. */
const ENDINGS: ReadonlySet<string> = new Set([...SHEET_FORMATS, "", "txt", "tsv"]);

/** Returns why the command cannot use these paths, or null if it can. */
function problemOf(file: string, { out, force }: EnrichFlags): string | null {
  if (!existsSync(file)) return `there is no file ${file}`;
  if (!statSync(file).isFile()) return `${file} is no file, but a folder or a device`;
  const folder = dirname(resolve(out));
  if (out === "" || out === "-") return "--out must name a file";
  const ending = extname(out).slice(1).toLowerCase();
  if (!ENDINGS.has(ending)) return `--out must end with .csv or .xlsx, not .${ending}`;
  if (!existsSync(folder)) return `there is no folder ${folder} for --out`;
  if (resolve(out) === resolve(file)) return "--out must be another file than the one that is read";
  if (!existsSync(out)) return null;
  if (!statSync(out).isFile()) return `--out must be a file, but ${out} is a folder or a device`;
  return force ? null : `${out} exists; --force replaces it`;
}

/** Returns the format that the new file's name denotes, or undefined if it denotes none. */
function formatOf(out: string): SheetFormat | undefined {
  const ending = extname(out).slice(1).toLowerCase();
  if (ending === "txt" || ending === "tsv") return "csv";
  return SHEET_FORMATS.find((format) => format === ending);
}

/** The input and output of the command. */
interface Files {
  readonly file: string;
  readonly out: string;
  /** True to replace the output if it exists. */
  readonly force: boolean;
  readonly options: EnrichmentOptions;
  readonly format: SheetFormat | undefined;
}

/** Enriches with a progress display. A signal ends it between two batches. */
async function enrich(
  segment: Segment,
  { file, out, force, options, format }: Files,
): Promise<EnrichmentSummary> {
  let signal: NodeJS.Signals | null = null;
  let display: Progress | null = null;
  const end = (received: NodeJS.Signals) => {
    signal = received;
  };
  const work = {
    ...{ segment, options, path: file, format },
    onProgress: (done: number, total: number) => {
      display ??= progress("enrich", total);
      display.update(done);
      if (done === total) display.done();
    },
    onFound: () => {},
    checkCancelled: () => {
      if (signal !== null) throw new Ended(`${signal} ended it; ${out} was not written`);
    },
    spare: () => availableParallelism() > 1,
  };
  for (const name of ENDING) process.on(name, end);
  try {
    const write = force ? writeWhole : writeNew;
    const written = await reported(file, () =>
      write(resolve(out), (take) => enrichFile({ ...work, write: take })),
    );
    return written.filled;
  } catch (error) {
    throw error instanceof Ended ? new CommandError(error.message, 1, error) : failure(error, out);
  } finally {
    for (const name of ENDING) process.off(name, end);
  }
}

function failure(error: unknown, out: string): unknown {
  if (error instanceof AppError || !isSystemError(error)) return error;
  if (error.code === "EEXIST") {
    const detail = "appeared while the command ran, and was not replaced; --force replaces it";
    return new CommandError(`${out} ${detail}`, 1, error);
  }
  return new CommandError(
    notWritten(out, error) ?? `${out} was not written: ${error.message}`,
    1,
    error,
  );
}

/** Runs work that reads the file. Converts read errors to a message. */
async function reported<Value>(file: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ColumnRefusal) && !(error instanceof XlsxRefusal)) throw error;
    // The message names the member of a request; here a flag has the same name.
    const message = error.message.replaceAll("column=<header>", "--column <header>");
    throw new CommandError(`${file} cannot be enriched. ${message}`, 1, error);
  }
}

/** Reasons for the choice of a sheet. */
const CHOSEN: Readonly<Record<SheetReason, string>> = {
  first_with_cnpjs: "the first with a column of CNPJs",
  after_cover: "the one with a column of CNPJs after a cover",
  most_cnpjs: "the one with the most CNPJs",
  only_with_data: "the only visible one with data",
  named: "the one that --sheet names",
};

/** Returns the sheet with the reason for its choice, and the sheets that were not read. */
function sheetText({ sheet, reason, others, hidden }: EnrichmentSummary["source"]): string {
  if (sheet === null) return "";
  const name = ` of sheet ${JSON.stringify(sheet)}`;
  if (others + hidden === 0 || reason === null) return name;
  const left = `${others}${hidden === 0 ? "" : `, hidden ones: ${hidden}`}`;
  return `${name}, ${CHOSEN[reason]}; other sheets not enriched: ${left}`;
}

function summaryText(out: string, summary: EnrichmentSummary, seconds: number): string {
  const { rows, found, column, equals, source, outcomes } = summary;
  const count = (value: number) => value.toLocaleString("en-US");
  const lines = OUTCOMES.flatMap((outcome) => {
    const times = outcomes[outcome] ?? 0;
    return times > 0 && isOther(outcome)
      ? [`  ${count(times)} ${outcomeWords(outcome, "en")}`]
      : [];
  });
  return [
    `${visibleLine(out)}: ${count(rows)} ${wordFor(rows, "row")}, ` +
      `${count(found)} with an account, ${seconds.toFixed(2)} s`,
    `column ${JSON.stringify(column)}${sheetText(source)}`,
    ...equalText(equals),
    ...lines,
    "",
  ].join("\n");
}

/** Returns a line about other columns with as many CNPJs, if there are any. */
function equalText(equals: readonly string[]): string[] {
  if (equals.length === 0) return [];
  const named = equals.map((name) => JSON.stringify(name)).join(", ");
  return [`the first of the columns with as many CNPJs; --column names another: ${named}`];
}

/** True for outcomes that are reported in addition to the found accounts. */
function isOther(outcome: CnpjOutcome): boolean {
  return outcome !== "found";
}
