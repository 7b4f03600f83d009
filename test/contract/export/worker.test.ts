/**
 * Proves, with real threads on a real snapshot: a render thread writes the same bytes as rendering
 * in this process, in every format. The thread reports progress, stops on request, closes unused
 * snapshots, and has a lower priority than all other threads. Each failure has its documented
 * outcome and leaves no file. Does not prove the formats themselves.
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { loadPlans } from "../../../src/access/plans.ts";
import { Exports } from "../../../src/export/exports.ts";
import { COMPRESSED } from "../../../src/export/formats/format.ts";
import { RenderPool, type RenderRequest } from "../../../src/export/queue/pool.ts";
import { type RenderedFile, renderExport } from "../../../src/export/render.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { EXPORT_FORMATS, OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const ACCOUNTS = 30_000;
const THREADS = 2;

let sample: SampleSnapshot;
let segment: Segment;
let pool: RenderPool;
let folder: string;

before(async () => {
  sample = await makeSampleSnapshot(ACCOUNTS, 5);
  segment = await openSegment(sample.snapshot);
  pool = new RenderPool(THREADS);
  folder = mkdtempSync(join(tmpdir(), "peneira-worker-"));
});

after(async () => {
  await pool.close();
  segment.close();
  sample.dispose();
  rmSync(folder, { recursive: true });
});

function specOf(
  format: string,
  fields: readonly string[] = OUTPUT_FIELD_NAMES,
  more: object = {},
): AccountQuerySpec {
  const input = { filters: {}, output: { format, fields, ...more } };
  return normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: 1_000_000,
    limitCap: 1_000_000,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: OUTPUT_FIELD_NAMES,
    mode: "export",
    fullAllowed: true,
  }).spec;
}

function requestOf(name: string, more: Partial<RenderRequest> = {}): RenderRequest {
  return {
    places: [sample.snapshot],
    snapshotId: segment.snapshotId,
    spec: specOf("csv", ["cnpj", "legal_name", "uf"]),
    path: join(folder, name),
    lists: new Map(),
    dataDir: folder,
    bytesMax: Number.POSITIVE_INFINITY,
    ...more,
  };
}

const nothing = () => {};
const left = (name: string) => readdirSync(folder).filter((found) => found.startsWith(name));

/** Returns the nice value of each thread of this process, by thread id. */
function niceOfThreads(): Map<number, number> {
  const threads = readdirSync("/proc/self/task").map((tid): [number, number] => {
    const stat = readFileSync(`/proc/self/task/${tid}/stat`, "latin1");
    // The name in parentheses may contain spaces. Nice is field 19, the 17th after the name.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [Number(tid), Number(fields[16])];
  });
  return new Map(threads);
}

describe("threads of exports", () => {
  const kinds = [
    ...EXPORT_FORMATS.map((format) => [format, {}] as const),
    ...Object.entries(COMPRESSED).map(
      ([compression, { extension }]) => [`csv.${extension}`, { compression }] as const,
    ),
  ];
  for (const [format, more] of kinds) {
    it(`write the same ${format} as this thread`, async () => {
      const spec = specOf(format.split(".")[0] as string, OUTPUT_FIELD_NAMES, more);
      const here = await renderExport({ segment, spec, path: join(folder, `here.${format}`) });
      const request = requestOf(`there.${format}`, { spec });
      const outcome = await pool.start(request, nothing).outcome;
      assert(outcome.kind === "file");
      assert.deepEqual(outcome.file, here);
      const [held] = outcome.held;
      const marked = held?.bits.reduce(
        (sum, byte) => sum + byte.toString(2).split("1").length - 1,
        0,
      );
      assert.deepEqual([outcome.held.length, held?.snapshotId], [1, segment.snapshotId]);
      assert.equal(marked, ACCOUNTS);
      const there = readFileSync(request.path);
      assert.ok(there.equals(readFileSync(join(folder, `here.${format}`))));
      assert.equal(here.rowCount, ACCOUNTS);
    });
  }

  it("stop at the byte limit of a file", async () => {
    const outcome = await pool.start(requestOf("large", { bytesMax: 1_000 }), nothing).outcome;
    assert.equal(outcome.kind === "failed" && outcome.failure, "quota_exceeded");
    assert.deepEqual(left("large"), []);
  });

  it("run concurrently, each with its own file", async () => {
    const names = ["p", "q", "r", "s"];
    const outcomes = await Promise.all(
      names.map((name) => pool.start(requestOf(name), nothing).outcome),
    );
    const files = outcomes.map((outcome) => (outcome.kind === "file" ? outcome.file : null));
    assert.equal(new Set(files.map((file) => file?.sha256)).size, 1);
    assert.deepEqual(
      names.map((name) => left(name)),
      names.map((name) => [name]),
    );
  });

  it("run below the priority of every other thread", async (context) => {
    if (process.platform !== "linux") {
      context.skip("other systems know no priority of one thread");
      return;
    }
    await Promise.all(["t", "u"].map((name) => pool.start(requestOf(name), nothing).outcome));
    // The process may already run at a lower priority.
    const own = getPriority(process.pid);
    const nice = niceOfThreads();
    assert.equal(nice.get(process.pid), own);
    const lowered = [...nice.values()].filter((value) => value !== own);
    assert.deepEqual(lowered, own < 10 ? Array(THREADS).fill(10) : []);
  });

  it("report progress that grows", async () => {
    const seen: number[] = [];
    const spec = specOf("xlsx");
    const request = requestOf("progress", { spec });
    await pool.start(request, (rows, all) => {
      assert.equal(all, ACCOUNTS);
      seen.push(rows);
    }).outcome;
    assert.ok(seen.length > 0);
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    );
  });

  it("stop on request, and leave no file", async () => {
    for (const delayMs of [0, 5, 20]) {
      const render = pool.start(requestOf("cancelled", { spec: specOf("xlsx") }), nothing);
      await sleep(delayMs);
      render.cancel();
      assert.deepEqual(await render.outcome, { kind: "cancelled" });
      assert.deepEqual(left("cancelled"), []);
    }
  });

  it("find the snapshot at another path, and use no other snapshot", async () => {
    const gone = join(folder, "gone.peneira");
    const junk = join(folder, "junk.peneira");
    writeFileSync(junk, "no snapshot");
    const request = requestOf("moved", { places: [gone, junk, sample.snapshot] });
    assert.equal((await pool.start(request, nothing).outcome).kind, "file");
    for (const places of [[gone], [junk], [], [sample.snapshot]]) {
      const other = requestOf("refused", { places, snapshotId: "0".repeat(16) });
      const outcome = await pool.start(other, nothing).outcome;
      assert.equal(outcome.kind === "failed" && outcome.failure, "snapshot_unavailable");
    }
    assert.deepEqual(left("refused"), []);
  });

  it("distinguish failed writes from our own faults", async () => {
    const nowhere = requestOf("x", { path: join(folder, "missing", "x.csv") });
    const unwritten = await pool.start(nowhere, nothing).outcome;
    assert.equal(unwritten.kind === "failed" && unwritten.failure, "write_failed");
    const broken = requestOf("broken", { spec: {} as AccountQuerySpec });
    const threw = await pool.start(broken, nothing).outcome;
    assert.equal(threw.kind, "threw");
    assert.deepEqual(left("broken"), []);
    assert.equal((await pool.start(requestOf("after"), nothing).outcome).kind, "file");
  });

  it("release an unused snapshot", async (context) => {
    if (process.platform !== "linux") {
      context.skip("mappings cannot be listed here");
      return;
    }
    const pinned = join(folder, "pinned.peneira");
    copyFileSync(sample.snapshot, pinned);
    const mapped = () => readFileSync("/proc/self/maps", "utf8").includes(pinned);
    // A thread keeps one snapshot open. A request for a snapshot that does not exist makes each
    // thread close its own.
    const renders = Array.from({ length: 4 }, (_, i) => {
      const request = requestOf(`none${i}`, { places: [], snapshotId: "0".repeat(16) });
      return pool.start(request, nothing).outcome;
    });
    await Promise.all(renders);
    await pool.start(requestOf("own", { places: [pinned] }), nothing).outcome;
    assert.equal(mapped(), true);
    pool.forget(segment.snapshotId);
    for (let waited = 0; waited < 100 && mapped(); waited++) await sleep(20);
    assert.equal(mapped(), false);
    assert.equal((await pool.start(requestOf("again"), nothing).outcome).kind, "file");
  });
});

describe("exports with real threads", () => {
  it("starts no thread before there is work, and closes without one", async () => {
    const late = new RenderPool(1);
    assert.equal(late.isStarted, false);
    await late.close();
    assert.equal(late.isStarted, false);
    assert.equal(pool.isStarted, true, "it has rendered");
  });

  it("are done completely, on the pinned snapshot even if its name is taken", async () => {
    const dataDir = join(folder, "state");
    mkdirSync(dataDir, { mode: 0o700 });
    const path = join(folder, "served.peneira");
    copyFileSync(sample.snapshot, path);
    const served = await openSegment(path);
    const database = openDatabase(dataDir);
    database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('a', 'a', 1)");
    const parts = { database, dataDir, clock: systemClock, log: openLog("silent") };
    const plans = loadPlans();
    const threads = new RenderPool(1);
    const slugOf = () => "empresas";
    const lasting = { retention: 60, forget: 86_400, freeBytesMin: 0 };
    const exports = new Exports({ ...parts, threads, plans, ...lasting, slugOf });
    exports.start(served);
    rmSync(path);
    writeFileSync(path, "another file of that name");
    const spec = specOf("jsonl");
    const request = { tenantId: "a", keyId: "k", idempotencyKey: "k", bodyHash: "", rows: 1 };
    const wanted = { ...request, plan: plans.enterprise, spec, segment: served };
    const { record } = exports.create(wanted);
    const done = await exports.settled("a", record.id, 30_000);
    const reference: RenderedFile = await renderExport({
      segment,
      spec,
      path: join(folder, "ref"),
    });
    assert.deepEqual(
      [done.state, done.rowCount, done.sizeBytes, done.sha256],
      ["done", reference.rowCount, reference.sizeBytes, reference.sha256],
    );
    const bytes = readFileSync(exports.filePath(done));
    assert.ok(bytes.equals(readFileSync(join(folder, "ref"))));
    await exports.close();
    assert.deepEqual(readdirSync(join(dataDir, "pins")), []);
    database.close();
    served.close();
  });
});
