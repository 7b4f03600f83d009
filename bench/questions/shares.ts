/**
 * Table of the filters in the simulated traffic. Each row states how often queries contain a
 * filter, and draws the filter's values. Input: an account of the snapshot, the snapshot's date,
 * random numbers. Output: a part of a query.
 * Invariant: every value comes from an account of the snapshot or from its date, so activities,
 * cities, and words are as frequent in queries as among accounts. Rows with the same `choice`
 * exclude each other in a query. The documents show this table
 * (test/support/documents/generated.ts).
 */
import { SCORED_STRATEGIES } from "../../src/search/score.ts";
import { completeDate } from "../../src/spec/dates.ts";
import { foldDistrict } from "../../src/spec/districtname.ts";
import type { FilterName } from "../../src/spec/filters/table.ts";
import type { AccountQuerySpec, SortKey } from "../../src/spec/schema.ts";
import type { Account } from "./accounts.ts";

/** Draws random numbers and random elements. */
export interface Chance {
  /** Returns a number from 0 up to, not including, 1. */
  random(): number;
  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  pick<Value>(values: readonly Value[]): Value;
}

type Filters = AccountQuerySpec["filters"];

/** Part of a spec. */
export interface Part {
  readonly filters?: { readonly [Group in keyof Filters]?: Partial<Filters[Group]> };
  readonly sort?: readonly SortKey[];
  readonly scoring?: Partial<AccountQuerySpec["scoring"]>;
}

/** The account, other accounts, and random numbers from which a query is made. */
export interface Source {
  /** The account that the query is about. */
  readonly about: Account;
  /** Returns another account, for further values of a list. */
  other(): Account;
  readonly chance: Chance;
}

/**
 * Makes a part of a query with values of the source's account. Returns null if the account lacks
 * the value.
 */
type Draw = (source: Source) => Part | null;

/** One row of the table: a filter, and how often queries contain it. */
export interface Share {
  readonly name: string;
  /** Group of rows, such as "place". A query contains at most one row of a group. */
  readonly choice: string;
  readonly share: number;
  /** How the value is drawn, in words for the documents. Absent if the value is constant. */
  readonly how?: string;
  /** Names of the filters that the row sets. Absent if the row only sets the order. */
  readonly filters?: readonly FilterName[];
  /** Returns false only if the account's fields show that it does not match the part. */
  readonly meets?: (part: Part, account: Account) => boolean;
  /**
   * Draws the values that are the same for every account, such as dates. Returns a function that
   * adds the values of an account.
   */
  readonly draw: (chance: Chance, today: string) => Draw;
}

const MILLIS_PER_DAY = 86_400_000;
/** Lengths of the postal code prefixes that queries contain. */
const PREFIX_DIGITS = [3, 4, 5] as const;
/** Index of the area code in a phone number such as "+5511…". */
const AREA_AT = 3;

function daysBefore(date: string, days: number): string {
  const day = new Date(Date.parse(`${date}T00:00:00Z`) - days * MILLIS_PER_DAY);
  return day.toISOString().slice(0, 10);
}

/** Returns the same day of an earlier year; for 29 February, the 28th. */
function yearsBefore(date: string, years: number): string {
  const earlier = `${Number(date.slice(0, 4)) - years}${date.slice(4)}`;
  return completeDate(earlier) ?? `${earlier.slice(0, 8)}28`;
}

const industry = (part: Partial<Filters["industry"]>): Part => ({ filters: { industry: part } });
const geo = (part: Partial<Filters["geo"]>): Part => ({ filters: { geo: part } });
const company = (part: Partial<Filters["company"]>): Part => ({ filters: { company: part } });
const contact = (part: Partial<Filters["contact"]>): Part => ({ filters: { contact: part } });

/** Number of accounts to try for each additional value, since several may have the same value. */
const LOOKS = 20;

/** Returns the distinct values of several accounts, sorted, so that equal sets give equal lists. */
function several(source: Source, count: number, value: (account: Account) => string): string[] {
  const values = new Set([value(source.about)]);
  for (let look = 0; values.size < count && look < count * LOOKS; look++) {
    values.add(value(source.other()));
  }
  return [...values].sort();
}

/** Makes a row whose part is constant. */
const always = (part: Part) => () => () => part;

/** Makes the `draw` of a row whose part depends only on the account. */
const of = (draw: Draw) => () => draw;

/** Makes the `draw` of a row whose part lists two to five values, each from a different account. */
const some =
  (value: (account: Account) => string, part: (values: string[]) => Part) => (chance: Chance) => {
    const count = chance.integer(2, 5);
    return (source: Source) => part(several(source, count, value));
  };

function opened({ filters }: Part, { started_on: day }: Account): boolean {
  if (day === null) return false;
  const { started_after: after, started_before: before } = filters?.company ?? {};
  return (after ?? day) <= day && day < (before ?? "9999");
}

/** Returns an interval of a month to two years that ended within the last five years. */
function interval(chance: Chance, today: string): Draw {
  const before = daysBefore(today, chance.integer(0, 1_825));
  const after = daysBefore(before, chance.integer(30, 730));
  return () => company({ started_after: after, started_before: before });
}

const hasEmail = (_: Part, { email }: Account) => email !== null;
const hasPhone = (_: Part, { phone_1: phone }: Account) => phone !== null;

/** Rows that each order by one field. */
const ORDERS: readonly Share[] = (
  [
    ["newest first", 0.1, "started_on", "desc"],
    ["oldest first", 0.01, "started_on", "asc"],
    ["by capital", 0.02, "share_capital", "desc"],
    ["by name", 0.01, "legal_name", "asc"],
    ["by population of the city", 0.01, "municipality_population", "desc"],
  ] as const
).map(([name, share, field, direction]) => ({
  ...{ name, choice: "order", share },
  draw: always({ sort: [{ field, direction }] }),
}));

/**
 * The table. We have no log of a real service, so the shares are published estimates. Most queries
 * are for one activity, one state, and active companies. Users count dates back from today, so a
 * third of the queries has a date inside a month. A fifth names a city instead of a state, and a
 * tenth requests the newest first. Rare filters (districts, postal codes, own domains, shared
 * contacts) have a few hundredths each, because a rare kind of query can still be the slowest.
 */
export const SHARES: readonly Share[] = [
  {
    name: "one activity",
    choice: "subject",
    share: 0.4,
    how: "that of the account",
    filters: ["cnae_any_of"],
    draw: of(({ about }) => industry({ cnae_any_of: [about.cnae_primary] })),
  },
  {
    name: "several activities",
    choice: "subject",
    share: 0.17,
    how: "those of two to five accounts",
    filters: ["cnae_any_of"],
    draw: some(
      ({ cnae_primary }) => cnae_primary,
      (codes) => industry({ cnae_any_of: codes }),
    ),
  },
  {
    name: "a division",
    choice: "subject",
    share: 0.1,
    how: "that of the account's activity, if it has further ones",
    filters: ["cnae_any_of"],
    draw: of(({ about: { division } }) =>
      division === null ? null : industry({ cnae_any_of: [division] }),
    ),
  },
  {
    name: "a secondary activity",
    choice: "subject",
    share: 0.03,
    how: "one of the account",
    filters: ["cnae_secondary_any_of"],
    draw: of(({ about, chance }) =>
      about.cnae_secondary.length === 0
        ? null
        : industry({ cnae_secondary_any_of: [chance.pick(about.cnae_secondary)] }),
    ),
  },
  {
    name: "a word of the name",
    choice: "subject",
    share: 0.06,
    how: "a common one of the account's name",
    filters: ["text_hints"],
    draw: of(({ about, chance }) =>
      about.words.length === 0 ? null : industry({ text_hints: [chance.pick(about.words)] }),
    ),
  },
  {
    name: "two words of the name",
    choice: "subject",
    share: 0.04,
    how: "two common ones of the account's name, both wanted",
    filters: ["text_hints"],
    draw: of(({ about: { words } }) =>
      words.length < 2 ? null : industry({ text_hints: [words.slice(0, 2).sort().join(" ")] }),
    ),
  },
  {
    name: "an e-mail address",
    choice: "subject",
    share: 0.01,
    how: "that of the account",
    filters: ["email_any_of"],
    draw: of(({ about: { email } }) =>
      email === null ? null : contact({ email_any_of: [email] }),
    ),
  },
  {
    name: "a phone number",
    choice: "subject",
    share: 0.01,
    how: "that of the account",
    filters: ["phone_any_of"],
    draw: of(({ about: { phone_1: phone } }) =>
      phone === null ? null : contact({ phone_any_of: [phone] }),
    ),
  },
  {
    name: "a state",
    choice: "place",
    share: 0.5,
    how: "that of the account",
    filters: ["uf_any_of"],
    draw: of(({ about }) => geo({ uf_any_of: [about.uf] })),
  },
  {
    name: "several states",
    choice: "place",
    share: 0.08,
    how: "those of two to five accounts",
    filters: ["uf_any_of"],
    draw: some(
      ({ uf }) => uf,
      (states) => geo({ uf_any_of: states }),
    ),
  },
  {
    name: "a city",
    choice: "place",
    share: 0.2,
    how: "that of the account",
    filters: ["municipality_ibge_any_of"],
    draw: of(({ about }) => geo({ municipality_ibge_any_of: [about.municipality_ibge] })),
  },
  {
    name: "several cities",
    choice: "place",
    share: 0.03,
    how: "those of two to five accounts",
    filters: ["municipality_ibge_any_of"],
    draw: some(
      ({ municipality_ibge }) => municipality_ibge,
      (cities) => geo({ municipality_ibge_any_of: cities }),
    ),
  },
  {
    name: "a district",
    choice: "place",
    share: 0.05,
    how: "that of the account, with its city",
    filters: ["district_any_of"],
    draw: of(({ about: { municipality_ibge, district } }) => {
      const name = foldDistrict(district ?? "");
      return name === "" ? null : geo({ district_any_of: [{ municipality_ibge, name }] });
    }),
  },
  {
    name: "a postal prefix",
    choice: "place",
    share: 0.03,
    how: "the first three to five digits of the account's postal code",
    filters: ["postal_code_prefix_any_of"],
    draw: (chance) => {
      const digits = chance.pick(PREFIX_DIGITS);
      return ({ about: { postal_code: code } }) =>
        code === null ? null : geo({ postal_code_prefix_any_of: [code.slice(0, digits)] });
    },
  },
  {
    name: "an area code",
    choice: "place",
    share: 0.03,
    how: "that of the account's phone",
    filters: ["area_code_any_of"],
    draw: of(({ about: { phone_1: phone } }) =>
      phone === null ? null : geo({ area_code_any_of: [phone.slice(AREA_AT, AREA_AT + 2)] }),
    ),
  },
  {
    name: "opened in the last days",
    choice: "opened",
    share: 0.13,
    how: "30, 60, 90, or 180 days before the snapshot's date",
    filters: ["started_after"],
    meets: opened,
    draw: (chance, today) => {
      const after = daysBefore(today, chance.pick([30, 60, 90, 180]));
      return () => company({ started_after: after });
    },
  },
  {
    name: "opened in the last years",
    choice: "opened",
    share: 0.12,
    how: "one to five years before the snapshot's date",
    filters: ["started_after"],
    meets: opened,
    draw: (chance, today) => {
      const after = yearsBefore(today, chance.integer(1, 5));
      return () => company({ started_after: after });
    },
  },
  {
    name: "opened between two days",
    choice: "opened",
    share: 0.05,
    how: "30 to 730 days that ended within five years before the snapshot's date",
    filters: ["started_after", "started_before"],
    meets: opened,
    draw: interval,
  },
  {
    name: "opened since a year",
    choice: "opened",
    share: 0.1,
    how: "the first of January one to 24 years before",
    filters: ["started_after"],
    meets: opened,
    draw: (chance, today) => {
      const after = `${yearsBefore(today, chance.integer(1, 24)).slice(0, 4)}-01-01`;
      return () => company({ started_after: after });
    },
  },
  {
    name: "opened before a day",
    choice: "opened",
    share: 0.03,
    how: "one to ten years before the snapshot's date",
    filters: ["started_before"],
    meets: opened,
    draw: (chance, today) => {
      const before = yearsBefore(today, chance.integer(1, 10));
      return () => company({ started_before: before });
    },
  },
  {
    name: "active",
    choice: "status",
    share: 0.85,
    filters: ["registration_status_any_of"],
    meets: (_, { registration_status: status }) => status === 2,
    draw: always(company({ registration_status_any_of: [2] })),
  },
  {
    name: "closed",
    choice: "status",
    share: 0.03,
    filters: ["registration_status_any_of"],
    meets: (_, { registration_status: status }) => status === 8,
    draw: always(company({ registration_status_any_of: [8] })),
  },
  {
    name: "a size",
    choice: "size",
    share: 0.12,
    how: "that of the account",
    filters: ["company_size_code_any_of"],
    draw: of(({ about: { company_size_code: size } }) => {
      return size === null ? null : company({ company_size_code_any_of: [size as "01"] });
    }),
  },
  {
    name: "small or larger",
    choice: "size",
    share: 0.03,
    filters: ["company_size_code_any_of"],
    meets: (_, { company_size_code: size }) => size === "03" || size === "05",
    draw: always(company({ company_size_code_any_of: ["03", "05"] })),
  },
  {
    name: "no MEI",
    choice: "regime",
    share: 0.2,
    filters: ["mei_opt_in"],
    meets: (_, { mei_opt_in: mei }) => mei !== true,
    draw: always(company({ mei_opt_in: false })),
  },
  {
    name: "MEI only",
    choice: "regime",
    share: 0.06,
    filters: ["mei_opt_in"],
    meets: (_, { mei_opt_in: mei }) => mei === true,
    draw: always(company({ mei_opt_in: true })),
  },
  {
    name: "Simples: yes or no",
    choice: "regime",
    share: 0.06,
    how: "as the account",
    filters: ["simples_opt_in"],
    draw: of(({ about }) => company({ simples_opt_in: about.simples_opt_in === true })),
  },
  {
    name: "head offices",
    choice: "offices",
    share: 0.08,
    filters: ["headquarters_only"],
    meets: (_, { headquarters }) => headquarters,
    draw: always(company({ headquarters_only: true })),
  },
  {
    name: "branches",
    choice: "offices",
    share: 0.02,
    filters: ["branches_only"],
    meets: (_, { headquarters }) => !headquarters,
    draw: always(company({ branches_only: true })),
  },
  {
    name: "several establishments",
    choice: "offices",
    share: 0.02,
    how: "at least two (in a quarter of them, three); in half of them also at most ten times that",
    filters: ["establishments_min", "establishments_max"],
    meets: (_, { several: isOfSeveral }) => isOfSeveral,
    draw: (chance) => {
      const min = chance.pick([2, 2, 2, 3]);
      const max = chance.random() < 0.5 ? {} : { establishments_max: 10 * min };
      return () => company({ establishments_min: min, ...max });
    },
  },
  {
    name: "an e-mail",
    choice: "e-mail",
    share: 0.22,
    filters: ["require_email"],
    meets: hasEmail,
    draw: always(contact({ require_email: true })),
  },
  {
    name: "its own domain",
    choice: "e-mail",
    share: 0.05,
    filters: ["require_own_domain"],
    meets: (_, { ownDomain }) => ownDomain,
    draw: always(contact({ require_own_domain: true })),
  },
  {
    name: "an e-mail few companies share",
    choice: "e-mail",
    share: 0.05,
    how: "at most one in half of them, else two to ten",
    filters: ["email_shared_max"],
    meets: hasEmail,
    draw: (chance) => {
      const max = chance.random() < 0.5 ? 1 : chance.integer(2, 10);
      return () => contact({ email_shared_max: max });
    },
  },
  {
    name: "a phone",
    choice: "phone",
    share: 0.12,
    filters: ["require_phone"],
    meets: hasPhone,
    draw: always(contact({ require_phone: true })),
  },
  {
    name: "a mobile",
    choice: "phone",
    share: 0.08,
    filters: ["require_mobile"],
    meets: hasPhone,
    draw: always(contact({ require_mobile: true })),
  },
  {
    name: "a landline",
    choice: "phone",
    share: 0.03,
    filters: ["require_landline"],
    meets: hasPhone,
    draw: always(contact({ require_landline: true })),
  },
  {
    name: "a phone few companies share",
    choice: "phone",
    share: 0.04,
    how: "at most one to ten",
    filters: ["phone_shared_max"],
    meets: hasPhone,
    draw: (chance) => {
      const max = chance.integer(1, 10);
      return () => contact({ phone_shared_max: max });
    },
  },
  {
    name: "any contact",
    choice: "phone",
    share: 0.04,
    filters: ["require_any_contact"],
    draw: always(contact({ require_any_contact: true })),
  },
  {
    name: "capital from an amount",
    choice: "capital",
    share: 0.06,
    how: "that of the account, rounded down to one digit",
    filters: ["share_capital_min"],
    draw: of(({ about: { share_capital: capital } }) => {
      if (capital === null || capital < 1) return null;
      const scale = 10 ** Math.floor(Math.log10(capital));
      return company({ share_capital_min: Math.floor(capital / scale) * scale });
    }),
  },
  {
    name: "capital between amounts",
    choice: "capital",
    share: 0.02,
    how: "half to twice the capital of the account",
    filters: ["share_capital_min", "share_capital_max"],
    draw: of(({ about: { share_capital: capital } }) => {
      if (capital === null) return null;
      return company({
        share_capital_min: Math.floor(capital / 2),
        share_capital_max: Math.ceil(capital * 2),
      });
    }),
  },
  {
    name: "a legal nature",
    choice: "nature",
    share: 0.03,
    how: "that of the account",
    filters: ["legal_nature_any_of"],
    draw: of(({ about: { legal_nature: nature } }) =>
      nature === null ? null : company({ legal_nature_any_of: [nature] }),
    ),
  },
  {
    name: "an activity left out",
    choice: "left out",
    share: 0.02,
    how: "that of another account",
    filters: ["cnae_exclude"],
    draw: of(({ about, other }) => {
      const { cnae_primary: code } = other();
      return code === about.cnae_primary ? null : industry({ cnae_exclude: [code] });
    }),
  },
  ...ORDERS,
  {
    name: "by another score",
    choice: "order",
    share: 0.03,
    how: "one of those other than `balanced`",
    draw: (chance) => {
      const others = SCORED_STRATEGIES.filter((name) => name !== "balanced");
      const strategy = chance.pick(others);
      return () => ({ scoring: { strategy } });
    },
  },
  {
    name: "shuffled",
    choice: "order",
    share: 0.01,
    how: "with a seed of its own",
    draw: (chance) => {
      const seed = chance.integer(0, 1_000_000);
      return () => ({ scoring: { strategy: "random", random_seed: seed } });
    },
  },
];
