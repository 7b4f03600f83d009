/**
 * What a request costs of its key's rate limit, in units. What comes in: what is asked, as it was
 * sent. What goes out: a whole number, 1 for an ordinary request.
 * Invariant: a pure count over values that nobody has checked: whatever they are, it gives a number
 * and looks at each value of a list once at most. One unit stands for about a millisecond or two
 * of the processor at a million accounts. docs/api.md has the table.
 */
import { isJsonObject, type JsonObject } from "../../spec/reader.ts";

/** How much of each one further unit pays for. */
export const PER_UNIT = {
  /** Accounts of the limit. */
  accounts: 1_000,
  /** Values in the lists of a spec. */
  values: 500,
  facets: 3,
  /** Characters of a sentence, and of names of activities. */
  characters: 200,
  /** Characters of names of places, which are looked up, not understood. */
  places: 8_000,
  /** Bytes of a body. */
  bytes: 65_536,
} as const;

/** What is asked; whatever is missing costs nothing. */
interface AskedWork {
  /** Accounts of a page. */
  readonly limit?: number;
  readonly spec?: unknown;
  readonly facets?: unknown;
  readonly text?: unknown;
}

/** What a request costs, its body aside. */
export function costOf({ limit = 0, spec, facets, text }: AskedWork): number {
  return (
    1 +
    Math.floor(limit / PER_UNIT.accounts) +
    Math.floor(valuesOf(spec) / PER_UNIT.values) +
    Math.floor((Array.isArray(facets) ? facets.length : 0) / PER_UNIT.facets) +
    Math.floor((lengthOf(text) + activityNames(spec)) / PER_UNIT.characters) +
    Math.floor(placeNames(spec) / PER_UNIT.places)
  );
}

/** What a body costs beyond the request, whatever is in it. */
export function bodyCost(byteLength: number): number {
  return Math.floor(byteLength / PER_UNIT.bytes);
}

/** The limit that a request will have, as far as that can be told before it is read. */
export function limitOf(sent: readonly unknown[], cap: number): number {
  const limit = sent.find((one) => one !== undefined);
  return typeof limit === "number" && limit > 0 ? Math.min(Math.floor(limit), cap) : 0;
}

/** Groups of filters lie in `filters`, which lies in the spec; a lead query is flat. */
const LEVELS = 3;
/** What no query depends on; its bytes are paid for. */
const ASIDE = new Set(["explain", "output"]);

/** Values in the lists of a spec. */
function valuesOf(value: unknown, levels = LEVELS): number {
  if (Array.isArray(value)) return value.length;
  if (!isJsonObject(value) || levels === 0) return 0;
  let values = 0;
  for (const name of Object.keys(value)) {
    if (!ASIDE.has(name)) values += valuesOf(value[name], levels - 1);
  }
  return values;
}

/** Longer texts are no codes of activities: "5611-2/01". */
const CODE_LENGTH_MAX = 9;

/** Characters of the names of activities in a lead query. */
function activityNames(spec: unknown): number {
  return isJsonObject(spec) ? namesIn([spec.activities, spec.exclude_activities]) : 0;
}

/** Characters of the names of places in a lead query. */
function placeNames(spec: unknown): number {
  return isJsonObject(spec) ? namesIn([spec.cities, spec.states, spec.regions, spec.districts]) : 0;
}

/** Characters of the names in lists. */
function namesIn(lists: readonly JsonObject[string][]): number {
  let sum = 0;
  for (const list of lists) {
    if (Array.isArray(list)) for (const name of list) sum += nameLength(name);
    else sum += nameLength(list);
  }
  return sum;
}

/** Characters of a name; a code has none. */
function nameLength(name: unknown): number {
  const length = lengthOf(name);
  return length > CODE_LENGTH_MAX ? length : 0;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
