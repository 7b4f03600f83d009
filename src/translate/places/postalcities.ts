/**
 * Finds the municipality of a postal code.
 * Input: a segment and the digits of a postal code. Output: the municipality with the most accounts
 * at that code, or at the codes with its first five digits.
 * Invariant: only accounts of the registry decide, so a code without accounts has no municipality.
 * Postal codes of one city begin with the same digits, and few accounts have a wrong code. The
 * municipality must therefore have at least half of the accounts.
 * Apart because no other stage of places counts accounts.
 */
import { TABLES } from "../../../native-index/format/columns.ts";
import { clausesOf } from "../../search/clauses.ts";
import { guarded, type Segment } from "../../search/segment.ts";
import { DEFAULT_FIELDS } from "../../spec/fields.ts";
import { normalizeSpec } from "../../spec/normalize.ts";

/**
 * Number of first digits that are tried if no account has the whole code. Only codes of small
 * cities share five digits with codes of other cities.
 */
const PREFIX_DIGITS = 5;
const DIGITS = 8;
/** Minimum share of the accounts at a code that must be in one municipality. */
const SHARE_MIN = 0.5;

/** Returns the IBGE code of the municipality, or null. */
export function municipalityOfPostal(segment: Segment, digits: string): string | null {
  if (digits.length < PREFIX_DIGITS || digits.length > DIGITS) return null;
  return municipalityAt(segment, digits) ?? municipalityAt(segment, digits.slice(0, PREFIX_DIGITS));
}

function municipalityAt(segment: Segment, prefix: string): string | null {
  const { spec } = normalizeSpec(
    { filters: { geo: { postal_code_prefix_any_of: [prefix] } } },
    {
      catalog: segment.catalog,
      ...{ limitDefault: 1, limitCap: 1, mode: "search", fullAllowed: false },
      ...{ allowedFields: DEFAULT_FIELDS, defaultFields: DEFAULT_FIELDS },
    },
  );
  const clauses = clausesOf(segment, spec.filters);
  const [counts] = guarded(() => segment.native.facets(clauses, ["municipality"]));
  const codes = guarded(() => segment.native.table(TABLES.indexOf("municipality_ibge")));
  let [all, most, found] = [0, 0, ""];
  for (const [at, ibge] of codes.entries()) {
    const count = counts?.[at] ?? 0;
    all += count;
    if (count > most && ibge !== "") [most, found] = [count, ibge];
  }
  return all > 0 && most >= SHARE_MIN * all ? found : null;
}
