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

/**
 * Fields that can be watched, in field order. If a snapshot lacks the data of a field, such as the
 * sanctions, the field cannot be watched there.
 */
export const WATCHABLE_FIELDS = OUTPUT_FIELD_NAMES.filter(
  (name) => fieldRow(name).unwatched === undefined,
);
