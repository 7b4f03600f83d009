/**
 * The query in the address bar. What comes in: a query with its sentence and the snapshot it was
 * asked of, or the part of an address behind `#`. What goes out: the other one of the two, and
 * what of an address could not be understood.
 * Invariant: decode(encode(q)) = q for every query of the catalog's codes, and nothing of an
 * address is dropped without being reported. The address is readable: codes, dates and words.
 */
import type { CatalogLookup } from "../../../spec/catalog.ts";
import { decodeCode, encodeCode } from "./addressforms.ts";
import { MEMBERS } from "./addressmembers.ts";
import { emptyQuery, type Query, tidyQuery } from "./question.ts";

/** What an address says. */
export interface Address {
  query: Query;
  sentence: string;
  /** Snapshot of which the query was asked; null where it is not said. */
  month: string | null;
}

/** Something in an address that is not understood. */
export interface AddressError {
  readonly key: string;
  readonly value: string;
  readonly reason: "unknown_key" | "repeated" | "unknown" | "broken";
}

/** Writes an address, without `#`; lists are compressed to prefixes where a catalog is given. */
export function encodeAddress(address: Address, lookup: CatalogLookup | null): string {
  const query = tidyQuery(address.query);
  const pairs: [key: string, value: string][] = [];
  if (address.sentence !== "") pairs.push(["q", encodeCode(address.sentence)]);
  for (const { key, write } of MEMBERS) {
    const value = write(query, lookup);
    if (value !== "") pairs.push([key, value]);
  }
  // A month alone asks nothing.
  if (pairs.length > 0 && address.month !== null) pairs.push(["month", encodeCode(address.month)]);
  return pairs.map(([key, value]) => `${key}=${value}`).join("&");
}

/** Reads an address, with or without its `#`. */
export function decodeAddress(
  hash: string,
  lookup: CatalogLookup,
): Address & { readonly troubles: AddressError[] } {
  const troubles: AddressError[] = [];
  const address: Address = { query: emptyQuery(), sentence: "", month: null };
  const seen = new Set<string>();
  for (const pair of hash.replace(/^#/, "").split("&")) {
    if (pair === "") continue;
    const [key, value] = split(pair);
    const report = (reason: AddressError["reason"], what = value) => {
      troubles.push({ key, value: what, reason });
    };
    if (seen.has(key)) report("repeated");
    else readPair([key, value], address, { lookup, report });
    seen.add(key);
  }
  return { ...address, query: tidyQuery(address.query), troubles };
}

/** Reads one pair into an address. */
function readPair(
  [key, value]: readonly [string, string],
  address: Address,
  reading: Parameters<(typeof MEMBERS)[number]["read"]>[2],
): void {
  const text = decodeCode(value);
  const member = MEMBERS.find((one) => one.key === key);
  if (member !== undefined) member.read(value, address.query, reading);
  else if (key !== "q" && key !== "month") reading.report("unknown_key");
  else if (text === null) reading.report("broken");
  else if (key === "q") address.sentence = text;
  else if (/^\d{4}-\d{2}$/.test(text)) address.month = text;
  else reading.report("broken", text);
}

function split(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}
