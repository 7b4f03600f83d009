/**
 * The filter on a company's number of active establishments: the named ranges, their labels, and
 * the parser for typed numbers.
 * Invariant: every range has either a name or its own label, so that the form always shows the
 * current one. Separate because tests run it without a browser.
 */
import { number } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { BOUNDS } from "../question.ts";

/** The usual ranges as [minimum, maximum]. Null means unbounded. */
export const CHAINS = {
  any: [null, null],
  one: [1, 1],
  few: [2, 9],
  many: [10, null],
} as const;

/** Name of a choice. */
type ChainName = keyof typeof CHAINS;

/** The choices in order. */
export const CHAIN_NAMES = Object.keys(CHAINS).filter((name): name is ChainName => name in CHAINS);

/** Returns the name of a usual range, or null if the range is not a usual one. */
export function chainOf(min: number | undefined, max: number | undefined): ChainName | null {
  const found = CHAIN_NAMES.find((name) => {
    const [from, to] = CHAINS[name];
    return from === (min ?? null) && to === (max ?? null);
  });
  return found ?? null;
}

/** Formats a range: "6 or more". */
export function spanText(min: number | undefined, max: number | undefined): string {
  const { chainSpan: span } = words.value.find;
  if (max === undefined) return span.from(number(min ?? 0));
  if (min === max) return number(max);
  return min === undefined ? span.to(number(max)) : span.between(number(min), number(max));
}

/** Parses a typed number of establishments. Returns null if it is invalid. */
export function readCount(text: string): number | null {
  const digits = text.replace(/[\s.,]/g, "");
  const count = /^[0-9]{1,10}$/.test(digits) ? Number(digits) : 0;
  return count >= 1 && count <= BOUNDS.count ? count : null;
}
