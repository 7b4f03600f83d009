/**
 * Creates and renames lists, for HTTP, the console, and the command line.
 * Invariant: no list gets a name that a sentence could not tell from the name of another list of
 * its tenant. The check and the change are one transaction, because a command may run meanwhile.
 */
import { AppError } from "../../../errors.ts";
import type { ListLimits, Lists } from "../../../lists/lists.ts";
import type { ListKind, ListRow } from "../../../store/liststore.ts";
import { listNameKey } from "../../../translate/lists/listnames.ts";

/** Creates an empty list. Throws `invalid_request` if the name is taken, or as `Lists.create`. */
export function createNamed(
  lists: Lists,
  tenantId: string,
  made: { readonly name: string; readonly kind: ListKind },
  limits: ListLimits,
): ListRow {
  return lists.atomically(() => {
    refuseTaken(lists, tenantId, { name: made.name, own: null });
    return lists.create(tenantId, made, limits);
  });
}

/** Renames a list. Throws `invalid_request` if the name is taken, or as `Lists.rename`. */
export function renameNamed(lists: Lists, tenantId: string, id: string, name: string): ListRow {
  return lists.atomically(() => {
    lists.own(tenantId, id);
    refuseTaken(lists, tenantId, { name, own: id });
    return lists.rename(tenantId, id, name);
  });
}

/** Throws if another list than `own` has a name that sentences read as this one. */
function refuseTaken(
  lists: Lists,
  tenantId: string,
  { name, own }: { readonly name: string; readonly own: string | null },
): void {
  const key = listNameKey(name);
  const taken = lists
    .names(tenantId)
    .find((other) => other.id !== own && listNameKey(other.name) === key);
  if (taken === undefined) return;
  const detail = `There is a list ${taken.name} already: ${taken.id}. Choose another name.`;
  const errors = [{ pointer: "/name", code: "duplicate", detail }];
  throw new AppError("invalid_request", detail, { errors });
}
