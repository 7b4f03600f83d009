/**
 * What counts as a change of an account. What comes in: the table of fields. What goes out: the
 * kinds of changes, and the fields that make an account changed.
 * Invariant: names only. Apart because the console in the browser reads them too, where nothing of
 * Node and of the addon may come along.
 */
import { fieldRow, OUTPUT_FIELD_NAMES } from "../spec/fields.ts";

/** What can have happened to an account. */
export const CHANGE_KINDS = ["entered", "left", "changed"] as const;

/** One of the kinds. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Fields that can be watched where both snapshots know the sanctions, in field order. */
export const WATCHABLE_FIELDS = OUTPUT_FIELD_NAMES.filter(
  (name) => fieldRow(name).unwatched === undefined,
);
