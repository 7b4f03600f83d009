/**
 * Shares the files that clients have sent to be enriched among the servers of a fleet. Input:
 * accepted enrichments, and a call of `look` every second. Output: copies in the object store,
 * from which each server can render them. Enrichments fail if their file is gone together with its
 * server.
 * Invariant: an enrichment is marked as `stored` only once the store has the whole file. An
 * enrichment without a copy waits a limited time for the server that has the file. If the client
 * sends a file again, it replaces the missing one only if it is the same file.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { ExportRow, ExportStore } from "../../store/exportstore.ts";
import type { Membership } from "../../store/fleet/membership.ts";
import type { ReceivedFile } from "../exporter.ts";
import type { ExportFiles, SentObject } from "../files/exportfiles.ts";
import type { ExportFolder } from "../files/folder.ts";
import type { StartedRender } from "./pool.ts";
import { endOf, type SentFileTask } from "./rendertask.ts";

/** Longest time for which a client waits for the copy of its file, in milliseconds. */
const SHARED_MS_MAX = 10_000;
/** Time for which an enrichment without a copy waits for its server, in milliseconds. */
export const STRANDED_MS = 600_000;

interface SentFilesParts {
  readonly store: ExportStore;
  readonly folder: ExportFolder;
  readonly files: ExportFiles;
  readonly membership: Membership;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when an enrichment has failed. */
  readonly onEnd: (id: string) => void;
}

/** Returns the sent file of an enrichment, or null for other exports. */
function sentObjectOf({
  id,
  sent,
  sentBytes,
}: Pick<ExportRow, "id" | "sent" | "sentBytes">): SentObject | null {
  const task = taskOf(sent);
  return task === null ? null : { id, sizeBytes: sentBytes, sha256: task.sha256 };
}

function taskOf(sent: string | null): SentFileTask | null {
  return sent === null ? null : (JSON.parse(sent) as SentFileTask);
}

/** Changes the stored request of an enrichment. Returns false if the export was deleted. */
export function amendSent(store: ExportStore, id: string, change: Partial<SentFileTask>): boolean {
  // Read here, because another member or an earlier step may have changed it.
  const task = taskOf(store.find(id)?.sent ?? null);
  return task !== null && store.noteSent(id, JSON.stringify({ ...task, ...change }));
}

/** The sent files of a server. */
export class SentFiles {
  readonly #parts: SentFilesParts;
  readonly #copies = new Map<string, Promise<void>>();
  readonly #closed = new AbortController();
  /** Enrichments without a file, with the time at which this server noticed it. */
  readonly #stranded = new Map<string, number>();

  constructor(parts: SentFilesParts) {
    this.#parts = parts;
  }

  /** True if this server has the input of an export, or can fetch it. */
  canRender({ id, sent }: Pick<ExportRow, "id" | "sent">): boolean {
    const { folder, files, membership } = this.#parts;
    if (sent === null || !membership.isShared || folder.hasSent(id)) return true;
    return files.sent !== null && taskOf(sent)?.stored === true;
  }

  /** Begins a render with `start`. First fetches the needed file if it is not on this server. */
  render(row: ExportRow, start: () => StartedRender): StartedRender {
    const { folder, files } = this.#parts;
    const file = sentObjectOf(row);
    if (file === null || files.sent === null || folder.hasSent(row.id)) return start();
    const ended = new AbortController();
    let render: StartedRender | null = null;
    const outcome = files.sent.fetch(file, ended.signal).then(
      () => {
        if (ended.signal.aborted) return { kind: "cancelled" } as const;
        render = start();
        return render.outcome;
      },
      (error) => (ended.signal.aborted ? ({ kind: "cancelled" } as const) : endOf(error)),
    );
    const cancel = () => {
      ended.abort();
      render?.cancel();
    };
    return { outcome, cancel };
  }

  /**
   * If no server has an enrichment's file, adopts the file of the client's repeated request.
   * Resolves once the store has a copy, or after some seconds. The copying then continues.
   */
  async share(row: ExportRow, { path, sha256 }: Pick<ReceivedFile, "path" | "sha256">) {
    const { store, folder, membership } = this.#parts;
    const task = taskOf(row.sent);
    if (!membership.isShared || task === null || task.stored === true) return;
    if (!folder.hasSent(row.id) && task.sha256 === sha256 && store.find(row.id) !== undefined) {
      folder.keepSent({ path, sha256, bytes: row.sentBytes }, row.id);
      store.holdSent(row.id, membership.id);
    }
    await Promise.race([this.#copy(row), sleep(SHARED_MS_MAX, undefined, { ref: false })]);
  }

  /** Fetches an enrichment's file from the store. Returns false if the store has no copy. */
  async fetch(row: ExportRow): Promise<boolean> {
    const { sent } = this.#parts.files;
    const file = sentObjectOf(row);
    if (sent === null || file === null || taskOf(row.sent)?.stored !== true) return false;
    await sent.fetch(file, this.#closed.signal);
    return true;
  }

  /** Uploads the files that only this server has. Throws the errors of the database. */
  copyAll(): void {
    const { store, folder, membership } = this.#parts;
    if (!membership.isShared) return;
    for (const id of folder.sent()) {
      const row = store.find(id);
      if (row?.expiredAt !== null || taskOf(row.sent)?.stored === true) continue;
      if (row.state === "queued" && row.owner !== membership.id) store.holdSent(id, membership.id);
      void this.#copy(row);
    }
  }

  /** Fails enrichments whose server is gone for too long. Throws the errors of the database. */
  look(): void {
    const { store, folder, clock, log, onEnd } = this.#parts;
    const nowMs = clock.monotonicMs();
    const rows = store.stranded().filter((row) => taskOf(row.sent)?.stored !== true);
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of this.#stranded.keys()) if (!ids.has(id)) this.#stranded.delete(id);
    for (const row of rows) {
      const since = this.#stranded.get(row.id) ?? nowMs;
      this.#stranded.set(row.id, since);
      if (nowMs - since < STRANDED_MS || folder.hasSent(row.id)) continue;
      if (!store.atomically(() => store.fail(row, "sent_file_unreadable", clock.nowMs()))) continue;
      log.warn({ export_id: row.id }, "a sent file is gone with its server; the export failed");
      onEnd(row.id);
    }
  }

  /** Removes the copy of a file, now or later. */
  discard(row: Pick<ExportRow, "id" | "sent" | "sentBytes">): void {
    const file = sentObjectOf(row);
    if (file !== null) this.#parts.files.sent?.remove(file);
  }

  /** Aborts the copying of files. After the next start, it begins again. */
  close(): void {
    this.#closed.abort();
  }

  /** Copies a file to the store unless that is under way. Never rejects. */
  #copy(row: ExportRow): Promise<void> {
    const known = this.#copies.get(row.id);
    if (known !== undefined) return known;
    const copy = this.#put(row).finally(() => this.#copies.delete(row.id));
    this.#copies.set(row.id, copy);
    return copy;
  }

  async #put(row: ExportRow): Promise<void> {
    const { store, files, log } = this.#parts;
    const file = sentObjectOf(row);
    if (files.sent === null || file === null) return;
    try {
      await files.sent.put(file, this.#closed.signal);
      const isNoted = store.atomically(() => amendSent(store, row.id, { stored: true }));
      if (!isNoted) files.sent.remove(file);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      log.warn({ export_id: row.id, ...describeError(error) }, "a sent file was not copied yet");
    }
  }
}
