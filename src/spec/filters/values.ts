/**
 * What comes in: the value of one filter, as sent. What goes out: its normal form.
 * Invariant: that of the readers it is made of: what is wrong leaves a mistake behind. Each method
 * is named by a row of the table, with the value and its pointer.
 */

import { readCapital, readDate } from "../amounts.ts";
import type { CatalogLookup } from "../catalog.ts";
import { CodeReader } from "../codes.ts";
import { isEmailPattern, readEmail } from "../contacts/emails.ts";
import { type PhoneFault, readPhone } from "../contacts/phones.ts";
import { SECONDARY_CNAE_MODES, type SecondaryCnaeMode } from "../fields.ts";
import { SPEC_LIMITS } from "../limits.ts";
import { LIST_ID, LISTS_MAX } from "../listids.ts";
import { type SpecReader, shown } from "../reader.ts";

/** Reads the values of one spec. */
export class ValueReader extends CodeReader {
  readonly #reader: SpecReader;

  constructor(reader: SpecReader, lookup: CatalogLookup) {
    super(reader, lookup);
    this.#reader = reader;
  }

  /** True or false; false where nothing was sent. */
  flag(value: unknown, pointer: string): boolean {
    return this.#reader.boolean(value, pointer);
  }

  /** True, or undefined: a filter that is switched off is one that is not there. */
  only(value: unknown, pointer: string): true | undefined {
    return this.#reader.boolean(value, pointer) || undefined;
  }

  /** True, false, or null where it does not matter. */
  optIn(value: unknown, pointer: string): boolean | null {
    return this.#reader.booleanOrNull(value, pointer);
  }

  /** A day in full, or null. */
  date(value: unknown, pointer: string): string | null {
    return readDate(this.#reader, value, pointer);
  }

  /** Reais, to the cent, or undefined. */
  capital(value: unknown, pointer: string): number | undefined {
    return readCapital(this.#reader, value, pointer);
  }

  /** A whole number from 1 on, or undefined. */
  count(value: unknown, pointer: string): number | undefined {
    if (value === null || value === undefined) return undefined;
    const { countMax } = SPEC_LIMITS;
    if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= countMax) {
      return Number(value);
    }
    const wrong = () => `Must be a whole number from 1 to ${countMax}, not ${shown(value)}.`;
    this.#reader.mistake(pointer, "out_of_range", wrong);
    return undefined;
  }

  /** Ids of lists, ascending, or undefined; whose they are is not known here. */
  listIds(value: unknown, pointer: string): string[] | undefined {
    if (!Array.isArray(value)) {
      this.#reader.mistake(pointer, "wrong_type", `Must be a list of ids, not ${shown(value)}.`);
      return undefined;
    }
    if (value.length > LISTS_MAX) {
      this.#reader.mistake(pointer, "too_many", `Name at most ${LISTS_MAX} lists.`);
      return undefined;
    }
    const ids = new Set<string>();
    value.forEach((id: unknown, at) => {
      if (typeof id === "string" && LIST_ID.test(id)) ids.add(id);
      else this.#reader.mistake(`${pointer}/${at}`, "wrong_format", notAList(id));
    });
    return [...ids].sort();
  }

  /** Phones as +55, area code and number, ascending; in any spelling that people write. */
  phones(value: unknown, pointer: string): string[] {
    return this.#contacts(value, pointer, (text, at) => {
      const read = readPhone(text);
      if ("phone" in read) return [read.phone];
      this.#reader.mistake(at, read.fault, () => PHONE_FAULTS[read.fault](shown(text)));
      return [];
    });
  }

  /** E-mail addresses in lower case, ascending. */
  emails(value: unknown, pointer: string): string[] {
    return this.#contacts(value, pointer, (text, at) => {
      const address = readEmail(text);
      if (address !== null) return [address];
      const detail = () =>
        isEmailPattern(text)
          ? `Must be a whole e-mail address, without *: ${shown(text)}. Patterns are not searched.`
          : `Must be an e-mail address such as ana@example.com, not ${shown(text)}.`;
      this.#reader.mistake(at, "wrong_format", detail);
      return [];
    });
  }

  /** A list that may be null, of so many values at most. */
  #contacts(
    value: unknown,
    pointer: string,
    read: (text: string, pointer: string) => readonly string[],
  ): string[] {
    const { contactsMax } = SPEC_LIMITS;
    if (Array.isArray(value) && value.length > contactsMax) {
      const detail = `May hold ${contactsMax} elements, not ${value.length}.`;
      this.#reader.mistake(pointer, "too_many", detail);
      return [];
    }
    return this.#reader.strings(value ?? undefined, pointer, read);
  }

  /** Whether secondary activities count. */
  mode(value: unknown, pointer: string): SecondaryCnaeMode {
    if (value === undefined) return "off";
    return this.#reader.oneOf(value, pointer, SECONDARY_CNAE_MODES);
  }
}

const PHONE_EXAMPLE = "such as 11 98765-4321";

/** Messages for faults of a phone number; nothing that may be a CPF is repeated. */
const PHONE_FAULTS: Readonly<Record<PhoneFault, (given: string) => string>> = {
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

function notAList(id: unknown): () => string {
  return () => `Must be the id of a list, lst_ and 32 digits, or exported, not ${shown(id)}.`;
}

/** A method that reads a value. */
export type ReadName = Exclude<keyof ValueReader, "municipalities">;

/** Those that give a value also for what filters nothing. */
export type AlwaysRead = "flag" | "mode";
