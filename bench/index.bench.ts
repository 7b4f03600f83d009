/**
 * Speed of the addon's build side: ranking of row records, filling of record batches, and the index
 * region phase by phase, with its memory.
 * Corpus model: synthetic accounts from a seed. Activities, municipalities, and the about 60,000
 * distinct name words have Zipf-like frequencies. 30% of names begin with a registry number, 36% of
 * accounts have a trade name, and half have secondary activities. Codes are independent of each
 * other, and a record has 200 bytes.
 * Command: `npm run bench -- index [--accounts 2000000] [--threads 2]`.
 */
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  RECORD,
  RECORD_FLAGS,
  RECORD_NULL,
  RECORD_STRINGS,
  SLOTS,
} from "../native-index/builder/record.ts";
import { TABLES } from "../native-index/format/columns.ts";
import { CheckedFile } from "../native-index/format/snapshot/checked-file.ts";
import { readDirectory, readParts } from "../native-index/format/snapshot/region.ts";
import { buildIndex, rankRecords } from "../native-index/napi/engine.ts";
import { seededRandom } from "../test/support/native-index/fixture-rows.ts";
import { encodeTable, writeColumns } from "../test/support/native-index/region-fixture.ts";

const CODES = { cnae: 1330, ibge: 5571, tom: 5600, nature: 90, size: 4, uf: 28, other: 60 };
/** Number of distinct words in names. The first words are much more frequent than the others. */
const WORD_COUNT = 60_000;
const SCORES = 1001;

/** Seconds that each step took. */
export interface IndexTimings {
  readonly rankSeconds: number;
  readonly columnSeconds: number;
  readonly indexSeconds: number;
  /** Processor seconds of the step over all threads: steadier than wall time on a busy machine. */
  readonly indexCpuSeconds: number;
  readonly phasesMs: Readonly<Record<string, number>>;
  /** Size in bytes of the index region, and of each of its optional parts by name. */
  readonly regionBytes: number;
  readonly partBytes: Readonly<Record<string, number>>;
  /** Peak resident anonymous memory of the process during the index build, in bytes. */
  readonly anonymousBytes: number;
}

/** Generates row records from a seed. */
class Corpus {
  private readonly random = seededRandom(1);
  private readonly words = Array.from({ length: WORD_COUNT }, (_, i) => Buffer.from(this.word(i)));

  /** Returns an invented word. Frequent words are short. */
  private word(index: number): string {
    const syllables = ["MA", "RI", "TO", "SIL", "VA", "COS", "TA", "LI", "NE", "SÃO", "ÇO", "BEL"];
    let text = "";
    for (let rest = index + 5; rest > 0; rest = Math.floor(rest / 12)) text += syllables[rest % 12];
    return text;
  }

  private below(count: number): number {
    return Math.floor(this.random() * count);
  }

  private skewed(count: number): number {
    return Math.floor(this.random() ** 4 * count);
  }

  /** Writes one record with a unique cnpj at `at`; returns its length. */
  write(out: Buffer, at: number, number: number): number {
    this.writeFixed(out, at, number);
    const secondary = this.random() < 0.5 ? 0 : 1 + this.skewed(12);
    out.writeUInt16LE(secondary, at + RECORD.secondaryCount);
    let end = at + RECORD.fixedLength;
    for (let i = 0; i < secondary; i++) end = out.writeUInt16LE(this.skewed(CODES.cnae), end);
    for (let i = 0; i < RECORD_STRINGS.length; i++) {
      const start = end;
      const words = this.wordsOf(i);
      for (let w = 0; w < words; w++) end = this.writeWord(out, end, w > 0);
      const length = words === 0 ? RECORD_NULL.stringLength : end - start;
      out.writeUInt16LE(length, at + RECORD.stringLengths + 2 * i);
    }
    const length = Math.ceil((end - at) / 8) * 8;
    out.fill(0, end, at + length);
    out.writeUInt32LE(length, at);
    return length;
  }

  /** Returns the number of words in string `i` of a record. 0 stands for null. */
  private wordsOf(i: number): number {
    const share = [0.99, 0.36, 0.95, 0.95, 0.9, 0.41, 0.002, 0.7][i] as number;
    const most = [6, 3, 2, 3, 1, 2, 1, 3][i] as number;
    return this.random() < share ? 1 + this.below(most) : 0;
  }

  private writeWord(out: Buffer, at: number, spaced: boolean): number {
    const start = spaced ? out.writeUInt8(0x20, at) : at;
    if (!spaced && this.random() < 0.3) {
      return start + out.write(`${10 + this.below(50)}.${100 + this.below(900)}.`, start, "latin1");
    }
    return start + (this.words[this.skewed(WORD_COUNT)] as Buffer).copy(out, start);
  }

  private writeFixed(out: Buffer, at: number, number: number): void {
    const { u8, u16 } = RECORD_NULL;
    out.writeUInt16LE(this.below(SCORES), at + SLOTS.score);
    out.writeUInt16LE(this.skewed(SCORES), at + SLOTS.score_contactable);
    out.writeUInt16LE(this.below(SCORES), at + SLOTS.score_newest);
    out.writeUInt16LE(this.below(SCORES), at + SLOTS.score_established);
    const counts = [SLOTS.email_shared, SLOTS.phone_1_shared, SLOTS.phone_2_shared];
    for (const slot of [...counts, SLOTS.establishments]) out.writeUInt32LE(1, at + slot);
    const root = `${(number * 48_271) % 100_000_007}`.padStart(9, "0").slice(1);
    out.write(`${root}${`${number % 10_000}`.padStart(4, "0")}41`, at + SLOTS.cnpj, "latin1");
    out.writeUInt8([2, 8, 8, 2, 4, 3][this.skewed(6)] as number, at + SLOTS.registration_status);
    out.writeUInt8(this.skewed(CODES.size), at + SLOTS.company_size_code);
    out.writeUInt8(this.skewed(CODES.uf), at + SLOTS.uf);
    out.writeUInt8(
      this.random() < 0.5 ? u8 : this.skewed(CODES.other),
      at + SLOTS.registration_status_reason,
    );
    const flags = this.random() < 0.95 ? RECORD_FLAGS.headquarters : 0;
    out.writeUInt8(flags | (this.below(4) * RECORD_FLAGS.simples), at + RECORD.flags);
    out.writeUInt8(0, at + RECORD.flags + 1);
    out.writeUInt16LE(this.skewed(CODES.nature), at + SLOTS.legal_nature);
    out.writeUInt16LE(this.skewed(CODES.tom), at + SLOTS.municipality_tom);
    out.writeUInt16LE(this.skewed(CODES.ibge), at + SLOTS.municipality_ibge);
    out.writeUInt16LE(u16, at + SLOTS.country_code);
    out.writeUInt16LE(this.skewed(CODES.cnae), at + SLOTS.cnae_primary);
    out.writeInt32LE(20_000 - this.skewed(30_000), at + SLOTS.started_on);
    out.writeInt32LE(20_000 - this.skewed(9000), at + SLOTS.registration_status_date);
    out.writeUInt32LE(this.below(99_999_999), at + SLOTS.postal_code);
    out.writeBigInt64LE(
      BigInt(this.below(100) * 10 ** this.below(9)),
      at + SLOTS.share_capital_cents,
    );
    const phone = 55e11 + (11 + this.below(88)) * 1e9 + 9e8 + this.below(1e8);
    out.writeBigInt64LE(this.random() < 0.8 ? BigInt(phone) : RECORD_NULL.i64, at + SLOTS.phone_1);
    out.writeBigInt64LE(RECORD_NULL.i64, at + SLOTS.phone_2);
  }
}

function makeRecords(accounts: number): Buffer {
  const corpus = new Corpus();
  const out = Buffer.allocUnsafe(accounts * 230 + 4096);
  let at = 0;
  for (let i = 0; i < accounts; i++) at += corpus.write(out, at, i);
  return out.subarray(0, at);
}

function tableSections() {
  const sizes: Partial<Record<string, number>> = {
    ...{ cnae_primary: CODES.cnae, cnae_description: CODES.cnae, uf: CODES.uf },
    ...{ municipality_ibge: CODES.ibge, municipality_population: CODES.ibge },
    ...{ municipality_tom: CODES.tom, municipality_name: CODES.tom },
    ...{ legal_nature: CODES.nature, legal_nature_description: CODES.nature },
  };
  return TABLES.map((name, argument) => {
    const count = sizes[name] ?? CODES.other;
    return {
      kind: 3,
      argument,
      bytes: encodeTable(Array.from({ length: count }, (_, i) => `${i}`)),
    };
  });
}

/** Returns the anonymous memory of this process in bytes; 0 if the system does not report it. */
function anonymousBytes(): number {
  try {
    const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
    return Number(line?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const seconds = (from: number) => (performance.now() - from) / 1000;

/** Ranks a corpus and writes its columns to `file`. Returns the seconds that each took. */
function prepare(file: string, accounts: number) {
  const records = makeRecords(accounts);
  const ranked = performance.now();
  const starts = rankRecords(records, records.length);
  const rankSeconds = seconds(ranked);
  const from = performance.now();
  const written = writeColumns(file, { records, starts });
  const columnSeconds = seconds(from);
  const descriptor = openSync(file, "r+");
  fdatasyncSync(descriptor);
  closeSync(descriptor);
  return { ...written, rankSeconds, columnSeconds };
}

/** Collects garbage in JavaScript, so that later measurements show only the addon's memory. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  for (let round = 0; round < 3; round++) {
    collect();
    await setTimeout(100); // another thread frees buffers
  }
}

/** Makes and ranks a corpus, writes columns and index to a temporary file, and removes it. */
export async function benchIndex(accounts: number, threads: number): Promise<IndexTimings> {
  const folder = mkdtempSync(path.join(tmpdir(), "peneira-bench-"));
  try {
    const file = path.join(folder, "bench.arrow");
    const { regionOffset, columns, rankSeconds, columnSeconds } = prepare(file, accounts);
    const meta = { kind: 1, argument: 0, bytes: Buffer.from("{}") };
    const sections = [meta, { kind: 2, argument: 0, bytes: columns }, ...tableSections()];
    await collectGarbage();
    const before = anonymousBytes();
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, anonymousBytes() - before);
    }, 5);
    const cpu = process.cpuUsage();
    const from = performance.now();
    const request = { path: file, regionOffset, rowCount: accounts, sections, threads };
    const { phasesMs, ...location } = await buildIndex(request);
    const indexSeconds = seconds(from);
    const { user, system } = process.cpuUsage(cpu);
    clearInterval(watch);
    const times = { rankSeconds, columnSeconds, indexSeconds, phasesMs };
    const indexCpuSeconds = (user + system) / 1e6;
    const regionBytes = statSync(file).size - regionOffset;
    const checked = new CheckedFile(file);
    checked.footerOffset = checked.bytes;
    const parts = readParts(checked, readDirectory(checked, location).sections);
    const partBytes = Object.fromEntries(parts.map(({ name, length }) => [name, length]));
    return { ...times, indexCpuSeconds, regionBytes, partBytes, anonymousBytes: peak };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(accounts: number, timings: IndexTimings): string {
  const rate = (time: number) => `${(accounts / time / 1e6).toFixed(2)} M rows/s`;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  return [
    `rank     ${timings.rankSeconds.toFixed(2)} s  ${rate(timings.rankSeconds)}`,
    `columns  ${timings.columnSeconds.toFixed(2)} s  ${rate(timings.columnSeconds)}, file written`,
    `index    ${timings.indexSeconds.toFixed(2)} s  ${rate(timings.indexSeconds)}`,
    `         ${timings.indexCpuSeconds.toFixed(2)} s of all processors together`,
    ...Object.entries(timings.phasesMs).map(
      ([name, ms]) => `  ${name.padEnd(14)} ${ms.toFixed(0)} ms`,
    ),
    `region   ${megabytes(timings.regionBytes)}`,
    ...Object.entries(timings.partBytes).map(
      ([name, bytes]) =>
        `  ${name.padEnd(14)} ${megabytes(bytes)}, ${(bytes / accounts).toFixed(2)} an account`,
    ),
    `memory   ${megabytes(timings.anonymousBytes)} more anonymous memory while indexing`,
    "",
  ].join("\n");
}

if (process.argv[1]?.endsWith("index.bench.ts") === true) {
  const { values } = parseArgs({
    options: {
      accounts: { type: "string", default: "2000000" },
      threads: { type: "string", default: "2" },
    },
  });
  const accounts = Number(values.accounts);
  process.stdout.write(report(accounts, await benchIndex(accounts, Number(values.threads))));
}
