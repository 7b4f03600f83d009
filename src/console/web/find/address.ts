/**
 * The query in the address bar: encodes a query with its sentence and snapshot as the part after
 * `#`, and decodes it. Invalid parts are reported.
 * Invariant: decode(encode(q)) = q for every query with catalog codes. Nothing in an address is
 * dropped without a report. Addresses are readable: codes, dates, and words.
 */
import type { CatalogLookup } from "../../../spec/catalog.ts";
import { decodeCode, encodeCode } from "./addressforms.ts";
import { MEMBERS } from "./addressmembers.ts";
import { emptyQuery, type Query, tidyQuery } from "./question.ts";

/** A decoded address. */
export interface Address {
  query: Query;
  sentence: string;
  /** Snapshot of the query; null if the address names none. */
  month: string | null;
}

/** An invalid part of an address. */
export interface AddressError {
  readonly key: string;
  readonly value: string;
  readonly reason: "unknown_key" | "repeated" | "unknown" | "broken";
}

/**
 * Encodes an address, without `#`. If a catalog is given, lists of codes are shortened to prefixes.
 */
export function encodeAddress(address: Address, lookup: CatalogLookup | null): string {
  const query = tidyQuery(address.query);
  const pairs: [key: string, value: string][] = [];
  if (address.sentence !== "") pairs.push(["q", encodeCode(address.sentence)]);
  for (const { key, write } of MEMBERS) {
    const value = write(query, lookup);
    if (value !== "") pairs.push([key, value]);
  }
  // A month without other members is not a query.
  if (pairs.length > 0 && address.month !== null) pairs.push(["month", encodeCode(address.month)]);
  return pairs.map(([key, value]) => `${key}=${value}`).join("&");
}

/** Decodes an address, with or without `#`. */
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

/** Decodes one pair. */
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
