/**
 * The server's status: what is served and what the plan allows, as a signal for limits, fields, and
 * formats.
 * Invariant: loaded once per user, and again when a view requests it. It is null until then; a
 * failure keeps the last answer.
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
