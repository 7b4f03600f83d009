/**
 * `peneira export`: writes the file that a server would make of a snapshot and a spec. Prints its
 * rows, bytes, SHA-256, and seconds on standard error.
 * Invariant: the same snapshot and spec give the same bytes as on a server. The file appears whole
 * or not at all, and a signal leaves no temporary file. Wrong flags are reported before any work.
 */
import { existsSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { type Command, Option } from "commander";
import { CommandError } from "../../errors.ts";
import type { ExportFormat } from "../../export/record.ts";
import { RenderCancelled, type RenderedFile, renderExport } from "../../export/render.ts";
import { notWritten } from "../../files/storage.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { stderr } from "../../process/terminal.ts";
import type { Segment } from "../../search/segment.ts";
import { LABEL_LANGUAGES, type LabelLanguage } from "../../spec/fields/words.ts";
import {
  COMPRESSIONS,
  CSV_DELIMITERS,
  DEFAULT_FIELDS,
  EXPORT_FORMATS,
  OUTPUT_FIELD_NAMES,
  type Packing,
} from "../../spec/fields.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import { PRESET_NAMES, type PresetName } from "../../spec/presets.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { wordFor } from "../../text/amounts.ts";
import { kindOfName, otherKind } from "../support/ending.ts";
import { positive, specSource } from "../support/inputfiles.ts";
import { type Progress, progress } from "../support/progress.ts";

/** The flags as parsed by commander. */
export interface ExportFlags {
  readonly snapshot: string;
  readonly spec?: string;
  readonly text?: string;
  readonly out: string;
  readonly format?: ExportFormat;
  readonly limit?: number;
  readonly explain?: true;
  readonly compression?: Packing;
  readonly bom?: true;
  readonly delimiter?: (typeof CSV_DELIMITERS)[number];
  readonly labels?: LabelLanguage;
  readonly preset?: PresetName;
  readonly title?: string;
  readonly force?: true;
}

/** Signals that end the work. The partial file is removed. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const EXAMPLES = `
Examples:
  $ peneira export --snapshot 2026-10.peneira --spec bakeries.json --format csv --out bakeries.csv
  $ peneira export --snapshot 2026-10.peneira --spec bakeries.json --labels pt --out bakeries.xlsx
  $ echo '{"filters":{"geo":{"uf_any_of":["AC"]}}}' |
      peneira export --snapshot 2026-10.peneira --spec - --format parquet --out acre.parquet`;

/** Adds `peneira export` to the program. */
export function registerExport(program: Command): void {
  program
    .command("export")
    .summary("write the accounts that match a spec to a file")
    .description(
      "Writes the accounts that match a spec to a file with the same bytes as a server's export.",
    )
    .requiredOption("--snapshot <file>", "the snapshot to export from (required)")
    .option("--spec <file>", "the spec as JSON; - reads standard input")
    .option("--text <sentence>", "a Portuguese, English, or Spanish sentence instead of a spec")
    .requiredOption("--out <file>", "file to write (required); its folder must exist")
    .addOption(
      new Option(
        "--format <format>",
        "file format (default: by the ending of --out, else the spec's, else csv)",
      ).choices(EXPORT_FORMATS),
    )
    .addOption(
      new Option(
        "--compression <kind>",
        "csv, html, jsonl: compression (default: by the ending of --out, .csv.gz or .csv.zst)",
      ).choices(COMPRESSIONS),
    )
    .option(
      "--limit <n>",
      "maximum number of accounts (default: the spec's limit, else all)",
      positive,
    )
    .option("--explain", "add score parts and the matched activity to every row")
    .option("--bom", "csv: begin with a byte order mark, for spreadsheets")
    .addOption(
      new Option("--delimiter <character>", "csv: delimiter of cells").choices(CSV_DELIMITERS),
    )
    .addOption(
      new Option(
        "--labels <language>",
        "csv, xlsx, html: headings and values in words of this language",
      ).choices(LABEL_LANGUAGES),
    )
    .addOption(
      new Option(
        "--preset <name>",
        "csv, xlsx, html: columns of a call list (sales), or those that a CRM imports",
      ).choices(PRESET_NAMES),
    )
    .option("--title <title>", "title of the file")
    .option("--force", "replace the file if it exists")
    .addHelpText("after", EXAMPLES)
    .action(async (flags: ExportFlags) => runExport(flags));
}

/** Runs the command. @throws CommandError for wrong flags (exit 2), or if writing fails. */
export async function runExport(flags: ExportFlags): Promise<void> {
  refuseOut(flags);
  kindOfName(flags.out, flags);
  const specOf = specSource(flags);
  const segment = await openAnySegment(flags.snapshot);
  try {
    const input = specOf(segment);
    const other = otherKind(flags.out, input, flags);
    if (other !== null) stderr.print(`warning: ${other}\n`);
    const spec = normalize(segment, input, flags);
    for (const warning of spec.explain.warnings) stderr.print(`warning: ${warning}\n`);
    const started = performance.now();
    const file = await render(segment, spec, flags.out);
    summarize(flags.out, file, (performance.now() - started) / 1000);
  } finally {
    segment.close();
  }
}

/** Refuses an unusable output path; `--force` only allows replacing a file. */
function refuseOut({ out, force }: ExportFlags): void {
  const folder = dirname(resolve(out));
  const problem =
    out === "" || out === "-"
      ? "--out must name a file; `peneira search --format csv` prints rows"
      : !existsSync(folder)
        ? `there is no folder ${folder} for --out`
        : !existsSync(out)
          ? null
          : !statSync(out).isFile()
            ? `--out must be a file, but ${out} is a folder or a device`
            : force
              ? null
              : `${out} exists; --force replaces it`;
  if (problem !== null) throw new CommandError(problem, 2);
}

/** Normalizes the spec without the limits of a plan. */
function normalize(segment: Segment, input: unknown, flags: ExportFlags): AccountQuerySpec {
  const { limit, explain, bom, delimiter, labels, preset, title } = flags;
  const { format, compression } = kindOfName(flags.out, flags);
  return normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: SPEC_LIMITS.exportLimitMax,
    limitCap: SPEC_LIMITS.exportLimitMax,
    bodyLimit: limit,
    bodyOutput: {
      ...(format && { format }),
      ...(compression && { compression }),
      ...(explain && { include_explain: true }),
      ...(bom && { bom }),
      ...(delimiter && { delimiter }),
      ...(labels && { labels }),
      ...(preset && { preset }),
      ...(title !== undefined && { title }),
    },
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "export",
    fullAllowed: true,
  }).spec;
}

/** Renders with a progress display. A signal ends it between two batches. */
async function render(
  segment: Segment,
  spec: AccountQuerySpec,
  out: string,
): Promise<RenderedFile> {
  let signal: NodeJS.Signals | null = null;
  let display: Progress | null = null;
  const end = (received: NodeJS.Signals) => {
    signal = received;
  };
  const onProgress = (done: number, total: number) => {
    display ??= progress("export", total);
    display.update(done);
    if (done === total) display.done();
  };
  for (const name of ENDING) process.on(name, end);
  try {
    const path = resolve(out);
    return await renderExport({
      segment,
      spec,
      path,
      onProgress,
      cancelled: () => signal !== null,
      spare: () => availableParallelism() > 1,
    });
  } catch (error) {
    throw failureOf(error, out, signal);
  } finally {
    for (const name of ENDING) process.off(name, end);
  }
}

/** Converts an expected error to a CommandError. Returns any other error, a bug, unchanged. */
function failureOf(error: unknown, out: string, signal: NodeJS.Signals | null): unknown {
  if (error instanceof RenderCancelled) {
    return new CommandError(`${signal} ended the export; ${out} was not written`, 1, error);
  }
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const reason = notWritten(out, error) ?? `${out} was not written: ${message}`;
  return new CommandError(reason, 1, error);
}

function summarize(out: string, file: RenderedFile, seconds: number): void {
  const { rowCount, sizeBytes, sha256 } = file;
  const count = (value: number, one: string) =>
    `${value.toLocaleString("en-US")} ${wordFor(value, one)}`;
  stderr.print(
    `${out}: ${count(rowCount, "row")}, ${count(sizeBytes, "byte")}, ${seconds.toFixed(2)} s\n` +
      `SHA-256 ${sha256}\n`,
  );
}
