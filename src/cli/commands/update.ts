/**
 * `peneira update`: adds the newest month of the share to a folder of snapshots. The share is the
 * server that publishes the registry's files. The command also exits with 0 if there is no newer
 * month.
 * Invariant: one update at a time. A snapshot appears under its name in one step, and only when it
 * is whole. If the command is interrupted, the next run resumes and removes partial files.
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ShareFault } from "../../download/downloaderror.ts";
import { listsIn, type PublicList } from "../../download/lists/names.ts";
import { downloadLists } from "../../download/lists/publiclists.ts";
import {
  type Downloaded,
  type DownloadOptions,
  downloadMonth,
  sourcesContextOf,
} from "../../download/month.ts";
import { listMonths, NotReady } from "../../download/months.ts";
import { checkSpace, makeFolder, type SpaceNeed } from "../../download/workfolder.ts";
import { CommandError } from "../../errors.ts";
import { checkStoreAddress } from "../../files/objectaddress.ts";
import { DiskRefusal } from "../../ingest/workspace.ts";
import { systemClock } from "../../process/clock.ts";
import { stdout } from "../../process/terminal.ts";
import type { Config } from "../../settings/config.ts";
import { tryLock } from "../../store/database.ts";
import { syncDirectory } from "../../store/datadir.ts";
import { printCheck } from "../update/check.ts";
import { type RefusedMonth, writeLastCheck } from "../update/lastcheck.ts";
import { countChanges, type MonthCounts } from "../update/monthcounts.ts";
import {
  type KnownSnapshot,
  keepNewest,
  listSnapshots,
  type Retention,
  snapshotName,
} from "../update/snapshots.ts";
import {
  configOfShare,
  listsUse,
  printDownloaded,
  printList,
  readListNames,
  type ShareFlags,
  shareOptions,
  shareUse,
  untilSignal,
} from "./download.ts";
import { listsOf, readImportFlags, runImport } from "./import.ts";

/**
 * Peak number of bytes on disk during an import, including the snapshot, divided by the bytes of
 * the zips. For `peneira sample` (1 million accounts), 6.3 was measured. The registry's zips are
 * compressed more, by about a sixth.
 */
const IMPORT_FACTOR = 7.5;
/** Number of newest months to try. The newest one may still be incomplete. */
const MONTHS_TRIED = 3;

/** Folder of the public lists, next to the zips. It stays for the next update. */
const LISTS = "lists";

/** The flags as parsed by commander. */
export interface UpdateFlags extends ShareFlags {
  readonly dir: string;
  readonly check?: true;
  /** Address of a store with finished snapshots. */
  readonly snapshot?: string;
  readonly work?: string;
  readonly keepDump?: true;
  readonly keep?: string;
  readonly population?: string;
  readonly ceis?: string;
  readonly cnep?: string;
  readonly cepim?: string;
  readonly pgfn?: string;
  /** True for all lists, or names separated by commas. */
  readonly publicLists?: true | string;
  readonly corporatePartners?: true;
  readonly places?: string;
  readonly municipalities?: string;
  readonly keepCpf?: true;
  readonly force?: true;
  readonly threads?: string;
  readonly json?: true;
}

/** Result of an update. */
export interface UpdateReport {
  readonly updated: boolean;
  /** Newest month now in the folder. */
  readonly month: string | null;
  readonly snapshot: string | null;
  readonly accounts: number | null;
  readonly downloaded: Downloaded | null;
  /** Newest month that the share lists, complete or not. */
  readonly published: string | null;
  /** Newer months of the share that could not be used, with the reasons. */
  readonly skipped: readonly { readonly month: string; readonly why: string }[];
  /** Changes from the previous month to the newest one, or null without a previous month. */
  readonly changes: MonthCounts | null;
  readonly removed: Retention["removed"];
  /** Older snapshots that --keep did not remove, with the reasons. */
  readonly kept: Retention["kept"];
}

const NOTES = `
The command is made for cron and systemd timers. It does nothing if no month is newer, and resumes
after an interruption. \`peneira serve --snapshot DIR\` opens the new snapshot by itself. A snapshot
is 3 to 4 times as large as the zips. Before the download, the command requires free space for the
zips, and 7.5 times their size for the snapshot and temporary files, with a margin.
All snapshots are kept unless --keep is given; \`peneira diff\` and /v1/changes need the older ones.
A snapshot that a server or a command still reads is never removed.

When a new month is downloaded, --public-lists also fetches the newest lists of sanctions and debts
into \`lists\` in the folder of --work, and imports them. If a publisher cannot be reached, the list
of the last update is imported with a warning. If there is none, the update fails before the import.

The command reports how many establishments entered, left, and changed since the previous month, and
writes this to DIR/.update.changes.json. It writes the state of the share to
DIR/.update.check.json, from which a server that serves this folder derives the metrics
peneira_snapshot_months_behind and peneira_update_check_age_seconds.

With --snapshot s3://… the command imports nothing: it fetches the newest YYYY-MM.peneira of a store
with the keys in files.access_key and files.secret_key. It resumes an interrupted fetch, and checks
every checksum. This way, all servers of a fleet get the month that one machine imported.

--check downloads nothing and prints one JSON document: the newest published month, the newest
local month, the month that an update would import, and each newer month that it would skip, with
the reason. The exit code is 0 if the share answered, and 1 if it did not.

Examples:
  $ peneira update --dir snapshots
  $ peneira update --dir snapshots --keep 13 --population populacao_2024.csv
  $ peneira update --dir snapshots --work /scratch/dumps --keep-dump --json
  $ peneira update --dir snapshots --check
  $ peneira update --dir snapshots --snapshot s3://leads/months --keep 13`;

/** Adds `peneira update` to the program. */
export function registerUpdate(program: Command): void {
  const command = program
    .command("update")
    .summary("download and import the newest month, if there is a newer one")
    .description("Keeps a folder of snapshots up to date with the registry's public share.")
    .requiredOption(
      "--dir <dir>",
      "folder of the snapshots, YYYY-MM.peneira (required); created if missing",
    )
    .option("--check", "only report the published and the local months, as JSON")
    .option("--snapshot <address>", "fetch the newest finished snapshot of a store: s3://…")
    .option("--work <dir>", "folder for the zips (default: DIR/.download)")
    .option("--keep-dump", "keep the zips after the import")
    .option("--keep <n>", "keep only the newest n snapshots (default: all)")
    .option("--population <csv>", "for the import: inhabitants by IBGE code")
    .option("--ceis <file>", "for the import: sanctioned companies")
    .option("--cnep <file>", "for the import: punished companies")
    .option("--cepim <file>", "for the import: barred nonprofits")
    .option("--pgfn <folder>", "for the import: debts to the federal government, PGFN's three zips")
    .option(
      "--public-lists [names]",
      "also download and import lists: ceis,cnep,cepim,pgfn (default: all)",
    )
    .option("--corporate-partners", "also download Socios, and read which companies own others")
    .option(
      "--places <csv>",
      "for the import: regions and town centers (default: those of the previous month)",
    )
    .option("--municipalities <csv>", "for the import: official TOM and IBGE codes")
    .option("--keep-cpf", "for the import: keep CPFs in names")
    .option(
      "--force",
      "for the import: accept a month with under 98% of the previous month's accounts",
    )
    .option("--threads <n>", "for the import: threads to use");
  shareOptions(command)
    .option("--json", "print one JSON document")
    .addHelpText("after", NOTES)
    .action((flags: UpdateFlags) => runUpdate(flags));
}

/** Runs the command. A signal ends the process. @throws CommandError */
export async function runUpdate(flags: UpdateFlags): Promise<void> {
  const keep = flags.keep === undefined ? null : Number(flags.keep);
  refuse(flags, keep);
  const config = configOfShare(flags);
  const folder = resolve(flags.dir);
  if (flags.check) return untilSignal((signal) => runCheck({ flags, config, folder, signal }));
  await makeFolder(join(folder, ".update"));
  const unlock = tryLock(folder, ".update.lock");
  if (unlock === null) throw new CommandError(`Another update works in ${folder}.`);
  try {
    await untilSignal(async (signal) => {
      const report = await new Update({ flags, config, folder, keep, signal }).runAndRecord();
      if (flags.json) stdout.data(`${JSON.stringify(report)}\n`);
    });
  } finally {
    unlock();
  }
}

/** Prints the published and the local months. @throws CommandError if the check fails */
function runCheck({ flags, config, folder, signal }: Omit<UpdateParts, "keep">): Promise<void> {
  return printCheck({
    use: shareUse(config, signal),
    folder,
    dumps: dumpsOf(flags, folder),
    monthsTried: MONTHS_TRIED,
    needs: (bytes) => spaceNeedsOf(join(folder, ".update"), bytes),
    clock: systemClock,
  });
}

function dumpsOf({ work }: UpdateFlags, folder: string): string {
  return work === undefined ? join(folder, ".download") : resolve(work);
}

/** Returns the disk space that importing this many bytes of zips needs. */
function spaceNeedsOf(desk: string, bytes: number): SpaceNeed[] {
  return [{ folder: desk, bytes: Math.ceil(bytes * IMPORT_FACTOR), what: "the import" }];
}

/** Flags that have no effect with --check, which downloads nothing. */
const NOT_WITH_CHECK = {
  keepDump: "--keep-dump",
  keep: "--keep",
  population: "--population",
  ceis: "--ceis",
  cnep: "--cnep",
  cepim: "--cepim",
  pgfn: "--pgfn",
  publicLists: "--public-lists",
  corporatePartners: "--corporate-partners",
  places: "--places",
  municipalities: "--municipalities",
  keepCpf: "--keep-cpf",
  force: "--force",
  threads: "--threads",
} as const satisfies Partial<Record<keyof UpdateFlags, string>>;

/** Flags that have no effect with --snapshot, which fetches a finished file. */
const NOT_WITH_SNAPSHOT = {
  ...NOT_WITH_CHECK,
  keep: undefined,
  check: "--check",
  work: "--work",
  url: "--url",
  proxy: "--proxy",
  streams: "--streams",
} as const satisfies Partial<Record<keyof UpdateFlags, string | undefined>>;

/** Reports every wrong flag, including the import's flags. @throws CommandError (exit 2) */
function refuse(flags: UpdateFlags, keep: number | null): void {
  const problems: string[] = [];
  const { check, snapshot } = flags;
  const form = snapshot === undefined ? null : checkStoreAddress(snapshot);
  if (form !== null) problems.push(`--snapshot must be ${form}`);
  const without = snapshot !== undefined ? NOT_WITH_SNAPSHOT : check ? NOT_WITH_CHECK : {};
  const mode = snapshot === undefined ? "--check" : "--snapshot";
  for (const [flag, name] of Object.entries(without)) {
    if (name !== undefined && flags[flag as keyof UpdateFlags] !== undefined) {
      problems.push(`${name} does nothing with ${mode}`);
    }
  }
  if (keep !== null && !(Number.isInteger(keep) && keep >= 1)) {
    problems.push(`--keep must be a whole number from 1, not "${flags.keep}"`);
  }
  readListNames(flags.publicLists, problems);
  if (flags.dir.trim() === "") problems.push("--dir must name a folder");
  try {
    readImportFlags(".", importFlags(flags, join(flags.dir, snapshotName("2000-01"))));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    problems.push(error.message);
  }
  if (problems.length > 0) throw new CommandError(problems.join("\n"), 2);
}

function importFlags(flags: UpdateFlags, out: string) {
  const { population, places, municipalities, keepCpf, force, threads } = flags;
  const { corporatePartners } = flags;
  return {
    out,
    ...(population === undefined ? {} : { population }),
    ...listsOf(flags),
    ...(corporatePartners === undefined ? {} : { corporatePartners }),
    ...(places === undefined ? {} : { places }),
    ...(municipalities === undefined ? {} : { municipalities }),
    ...(keepCpf === undefined ? {} : { keepCpf }),
    ...(force === undefined ? {} : { force }),
    ...(threads === undefined ? {} : { threads }),
  };
}

interface UpdateParts {
  readonly flags: UpdateFlags;
  readonly config: Config;
  readonly folder: string;
  readonly keep: number | null;
  readonly signal: AbortSignal;
}

function timeNow(): string {
  return new Date(systemClock.nowMs()).toISOString();
}

/** Result of an update, before the changes are counted and older snapshots are removed. */
type Done = Pick<UpdateReport, "updated" | "month" | "snapshot" | "accounts" | "downloaded">;

class Update {
  readonly #parts: UpdateParts;
  readonly #options: Omit<DownloadOptions, "month">;
  /** Working folder of the import, on the disk of the snapshots. Servers ignore it. */
  readonly #desk: string;
  readonly #skipped: { month: string; why: string }[] = [];
  /** Newest month on the share, with the time of the listing, or null until listed. */
  #check: { readonly asked_at: string; readonly published: string | null } | null = null;

  /** The downloaded month if its import failed, or null. Undefined before an import. */
  #refused: RefusedMonth | null | undefined;

  constructor(parts: UpdateParts) {
    const { flags, config, folder, signal } = parts;
    this.#parts = parts;
    this.#desk = join(folder, ".update");
    this.#options = {
      ...shareUse(config, signal),
      to: dumpsOf(flags, folder),
      all: this.#parts.flags.corporatePartners === true,
      replace: true,
      verify: false,
      needs: (bytes) => spaceNeedsOf(this.#desk, bytes),
    };
  }

  /** Runs the update, and writes the outcome next to the snapshots. @throws the errors of `run` */
  async runAndRecord(): Promise<UpdateReport> {
    try {
      const report = await this.run();
      this.#leave(report.updated ? report.month : null, null);
      return report;
    } catch (error) {
      this.#leave(null, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  #leave(month: string | null, problem: string | null): void {
    this.#removeEmpty();
    const last_update = { at: timeNow(), month, problem };
    const refused = this.#refused === undefined ? {} : { refused: this.#refused };
    const news = { ...this.#check, last_update, ...refused };
    writeLastCheck(this.#parts.folder, news, (text) => this.#log(text));
  }

  async run(): Promise<UpdateReport> {
    const { folder } = this.#parts;
    for (const name of readdirSync(this.#desk)) {
      rmSync(join(this.#desk, name), { recursive: true, force: true });
    }
    const newest = (await this.#snapshots())[0] ?? null;
    const { snapshot: address } = this.#parts.flags;
    if (address !== undefined) return this.#fetch(address, newest);
    if (newest !== null) this.#removeDumps((label) => label <= newest.label);
    const downloaded = await this.#download(newest);
    if (downloaded === null) return this.#nothing(newest);
    const accounts = await this.#import(downloaded, newest);
    this.#refused = null;
    const snapshot = join(folder, snapshotName(downloaded.month));
    renameSync(join(this.#desk, snapshotName(downloaded.month)), snapshot);
    syncDirectory(folder);
    this.#log(`${snapshot}: ready to be served`);
    if (!this.#parts.flags.keepDump) rmSync(downloaded.folder, { recursive: true, force: true });
    return this.#report({ updated: true, month: downloaded.month, snapshot, accounts, downloaded });
  }

  /** Fetches the newest snapshot of a store, unless the folder has it. */
  async #fetch(address: string, newest: KnownSnapshot | null): Promise<UpdateReport> {
    const { config, folder, signal } = this.#parts;
    const report = (text: string): void => this.#log(text);
    const options = { config, address, folder, report, signal, newest: newest?.label };
    const { fetchNewest } = await import("../update/fetchsnapshot.ts");
    const { month, path, fetched: updated } = await fetchNewest(options);
    this.#check = { asked_at: timeNow(), published: month };
    const snapshots = await this.#snapshots();
    const found = snapshots.find((one) => one.path === path) ?? newest;
    if (found === null) throw new CommandError(`${path} was fetched, and is not valid.`);
    const { label, accounts, path: snapshot } = found;
    this.#log(
      updated ? `${path}: ready to be served` : `${label} is here, and the store has nothing newer`,
    );
    return this.#report({ updated, month: label, snapshot, accounts, downloaded: null });
  }

  #log(text: string): void {
    this.#options.listener.report(text);
  }

  #snapshots(): Promise<KnownSnapshot[]> {
    return listSnapshots(this.#parts.folder, (text) => this.#log(text));
  }

  /** Downloads the share's newest month after `newest`. Returns null if there is none. */
  async #download(newest: KnownSnapshot | null): Promise<Downloaded | null> {
    const labels = await listMonths(sourcesContextOf(this.#options));
    this.#check = { asked_at: timeNow(), published: labels[0] ?? null };
    const newer = labels.filter((label) => newest === null || label > newest.label);
    for (const month of newer.slice(0, MONTHS_TRIED)) {
      this.#removeDumps((label) => label < month);
      try {
        const newerThan = newest === null ? {} : { newerThan: newest.date };
        const downloaded = await downloadMonth({ ...this.#options, ...newerThan, month });
        printDownloaded(downloaded);
        return downloaded;
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        this.#log(error.message);
        this.#skipped.push({ month, why: error.message });
      }
    }
    return null;
  }

  /** Imports the dump. Fetches a damaged zip again, once. */
  async #import(downloaded: Downloaded, newest: KnownSnapshot | null): Promise<number> {
    checkSpace(spaceNeedsOf(this.#desk, downloaded.bytes));
    const out = join(this.#desk, snapshotName(downloaded.month));
    const replaces = newest === null ? {} : { replaces: newest.path };
    const lists = await this.#lists();
    const flags = { ...lists, ...importFlags(this.#parts.flags, out), ...replaces };
    const run = async () => (await runImport(downloaded.folder, flags)).accounts;
    return run().catch(async (error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      this.#log(`${error.message}\nThe import failed; comparing the checksums of all zips`);
      const { month } = downloaded;
      const again = await downloadMonth({ ...this.#options, month, verify: true });
      if (!again.already) return run();
      // After a failure, the month is not tried again until it is republished. A full disk is the
      // exception, because it may have space later.
      const { token, bytes } = again;
      const stays = !(error instanceof DiskRefusal);
      this.#refused = stays ? { month, token, bytes, why: error.message } : null;
      throw error;
    });
  }

  /** Fetches the requested lists. If one cannot be fetched, uses the copy of an earlier update. */
  async #lists(): Promise<Partial<Record<PublicList, string>>> {
    const { flags, config } = this.#parts;
    const to = join(this.#options.to, LISTS);
    const found: Partial<Record<PublicList, string>> = {};
    // If a list has its own flag, the operator provides its file, so it is not fetched.
    const wanted = readListNames(flags.publicLists, []).filter((list) => flags[list] === undefined);
    for (const list of wanted) {
      try {
        await downloadLists([list], listsUse(this.#options, config, to), printList);
      } catch (error) {
        const earlier = existsSync(to) ? listsIn(to)[list] : undefined;
        if (!(error instanceof ShareFault) || earlier === undefined) throw error;
        this.#log(`warning: ${error.message}\nImporting ${earlier} instead`);
      }
      found[list] = listsIn(to)[list] as string;
    }
    return found;
  }

  #nothing(newest: KnownSnapshot | null): Promise<UpdateReport> {
    if (newest === null) {
      throw new CommandError("There is no snapshot yet, and no month of the share can be taken.");
    }
    const { label: month, path: snapshot, accounts } = newest;
    this.#log(`${month} is the newest month here, and the share has nothing newer that is whole`);
    return this.#report({ updated: false, month, snapshot, accounts, downloaded: null });
  }

  async #report(done: Done): Promise<UpdateReport> {
    const { keep, folder, signal } = this.#parts;
    const snapshots = await this.#snapshots();
    const report = (text: string): void => this.#log(text);
    const changes = await countChanges(snapshots, { folder, desk: this.#desk, signal, report });
    // Removes old snapshots only after their changes were counted.
    const { removed, kept } = keepNewest(snapshots, keep, report);
    const published = this.#check?.published ?? null;
    return { ...done, published, skipped: this.#skipped, changes, removed, kept };
  }

  /** Removes the folder of the zips, if it is the default one and only its lock is left. */
  #removeEmpty(): void {
    const { to } = this.#options;
    if (this.#parts.flags.work !== undefined || !existsSync(to)) return;
    const left = readdirSync(to).filter((name) => !name.startsWith(".download.lock"));
    if (left.length === 0) rmSync(to, { recursive: true, force: true });
  }

  /** Removes dumps that are no longer needed, if the folder is the default one. */
  #removeDumps(over: (label: string) => boolean): void {
    const { work, keepDump } = this.#parts.flags;
    if (work !== undefined || keepDump) return;
    if (!existsSync(this.#options.to)) return;
    for (const name of readdirSync(this.#options.to)) {
      const label = /^(\d{4}-\d\d)(\.part)?$/.exec(name)?.[1];
      if (label !== undefined && over(label)) {
        rmSync(join(this.#options.to, name), { recursive: true, force: true });
      }
    }
  }
}
