/**
 * Makes queries that resemble real traffic, with the frequencies of a table (shares.ts). Input: a
 * snapshot and a seed. Output: distinct request bodies of searches, of all kinds or of one.
 * Invariant: the same snapshot, seed, and kind give the same bodies. Each query takes its values
 * from one account. In four of five queries that account matches the filters, as far as its fields
 * show, because users search for what exists. In the fifth, the place is that of another account.
 */
import { randomInt } from "node:crypto";
import type { Segment } from "../../src/search/segment.ts";
import { absenceMark } from "../../src/spec/catalog.ts";
import { FILTERS } from "../../src/spec/filters/table.ts";
import { randomFrom } from "../../test/support/translate/shapes.ts";
import { type Account, accountsOf, PAGE } from "./accounts.ts";
import { type Chance, type Part, SHARES, type Share, type Source } from "./shares.ts";

/** Fraction of the queries that name another account's place, so that they may match nothing. */
const ELSEWHERE = 0.2;
/** Number of accounts to try until one matches a query. */
const TRIES = 200;
/** Maximum number of draws to find a new query. If more are needed, the snapshot is too small. */
const DRAWS_EACH = 200;

/**
 * Restricts the traffic to queries with or without certain rows of `SHARES`. If only `name` is set,
 * nothing is restricted.
 */
export interface Kind {
  readonly name: string;
  /** Row that every query contains. */
  readonly has?: Share;
  /** Name of a group of rows (`Share.choice`) that do not occur in the queries. */
  readonly without?: string;
  /** Names of the rows from which queries are made. Other rows do not occur. */
  readonly only?: readonly string[];
}

/** The most frequent query; only its values depend on the seed. */
export const PLAIN: Kind = {
  name: "one activity, one state, active",
  only: ["one activity", "a state", "active"],
};

const ALL: Kind = { name: "all questions" };

/** Unrestricted traffic, traffic without opening dates, and traffic with each row of `SHARES`. */
export const TRAFFIC_KINDS: readonly Kind[] = [
  ALL,
  { name: "without a date", without: "opened" },
  ...SHARES.map((share) => ({ name: share.name, has: share })),
];

/** Returns a random seed for this run. `--seed` repeats the run with a given seed. */
export function seedOf(given: string | undefined): number {
  const seed = given === undefined ? randomInt(2 ** 32) : Number(given);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    throw new Error(`--seed ${given} is not an integer from 0 to 4294967295`);
  }
  return seed;
}

/** The first line of a benchmark's output. */
export function seedLine(seed: number): string {
  return `traffic of seed ${seed}; --seed ${seed} draws the same questions again\n`;
}

/** Bodies of `count` different searches over a snapshot. */
export function trafficOf(segment: Segment, seed: number, count: number, kind = ALL): string[] {
  const chance = chanceFrom(seed);
  const accounts = accountsOf(segment);
  const rows = rowsFor(segment);
  const bodies = new Set<string>();
  for (let drawn = 0; bodies.size < count; drawn++) {
    if (drawn > count * DRAWS_EACH) {
      throw new Error(`${segment.path} has no ${count} different questions: ${kind.name}`);
    }
    const chosen = choose(rows, kind, chance);
    const body = chosen.some(narrows) ? bodyOf(chosen, accounts, chance, segment) : null;
    if (body !== null) bodies.add(JSON.stringify(body));
  }
  return [...bodies];
}

function chanceFrom(seed: number): Chance {
  const random = randomFrom(seed);
  const integer = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  return {
    random,
    integer,
    pick: <Value>(values: readonly Value[]) => values[integer(0, values.length - 1)] as Value,
  };
}

/** Returns the rows whose filters the snapshot supports. */
function rowsFor({ catalog }: Segment): ReadonlyMap<string, readonly Share[]> {
  const fits = ({ filters = [] }: Share) =>
    FILTERS.every((row) => {
      if (!("needs" in row) || !filters.includes(row.member)) return true;
      return catalog[absenceMark(row.needs)] !== true;
    });
  const rows = new Map<string, Share[]>();
  for (const share of SHARES.filter(fits)) {
    rows.set(share.choice, [...(rows.get(share.choice) ?? []), share]);
  }
  return rows;
}

/** Draws the rows of a query, at most one of each group (`Share.choice`). */
function choose(
  rows: ReadonlyMap<string, readonly Share[]>,
  { has, without, only }: Kind,
  chance: Chance,
): Share[] {
  const chosen: Share[] = [];
  for (const [choice, all] of rows) {
    const drawn = rowAt(all, chance.random());
    const fixed = only === undefined ? has : all.find(({ name }) => only.includes(name));
    if (fixed?.choice === choice) chosen.push(fixed);
    else if (drawn !== undefined && only === undefined && choice !== without) chosen.push(drawn);
  }
  return chosen;
}

/**
 * Returns the row that a random number from 0 to 1 selects, where each row is as probable as its
 * share. Returns undefined if the number exceeds the sum of the shares.
 */
function rowAt(rows: readonly Share[], at: number): Share | undefined {
  let end = 0;
  for (const row of rows) {
    end += row.share;
    if (at < end) return row;
  }
  return undefined;
}

const NARROW = new Set<string>(FILTERS.filter((row) => "narrows" in row).map((row) => row.member));

/** Returns true if the row's filter narrows a query enough for the server to accept it. */
function narrows({ filters = [] }: Share): boolean {
  return filters.some((name) => NARROW.has(name));
}

/** Makes a query from the chosen rows. Returns null if no tried account has all values. */
function bodyOf(
  chosen: readonly Share[],
  accounts: readonly Account[],
  chance: Chance,
  { snapshotDate }: Segment,
): object | null {
  const requests = chosen.map((share) => ({ share, query: share.draw(chance, snapshotDate) }));
  const other = () => chance.pick(accounts);
  const elsewhere = chance.random() < ELSEWHERE;
  const near = elsewhere ? accounts : openedThen(requests, accounts, { other, chance });
  let found: readonly Part[] | null = null;
  for (let tried = 0; tried < TRIES; tried++) {
    const about = chance.pick(near);
    const source = { about, other, chance };
    const away = { ...source, about: elsewhere ? other() : about };
    const parts = requests.map(({ share, query }) =>
      query(share.choice === "place" ? away : source),
    );
    if (!parts.every((part) => part !== null)) continue;
    found = parts;
    const met = requests.every(({ share }, at) => share.meets?.(parts[at] as Part, about) ?? true);
    if (elsewhere || met) break;
  }
  return found === null ? null : joined(found);
}

/** A chosen row, and the function that adds an account's values to its part. */
interface Asking {
  readonly share: Share;
  readonly query: ReturnType<Share["draw"]>;
}

/**
 * Returns the accounts that opened within the query's dates, since few random accounts do. Returns
 * all accounts if the query has no dates or no account opened within them.
 */
function openedThen(
  requests: readonly Asking[],
  accounts: readonly Account[],
  rest: Omit<Source, "about">,
): readonly Account[] {
  const dated = requests.find(({ share }) => share.choice === "opened");
  const part = dated?.query({ ...rest, about: rest.other() }) ?? null;
  if (dated === undefined || part === null) return accounts;
  const opened = accounts.filter((account) => dated.share.meets?.(part, account));
  return opened.length === 0 ? accounts : opened;
}

/** Joins the parts of a query into one body. No two parts set the same filter. */
function joined(parts: readonly Part[]): object {
  const filters: Record<string, object> = {};
  let spec: object = { filters };
  for (const { filters: groups = {}, ...rest } of parts) {
    for (const [group, members] of Object.entries(groups)) {
      filters[group] = { ...filters[group], ...members };
    }
    spec = { ...spec, ...rest };
  }
  return { spec, limit: PAGE };
}
