/**
 * Several export servers on one state. The test advances their render threads by hand.
 * Invariant: everything else is real: database, membership, files, and pins. Time passes only in
 * `pass`, equally for the servers and for the leases. A paused or killed server does nothing.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadPlans, type PlanName } from "../../../src/access/plans.ts";
import { Exports, type OpenFiles } from "../../../src/export/exports.ts";
import { DiskFiles } from "../../../src/export/files/diskfiles.ts";
import {
  type ExportFiles,
  SentFileMissing,
  type SharedSentFiles,
} from "../../../src/export/files/exportfiles.ts";
import type { ExportFolder } from "../../../src/export/files/folder.ts";
import { type ManualClock, manualClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { Membership } from "../../../src/store/fleet/membership.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { fakeSegment } from "../http/fake.ts";
import { FakeThreads, FORGET_S, NOW_MS, settle, specOf } from "./fake-threads.ts";

const LEASE_MS = 15_000;

/** A server of a fleet. */
export interface Server {
  readonly exports: Exports;
  readonly threads: FakeThreads;
  readonly membership: Membership;
  readonly dataDir: string;
  /** State of the server, which the test sets. */
  life: "live" | "paused" | "killed";
}

/** Several servers that share one state. */
export class Fleet {
  readonly plans = loadPlans();
  readonly clock: ManualClock = manualClock(NOW_MS);
  readonly #folder = mkdtempSync(join(tmpdir(), "peneira-fleet-"));
  readonly #database: StateDatabase = openDatabase(join(this.#folder, "state"));
  readonly servers: Server[] = [];
  readonly #segment: Segment;
  /** Stored copies of uploaded files, or null if the servers have no store for copies. */
  copies: Map<string, Buffer> | null = null;
  /** Copying an uploaded file waits for this. */
  holdCopy: Promise<void> = Promise.resolve();

  readonly #setInterval = globalThis.setInterval;

  constructor() {
    // Disables timers, because a paused server must not run any.
    const never = { unref: () => never } as unknown as NodeJS.Timeout;
    globalThis.setInterval = (() => never) as unknown as typeof setInterval;
    const path = join(this.#folder, "a.peneira");
    writeFileSync(path, "a snapshot");
    this.#segment = { ...fakeSegment(), path };
    const tenant = "INSERT INTO tenants (id, name, created_at) VALUES ('a', 'a', 1)";
    this.#database.exec(tenant);
  }

  /** Starts a server that renders up to two exports at the same time. */
  server(name: string): Server {
    const dataDir = join(this.#folder, name);
    mkdirSync(dataDir, { mode: 0o700 });
    const [database, clock, log] = [this.#database, this.clock, openLog("silent")];
    const facts = { name, version: "1", files: "shared", dataDir };
    const membership = new Membership({ ...facts, database, clock, log, leaseMs: LEASE_MS });
    const threads = new FakeThreads(2);
    const parts = { database, membership, dataDir, threads, plans: this.plans, clock, log };
    const lasting = { retention: 604_800, forget: FORGET_S, freeBytesMin: 0 };
    const openFiles: OpenFiles = ({ folder }) => this.#filesOf(folder);
    const exports = new Exports({ ...parts, ...lasting, openFiles, slugOf: () => "empresas" });
    const server: Server = { exports, threads, membership, dataDir, life: "live" };
    this.servers.push(server);
    exports.start(this.#segment);
    return server;
  }

  #filesOf(folder: ExportFolder): ExportFiles {
    const { copies } = this;
    if (copies === null) return new DiskFiles(folder);
    const sent: SharedSentFiles = {
      put: async ({ id }) => {
        await this.holdCopy;
        copies.set(id, readFileSync(folder.sentPathOf(id)));
      },
      fetch: async ({ id }) => {
        const bytes = copies.get(id);
        if (bytes === undefined) throw new SentFileMissing();
        writeFileSync(folder.sentPathOf(id), bytes);
      },
      remove: ({ id }) => void copies.delete(id),
    };
    return Object.assign(new DiskFiles(folder), { sent });
  }

  /** Creates an export of the tenant `a` at a server. Returns its id. */
  create(server: Server, idempotencyKey: string, plan: PlanName = "enterprise"): string {
    const sender = { tenantId: "a", keyId: "k", plan: this.plans[plan] };
    const body = { bodyHash: "", rows: 1, spec: specOf(), segment: this.#segment };
    return server.exports.create({ ...sender, ...body, idempotencyKey }).record.id;
  }

  /** Creates an enrichment at a server that has received the file. Returns its id. */
  async enrich(server: Server, idempotencyKey: string): Promise<string> {
    const sender = { tenantId: "a", keyId: "k", plan: this.plans.enterprise };
    const body = { bodyHash: "", rows: 1, spec: specOf(), segment: this.#segment };
    const sent = server.exports.receive();
    sent.add(Buffer.from("cnpj\n11222333000181\n"));
    const file = await sent.end();
    const text = { encoding: "utf-8", hasHeader: true };
    const read = { column: "CNPJ", equals: [], sheet: null, reason: null };
    const enrichment = { file, column: undefined, fillZeros: false, text, read };
    const request = { ...sender, ...body, idempotencyKey, enrichment };
    const { id } = server.exports.create(request).record;
    await server.exports.share(id, file);
    return id;
  }

  /** Advances the time by some seconds. Every live server does its due work. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.clock.advance(1_000);
      this.#database.exec("UPDATE members SET lease_until = lease_until - 1000");
      for (const { membership, exports, life } of this.servers) {
        if (life !== "live") continue;
        membership.tick();
        exports.tick();
      }
      await settle();
    }
  }

  /** Ends all leases, as an outage of the database does. */
  lapse(): void {
    this.#database.exec("UPDATE members SET lease_until = 0");
    this.clock.advance(LEASE_MS);
  }

  pause(server: Server): void {
    server.life = "paused";
  }

  resume(server: Server): void {
    server.life = "live";
  }

  /** Ends a server without any cleanup, as a crash does. */
  kill(server: Server): void {
    server.life = "killed";
    server.threads.held.splice(0);
  }

  async dispose(): Promise<void> {
    for (const { exports, threads, membership } of this.servers) {
      for (const held of [...threads.held]) held.end({ kind: "cancelled" });
      await exports.close();
      membership.stop();
    }
    globalThis.setInterval = this.#setInterval;
    this.#database.close();
    rmSync(this.#folder, { recursive: true });
  }
}
