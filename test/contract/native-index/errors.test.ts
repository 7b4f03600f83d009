/**
 * Proves which errors the addon throws. At every entry point, a wrong argument is a TypeError that
 * names the argument, its expected type, and its actual type. A system error has Node's code,
 * errno, and path. A failed allocation is an error with its size, and the process survives. Errors
 * thrown by JavaScript pass unchanged.
 * Does not prove: which damage of a file is found (campaign/files/damage.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import {
  analyze,
  buildIndex,
  crc32c,
  createBatch,
  differences,
  feistel,
  joinPartition,
  type NativeSegment,
  openChanges,
  openScan,
  openSegment,
  rankRecords,
  refuseNewConnections,
  sha256,
  unsentBytes,
} from "../../../native-index/napi/engine.ts";
import type { ScanRequest } from "../../../native-index/napi/import-handles.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { randomRows } from "../../support/native-index/fixture-rows.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-errors-"));
const FRESH = () => createBatch(new Uint32Array());
const BYTES = new Uint8Array(8);
const ROWS = Uint32Array.of(0);
const PAGE = { clauses: [], order: [], method: "rank", seed: 0n, afterRow: -1, limit: 1 };
const BY_SCORE = { key: "score", descending: true } as const;
const WHOLE = { ...PAGE, method: "rank", order: [BY_SCORE], fields: ["cnpj"] } as const;
const FACTS = new Float64Array(5);
const RENDER = { format: "csv", fields: ["cnpj"], extra: [], delimiter: "," };
let fixture: Fixture;
let segment: NativeSegment;

before(async () => {
  fixture = await writeFixture(path.join(folder, "small"), randomRows(1, 500));
  segment = openSegment(fixture.path, fixture.directory);
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a finished scan. */
function ended(scan: ReturnType<typeof openScan>): typeof scan {
  scan.finish();
  scan.close();
  return scan;
}

/** Lets a test pass a value of a type that the signature forbids. */
const wrong = <T>(value: unknown): T => value as T;

const FLAGS = { keepCpf: false, portable: false, utf8: false };
describe("wrong arguments", () => {
  const place = { offset: 0, length: 64, crc32c: 0 };
  const digests = (sum: string) => ({ ...place, digests: { offset: 0, length: 0, sha256: sum } });
  const changes = { offset: 0, count: 1.5, crc32c: 0 };
  const build = { path: "x", regionOffset: 64, rowCount: 1, sections: [], threads: 1 };
  const scan: ScanRequest = {
    ...{ path: path.join(folder, "spill"), partitions: 1, slotBytes: 64 },
    ...{ type: "simples", latestDay: 0, skipBadRows: 0, ...FLAGS },
  };
  const partition = {
    ...{ path: path.join(folder, "rows"), slotBytes: 64, companies: null, simples: [] },
    splits: { scores: BYTES.subarray(8), roots: new Float64Array(), rests: new Uint32Array() },
    ...{ establishments: [], ibge: BYTES, tomCount: 0, tomAbroad: -1, ufAbroad: -1 },
    ...{ cnaeNotInformed: -1, sanctioned: null, snapshotDay: 0 },
    ...{ cnep: null, cepim: null, debts: null },
    ...{ valuesPath: path.join(folder, "values"), valueBuckets: 1, providers: BYTES },
  };
  const account = { cnae: BYTES, nature: BYTES, reason: BYTES, tom: BYTES, country: BYTES };
  const safe = "a whole number from 0 to 9007199254740991";
  const cases: readonly (readonly [() => unknown, string | RegExp])[] = [
    [() => openSegment(wrong(5), place), "path must be a string, not 5"],
    [() => openSegment("x", wrong(undefined)), "location must be an object, not undefined"],
    [() => openSegment("x", { ...place, offset: -1 }), `offset must be ${safe}, not -1`],
    [() => openSegment("x", wrong({ offset: 0 })), `length must be ${safe}, not undefined`],
    [() => openSegment("x", digests("zz")), 'sha256 must be 64 hexadecimal digits, not "zz"'],
    [
      () => openSegment("x", digests("z".repeat(64))),
      /^sha256 must be 64 hexadecimal digits, not /,
    ],
    [() => openChanges("x", changes), "count must be a whole number from 0 to 4294967295, not 1.5"],
    [
      () => differences(wrong({}), segment, wrong({})),
      "older must be a segment, not another object",
    ],
    [() => differences(segment, segment, wrong(null)), "request must be an object, not null"],
    [() => FRESH().append(wrong([]), ROWS), "records must be a Uint8Array, not another object"],
    [() => FRESH().append(BYTES, wrong(BYTES)), /^starts must be a Uint32Array, not another/],
    [() => FRESH().finish.call(wrong({})), "this must be a record batch, not another object"],
    [() => rankRecords(BYTES, 9), "byteLength must be a whole number from 0 to 8, not 9"],
    [() => rankRecords(wrong("x"), 0), 'records must be a Uint8Array, not "x"'],
    [() => analyze(wrong(undefined)), "text must be a string, not undefined"],
    [() => crc32c(BYTES, -1), "seed must be a whole number from 0 to 4294967295, not -1"],
    [() => crc32c(wrong(new Float64Array(1))), "bytes must be a Uint8Array, not another object"],
    [() => sha256(BYTES, wrong(1)), "portable must be true or false, not 1"],
    [() => feistel(0, 0n, 0), /^rowCount must be a whole number from 1 to \d+, not 0$/],
    [() => feistel(9, wrong(5), 0), "seed must be a bigint from 0 to 2^64 - 1, not 5"],
    [() => feistel(9, -1n, 0), "seed must be a bigint from 0 to 2^64 - 1, not a bigint"],
    [() => feistel(9, 0n, 9), "row must be a whole number from 0 to 8, not 9"],
    [() => refuseNewConnections(0), "port must be a whole number from 1 to 65535, not 0"],
    [() => unsentBytes(wrong("a")), /^descriptor must be a whole number from -1 .*, not "a"$/],
    [() => buildIndex(wrong(null)), "request must be an object, not null"],
    [() => buildIndex(wrong({ ...build, sections: 7 })), "sections must be an array, not 7"],
    [() => buildIndex({ ...build, threads: 0 }), /^threads must be a whole number from 1 to 256, /],
    [
      () => buildIndex({ ...build, progress: new Uint32Array(0) }),
      "progress must be a Uint32Array with room for one number",
    ],
    [() => openScan(wrong(1)), "type must be a string, not undefined"],
    [
      () => openScan({ ...scan, type: wrong("socios") }),
      'there is no file "socios"; type must be empresas, simples or estabelecimentos',
    ],
    [() => openScan({ ...scan, path: wrong(1) }), "path must be a string, not 1"],
    [
      () => openScan({ ...scan, partitions: 0 }),
      /^partitions must be a whole number from 1 to \d+/,
    ],
    [() => openScan({ ...scan, slotBytes: 1 }), /^slotBytes must be a whole number from 8 to /],
    [() => openScan({ ...scan, keepCpf: wrong(0) }), "keepCpf must be true or false, not 0"],
    [() => openScan({ ...scan, utf8: wrong(0) }), "utf8 must be true or false, not 0"],
    [() => openScan({ ...scan, skipBadRows: wrong(-1) }), /^skipBadRows must be a whole number/],
    [() => openScan({ ...scan, latestDay: 0.5 }), /^latestDay must be a whole number .* not 0.5$/],
    [() => openScan(scan).push(wrong("x")), 'piece must be a Uint8Array, not "x"'],
    [() => openScan(scan).push.call(wrong({}), BYTES), "this must be a scan, not another object"],
    [() => ended(openScan(scan)).push(BYTES), "the scan is over"],
    [() => ended(openScan(scan)).finish(), "the scan is over"],
    [() => joinPartition(wrong<typeof partition>({})), "path must be a string, not undefined"],
    [
      () => joinPartition({ ...partition, companies: wrong([{ records: 1 }]) }),
      "records must be a Uint8Array, not 1",
    ],
    [() => joinPartition({ ...partition, simples: wrong([1]) }), "simples must be a Uint8Array"],
    [
      () => joinPartition({ ...partition, splits: { ...partition.splits, scores: BYTES } }),
      "scores must be two bytes for each of `rests`, not another object",
    ],
    [
      () => joinPartition({ ...partition, sanctioned: wrong(5) }),
      "sanctioned must be a Uint8Array",
    ],
    [
      () => joinPartition({ ...partition, companies: [{ records: BYTES, nature: BYTES }] }),
      "the company record at byte 0 has a wrong length",
    ],
    [
      () => joinPartition({ ...partition, companies: [], simples: [BYTES] }),
      "a Simples record is cut off",
    ],
    [
      () =>
        joinPartition({
          ...partition,
          establishments: [{ ...account, ibge: BYTES, records: BYTES }],
        }),
      "the row record at byte 0 is cut off",
    ],
    [() => segment.table(-1), /^table must be a whole number from 0 to \d+, not -1$/],
    [() => segment.select(wrong({ ...PAGE, limit: "9" })), /^limit must be a whole number .* 9$/],
    [
      () => segment.select(wrong({ ...PAGE, method: "guess" })),
      'there is no method "guess"; use one of rank,walk,gather',
    ],
    [() => segment.select(wrong({ ...PAGE, seed: -1n })), /^the numbers .*: number 5 is -1.0/],
    [() => segment.select(wrong({ ...PAGE, seed: 2n ** 64n })), /^the numbers .*: number 5 is 429/],
    [
      () => segment.selectAsync(wrong({ ...PAGE, order: [{ key: "size" }] })),
      'there is no sort order "size"; use one of cnpj,',
    ],
    [
      () => segment.count([{ kind: "range", column: wrong("size"), ranges: [] }]),
      'there is no range over "size"; use one of started_on,',
    ],
    [
      () => segment.countAsync(wrong([5])),
      "there is no clause of kind undefined; use one of posting",
    ],
    [() => segment.count.call(wrong({}), []), "this must be a segment, not another object"],
    [
      () => segment.count([{ kind: "rows", lists: [wrong({})], negated: false }]),
      "lists must be a list of rows, not another object",
    ],
    [
      () => segment.facets([], wrong(["colour"])),
      'there is no facet "colour"; facets must be the names of facets',
    ],
    [() => segment.facetsAsync([], wrong("x")), 'facets must be an array, not "x"'],
    [() => segment.facetsAsync([], [], 65), "threads must be a whole number from 0 to 64, not 65"],
    [() => segment.documentFrequency(wrong([true])), "words must be a string, not true"],
    [
      () => segment.renderedPage({ ...WHOLE, afterRow: -2 }, FACTS),
      "afterRow must be a whole number from -1 to 4294967295, not -2",
    ],
    [
      () => segment.renderedPage({ ...WHOLE, afterRow: 500 }, FACTS),
      "afterRow 500 is not a row of the snapshot",
    ],
    [
      () => segment.renderedPage(WHOLE, new Float64Array(4)),
      /^facts must be a Float64Array of at least 5 numbers/,
    ],
    [
      () => segment.renderedPage(wrong({ ...WHOLE, fields: ["salary"] }), FACTS),
      'there is no field "salary"; fields must be the names of fields',
    ],
    [() => segment.renderedPage(WHOLE, FACTS, wrong(5)), "room must be a Uint8Array, not 5"],
    [() => segment.renderJson(wrong([0]), []), "rows must be a Uint32Array, not another object"],
    [
      () => segment.renderRows(ROWS, wrong({ ...RENDER, fields: ["salary"] })),
      'there is no field "salary"; fields must be the names of fields',
    ],
    [
      () => segment.renderRows(ROWS, wrong({ ...RENDER, delimiter: "x" })),
      'delimiter must be a comma, a semicolon, a tab or a bar, not "x"',
    ],
    [
      () => segment.renderRowsAsync(ROWS, wrong({ ...RENDER, format: "pdf" })),
      'there is no format "pdf"; format must be csv, html, jsonl or xlsx',
    ],
    [() => segment.columnsOf(ROWS, wrong(undefined)), "fields must be an array, not undefined"],
    [() => segment.findCnpj(wrong(() => 1)), "cnpj must be a string, not a function"],
    [
      () => segment.firstsPerCompany(wrong([0]), { ...WHOLE, beginning: false }),
      "rows must be a Uint32Array, not another object",
    ],
    [
      () => segment.suggestAsync(wrong({ words: "a", clauses: [], limit: 1 })),
      'words must be an array, not "a"',
    ],
    [() => segment.companyAsync({ ...PAGE, root: "1" }), "root must be a text of 8 characters"],
    [() => segment.companyAsync({ ...PAGE, root: "Z".repeat(8), afterRow: 0 }), "the row is none"],
    [() => segment.verify(wrong([])), "progress must be a Uint32Array, not another object"],
    [
      () => segment.verifyBlocks(0, 1e9),
      /^count must be a whole number from 0 to \d+, not 1000000000/,
    ],
    [() => segment.close.call(wrong({})), "this must be a segment, not another object"],
  ];

  it("throw a TypeError that names the argument, the expected and the actual type", async () => {
    for (const [call, message] of cases) {
      const reported = call.toString();
      await assert.rejects(
        async () => call(),
        (error: unknown) => {
          assert(error instanceof TypeError, `${reported}: ${error}`);
          assert.equal((error as NodeJS.ErrnoException).code, "INVALID_ARGUMENT", reported);
          if (typeof message === "string") assert(error.message.startsWith(message), error.message);
          else assert.match(error.message, message, reported);
          return true;
        },
      );
    }
  });

  it("rethrow what a getter throws", () => {
    const own = new RangeError("mine");
    const location = {
      get offset() {
        throw own;
      },
    };
    assert.throws(
      () => openSegment("x", wrong(location)),
      (error) => error === own,
    );
    assert.equal(segment.count([]), 500);
  });
});

/** Runs a script in a separate process, and returns its output by line. */
function child(prefix: readonly string[], body: string, ...args: readonly string[]): string[] {
  const load = (name: string) => JSON.stringify(path.join(ROOT, name));
  const code = `
    import { readFileSync } from "node:fs";
    import { spawnSync } from "node:child_process";
    const { writeFixture } = await import(${load("test/support/native-index/region-fixture.ts")});
    const fixtures = await import(${load("test/support/native-index/fixture-rows.ts")});
    const { encodeRecords, randomRows } = fixtures;
    const { createBatch, openSegment } = await import(${load("native-index/napi/engine.ts")});
    const told = ({ constructor: { name }, code, errno, path, message }) =>
      console.log(JSON.stringify({ name, code, errno, path, message }));
    ${body}`;
  const node = [
    process.execPath,
    "--expose-gc",
    "--import",
    "tsx",
    "--input-type=module",
    "-e",
    code,
  ];
  const [command = "", ...rest] = [...prefix, ...node, ...args];
  const result = spawnSync(command, rest, { encoding: "utf8" });
  assert.equal(result.status, 0, result.stderr);
  return result.stdout.trim().split("\n");
}

describe("system errors", () => {
  const body = `
    await writeFixture(process.argv[1], randomRows(1, 20000)).then(
      () => console.log("written"),
      told,
    );`;

  it("have Node's code, number, path, and message", async () => {
    const file = path.join(folder, "none");
    const request = { path: file, regionOffset: 64, rowCount: 1, sections: [], threads: 1 };
    await assert.rejects(buildIndex(request), {
      name: "Error",
      message: `cannot open ${file}: No such file or directory`,
      code: "ENOENT",
      errno: -2,
      path: file,
    });
  });

  it("are reported for files that a scan cannot create", () => {
    const file = path.join(folder, "none", "spill");
    const reported = { partitions: 1, slotBytes: 64, latestDay: 0, skipBadRows: 0, ...FLAGS };
    assert.throws(() => openScan({ type: "simples", path: file, ...reported }), {
      name: "Error",
      message: `cannot make ${file}: No such file or directory`,
      code: "ENOENT",
      errno: -2,
      path: file,
    });
  });

  it("are reported for a file that grew too large", () => {
    const file = path.join(folder, "large");
    const limit = ["sh", "-c", 'ulimit -f 9000; exec "$@"', "sh"]; // columns fit, the region not
    assert.deepEqual(JSON.parse(child(limit, body, file)[0] as string), {
      name: "Error",
      code: "EFBIG",
      errno: -27,
      path: file,
      message: `cannot write the index region of ${file}: File too large`,
    });
  });

  it("are reported for a full disk", (test) => {
    const disk = path.join(folder, "disk");
    mkdirSync(disk);
    // The disk is in a separate mount namespace, so it disappears with the process.
    const mount = 'mount -t tmpfs -o size=4608k none "$0" && exec "$@"';
    const full = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, disk];
    if (spawnSync(full[0] as string, [...full.slice(1), "true"]).status !== 0) {
      return test.skip("skipped: this user may not mount a small file system");
    }
    const file = path.join(disk, "snapshot");
    const { message, ...error } = JSON.parse(child(full, body, file)[0] as string);
    assert.deepEqual(error, { name: "Error", code: "ENOSPC", errno: -28, path: file });
    assert.equal(message, `cannot write the index region of ${file}: No space left on device`);
  });
});

describe("a failed memory allocation", () => {
  // The memory limit is set after all preparations, so the next large allocation exceeds it.
  const body = `
    const meta = new Uint8Array(192 << 20);
    const fixture = await writeFixture(process.argv[1], randomRows(1, 500), { meta });
    const segment = openSegment(fixture.path, fixture.directory);
    const record = encodeRecords([{ ...fixture.rows[0], legal_name: "x".repeat(60000) }]);
    const batch = createBatch(Uint32Array.of(0, 1, 2, 3, 7, 12, 150, 70_000));
    batch.append(record, new Uint32Array(4000));
    const rows = new Uint32Array(1 << 22);
    // Garbage is collected first. The pauses let V8's background thread return the memory.
    for (let i = 0; i < 4; i++) { gc(); await new Promise((done) => setTimeout(done, 100)); }
    const pages = /VmSize:\\s+(\\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))[1];
    const limit = "--as=" + (Number(pages) * 1024 + (128 << 20));
    const set = spawnSync("prlimit", ["--pid", String(process.pid), limit]);
    if (set.status !== 0) throw new Error(String(set.stderr));
    const attempt = (ask) => {
      try { console.log("it was there", ask().length); } catch (error) { told(error); }
    };
    attempt(() => segment.meta());
    attempt(() => batch.finish());
    attempt(() => segment.renderJson(rows, ["cnpj", "legal_name", "street", "email"]));
    console.log(segment.count([]), segment.renderJson(rows.subarray(0, 1), ["uf"]).length > 2);`;

  it("throws an error with the requested size, and the process survives", (test) => {
    const asan = (process.env.LD_PRELOAD ?? "").includes("asan");
    if (asan || spawnSync("prlimit", ["--version"]).status !== 0) {
      return test.skip("skipped: no prlimit here, or a sanitizer that reserves all memory");
    }
    const [copied, column, grown, alive] = child([], body, path.join(folder, "meta"));
    const refusal = (line: string | undefined) => {
      const { message, ...rest } = JSON.parse(line as string);
      assert.deepEqual(rest, { name: "Error", code: "OUT_OF_MEMORY" });
      const found = /^out of memory: (\d+) bytes were asked for$/.exec(message);
      assert(found !== null, message);
      return Number(found[1]);
    };
    assert.equal(refusal(copied), 192 << 20, "the bytes of META, as a Buffer");
    assert.equal(refusal(column), 4000 * 60_000, "the legal names, as a Uint8Array");
    const size = refusal(grown);
    assert(size > 32 << 20 && size < 1 << 30, `the text that grows: ${size}`);
    assert.equal(alive, "500 true");
  });
});
