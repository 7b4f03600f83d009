/**
 * The members of an address: each writes a part of the query as text and reads it back.
 * Invariant: a member reads exactly what it writes. An invalid value is reported with its text, and
 * the other values still apply.
 */
import {
  type CatalogLookup,
  CNAE_NOT_INFORMED,
  cnaeDigits,
  sectionOfCnae,
} from "../../../spec/catalog.ts";
import { completeDate } from "../../../spec/dates.ts";
import { foldDistrict } from "../../../spec/districtname.ts";
import {
  COMPANY_SIZE_CODES,
  REGISTRATION_STATUSES,
  SCORING_STRATEGIES,
  SORT_FIELDS,
  UFS,
} from "../../../spec/fields.ts";
import type { PartMember } from "../../../spec/filters/table.ts";
import { DEBT_KINDS, MISSING_CONTACTS, SANCTION_NAMES } from "../../../spec/filters/wider.ts";
import { LIST_ID } from "../../../spec/listids.ts";
import {
  type AddressMember,
  choice,
  encodeCode,
  list,
  matching,
  oneOf,
  range,
  readList,
  YES_OR_NO,
} from "./addressforms.ts";
import { BOUNDS, type Query } from "./question.ts";

/** Shortens a list of activities: one code replaces all subclasses of a section or group. */
export function compressActivities(codes: readonly string[], lookup: CatalogLookup): string[] {
  const spellings = (code: string) => {
    const digits = cnaeDigits(code);
    if (digits === CNAE_NOT_INFORMED) return [];
    return [sectionOfCnae(digits) ?? "", ...[2, 3, 5].map((length) => digits.slice(0, length))];
  };
  return compress(codes, spellings, (spelling) => lookup.cnae(spelling));
}

function compressNatures(codes: readonly string[], lookup: CatalogLookup): string[] {
  const spellings = (code: string) => [1, 2, 3].map((length) => code.slice(0, length));
  return compress(codes, spellings, (spelling) => lookup.legalNatures(spelling));
}

/** Replaces codes by prefixes. Each prefix is the widest one whose codes are all in the list. */
function compress(
  codes: readonly string[],
  spellings: (code: string) => readonly string[],
  expand: (spelling: string) => readonly string[],
): string[] {
  const all = new Set(codes);
  const left = new Set(codes);
  const short: string[] = [];
  for (const code of codes) {
    if (!left.has(code)) continue;
    const wide = spellings(code).find((spelling) => {
      const below = expand(spelling);
      return below.length > 1 && below.every((one) => all.has(one));
    });
    short.push(wide ?? code);
    for (const one of wide === undefined ? [code] : expand(wide)) left.delete(one);
  }
  return short;
}

function readCapital(text: string): number | null {
  if (!/^\d+(\.\d{1,2})?$/.test(text)) return null;
  const amount = Number(text);
  return amount <= BOUNDS.shareCapital ? amount : null;
}

function readCount(text: string): number | null {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= BOUNDS.count ? count : null;
}

/** A district as `3550308:moema`. */
function readDistrict(element: string, lookup: CatalogLookup) {
  const [, code = "", typed = ""] = /^(\d{6,7}):(.+)$/su.exec(element) ?? [];
  const municipality_ibge = lookup.municipalityByIbge(code)?.ibge ?? null;
  const name = foldDistrict(typed);
  return municipality_ibge === null || name === "" ? [] : [{ municipality_ibge, name }];
}

function readSeed(text: string): number | null {
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(seed) ? seed : null;
}

/**
 * Returns the list of a member. If the member is absent because it is not used, creates the list.
 */
function grown<Key extends string>(holder: { [key in Key]?: string[] }, key: Key): string[] {
  holder[key] ??= [];
  return holder[key];
}

const SORT: AddressMember = {
  key: "sort",
  write: ({ sort }) => {
    const words = sort.map(({ field, direction }) => (direction === "desc" ? `-${field}` : field));
    return words.join(",") === "-score" ? "" : words.map(encodeCode).join(",");
  },
  read: (text, query, reading) => {
    const keys = readList(text, reading, (element) => {
      const field = element.replace(/^-/, "");
      if (!SORT_FIELDS.some((known) => known === field)) return [];
      return [{ field, direction: element === field ? ("asc" as const) : ("desc" as const) }];
    });
    for (const key of keys.slice(BOUNDS.sortKeys)) reading.report("broken", key.field);
    query.sort = keys.slice(0, BOUNDS.sortKeys);
  },
};

const SEED: AddressMember = {
  key: "seed",
  write: ({ scoring }) => `${scoring.random_seed ?? ""}`,
  read: (text, query, { report }) => {
    const seed = readSeed(text);
    if (seed === null) report("broken");
    else query.scoring.random_seed = seed;
  },
};

const CONTACT: AddressMember = {
  key: "contact",
  write: ({ filters: { contact } }) =>
    [
      ...(contact.require_email ? ["email"] : []),
      ...(contact.require_phone ? ["phone"] : []),
      ...(contact.require_any_contact ? ["any"] : []),
      ...(contact.require_mobile ? ["mobile"] : []),
      ...(contact.require_landline ? ["landline"] : []),
      ...(contact.require_own_domain ? ["own_domain"] : []),
    ].join(","),
  read: (text, { filters: { contact } }, reading) => {
    const known = ["email", "phone", "any", "mobile", "landline", "own_domain"];
    const words = readList(text, reading, oneOf(known));
    contact.require_email = words.includes("email");
    contact.require_phone = words.includes("phone");
    contact.require_any_contact = words.includes("any");
    if (words.includes("mobile")) contact.require_mobile = true;
    if (words.includes("landline")) contact.require_landline = true;
    if (words.includes("own_domain")) contact.require_own_domain = true;
  },
};

const STATUS: AddressMember = {
  key: "status",
  write: ({ filters }) => filters.company.registration_status_any_of.join(","),
  read: (text, { filters }, reading) => {
    const codes = readList(text, reading, (element) =>
      REGISTRATION_STATUSES.filter((status) => `${status}` === element),
    );
    filters.company.registration_status_any_of.push(...codes);
  },
};

const OPENED = range(
  "opened",
  (text) => (text.length === 10 ? completeDate(text) : null),
  ({ filters: { company } }) => [company.started_after, company.started_before],
  ({ filters: { company } }, [after, before]) => {
    if (after !== null && before !== null && after >= before) return false;
    company.started_after = after;
    company.started_before = before;
    return true;
  },
);

const CAPITAL = range(
  "capital",
  readCapital,
  ({ filters: { company } }) => [company.share_capital_min, company.share_capital_max],
  ({ filters: { company } }, [min, max]) => {
    if (min !== null) company.share_capital_min = min;
    if (max !== null) company.share_capital_max = max;
    return true;
  },
);

const DEBT = range(
  "debt_total",
  readCapital,
  ({ filters: { company } }) => [company.federal_debt_min, company.federal_debt_max],
  ({ filters: { company } }, [min, max]) => {
    if (min !== null) company.federal_debt_min = min;
    if (max !== null) company.federal_debt_max = max;
    return true;
  },
);

const OWNED_COMPANIES = range(
  "owns",
  readCount,
  ({ filters: { company } }) => [company.owned_companies_min, company.owned_companies_max],
  ({ filters: { company } }, [min, max]) => {
    if (min !== null && max !== null && min > max) return false;
    if (min !== null) company.owned_companies_min = min;
    if (max !== null) company.owned_companies_max = max;
    return true;
  },
);

const OWNER_COMPANIES = range(
  "owners",
  readCount,
  ({ filters: { company } }) => [company.owner_companies_min, company.owner_companies_max],
  ({ filters: { company } }, [min, max]) => {
    if (min !== null && max !== null && min > max) return false;
    if (min !== null) company.owner_companies_min = min;
    if (max !== null) company.owner_companies_max = max;
    return true;
  },
);

const ESTABLISHMENTS = range(
  "establishments",
  readCount,
  ({ filters: { company } }) => [company.establishments_min, company.establishments_max],
  ({ filters: { company } }, [min, max]) => {
    if (min !== null && max !== null && min > max) return false;
    if (min !== null) company.establishments_min = min;
    if (max !== null) company.establishments_max = max;
    return true;
  },
);

/** Makes a member for an interval of days whose end is exclusive. */
function interval(
  key: string,
  since: "status_since" | "simples_excluded_since" | "mei_excluded_since",
  until: "status_before" | "simples_excluded_before" | "mei_excluded_before",
): AddressMember {
  return range(
    key,
    (text) => (text.length === 10 ? completeDate(text) : null),
    ({ filters: { company } }) => [company[since], company[until]],
    ({ filters: { company } }, [from, to]) => {
      if (from !== null && to !== null && from >= to) return false;
      if (from !== null) company[since] = from;
      if (to !== null) company[until] = to;
      return true;
    },
  );
}

const STATUS_DAYS = interval("status_day", "status_since", "status_before");
const SIMPLES_DAYS = interval("left_simples", "simples_excluded_since", "simples_excluded_before");
const MEI_DAYS = interval("left_mei", "mei_excluded_since", "mei_excluded_before");

/** Makes a member for a filter with a list of words. The filter is absent while unused. */
function wordList<Word extends string>(
  key: string,
  words: readonly Word[],
  get: (query: Query) => readonly Word[] | undefined,
  set: (query: Query, chosen: Word[]) => void,
): AddressMember {
  return {
    key,
    write: (query) => (get(query) ?? []).join(","),
    read: (text, query, reading) => {
      const chosen = readList(text, reading, (element) => words.filter((one) => one === element));
      if (chosen.length > 0) set(query, [...new Set(chosen)].sort());
    },
  };
}

/** Makes a member for the user's lists by id. The server checks that the tenant has them. */
function named(key: string, member: "any_of" | "exclude"): AddressMember {
  return {
    key,
    write: ({ filters }) => (filters.lists?.[member] ?? []).join(","),
    read: (text, { filters }, reading) => {
      const ids = readList(text, reading, (id) => (LIST_ID.test(id) ? [id] : []));
      if (ids.length > 0) filters.lists = { ...filters.lists, [member]: [...new Set(ids)].sort() };
    },
  };
}

/** Makes a member for the count in a contact filter. */
function contactCount(key: string, name: "email_shared_max" | "phone_shared_max"): AddressMember {
  return {
    key,
    write: ({ filters: { contact } }) => `${contact[name] ?? ""}`,
    read: (text, { filters: { contact } }, { report }) => {
      const count = readCount(text);
      if (count === null) report("broken");
      else contact[name] = count;
    },
  };
}

const ORDER = choice(
  "order",
  SCORING_STRATEGIES.map((name) => [name === "balanced" ? "" : name, name as string] as const),
  ({ scoring }) => scoring.strategy,
  ({ scoring }, value) => {
    scoring.strategy = value;
  },
);

/** For each filter, the member that writes and reads it, in the order of the address. */
const FILTER_MEMBERS = {
  cnae_any_of: list(
    "cnae",
    ({ filters }) => filters.industry.cnae_any_of,
    (element, lookup) => lookup.cnae(element),
    compressActivities,
  ),
  cnae_exclude: list(
    "not_cnae",
    ({ filters }) => filters.industry.cnae_exclude,
    (element, lookup) => lookup.cnae(element),
    compressActivities,
  ),
  cnae_secondary_any_of: list(
    "also_cnae",
    ({ filters }) => grown(filters.industry, "cnae_secondary_any_of"),
    (element, lookup) => lookup.cnae(element),
    compressActivities,
  ),
  text_hints: list(
    "name",
    ({ filters }) => filters.industry.text_hints,
    (element) => [element],
  ),
  uf_any_of: list("uf", ({ filters }) => filters.geo.uf_any_of, oneOf(UFS)),
  municipality_ibge_any_of: list(
    "city",
    ({ filters }) => filters.geo.municipality_ibge_any_of,
    (element, lookup) => [lookup.municipalityByIbge(element)?.ibge ?? []].flat(),
  ),
  municipality_tom_any_of: list(
    "city_tom",
    ({ filters }) => filters.geo.municipality_tom_any_of,
    (element, lookup) => [lookup.municipalityByTom(element)?.tom ?? []].flat(),
  ),
  district_any_of: {
    key: "district",
    write: ({ filters: { geo } }) =>
      (geo.district_any_of ?? [])
        .map(({ municipality_ibge: ibge, name }) => encodeCode(`${ibge}:${name}`))
        .join(","),
    read: (text, { filters: { geo } }, reading) => {
      const districts = readList(text, reading, (element) => readDistrict(element, reading.lookup));
      if (districts.length > 0) geo.district_any_of = districts;
    },
  },
  postal_code_prefix_any_of: list(
    "cep",
    ({ filters }) => grown(filters.geo, "postal_code_prefix_any_of"),
    matching(/^\d{1,8}$/),
  ),
  area_code_any_of: list(
    "ddd",
    ({ filters }) => grown(filters.geo, "area_code_any_of"),
    matching(/^(1[1-9]|[2-9]\d)$/),
  ),
  registration_status_any_of: STATUS,
  company_size_code_any_of: list(
    "size",
    ({ filters }) => filters.company.company_size_code_any_of,
    oneOf(COMPANY_SIZE_CODES),
  ),
  headquarters_only: choice(
    "hq",
    [["yes", true]] as const,
    ({ filters }) => filters.company.headquarters_only,
    ({ filters }, value) => {
      filters.company.headquarters_only = value;
    },
  ),
  branches_only: choice<true | undefined>(
    "branches",
    [["yes", true]] as const,
    ({ filters }) => filters.company.branches_only,
    ({ filters }, value) => {
      if (value) filters.company.branches_only = value;
    },
  ),
  simples_opt_in: choice<boolean | null>(
    "simples",
    YES_OR_NO,
    ({ filters }) => filters.company.simples_opt_in,
    ({ filters }, value) => {
      filters.company.simples_opt_in = value;
    },
  ),
  mei_opt_in: choice<boolean | null>(
    "mei",
    YES_OR_NO,
    ({ filters }) => filters.company.mei_opt_in,
    ({ filters }, value) => {
      filters.company.mei_opt_in = value;
    },
  ),
  started_after: OPENED,
  started_before: OPENED,
  share_capital_min: CAPITAL,
  share_capital_max: CAPITAL,
  legal_nature_any_of: list(
    "nature",
    ({ filters }) => grown(filters.company, "legal_nature_any_of"),
    (element, lookup) => lookup.legalNatures(element),
    compressNatures,
  ),
  status_since: STATUS_DAYS,
  status_before: STATUS_DAYS,
  status_reason_any_of: list(
    "reason",
    ({ filters }) => grown(filters.company, "status_reason_any_of"),
    matching(/^\d{2}$/),
  ),
  simples_excluded_since: SIMPLES_DAYS,
  simples_excluded_before: SIMPLES_DAYS,
  mei_excluded_since: MEI_DAYS,
  mei_excluded_before: MEI_DAYS,
  sanction_any_of: wordList(
    "sanction",
    SANCTION_NAMES,
    ({ filters }) => filters.company.sanction_any_of,
    ({ filters }, chosen) => {
      filters.company.sanction_any_of = chosen;
    },
  ),
  has_federal_debt: choice<boolean | undefined>(
    "debt",
    YES_OR_NO,
    ({ filters }) => filters.company.has_federal_debt,
    ({ filters }, value) => {
      if (value !== undefined) filters.company.has_federal_debt = value;
    },
  ),
  federal_debt_min: DEBT,
  federal_debt_max: DEBT,
  federal_debt_any_of: wordList(
    "debt_kind",
    DEBT_KINDS,
    ({ filters }) => filters.company.federal_debt_any_of,
    ({ filters }, chosen) => {
      filters.company.federal_debt_any_of = chosen;
    },
  ),
  owned_by_any_of: list(
    "owned_by",
    ({ filters }) => grown(filters.company, "owned_by_any_of"),
    matching(/^[0-9A-Z]{8}$/),
  ),
  owned_by_depth: {
    key: "owned_by_depth",
    write: ({ filters: { company } }) => `${company.owned_by_depth ?? ""}`,
    read: (text, { filters: { company } }, { report }) => {
      if (/^[2-5]$/.test(text)) company.owned_by_depth = Number(text);
      else report("broken");
    },
  },
  owned_companies_min: OWNED_COMPANIES,
  owned_companies_max: OWNED_COMPANIES,
  owner_companies_min: OWNER_COMPANIES,
  owner_companies_max: OWNER_COMPANIES,
  missing_any_of: wordList(
    "missing",
    MISSING_CONTACTS,
    ({ filters }) => filters.contact.missing_any_of,
    ({ filters }, chosen) => {
      filters.contact.missing_any_of = chosen;
    },
  ),
  require_email: CONTACT,
  require_phone: CONTACT,
  require_any_contact: CONTACT,
  require_mobile: CONTACT,
  require_landline: CONTACT,
  require_own_domain: CONTACT,
  establishments_min: ESTABLISHMENTS,
  establishments_max: ESTABLISHMENTS,
  email_shared_max: contactCount("email_of_most", "email_shared_max"),
  phone_shared_max: contactCount("phone_of_most", "phone_shared_max"),
  phone_any_of: list(
    "phone",
    ({ filters }) => grown(filters.contact, "phone_any_of"),
    matching(/^\+55\d{9,11}$/),
  ),
  email_any_of: list(
    "email",
    ({ filters }) => grown(filters.contact, "email_any_of"),
    matching(/@/),
  ),
  any_of: named("in_lists", "any_of"),
  exclude: named("not_in_lists", "exclude"),
} satisfies Readonly<Record<PartMember, AddressMember>>;

/** All members in the order of the address. Some filters share a member, which is listed once. */
export const MEMBERS: readonly AddressMember[] = [
  ...new Set<AddressMember>(Object.values(FILTER_MEMBERS)),
  ...[SORT, ORDER, SEED],
];
