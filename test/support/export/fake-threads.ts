/**
 * Fake render threads with a data directory, for the suites of the queue. The test decides how each
 * render ends.
 * Invariant: everything else is real: database, files, and pins, with a manual clock. A finished
 * file has the given bytes under its final name, as after a real render.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { loadPlans, type PlanName } from "../../../src/access/plans.ts";
import { AppError } from "../../../src/errors.ts";
import { Exports } from "../../../src/export/exports.ts";
import { DiskFiles } from "../../../src/export/files/diskfiles.ts";
import { ExportFolder } from "../../../src/export/files/folder.ts";
import type {
  OnProgress,
  RenderRequest,
  RenderThreads,
  StartedRender,
  StartedStage,
} from "../../../src/export/queue/pool.ts";
import type { RenderOutcome } from "../../../src/export/queue/rendertask.ts";
import { ClockJumps, Sweeper } from "../../../src/export/queue/sweeper.ts";
import type { ExportRecord } from "../../../src/export/record.ts";
import { type ManualClock, manualClock } from "../../../src/process/clock.ts";
import { type Log, openLog } from "../../../src/process/log.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ExportStore } from "../../../src/store/exportstore.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { fakeSegment } from "../http/fake.ts";

/** 2026-11-21, noon. */
export const NOW_MS = Date.UTC(2026, 10, 21, 12);

/** Seconds for which the record of an expired or failed export is kept. */
export const FORGET_S = 7_776_000;

/** A render in progress, which the test ends. */
export interface HeldRender {
  readonly request: RenderRequest;
  readonly onProgress: OnProgress;
  cancelled: boolean;
  end(outcome: RenderOutcome): void;
}

/** Renders in progress, oldest first. */
export class FakeThreads implements RenderThreads {
  readonly size: number;
  readonly held: HeldRender[] = [];
  readonly forgotten: string[] = [];
  /** Number of renders started so far. */
  begun = 0;
  closed = false;
  /** If true, a canceled render ends immediately, as real threads do at the next batch. */
  readonly obedient: boolean;

  constructor(size: number, obedient = true) {
    this.size = size;
    this.obedient = obedient;
  }

  start(request: RenderRequest, onProgress: OnProgress): StartedRender {
    this.begun++;
    let render: HeldRender | undefined;
    const outcome = new Promise<RenderOutcome>((resolve) => {
      const end = (what: RenderOutcome) => {
        const at = this.held.indexOf(render as HeldRender);
        if (at >= 0) this.held.splice(at, 1);
        resolve(what);
      };
      render = { request, onProgress, cancelled: false, end };
      this.held.push(render);
    });
    const cancel = () => {
      (render as HeldRender).cancelled = true;
      if (this.obedient) render?.end({ kind: "cancelled" });
    };
    return { outcome, cancel };
  }

  stage(): StartedStage {
    return { outcome: Promise.resolve({ kind: "staged", staged: null }), cancel: () => {} };
  }

  forget(snapshotId: string): void {
    this.forgotten.push(snapshotId);
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** Writes the file of a render, and returns the outcome that a real render reports. */
export function rendered(request: RenderRequest, bytes = "cnpj\r\n"): RenderOutcome {
  writeFileSync(request.path, bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = { rowCount: 1, sizeBytes: bytes.length, sha256 };
  return { kind: "file", file, held: [] };
}

/** Returns a normalized spec. A different `uf` makes a different request. */
export function specOf(uf = "SP", format = "csv", limit = 100): AccountQuerySpec {
  const { catalog } = fakeSegment();
  const input = { filters: { geo: { uf_any_of: [uf] } }, limit, output: { format } };
  return normalizeSpec(input, {
    catalog,
    limitDefault: 100,
    limitCap: 1_000_000,
    allowedFields: ["cnpj", "uf"],
    defaultFields: ["cnpj"],
    mode: "export",
    fullAllowed: true,
  }).spec;
}

/** The exports of a server, on a data directory that survives a simulated end of the process. */
export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), "peneira-exports-"));
  readonly dataDir = join(this.folder, "state");
  readonly clock: ManualClock = manualClock(NOW_MS);
  readonly plans = loadPlans();
  readonly segment: Segment;
  readonly logged: string[] = [];
  readonly log: Log = openLog("debug", { write: (line) => this.logged.push(line) });
  database: SqliteDatabase;
  threads: FakeThreads;
  exports: Exports;
  retention = 604_800;
  /** Free bytes of the simulated disk. `freeBytesMin` is the part that must stay free. */
  free: number | null = 2_000;
  readonly freeBytesMin = 1_000;

  constructor(threads = 2, obedient = true) {
    mkdirSync(this.dataDir, { mode: 0o700 });
    const path = join(this.folder, "a.peneira");
    writeFileSync(path, "a snapshot");
    this.segment = { ...fakeSegment(), path };
    this.threads = new FakeThreads(threads, obedient);
    this.database = openDatabase(this.dataDir);
    this.exports = this.#make();
  }

  /** Restarts as `peneira serve` does after its process died. */
  reopen(): void {
    this.database.close();
    this.threads = new FakeThreads(this.threads.size, this.threads.obedient);
    this.database = openDatabase(this.dataDir);
    this.exports = this.#make();
  }

  #make(): Exports {
    const { database, dataDir, threads, plans, clock, log, retention, freeBytesMin } = this;
    const lasting = { retention, forget: FORGET_S, freeBytesMin, freeBytes: () => this.free };
    const slugOf = () => "empresas";
    return new Exports({ database, dataDir, threads, plans, clock, log, ...lasting, slugOf });
  }

  /** Makes a tenant, as creating a key does. */
  tenant(id: string): string {
    this.database
      .prepare("INSERT INTO tenants (id, name, created_at) VALUES (?, ?, 1) ON CONFLICT DO NOTHING")
      .run(id, id);
    return id;
  }

  /** Creates an export of a tenant. */
  create(
    tenant: string,
    key: string,
    more: {
      readonly plan?: PlanName;
      readonly spec?: AccountQuerySpec;
      readonly rows?: number;
      readonly bodyHash?: string;
    } = {},
  ) {
    const { rows = 1, bodyHash = "" } = more;
    return this.exports.create({
      ...{ rows, bodyHash },
      tenantId: this.tenant(tenant),
      keyId: `key of ${tenant}`,
      plan: this.plans[more.plan ?? "enterprise"],
      idempotencyKey: key,
      spec: more.spec ?? specOf(),
      segment: this.segment,
    });
  }

  /** Returns an export's record as its tenant sees it. */
  record(tenant: string, id: string): ExportRecord {
    return this.exports.read(tenant, id);
  }

  /** Returns the state of an export as its tenant sees it. */
  stateOf(id: string, tenant = "a"): ExportRecord["state"] {
    return this.record(tenant, id).state;
  }

  /** The oldest render in progress. */
  first(): HeldRender {
    return this.threads.held[0] as HeldRender;
  }

  /** Ends the first render with a file of these bytes. */
  async endFirst(bytes?: string): Promise<void> {
    this.first().end(rendered(this.first().request, bytes));
    await settle();
  }

  /** Creates an export of the tenant `a` and finishes it, with these bytes. */
  async done(key: string, bytes?: string, plan: PlanName = "enterprise"): Promise<ExportRecord> {
    const { record } = this.create("a", key, { plan });
    await settle();
    await this.endFirst(bytes);
    return this.record("a", record.id);
  }

  /** Returns another instance that removes old exports of the state, perhaps by another clock. */
  sweeper(clock: Pick<ManualClock, "nowMs" | "monotonicMs"> = this.clock): Sweeper {
    const { database, dataDir, log } = this;
    const [store, folder] = [new ExportStore(database), new ExportFolder(dataDir)];
    const clockJumps = new ClockJumps(clock, log);
    const files = new DiskFiles(folder);
    return new Sweeper({
      store,
      folder,
      files,
      clock,
      clockJumps,
      log,
      forgetMs: FORGET_S * 1_000,
      discardCopy: () => {},
    });
  }

  /** Rows of a table of the state. */
  count(table: string): number {
    return this.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  }

  /** Names in a folder of the data directory. */
  names(folder: "exports" | "pins"): string[] {
    return readdirSync(join(this.dataDir, folder)).sort();
  }

  /** Stops and closes everything, and removes the folder. */
  async dispose(): Promise<void> {
    for (const held of [...this.threads.held]) held.end({ kind: "cancelled" });
    await this.exports.close();
    this.database.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns the id of the export that is being rendered. */
export function idOf({ request }: HeldRender): string {
  return /exp_[0-9a-f]{32}/.exec(request.path)?.[0] as string;
}

/** Returns a predicate for `assert.throws` that is true for an AppError with this code. */
export function isError(code: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}

/** Waits until everything that is due in this process has run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}

/** Creates 200 exports of the tenant `a` in a data directory, and prints their ids by key. */
export function createMany(dataDir: string, snapshotPath: string): void {
  const database = openDatabase(dataDir);
  const threads = new FakeThreads(1);
  const log = openLog("silent");
  const parts = { database, dataDir, threads, log, clock: manualClock(NOW_MS) };
  const lasting = { retention: 60, forget: FORGET_S, freeBytesMin: 0 };
  const exports = new Exports({
    ...parts,
    ...lasting,
    plans: loadPlans(),
    slugOf: () => "empresas",
  });
  const segment = { ...fakeSegment(), path: snapshotPath };
  const request = { tenantId: "a", keyId: "k", bodyHash: "", rows: 1 };
  const wanted = { ...request, plan: loadPlans().enterprise, spec: specOf(), segment };
  const ids = Array.from({ length: 200 }, (_, i) => {
    const { record } = exports.create({ ...wanted, idempotencyKey: `k${i}` });
    return record.id;
  });
  process.stdout.write(JSON.stringify(ids));
  database.close();
}
