/**
 * Follows running exports: signals of their current state, and a message when they end.
 * Invariant: each export has one poll at a time, about every second at first, less often later. If
 * a poll fails, polling continues, and the export does not count as failed.
 */
import { signal } from "@preact/signals";
import type { ExportView } from "../app/answers.ts";
import { ApiError, get } from "../app/api.ts";
import { lazyWords } from "../app/lazywords.ts";
import { go } from "../app/router.ts";
import { toast } from "../parts/toast.tsx";

/** State of an export: `lost` while polls fail, `gone` once the export is deleted. */
interface Followed {
  readonly record: ExportView;
  readonly trouble: "lost" | "gone" | null;
  /** Time and progress when the export was first seen running; null if it was not. */
  readonly first?: { readonly ms: number; readonly progress: number } | null;
}

const FIRST_PAUSE_MS = 400;
const LAST_PAUSE_MS = 5_000;
const GROWTH = 1.25;
/** Delay before the first poll, in milliseconds. Small exports finish within a second. */
const BEGIN_MS = 150;

const followed = signal<ReadonlyMap<string, Followed>>(new Map());
/** Number of open views of each export. If an export is in view, its end needs no message. */
const watchers = new Map<string, number>();

/** Follows an export until its end; does nothing if it is already followed. */
export function follow(record: ExportView): void {
  if (isEnded(record) || followed.peek().has(record.export_id)) return;
  put(record.export_id, { record, trouble: null });
  setTimeout(() => void step(record.export_id, FIRST_PAUSE_MS), BEGIN_MS);
}

/** Returns the latest known state of an export, else the given record. */
export function presentState(record: ExportView): Followed {
  const known = followed.value.get(record.export_id);
  return known === undefined || isEnded(record) ? { record, trouble: null } : known;
}

/** Estimates the seconds until a running export ends; null if unknown. */
export function secondsLeft({ record, first }: Followed, nowMs: number): number | null {
  const { status, progress = 0 } = record;
  const gained = first == null ? 0 : progress - first.progress;
  if (status !== "running" || first == null || gained <= 0) return null;
  return Math.ceil(((1 - progress) * (nowMs - first.ms)) / gained / 1000);
}

/** Registers a viewer of an export. Returns a function that removes it. */
export function addViewer(id: string): () => void {
  watchers.set(id, (watchers.get(id) ?? 0) + 1);
  return () => {
    const left = (watchers.get(id) ?? 1) - 1;
    if (left > 0) watchers.set(id, left);
    else watchers.delete(id);
  };
}

/** Stops following a deleted export. */
export function unfollow(id: string): void {
  const next = new Map(followed.peek());
  next.delete(id);
  followed.value = next;
}

/** True if an export has ended. */
export function isEnded({ status }: ExportView): boolean {
  return status === "done" || status === "failed";
}

async function step(id: string, pauseMs: number): Promise<void> {
  if (!followed.peek().has(id)) return;
  const next = await requestState(id);
  // The user may have deleted the export during the request.
  if (!followed.peek().has(id)) return;
  put(id, next);
  if (next.trouble === "gone") return;
  if (!isEnded(next.record)) {
    const longer = Math.min(pauseMs * GROWTH, LAST_PAUSE_MS);
    setTimeout(() => void step(id, longer), pauseMs);
  } else if (!watchers.has(id)) {
    announce(next.record);
  }
}

async function requestState(id: string): Promise<Followed> {
  try {
    return { record: await get<ExportView>(`/exports/${id}`), trouble: null };
  } catch (error) {
    const before = followed.peek().get(id) as Followed;
    const over = error instanceof ApiError && (error.status === 404 || error.status === 410);
    return { record: before.record, trouble: over ? "gone" : "lost" };
  }
}

function put(id: string, next: Followed): void {
  const before = followed.peek().get(id)?.first ?? null;
  const { status, progress = 0 } = next.record;
  const first = before ?? (status === "running" ? { ms: Date.now(), progress } : null);
  followed.value = new Map(followed.peek()).set(id, { ...next, first });
}

/** Reports the end of an export, whichever view is open. */
function announce(record: ExportView): void {
  const { exports } = lazyWords.peek();
  if (record.status === "failed") {
    const action = { label: exports.toastOpen, onClick: () => go("exports") };
    toast(exports.toastFailed(nameOf(record)), { kind: "error", action });
    return;
  }
  const action = { label: exports.download, onClick: () => location.assign(fileOf(record)) };
  toast(exports.toastDone(nameOf(record)), { action });
}

/** Returns an export's file name. */
export function nameOf({ slug, format }: ExportView): string {
  return `${slug}.${format}`;
}

/** Returns the file's address. */
export function fileOf({ export_id: id }: ExportView): string {
  return `/v1/console/exports/${id}/download`;
}
