/**
 * `peneira diff`. Input: an older and a newer snapshot, and optionally a spec and a file of CNPJs.
 * Output: every account that entered, left, or changed, as a table, one JSON document, JSON lines,
 * or CSV on standard output. Standard error gets the totals, the months, and the time.
 * Invariant: CSV and JSON lines are the bytes of an export of the same query, because the rows come
 * from src/changes/rows.ts. Accounts are printed as soon as they are found. Only a table is
 * buffered to its end, because its columns are as wide as their longest cell. The result is exact.
 * Neither a signal nor a closed pipe leaves temporary files.
 */
import { type Command, Option } from "commander";
import { comparedCells, comparedGroups, comparedNames } from "../../changes/compared.ts";
import { CHANGE_KINDS, type ChangeKind } from "../../changes/kinds.ts";
import type { ChangeList } from "../../changes/list.ts";
import {
  type ChangeEntry,
  type ChangeQuery,
  type ChangeTotals,
  changeBatches,
  changeCatalog,
  changeTotals,
  changeWarnings,
  unwatchable,
  watchableFields,
} from "../../changes/query.ts";
import {
  CHANGE_COLUMNS,
  type ChangeItem,
  type ChangeRowsOptions,
  changeItems,
  changeRows,
} from "../../changes/rows.ts";
import { CommandError } from "../../errors.ts";
import { csvHead } from "../../export/formats/text.ts";
import { openAnySegment } from "../../ingest/columns/boot.ts";
import { REFUSALS } from "../../lists/entries.ts";
import { bindToFile } from "../../lists/listbinding.ts";
import type { Upload } from "../../lists/upload.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import { rowOf as rowOfCnpj } from "../../search/clauses.ts";
import type { Segment } from "../../search/segment.ts";
import { CHANGE_GROUPS, type ChangeGroup, fieldsOfGroup } from "../../spec/fields/groups.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, type OutputField } from "../../spec/fields.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import { isJsonObject } from "../../spec/reader.ts";
import type { AccountQuerySpec } from "../../spec/schema.ts";
import { readLeadQuery } from "../../translate/leads/leadquery.ts";
import { Interrupts, listOfPair } from "../support/changelist.ts";
import { positive, readEntryFile, readSpecFile } from "../support/inputfiles.ts";
import {
  PRINT_FORMATS,
  type PrintedAccount,
  type PrintFormat,
  printTable,
} from "../support/print.ts";

/** The flags as parsed by commander. */
export interface DiffFlags {
  readonly spec?: string;
  readonly format: PrintFormat;
  readonly list?: string;
  readonly companies?: true;
  readonly column?: string;
  readonly fillZeros?: true;
  readonly kind?: readonly string[];
  readonly changed?: readonly string[];
  readonly watch?: readonly string[];
  readonly fields?: readonly string[];
  readonly limit?: number;
  readonly cache?: string;
}

/** Accounts in a table without --limit. */
const TABLE_LIMIT = 100;

const EXAMPLES = `
An account entered if it matches the spec in the newer snapshot only. It left if it matches in the
older one only. It changed if it matches in both and a watched field differs. Without --spec, every
account of the registry counts. With --list, only the accounts in the file count; a root (the first
8 characters of a CNPJ) in the file stands for all accounts of its company.

Examples:
  $ peneira diff 2026-09.peneira 2026-10.peneira
  $ peneira diff 2026-09.peneira 2026-10.peneira --spec bakeries.json --kind entered --format csv
  $ peneira diff 2026-09.peneira 2026-10.peneira --list clients.xlsx --changed status,contact
  $ echo '{"filters":{"geo":{"uf_any_of":["AC"]}}}' |
      peneira diff 2026-09.peneira 2026-10.peneira --spec - --watch email,phone_1 --format jsonl`;

/** Adds `peneira diff` to the program. */
export function registerDiff(program: Command): void {
  program
    .command("diff <old> <new>")
    .summary("list the changes from one snapshot to a newer one")
    .description("Lists the accounts that entered, left, or changed, ascending by CNPJ.")
    .option("--spec <file>", "only accounts that match this spec (JSON); - reads standard input")
    .option("--list <file>", "only the CNPJs of this CSV or XLSX file; - reads standard input")
    .option(
      "--column <name>",
      "header or number of the list's column (default: the one with CNPJs)",
    )
    .option("--fill-zeros", "accept numbers of the list that have lost their leading zeros")
    .option("--companies", "every CNPJ of the list stands for its whole company")
    .addOption(
      new Option("--format <format>", "how to print").choices(PRINT_FORMATS).default("table"),
    )
    .option(
      "--kind <kinds>",
      `kinds to list, separated by commas: ${CHANGE_KINDS.join(", ")} (default: all)`,
      listed,
    )
    .option(
      "--watch <fields>",
      "fields whose change counts (default: all fields from the registry)",
      listed,
    )
    .option(
      "--changed <groups>",
      "only accounts in which one of these changed; --kind adds those that entered or left: " +
        CHANGE_GROUPS.join(", "),
      listed,
    )
    .option("--fields <fields>", "fields to show (default: those of the spec)", listed)
    .option(
      "--limit <n>",
      `maximum number of accounts (default: ${TABLE_LIMIT} in a table, else all)`,
      positive,
    )
    .option("--cache <dir>", "cache the comparison in this folder, for later specs")
    .addHelpText("after", EXAMPLES)
    .action(runDiff);
}

/** Runs the command. @throws CommandError */
export async function runDiff(old: string, now: string, flags: DiffFlags): Promise<void> {
  const groups = flags.changed === undefined ? null : groupsOf(flags.changed);
  const kinds = kindsOf(flags.kind ?? (groups === null ? CHANGE_KINDS : ["changed"]));
  refuseListFlags(flags);
  const input = flags.spec === undefined ? {} : readSpecFile(flags.spec);
  const started = performance.now();
  const interrupts = new Interrupts();
  const opened: { close(): void }[] = [];
  try {
    const older = await openAnySegment(old);
    opened.unshift(older);
    const newer = await openAnySegment(now);
    opened.unshift(newer);
    const unbound = specOf({ older, newer }, input, flags);
    const watch = watchOf({ older, newer }, flags.watch, groups);
    for (const warning of unbound.explain.warnings) stderr.print(`warning: ${warning}\n`);
    const spec = await listedSpec({ older, newer }, unbound, flags);
    const list = await listOfPair({ older, newer }, flags.cache, interrupts);
    opened.unshift(list);
    await print({ list, spec, kinds, watch }, flags, { started, interrupts });
  } finally {
    interrupts.end();
    for (const one of opened) one.close();
  }
}

/** Splits a comma-separated list. */
function listed(text: string): string[] {
  return text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
}

/** Refuses list flags without --list, and two inputs that both read standard input. */
function refuseListFlags({ list, spec, companies, column, fillZeros }: DiffFlags): void {
  if (list === "-" && spec === "-") {
    throw new CommandError("--spec and --list cannot both read standard input.", 2);
  }
  if (list !== undefined) return;
  if (companies !== undefined || column !== undefined || fillZeros !== undefined) {
    throw new CommandError("--companies, --column, and --fill-zeros need --list FILE.", 2);
  }
}

/** Restricts the spec to the CNPJs in the file of `--list`. Reports texts that are not CNPJs. */
async function listedSpec(
  { older, newer }: Pair,
  spec: AccountQuerySpec,
  { list: file, companies, column, fillZeros }: DiffFlags,
): Promise<AccountQuerySpec> {
  if (file === undefined) return spec;
  const upload = await readEntryFile(file, { fillZeros: fillZeros === true, column });
  const isKnown = (cnpj: string) => rowOfCnpj(newer, cnpj) >= 0 || rowOfCnpj(older, cnpj) >= 0;
  await upload.takeKnown(isKnown, () => undefined);
  const { read, refused, refusedCount } = upload;
  for (const { line, cell, reason } of refused) {
    stderr.print(`${cell ?? `line ${line}`}: ${REFUSALS[reason]}\n`);
  }
  const found = read - refusedCount;
  if (found === 0) {
    const detail = `${file} has no CNPJ; ${refusedCount} of its texts were not understood.`;
    throw new CommandError(`${detail} Name their column with --column.`);
  }
  stderr.print(`${file}: ${found} CNPJs read, ${refusedCount} not understood\n${placeOf(upload)}`);
  const entries = Buffer.concat(upload.entries(companies === true));
  return bindToFile(spec, [older, newer], entries);
}

/** Returns which sheet and column of a workbook were read, or "" for other files. */
function placeOf({ sheet }: Upload): string {
  if (sheet === null) return "";
  const others = sheet.others === 0 ? "" : `; other sheets not read: ${sheet.others}`;
  const place = `column ${JSON.stringify(sheet.column)} of sheet ${JSON.stringify(sheet.name)}`;
  return `${place}${others}\n`;
}

/** Returns the groups of fields that `--changed` names. */
function groupsOf(names: readonly string[]): ChangeGroup[] {
  const unknown = names.filter((name) => !CHANGE_GROUPS.some((group) => group === name));
  if (unknown.length > 0 || names.length === 0) {
    const found = unknown.length > 0 ? `, not ${unknown.join(", ")}` : "";
    throw new CommandError(`--changed must be of ${CHANGE_GROUPS.join(", ")}${found}.`, 2);
  }
  return CHANGE_GROUPS.filter((group) => names.includes(group));
}

function kindsOf(names: readonly string[] = CHANGE_KINDS): ChangeKind[] {
  const unknown = names.filter((name) => !CHANGE_KINDS.some((kind) => kind === name));
  if (unknown.length > 0 || names.length === 0) {
    const found = unknown.length > 0 ? `, not ${unknown.join(", ")}` : "";
    throw new CommandError(`--kind must be of ${CHANGE_KINDS.join(", ")}${found}.`, 2);
  }
  return CHANGE_KINDS.filter((kind) => names.includes(kind));
}

interface Pair {
  readonly older: Segment;
  readonly newer: Segment;
}

function watchOf(
  { older, newer }: Pair,
  names: readonly string[] | undefined,
  groups: readonly ChangeGroup[] | null,
): OutputField[] {
  const known = watchableFields(older, newer, OUTPUT_FIELD_NAMES);
  const grouped = groups?.flatMap(fieldsOfGroup) ?? known;
  const all = known.filter((field) => grouped.includes(field));
  if (all.length === 0) {
    const why = unwatchable(older, newer, grouped).map((field) => `${field.name}: ${field.why}.`);
    throw new CommandError(["--changed names what cannot be watched.", ...why].join("\n"), 2);
  }
  if (names === undefined) return all;
  const wrong = unwatchable(older, newer, names);
  if (wrong.length > 0 || names.length === 0) {
    const reasons = wrong.map(({ name, why }) => `${name} cannot be watched: ${why}.`);
    throw new CommandError(["--watch names fields to watch.", ...reasons].join("\n"), 2);
  }
  const watched = all.filter((field) => names.includes(field));
  if (watched.length > 0) return watched;
  throw new CommandError(
    "No field of --watch is in a group of --changed. Leave one of them out.",
    2,
  );
}

/** Normalizes the spec as for an export. Ignored options become warnings. */
function specOf({ older, newer }: Pair, input: unknown, flags: DiffFlags): AccountQuerySpec {
  const catalog = changeCatalog(older, newer);
  const isLead = isJsonObject(input) && input.kind === "lead_query";
  const { exportLimitMax: most } = SPEC_LIMITS;
  const segment = { ...newer, catalog };
  const lead = isLead && readLeadQuery(input, { segment, limitDefault: most, limitCap: most });
  const { spec } = normalizeSpec(lead ? lead.compiled : input, {
    catalog,
    limitDefault: most,
    limitCap: most,
    bodyOutput: {
      format: flags.format === "csv" ? "csv" : "jsonl",
      ...(flags.fields === undefined ? {} : { fields: flags.fields }),
    },
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "export",
    fullAllowed: true,
  });
  const ignored = isLead ? [LEAD_WARNING] : changeWarnings(input);
  const warnings = [...spec.explain.warnings, ...ignored];
  return { ...spec, explain: { ...spec.explain, warnings } };
}

const LEAD_WARNING =
  "sort, limit and one_per_company of a lead query are ignored: every account counts.";

/** Start time and signal handling of the command. */
interface Run {
  readonly started: number;
  readonly interrupts: Interrupts;
}

async function print(query: ChangeQuery, flags: DiffFlags, run: Run): Promise<void> {
  const most = flags.limit ?? (flags.format === "table" ? TABLE_LIMIT : Number.POSITIVE_INFINITY);
  const printer = printerOf(flags.format, query, (text) => stdout.data(text));
  const totals = await changeTotals(query);
  printer.begin(totals);
  const printed = await printEntries(query, printer, most, run.interrupts);
  printer.end(printed);
  const wanted = query.kinds.reduce((sum, kind) => sum + totals[kind], 0);
  const counts = CHANGE_KINDS.map((kind) => `${totals[kind].toLocaleString("en-US")} ${kind}`);
  const seconds = ((performance.now() - run.started) / 1000).toFixed(2);
  stderr.print(
    `${monthsOf(query.list)}: ${counts.join(", ")} (${seconds} s)\n` +
      (printed < wanted ? `${printed} of ${wanted} shown; use --limit to show more\n` : ""),
  );
}

/** Prints up to `most` accounts. Returns how many were printed. */
async function printEntries(
  query: ChangeQuery,
  printer: DiffPrinter,
  most: number,
  interrupts: Interrupts,
): Promise<number> {
  let printed = 0;
  for await (const batch of changeBatches(query)) {
    interrupts.check();
    const entries = batch.slice(0, most - printed);
    printer.entries(entries);
    printed += entries.length;
    if (printed >= most) break;
  }
  return printed;
}

function monthsOf({ older, newer }: ChangeList): string {
  return `${older.label} (${older.snapshotDate}) to ${newer.label} (${newer.snapshotDate})`;
}

/** Prints one result by calls of `begin`, then `entries` for each batch, then `end`. */
interface DiffPrinter {
  begin(totals: ChangeTotals): void;
  entries(batch: readonly ChangeEntry[]): void;
  end(count: number): void;
}

type Write = (text: Uint8Array | string) => void;

const nothing = (): void => undefined;

function printerOf(format: PrintFormat, query: ChangeQuery, write: Write): DiffPrinter {
  const printers = { table: tableOf, json: jsonOf, jsonl: linesOf, csv: csvOf };
  return printers[format](query, write);
}

function csvOf({ list, spec, watch }: ChangeQuery, write: Write): DiffPrinter {
  const { fields, delimiter = ",", labels } = spec.output;
  const compared = { watch, groups: comparedGroups(spec, watch), labels };
  const columns = [...CHANGE_COLUMNS, ...fields, ...compared.groups.flatMap(comparedNames)];
  const options: ChangeRowsOptions = {
    ...{ format: "csv", fields, delimiter, labels },
    added: (_segment, _rows, entries) => comparedCells(list, entries, compared),
  };
  return {
    begin: () => write(csvHead(columns, spec.output)),
    entries(batch) {
      for (const part of changeRows(list, batch, options)) write(part);
    },
    end: nothing,
  };
}

function linesOf({ list, spec }: ChangeQuery, write: Write): DiffPrinter {
  const options = { format: "jsonl", fields: spec.output.fields } as const;
  return {
    begin: nothing,
    entries(batch) {
      for (const part of changeRows(list, batch, options)) write(part);
    },
    end: nothing,
  };
}

/** Prints one document. Writes each account when it is found. */
function jsonOf({ list, spec }: ChangeQuery, write: Write): DiffPrinter {
  let separator = "\n";
  const snapshot = ({ label, snapshotDate }: Segment) => ({
    snapshot: label,
    snapshot_date: snapshotDate,
  });
  // The spec refers to the entries of --list as if they were a saved list. There is no such list,
  // so the printed spec leaves it out.
  const { lists: _, ...filters } = spec.filters;
  const shownSpec = { ...spec, filters };
  return {
    begin(totals) {
      const head = {
        since: snapshot(list.older),
        until: snapshot(list.newer),
        spec: shownSpec,
        totals,
      };
      write(`${JSON.stringify(head).slice(0, -1)},"changes":[`);
    },
    entries(batch) {
      for (const item of changeItems(list, batch, spec.output.fields)) {
        write(`${separator}${JSON.stringify(item)}`);
        separator = ",\n";
      }
    },
    end: (count) => write(`\n],"count":${count}}\n`),
  };
}

function tableOf({ list, spec }: ChangeQuery, write: Write): DiffPrinter {
  const fields = spec.output.fields.filter((name) => name !== "cnpj");
  const buffered: PrintedAccount[] = [];
  return {
    begin: nothing,
    entries(batch) {
      buffered.push(...changeItems(list, batch, fields).map(rowOf));
    },
    end: () => write(printTable(buffered, ["change", "cnpj", ...fields, "what"])),
  };
}

/** Returns an account's values, with old and new value of every changed field. */
function rowOf({ cnpj, change, changed_fields: changed, before, after }: ChangeItem) {
  const shown = (value: unknown) => (value === null ? "-" : String(value));
  const what = changed.map((name) => `${name} ${shown(before?.[name])} > ${shown(after?.[name])}`);
  return { ...(after ?? before), change, cnpj, what: what.join("; ") || null };
}
