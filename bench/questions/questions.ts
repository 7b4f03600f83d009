/**
 * Lists the queries of the search benchmark, each as Peneira's filters and as equivalent SQL. Both
 * must return equal answers.
 * Invariant: the SQL is the fastest plan known for the other engines. Columns are narrow, rows are
 * stored in rank order, rank order needs a limit but no sort, and deep pages start after a key
 * instead of an offset.
 */

/** Codes that are frequent or rare in the corpus, so that queries match many, few, or no rows. */
export interface Picks {
  /** Codes of a frequent activity, a rare activity, and twenty frequent activities; 7 digits. */
  readonly cnae: string;
  readonly rareCnae: string;
  readonly twentyCnaes: readonly string[];
  /** IBGE codes of a small municipality that has the rare activity, and of one that lacks it. */
  readonly sparseMunicipality: string;
  readonly emptyMunicipality: string;
  /** The municipality with the second most accounts. */
  readonly largeMunicipality: string;
  /** A frequent word of names. */
  readonly word: string;
}

/**
 * One query, as filters of Peneira and as SQL (`where`, `orderBy`). Without `orderBy`, rows are in
 * rank order.
 */
export interface Question {
  readonly name: string;
  readonly filters: Record<string, unknown>;
  readonly where: string;
  readonly sort?: readonly { readonly field: string; readonly direction: "asc" | "desc" }[];
  readonly orderBy?: string;
  readonly scoring?: { readonly strategy: string; readonly random_seed: number | null };
  /** True if the other engines have no equivalent query. */
  readonly alone?: true;
  /** Replaces `where` for SQLite. */
  readonly sqliteWhere?: string;
  /** Replaces `where` for PostgreSQL. */
  readonly postgresWhere?: string;
}

type Filter = readonly [filters: Record<string, Record<string, unknown>>, where: string];

const industry = (codes: readonly string[]): Filter => [
  { industry: { cnae_any_of: codes } },
  codes.length === 1 ? `cnae = ${codes[0]}` : `cnae IN (${codes.map(Number).join(",")})`,
];
const states = (...list: string[]): Filter => [
  { geo: { uf_any_of: list } },
  list.length === 1 ? `uf = '${list[0]}'` : `uf IN (${list.map((uf) => `'${uf}'`).join(",")})`,
];
const city = (code: string): Filter => [
  { geo: { municipality_ibge_any_of: [code] } },
  `municipality = ${code}`,
];
const ACTIVE: Filter = [{ company: { registration_status_any_of: [2] } }, "status = 2"];
const EMAIL: Filter = [{ contact: { require_email: true } }, "has_email"];
const SINCE: Filter = [
  { company: { started_after: "2020-01-01" } },
  "started_on >= DATE '2020-01-01'",
];
const NOT_MEI: Filter = [{ company: { mei_opt_in: false } }, "NOT mei"];

function question(
  name: string,
  filters: readonly Filter[],
  rest: Partial<Question> = {},
): Question {
  const merged: Record<string, Record<string, unknown>> = {};
  for (const [filter] of filters) {
    for (const [group, members] of Object.entries(filter)) {
      merged[group] = { ...merged[group], ...members };
    }
  }
  const where = filters.map(([, condition]) => condition).join(" AND ");
  return { name, filters: merged, where, ...rest };
}

/** Returns queries for first pages in rank order, such as one to six filters or few matches. */
export function pageQuestions(picks: Picks): Question[] {
  const one = industry([picks.cnae]);
  const six = [one, states("SP"), ACTIVE, EMAIL, SINCE, NOT_MEI];
  const counted = six.map((_, i) =>
    question(`${i + 1} filter${i ? "s" : ""}`, six.slice(0, i + 1)),
  );
  const rare = industry([picks.rareCnae]);
  const word: Filter = [
    { industry: { text_hints: [picks.word] } },
    `contains(names, ' ${picks.word} ')`,
  ];
  const sqliteWhere = `rank IN (SELECT rowid FROM words WHERE words MATCH '${picks.word}')`;
  const postgresWhere = `words @@ '${picks.word}'::tsquery`;
  return [
    ...counted,
    question("sparse (rare activity, small city)", [rare, city(picks.sparseMunicipality)]),
    question("empty intersection", [rare, city(picks.emptyMunicipality)]),
    question("20 activities × 5 states", [
      industry(picks.twentyCnaes),
      states("SP", "MG", "RJ", "PR", "RS"),
      ACTIVE,
    ]),
    question("word of the name", [word], { sqliteWhere, postgresWhere }),
    question("word, state, active", [word, states("SP"), ACTIVE], {
      sqliteWhere: `${sqliteWhere} AND uf = 'SP' AND status = 2`,
      postgresWhere: `${postgresWhere} AND uf = 'SP' AND status = 2`,
    }),
  ];
}

/** Returns queries for exact totals. Some of the totals are precomputed in the snapshot. */
export function totalQuestions(picks: Picks): Question[] {
  const one = industry([picks.cnae]);
  return [
    question("total, cube (activity, state, active)", [one, states("SP"), ACTIVE]),
    question("total, broad (state, active)", [states("SP"), ACTIVE]),
    question("total, bitmaps (activity, e-mail, since 2020)", [one, EMAIL, SINCE]),
    question("total, broad bitmaps (state, e-mail, not MEI)", [states("SP"), EMAIL, NOT_MEI]),
    question("total, date inside a year", [
      states("SP"),
      [{ company: { started_after: "2020-03-15" } }, "started_on >= DATE '2020-03-15'"],
    ]),
    question("total, 20 activities × 5 states", [
      industry(picks.twentyCnaes),
      states("SP", "MG", "RJ", "PR", "RS"),
      ACTIVE,
    ]),
  ];
}

/**
 * Returns broad and narrow queries that are not in rank order. One order is random, with a fixed
 * seed.
 */
export function sortQuestions(picks: Picks): Question[] {
  const broad = [states("SP"), ACTIVE];
  const narrow = [industry([picks.cnae]), states("SP"), ACTIVE, EMAIL];
  const by = (field: string, direction: "asc" | "desc", orderBy: string) => ({
    sort: [{ field, direction }],
    orderBy: `${orderBy}, cnpj`,
  });
  const newest = by("started_on", "desc", "started_on DESC NULLS LAST");
  const capital = by("share_capital", "desc", "capital DESC NULLS LAST");
  const name = by("legal_name", "asc", "legal_name ASC NULLS LAST");
  const two = {
    sort: [
      { field: "company_size", direction: "desc" as const },
      { field: "started_on", direction: "asc" as const },
    ],
    orderBy: "size DESC NULLS LAST, started_on ASC NULLS LAST, cnpj",
  };
  const seeded = { scoring: { strategy: "random", random_seed: 7 }, alone: true as const };
  return [
    question("newest first, broad", broad, newest),
    question("newest first, narrow", narrow, newest),
    question("capital first, broad", broad, capital),
    question("capital first, narrow", narrow, capital),
    question("by name, broad", broad, name),
    question("by name, narrow", narrow, name),
    question("size, then age, broad (worst case)", broad, two),
    question("seeded order, broad", broad, seeded),
    question("seeded order, narrow", narrow, seeded),
  ];
}

/** Opening date 90 days before the corpus ends, for queries about recently opened companies. */
const DAY = "2026-07-12";
const SINCE_A_DAY: Filter = [{ company: { started_after: DAY } }, `started_on >= DATE '${DAY}'`];

/** Returns frequent queries: opening dates, cities, capital, two words, and other orders. */
export function commonQuestions(picks: Picks): Question[] {
  const one = industry([picks.cnae]);
  const capital: Filter = [
    { company: { share_capital_min: 50_000, share_capital_max: 200_000 } },
    "capital BETWEEN 5000000 AND 20000000",
  ];
  const word: Filter = [
    { industry: { text_hints: [picks.word] } },
    `contains(names, ' ${picks.word} ')`,
  ];
  const inCity = `municipality = ${picks.largeMunicipality}`;
  const byCapital = {
    sort: [{ field: "share_capital", direction: "desc" as const }],
    orderBy: "capital DESC NULLS LAST, cnpj",
  };
  const three = {
    sort: [
      { field: "company_size", direction: "asc" as const },
      { field: "started_on", direction: "desc" as const },
      { field: "legal_name", direction: "asc" as const },
    ],
    orderBy: "size ASC NULLS LAST, started_on DESC NULLS LAST, legal_name ASC NULLS LAST, cnpj",
  };
  return [
    question("activity, state, active", [one, states("SP"), ACTIVE]),
    question("the same, since a day", [one, states("SP"), ACTIVE, SINCE_A_DAY]),
    question("state, active, since a day", [states("SP"), ACTIVE, SINCE_A_DAY]),
    question("city, active, since a day", [city(picks.largeMunicipality), ACTIVE, SINCE_A_DAY]),
    question("city, active, e-mail, no MEI", [
      city(picks.largeMunicipality),
      ACTIVE,
      EMAIL,
      NOT_MEI,
    ]),
    question("state, capital between two amounts", [states("CE"), capital]),
    question("a word of the name, city", [word, city(picks.largeMunicipality)], {
      sqliteWhere:
        `${inCity} AND ` + `rank IN (SELECT rowid FROM words WHERE words MATCH '${picks.word}')`,
      postgresWhere: `words @@ '${picks.word}'::tsquery AND ${inCity}`,
    }),
    question("activity, state, active, by capital", [one, states("SP"), ACTIVE], byCapital),
    question("activity, state, three sort keys", [one, states("RS")], three),
  ];
}

/** Returns a query that matches many accounts, used to time deep pages and exports. */
export function depthQuestion(): Question {
  return question("depth", [states("SP"), ACTIVE]);
}
