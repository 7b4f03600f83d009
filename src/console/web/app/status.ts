/**
 * The server's status as a signal: the served month, and the plan's limits, fields, and formats.
 * Invariant: loaded once per user, and again on request. It is null until loaded; after a failure,
 * the last answer stays.
 */
import { signal } from "@preact/signals";
import type { Status } from "./answers.ts";
import { get } from "./api.ts";

/** The last answer. */
export const status = signal<Status | null>(null);

/** Loads it. */
export async function loadStatus(): Promise<void> {
  status.value = await get<Status>("/status").catch(() => status.value);
}
