/**
 * The kinds of account changes, and the fields that can be watched.
 * Invariant: names only. Separate from the comparison because the console loads this file in the
 * browser, without Node.
 */
import { fieldRow, OUTPUT_FIELD_NAMES } from "../spec/fields.ts";

/** Every kind of change. */
export const CHANGE_KINDS = ["entered", "left", "changed"] as const;

/** A kind of change. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Watchable fields if both snapshots have the sanctions, in field order. */
export const WATCHABLE_FIELDS = OUTPUT_FIELD_NAMES.filter(
  (name) => fieldRow(name).unwatched === undefined,
);
