/**
 * Builds the members of an address. Each function builds members of one form, such as a choice or a
 * range, with a writer and a reader, from accessors of the query.
 * Invariant: a member reads exactly what it writes. An invalid value is reported with its text, and
 * the other values still apply.
 */
import type { CatalogLookup } from "../../../spec/catalog.ts";
import type { Query } from "./question.ts";

/** A member's read context. */
interface MemberReading {
  readonly lookup: CatalogLookup;
  readonly report: (reason: "unknown" | "broken" | "unknown_key", value?: string) => void;
}

/** A member of an address. If `write` returns an empty text, the member is omitted. */
export interface AddressMember {
  readonly key: string;
  readonly write: (query: Query, lookup: CatalogLookup | null) => string;
  readonly read: (text: string, query: Query, reading: MemberReading) => void;
}

/** Encodes a value readably for an address. */
export function encodeCode(text: string): string {
  const whole = text.replace(/[\uD800-\uDFFF]/gu, "\uFFFD");
  return encodeURIComponent(whole).replaceAll("%2F", "/").replaceAll("%20", "+");
}

/** Decodes a text that `encodeCode` returned. Returns null if it is malformed. */
export function decodeCode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/** Reads a list; each element is expanded to codes, or reported. */
export function readList<Code>(
  text: string,
  { report }: MemberReading,
  read: (element: string) => readonly Code[],
): Code[] {
  return text.split(",").flatMap((part) => {
    const element = decodeCode(part);
    if (element === null || element === "") {
      report("broken", part);
      return [];
    }
    const codes = read(element);
    if (codes.length === 0) report("unknown", element);
    return codes;
  });
}

/** A list of texts. */
export function list(
  key: string,
  at: (query: Query) => string[],
  read: (element: string, lookup: CatalogLookup) => readonly string[],
  shorten: (codes: string[], lookup: CatalogLookup) => string[] = (codes) => codes,
): AddressMember {
  return {
    key,
    write: (query, lookup) => {
      const codes = at(query);
      return (lookup === null ? codes : shorten(codes, lookup)).map(encodeCode).join(",");
    },
    read: (text, query, reading) => {
      at(query).push(...readList(text, reading, (element) => read(element, reading.lookup)));
    },
  };
}

/** Makes a member whose value is one of a few words. The empty word does not filter. */
export function choice<Value>(
  key: string,
  words: readonly (readonly [word: string, value: Value])[],
  get: (query: Query) => Value,
  set: (query: Query, value: Value) => void,
): AddressMember {
  return {
    key,
    write: (query) => words.find(([, value]) => value === get(query))?.[0] ?? "",
    read: (text, query, { report }) => {
      const found = words.find(([word]) => word === text);
      if (found === undefined || text === "") report("unknown");
      else set(query, found[1]);
    },
  };
}

/** Makes a member `from..to` with optional bounds. `set` returns false if they contradict. */
export function range<Value>(
  key: string,
  read: (text: string) => Value | null,
  get: (query: Query) => readonly [Value | null | undefined, Value | null | undefined],
  set: (query: Query, bounds: readonly [Value | null, Value | null]) => boolean,
): AddressMember {
  return {
    key,
    write: (query) => {
      const [from, to] = get(query).map((bound) => `${bound ?? ""}`);
      return from === "" && to === "" ? "" : `${from}..${to}`;
    },
    read: (text, query, { report }) => {
      const [from = "", to = "", ...more] = text.split("..");
      const bounds = [from, to].map((bound) => (bound === "" ? null : read(bound)));
      const wrong = [from, to].some((bound, at) => bound !== "" && bounds[at] === null);
      if (wrong || more.length > 0 || from + to === "" || !text.includes("..")) report("broken");
      else if (!set(query, [bounds[0] ?? null, bounds[1] ?? null])) report("broken");
    },
  };
}

/** Words for yes and no. */
export const YES_OR_NO = [
  ["yes", true],
  ["no", false],
] as const;

/** Reads one of the values. */
export function oneOf(values: readonly string[]): (element: string) => readonly string[] {
  return (element) => values.filter((value) => value === element);
}

/** Reads pattern matches. */
export function matching(pattern: RegExp): (element: string) => readonly string[] {
  return (element) => (pattern.test(element) ? [element] : []);
}
