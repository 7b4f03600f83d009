/**
 * Exports on their way. What comes in: records to follow. What goes out: their present state as
 * signals, and word of those that came to their end.
 * Invariant: each export is asked for once at a time, about every second at first and less often
 * while it takes long; a failure to ask is no failure of the export, and asking goes on.
 */
import { signal } from "@preact/signals";
import type { ExportView } from "../app/answers.ts";
import { ApiError, get } from "../app/api.ts";
import { laterWords } from "../app/laterwords.ts";
import { go } from "../app/router.ts";
import { toast } from "../parts/toast.tsx";

/** How far an export is: `lost` while it cannot be asked for, `gone` once it was deleted. */
interface Followed {
  readonly record: ExportView;
  readonly trouble: "lost" | "gone" | null;
  /** When it was first seen to be written, and how far it was then; null before. */
  readonly first?: { readonly ms: number; readonly progress: number } | null;
}

const FIRST_PAUSE_MS = 400;
const LAST_PAUSE_MS = 5_000;
const GROWTH = 1.25;
/** Small exports are done within their creation's own second. */
const BEGIN_MS = 150;

const followed = signal<ReadonlyMap<string, Followed>>(new Map());
/** Exports whose end is seen where it happens, and needs no further word. */
const watchers = new Map<string, number>();

/** Follows an export until its end; one that is followed already is not followed twice. */
export function follow(record: ExportView): void {
  if (isEnded(record) || followed.peek().has(record.export_id)) return;
  put(record.export_id, { record, trouble: null });
  setTimeout(() => void step(record.export_id, FIRST_PAUSE_MS), BEGIN_MS);
}

/** The export as it is now, or the record as it was known. */
export function presentState(record: ExportView): Followed {
  const known = followed.value.get(record.export_id);
  return known === undefined || isEnded(record) ? { record, trouble: null } : known;
}

/** Seconds until a running export is done at its pace so far; null while there is none. */
export function secondsLeft({ record, first }: Followed, nowMs: number): number | null {
  const { status, progress = 0 } = record;
  const gained = first == null ? 0 : progress - first.progress;
  if (status !== "running" || first == null || gained <= 0) return null;
  return Math.ceil(((1 - progress) * (nowMs - first.ms)) / gained / 1000);
}

/** Tells that somebody looks at an export; the answer tells that nobody does any more. */
export function lookAt(id: string): () => void {
  watchers.set(id, (watchers.get(id) ?? 0) + 1);
  return () => {
    const left = (watchers.get(id) ?? 1) - 1;
    if (left > 0) watchers.set(id, left);
    else watchers.delete(id);
  };
}

/** Follows an export no longer, as it was deleted. */
export function forget(id: string): void {
  const next = new Map(followed.peek());
  next.delete(id);
  followed.value = next;
}

/** Whether nothing more happens to an export. */
export function isEnded({ status }: ExportView): boolean {
  return status === "done" || status === "failed";
}

async function step(id: string, pauseMs: number): Promise<void> {
  if (!followed.peek().has(id)) return;
  const next = await asked(id);
  // It may have been deleted here while the answer was on its way.
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

async function asked(id: string): Promise<Followed> {
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

/** Tells that an export came to its end, on whatever view the user is. */
function announce(record: ExportView): void {
  const { exports } = laterWords.peek();
  if (record.status === "failed") {
    const action = { label: exports.toastOpen, onClick: () => go("exports") };
    toast(exports.toastFailed(nameOf(record)), { kind: "error", action });
    return;
  }
  const action = { label: exports.download, onClick: () => location.assign(fileOf(record)) };
  toast(exports.toastDone(nameOf(record)), { action });
}

/** The name that the file of an export goes by. */
export function nameOf({ slug, format }: ExportView): string {
  return `${slug}.${format}`;
}

/** Where the file of an export is loaded from. */
export function fileOf({ export_id: id }: ExportView): string {
  return `/v1/console/exports/${id}/download`;
}
