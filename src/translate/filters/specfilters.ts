/**
 * Assembles the filters of a spec. Input: the results of all stages. Output: the filters and the
 * order of a spec.
 * Invariant: for each filter, the table states either how a sentence sets the filter or why no
 * sentence does. The compiler checks this. A filter is never empty, because an empty filter would
 * match everything. Every assumption is reported in a note.
 */
import { membersBy } from "../../spec/filters/members.ts";
import { FILTERS, type FilterName } from "../../spec/filters/table.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import type { FoundActivity } from "../activities/activity.ts";
import type { MentionedLists } from "../lists/mentionedlists.ts";
import type { Notes } from "../notes.ts";
import type { Bounds } from "../numbers/bounds.ts";
import type { GeoFilters } from "../places/geo.ts";
import type { NumberedPlaces } from "../places/numbered.ts";
import type { MentionedContacts } from "./contactvalues.ts";
import { type FoundFilters, missingKinds, type SortPhrase } from "./phrase.ts";
import type { FoundRecords, LeftRegime } from "./records.ts";
import type { SharedMax } from "./sharedcontacts.ts";

const STATUSES = [1, 2, 3, 4, 8];
const SIZES = ["00", "01", "03", "05"];

/** Results of the stages. */
interface Understood {
  readonly activities: readonly FoundActivity[];
  readonly hints: readonly string[];
  readonly geo: GeoFilters;
  /** Districts of the municipalities in `geo`. */
  readonly districts: readonly object[] | undefined;
  readonly numbered: NumberedPlaces;
  readonly conditions: FoundFilters;
  readonly bounds: Bounds;
  readonly records: FoundRecords;
  readonly lists: MentionedLists;
  readonly contacts: MentionedContacts;
  readonly shared: SharedMax;
  readonly notes: Notes;
}

/** Returns the value of a filter, or undefined if the sentence does not request it. */
type Reader = (found: Understood) => unknown;

/** States the reason why no sentence sets a filter. */
interface Excused {
  readonly excused: string;
}

const NO_SENTENCE: Excused = { excused: "No phrase is read for it yet; specs and forms set it." };

/** For each filter, its reader or the reason why no sentence sets it. */
const READERS = {
  cnae_any_of: ({ activities }) => codesOf(activities, (one) => !one.excluded && !one.secondary),
  cnae_exclude: ({ activities }) => codesOf(activities, (one) => one.excluded),
  secondary_cnae_mode: {
    excused: "Searches take off only; secondary activities have a filter of their own.",
  },
  text_hints: ({ hints }) => listed(hints),
  cnae_secondary_any_of: ({ activities }) =>
    listed(codesOf(activities, (one) => one.secondary === true)),
  uf_any_of: ({ geo }) => geo.uf_any_of,
  municipality_ibge_any_of: ({ geo }) => geo.municipality_ibge_any_of,
  municipality_tom_any_of: ({ geo }) => geo.municipality_tom_any_of,
  district_any_of: ({ districts }) => districts,
  postal_code_prefix_any_of: ({ numbered }) => listed(numbered.postalCodes),
  area_code_any_of: ({ numbered }) => listed(numbered.areaCodes),
  registration_status_any_of: ({ conditions, contacts, activities, notes }) =>
    statusesOf(conditions, contacts.count > 0 && activities.length === 0, notes),
  company_size_code_any_of: ({ conditions, notes }) => sizesOf(conditions, notes),
  headquarters_only: ({ conditions }) => conditions.headquarters || undefined,
  branches_only: ({ conditions }) => conditions.branches || undefined,
  // Must be read after the sizes, because `sizesOf` merges a request for MEI into the micro
  // companies if both are requested.
  simples_opt_in: ({ conditions }) => conditions.simples ?? undefined,
  mei_opt_in: ({ conditions }) => conditions.mei ?? undefined,
  started_after: ({ bounds }) => bounds.days.opened.since ?? undefined,
  started_before: ({ bounds }) => bounds.days.opened.before ?? undefined,
  share_capital_min: ({ bounds }) => bounds.capitalMin ?? undefined,
  share_capital_max: ({ bounds }) => bounds.capitalMax ?? undefined,
  legal_nature_any_of: ({ conditions, activities }) => listed(naturesOf(conditions, activities)),
  status_since: ({ bounds }) => bounds.days.status.since ?? undefined,
  status_before: ({ bounds }) => bounds.days.status.before ?? undefined,
  status_reason_any_of: NO_SENTENCE,
  simples_excluded_since: (found) => leftSince(found, "simples"),
  simples_excluded_before: ({ bounds }) => bounds.days.simples.before ?? undefined,
  mei_excluded_since: (found) => leftSince(found, "mei"),
  mei_excluded_before: ({ bounds }) => bounds.days.mei.before ?? undefined,
  sanction_any_of: ({ records }) => listed([...records.sanctions]),
  has_federal_debt: ({ records }) => records.debt ?? undefined,
  federal_debt_min: ({ records }) => records.debtMin ?? undefined,
  federal_debt_max: ({ records }) => records.debtMax ?? undefined,
  federal_debt_any_of: ({ records }) => listed([...records.debtKinds]),
  owned_by_any_of: ({ records }) => listed([...records.owners]),
  owned_by_depth: NO_SENTENCE,
  owned_companies_min: ({ records }) => records.counts.owns?.min ?? (records.owns ? 1 : undefined),
  owned_companies_max: ({ records }) => records.counts.owns?.max ?? undefined,
  owner_companies_min: ({ records: { counts, isOwned } }) =>
    counts.owners?.min ?? (isOwned ? 1 : undefined),
  owner_companies_max: ({ records }) => records.counts.owners?.max ?? undefined,
  establishments_min: ({ bounds }) => bounds.establishmentsMin ?? undefined,
  establishments_max: ({ bounds }) => bounds.establishmentsMax ?? undefined,
  require_email: ({ conditions, shared }) => conditions.email || shared.email !== undefined,
  require_phone: ({ conditions, shared }) => conditions.phone || shared.phone !== undefined,
  // Requiring a specific contact makes "any contact" redundant.
  require_any_contact: ({ conditions }) =>
    conditions.contact && !conditions.email && !conditions.phone,
  require_mobile: ({ conditions }) => conditions.mobile || undefined,
  require_landline: ({ conditions }) => conditions.landline || undefined,
  require_own_domain: ({ conditions }) => conditions.ownDomain || undefined,
  email_shared_max: ({ conditions, shared }) => (conditions.emailOwn ? 1 : shared.email),
  phone_shared_max: ({ conditions, shared }) => (conditions.phoneOwn ? 1 : shared.phone),
  phone_any_of: ({ contacts }) => listed(contacts.phones),
  email_any_of: ({ contacts }) => listed(contacts.emails),
  missing_any_of: ({ conditions }) => missingKinds(conditions),
  any_of: ({ lists }) => listed(lists.anyOf),
  exclude: ({ lists }) => listed(lists.exclude),
} satisfies Readonly<Record<FilterName, Reader | Excused>>;

/** First day of Simples Nacional; no company can have left it earlier. */
const SIMPLES_BEGINS = "2007-07-01";

/**
 * Returns the first day on which companies may have left a regime. If the sentence has no date,
 * this is the first day of the regime, so any day matches.
 */
function leftSince({ records, bounds }: Understood, regime: LeftRegime): string | undefined {
  const { since, before } = bounds.days[regime];
  if (since !== null || !records.left.has(regime) || before !== null) return since ?? undefined;
  return SIMPLES_BEGINS;
}

const INACTIVE = new Set([1, 3, 4, 8]);

/**
 * Reports the date in "ativas ou baixadas desde 2023" in a note. A date can only be a filter if the
 * sentence requests a single inactive status or all of them.
 */
function settleStatusDate({
  conditions: { statuses, anyStatus },
  bounds,
  notes,
}: Understood): void {
  const { days, statusWords } = bounds;
  const isOne = statuses.size === 1 || statuses.size === INACTIVE.size;
  if (!anyStatus && isOne && [...statuses].every((code) => INACTIVE.has(code))) return;
  days.status.since = null;
  days.status.before = null;
  const pt = "Não há filtro pela data de uma situação entre várias.";
  const en = "No filter takes the date of one status of several.";
  for (const words of statusWords.splice(0)) notes.addUnmapped("other_date", { pt, en }, words);
}

/** Returns the filters of a spec. */
export function filtersOf(found: Understood): Readonly<Record<string, unknown>> {
  settleStatusDate(found);
  const readers: Readonly<Record<FilterName, Reader | Excused>> = READERS;
  return membersBy(FILTERS, ({ member }) => {
    const reader = readers[member];
    return typeof reader === "function" ? reader(found) : undefined;
  });
}

function codesOf(
  activities: readonly FoundActivity[],
  isMeant: (one: FoundActivity) => boolean,
): readonly string[] {
  return [...new Set(activities.filter(isMeant).flatMap(({ codes }) => codes))];
}

/** Removes duplicates. Returns undefined for an empty list. */
function listed(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : [...new Set(values)];
}

const BY_CAPITAL: SortPhrase = {
  ...{ field: "share_capital", direction: "desc", implied: false, vague: true },
};

/**
 * Returns the sort keys. A named field takes precedence over "as maiores". If the sentence names no
 * order and `isTop` is true ("top 10 com capital acima de …"), companies with the largest share
 * capital come first.
 */
export function sortOf({ sort }: FoundFilters, isTop: boolean, notes: Notes) {
  const named = sort.filter(({ vague }) => !vague);
  const found = sort.length === 0 && isTop ? [BY_CAPITAL] : sort;
  const keys: readonly SortPhrase[] = named.length > 0 ? named : found;
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

/**
 * Returns the requested statuses. The default is active companies only, unless `isLookUp` is true:
 * a search for the holders of a contact includes closed companies.
 */
function statusesOf(found: FoundFilters, isLookUp: boolean, notes: Notes): number[] {
  if (found.anyStatus) return [];
  if (found.statuses.size === STATUSES.length) return [];
  if (found.statuses.size > 0) return [...found.statuses];
  const { excludedStatuses } = found;
  if (excludedStatuses.size > 0) return STATUSES.filter((code) => !excludedStatuses.has(code));
  if (isLookUp) return [];
  notes.assume("active_only", { pt: "Somente empresas ativas.", en: "Active companies only." });
  return [2];
}

/**
 * Returns the legal natures. If the sentence also names a trade, as in "cooperativas de
 * reciclagem", consumer cooperatives are left out. They only buy and so have no trade.
 */
function naturesOf({ natures }: FoundFilters, activities: readonly FoundActivity[]): string[] {
  const isWorking = natures.has("2143") && activities.some(({ excluded }) => !excluded);
  return [...natures].filter((code) => code !== "2330" || !isWorking);
}

/**
 * Returns the sizes. Individual micro-entrepreneurs (MEI) are micro companies, so a request for
 * both means all micro companies.
 */
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
  if (excludedSizes.size === 0) return [];
  notes.warn("unknown_size", {
    pt: "Inclui as empresas de porte desconhecido; diga os portes procurados para deixá-las fora.",
    en: "Includes companies of unknown size; name the sizes that you want to leave them out.",
  });
  return SIZES.filter((code) => !excludedSizes.has(code));
}
