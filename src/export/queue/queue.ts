/**
 * Schedules renders. Input: queued exports and free threads. Output: exports that are done, failed,
 * or queued again.
 * Invariant: tenants take turns, and each gets its oldest export rendered next. On all servers of
 * the fleet together, no tenant has more renders than its plan allows. A state is committed before
 * it is announced. If the commit fails, the outcome is retained and the commit retried. If another
 * server takes a render over, nothing of it remains here. Stopping leaves nothing running and
 * counts no attempt.
 */
import { isPlanName, type Plans } from "../../access/plans.ts";
import type { Clock } from "../../process/clock.ts";
import { faultPoint } from "../../process/fault.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { StagedEntries } from "../../store/exportedstore.ts";
import type { Candidate, ExportRow, ExportStore } from "../../store/exportstore.ts";
import type { Membership } from "../../store/fleet/membership.ts";
import type { ExportFiles, RecordedFile } from "../files/exportfiles.ts";
import type { ExportFolder } from "../files/folder.ts";
import { ATTEMPTS_MAX, type ExportFailure } from "../record.ts";
import type { RenderedFile } from "../render.ts";
import { Claims } from "./claims.ts";
import { OwnedExports } from "./ownership.ts";
import type { OnProgress, RenderThreads, StartedRender } from "./pool.ts";
import {
  changesOf,
  endOf,
  enrichmentOf,
  listedSpec,
  type OrderParts,
  type RenderOutcome,
  type RowBits,
} from "./rendertask.ts";
import { amendSent, type SentFiles } from "./sentfiles.ts";
import { Staging } from "./staging.ts";

interface QueueParts extends OrderParts {
  readonly store: ExportStore;
  readonly membership: Membership;
  readonly dataDir: string;
  readonly folder: ExportFolder;
  readonly files: ExportFiles;
  readonly sentFiles: SentFiles;
  readonly threads: RenderThreads;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly log: Log;
  /** Retention of a finished export in milliseconds, unless its plan sets less. */
  readonly retentionMs: number;
  /** Removes a file, now or later. */
  readonly discard: (file: RecordedFile) => void;
  /** Called when an export has ended or was deleted. */
  readonly onEnd: (id: string) => void;
  /** Counts and logs state damage that a render found. */
  readonly stateDamaged?: (details: Readonly<Record<string, unknown>>) => void;
}

/** Progress of a running export. */
export interface RunProgress {
  readonly rowsWritten: number;
  readonly rowCount: number;
}

/** Outcome of a run. A file comes with the entries staged for the tenant's list. */
type RunEnd =
  | { readonly kind: "file"; readonly file: RenderedFile; readonly staged: StagedEntries | null }
  | Exclude<RenderOutcome, { readonly kind: "file" }>;

/** An export from the time at which this server claims it until its end is committed. */
interface Run {
  readonly row: ExportRow;
  /** Requests an early end of the current work. */
  cancel: () => void;
  /** Lets the tenant's next export change the list. */
  release: () => void;
  progress: RunProgress;
  /** Set once the render has ended; commits its outcome. */
  commit: (() => void) | null;
  /** Set once the export was deleted or taken over by another member. Its file is then removed. */
  dropped: "removed" | "lost" | null;
}

/** Thrown if the tenant's list has changed since blocks were written in advance for it. */
class ListMoved extends Error {}

/** Moves exports from the database to threads and back. */
export class ExportQueue {
  readonly #parts: QueueParts;
  readonly #staging: Staging;
  readonly claims: Claims;
  readonly #ownership: OwnedExports;
  readonly #runs = new Map<string, Run>();
  /** Pending ends of renders; `close` waits for them. */
  readonly #ends = new Set<Promise<void>>();
  /** The tenant that was served last. */
  #turn = "";
  #state: "waiting" | "working" | "stopped" = "waiting";
  #kicked = false;
  /** True after an outage of the database. Then no export begins before the next `retry`. */
  #rests = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
    const { threads, dataDir, membership } = parts;
    this.#staging = new Staging({ threads, dataDir, owner: () => membership.id });
    this.claims = new Claims({ ...parts, staging: this.#staging });
    this.#ownership = new OwnedExports({ ...parts, ended: (id, why) => this.#drop(id, why) });
  }

  start(): void {
    this.#state = "working";
    this.claims.recover();
    this.kick();
  }

  /** Schedules a check for work, which never runs in the middle of a request. */
  kick(): void {
    if (this.#kicked) return;
    this.#kicked = true;
    setImmediate(() => {
      this.#kicked = false;
      this.#fill();
    });
  }

  /** Drops renders that other members have taken over. Throws the errors of the database. */
  look(): void {
    if (this.#state !== "working") return;
    this.#ownership.look(this.#runs.values());
    if (this.#parts.membership.isShared) this.claims.follow();
  }

  /** Retries failed commits, and checks for work. */
  retry(): void {
    this.#rests = false;
    for (const run of [...this.#runs.values()]) if (run.commit !== null) this.#commit(run);
    if (this.#state === "working") this.claims.retry();
    this.kick();
  }

  /** Returns the progress of an export if it is being rendered. */
  progressOf(id: string): RunProgress | undefined {
    return this.#runs.get(id)?.progress;
  }

  /** Number of exports that this server renders. */
  get running(): number {
    return this.#runs.size;
  }

  drop(id: string): void {
    this.#drop(id, "removed");
  }

  #drop(id: string, why: "removed" | "lost"): void {
    const run = this.#runs.get(id);
    if (run === undefined || run.dropped !== null) return;
    run.dropped = why;
    run.cancel();
  }

  /** Accepts no more work, and makes the threads stop at their next batch. */
  stop(): void {
    this.#state = "stopped";
    this.#staging.close();
    for (const { cancel } of this.#runs.values()) cancel();
  }

  /** Stops. Resolves when every render has ended and its outcome was committed if possible. */
  async close(): Promise<void> {
    this.stop();
    while (this.#ends.size > 0) await Promise.all(this.#ends);
    await this.claims.close();
    this.retry();
  }

  #fill(): void {
    try {
      while (this.#state === "working" && !this.#rests && this.#busy() < this.#parts.threads.size) {
        const row = this.#claim();
        if (row === null) return;
        this.#begin(row);
      }
    } catch (error) {
      this.#parts.log.error(describeError(error), "no export could be begun; trying again");
    }
  }

  #busy(): number {
    return [...this.#runs.values()].filter(({ commit }) => commit === null).length;
  }

  /** Claims the next export whose tenant may have another render. */
  #claim(): ExportRow | null {
    // Usually no export waits. This read outside a transaction then blocks no other writer.
    if (this.#next() === null) return null;
    const { store, membership } = this.#parts;
    const claimed = store.atomically(() => {
      const row = this.#next();
      if (row === null) return null;
      const owner = membership.id;
      const token = store.claim(row.id, owner) as number;
      faultPoint("claim.before_commit");
      return { ...row, owner, token, attempts: row.attempts + 1 };
    });
    faultPoint("claim.after_commit");
    if (claimed !== null) this.#turn = claimed.tenantId;
    return claimed;
  }

  #next(): ExportRow | null {
    const { store } = this.#parts;
    return nextTurn(store.candidates(), this.#turn, ({ sequence }) => {
      const row = store.at(sequence);
      return row !== undefined && this.#mayRun(row) ? row : null;
    });
  }

  /**
   * True if the export may run here. Each tenant may run at least one export. Otherwise, if its
   * plan was lowered, an accepted export could wait indefinitely.
   */
  #mayRun(row: ExportRow): boolean {
    const { id, tenantId, plan } = row;
    if (this.#runs.has(id) || this.#ownership.leaves(id)) return false;
    if (!this.#parts.sentFiles.canRender(row)) return false;
    const allowed = isPlanName(plan) ? this.#parts.plans[plan].limits.concurrent_exports : 1;
    return this.#parts.store.runningOf(tenantId) < Math.max(1, allowed);
  }

  #begin(row: ExportRow): void {
    const onProgress: OnProgress = (rowsWritten, rowCount) => {
      run.progress = { rowsWritten, rowCount };
    };
    const render = this.#parts.sentFiles.render(row, () => this.#order(row, onProgress));
    const progress = { rowsWritten: 0, rowCount: 0 };
    const { cancel } = render;
    const run: Run = { row, cancel, release: () => {}, progress, commit: null, dropped: null };
    this.#runs.set(row.id, run);
    this.#end(
      run,
      render.outcome.then((outcome) => this.#put(run, outcome)),
    );
  }

  /** Stages and commits the outcome of a render. */
  #end(run: Run, put: Promise<RenderOutcome>): void {
    const end = this.#finishing(run, put);
    this.#ends.add(end);
    void end.finally(() => this.#ends.delete(end));
  }

  /** The database may go away at any point. A claimed export must end nevertheless. */
  async #finishing(run: Run, put: Promise<RenderOutcome>): Promise<void> {
    let rendered: RenderOutcome;
    let outcome: RunEnd;
    try {
      rendered = await put;
      outcome = await this.#stage(run, rendered);
    } catch (error) {
      rendered = this.#unfinished(run, endOf(error));
      outcome = rendered;
    }
    this.#conclude(run, rendered, outcome);
  }

  /** A claimed export must end. So if its task cannot be built, this counts as a failed attempt. */
  #order(row: ExportRow, onProgress: OnProgress): StartedRender {
    const { store, folder, pins, threads } = this.#parts;
    try {
      const request = {
        places: pins.places(row.snapshotId, row.snapshotPath),
        snapshotId: row.snapshotId,
        ...listedSpec(store, row.id),
        path: folder.pathOf(row),
        dataDir: this.#parts.dataDir,
        bytesMax: this.#bytesLeft(row),
        ...changesOf(row, this.#parts),
        ...enrichmentOf(row, folder),
      };
      return threads.start(request, onProgress);
    } catch (error) {
      return { outcome: Promise.resolve(endOf(error)), cancel: () => {} };
    }
  }

  /** Stores a rendered file (locally or in the object store) unless it will not be delivered. */
  async #put(run: Run, outcome: RenderOutcome): Promise<RenderOutcome> {
    if (outcome.kind !== "file" || run.dropped !== null) return outcome;
    if (outcome.file.sizeBytes > this.#bytesLeft(run.row)) return outcome;
    const ended = new AbortController();
    run.cancel = () => ended.abort();
    if (this.#state !== "working") ended.abort();
    try {
      await this.#parts.files.put({ ...run.row, ...outcome.file }, ended.signal);
      return outcome;
    } catch (error) {
      return ended.signal.aborted
        ? this.#unfinished(run, { kind: "cancelled" })
        : this.#unfinished(run, endOf(error));
    }
  }

  /**
   * Removes the local file of a render that does not finish its export. If the file was already
   * uploaded, the object remains, so that the next attempt, perhaps on another server, finds it.
   */
  #unfinished<End extends Pick<RunEnd, "kind">>({ row }: Run, end: End): End {
    if (end.kind === "failed") this.#parts.discard(row);
    else this.#parts.files.abandon(row);
    return end;
  }

  /**
   * Stages a file's rows, unless the file will not be delivered. Staging writes new blocks of the
   * tenant's list, to which the list does not refer yet.
   */
  async #stage(run: Run, outcome: RenderOutcome): Promise<RunEnd> {
    if (outcome.kind !== "file") return outcome;
    const { row } = run;
    const { file, held } = outcome;
    const isWanted = () => run.dropped === null && this.#state === "working";
    const nothing = { kind: "file", file, staged: null } as const;
    const isDropped = run.dropped !== null;
    if (isDropped || held.length === 0 || file.sizeBytes > this.#bytesLeft(row)) return nothing;
    if (this.#parts.store.isOfNotice(row.id)) return this.#setAside(run, file, held);
    const turn = await this.#staging.stage(row.tenantId, { held }, (cancel) => {
      run.cancel = cancel;
      return isWanted();
    });
    run.release = turn.release;
    if (turn.outcome.kind === "staged") return { ...nothing, staged: turn.outcome.staged };
    return this.#unfinished(run, turn.outcome);
  }

  /**
   * Stores the list entries of a file that was made with a notice. They are added to the tenant's
   * list only after a client has read the file.
   */
  async #setAside(run: Run, file: RenderedFile, held: readonly RowBits[]): Promise<RunEnd> {
    const { threads, dataDir, folder, membership } = this.#parts;
    const { tenantId, id } = run.row;
    const writeTo = folder.unclaimedPathOf(id);
    const task = { tenantId, held, dataDir, writeTo, owner: membership.id };
    const outcome = await threads.stage(task).outcome;
    if (outcome.kind === "staged") return { kind: "file", file, staged: null };
    return this.#unfinished(run, outcome);
  }

  #conclude(run: Run, rendered: RenderOutcome, outcome: RunEnd): void {
    const { id } = run.row;
    const failure = outcome.kind === "failed" ? outcome.failure : null;
    // A file that is refused for its size is not a bug, so no stack is logged.
    if ("error" in outcome && failure !== "quota_exceeded" && run.dropped === null) {
      const { log, stateDamaged } = this.#parts;
      const details = { export_id: id, outcome: outcome.kind, ...outcome.error };
      if (failure === "state_damaged") stateDamaged?.(details);
      else log.warn(details, "an export was not rendered");
    }
    const staged = outcome.kind === "file" ? outcome.staged : null;
    run.commit = () => {
      try {
        if (run.dropped === null) this.#store(run.row, outcome);
        else if (staged !== null) this.#parts.store.lists.exported.drop(staged.made);
      } catch (error) {
        if (!(error instanceof ListMoved)) throw error;
        // Another member has changed the list meanwhile.
        if (staged !== null) this.#parts.store.lists.exported.drop(staged.made);
        run.commit = null;
        run.release();
        this.#end(run, Promise.resolve(rendered));
      }
    };
    this.#commit(run);
  }

  /** Commits the outcome of a render. If the commit fails, `retry` repeats it. */
  #commit(run: Run): void {
    const { folder, files, log, discard, onEnd } = this.#parts;
    const { id, snapshotId, sinceId } = run.row;
    try {
      run.commit?.();
      if (run.commit === null) return;
      if (run.dropped === "lost") files.abandon(run.row);
      if (run.dropped === "removed") {
        discard(run.row);
        folder.removeSent(id);
      }
    } catch (error) {
      log.error(describeError(error), "the end of an export was not stored; trying again");
      return;
    }
    this.#runs.delete(id);
    this.#ownership.forget(id);
    run.release();
    this.unpin(snapshotId, sinceId);
    if (run.dropped !== "lost") onEnd(id);
    this.kick();
  }

  /** Releases the snapshots that no export needs any more. */
  unpin(...snapshotIds: readonly (string | null)[]): void {
    const { pins, threads, log } = this.#parts;
    for (const id of snapshotIds) {
      try {
        if (id !== null && pins.release(id)) threads.forget(id);
      } catch (error) {
        log.warn(describeError(error), "a pin was not removed; the next start will");
      }
    }
  }

  #store(row: ExportRow, outcome: RunEnd): void {
    switch (outcome.kind) {
      case "file":
        this.#storeFile(row, outcome.file, outcome.staged);
        break;
      case "failed":
        if (outcome.failure === "snapshot_unavailable" && this.#ownership.leave(row.id)) {
          this.#requeue(row, row.attempts - 1);
        } else this.#fail(row, outcome.failure);
        break;
      case "cancelled":
        this.#requeue(row, row.attempts - 1);
        break;
      case "interrupted":
        // Until the next `retry`, no export begins, so that an outage causes no loop of attempts.
        this.#rests = true;
        this.#requeue(row, row.attempts - 1);
        break;
      case "threw":
      case "crashed":
        if (row.attempts < ATTEMPTS_MAX) this.#requeue(row, row.attempts);
        else this.#fail(row, outcome.kind === "threw" ? "render_failed" : "too_many_attempts");
        break;
    }
  }

  #storeFile(row: ExportRow, file: RenderedFile, staged: StagedEntries | null): void {
    const fits = file.sizeBytes <= this.#bytesLeft(row);
    if (fits && this.#finish(row, file, staged)) return;
    if (staged !== null) this.#parts.store.lists.exported.drop(staged.made);
    if (!fits) this.#refuse(row);
  }

  /** Commits an export with its staged entries. Returns false if it was deleted or taken over. */
  #finish(
    row: ExportRow,
    { outcomes, ...file }: RenderedFile,
    staged: StagedEntries | null,
  ): boolean {
    const { store, files, clock, log } = this.#parts;
    const endedAt = clock.nowMs();
    const expiresAt = endedAt + this.#retentionMs(row);
    const finished = store.atomically(() => {
      const { id, token } = row;
      const changed = store.finish({ id, token, ...file, endedAt, expiresAt });
      // An earlier commit may have succeeded although its answer was lost.
      if (!changed) return store.isDoneBy(row);
      if (outcomes !== undefined) amendSent(store, id, { outcomes });
      if (staged !== null && !store.lists.exported.keep(staged, endedAt)) {
        throw new ListMoved();
      }
      faultPoint("finish.before_commit");
      return true;
    });
    faultPoint("finish.after_commit");
    if (!finished) {
      this.#giveUp(row);
      return false;
    }
    files.settle({ ...row, ...file });
    const { rowCount: rows, sizeBytes: bytes } = file;
    log.info({ export_id: row.id, tenant_id: row.tenantId, rows, bytes }, "export done");
    return true;
  }

  /** Removes a deleted export's file, or only the local copy if another server took it over. */
  #giveUp(row: ExportRow): void {
    const { store, files, discard } = this.#parts;
    if (store.find(row.id) === undefined) discard(row);
    else if (!store.isDoneBy(row)) files.abandon(row);
  }

  /** Refuses a finished file, because other exports of the tenant have used up its quota. */
  #refuse(row: ExportRow): void {
    if (this.#fail(row, "quota_exceeded")) this.#parts.discard(row);
    else this.#giveUp(row);
  }

  /** Returns the max bytes of the export's file; unlimited if the export was delivered before. */
  #bytesLeft({ plan, tenantId, expiresAt }: ExportRow): number {
    const { store, plans } = this.#parts;
    const most = isPlanName(plan) ? plans[plan].limits.export_bytes : 0;
    if (most === 0 || expiresAt !== null) return Number.POSITIVE_INFINITY;
    return Math.max(0, most - store.storedBytes.of(tenantId).files);
  }

  #retentionMs({ plan }: ExportRow): number {
    const { plans, retentionMs } = this.#parts;
    if (!isPlanName(plan)) return retentionMs;
    return Math.min(retentionMs, plans[plan].limits.export_retention * 1_000);
  }

  /** Commits an export's failure. Returns false if the export was deleted or taken over. */
  #fail(row: ExportRow, failure: ExportFailure): boolean {
    const { store, clock, log } = this.#parts;
    const failed = store.atomically(() => {
      const changed = store.fail(row, failure, clock.nowMs());
      faultPoint("finish.before_commit");
      return changed;
    });
    faultPoint("finish.after_commit");
    const { id: export_id, tenantId: tenant_id } = row;
    if (failed) log.warn({ export_id, tenant_id, failure }, "export failed");
    return failed;
  }

  #requeue(row: ExportRow, attempts: number): void {
    const { store } = this.#parts;
    store.atomically(() => {
      store.requeue(row, attempts);
      faultPoint("requeue.before_commit");
    });
    faultPoint("requeue.after_commit");
  }
}

/**
 * Tries the tenants in turn, starting after the tenant `last`, until `take` returns a value.
 * `candidates` must be in ascending order of tenants.
 */
export function nextTurn<Taken>(
  candidates: readonly Candidate[],
  last: string,
  take: (candidate: Candidate) => Taken | null,
): Taken | null {
  const after = candidates.findIndex(({ tenantId }) => tenantId > last);
  const begin = Math.max(after, 0);
  for (const candidate of [...candidates.slice(begin), ...candidates.slice(0, begin)]) {
    const taken = take(candidate);
    if (taken !== null) return taken;
  }
  return null;
}
