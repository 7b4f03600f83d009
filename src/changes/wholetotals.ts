/**
 * What changed between two snapshots in all of the registry. What comes in: an opened change list.
 * What goes out: how many accounts entered, left and changed.
 * Invariant: the same as the totals of a spec without filters, every watchable field being watched.
 * Apart because it is about change lists, and its user about files of a folder.
 */

import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../spec/fields.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { CHANGE_KINDS } from "./kinds.ts";
import type { ChangeList } from "./list.ts";
import { type ChangeTotals, changeCatalog, changeTotals, watchableFields } from "./query.ts";

/** Counts everything. @throws `AppError` `snapshot_unavailable` */
export async function wholeTotals(list: ChangeList): Promise<ChangeTotals> {
  const { older, newer } = list;
  const { spec } = normalizeSpec(
    {},
    {
      catalog: changeCatalog(older, newer),
      limitDefault: SPEC_LIMITS.exportLimitMax,
      limitCap: SPEC_LIMITS.exportLimitMax,
      bodyOutput: { format: "jsonl" },
      allowedFields: OUTPUT_FIELD_NAMES,
      defaultFields: DEFAULT_FIELDS,
      mode: "export",
      fullAllowed: true,
    },
  );
  const watch = watchableFields(older, newer, OUTPUT_FIELD_NAMES);
  return changeTotals({ list, spec, kinds: CHANGE_KINDS, watch });
}
