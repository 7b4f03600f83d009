/**
 * Proves that buildIndex rejects input that it cannot index, with the place and the reason: a wrong
 * request, column, or code, rows out of rank order, and a file that is missing or cannot grow. The
 * reported progress rises to the end, and no temporary file is left.
 * Does not prove: the content of the region (unit/native-index/build-region.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { COLUMNS, type ColumnName } from "../../../native-index/format/columns.ts";
import { buildIndex, type IndexRequest, rankRecords } from "../../../native-index/napi/engine.ts";
import {
  encodeRecords,
  type FixtureRow,
  randomRows,
} from "../../support/native-index/fixture-rows.ts";
import {
  tableSections,
  writeColumns,
  writeFixture,
} from "../../support/native-index/region-fixture.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-refusals-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "refused.arrow");

/**
 * Writes the rows, and returns the request that indexes them. With `reversed`, the rows are in
 * reverse rank order.
 */
function requestOf(rows: readonly FixtureRow[], reversed = false): IndexRequest {
  const records = encodeRecords(rows);
  const starts = rankRecords(records, records.length);
  const written = writeColumns(file, { records, starts: reversed ? starts.reverse() : starts });
  return {
    path: file,
    regionOffset: written.regionOffset,
    rowCount: rows.length,
    sections: [
      { kind: 1, argument: 0, bytes: Buffer.from("{}") },
      { kind: 2, argument: 0, bytes: written.columns },
      ...tableSections(),
    ],
    threads: 2,
  };
}

/**
 * Returns the request after changing one of the six numbers (0-5) in a column's entry in COLUMNS,
 * the snapshot section that lists the columns.
 */
function withNumber(request: IndexRequest, name: ColumnName, change: [number, bigint]) {
  const [place, value] = change;
  const columns = Buffer.from(request.sections[1]?.bytes as Uint8Array);
  const number = COLUMNS.findIndex((column) => column.name === name);
  columns.writeBigUInt64LE(value, 8 + 16 + 48 * number + 8 * place);
  const sections = request.sections.map((s) => (s.kind === 2 ? { ...s, bytes: columns } : s));
  return { ...request, sections };
}

const rows = randomRows(11, 200);

describe("invalid requests", () => {
  const cases: [string, (request: IndexRequest) => IndexRequest, RegExp][] = [
    ["no file", (r) => ({ ...r, path: `${file}.none` }), /cannot open .*No such file/],
    ["odd offset", (r) => ({ ...r, regionOffset: r.regionOffset + 1 }), /multiple of 64/],
    ["offset zero", (r) => ({ ...r, regionOffset: 0 }), /positive multiple of 64/],
    [
      "offset behind the file",
      (r) => ({ ...r, regionOffset: r.regionOffset + 640 }),
      /has \d+ byt/,
    ],
    ["too many rows", (r) => ({ ...r, rowCount: 201 }), /rows of a batch: found 200, expected 201/],
    ["another batch count", (r) => ({ ...r, rowCount: 2 ** 21 }), /length of COLUMNS/],
    ["no threads", (r) => ({ ...r, threads: 0 }), /threads must be a whole number from 1/],
    ["a missing table", (r) => ({ ...r, sections: r.sections.slice(0, -1) }), /TABLE is missing/],
    ["a table twice", (r) => ({ ...r, sections: [...r.sections, ...r.sections] }), /there twice/],
    [
      "a section of the builder",
      (r) => ({ ...r, sections: [{ kind: 4, argument: 0, bytes: new Uint8Array(0) }] }),
      /not kind 4/,
    ],
    [
      "a table of wrong offsets",
      (r) => ({
        ...r,
        sections: r.sections.map((s) => (s.kind === 3 ? { ...s, bytes: Buffer.alloc(9, 1) } : s)),
      }),
      /table registration_status_reason/,
    ],
  ];
  for (const [name, change, message] of cases) {
    test(name, async () => {
      const request = change(requestOf(rows));
      await assert.rejects(async () => buildIndex(request), message);
    });
  }
});

describe("invalid columns", () => {
  const far = 1n << 60n;
  const cases: [string, ColumnName, [number, bigint], RegExp][] = [
    ["data outside the file", "score", [2, far], /data of column score lies outside/],
    ["data that wraps around", "score", [2, (1n << 64n) - 8n], /data of column score lies outside/],
    ["data too short", "phone_1", [3, 8n], /data of column phone_1 has 8 bytes, .* need 1600/],
    ["offsets too short", "street", [5, 800n], /offsets of column street has 800 bytes/],
    ["validity too short", "uf", [1, 24n], /validity of column uf has 24 bytes/],
    ["nulls that must not be", "score", [1, 25n], /score must not have missing values/],
    ["strings beyond their data", "legal_name", [3, 5n], /legal_name in batch 0 fall or leave/],
    ["strings that fall", "email", [4, 64n], /email in batch 0 fall or leave/],
  ];
  for (const [name, column, change, message] of cases) {
    test(name, async () => {
      const request = withNumber(requestOf(rows), column, change);
      await assert.rejects(buildIndex(request), { code: "SNAPSHOT_DAMAGED", message });
    });
  }

  const values: [string, Partial<FixtureRow>, RegExp][] = [
    [
      "an unknown activity",
      { cnae_primary: 40 },
      /cnae_primary of row \d+ has the unknown code 40/,
    ],
    ["an unknown secondary one", { cnae_secondary: [0, 99] }, /cnae_secondary .* unknown code 99/],
    ["an unknown state", { uf: 6 }, /column uf of row \d+ has the unknown code 6/],
    ["an unknown status", { registration_status: 9 }, /registration_status .* unknown code 9/],
    ["a date before 1800", { started_on: -62_092 }, /started_on of row \d+ lies before 1800/],
  ];
  for (const [name, change, message] of values) {
    test(name, async () => {
      const wrong = rows.map((row, i) => (i === 77 ? { ...row, ...change } : row));
      await assert.rejects(buildIndex(requestOf(wrong)), { code: "SNAPSHOT_DAMAGED", message });
    });
  }

  test("rejects rows that are not in rank order", async () => {
    await assert.rejects(buildIndex(requestOf(rows, true)), /row \d+ is not in rank order/);
  });
});

describe("a file that cannot grow", () => {
  const script = fileURLToPath(
    new URL("../../support/native-index/region-fixture.ts", import.meta.url),
  );
  const rowsScript = fileURLToPath(
    new URL("../../support/native-index/fixture-rows.ts", import.meta.url),
  );
  const code = `
    const { writeFixture } = await import(${JSON.stringify(script)});
    const { randomRows } = await import(${JSON.stringify(rowsScript)});
    try {
      await writeFixture(process.argv[1], randomRows(1, 20000));
      console.log("written");
    } catch (error) { console.log(error.code, error.message); }`;
  const run = (blocks: string) =>
    spawnSync(
      "sh",
      [
        "-c",
        `ulimit -f ${blocks}; exec "$@"`,
        ...["sh", process.execPath, "--import", "tsx", "--input-type=module", "-e", code, file],
      ],
      { encoding: "utf8" },
    );

  test("rejects with the system's reason, and the process survives", () => {
    assert.match(run("unlimited").stdout, /^written/);
    const result = run("9000"); // blocks of 512 bytes: enough for the columns, not for the region
    assert.match(result.stdout, /^EFBIG cannot write the index region of .*: File too large/);
    assert.equal(result.status, 0);
  });
});

test("ends progress at 1,000 and leaves only the snapshot in the folder", async () => {
  const progress = new Uint32Array(new SharedArrayBuffer(4));
  const place = mkdtempSync(path.join(folder, "progress-"));
  await writeFixture(path.join(place, "a.arrow"), rows, { progress });
  assert.equal(progress[0], 1000);
  assert.deepEqual(readdirSync(place), ["a.arrow"]);
});

test("raises progress through the whole build, and often in its last third", async () => {
  const progress = new Uint32Array(new SharedArrayBuffer(4));
  const place = path.join(mkdtempSync(path.join(folder, "rising-")), "a.arrow");
  const seen: number[] = [];
  let isBuilding = true;
  const building = writeFixture(place, randomRows(3, 60_000), { progress }).finally(() => {
    isBuilding = false;
  });
  while (isBuilding) {
    const now = Atomics.load(progress, 0);
    if (now !== seen.at(-1)) seen.push(now);
    await setImmediate();
  }
  await building;
  const rising = [...new Set(seen)].sort((a, b) => a - b);
  assert.deepEqual(seen, rising);
  // On a busy machine, the progress is read rarely. If a build reported only whole stages, at most
  // two of these reports would be seen.
  assert.ok(rising.filter((value) => value > 667).length >= 5, rising.join(" "));
});
