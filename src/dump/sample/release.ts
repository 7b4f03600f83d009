/**
 * Writes a synthetic monthly release of 37 zips in the registry's exact layout. Input: a new
 * folder, a number of establishments, a seed, a label.
 * Invariant: the same arguments give the same bytes on any machine, independently of the number of
 * threads. A bounded number of blocks of rows is in progress, so memory does not grow with the
 * number of rows. The folder gets its name only when complete. Until then, it is a hidden folder
 * next to the target, which is removed when the process exits. If a process of this machine was
 * killed, the next release removes its leftovers.
 */
import { readdirSync, rmSync } from "node:fs";
import { chmod, mkdtemp, open, readdir, rename, rmdir } from "node:fs/promises";
import { availableParallelism, hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { CommandError } from "../../errors.ts";
import { makeFolders } from "../../files/newfolder.ts";
import { isRunning } from "../../process/system.ts";
import { ThreadPool } from "../../process/threads.ts";
import { FILE_TYPES, type FileType, LAYOUTS, type LookupType, memberNames } from "../layout.ts";
import { type Block, BlockMaker, blocksOf, type DrawnBlock, type SampleShape } from "./block.ts";
import { monthsBetween, releaseDate, tokenOf } from "./dates.ts";
import { newcomersOf } from "./evolve.ts";
import { countCompanies, PARTS, partStart } from "./order.ts";
import { expectedQuirks } from "./quirks.ts";
import type { DrawWork } from "./sample.worker.ts";
import { tableRows } from "./tables.ts";
import { RowBytes } from "./zip/bytes.ts";
import { packChunk, ZipWriter } from "./zip/zip.ts";

/** Max establishments; more would need more roots than eight digits allow. */
export const ESTABLISHMENTS_MAX = 90_000_000;

/** Buffer size for the small tables. The largest has about 150 KB. */
const TABLE_BYTES = 1 << 19;
/** Members expected to have more bytes than this are written in the 64-bit form of zip. */
const ZIP64_FROM_BYTES = 2 ** 31;
const ROW_BYTES: Readonly<Partial<Record<FileType, number>>> = {
  estabelecimentos: 250,
  empresas: 80,
  simples: 63,
  socios: 60,
};

/** Options of a sample. */
export interface SampleOptions {
  readonly folder: string;
  readonly establishments: number;
  readonly seed: number;
  /** `YYYY-MM`. The release date is its second Saturday. */
  readonly label: string;
  /** Label of the first release, from which this one evolves. By default, this is the first. */
  readonly since?: string;
  /** Number of threads that draw random rows. 0 means the calling thread. Default: the quickest. */
  readonly threads?: number;
  /** Called with the numbers of finished and of all rows, a few times per second. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Facts of a written sample. */
export interface SampleSummary {
  readonly establishments: number;
  readonly companies: number;
  /** Number of rows per file type, including quirk rows. */
  readonly rows: Readonly<Record<FileType, number>>;
  readonly token: string;
  /** Count of each quirk. */
  readonly quirks: Readonly<Record<string, number>>;
}

/** Writes the release, or nothing. @throws CommandError if the folder cannot be used */
export async function writeSample(options: SampleOptions): Promise<SampleSummary> {
  const draft = await ReleaseDraft.begin(options.folder);
  try {
    const summary = await new ReleaseWriter(options, draft.path).write();
    await draft.publish();
    return summary;
  } catch (error) {
    draft.remove();
    throw error;
  }
}

/** A zip of drawn rows. */
interface Member extends Block {
  readonly part: number;
}

class ReleaseWriter {
  private readonly options: SampleOptions;
  private readonly draft: string;
  private readonly date: string;
  private readonly shape: SampleShape;
  private readonly newcomers: number;
  private readonly counts = Object.fromEntries(FILE_TYPES.map((type) => [type, 0])) as Record<
    FileType,
    number
  >;
  private done = 0;
  private gone = 0;
  private readonly total: number;
  private zip: { readonly member: Member; readonly writer: ZipWriter } | null = null;
  /** Resolves when the preceding zip is closed. Meanwhile, the next zip is made. */
  private closing: Promise<void> = Promise.resolve();

  constructor(options: SampleOptions, draft: string) {
    this.options = options;
    this.draft = draft;
    this.date = releaseDate(options.label);
    const { seed, establishments, label, since = label } = options;
    const counted = countCompanies(seed, establishments);
    this.shape = { seed, establishments, label, since, counted };
    this.newcomers = newcomersOf(establishments, monthsBetween(since, label).length);
    this.total = establishments + 3 * counted.companies + 3 * this.newcomers;
  }

  async write(): Promise<SampleSummary> {
    const { shape, newcomers, options } = this;
    options.onProgress?.(0, this.total);
    try {
      await this.writeMembers();
    } catch (error) {
      await Promise.allSettled([this.closing, this.zip?.writer.abort()]);
      throw error;
    }
    for (const type of FILE_TYPES) {
      if (LAYOUTS[type].columns.length === 2) await this.writeTable(type as LookupType);
    }
    options.onProgress?.(this.total, this.total);
    const { establishments } = options;
    const { companies } = shape.counted;
    return {
      establishments: establishments + newcomers - this.gone,
      companies: companies + newcomers,
      rows: this.counts,
      token: tokenOf(this.date),
      quirks: expectedQuirks(establishments, companies),
    };
  }

  /** Yields every zip of random rows. The last part also holds the new companies' rows. */
  private *members(): Generator<Member> {
    const { newcomers } = this;
    const { establishments, counted } = this.shape;
    const { companies } = counted;
    const parted = [
      ["estabelecimentos", establishments, newcomers],
      ["empresas", companies, newcomers],
      ["socios", companies, 0],
    ] as const;
    for (const [type, rows, more] of parted) {
      for (let part = 0; part < PARTS; part++) {
        const to = partStart(rows, part + 1) + (part === PARTS - 1 ? more : 0);
        yield { type, part, from: partStart(rows, part), to };
      }
    }
    yield { type: "simples", part: 0, from: 0, to: companies + newcomers };
  }

  /** Yields every block with its zip member. A member without rows has one empty block. */
  private *blocks(): Generator<readonly [Block, readonly [Member, Block]]> {
    for (const member of this.members()) {
      const blocks = member.to > member.from ? blocksOf(member) : [member];
      for (const block of blocks) yield [block, [member, block]];
    }
  }

  private async writeMembers(): Promise<void> {
    const { threads = sampleThreads(this.options.establishments) } = this.options;
    for await (const [drawn, [member, block]] of drawBlocks(this.shape, threads, this.blocks())) {
      await this.writeBlock(member, drawn);
      this.done += block.to - block.from;
      this.options.onProgress?.(this.done, this.total);
    }
    await this.closeZip();
    await this.closing;
  }

  private async writeBlock(member: Member, drawn: DrawnBlock): Promise<void> {
    if (this.zip?.member !== member) {
      await this.closeZip();
      const { type, part, from, to } = member;
      const isZip64 = (to - from) * (ROW_BYTES[type] ?? 0) >= ZIP64_FROM_BYTES;
      this.zip = { member, writer: await this.openZip(type, part, isZip64) };
    }
    await this.zip.writer.write(drawn);
    this.counts[member.type] += drawn.rows;
    this.gone += drawn.gone;
  }

  private async closeZip(): Promise<void> {
    await this.closing;
    if (this.zip === null) return;
    this.closing = this.zip.writer.close();
    this.closing.catch(() => undefined);
    this.zip = null;
  }

  private async writeTable(type: LookupType): Promise<void> {
    const rows = new RowBytes(TABLE_BYTES);
    for (const [code, description] of tableRows(type)) {
      rows.open();
      rows.quoted(code);
      rows.next();
      rows.quoted(description);
      rows.close();
      this.counts[type]++;
    }
    const zip = await this.openZip(type, 0, false);
    await zip.write(packChunk(rows.bytes.subarray(0, rows.length)));
    await zip.close();
  }

  private openZip(type: FileType, part: number, isZip64: boolean): Promise<ZipWriter> {
    const [zip, member] = memberNames(type, part, tokenOf(this.date));
    return ZipWriter.create(join(this.draft, zip), { member, date: this.date, isZip64 });
  }
}

/** More threads would wait for the disk. */
const THREADS_MAX = 16;
/** Min number of establishments for which threads save more time than starting them takes. */
const THREADS_FROM = 100_000;
/** Max blocks per thread that are in progress or wait to be written. */
const AHEAD = 3;

/** Returns the number of threads that draw a sample, or 0 if the calling thread is quicker. */
export function sampleThreads(establishments: number): number {
  if (establishments < THREADS_FROM) return 0;
  return Math.min(THREADS_MAX, availableParallelism());
}

/** Draws blocks. Yields each with the caller's data for it. */
async function* drawBlocks<Data>(
  shape: SampleShape,
  threads: number,
  blocks: Iterable<readonly [Block, Data]>,
): AsyncGenerator<readonly [DrawnBlock, Data]> {
  if (threads === 0) {
    const maker = new BlockMaker(shape);
    for (const [block, data] of blocks) yield [maker.make(block), data];
    return;
  }
  const pool = new ThreadPool<DrawWork>({ worker: "dump/sample/sample.worker.ts", threads });
  try {
    const ahead: (readonly [Promise<DrawnBlock>, Data])[] = [];
    for (const [block, data] of blocks) {
      const made = pool.run("draw", { shape, block });
      // A failure is reported by the later await. Until then, this prevents an unhandled rejection.
      made.catch(() => undefined);
      ahead.push([made, data]);
      if (ahead.length < AHEAD * threads) continue;
      const [first, its] = ahead.shift() as (typeof ahead)[number];
      yield [await first, its];
    }
    for (const [made, data] of ahead) yield [await made, data];
  } finally {
    await pool.close();
  }
}

/** Matches the end of a draft's name: process id and six characters of `mkdtemp`. */
const OWNER = /^(\d+)-\w{6}$/;

/** A release in progress. */
class ReleaseDraft {
  /** Folder that holds the files until the release is published. */
  readonly path: string;
  readonly #folder: string;
  readonly #onExit = (): void => this.remove();

  private constructor(path: string, folder: string) {
    this.path = path;
    this.#folder = folder;
    process.once("exit", this.#onExit);
  }

  /** Begins a release for the path `wanted`. @throws CommandError if it cannot. */
  static async begin(wanted: string): Promise<ReleaseDraft> {
    const folder = resolve(wanted);
    await checkFree(folder);
    const parent = dirname(folder);
    makeFolders(parent);
    const prefix = prefixOf(folder);
    removeDead(parent, prefix);
    return new ReleaseDraft(await mkdtemp(join(parent, `${prefix}${process.pid}-`)), folder);
  }

  /** Moves the draft to its path. @throws CommandError if the path exists by now. */
  async publish(): Promise<void> {
    // The draft is private. The release is as readable as any new folder.
    await chmod(this.path, 0o777 & ~process.umask());
    await rmdir(this.#folder).catch(() => undefined);
    try {
      await rename(this.path, this.#folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw code === "ENOTEMPTY" || code === "EEXIST" ? taken(this.#folder, error) : error;
    }
    process.off("exit", this.#onExit);
    await syncFolder(dirname(this.#folder));
  }

  /** Removes its files. */
  remove(): void {
    process.off("exit", this.#onExit);
    // The thread pool may still be writing files here, so the removal is retried.
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The prefix includes the machine, because on a shared disk the process may run on another one. */
function prefixOf(folder: string): string {
  const machine = hostname().replaceAll(/[^A-Za-z0-9]/g, "");
  return `.${basename(folder)}-${machine}-`;
}

/** Removes drafts of this machine's processes that have ended. */
function removeDead(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const [, pid] = OWNER.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
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
  if (names.length > 0) throw taken(folder);
}

function taken(folder: string, cause?: unknown): CommandError {
  const words = `${folder} is not empty; name a new folder or empty this one.`;
  return new CommandError(words, 1, cause);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync();
  await handle.close();
}
