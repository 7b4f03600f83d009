/**
 * What is served and what the plan allows. What comes in: GET /status. What goes out: a signal for
 * the header and for whoever needs limits, fields or formats.
 * Invariant: read once per user and again when a view asks for it; null until then, and a failure
 * leaves the last answer in place.
 */
import { signal } from "@preact/signals";
import type { Status } from "./answers.ts";
import { get } from "./api.ts";

/** The last answer. */
export const status = signal<Status | null>(null);

/** Asks anew. */
export async function loadStatus(): Promise<void> {
  status.value = await get<Status>("/status").catch(() => status.value);
}
