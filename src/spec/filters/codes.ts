/**
 * Reads the rarely used lists of codes and words, and holds the messages for faults of phone
 * numbers. Input: a list in any accepted spelling. Output: codes in their full spelling, ascending
 * without repeats.
 * Invariant: as in read.ts, no element is dropped. Each becomes one or more codes or is reported as
 * a mistake.
 */
import { type CatalogLookup, notInSnapshot } from "../catalog.ts";
import type { PhoneFault } from "../contacts/phones.ts";
import { foldDistrict } from "../districtname.ts";
import { type SpecReader, shown } from "../reader.ts";
import { DEBT_KINDS, MISSING_CONTACTS, SANCTION_NAMES } from "./wider.ts";

type DebtKind = (typeof DEBT_KINDS)[number];
type SanctionName = (typeof SANCTION_NAMES)[number];
type MissingContact = (typeof MISSING_CONTACTS)[number];

interface Requested {
  readonly reader: SpecReader;
  readonly lookup: CatalogLookup;
  readonly value: unknown;
  readonly pointer: string;
}

const NONE: readonly string[] = [];

/** Reads CEP prefixes. Prefixes that another prefix covers are left out. */
export function readPostalPrefixes({ reader, value, pointer }: Requested): string[] {
  const given = reader.strings(value ?? undefined, pointer, (text, at) => {
    if (/^\d{1,8}$/.test(text)) return [text];
    const detail = () => `Must be 1 to 8 digits, not ${shown(text)}.`;
    reader.mistake(at, "wrong_format", detail);
    return NONE;
  });
  // Ascending order puts a prefix directly before the prefixes that it covers.
  const prefixes: string[] = [];
  for (const prefix of given) {
    const last = prefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
  }
  return prefixes;
}

/** Area codes. */
export function readAreaCodes({ reader, value, pointer }: Requested): string[] {
  return reader.strings(value ?? undefined, pointer, (text, at) => {
    if (/^(?:1[1-9]|[2-9]\d)$/.test(text)) return [text];
    const detail = () => `Must be two digits from 11 to 99, not ${shown(text)}.`;
    reader.mistake(at, "wrong_format", detail);
    return NONE;
  });
}

/** Reads the reason codes of a status, 2 digits each. */
export function readReasons({ reader, lookup, value, pointer }: Requested): string[] {
  return reader.strings(value ?? undefined, pointer, (text, at) => {
    const code = text.padStart(2, "0");
    if (/^\d{2}$/.test(code) && lookup.knowsReason(code)) return [code];
    const detail = () => `Must be a reason of the registry, 2 digits, not ${shown(text)}.`;
    reader.mistake(at, "unknown_reason", detail);
    return NONE;
  });
}

/** Reads the names of sanction lists. The snapshot must contain these lists. */
export function readSanctions({ reader, lookup, value, pointer }: Requested): SanctionName[] {
  return readWords({ reader, value, pointer }, SANCTION_NAMES, (name, at) => {
    if (!lookup.lacks(name)) return;
    reader.mistake(at, "not_in_snapshot", notInSnapshot(name, name));
  });
}

/** Kinds of debt. */
export function readDebtKinds({ reader, value, pointer }: Requested): DebtKind[] {
  return readWords({ reader, value, pointer }, DEBT_KINDS);
}

/** Reads kinds of missing contact. Leaves out a kind that another requested kind implies. */
export function readMissing({ reader, lookup, value, pointer }: Requested): MissingContact[] {
  const kinds = readWords({ reader, value, pointer }, MISSING_CONTACTS);
  const wider = kinds.includes("mobile") ? ["phone", "any"] : ["any"];
  const least = kinds.length > 1 ? kinds.filter((kind) => !wider.includes(kind)) : kinds;
  // Only newer snapshots can combine two kinds, because the combination has a flag of its own.
  if (least.length > 1 && lookup.lacks("exclusions")) {
    const detail = notInSnapshot("a combination of two kinds", "exclusions");
    reader.mistake(pointer, "not_in_snapshot", detail);
  }
  return least;
}

/** Reads and folds the name of a district; returns undefined if there is none. */
export function readDistrictName({ reader, value, pointer }: Requested): string | undefined {
  const text = reader.string(value, pointer);
  if (text === undefined) return undefined;
  const name = foldDistrict(text);
  if (name !== "") return name;
  reader.mistake(pointer, "no_word", "Holds no name: only white space.");
  return undefined;
}

/** Reads words of a closed list, in any case; returns them sorted. */
function readWords<Word extends string>(
  { reader, value, pointer }: Omit<Requested, "lookup">,
  words: readonly Word[],
  check: (word: Word, pointer: string) => void = () => {},
): Word[] {
  const found = reader.strings(value ?? undefined, pointer, (text, at) => {
    const word = words.find((one) => one === text.toLowerCase());
    if (word !== undefined) {
      check(word, at);
      return [word];
    }
    const detail = () => `Must be one of ${words.join(", ")}, not ${shown(text)}.`;
    reader.mistake(at, "unknown_word", detail);
    return NONE;
  });
  return found as Word[];
}

/** Reads prefixes of legal natures. Returns the natures that begin with them. */
export function readNatures({ reader, lookup, value, pointer }: Requested): string[] {
  return reader.strings(value ?? undefined, pointer, (text, at) => {
    const found = lookup.legalNatures(text);
    if (found.length > 0) return found;
    const detail = () => `Must begin a known legal nature: 1 to 4 digits, not ${shown(text)}.`;
    reader.mistake(at, "unknown_legal_nature", detail);
    return NONE;
  });
}

const PHONE_EXAMPLE = "such as 11 98765-4321";

/**
 * Messages for the faults of a phone number. A number that may be a CPF is not repeated in them.
 */
export const PHONE_FAULTS: Readonly<Record<PhoneFault, (given: string) => string>> = {
  wrong_format: (given) =>
    `Must be a phone number with its area code, ${PHONE_EXAMPLE}, not ${given}.`,
  too_short: (given) =>
    `Has too few digits for a phone number: ${given}. Write it ${PHONE_EXAMPLE}.`,
  too_long: (given) =>
    `Has too many digits for a phone number: ${given}. Write it ${PHONE_EXAMPLE}.`,
  missing_area_code: (given) => `Lacks the area code: ${given}. Write it ${PHONE_EXAMPLE}.`,
  unknown_area_code: (given) =>
    `Must begin with one of Brazil's 67 area codes, ${PHONE_EXAMPLE}, unlike ${given}.`,
  foreign_number: (given) => `Must be a number of Brazil (+55), not ${given}.`,
  looks_like_cpf: () =>
    "Looks like a CPF, and people are not searched. If it is a phone, write +55 before it.",
};
