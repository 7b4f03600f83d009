/**
 * The order of a lead query. What comes in: words, fields of account specs, or keys as account
 * specs have them. What goes out: sort keys.
 * Invariant: no key is dropped; a word or field without a direction has the one that people mean.
 * Apart because the words of orders are a table of their own.
 */
import { analyzeWords } from "../../spec/analyzer.ts";
import { SORT_DIRECTIONS, SORT_FIELDS } from "../../spec/fields.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { isJsonObject, type JsonObject, shown } from "../../spec/reader.ts";
import type { SortKey } from "../../spec/schema.ts";
import type { LeadReader } from "./leadreader.ts";
import { SORT_WORDS } from "./leadwords.ts";

/** Reads the order; none is the best score first. */
export function readSort(value: unknown, pointer: string, reader: LeadReader): SortKey[] {
  const keys: SortKey[] = [];
  for (const { element, place } of reader.elements(value, pointer, SPEC_LIMITS.sortKeysMax)) {
    const key = isJsonObject(element)
      ? readSortKey(element, place, reader)
      : readSortWord(element, place, reader);
    if (key === undefined) continue;
    if (keys.some(({ field }) => field === key.field)) {
      reader.mistake(place, "duplicate", `${key.field} is a sort key already.`);
    }
    keys.push(key);
  }
  return keys.length > 0 ? keys : [{ field: "score", direction: "desc" }];
}

function readSortWord(element: unknown, place: string, reader: LeadReader): SortKey | undefined {
  const text = reader.string(element, place);
  if (text === undefined) return undefined;
  const key = SORT_WORDS.get(analyzeWords(text).join(" "));
  if (key !== undefined) return { ...key };
  const known = "best, newest, oldest, largest, smallest, highest_capital, lowest_capital, name";
  const detail = `There is no order ${shown(text)}; write ${known} or ${SORT_FIELDS.join(", ")}.`;
  reader.mistake(place, "unknown_sort", detail);
  return undefined;
}

function readSortKey(element: JsonObject, place: string, reader: LeadReader): SortKey {
  const members = reader.object(element, place, ["field", "direction"]);
  const field = reader.oneOf(members.field, `${place}/field`, SORT_FIELDS);
  const usual = SORT_WORDS.get(field.replace(/_/g, " "))?.direction ?? "asc";
  if (members.direction === undefined) return { field, direction: usual };
  return {
    field,
    direction: reader.oneOf(members.direction, `${place}/direction`, SORT_DIRECTIONS),
  };
}
