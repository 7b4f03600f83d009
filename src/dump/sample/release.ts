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
import { buildActivities } from "./activities.ts";
import { RowBytes } from "./bytes.ts";
import { buildCities } from "./cities.ts";
import { CompanyMaker, newCompany, type World } from "./company.ts";
import { CompanyRows } from "./companyrow.ts";
import { EstablishmentMaker } from "./establishment.ts";
import { Names } from "./names.ts";
import {
  countCompanies,
  EstablishmentOrder,
  PARTS,
  partStart,
  shuffledCompanies,
} from "./order.ts";
import * as quirks from "./quirks.ts";
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

/** One step of a file: appends rows and says how many. */
type Step = (row: RowBytes, index: number) => number;

class ReleaseWriter {
  private readonly options: SampleOptions;
  private readonly draft: string;
  private readonly date: string;
  private readonly world: World;
  private readonly maker: CompanyMaker;
  private readonly rowsOf: CompanyRows;
  private readonly establishments: EstablishmentMaker;
  private readonly buffer = new RowBytes(CHUNK_BYTES + SLACK_BYTES);
  private readonly company = newCompany();
  private readonly counts = Object.fromEntries(FILE_TYPES.map((type) => [type, 0])) as Record<
    FileType,
    number
  >;
  private done = 0;
  private readonly total: number;

  constructor(options: SampleOptions, draft: string) {
    this.options = options;
    this.draft = draft;
    this.date = releaseDate(options.label);
    const { seed, establishments } = options;
    const cities = buildCities();
    this.world = {
      seed,
      snapshot: Date.parse(`${this.date}T00:00:00Z`) / 86_400_000,
      companies: countCompanies(seed, establishments),
      cities,
      activities: buildActivities(cities.list.length),
    };
    const names = new Names(this.world);
    this.maker = new CompanyMaker(this.world);
    this.rowsOf = new CompanyRows(this.world, names);
    this.establishments = new EstablishmentMaker(this.world, names);
    this.total = establishments + 3 * this.world.companies;
  }

  async write(): Promise<SampleSummary> {
    const { companies } = this.world;
    const { establishments } = this.options;
    this.options.onProgress?.(0, this.total);
    await this.writeParts("estabelecimentos", establishments, this.establishmentStep());
    await this.writeParts("empresas", companies, this.companyStep());
    await this.writeParts("socios", companies, this.partnerStep());
    await this.writeRows("simples", 0, [0, companies], this.simplesStep());
    for (const type of FILE_TYPES) {
      if (LAYOUTS[type].columns.length === 2) await this.writeTable(type as LookupType);
    }
    this.options.onProgress?.(this.total, this.total);
    const { counts: rows, date } = this;
    return {
      establishments,
      companies,
      rows,
      token: tokenOf(date),
      quirks: expectedQuirks(establishments, companies),
    };
  }

  private establishmentStep(): Step {
    const { companies, seed } = this.world;
    const rows = this.options.establishments;
    const order = new EstablishmentOrder(seed, companies, rows);
    const list = quirks.ESTABLISHMENT_QUIRKS;
    return (row, index) => {
      order.next();
      this.maker.make(order.company, this.company);
      const quirk = list[quirks.quirkAt(index, rows, list.length)] ?? null;
      this.establishments.write(row, this.company, order.branch, quirk);
      return quirk === "row_twice" || quirk === "cnpj_twice" ? 2 : 1;
    };
  }

  private companyStep(): Step {
    const order = shuffledCompanies(this.world.seed, 10, this.world.companies);
    return (row, index) => {
      this.maker.make(order(index), this.company);
      this.rowsOf.writeCompany(row, this.company);
      const { quirk } = this.company;
      if (quirk === "company_missing") return 0;
      return quirk === "company_twice" || quirk?.startsWith("phantom") ? 2 : 1;
    };
  }

  private partnerStep(): Step {
    const order = shuffledCompanies(this.world.seed, 20, this.world.companies);
    return (row, index) => {
      this.maker.make(order(index), this.company);
      return this.rowsOf.writePartners(row, this.company);
    };
  }

  private simplesStep(): Step {
    const { companies } = this.world;
    const order = shuffledCompanies(this.world.seed, 30, companies);
    const list = quirks.SIMPLES_QUIRKS;
    return (row, index) => {
      this.maker.make(order(index), this.company);
      const quirk = list[quirks.quirkAt(index, companies, list.length)] ?? null;
      const { root, simples } = this.company;
      if (quirk === null && simples === 0) return 0;
      const orphan = this.maker.rootOf(companies + index, false);
      this.rowsOf.writeSimples(
        row,
        this.company,
        quirk === "simples_orphan" ? orphan : root,
        quirk,
      );
      return 1;
    };
  }

  private async writeParts(type: FileType, rows: number, step: Step): Promise<void> {
    for (let part = 0; part < PARTS; part++) {
      await this.writeRows(type, part, [partStart(rows, part), partStart(rows, part + 1)], step);
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

function takeRows(buffer: RowBytes): Uint8Array {
  const rows = buffer.bytes.slice(0, buffer.length);
  buffer.length = 0;
  return rows;
}

/** How often each quirk occurs in a sample of this size. */
export function expectedQuirks(establishments: number, companies: number): Record<string, number> {
  const lists = [
    [quirks.ESTABLISHMENT_QUIRKS, establishments],
    [quirks.COMPANY_QUIRKS, companies],
    [quirks.SIMPLES_QUIRKS, companies],
  ] as const;
  const counts: Record<string, number> = {};
  for (const [list, rows] of lists) {
    const numbers = quirks.quirkCounts(rows, list.length);
    for (const [index, quirk] of list.entries()) counts[quirk] = numbers[index] as number;
  }
  return counts;
}
