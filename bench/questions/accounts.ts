/**
 * Reads a sample of a snapshot's accounts, from which the simulated traffic takes the values of its
 * queries. Input: a snapshot. Output: some thousand accounts from all over the snapshot.
 * Invariant: the same snapshot returns the same accounts. A value, or a combination of values, is
 * about as frequent in the sample as in the snapshot.
 */
import { matchesFilters, rowOf } from "../../src/search/clauses.ts";
import type { Segment } from "../../src/search/segment.ts";
import { analyzeWords } from "../../src/spec/analyzer.ts";
import { CNAE_NOT_INFORMED, catalogLookup } from "../../src/spec/catalog.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../../src/spec/fields.ts";
import { normalizeSpec } from "../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../src/spec/schema.ts";

/** Accounts of a page. */
export const PAGE = 50;
/** Accounts are read in this many blocks of this many rows, spread over the snapshot. */
const [BLOCKS, BLOCK_ROWS] = [1_024, 8];
/** Minimum length of a word. Shorter words are mostly articles and abbreviations. */
const WORD_LENGTH_MIN = 4;
/**
 * Minimum and maximum fraction of all names that contain a common word. Users do not search for
 * words that most names contain, such as "ltda".
 */
const [WORD_SHARE_MIN, WORD_SHARE_MAX] = [0.002, 0.1];

const FIELDS = [
  ...["cnpj", "legal_name", "uf", "municipality_ibge", "district", "postal_code", "cnae_primary"],
  ...["cnae_secondary", "legal_nature", "company_size_code", "share_capital", "mei_opt_in"],
  ...["simples_opt_in", "headquarters", "started_on", "email", "phone_1", "registration_status"],
];

/** An account around which queries are drawn. */
export interface Account {
  readonly uf: string;
  readonly municipality_ibge: string;
  readonly district: string | null;
  readonly postal_code: string | null;
  readonly cnae_primary: string;
  /** First two digits of the activity; null if no other activity begins with them. */
  readonly division: string | null;
  readonly cnae_secondary: readonly string[];
  readonly legal_nature: string | null;
  readonly company_size_code: string | null;
  readonly share_capital: number | null;
  readonly mei_opt_in: boolean | null;
  readonly simples_opt_in: boolean | null;
  readonly headquarters: boolean;
  readonly registration_status: number;
  readonly started_on: string | null;
  readonly email: string | null;
  readonly phone_1: string | null;
  /** True if the domain of the e-mail belongs to the account rather than to a mail provider. */
  readonly ownDomain: boolean;
  /** True if the account's company has several establishments. */
  readonly several: boolean;
  /** Common words of the account's name. Each of them is in at most a tenth of all names. */
  readonly words: readonly string[];
}

const known = new WeakMap<Segment, readonly Account[]>();

/** Returns accounts from all over the snapshot. */
export function accountsOf(segment: Segment): readonly Account[] {
  const cached = known.get(segment);
  if (cached !== undefined) return cached;
  const text = segment.native.renderJson(rowsAllOver(segment.accounts), FIELDS);
  const all = (JSON.parse(Buffer.from(text).toString()) as Rendered[]).map((account) => ({
    ...account,
    words: [...new Set(analyzeWords(account.legal_name ?? ""))],
  }));
  const common = commonIn(all.map(({ words }) => words));
  const withOwnDomain = meeting(segment, { contact: { require_own_domain: true } });
  const withSeveral = meeting(segment, { company: { establishments_min: 2 } });
  const usable = all.filter(isPlaced).map((account) => ({
    ...account,
    words: account.words.filter(common),
    division: divisionOf(segment, account.cnae_primary),
    ownDomain: withOwnDomain(account.cnpj),
    several: withSeveral(account.cnpj),
  }));
  known.set(segment, usable);
  return usable;
}

/** Returns a test for words that are in many names, but not in most. */
function commonIn(names: readonly (readonly string[])[]): (word: string) => boolean {
  const counts = new Map<string, number>();
  for (const word of names.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => {
    const share = (counts.get(word) ?? 0) / names.length;
    return word.length >= WORD_LENGTH_MIN && share >= WORD_SHARE_MIN && share <= WORD_SHARE_MAX;
  };
}

/** Returns the first two digits of an activity, or null if no other activity begins with them. */
function divisionOf({ catalog }: Segment, activity: string): string | null {
  const division = activity.slice(0, 2);
  return catalogLookup(catalog).cnae(division).length > 1 ? division : null;
}

/**
 * Returns a function that tests whether an account matches filters on values that the output cannot
 * show, such as the number of establishments. The function always returns false if the snapshot
 * lacks these values.
 */
function meeting(segment: Segment, filters: object): (cnpj: string) => boolean {
  if (segment.catalog.lacksCounts === true) return () => false;
  const spec = specOfBody(segment, JSON.stringify({ spec: { filters }, limit: PAGE }));
  return (cnpj) => matchesFilters(segment, spec.filters, rowOf(segment, cnpj));
}

/** An account as the engine renders it. */
interface Rendered extends Omit<Account, "words" | "division" | "ownDomain" | "several"> {
  readonly cnpj: string;
  readonly legal_name: string | null;
}

/** False for accounts that are abroad or have no activity. */
function isPlaced({ uf, municipality_ibge, cnae_primary }: Rendered): boolean {
  return uf !== null && municipality_ibge !== null && cnae_primary !== CNAE_NOT_INFORMED;
}

function rowsAllOver(accounts: number): Uint32Array {
  const rows = new Set<number>();
  for (let block = 0; block < BLOCKS; block++) {
    const first = Math.floor((block * accounts) / BLOCKS);
    for (let row = first; row < Math.min(first + BLOCK_ROWS, accounts); row++) rows.add(row);
  }
  return Uint32Array.from(rows);
}

/** Normalizes the body of a request as the server does. */
export function specOfBody(segment: Segment, body: string): AccountQuerySpec {
  const { spec, limit } = JSON.parse(body) as { spec: unknown; limit: number };
  return normalizeSpec(spec, {
    ...{ catalog: segment.catalog, mode: "search", fullAllowed: false },
    ...{ limitDefault: PAGE, limitCap: PAGE, bodyLimit: limit },
    ...{ allowedFields: OUTPUT_FIELD_NAMES, defaultFields: DEFAULT_FIELDS },
  }).spec;
}
