/**
 * A simple model of an exporter in memory, for the HTTP suites. It implements the contract in
 * src/export/exporter.ts, and tests set the states of its exports.
 * Invariant: an export stays unchanged until a test changes it or the clock passes its expiry.
 * Files are real, in a folder of the test.
 */
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../src/errors.ts";
import type {
  AcceptedExport,
  Exporter,
  ExportOrigin,
  ExportPage,
  NewExport,
  SentFile,
} from "../../../src/export/exporter.ts";
import { openLocal } from "../../../src/export/files/diskfiles.ts";
import type { FinishedFile, OpenedFile } from "../../../src/export/files/exportfiles.ts";
import { ExportFolder } from "../../../src/export/files/folder.ts";
import { compressionOf } from "../../../src/export/formats/compressed.ts";
import { extensionOf } from "../../../src/export/formats/format.ts";
import {
  type ExportFailure,
  type ExportFormat,
  type ExportRecord,
  exportNotFound,
} from "../../../src/export/record.ts";
import type { Clock } from "../../../src/process/clock.ts";
import { specHash } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";

/** An export with the data that its public record lacks. */
interface StoredExport {
  record: ExportRecord;
  readonly spec: AccountQuerySpec;
  readonly keyId: string;
  readonly idempotencyKey: string;
  readonly bodyHash: string;
}

/** The model. Members that the interface `Exporter` lacks are for tests. */
export class FakeExporter implements Exporter {
  /** Number of calls of `settled` that are still waiting. */
  waiting = 0;
  /** Requests of all calls of `create` that created an export. */
  readonly created: NewExport[] = [];
  /** Rows of answers that were charged, by tenant. */
  readonly charged: (readonly [tenantId: string, rows: number])[] = [];
  /** Ids of exports whose file was read. */
  readonly claimed: string[] = [];
  /** The error that the next call of `create` throws, or null. */
  failure: AppError | null = null;
  readonly #stored: StoredExport[] = [];
  readonly #removed = new Set<string>();
  #closed = false;
  readonly #wakers = new Set<() => void>();
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  replay(tenantId: string, idempotencyKey: string, bodyHash: string): AcceptedExport | null {
    const before = this.#stored.find(
      (stored) =>
        stored.record.tenantId === tenantId &&
        stored.idempotencyKey === idempotencyKey &&
        stored.bodyHash === bodyHash,
    );
    if (before === undefined) return null;
    if (this.#removed.has(before.record.id)) {
      throw new AppError("idempotency_key_reused", "Take a new Idempotency-Key.");
    }
    return { record: this.#dated(before.record), spec: before.spec, replayed: true };
  }

  create(wanted: NewExport): AcceptedExport {
    if (this.failure !== null) throw this.failure;
    const { tenantId, idempotencyKey, bodyHash, spec } = wanted;
    const before = this.#stored.find(
      (stored) => stored.record.tenantId === tenantId && stored.idempotencyKey === idempotencyKey,
    );
    if (before !== undefined) {
      const deleted = this.#removed.has(before.record.id);
      if (!deleted && specHash(before.spec) === specHash(spec)) {
        return { record: this.#dated(before.record), spec: before.spec, replayed: true };
      }
      throw new AppError("idempotency_key_reused", "Take a new Idempotency-Key.");
    }
    this.created.push(wanted);
    const record = freshRecord(wanted, this.created.length, this.#clock.nowMs());
    this.#stored.push({ record, spec, keyId: wanted.keyId, idempotencyKey, bodyHash });
    return { record, spec, replayed: false };
  }

  claim({ id }: Pick<ExportRecord, "id">): void {
    this.claimed.push(id);
  }

  receive(): SentFile {
    return new ExportFolder(this.#folder).receive(() => true);
  }

  async share(): Promise<void> {}

  sentAgain(): never {
    throw new AppError("export_expired", "The model keeps no sent file.");
  }

  charge({ tenantId }: Pick<NewExport, "tenantId">, rows: number): void {
    if (this.failure !== null) throw this.failure;
    this.charged.push([tenantId, rows]);
  }

  read(tenantId: string, id: string): ExportRecord {
    const record = this.find(id);
    if (record === undefined || record.tenantId !== tenantId) throw exportNotFound();
    return record;
  }

  list(tenantId: string, { limit, before }: { limit: number; before: number | null }): ExportPage {
    const all = this.#stored
      .map(({ record }) => this.#dated(record))
      .filter((record) => record.tenantId === tenantId && !this.#removed.has(record.id))
      .filter((record) => before === null || record.sequence < before)
      .sort((a, b) => b.sequence - a.sequence);
    return { records: all.slice(0, limit), more: all.length > limit };
  }

  origin(tenantId: string, id: string): ExportOrigin {
    this.read(tenantId, id);
    const stored = this.#stored.find(({ record }) => record.id === id) as StoredExport;
    return { spec: stored.spec, keyId: stored.keyId };
  }

  remove(tenantId: string, id: string): void {
    this.read(tenantId, id);
    this.#removed.add(id);
    this.#wake();
  }

  async settled(tenantId: string, id: string, waitMs: number): Promise<ExportRecord> {
    const until = this.#clock.monotonicMs() + waitMs;
    for (;;) {
      const record = this.read(tenantId, id);
      const leftMs = until - this.#clock.monotonicMs();
      const ended = record.state === "done" || record.state === "failed";
      if (ended || leftMs <= 0 || this.#closed) return record;
      await this.#change(leftMs);
    }
  }

  find(id: string): ExportRecord | undefined {
    const stored = this.#stored.find(({ record }) => record.id === id && !this.#removed.has(id));
    return stored === undefined ? undefined : this.#dated(stored.record);
  }

  filePath(record: ExportRecord): string {
    return join(this.#folder, `${record.id}.${extensionOf(record)}`);
  }

  openFile(file: FinishedFile): Promise<OpenedFile> {
    return openLocal(this.filePath(file as unknown as ExportRecord), file.sizeBytes);
  }

  /** Ends all current and future waits. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Sets members of a record and wakes the calls that wait for it. */
  set(id: string, members: Partial<ExportRecord>): void {
    const stored = this.#stored.find(({ record }) => record.id === id);
    if (stored === undefined) throw new Error(`there is no export ${id}`);
    stored.record = { ...stored.record, ...members };
    this.#wake();
  }

  /** Sets an export to `running` with half of its rows written and a known total. */
  run(id: string): void {
    this.set(id, { state: "running", progress: 0.5, rowsWritten: 125, rowCount: 250 });
  }

  /** Takes an export to `done` with the given file. */
  finish(id: string, bytes: Uint8Array, retentionMs = 3_600_000): ExportRecord {
    const record = this.find(id);
    if (record === undefined) throw new Error(`there is no export ${id}`);
    writeFileSync(this.filePath(record), bytes);
    this.set(id, {
      state: "done",
      progress: 1,
      rowsWritten: 250,
      rowCount: 250,
      sizeBytes: bytes.byteLength,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      expiresAtMs: this.#clock.nowMs() + retentionMs,
    });
    return this.find(id) as ExportRecord;
  }

  /** Takes an export to `failed`. */
  fail(id: string, failure: ExportFailure): void {
    this.set(id, { state: "failed", failure });
  }

  #dated(record: ExportRecord): ExportRecord {
    const { expiresAtMs } = record;
    return { ...record, expired: expiresAtMs !== null && this.#clock.nowMs() >= expiresAtMs };
  }

  #wake(): void {
    for (const waker of [...this.#wakers]) waker();
  }

  /** Resolves at the next change, or after a time. */
  #change(waitMs: number): Promise<void> {
    this.waiting++;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wakers.delete(done);
        this.waiting--;
        resolve();
      };
      const timer = setTimeout(done, Math.ceil(waitMs));
      this.#wakers.add(done);
    });
  }
}

function sinceOf({ changes }: NewExport): ExportRecord["since"] {
  if (!changes) return null;
  const { older, kinds, watch } = changes;
  return { snapshot: older.label, snapshotDate: older.snapshotDate, kinds, watch };
}

function freshRecord(wanted: NewExport, sequence: number, nowMs: number): ExportRecord {
  const { tenantId, spec, segment } = wanted;
  return {
    id: `exp_${randomBytes(16).toString("hex")}`,
    sequence,
    tenantId,
    state: "queued",
    format: spec.output.format as ExportFormat,
    compression: compressionOf(spec),
    snapshot: segment.label,
    snapshotDate: segment.snapshotDate,
    since: sinceOf(wanted),
    isEnrichment: wanted.enrichment !== undefined,
    read: wanted.enrichment?.read ?? null,
    outcomes: null,
    csvText: spec.output.format === "csv" ? (wanted.enrichment?.text ?? null) : null,
    slug: "empresas",
    title: spec.output.title ?? null,
    createdAtMs: nowMs,
    expiresAtMs: null,
    expired: false,
    progress: 0,
    rowsWritten: 0,
    rowCount: null,
    sizeBytes: null,
    sha256: null,
    failure: null,
    room: null,
  };
}
