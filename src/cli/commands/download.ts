/**
 * `peneira download`: downloads a month's zips into their own folder, or lists the months.
 * Invariant: wrong flags are reported before any request (exit 2). A signal ends the work with the
 * signal's exit code. The next run resumes partial files.
 */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { placeOf, readShares } from "../../download/address.ts";
import { DownloadError, Interrupted } from "../../download/downloaderror.ts";
import { downloadTable, type FetchedTable, type ServiceTable } from "../../download/ibge.ts";
import { PUBLIC_LISTS, type PublicList } from "../../download/lists/names.ts";
import {
  downloadLists,
  type FetchedList,
  type ListsUse,
} from "../../download/lists/publiclists.ts";
import {
  type ByteDisplay,
  type Downloaded,
  downloadMonth,
  type Listener,
  type ShareUse,
  sourcesContextOf,
} from "../../download/month.ts";
import {
  type ListedMonth,
  listMonthAt,
  listMonths,
  NotReady,
  trySources,
} from "../../download/months.ts";
import { proxyRules } from "../../download/proxy.ts";
import { inspectParts } from "../../download/releasedate.ts";
import type { SourcesContext } from "../../download/source.ts";
import { sizeText } from "../../download/words.ts";
import { CommandError } from "../../errors.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import type { Config } from "../../settings/config.ts";
import { wordFor } from "../../text/amounts.ts";
import { configOf } from "../support/config.ts";
import { progress } from "../support/progress.ts";

/** Flags that `download` and `update` share. */
export interface ShareFlags {
  /**
   * Addresses of the share (the public folder with the registry's zips) or its mirrors, in order of
   * preference. The flag can be repeated.
   */
  readonly url?: readonly string[];
  readonly proxy?: string;
  readonly streams?: string;
  readonly config?: string;
}

/** The flags as parsed by commander. */
export interface DownloadFlags extends ShareFlags {
  readonly to?: string;
  readonly list?: true;
  readonly all?: true;
  readonly verify?: true;
  readonly replace?: true;
  readonly places?: true;
  readonly descriptors?: true;
  /** True for all lists, or names separated by commas. */
  readonly publicLists?: true | string;
  readonly json?: true;
}

const NOTES = `
The zips are collected in DIR/YYYY-MM.part. The folder becomes DIR/YYYY-MM when every zip is there
and all have one date, checked before and after the transfer. After any interruption, run the
command again: it resumes, or starts over if the month was published again. A finished month is
only checked. The partners (Socios, 0.7 of 7.7 GB) are left out; only \`peneira import
--corporate-partners\` reads them.

The registry's share accepts requests only from Brazil, and refuses many cloud providers. Elsewhere
use a proxy in Brazil (--proxy or HTTPS_PROXY; NO_PROXY applies) or a mirror. A mirror is a web
server's listing of folders YYYY-MM or YYYY-MM-DD, a public S3 bucket, or a file:// folder. Repeat
--url for several mirrors: if one cannot be reached or lacks the month, the command reports it and
tries the next.
Put the user and password of a proxy into the environment: PENEIRA_DOWNLOAD_PROXY or HTTPS_PROXY.
--places and --descriptors use IBGE's open service (setting download.ibge_url) instead, for
\`peneira import --places\` and the setting translate.descriptors.

--public-lists fetches other data for \`peneira import --public-lists\`. It takes the newest CEIS,
CNEP, and CEPIM (3.7 MB) from the Portal da Transparência, and PGFN's debts (1.4 GB). Give
names to fetch only those lists. A list gets its final name once it has been checked; the previous
one is then removed if this command downloaded it.

The settings are download.url, download.proxy, download.streams, and download.stall_seconds
(\`peneira config\`).

Examples:
  $ peneira download --list
  $ peneira download --to dumps
  $ peneira download 2026-10 --to dumps && peneira import dumps/2026-10 --out 2026-10.peneira
  $ peneira download --places --descriptors --to tables
  $ peneira download --public-lists --to lists
  $ peneira download --public-lists ceis,cnep --to lists
  $ peneira download --to dumps --proxy socks5h://127.0.0.1:1080
  $ peneira download --to dumps --url https://mirror.example/cnpj/ --url file:///mnt/cnpj`;

/** Adds `peneira download` to the program. */
export function registerDownload(program: Command): void {
  const command = program
    .command("download")
    .summary("fetch a month of the registry from its public share")
    .description("Fetches the zips of one monthly release of the registry from its public share.")
    .argument("[month]", "month as YYYY-MM (default: the newest complete one)")
    .option(
      "--to <dir>",
      "folder in which the month gets its folder (required, except with --list)",
    )
    .option("--list", "list the months of the share instead")
    .option("--all", "also the zips of the partners (Socios)")
    .option("--verify", "also compare the checksums of all bytes, which every import does too")
    .option("--replace", "replace a finished month if the share has published it again")
    .option("--places", "instead of a month: IBGE's regions, as places.csv for an import")
    .option(
      "--descriptors",
      "instead of a month: IBGE's descriptions of activities, as descriptors.csv",
    )
    .option(
      "--public-lists [names]",
      "instead of a month: lists of sanctions and debts: ceis,cnep,cepim,pgfn (default: all)",
    );
  shareOptions(command)
    .option("--json", "print one JSON document")
    .addHelpText("after", NOTES)
    .action((month: string | undefined, flags: DownloadFlags) => runDownload(month, flags));
}

/** Adds the flags that configure access to the share. */
export function shareOptions(command: Command): Command {
  return command
    .option(
      "--url <address>",
      "address of a share or mirror; repeat it for alternatives (setting download.url)",
      (one: string, before: readonly string[] = []) => [...before, one],
    )
    .option(
      "--proxy <address>",
      "address of an HTTP or SOCKS5 proxy, or 'direct' for none " + "(setting download.proxy)",
    )
    .option("--streams <n>", "concurrent files (setting download.streams)")
    .option("--config <file>", "JSON file with settings");
}

/** Runs the command. A signal ends the process. @throws CommandError */
export async function runDownload(month: string | undefined, flags: DownloadFlags): Promise<void> {
  refuse(month, flags);
  const config = configOfShare(flags);
  await untilSignal(async (signal) => {
    const use = shareUse(config, signal);
    if (flags.list) return printMonths(use, flags);
    if (flags.places || flags.descriptors) return downloadTables(config, signal, flags);
    if (flags.publicLists) return fetchLists(use, config, flags);
    const { all = false, replace = false, verify = false } = flags;
    const to = resolve(flags.to as string);
    const options = { ...use, month: month ?? null, to, all, replace, verify };
    const downloaded = await downloadMonth(options);
    printDownloaded(downloaded);
    if (flags.json) stdout.data(`${JSON.stringify(downloaded)}\n`);
  });
}

/** Tables of IBGE's service that flags select. */
const SERVICE_TABLES = ["places", "descriptors"] as const satisfies readonly ServiceTable[];

/** Fetches tables of IBGE's service sequentially. */
async function downloadTables(
  config: Config,
  signal: AbortSignal,
  flags: DownloadFlags,
): Promise<void> {
  const use = {
    url: config.get("download.ibge_url"),
    proxies: proxyRules(config.get("download.proxy"), process.env),
    stallMs: config.get("download.stall_seconds") * 1000,
    ...{ signal, listener: LISTENER },
  };
  const files: FetchedTable[] = [];
  for (const name of SERVICE_TABLES) {
    if (flags[name]) files.push(await downloadTable(name, resolve(flags.to as string), use));
  }
  if (flags.json) stdout.data(`${JSON.stringify({ files })}\n`);
}

/** Fetches the lists that a flag names. */
async function fetchLists(use: ShareUse, config: Config, flags: DownloadFlags): Promise<void> {
  const to = resolve(flags.to as string);
  const lists = readListNames(flags.publicLists, []);
  const options = { ...listsUse(use, config, to), verify: flags.verify === true };
  const fetched = await downloadLists(lists, options, printList);
  if (flags.json) stdout.data(`${JSON.stringify({ lists: fetched })}\n`);
}

/** Returns the options of a download of lists. */
export function listsUse(use: ShareUse, config: Config, to: string): ListsUse {
  return {
    ...use,
    sanctionsUrl: config.get("download.sanctions_url"),
    debtsUrl: config.get("download.debts_url"),
    to,
    verify: false,
    check: async (path, list) => {
      const { readSanctions } = await import("../../ingest/sanctions.ts");
      return readSanctions(path, LAST_DAY, list);
    },
  };
}

/**
 * Date for which a list is checked. It decides which sanctions are in force, which has no effect on
 * a check.
 */
const LAST_DAY = "9999-12-31";

/** Parses names of lists. A flag without a value means all lists. Adds mistakes to `problems`. */
export function readListNames(
  flag: true | string | undefined,
  problems: string[],
): readonly PublicList[] {
  if (flag === undefined || flag === true) return flag === true ? PUBLIC_LISTS : [];
  const names = flag.split(",").map((name) => name.trim().toLowerCase());
  const unknown = names.filter((name) => !PUBLIC_LISTS.includes(name as PublicList));
  if (unknown.length > 0) {
    const known = PUBLIC_LISTS.join(", ");
    problems.push(`--public-lists takes names of ${known}, not "${unknown.join(",")}"`);
  }
  return PUBLIC_LISTS.filter((list) => names.includes(list));
}

/** Prints a list that was fetched, or that was already here. */
export function printList({ path, files, bytes, fetched_bytes, already }: FetchedList): void {
  const what = `${path}: ${files} ${wordFor(files, "zip")}, ${sizeText(bytes)}`;
  LISTENER.report(
    already ? `${what}; the newest, nothing to fetch` : `${what}; ${sizeText(fetched_bytes)} came`,
  );
}

function refuse(month: string | undefined, flags: DownloadFlags): void {
  const problems: string[] = [];
  if (month !== undefined && !/^20\d\d-(0[1-9]|1[0-2])$/.test(month)) {
    problems.push(`the month must be written as YYYY-MM, not "${month}"`);
  }
  const lists = flags.publicLists === undefined ? [] : (["public-lists"] as const);
  const tables = [...SERVICE_TABLES.filter((name) => flags[name]), ...lists];
  for (const table of tables) {
    if (month !== undefined) problems.push(`--${table} fetches no month; leave ${month} out`);
    for (const name of ["list", "all", "verify", "replace", "url", "streams"] as const) {
      const used = table === "public-lists" && (name === "verify" || name === "streams");
      if (flags[name] && !used) problems.push(`--${name} does nothing with --${table}`);
    }
  }
  if (lists.length > 0 && tables.length > 1) {
    problems.push("--public-lists and --places or --descriptors are two downloads");
  }
  readListNames(flags.publicLists, problems);
  if (flags.list && tables.length === 0) {
    if (month !== undefined) problems.push("--list lists all months; leave the month out");
    for (const name of ["verify", "replace"] as const) {
      if (flags[name]) problems.push(`--${name} does nothing with --list`);
    }
  } else if (flags.list !== true && (flags.to === undefined || flags.to.trim() === "")) {
    problems.push("say --to DIR (where the month's folder is put), or --list");
  }
  if (problems.length > 0) throw new CommandError(problems.join("\n"), 2);
}

/** Reads the settings of a command that uses the share. @throws CommandError (exit 2) */
export function configOfShare({ url, proxy, streams, config }: ShareFlags): Config {
  const flags = {
    "download.url": url?.join(" "),
    "download.proxy": proxy,
    "download.streams": streams,
  };
  return configOf(flags, config);
}

/** Returns the settings of the share as options of a download. */
export function shareUse(config: Config, signal: AbortSignal): ShareUse {
  return {
    shares: readShares(config.get("download.url")),
    proxies: proxyRules(config.get("download.proxy"), process.env),
    streams: config.get("download.streams"),
    stallMs: config.get("download.stall_seconds") * 1000,
    signal,
    listener: LISTENER,
  };
}

/** Runs work that SIGINT, SIGTERM, and SIGHUP abort. Then exits with the signal's exit code. */
export async function untilSignal(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const control = new AbortController();
  const end = (name: NodeJS.Signals): void => {
    // A second signal ends the process immediately.
    if (control.signal.aborted) process.exit(128 + constants.signals[name]);
    control.abort(new Interrupted(name));
  };
  for (const name of SIGNALS) process.on(name, end);
  try {
    await work(control.signal);
  } catch (error) {
    if (!(control.signal.reason instanceof Interrupted)) throw error;
    LISTENER.report(control.signal.reason.message);
    process.exit(128 + constants.signals[control.signal.reason.signal]);
  } finally {
    for (const name of SIGNALS) process.off(name, end);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Writes lines and progress bars to standard error. */
const LISTENER: Listener = {
  report(text) {
    if (stderr.isTTY) stderr.redraw(`${text}\n`);
    else stderr.print(`${text}\n`);
  },
  show(label, bytes) {
    const [size, unit] = bytes < 20e6 ? [1e3, "kB"] : [1e6, "MB"];
    const shown = progress(label, Math.ceil(bytes / size), stderr, unit);
    return ticking((done) => shown.update(done / size), shown.done);
  },
};

/** Refreshes the display every second, even if no bytes arrive. */
function ticking(update: (done: number) => void, end: () => void): ByteDisplay {
  let last = 0;
  const timer = setInterval(() => update(last), 1_000);
  timer.unref();
  return {
    update(done) {
      last = done;
      update(done);
    },
    done() {
      clearInterval(timer);
      end();
    },
  };
}

/** Prints the result of a download. */
export function printDownloaded(downloaded: Downloaded): void {
  const { folder, files, bytes, fetched_bytes: fetched, seconds, already, token } = downloaded;
  const release = token === null ? "" : `, ${token}`;
  const what = `${folder}: ${files} ${wordFor(files, "zip")}, ${sizeText(bytes)}${release}`;
  const rate = sizeText(Math.round(fetched / Math.max(seconds, 0.001)));
  LISTENER.report(
    already
      ? `${what}; complete, nothing to fetch`
      : `${what}; ${sizeText(fetched)} came, ${rate}/s`,
  );
}

interface ListedLine {
  readonly month: string;
  readonly complete: boolean;
  readonly files: number;
  readonly missing: readonly string[];
  readonly bytes: number;
  readonly modified: string | null;
  /** Why a complete month cannot be downloaded, or null if it can, or if it was not checked. */
  readonly problem: string | null;
  /** True if the folder of `--to` contains the month. */
  readonly downloaded: boolean;
}

async function printMonths(use: ShareUse, { all, to, json }: DownloadFlags): Promise<void> {
  const partners = all === true;
  const context = sourcesContextOf(use);
  const lines: ListedLine[] = [];
  const labels = await listMonths(context);
  for (const [index, label] of labels.entries()) {
    const opensZips = index < MONTHS_OPENED;
    const found = await inspectMonth({ context, streams: use.streams, label, partners, opensZips });
    const { files, missing, bytes, modified } = found.month;
    lines.push({
      month: label,
      complete: missing.length === 0 && found.problem === null,
      files: files.length,
      missing,
      bytes,
      modified,
      problem: found.problem,
      downloaded: to !== undefined && existsSync(join(to, label)),
    });
    if (!json) stdout.print(lineOf(lines.at(-1) as ListedLine));
  }
  const places = use.shares.map(placeOf);
  if (json) {
    const [url] = places;
    stdout.data(`${JSON.stringify({ url, partners, months: lines })}\n`);
  }
  if (lines.length === 0) {
    throw new CommandError(`There are no months at ${places.join(", ")}. Check download.url.`);
  }
}

/** Number of newest months that a download would try. Only their zips are inspected. */
const MONTHS_OPENED = 3;

interface MonthInspection {
  readonly context: SourcesContext;
  readonly streams: number;
  readonly label: string;
  readonly partners: boolean;
  /** True to open the zips if all of them are listed. */
  readonly opensZips: boolean;
}

/** Returns a month's files, and the reason why the month cannot be downloaded, if known. */
async function inspectMonth({ context, streams, label, partners, opensZips }: MonthInspection) {
  let month: ListedMonth = { label, files: [], missing: [], bytes: 0, modified: null };
  try {
    await trySources(context, async (source) => {
      month = await listMonthAt({ ...context, source }, label, partners);
      const isWhole = month.missing.length === 0;
      if (opensZips && isWhole) await inspectParts({ ...context, source }, { streams }, month);
    });
    return { month, problem: null };
  } catch (error) {
    if (!(error instanceof NotReady || error instanceof DownloadError)) throw error;
    return { month, problem: error.message };
  }
}

function lineOf({ month, files, missing, bytes, modified, ...more }: ListedLine): string {
  const { downloaded, problem } = more;
  const day = modified?.slice(0, 10) ?? "unknown   ";
  const gaps =
    missing.length === 0 ? "" : `  ${missing.length} ${wordFor(missing.length, "zip")} missing`;
  const size = sizeText(bytes).padStart(10);
  const why = problem === null ? "" : `  ${problem.replace(/\s*\n\s*/g, " ")}`;
  const state = `${gaps}${downloaded ? "  downloaded" : ""}${why}`;
  return `${month}  ${files} zips ${size}  ${day}${state}\n`;
}
