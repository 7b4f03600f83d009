/**
 * `peneira import`: makes a snapshot file. Prints a summary on standard error, and writes a JSON
 * report on request.
 * Invariant: every wrong flag is named in one message before any work (exit 2). The output path
 * holds either its previous content or the whole new snapshot.
 */
import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { isDay, isMonth } from "../../../native-index/format/snapshot/meta-schema.ts";
import { listsIn } from "../../download/lists/names.ts";
import { CommandError } from "../../errors.ts";
import { makeFolders } from "../../files/newfolder.ts";
import type { ImportOptions } from "../../ingest/dump-import.ts";
import type { ImportReport } from "../../ingest/report.ts";
import { stderr } from "../../process/terminal.ts";
import { refuseSnapshotName } from "../support/ending.ts";
import { progress } from "../support/progress.ts";
import { isSystemError, systemErrorText, withWriteErrors } from "../support/systemerrors.ts";

/** More threads would wait for the disk and waste memory. */
const THREADS_MAX = 8;

/** A source with more malformed rows than this is not a month of the registry. */
const BAD_ROWS_MAX = 1_000_000;

/** Flags of the public lists. */
const LIST_FLAGS = ["ceis", "cnep", "cepim", "pgfn"] as const;

/** The flags as parsed by commander. */
export interface ImportFlags {
  readonly out: string;
  readonly label?: string;
  readonly date?: string;
  readonly population?: string;
  readonly ceis?: string;
  readonly cnep?: string;
  readonly cepim?: string;
  readonly pgfn?: string;
  /** Folder of downloaded lists. A list's own flag takes precedence. */
  readonly publicLists?: string;
  readonly corporatePartners?: boolean;
  readonly places?: string;
  readonly municipalities?: string;
  readonly keepCpf?: boolean;
  readonly partial?: boolean;
  readonly force?: boolean;
  /** Path of the newest older snapshot. Only `peneira update` sets it. */
  readonly replaces?: string;
  readonly skipBadRows?: string;
  readonly report?: string;
  readonly threads?: string;
}

/** Adds `peneira import` to the program. */
export function registerImport(program: Command): void {
  program
    .command("import")
    .summary("make a snapshot from a dump folder, or from an Arrow or Parquet file")
    .description(
      "Makes a snapshot from a folder with the zips of one month, or from an Arrow or Parquet " +
        "file with the columns that `peneira inspect` lists.",
    )
    .argument("<source>", "folder with the zips of one month, or a .parquet or .arrow file")
    .requiredOption(
      "--out <file>",
      "snapshot to write (required); an existing one is replaced at the end",
    )
    .option("--label <YYYY-MM>", "month of the release (default: from the folder's name)")
    .option(
      "--date <YYYY-MM-DD>",
      "reference date (default: from the names of the files in the zips)",
    )
    .option("--population <csv>", "inhabitants by IBGE code, header like code_muni;2024")
    .option("--ceis <file>", "sanctioned companies: YYYYMMDD_CEIS.csv or its zip")
    .option("--cnep <file>", "punished companies: YYYYMMDD_CNEP.csv or its zip")
    .option("--cepim <file>", "barred nonprofits: YYYYMMDD_CEPIM.csv or its zip")
    .option("--pgfn <folder>", "debts to the federal government: PGFN's three zips of a quarter")
    .option(
      "--public-lists <folder>",
      "folder that download --public-lists wrote; imports all its lists",
    )
    .option("--corporate-partners", "read which companies are partners of others, from Socios")
    .option(
      "--places <csv>",
      "regions and town centers of municipalities, used to understand sentences",
    )
    .option(
      "--municipalities <csv>",
      "official TOM and IBGE codes, for municipalities whose names differ from IBGE's",
    )
    .option("--keep-cpf", "keep the CPF (tax number of a person) in legal and trade names")
    .option("--partial", "accept missing parts, and parts without rows")
    .option("--force", "replace a snapshot even if the new one has under 98% of its accounts")
    .option("--skip-bad-rows <n>", "leave out and count up to n malformed rows (default: 0)")
    .option("--report <json>", "file for the import report, as JSON, even if the import fails")
    .option("--threads <n>", "threads to use (default: all cores, at most 8)")
    .addHelpText(
      "after",
      `
The folder of the output needs free space for about one finished snapshot, temporary files included;
\`peneira update\` requires about twice as much, because it only knows the size of the zips.
Space and permission are checked before the first row. Irregular values are counted and reported. A
damaged or incomplete dump is refused.

Examples:
  $ peneira import dumps/2026-10 --out 2026-10.peneira
  $ peneira import 2026-08 --out 2026-08.peneira --population populacao_2024.csv`,
    )
    .action(async (source: string, flags: ImportFlags) => {
      refuseSnapshotName(flags.out);
      await runImport(source, flags);
    });
}

/** Runs the command. @throws CommandError (exit 2 for wrong flags, 1 for a refused source). */
export async function runImport(source: string, flags: ImportFlags): Promise<ImportReport> {
  const options = readImportFlags(source, flags);
  const report = await importAndRecord(options, flags.report);
  const { summarize } = await import("../../ingest/report.ts");
  stderr.print(summarize(report));
  if (flags.report !== undefined) {
    await writeReport(flags.report, report, `The snapshot ${report.out} is in place.`);
  }
  return report;
}

interface FailedImport extends Pick<ImportReport, "source" | "out"> {
  /** Why there is no snapshot. */
  readonly problem: string;
}

/** Imports. If a report was requested, a failure is written to it, too. */
async function importAndRecord(
  options: ImportOptions,
  report: string | undefined,
): Promise<ImportReport> {
  const { source, out } = options;
  try {
    return await withWriteErrors(out, () => {
      makeFolders(dirname(out));
      return importSource(options);
    });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (report !== undefined) await writeReport(report, { source, out, problem });
    throw error;
  }
}

/** A report that cannot be written is only a warning, because the import has already ended. */
async function writeReport(
  path: string,
  report: ImportReport | FailedImport,
  more = "",
): Promise<void> {
  try {
    await withWriteErrors(path, async () => {
      writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    stderr.print(`warning: ${`${error.message} ${more}`.trim()}\n`);
  }
}

/** Returns why a report cannot be written to a path, or null. Does not change an existing file. */
function whyNoReport(path: string): string | null {
  const there = statSync(path, { throwIfNoEntry: false }) ?? null;
  if (there?.isDirectory()) return `--report must be a file, but ${path} is a folder`;
  // A pipe or a device must be opened only once, for writing.
  if (there !== null && !there.isFile()) return null;
  try {
    closeSync(openSync(path, "a"));
    if (there === null) rmSync(path);
    return null;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `--report cannot be written: ${systemErrorText(error)}`;
  }
}

async function importSource(options: ImportOptions): Promise<ImportReport> {
  if (statSync(options.source).isDirectory()) {
    const { importDump } = await import("../../ingest/dump-import.ts");
    return importDump(options);
  }
  const { importColumns } = await import("../../ingest/columns/columns-import.ts");
  return importColumns(options);
}

/** Checks the flags. @throws CommandError (exit 2) that names every wrong one. */
export function readImportFlags(source: string, flags: ImportFlags): ImportOptions {
  const problems: string[] = [];
  const threads = Number(flags.threads ?? Math.min(THREADS_MAX, availableParallelism()));
  if (!Number.isInteger(threads) || threads < 1 || threads > 64) {
    problems.push(`--threads must be a whole number from 1 to 64, not "${flags.threads}"`);
  }
  const skipBadRows = Number(flags.skipBadRows ?? 0);
  if (!Number.isInteger(skipBadRows) || skipBadRows < 0 || skipBadRows > BAD_ROWS_MAX) {
    const limit = BAD_ROWS_MAX.toLocaleString("en-US");
    problems.push(
      `--skip-bad-rows must be a whole number from 0 to ${limit}, not "${flags.skipBadRows}"`,
    );
  }
  if (flags.label !== undefined && !(isMonth(flags.label) && isOurCentury(flags.label))) {
    problems.push(`--label must be a month of 2000 to 2099 as YYYY-MM, not "${flags.label}"`);
  }
  if (flags.date !== undefined && !(isDay(flags.date) && isOurCentury(flags.date))) {
    problems.push(`--date must be a day of 2000 to 2099 as YYYY-MM-DD, not "${flags.date}"`);
  }
  const { population, places, municipalities, publicLists } = flags;
  const lists = { ...listsOfFolder(publicLists, problems), ...listsOf(flags) };
  const given = [population, ...LIST_FLAGS.map((name) => flags[name]), places, municipalities];
  for (const path of [source, ...given]) {
    if (path !== undefined && !existsSync(path))
      problems.push(`there is no file or folder ${path}`);
  }
  const found = statSync(source, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory() && !found.isFile()) {
    problems.push(`${source} is neither a folder nor a regular file`);
  }
  if (existsSync(flags.out) && !statSync(flags.out).isFile()) {
    problems.push(`--out must be a file, but ${flags.out} is a folder or a device`);
  }
  const noReport = flags.report === undefined ? null : whyNoReport(flags.report);
  if (noReport !== null) problems.push(noReport);
  if (problems.length > 0) throw new CommandError(problems.join("\n"), 2);
  return {
    source: resolve(source),
    out: resolve(flags.out),
    ...(flags.label === undefined ? {} : { label: flags.label }),
    ...(flags.date === undefined ? {} : { date: flags.date }),
    ...(population === undefined ? {} : { population }),
    ...lists,
    ...(places === undefined ? {} : { places }),
    ...(municipalities === undefined ? {} : { municipalities }),
    corporatePartners: flags.corporatePartners === true,
    keepCpf: flags.keepCpf === true,
    partial: flags.partial === true,
    force: flags.force === true,
    ...(flags.replaces === undefined ? {} : { replaces: flags.replaces }),
    skipBadRows,
    threads,
    startStage: (label, total, unit) => progress(label, total, stderr, unit),
  };
}

/** Returns the lists in a folder of downloads. Adds a mistake if it has none. */
function listsOfFolder(folder: string | undefined, problems: string[]) {
  if (folder === undefined) return {};
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    problems.push(`--public-lists must be a folder, and ${folder} is none`);
    return {};
  }
  const found = listsIn(resolve(folder));
  if (Object.keys(found).length === 0) {
    problems.push(
      `${folder} has no list such as 20260930_CEIS.zip; fetch them with ` +
        "`peneira download --public-lists --to FOLDER`",
    );
  }
  return found;
}

/** Returns the public lists that the flags name. */
export function listsOf(flags: Readonly<Partial<Record<ListFlag, string>>>) {
  const given = LIST_FLAGS.filter((name) => flags[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, flags[name]])) as Partial<
    Record<ListFlag, string>
  >;
}

type ListFlag = (typeof LIST_FLAGS)[number];

/** True for a day in the 2000s. The registry has been published only since 2018. */
function isOurCentury(day: string): boolean {
  return day.startsWith("20");
}
