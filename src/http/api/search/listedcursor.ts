/**
 * Cursors of specs that name lists. What comes in: a cursor and the spec it is sent with, bound to
 * its lists. What goes out: the row after which the page begins.
 * Invariant: that of cursors; what a changed list does to one is said. Apart because search.ts is
 * long enough without it.
 */
import { AppError } from "../../../errors.ts";
import { type CursorScope, type CursorSecrets, decodeCursor } from "../../../spec/cursor.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";

/** As `decodeCursor`; of a spec with lists a mismatch says that one of them may have changed. */
export function decodeListed(
  spec: AccountQuerySpec,
  cursor: string,
  scope: CursorScope,
  secrets: CursorSecrets,
): number {
  try {
    return decodeCursor(cursor, scope, secrets);
  } catch (error) {
    if (spec.filters.lists === undefined) throw error;
    if (!(error instanceof AppError) || error.code !== "cursor_mismatch") throw error;
    const detail =
      "The spec is another one than that of this cursor, or a list that it names has changed " +
      "since. Begin again without a cursor.";
    const errors = [{ pointer: "/cursor", code: "cursor_mismatch", detail }];
    throw new AppError("cursor_mismatch", detail, { errors });
  }
}
