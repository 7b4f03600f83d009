/**
 * `peneira update`. What comes in: a folder of snapshots. What goes out: the same folder with the
 * snapshot of a newer month, if the share has one; exit 0 also where there is nothing newer.
 * Invariant: one update at a time; a snapshot appears under its name in one step and only when it
 * is whole; whatever ends the command, the next run goes on, and nothing is left behind for ever.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { wordFor } from "../../amounts.ts";
import type { Config } from "../../config.ts";
import {
  type Downloaded,
  type DownloadOptions,
  downloadMonth,
  inquiryOf,
} from "../../download/month.ts";
import { listMonths } from "../../download/months.ts";
import { NotReady } from "../../download/releasedate.ts";
import { checkSpace, type Demand } from "../../download/space.ts";
import { CommandError } from "../../errors.ts";
import { tryLock } from "../../store/database.ts";
import { syncDirectory } from "../../store/datadir.ts";
import {
  type KnownSnapshot,
  listSnapshots,
  removeOlder,
  snapshotName,
} from "../serving/snapshots.ts";
import {
  configOfShare,
  type ShareFlags,
  sayDownloaded,
  shareOptions,
  shareUse,
  untilSignal,
} from "./download.ts";
import { readImportFlags, runImport } from "./import.ts";

/**
 * Bytes of disk that an import takes at its peak, the snapshot included, for each byte of the zips:
 * 6.3 were counted with `peneira sample` (1 million accounts); the registry packs a sixth tighter.
 */
const IMPORT_FACTOR = 7.5;
/** A new snapshot with less than this share of the newest one's accounts is suspicious. */
const SHARE_MIN = 0.98;
/** So many of the newest months are tried; one that is being published is not complete. */
const MONTHS_TRIED = 3;

/** The flags as commander gives them. */
export interface UpdateFlags extends ShareFlags {
  readonly dir: string;
  readonly work?: string;
  readonly keepDump?: true;
  readonly keep?: string;
  readonly population?: string;
  readonly ceis?: string;
  readonly keepCpf?: true;
  readonly threads?: string;
  readonly json?: true;
}

/** What an update did. */
export interface UpdateReport {
  readonly updated: boolean;
  /** The newest month of the folder now. */
  readonly month: string | null;
  readonly snapshot: string | null;
  readonly accounts: number | null;
  readonly downloaded: Downloaded | null;
  /** Newer months of the share that could not be taken, and why. */
  readonly skipped: readonly { readonly month: string; readonly why: string }[];
  /** Snapshots that --keep removed. */
  readonly removed: readonly string[];
}

const NOTES = `
Meant for cron and systemd timers: does nothing when there is nothing newer, and goes on where it
was when it was ended. \`peneira serve --snapshot DIR\` takes the new snapshot by itself. Snapshots
are 3 times as large as the zips, an import needs 7.5 times as much for a while, and room is checked
before the download. All snapshots are kept unless --keep says otherwise; \`peneira diff\` and
/v1/changes need the older ones.

Examples:
  $ peneira update --dir snapshots
  $ peneira update --dir snapshots --keep 13 --population populacao_2024.csv
  $ peneira update --dir snapshots --work /scratch/dumps --keep-dump --json`;

/** Adds `peneira update` to the program. */
export function registerUpdate(program: Command): void {
  const command = program
    .command("update")
    .summary("download and import the newest month, if there is a newer one")
    .description("Keeps a folder of snapshots up to date with the registry's public share.")
    .requiredOption("--dir <dir>", "folder of the snapshots, YYYY-MM.peneira; made if missing")
    .option("--work <dir>", "folder for the zips (default: DIR/.download)")
    .option("--keep-dump", "leave the zips where they are after the import")
    .option("--keep <n>", "keep only the newest n snapshots (default: all)")
    .option("--population <csv>", "for the import: inhabitants by IBGE code")
    .option("--ceis <file>", "for the import: sanctioned companies")
    .option("--keep-cpf", "for the import: leave the CPF in the names of sole traders")
    .option("--threads <n>", "for the import: threads to use");
  shareOptions(command)
    .option("--json", "print one JSON document")
    .addHelpText("after", NOTES)
    .action((flags: UpdateFlags) => runUpdate(flags));
}

/** Runs the command. @throws CommandError; a signal ends the process. */
export async function runUpdate(flags: UpdateFlags): Promise<void> {
  const keep = flags.keep === undefined ? null : Number(flags.keep);
  refuse(flags, keep);
  const config = configOfShare(flags);
  const folder = resolve(flags.dir);
  makeFolder(join(folder, ".update"));
  const unlock = tryLock(folder, ".update.lock");
  if (unlock === null) throw new CommandError(`Another update works in ${folder}.`);
  try {
    await untilSignal(async (signal) => {
      const report = await new Update({ flags, config, folder, keep, signal }).run();
      if (flags.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    });
  } finally {
    unlock();
  }
}

/** Names every wrong flag, those of the import too. @throws CommandError (exit 2) */
function refuse(flags: UpdateFlags, keep: number | null): void {
  const problems: string[] = [];
  if (keep !== null && !(Number.isInteger(keep) && keep >= 1)) {
    problems.push(`--keep must be a whole number from 1, not "${flags.keep}"`);
  }
  if (flags.dir.trim() === "") problems.push("--dir must name a folder");
  try {
    readImportFlags(".", importFlags(flags, join(flags.dir, snapshotName("2000-01"))));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    problems.push(error.message);
  }
  if (problems.length > 0) throw new CommandError(problems.join("\n"), 2);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    const { message } = error as Error;
    throw new CommandError(`The folder ${path} cannot be made: ${message}.`, 1, error);
  }
}

function importFlags({ population, ceis, keepCpf, threads }: UpdateFlags, out: string) {
  return {
    out,
    ...(population === undefined ? {} : { population }),
    ...(ceis === undefined ? {} : { ceis }),
    ...(keepCpf === undefined ? {} : { keepCpf }),
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

class Update {
  readonly #parts: UpdateParts;
  readonly #wish: Omit<DownloadOptions, "month">;
  /** Where the import works; on the disk of the snapshots, out of a server's sight. */
  readonly #desk: string;
  readonly #skipped: { month: string; why: string }[] = [];

  constructor(parts: UpdateParts) {
    const { flags, config, folder, signal } = parts;
    this.#parts = parts;
    this.#desk = join(folder, ".update");
    this.#wish = {
      ...shareUse(config, signal),
      to: flags.work === undefined ? join(folder, ".download") : resolve(flags.work),
      all: false,
      replace: true,
      verify: false,
      demands: (bytes) => this.#demands(bytes),
    };
  }

  async run(): Promise<UpdateReport> {
    const { folder } = this.#parts;
    for (const name of readdirSync(this.#desk)) {
      rmSync(join(this.#desk, name), { recursive: true, force: true });
    }
    const newest = (await this.#snapshots())[0] ?? null;
    if (newest !== null) this.#removeDumps((label) => label <= newest.label);
    const downloaded = await this.#download(newest);
    if (downloaded === null) return this.#nothing(newest);
    const accounts = await this.#import(downloaded, newest);
    const snapshot = join(folder, snapshotName(downloaded.month));
    renameSync(join(this.#desk, snapshotName(downloaded.month)), snapshot);
    syncDirectory(folder);
    this.#say(`${snapshot}: ready to be served`);
    if (!this.#parts.flags.keepDump) rmSync(downloaded.folder, { recursive: true, force: true });
    return this.#report({ updated: true, month: downloaded.month, snapshot, accounts, downloaded });
  }

  /** Room for an import of so many bytes of zips. */
  #demands(bytes: number): Demand[] {
    return [{ folder: this.#desk, bytes: Math.ceil(bytes * IMPORT_FACTOR), what: "the import" }];
  }

  #say(text: string): void {
    this.#wish.listener.say(text);
  }

  #snapshots(): Promise<KnownSnapshot[]> {
    return listSnapshots(this.#parts.folder, (text) => this.#say(text));
  }

  /** The newest month of the share that is newer than what is here; null when there is none. */
  async #download(newest: KnownSnapshot | null): Promise<Downloaded | null> {
    const labels = await listMonths(inquiryOf(this.#wish));
    const newer = labels.filter((label) => newest === null || label > newest.label);
    for (const month of newer.slice(0, MONTHS_TRIED)) {
      this.#removeDumps((label) => label < month);
      try {
        const downloaded = await downloadMonth({ ...this.#wish, month });
        sayDownloaded(downloaded);
        return downloaded;
      } catch (error) {
        if (!(error instanceof NotReady)) throw error;
        this.#say(error.message);
        this.#skipped.push({ month, why: error.message });
      }
    }
    return null;
  }

  /** Imports the dump; a zip that turns out to be damaged is fetched again, once. */
  async #import(downloaded: Downloaded, newest: KnownSnapshot | null): Promise<number> {
    checkSpace(this.#demands(downloaded.bytes));
    const out = join(this.#desk, snapshotName(downloaded.month));
    const flags = importFlags(this.#parts.flags, out);
    const run = async () => (await runImport(downloaded.folder, flags)).accounts;
    const accounts = await run().catch(async (error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      this.#say(`${error.message}\nThe import failed; comparing the checksums of all zips`);
      const { month } = downloaded;
      const again = await downloadMonth({ ...this.#wish, month, verify: true });
      if (again.already) throw error;
      return run();
    });
    if (newest !== null && accounts < newest.accounts * SHARE_MIN) {
      const [now, before] = [accounts, newest.accounts].map((n) => n.toLocaleString("en-US"));
      this.#say(
        `warning: ${now} ${wordFor(accounts, "account")}, ` +
          `while ${newest.label} had ${before}; look at the import`,
      );
    }
    return accounts;
  }

  #nothing(newest: KnownSnapshot | null): Promise<UpdateReport> {
    if (newest === null) {
      throw new CommandError("There is no snapshot yet, and no month of the share can be taken.");
    }
    const { label: month, path: snapshot, accounts } = newest;
    this.#say(`${month} is the newest month here, and the share has nothing newer that is whole`);
    return this.#report({ updated: false, month, snapshot, accounts, downloaded: null });
  }

  async #report(done: Omit<UpdateReport, "skipped" | "removed">): Promise<UpdateReport> {
    const { keep } = this.#parts;
    const removed = keep === null ? [] : removeOlder(await this.#snapshots(), keep);
    for (const path of removed) this.#say(`${path}: removed (--keep ${keep})`);
    return { ...done, skipped: this.#skipped, removed };
  }

  /** Removes dumps that are not needed any more, in the folder that is ours alone. */
  #removeDumps(over: (label: string) => boolean): void {
    const { work, keepDump } = this.#parts.flags;
    if (work !== undefined || keepDump) return;
    makeFolder(this.#wish.to);
    for (const name of readdirSync(this.#wish.to)) {
      const label = /^(\d{4}-\d\d)(\.part)?$/.exec(name)?.[1];
      if (label !== undefined && over(label)) {
        rmSync(join(this.#wish.to, name), { recursive: true, force: true });
      }
    }
  }
}
