/**
 * What comes in: a folder that does not exist yet, a number of establishments, a seed, a label.
 * What goes out: a synthetic monthly release: 37 zips in the registry's exact layout.
 * Invariant: the same arguments give the same bytes; the folder appears under its name only when
 * whole; memory does not grow with the number of rows.
 */
import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../../errors.ts";
import { FILE_TYPES, type FileType, LAYOUTS, type LookupType, memberNames } from "../layout.ts";
import { RowBytes } from "./bytes.ts";
import type { World } from "./company.ts";
import type { EditedType } from "./edits.ts";
import { Evolution } from "./evolve.ts";
import { PARTS, partStart } from "./order.ts";
import { expectedQuirks } from "./quirks.ts";
import { buildWorld, SampleSteps, type Step } from "./steps.ts";
import { tableRows } from "./tables.ts";
import { ZipWriter } from "./zip.ts";

/** More establishments would need more roots than eight digits give. */
export const ESTABLISHMENTS_MAX = 90_000_000;

const CHUNK_BYTES = 1 << 20;
/** Room for the rows one step may add: a row, its double, and partners. */
const SLACK_BYTES = 1 << 16;
/** Expected bytes from which a member is written in the 64-bit form. */
const ZIP64_FROM_BYTES = 2 ** 31;
const ROW_BYTES: Readonly<Partial<Record<FileType, number>>> = {
  estabelecimentos: 250,
  empresas: 80,
  simples: 63,
  socios: 60,
};

/** What to write. */
export interface SampleOptions {
  readonly folder: string;
  readonly establishments: number;
  readonly seed: number;
  /** `YYYY-MM`; the release date is its second Saturday. */
  readonly label: string;
  /** An earlier month; the release is what that month's has become. Not given: the first one. */
  readonly since?: string;
  /** Called with rows done and rows in all, a few times per second of work. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What was written. */
export interface SampleSummary {
  readonly establishments: number;
  readonly companies: number;
  /** Rows per file type, quirk rows included. */
  readonly rows: Readonly<Record<FileType, number>>;
  readonly token: string;
  /** How often each quirk occurs. */
  readonly quirks: Readonly<Record<string, number>>;
}

/** The months behind the first one, up to and with the last. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  let [year, month] = first.split("-").map(Number) as [number, number];
  for (let label = first; label < last; months.push(label)) {
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
    label = `${year}-${String(month).padStart(2, "0")}`;
  }
  return months;
}

/** The second Saturday of a month as `YYYY-MM-DD`, the registry's usual day. */
export function releaseDate(label: string): string {
  const first = new Date(`${label}-01T00:00:00Z`);
  const day = 1 + ((6 - first.getUTCDay() + 7) % 7) + 7;
  return `${label}-${String(day).padStart(2, "0")}`;
}

/** The token of a date in member names: `2026-08-08` is `D60808`. */
export function tokenOf(date: string): string {
  return `D${date.slice(3, 4)}${date.slice(5, 7)}${date.slice(8, 10)}`;
}

/**
 * Writes the release. @throws CommandError when the folder exists and is not empty, or cannot be
 * written; nothing is left behind then.
 */
export async function writeSample(options: SampleOptions): Promise<SampleSummary> {
  const folder = resolve(options.folder);
  await checkFree(folder);
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
  try {
    const summary = await new ReleaseWriter(options, draft).write();
    // The draft is private while it is written; the release is as readable as any new folder.
    await chmod(draft, 0o777 & ~process.umask());
    await rmdir(folder).catch(() => undefined);
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return summary;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function checkFree(folder: string): Promise<void> {
  let names: string[] = [];
  try {
    names = await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw new CommandError(`${folder} is not a folder that can be written to (${code}).`, 1, error);
  }
  if (names.length > 0) {
    throw new CommandError(`${folder} is not empty; name a new folder or empty this one.`);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync();
  await handle.close();
}

class ReleaseWriter {
  private readonly options: SampleOptions;
  private readonly draft: string;
  private readonly date: string;
  private readonly world: World;
  private readonly steps: SampleSteps;
  private readonly buffer = new RowBytes(CHUNK_BYTES + SLACK_BYTES);
  private readonly counts = Object.fromEntries(FILE_TYPES.map((type) => [type, 0])) as Record<
    FileType,
    number
  >;
  private readonly evolution: Evolution | null;
  private done = 0;
  private readonly total: number;

  constructor(options: SampleOptions, draft: string) {
    this.options = options;
    this.draft = draft;
    this.date = releaseDate(options.label);
    const { seed, establishments, label, since = label } = options;
    this.world = buildWorld(seed, establishments, releaseDay(since));
    this.steps = new SampleSteps(this.world, establishments);
    this.evolution = evolutionOf(this.world, establishments, [since, label]);
    this.total = establishments + 3 * this.world.companies + 3 * this.newcomers;
  }

  private get newcomers(): number {
    return this.evolution?.newcomers ?? 0;
  }

  async write(): Promise<SampleSummary> {
    const { companies } = this.world;
    const { establishments } = this.options;
    this.options.onProgress?.(0, this.total);
    const { steps, newcomers } = this;
    const evolved = (type: EditedType, rows: number, step: Step) =>
      this.evolution?.steps(type, rows, step) ?? step;
    const ofAll = evolved("estabelecimentos", establishments, steps.establishment());
    await this.writeParts("estabelecimentos", establishments, ofAll, newcomers);
    const ofCompanies = evolved("empresas", companies, steps.company());
    await this.writeParts("empresas", companies, ofCompanies, newcomers);
    await this.writeParts("socios", companies, steps.partner());
    const ofSimples = evolved("simples", companies, steps.simples());
    await this.writeRows("simples", 0, [0, companies + newcomers], ofSimples);
    for (const type of FILE_TYPES) {
      if (LAYOUTS[type].columns.length === 2) await this.writeTable(type as LookupType);
    }
    this.options.onProgress?.(this.total, this.total);
    const { counts: rows, date } = this;
    const gone = this.evolution?.gone ?? 0;
    return {
      establishments: establishments + newcomers - gone,
      companies: companies + newcomers,
      rows,
      token: tokenOf(date),
      quirks: expectedQuirks(establishments, companies),
    };
  }

  /** The last part also holds what came to the first month's rows. */
  private async writeParts(type: FileType, rows: number, step: Step, newcomers = 0): Promise<void> {
    for (let part = 0; part < PARTS; part++) {
      const end = partStart(rows, part + 1) + (part === PARTS - 1 ? newcomers : 0);
      await this.writeRows(type, part, [partStart(rows, part), end], step);
    }
  }

  /** Writes one zip of `step`s from index `from` up to, not including, `to`. */
  private async writeRows(
    type: FileType,
    part: number,
    [from, to]: readonly [number, number],
    step: Step,
  ): Promise<void> {
    const { buffer } = this;
    const isZip64 = (to - from) * (ROW_BYTES[type] ?? 0) >= ZIP64_FROM_BYTES;
    const zip = await this.openZip(type, part, isZip64);
    try {
      for (let index = from; index < to; index++) {
        this.counts[type] += step(buffer, index);
        this.done++;
        if (buffer.length < CHUNK_BYTES) continue;
        await zip.write(takeRows(buffer));
        this.options.onProgress?.(this.done, this.total);
      }
      await zip.write(takeRows(buffer));
    } catch (error) {
      await zip.abort();
      throw error;
    }
    await zip.close();
  }

  private async writeTable(type: LookupType): Promise<void> {
    const zip = await this.openZip(type, 0, false);
    for (const [code, description] of tableRows(type, this.world)) {
      this.buffer.open();
      this.buffer.quoted(code);
      this.buffer.next();
      this.buffer.quoted(description);
      this.buffer.close();
      this.counts[type]++;
    }
    await zip.write(takeRows(this.buffer));
    await zip.close();
  }

  private openZip(type: FileType, part: number, isZip64: boolean): Promise<ZipWriter> {
    const [zip, member] = memberNames(type, part, tokenOf(this.date));
    return ZipWriter.create(join(this.draft, zip), { member, date: this.date, isZip64 });
  }
}

/** Release date of a label in days since 1970-01-01. */
function releaseDay(label: string): number {
  return Date.parse(`${releaseDate(label)}T00:00:00Z`) / 86_400_000;
}

function evolutionOf(
  world: World,
  establishments: number,
  [since, label]: readonly [string, string],
): Evolution | null {
  if (since === label) return null;
  const labels = [since, ...monthsBetween(since, label)];
  const days = labels.map(releaseDay);
  const months = days.slice(1).map((release, i) => ({ after: days[i] as number, release }));
  return new Evolution(world, establishments, months);
}

function takeRows(buffer: RowBytes): Uint8Array {
  const rows = buffer.bytes.slice(0, buffer.length);
  buffer.length = 0;
  return rows;
}
