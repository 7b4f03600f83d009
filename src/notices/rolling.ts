/**
 * Moves the dates in a saved search by the days between two snapshots. Input: the saved spec, the
 * date of the snapshot to which its dates refer, and the date of the other snapshot. Output: the
 * spec with its dates moved.
 * Invariant: every date filter moves, so "opened in the last 90 days" covers 90 days of each month.
 * Other members and invalid dates remain unchanged, because the spec is normalized afterwards.
 */
import { FILTERS } from "../spec/filters/table.ts";
import { isJsonObject, type JsonObject } from "../spec/reader.ts";

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Filters whose value is a date. */
const BY_DAY = FILTERS.filter(({ read }) => read === "date");

/** Returns a spec with its dates moved from `daysFrom` to `date`; unmoved if `daysFrom` is null. */
export function rolledSpec(spec: unknown, daysFrom: string | null, date: string): unknown {
  if (daysFrom === null || !isJsonObject(spec) || !isJsonObject(spec.filters)) return spec;
  const movedMs = Date.parse(date) - Date.parse(daysFrom);
  if (Number.isNaN(movedMs) || movedMs === 0) return spec;
  return { ...spec, filters: rolledFilters(spec.filters, movedMs) };
}

function rolledFilters(filters: JsonObject, movedMs: number): JsonObject {
  const moved: Record<string, unknown> = { ...filters };
  for (const { group, member } of BY_DAY) {
    const members = moved[group];
    if (!isJsonObject(members)) continue;
    const day = movedDay(members[member], movedMs);
    if (day !== undefined) moved[group] = { ...members, [member]: day };
  }
  return moved;
}

function movedDay(value: unknown, movedMs: number): string | undefined {
  if (typeof value !== "string" || !DAY.test(value)) return undefined;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  const moved = new Date(Math.round((at + movedMs) / DAY_MS) * DAY_MS).toISOString();
  return DAY.test(moved.slice(0, 10)) ? moved.slice(0, 10) : undefined;
}
