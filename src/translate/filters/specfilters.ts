/**
 * Wishes as filters. What comes in: what the wishes of a sentence set. What goes out: the members
 * `company` and `contact` of a spec's filters, and its order.
 * Invariant: a filter never becomes empty, which would mean all; what was assumed is said.
 */
import { SPEC_LIMITS } from "../../spec/limits.ts";
import type { Notes } from "../notes.ts";
import type { Bounds } from "../numbers/bounds.ts";
import type { FoundFilters, SortPhrase } from "./table.ts";

const STATUSES = [1, 2, 3, 4, 8];
const SIZES = ["00", "01", "03", "05"];

/** The `company` filters. */
export function companyOf(found: FoundFilters, bounds: Bounds, notes: Notes) {
  const { startedAfter, startedBefore, capitalMin, capitalMax } = bounds;
  const sizes = sizesOf(found, notes);
  return {
    registration_status_any_of: statusesOf(found, notes),
    company_size_code_any_of: sizes,
    ...(found.mei === null ? {} : { mei_opt_in: found.mei }),
    ...(found.simples === null ? {} : { simples_opt_in: found.simples }),
    ...(found.natures.size === 0 ? {} : { legal_nature_any_of: [...found.natures] }),
    ...(found.headquarters ? { headquarters_only: true } : {}),
    ...(startedAfter === null ? {} : { started_after: startedAfter }),
    ...(startedBefore === null ? {} : { started_before: startedBefore }),
    ...(capitalMin === null ? {} : { share_capital_min: capitalMin }),
    ...(capitalMax === null ? {} : { share_capital_max: capitalMax }),
  };
}

/** The `contact` filters; one that is required makes "any contact" needless. */
export function contactOf({ email, phone, contact }: FoundFilters) {
  return {
    require_email: email,
    require_phone: phone,
    require_any_contact: contact && !email && !phone,
  };
}

/** The order; a field that was named outweighs "as maiores". */
export function sortOf({ sort }: FoundFilters, notes: Notes) {
  const named = sort.filter(({ vague }) => !vague);
  const keys: readonly SortPhrase[] = named.length > 0 ? named : sort;
  if (keys.some(({ vague }) => vague)) {
    notes.assume("largest_by_capital", {
      pt: "Maior e menor foram entendidos pelo capital social.",
      en: "Largest and smallest were taken to be by share capital.",
    });
  }
  return keys
    .slice(0, SPEC_LIMITS.sortKeysMax)
    .map(({ field, direction }) => ({ field, direction }));
}

function statusesOf(found: FoundFilters, notes: Notes): number[] {
  if (found.anyStatus) return [];
  if (found.statuses.size === STATUSES.length) return [];
  if (found.statuses.size > 0) return [...found.statuses];
  const { excludedStatuses } = found;
  if (excludedStatuses.size > 0) return STATUSES.filter((code) => !excludedStatuses.has(code));
  notes.assume("active_only", { pt: "Somente empresas ativas.", en: "Active companies only." });
  return [2];
}

/** Sizes; micro-entrepreneurs are micro companies, so that both together are the latter. */
function sizesOf(found: FoundFilters, notes: Notes): string[] {
  const { sizes, excludedSizes } = found;
  if (found.mei === true && sizes.has("01")) {
    found.mei = null;
    notes.assume("mei_is_micro", {
      pt: "MEIs também são microempresas: entendido como porte micro.",
      en: "MEIs are micro companies as well: taken for the size micro.",
    });
  }
  if (sizes.size > 0) return [...sizes];
  return excludedSizes.size > 0 ? SIZES.filter((code) => !excludedSizes.has(code)) : [];
}
