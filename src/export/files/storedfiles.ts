/**
 * The files of finished exports on an S3-compatible store.
 * Invariant: an object's key has the export's id and the file's SHA-256. So a key never has two
 * contents, and a replaced process cannot overwrite another's file. The local copy is removed only
 * after the export is durably done. A copy of a file that a client has sent is kept until its
 * export expires or is deleted. The sweep removes only objects of this installation that no export
 * in the state needs. The module is loaded only if a store is set.
 */
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type LocalFile,
  type ObjectStore,
  type StoredObject,
  StoreFault,
} from "../../download/store/objectstore.ts";
import { keyBelow } from "../../files/objectaddress.ts";
import type { Clock } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import { openLocal } from "./diskfiles.ts";
import {
  type ExportFiles,
  type FileRequest,
  type FilesState,
  FilesUnavailable,
  type FinishedFile,
  type OpenedFile,
  type RecordedFile,
  SentFileMissing,
  type SentObject,
  type SharedSentFiles,
  type StoredFile,
} from "./exportfiles.ts";
import type { ExportFolder } from "./folder.ts";

/** The part of the state's exports that the sweep needs. */
export interface KnownExports {
  /** Returns an export's row, or undefined if there is none. */
  find(id: string): (RecordedFile & { state: string; expiredAt: number | null }) | undefined;
  /** Returns done exports that have not expired. */
  done(): readonly RecordedFile[];
}

interface StoredFilesParts {
  readonly store: ObjectStore;
  readonly folder: ExportFolder;
  readonly known: KnownExports;
  readonly serve: "redirect" | "proxy";
  readonly retrySeconds: number;
  /** Names of this installation, which owns objects under each. New objects get the first name. */
  readonly owners: readonly [string, ...string[]];
  readonly clock: Clock;
  readonly log: Log;
  /** True if this server is the member that sweeps the store. The default is true. */
  readonly sweeps?: () => boolean;
  /** Intervals; only tests change them. */
  readonly pace?: Partial<Pace>;
}

type Pace = Readonly<
  Record<
    "waitMs" | "waitMaxMs" | "probeDownMs" | "probeUpMs" | "sweepMs" | "orphanMs" | "uploadMs",
    number
  >
>;

const PACE: Pace = {
  /** First and longest wait between two attempts to store a file, in milliseconds. */
  waitMs: 1_000,
  waitMaxMs: 60_000,
  /** Milliseconds between probes of a store that does not answer, and of one that does. */
  probeDownMs: 5_000,
  probeUpMs: 60_000,
  /** Interval between sweeps, and from the start to the first one, in milliseconds. */
  sweepMs: 3_600_000,
  /** Min age of swept objects in ms. The export of a younger object may not be committed yet. */
  orphanMs: 3_600_000,
  /** Min age of swept uploads in milliseconds. No upload takes longer. */
  uploadMs: 86_400_000,
};

/** Folder of the objects, below the address's prefix. */
const FOLDER = "exports/";
/** Max time that a download waits for the store, in milliseconds. */
const HEAD_MS = 5_000;
const OBJECT = /^(exp_[0-9a-f]{32})\/([0-9a-f]{64})\.[a-z]+(?:\.[a-z]+)?$/;
/** Extension of a file that a client has sent. No export format has this extension. */
const SENT = ".sent";

/** Keeps files on a store. */
export class StoredFiles implements ExportFiles {
  readonly #parts: StoredFilesParts;
  readonly #pace: Pace;
  readonly #closed = new AbortController();
  /** Keys of stored files whose export is not done yet, by export id. */
  readonly #unsettled = new Map<string, string>();
  /** Keys of objects to delete. */
  readonly #doomed = new Set<string>();
  readonly #requests = new Map<string, { ok: number; failed: number }>();
  #up = true;
  /** Reason why the store refused the last probe. Empty if it did not. */
  #refusal = "";
  #uploadedBytes = 0;
  #swept = 0;
  #work: Promise<unknown> = Promise.resolve();

  readonly sent: SharedSentFiles;

  constructor(parts: StoredFilesParts) {
    this.#parts = parts;
    this.#pace = { ...PACE, ...parts.pace };
    this.sent = {
      put: (file, signal) => this.#putSent(file, signal),
      fetch: (file, signal) => this.#untilAnswered(file.id, signal, this.#fetchSent(file)),
      remove: (file) => this.#doom(this.#sentKeyOf(file)),
    };
  }

  /** Counts a request, and records whether the store answers. */
  noteAnswer(operation: string, ok: boolean): void {
    const counts = this.#requests.get(operation) ?? { ok: 0, failed: 0 };
    counts[ok ? "ok" : "failed"]++;
    this.#requests.set(operation, counts);
    if (this.#up === ok) return;
    this.#up = ok;
    const { log } = this.#parts;
    if (ok) log.info({}, "the store of files answers again");
    else log.error({ operation }, "the store of files does not answer; exports wait for it");
  }

  async put(file: FinishedFile, signal: AbortSignal): Promise<void> {
    const { folder } = this.#parts;
    const key = this.#keyOf(file);
    this.#unsettled.set(file.id, key);
    const local = { ...file, path: folder.pathOf(file) };
    await this.#untilAnswered(file.id, signal, (either) => this.#upload(key, local, either));
  }

  async #putSent(file: SentObject, signal: AbortSignal): Promise<void> {
    const local = { ...file, path: this.#parts.folder.sentPathOf(file.id) };
    const upload = (either: AbortSignal) => this.#upload(this.#sentKeyOf(file), local, either);
    await this.#untilAnswered(file.id, signal, upload);
  }

  #fetchSent(file: SentObject): (signal: AbortSignal) => Promise<void> {
    return async (signal) => {
      const { store, folder } = this.#parts;
      const whole = { offset: 0, length: file.sizeBytes };
      const bytes = await store.get(this.#sentKeyOf(file), whole, signal);
      if (bytes === null) throw new SentFileMissing("the store has no such file");
      await folder.fetchSent(file, bytes, (cause) => {
        throw new StoreFault("the store did not send the whole file", { cause });
      });
    };
  }

  /** Repeats work until the store answers. Rejects with `FilesUnavailable` if it gives up. */
  async #untilAnswered(
    id: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { clock, retrySeconds, log } = this.#parts;
    const until = clock.monotonicMs() + retrySeconds * 1_000;
    const either = AbortSignal.any([signal, this.#closed.signal]);
    for (let waitMs = this.#pace.waitMs; ; waitMs = Math.min(2 * waitMs, this.#pace.waitMaxMs)) {
      try {
        await work(either);
        return;
      } catch (error) {
        either.throwIfAborted();
        if (!(error instanceof StoreFault)) throw error;
        const details = { export_id: id, ...describeError(error) };
        log.warn(details, "the store did not take or send a file; trying again");
        if (clock.monotonicMs() + waitMs > until) throw gaveUp(error);
      }
      await sleep(waitMs, undefined, { signal: either });
    }
  }

  settle(file: FinishedFile): void {
    this.#unsettled.delete(file.id);
    try {
      this.#parts.folder.remove(this.#parts.folder.nameOf(file));
    } catch (error) {
      // The next start finds the local copy and the object in the store, and removes the copy.
      this.#parts.log.warn(describeError(error), "the local copy of a stored file stays");
    }
  }

  /**
   * Always returns false, because a start does not wait for the store. If an object is missing, its
   * first download detects that, as for a missing local file.
   */
  isLost(): boolean {
    return false;
  }

  async open(file: FinishedFile, wanted: FileRequest): Promise<OpenedFile> {
    const { folder } = this.#parts;
    // The file was rendered before a store was set, and is not in the store yet.
    if (folder.sizeOf(folder.nameOf(file)) === file.sizeBytes) {
      return openLocal(folder.pathOf(file), file.sizeBytes);
    }
    try {
      return await this.#openStored(file, wanted);
    } catch (error) {
      throw error instanceof StoreFault || isTimeout(error) ? gaveUp(error) : error;
    }
  }

  /** Removes only the local copy. Another server has taken over the export and makes the object. */
  abandon(file: StoredFile): void {
    const { folder } = this.#parts;
    this.#unsettled.delete(file.id);
    folder.remove(folder.nameOf(file));
  }

  remove(file: RecordedFile): void {
    const { folder } = this.#parts;
    folder.remove(folder.nameOf(file));
    const unsettled = this.#unsettled.get(file.id);
    if (unsettled !== undefined) this.#doomed.add(unsettled);
    this.#unsettled.delete(file.id);
    if (file.sha256 !== null) this.#doomed.add(this.#keyOf({ ...file, sha256: file.sha256 }));
    if (this.#doomed.size > 0) void this.#inTurn(() => this.#removeDoomed());
  }

  #doom(key: string): void {
    this.#doomed.add(key);
    void this.#inTurn(() => this.#removeDoomed());
  }

  start(): void {
    void this.#inTurn(() => this.#storeLeft());
    void this.#every(this.#pace.sweepMs, () => this.#sweep());
    void this.#probeForever();
  }

  state(): FilesState {
    const [uploadedBytes, swept] = [this.#uploadedBytes, this.#swept];
    return { up: this.#up, requests: this.#requests, uploadedBytes, swept };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#work;
    await this.#parts.store.close();
  }

  /** Sweeps once; for tests. */
  sweepNow(): Promise<void> {
    return this.#inTurn(() => this.#sweep());
  }

  async #upload(key: string, file: LocalFile, signal: AbortSignal): Promise<void> {
    const { store, owners } = this.#parts;
    if (isFile(await store.head(key, signal), file)) return;
    const { path, sizeBytes, sha256 } = file;
    const metadata = { sha256, owner: owners[0] };
    const isNew = await store.put(
      key,
      { path, sizeBytes, sha256 },
      { type: "application/octet-stream", metadata },
      signal,
    );
    if (isNew) this.#uploadedBytes += sizeBytes;
    if (isFile(await store.head(key, signal), file)) return;
    // The store acknowledged the upload but reports another size, so it lacks the bytes.
    await store.remove(key, signal);
    throw new StoreFault("the store holds other bytes than it was sent", { status: 500 });
  }

  async #openStored(
    file: FinishedFile,
    { method, offset, length, type, disposition, seconds }: FileRequest,
  ): Promise<OpenedFile> {
    const { store, serve } = this.#parts;
    const key = this.#keyOf(file);
    const signal = AbortSignal.any([AbortSignal.timeout(HEAD_MS), this.#closed.signal]);
    const found = await store.head(key, signal);
    if (!isFile(found, file)) throw missing();
    if (serve === "redirect") {
      const headers = { "content-type": type, "content-disposition": disposition };
      const given = { seconds, headers: { ...headers, "cache-control": "private, no-store" } };
      return { kind: "redirect", address: await store.presign(method, key, given) };
    }
    // The size is known from the record, and an answer to HEAD has no bytes.
    if (method === "HEAD") return { kind: "stream", bytes: Readable.from([]) };
    const bytes = await store.get(key, { offset, length }, this.#closed.signal, found?.tag);
    if (bytes === null) throw missing();
    return { kind: "stream", bytes };
  }

  #keyOf({ id, sha256, ...kind }: Omit<FinishedFile, "sizeBytes">): string {
    const name = this.#parts.folder.nameOf({ id, ...kind });
    return keyBelow(this.#parts.store.place, `${FOLDER}${id}/${sha256}${name.slice(id.length)}`);
  }

  #sentKeyOf({ id, sha256 }: SentObject): string {
    return keyBelow(this.#parts.store.place, `${FOLDER}${id}/${sha256}${SENT}`);
  }

  /** Uploads files of done exports that are on the local disk, then removes the local copies. */
  async #storeLeft(): Promise<void> {
    const { folder, known } = this.#parts;
    for (const row of known.done()) {
      const { sizeBytes, sha256 } = row;
      if (sizeBytes === null || sha256 === null) continue;
      if (folder.sizeOf(folder.nameOf(row)) !== sizeBytes) continue;
      const file = { ...row, sizeBytes, sha256 };
      await this.put(file, this.#closed.signal);
      // If the export was deleted meanwhile, the object is removed too.
      if (known.find(row.id)?.state === "done") this.settle(file);
      else this.remove(file);
    }
  }

  async #removeDoomed(): Promise<void> {
    for (const key of [...this.#doomed]) {
      await this.#parts.store.remove(key, this.#closed.signal);
      this.#doomed.delete(key);
    }
  }

  /** Removes objects that no export needs, and uploads that were not completed. */
  async #sweep(): Promise<void> {
    const { store, known, sweeps = () => true } = this.#parts;
    const signal = this.#closed.signal;
    await this.#removeDoomed();
    if (!sweeps()) return;
    const folder = keyBelow(store.place, FOLDER);
    const nowMs = store.nowMs();
    for await (const { key, modifiedMs } of store.list(folder, signal)) {
      const [, id, sha256] = OBJECT.exec(key.slice(folder.length)) ?? [];
      if (id === undefined || nowMs - modifiedMs < this.#pace.orphanMs) continue;
      const row = known.find(id);
      const isNeeded = key.endsWith(SENT) ? row?.expiredAt === null : needs(row, sha256);
      if (isNeeded || this.#unsettled.has(id) || !(await this.#isOurs(key))) continue;
      await store.remove(key, signal);
      this.#swept++;
    }
    for (const { key, uploadId, startedMs } of await store.uploads(folder, signal)) {
      if (!OBJECT.test(key.slice(folder.length))) continue;
      if (nowMs - startedMs < this.#pace.uploadMs) continue;
      await store.abort(key, uploadId);
      this.#swept++;
    }
  }

  /** True if this installation owns an object. Another one may share the prefix by mistake. */
  async #isOurs(key: string): Promise<boolean> {
    const found = await this.#parts.store.head(key, this.#closed.signal);
    return this.#parts.owners.includes(found?.metadata.owner ?? "");
  }

  /** Runs work after all earlier work. Never rejects: a failure is logged. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#work.then(async () => {
      if (this.#closed.signal.aborted) return;
      await work().catch((error: unknown) => {
        if (this.#closed.signal.aborted) return;
        this.#parts.log.warn(describeError(error), "the store was not swept; trying again");
      });
    });
    this.#work = next;
    return next;
  }

  async #every(ms: number, work: () => Promise<void>): Promise<void> {
    while (await this.#pause(ms)) await this.#inTurn(work);
  }

  /** Probes the store periodically, even while no export needs it. */
  async #probeForever(): Promise<void> {
    do {
      await this.#parts.store.probe(this.#closed.signal).catch((error) => this.#noteRefusal(error));
      if (this.#up && this.#doomed.size > 0) await this.#inTurn(() => this.#removeDoomed());
    } while (await this.#pause(this.#up ? this.#pace.probeUpMs : this.#pace.probeDownMs));
  }

  /** Logs the store's reason once, because a wrong setting is not corrected by waiting. */
  #noteRefusal(error: unknown): void {
    const reason = error instanceof StoreFault && !error.away ? error.message : "";
    if (reason !== "" && reason !== this.#refusal) {
      const words = "the store refuses; check files.url, files.access_key and files.secret_key";
      this.#parts.log.error({ reason }, words);
    }
    this.#refusal = reason;
  }

  /** Waits; resolves to false if the files were closed. */
  #pause(ms: number): Promise<boolean> {
    const { signal } = this.#closed;
    return sleep(ms, true, { signal, ref: false }).catch(() => false);
  }
}

/** True if an export has the file with this hash, or may still make it. */
function needs(row: ReturnType<KnownExports["find"]>, sha256: string | undefined): boolean {
  if (row === undefined) return false;
  if (row.state === "queued" || row.state === "running") return true;
  return row.state === "done" && row.expiredAt === null && row.sha256 === sha256;
}

/** True if an object is the file, judging by its size and metadata. */
function isFile(
  found: StoredObject | null,
  { sizeBytes, sha256 }: Pick<LocalFile, "sizeBytes" | "sha256">,
): boolean {
  return found !== null && found.sizeBytes === sizeBytes && found.metadata.sha256 === sha256;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
}

function gaveUp(cause: unknown): FilesUnavailable {
  return new FilesUnavailable("the store of files does not answer", { cause });
}

function missing(): Error {
  return Object.assign(new Error("the store has no such file"), { code: "ENOENT" });
}
