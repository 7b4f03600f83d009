/**
 * The exports of a state. This class connects intake, queue, sweeper, and recovery.
 * Invariant: the database is authoritative, and memory adds only the progress of running renders.
 * If the database cannot be written, the request fails with the error of `stateUnwritable` and
 * changes nothing. Other servers of the fleet change the same exports. So this server rereads
 * exports for which a request waits.
 */
import { isPlanName, type Plans } from "../access/plans.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import { changeListPath } from "../changes/listfolder.ts";
import { AppError, CommandError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";
import { faultPoint } from "../process/fault.ts";
import { describeError, type Log } from "../process/log.ts";
import type { Segment } from "../search/segment.ts";
import type { Compression, OutputField } from "../spec/fields.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { type ExportRow, ExportStore } from "../store/exportstore.ts";
import { stateUnwritable } from "../store/failures.ts";
import type { WorkLease } from "../store/fleet/lease.ts";
import { Membership } from "../store/fleet/membership.ts";
import { isStateFailure } from "../store/sqlite.ts";
import type { StateDatabase } from "../store/statedatabase.ts";
import type {
  AcceptedExport,
  Exporter,
  ExportOrigin,
  ExportPage,
  NewExport,
  ReceivedFile,
  SentAgain,
  SentFile,
} from "./exporter.ts";
import { DiskFiles } from "./files/diskfiles.ts";
import type {
  ExportFiles,
  FileRequest,
  FilesState,
  FinishedFile,
  OpenedFile,
} from "./files/exportfiles.ts";
import { ExportFolder } from "./files/folder.ts";
import type { KnownExports } from "./files/storedfiles.ts";
import { Intake, type IntakeParts } from "./queue/intake.ts";
import { Pins } from "./queue/pins.ts";
import type { RenderThreads } from "./queue/pool.ts";
import { ExportQueue, type RunProgress } from "./queue/queue.ts";
import { recover } from "./queue/recovery.ts";
import type { SentFileTask } from "./queue/rendertask.ts";
import { SentFiles } from "./queue/sentfiles.ts";
import { ClockJumps, Sweeper } from "./queue/sweeper.ts";
import {
  type ExportFailure,
  type ExportFormat,
  type ExportRecord,
  exportNotFound,
  namesIn,
  type StorageQuota,
} from "./record.ts";

/** Interval between sweeps for expired exports, in milliseconds. */
const SWEEP_MS = 1_000;
/** Interval between sweeps of local files that other members no longer need, in milliseconds. */
const CLEAN_MS = 60_000;

interface ExportsParts {
  readonly database: StateDatabase;
  readonly dataDir: string;
  /**
   * Membership of this server in the fleet of servers that share the state. `start` begins the
   * membership. By default, `Exports` creates the membership of a single server.
   */
  readonly membership?: Membership | undefined;
  /** Lease for work that only one server may do at a time. By default, this server does it. */
  readonly work?: Pick<WorkLease, "look"> | undefined;
  readonly threads: RenderThreads;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly log: Log;
  /** Retention of a finished export in seconds, unless its plan sets less. */
  readonly retention: number;
  /** Retention of an expired or failed export's record, in seconds. */
  readonly forget: number;
  /** No export is accepted if the disk has fewer free bytes. 0 disables the check. */
  readonly freeBytesMin: number;
  /** Replaces the system's number of free bytes in tests. */
  readonly freeBytes?: () => number | null;
  readonly slugOf: IntakeParts["slugOf"];
  /** Opens the store of finished files. Without this function, files stay on the local disk. */
  readonly openFiles?: OpenFiles | undefined;
  /** Called before and after a snapshot gets or loses a hard link. */
  readonly linked?: () => void;
  /** Counts and logs state damage that a render found. */
  readonly stateDamaged?: (details: Readonly<Record<string, unknown>>) => void;
}

/** Opens the store of finished files, which are rendered in `folder`. */
export type OpenFiles = (parts: {
  readonly folder: ExportFolder;
  readonly known: KnownExports;
  readonly clock: Clock;
  readonly log: Log;
  readonly sweeps: () => boolean;
}) => ExportFiles;

/** All exports of a data directory. */
export class Exports implements Exporter {
  readonly #parts: ExportsParts;
  readonly #membership: Membership;
  readonly #store: ExportStore;
  readonly #folder: ExportFolder;
  readonly #files: ExportFiles;
  readonly #pins: Pins;
  readonly #intake: Intake;
  readonly #queue: ExportQueue;
  readonly #sentFiles: SentFiles;
  readonly #sweeper: Sweeper;
  readonly #waiting = new Waiting();
  readonly #hasRoom: () => boolean;
  #sweeping: NodeJS.Timeout | undefined;
  #cleanedMs = Number.NEGATIVE_INFINITY;

  /** Opens the folders. Throws `CommandError` if other users could reach them. */
  constructor(parts: ExportsParts) {
    const { database, dataDir, retention, clock, log } = parts;
    this.#parts = parts;
    const alone = { name: "", version: "", files: "disk" };
    const membership = parts.membership ?? new Membership({ ...alone, ...parts });
    const store = new ExportStore(database);
    const folder = new ExportFolder(dataDir);
    const known = { find: store.find.bind(store), done: () => doneNow(store) };
    const sweeps = () => this.#hasWork();
    const files = parts.openFiles?.({ folder, known, clock, log, sweeps }) ?? new DiskFiles(folder);
    const pins = new Pins(dataDir, (snapshotId) => store.needs(snapshotId), parts.linked);
    const clockJumps = new ClockJumps(clock, log);
    const onEnd = (id: string) => this.#waiting.wake(id);
    const sentFiles = new SentFiles({ ...parts, store, folder, files, membership, onEnd });
    this.#sentFiles = sentFiles;
    const sweeper = new Sweeper({
      ...parts,
      store,
      folder,
      files,
      clockJumps,
      forgetMs: parts.forget * 1_000,
      discardCopy: (row) => sentFiles.discard(row),
    });
    this.#membership = membership;
    this.#store = store;
    this.#folder = folder;
    this.#files = files;
    this.#pins = pins;
    this.#sweeper = sweeper;
    const freeBytes = parts.freeBytes ?? (() => folder.freeBytes());
    const holder = () => (membership.isShared ? membership.id : null);
    this.#intake = new Intake({ ...parts, store, folder, pins, clockJumps, freeBytes, holder });
    this.#hasRoom = () => (freeBytes() ?? Number.POSITIVE_INFINITY) >= parts.freeBytesMin;
    this.#queue = new ExportQueue({
      ...parts,
      ...{ store, folder, files, sentFiles, pins, membership, onEnd },
      retentionMs: retention * 1_000,
      discard: (file) => sweeper.discard(file),
      listPath: (olderId, newerId) => changeListPath(dataDir, olderId, newerId),
    });
  }

  /**
   * Joins the state, recovers from a crash, and begins to render. This works without a served
   * snapshot, because the snapshot of each accepted export is pinned (kept by a hard link). Call it
   * before the server listens. Throws `CommandError` if the data directory cannot be written, or if
   * other servers of the fleet store their files elsewhere.
   */
  start(served: Segment | null): void {
    if (served !== null) this.serve(served);
    this.#recover();
    this.#membership.onChange(() => this.#follow());
    this.tick();
    this.#sweeping = setInterval(() => this.tick(), SWEEP_MS).unref();
    this.#files.start();
    this.#queue.start();
  }

  /**
   * Makes a hard link to the newly served snapshot, so that exports can use it after it is
   * replaced. If this fails, the snapshot is served nevertheless.
   */
  serve(segment: Segment): void {
    try {
      for (const snapshotId of this.#pins.serve(segment)) this.#queue.unpin(snapshotId);
    } catch (error) {
      this.#parts.log.warn(describeError(error), "the served snapshot could not be pinned");
    }
  }

  counts(): Readonly<Record<"queued" | "running", number>> {
    return { queued: this.#store.queued(), running: this.#queue.running };
  }

  /** Returns the free bytes of the disk with the files, or null if they are unknown. */
  freeBytes(): number | null {
    return this.#folder.freeBytes();
  }

  /** Begins to stop: starts no new render, and ends all waits. */
  stop(): void {
    clearInterval(this.#sweeping);
    this.#queue.stop();
    this.#waiting.close();
  }

  /** Resolves when all renders have ended; unfinished ones are queued again. */
  async close(): Promise<void> {
    this.stop();
    await this.#queue.close();
    this.#sentFiles.close();
    await this.#parts.threads.close();
    await this.#files.close();
    this.#pins.close();
    if (this.#parts.membership === undefined) this.#membership.stop();
  }

  replay(tenantId: string, idempotencyKey: string, bodyHash: string): AcceptedExport | null {
    const accepted = stored(() => this.#intake.replay(tenantId, idempotencyKey, bodyHash));
    if (accepted === null) return null;
    return { ...accepted, record: this.#recordOf(accepted.row) };
  }

  create(wanted: NewExport): AcceptedExport {
    const { row, spec, replayed } = stored(() => this.#intake.accept(wanted));
    this.#queue.kick();
    return { record: this.#recordOf(row), spec, replayed };
  }

  receive(): SentFile {
    return this.#folder.receive(this.#hasRoom);
  }

  async share(id: string, file: ReceivedFile): Promise<void> {
    try {
      const row = this.#store.find(id);
      if (row !== undefined) await this.#sentFiles.share(row, file);
      this.#queue.kick();
    } catch (error) {
      this.#parts.log.warn(describeError(error), "a sent file was not copied yet");
    }
  }

  async sentAgain(tenantId: string, id: string): Promise<SentAgain> {
    const row = this.#own(tenantId, id);
    const { sent, sentBytes: bytes } = row;
    const { sha256, column, sheet, fillZeros } = JSON.parse(sent ?? "null") as SentFileTask;
    const own = this.#folder.sendAgain(id, { bytes, sha256 });
    const isHere = own === null && (await this.#sentFiles.fetch(row));
    const file = isHere ? this.#folder.sendAgain(id, { bytes, sha256 }) : own;
    if (file !== null) return { file, column: column ?? undefined, sheet, fillZeros };
    throw new AppError("export_expired", "The sent file of this export is gone. Send it again.");
  }

  charge(sender: Pick<NewExport, "tenantId" | "keyId" | "plan">, rows: number): void {
    stored(() => this.#intake.charge(sender, rows));
  }

  read(tenantId: string, id: string): ExportRecord {
    return this.#recordOf(this.#own(tenantId, id));
  }

  list(
    tenantId: string,
    page: { readonly limit: number; readonly before: number | null },
  ): ExportPage {
    const before = page.before ?? Number.MAX_SAFE_INTEGER;
    const rows = stored(() => this.#store.list(tenantId, before, page.limit + 1));
    const records = rows.slice(0, page.limit).map((row) => this.#recordOf(row));
    return { records, more: rows.length > page.limit };
  }

  origin(tenantId: string, id: string): ExportOrigin {
    this.#own(tenantId, id);
    const found = stored(() => this.#store.originOf(id));
    if (found === undefined) throw exportNotFound();
    return { spec: JSON.parse(found.spec) as AccountQuerySpec, keyId: found.keyId };
  }

  remove(tenantId: string, id: string): void {
    const row = this.#own(tenantId, id);
    const { snapshotId, sinceId } = row;
    stored(() =>
      this.#store.atomically(() => {
        this.#store.remove(id);
        faultPoint("remove.before_commit");
      }),
    );
    this.#queue.drop(id);
    faultPoint("remove.before_unlink");
    this.#sweeper.discard(row);
    this.#sweeper.discardSent(row);
    faultPoint("remove.after_unlink");
    this.#queue.unpin(snapshotId, sinceId);
    this.#waiting.wake(id);
    this.#queue.kick();
  }

  async settled(tenantId: string, id: string, waitMs: number): Promise<ExportRecord> {
    const now = this.read(tenantId, id);
    if (now.state === "done" || now.state === "failed") return now;
    await this.#waiting.until(id, waitMs);
    return this.read(tenantId, id);
  }

  find(id: string): ExportRecord | undefined {
    const row = stored(() => this.#store.find(id));
    return row === undefined ? undefined : this.#recordOf(row);
  }

  /** Returns the absolute path at which a file is rendered. Without a store, it stays there. */
  filePath(record: ExportRecord): string {
    return this.#folder.pathOf(record);
  }

  /** Opens a file. If it is missing, renders its export again, with the same bytes. */
  async openFile(file: FinishedFile, wanted: FileRequest): Promise<OpenedFile> {
    try {
      return await this.#files.open(file, wanted);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") this.#renderAgain(file.id);
      throw error;
    }
  }

  #renderAgain(id: string): void {
    const row = this.#store.find(id);
    const nowMs = this.#parts.clock.nowMs();
    if (row?.state !== "done" || (row.expiresAt !== null && row.expiresAt <= nowMs)) return;
    if (!stored(() => this.#store.requeue(row, 0))) return;
    this.#parts.log.warn({ export_id: id }, "the file of an export is gone; rendering it again");
    this.#queue.kick();
  }

  /** Returns the state of the store, or null if files are on the local disk. */
  filesState(): FilesState | null {
    return this.#files.state();
  }

  claim({ id, tenantId }: Pick<ExportRecord, "id" | "tenantId">): void {
    this.#queue.claims.claim(id, tenantId);
  }

  #recover(): void {
    const { dataDir } = this.#parts;
    try {
      this.#membership.start();
      recover({ ...this.#parts, store: this.#store, folder: this.#folder, files: this.#files });
      this.#pins.clean();
    } catch (error) {
      const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
      if (code === undefined || error instanceof AppError) throw error;
      const detail = `The exports in ${dataDir} cannot be put in order (${code}). Check its disk.`;
      throw new CommandError(detail, 1, error);
    }
  }

  /** Does periodic work. Never throws, because a database failure must not end the server. */
  tick(): void {
    try {
      if (this.#hasWork()) {
        this.#sweeper.sweep();
        if (this.#membership.isShared) this.#sentFiles.look();
      }
    } catch (error) {
      this.#parts.log.error(describeError(error), "expired exports were not swept; trying again");
    }
    if (this.#membership.isShared) this.#follow();
    this.#queue.retry();
  }

  /** True if this server is the one in the fleet that expires exports. */
  #hasWork(): boolean {
    return this.#parts.work?.look() ?? true;
  }

  /** Applies changes that other servers made to exports. Never throws. */
  #follow(): void {
    const { clock, log } = this.#parts;
    try {
      this.#queue.look();
      for (const id of this.#waiting.ids()) {
        const row = this.#store.find(id);
        if (row?.state !== "queued" && row?.state !== "running") this.#waiting.wake(id);
      }
      if (clock.monotonicMs() - this.#cleanedMs < CLEAN_MS) return;
      this.#cleanedMs = clock.monotonicMs();
      this.#store.lists.exported.dropStaged();
      this.#folder.cleanSent((id) => this.#store.find(id)?.expiredAt === null, false);
      this.#sentFiles.copyAll();
      this.#pins.clean();
    } catch (error) {
      log.error(describeError(error), "the exports of other servers are not known; trying again");
    }
  }

  #own(tenantId: string, id: string): ExportRow {
    const row = stored(() => this.#store.find(id));
    if (row !== undefined && row.tenantId === tenantId) return row;
    throw exportNotFound();
  }

  #recordOf(row: ExportRow): ExportRecord {
    const progress = this.#queue.progressOf(row.id);
    return { ...recordOf(row, progress, this.#parts.clock.nowMs()), room: this.#roomOf(row) };
  }

  /** Returns the limit and use of bytes if an export exceeded the limit, else null. */
  #roomOf({ failure, plan, tenantId }: ExportRow): StorageQuota | null {
    const { plans } = this.#parts;
    const most = isPlanName(plan) ? plans[plan].limits.export_bytes : 0;
    if (failure !== "quota_exceeded" || most === 0) return null;
    return { most, retained: stored(() => this.#store.storedBytes.of(tenantId)).files };
  }
}

/** Returns the done exports whose file was not removed. */
function doneNow(store: ExportStore): ExportRow[] {
  return store.inState("done").filter(({ expiredAt }) => expiredAt === null);
}

/** Converts a row to its public record; `progress` is set while it is being rendered. */
function recordOf(
  row: ExportRow,
  progress: RunProgress | undefined,
  nowMs: number,
): Omit<ExportRecord, "room"> {
  const { id, sequence, tenantId, state, snapshot, snapshotDate, slug, title } = row;
  const done = state === "done";
  const stored = { rowsWritten: row.rowsWritten, rowCount: row.rowsExpected };
  const { rowsWritten, rowCount } =
    state === "running" ? (progress ?? stored) : { rowsWritten: 0, rowCount: 0 };
  const expiresAtMs = done ? row.expiresAt : null;
  return {
    ...{ id, sequence, tenantId, state, snapshot, snapshotDate, slug, title, expiresAtMs },
    since: sinceOf(row),
    ...enrichmentOf(row),
    format: row.format as ExportFormat,
    compression: row.compression as Compression | null,
    createdAtMs: row.createdAt,
    expired: row.expiredAt !== null || (expiresAtMs !== null && expiresAtMs <= nowMs),
    progress: done ? 1 : rowCount > 0 ? Math.min(rowsWritten / rowCount, 1) : 0,
    rowsWritten: done ? (row.rowCount ?? 0) : rowsWritten,
    rowCount: row.rowCount,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256,
    failure: row.failure as ExportFailure | null,
  };
}

/** Returns the members that only enrichments have, most of which rows of old versions lack. */
function enrichmentOf({ sent, format, state }: ExportRow) {
  if (sent === null) return { isEnrichment: false, csvText: null, read: null, outcomes: null };
  const { text = {}, read = null, outcomes = null } = JSON.parse(sent) as SentFileTask;
  return {
    isEnrichment: true,
    csvText: format === "csv" ? text : null,
    read,
    // A lost file is rendered again, so its numbers are not known.
    outcomes: state === "done" ? outcomes : null,
  };
}

/** Returns the change options of an export's row, or null unless it is an export of changes. */
function sinceOf({ since, sinceDate, kinds, watch }: ExportRow): ExportRecord["since"] {
  if (since === null) return null;
  return {
    snapshot: since,
    snapshotDate: sinceDate ?? "",
    kinds: namesIn(kinds) as readonly ChangeKind[],
    watch: namesIn(watch) as readonly OutputField[],
  };
}

/** Runs a database action. Converts a database failure to a public error. */
function stored<Value>(action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    if (!isStateFailure(error)) throw error;
    throw stateUnwritable(error);
  }
}

class Waiting {
  readonly #waits = new Map<string, Set<() => void>>();
  #closed = false;

  /** Resolves when `wake` is called with the id, or after `ms` milliseconds. */
  until(id: string, ms: number): Promise<void> {
    if (this.#closed || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const waits = this.#waits.get(id) ?? new Set();
      this.#waits.set(id, waits);
      const end = () => {
        clearTimeout(timer);
        waits.delete(end);
        if (waits.size === 0 && this.#waits.get(id) === waits) this.#waits.delete(id);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waits.add(end);
    });
  }

  wake(id: string): void {
    for (const end of [...(this.#waits.get(id) ?? [])]) end();
  }

  /** Ends all waits; later waits end immediately. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#waits.keys()]) this.wake(id);
  }

  /** Exports with waiting requests. */
  ids(): string[] {
    return [...this.#waits.keys()];
  }

  /** Number of exports for which requests wait. */
  get size(): number {
    return this.#waits.size;
  }
}
