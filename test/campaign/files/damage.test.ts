/**
 * Proves: a snapshot that is truncated, altered, of another version, or truncated while mapped is
 * rejected with a clear error or answers as before. The process survives, in the main thread and in
 * workers. A segment whose file is replaced by a rename still answers. A closed segment
 * reports that it is closed.
 * Does not prove: memory safety on files with forged checksums (campaign/kernel/fuzz.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type Clause,
  crc32c,
  type DirectoryLocation,
  type NativeSegment,
  openSegment,
} from "../../../native-index/napi/engine.ts";
import { randomRows, seededRandom } from "../../support/native-index/fixture-rows.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ENGINE = new URL("../../../native-index/napi/engine.ts", import.meta.url).href;
/** Path of the addon. Workers load it directly, as they cannot always load TypeScript. */
const ADDON =
  process.env.PENEIRA_ADDON ??
  fileURLToPath(new URL("../../../native-index/build/Release/peneira.node", import.meta.url));
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FLIPS = tries("flips");
const ALLOWED = ["SNAPSHOT_DAMAGED", "SNAPSHOT_VERSION"];

const posting = (dimension: "uf" | "flag" | "area_code", code: number): Clause => ({
  kind: "posting",
  any: [{ dimension, codes: Uint32Array.of(code) }],
  negated: false,
});

/** Returns one answer of every kind, as text. */
function answers(segment: NativeSegment): string {
  const base = { seed: 5n, afterRow: -1, limit: 20 } as const;
  const clauses: Clause[] = [posting("uf", 3), posting("flag", 3)];
  const words: Clause[] = [{ kind: "words", hints: [["ltda"], ["w1", "de"]] }];
  const ranges: Clause[] = [{ kind: "range", column: "started_on", ranges: [[0, 9000]] }];
  const key = { key: "legal_name", descending: true } as const;
  const rank = segment.select({ ...base, clauses, order: [], method: "rank" });
  const walk = segment.select({ ...base, clauses: words, order: [key], method: "walk" });
  const gather = segment.select({ ...base, clauses: ranges, order: [key], method: "gather" });
  const counts = [clauses, words, ranges, [posting("uf", 1)]].map((c) => segment.count(c));
  const fields = ["cnpj", "legal_name", "cnae_secondary", "email", "share_capital"];
  const text = Buffer.from(segment.renderJson(rank.rows, fields)).toString();
  return JSON.stringify([[...rank.rows], [...walk.rows], [...gather.rows], counts, text]);
}

/** Opens a file and runs every query. Returns the answers, or the error code. */
function attempt(file: string, directory: DirectoryLocation): { text?: string; code?: string } {
  let segment: NativeSegment | undefined;
  try {
    segment = openSegment(file, directory);
    return { text: answers(segment) };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return { code };
  } finally {
    segment?.close();
  }
}

describe("damaged snapshots", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "peneira-damage-"));
  const file = path.join(folder, "altered");
  let fixture: Fixture;
  let whole: Buffer;
  let expected: string;

  before(async () => {
    fixture = await writeFixture(path.join(folder, "whole"), randomRows(9, 9_000));
    whole = readFileSync(fixture.path);
    expected = attempt(fixture.path, fixture.directory).text as string;
    assert.notEqual(expected, undefined);
  });
  after(() => rmSync(folder, { recursive: true }));

  function alter(change: (bytes: Buffer) => Buffer): string {
    writeFileSync(file, change(Buffer.from(whole)));
    return file;
  }

  it("rejects a flipped bit or answers as before", async () => {
    const random = seededRandom(11);
    let refused = 0;
    for (let i = 0; i < FLIPS; i++) {
      const at = Math.floor(random() * whole.length);
      const altered = alter((bytes) => {
        bytes.writeUInt8((bytes[at] as number) ^ (1 << Math.floor(random() * 8)), at);
        return bytes;
      });
      const { text, code } = attempt(altered, fixture.directory);
      if (code === undefined) assert.equal(text, expected, `bit of byte ${at}`);
      else assert(ALLOWED.includes(code), `${code} for byte ${at}`);
      if (code !== undefined) refused++;
    }
    assert(refused > FLIPS / 10, `only ${refused} of ${FLIPS} flips were noticed`);
  });

  it("finds every flipped bit before the directory with verify()", async () => {
    const random = seededRandom(12);
    const end = fixture.directory.offset + fixture.directory.length;
    const opened = openSegment(fixture.path, fixture.directory);
    const progress = new Uint32Array(new SharedArrayBuffer(4));
    await opened.verify(progress);
    assert((progress[0] as number) >= (end >> 16) - 1, `${progress[0]} blocks were checked`);
    opened.close();
    for (let i = 0; i < 20; i++) {
      const at = Math.floor(random() * fixture.regionOffset);
      const altered = alter((bytes) => {
        bytes.writeUInt8((bytes[at] as number) ^ 0x10, at);
        return bytes;
      });
      // Small sections are already checked when the file is opened, so the error may come from
      // opening or from the verification.
      const found = async () => {
        const segment = openSegment(altered, fixture.directory);
        await segment.verify().finally(() => segment.close());
      };
      await assert.rejects(found(), { code: "SNAPSHOT_DAMAGED", message: /block \d+/ });
    }
  });

  it("rejects a file truncated at any offset", () => {
    for (const length of [
      1,
      8,
      47,
      whole.length >> 1,
      fixture.directory.offset,
      fixture.directory.offset + fixture.directory.length,
      whole.length - 9,
    ]) {
      const altered = alter((bytes) => bytes.subarray(0, length));
      assert.equal(attempt(altered, fixture.directory).code, "SNAPSHOT_DAMAGED");
    }
  });

  it("distinguishes another version from damage", () => {
    const { offset, length } = fixture.directory;
    const withDirectory = (change: (directory: Buffer) => void) => {
      const bytes = Buffer.from(whole);
      const directory = bytes.subarray(offset, offset + length);
      change(directory);
      writeFileSync(file, bytes);
      return attempt(file, { offset, length, crc32c: crc32c(directory) }).code;
    };
    assert.equal(
      withDirectory((d) => d.writeUInt32LE(99, 8)),
      "SNAPSHOT_VERSION",
    );
    assert.equal(
      withDirectory((d) => d.writeUInt8((d[24] as number) ^ 1, 24)),
      "SNAPSHOT_VERSION",
    );
    assert.equal(
      withDirectory((d) => d.writeUInt8(0, 0)),
      "SNAPSHOT_DAMAGED",
    );
    assert.equal(
      withDirectory((d) => d.writeUInt32LE(9_001, 16)),
      "SNAPSHOT_DAMAGED",
    );
    assert.equal(
      withDirectory((d) => d.writeUInt32LE(99, 48)),
      "SNAPSHOT_DAMAGED",
    );
    assert.equal(
      withDirectory((d) => d.writeUInt32LE(7, 56)),
      "SNAPSHOT_DAMAGED",
    );
    assert.equal(
      withDirectory((d) => d.copy(d, 48, 72, 96)),
      "SNAPSHOT_DAMAGED",
    );
    assert.equal(
      withDirectory(() => {}),
      undefined,
    );
  });

  it("keeps answering from a file that was replaced by rename", () => {
    const replaced = path.join(folder, "replaced");
    copyFileSync(fixture.path, replaced);
    const segment = openSegment(replaced, fixture.directory);
    writeFileSync(`${replaced}.new`, "another file");
    renameSync(`${replaced}.new`, replaced);
    assert.equal(answers(segment), expected);
    assert.equal(segment.poisoned(), false);
    segment.close();
    assert.throws(() => segment.count([]), { code: "SNAPSHOT_CLOSED" });
  });

  it("survives truncation of the mapped file and serves none of it", () => {
    const truncated = path.join(folder, "truncated");
    copyFileSync(fixture.path, truncated);
    const outcome = runChild(TRUNCATING, [truncated, JSON.stringify(fixture.directory)]);
    assert.deepEqual(outcome, { code: "SNAPSHOT_DAMAGED", poisoned: true, again: true });
  });

  it("survives truncation in a worker and marks the segment lost for every thread", () => {
    const truncated = path.join(folder, "truncated-worker");
    copyFileSync(fixture.path, truncated);
    const outcome = runChild(TRUNCATING_WORKER, [truncated, JSON.stringify(fixture.directory)]);
    assert.deepEqual(outcome, { code: "SNAPSHOT_DAMAGED", poisoned: true });
  });

  it("reopens a good file at the path of a poisoned one", () => {
    const again = path.join(folder, "again");
    copyFileSync(fixture.path, again);
    const lost = openSegment(again, fixture.directory);
    truncateSync(again, 0);
    assert.throws(() => answers(lost), { code: "SNAPSHOT_DAMAGED" });
    copyFileSync(fixture.path, `${again}.new`);
    renameSync(`${again}.new`, again);
    assert.equal(attempt(again, fixture.directory).text, expected);
    assert.equal(lost.poisoned(), true);
    lost.close();
  });
});

const TRUNCATING = `
  import { truncateSync } from "node:fs";
  import { openSegment } from ${JSON.stringify(ENGINE)};
  const [file, directory] = process.argv.slice(-2);
  const segment = openSegment(file, JSON.parse(directory));
  truncateSync(file, 4096);
  const attempt = () => {
    try {
      segment.renderJson(Uint32Array.from({ length: 9000 }, (_, i) => i), ["legal_name", "email"]);
    } catch (error) {
      return error.code;
    }
  };
  const code = attempt();
  console.log(JSON.stringify({ code, poisoned: segment.poisoned(), again: attempt() === code }));
`;

const TRUNCATING_WORKER = `
  import { Worker } from "node:worker_threads";
  import { openSegment } from ${JSON.stringify(ENGINE)};
  const [file, directory] = process.argv.slice(-2);
  const segment = openSegment(file, JSON.parse(directory));
  const script = ${JSON.stringify(`
    import { truncateSync } from "node:fs";
    import { createRequire } from "node:module";
    import { parentPort, workerData } from "node:worker_threads";
    const addon = createRequire(workerData[2])(workerData[2]);
    const segment = addon.openSegment(workerData[0], JSON.parse(workerData[1]));
    truncateSync(workerData[0], 4096);
    try {
      segment.renderJson(Uint32Array.from({ length: 9000 }, (_, i) => i), ["legal_name"]);
    } catch (error) {
      parentPort.postMessage(error.code);
    }
  `)};
  const workerData = [file, directory, ${JSON.stringify(ADDON)}];
  const worker = new Worker(script, { eval: true, workerData });
  worker.on("message", async (code) => {
    await worker.terminate();
    console.log(JSON.stringify({ code, poisoned: segment.poisoned() }));
  });
`;

/** Runs a module in a separate process. Returns its last output, or how it ended. */
function runChild(script: string, parameters: string[]): unknown {
  const flags = ["--import", "tsx", "--input-type=module", "--eval", script];
  const child = spawnSync(process.execPath, [...flags, ...parameters], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(child.signal, null, `killed by ${child.signal}`);
  assert.equal(child.status, 0, child.stderr);
  return JSON.parse(child.stdout);
}
