/**
 * Which revisions of lists exports are pinned to. What comes in: a database and a list. What goes
 * out: the shape of a pin; pins that nobody needs are deleted.
 * Invariant: an export that may be rendered keeps its pins. Apart because lists of tenants and
 * those of exported accounts are stored differently and pinned alike.
 */
import type { StateDatabase } from "./sqlite.ts";

/** A list at a revision. */
export interface ListPin {
  readonly list: number;
  readonly revision: number;
}

/** Exports that may still be rendered: a done one is again where its file was lost. */
const PINNING = `SELECT id FROM exports
  WHERE state IN ('queued', 'running') OR (state = 'done' AND expired_at IS NULL)`;

/** Forgets which exports were pinned to a list, of those that will not be rendered any more. */
export function forgetPins(database: StateDatabase, list: number): void {
  database
    .prepare(`DELETE FROM export_lists WHERE list = ? AND export_id NOT IN (${PINNING})`)
    .run(list);
}
