/**
 * Reads filters. Input: the `filters` object of a spec, as sent. Output: its groups in normal form:
 * codes in their full spelling, lists ascending without repeats, defaults filled in, and the named
 * municipalities, for the warning about states.
 * Invariant: every row of the table is read, in order, by its method of `ValueReader`. No element
 * is dropped: each becomes at least one code, or logs a mistake. Unused extensions are absent.
 */

import { readCapital, readDate } from "../amounts.ts";
import {
  type CatalogLookup,
  type CatalogMunicipality,
  type Lacked,
  notInSnapshot,
} from "../catalog.ts";
import { readCnpj, readRoot } from "../cnpj/cnpj.ts";
import { isEmailPattern, readEmail } from "../contacts/emails.ts";
import { type PhoneFault, readPhone } from "../contacts/phones.ts";
import { type OutputField, SECONDARY_CNAE_MODES, type SecondaryCnaeMode } from "../fields.ts";
import { SPEC_LIMITS } from "../limits.ts";
import { LIST_ID, LISTS_MAX } from "../listids.ts";
import { type SpecReader, shown } from "../reader.ts";
import type { AccountQuerySpec } from "../schema.ts";
import { CodeReader } from "./codes.ts";
import { rowsOf } from "./members.ts";
import {
  FILTER_GROUPS,
  type FilterGroup,
  type FilterName,
  type FilterRow,
  OPTIONAL_GROUPS,
  type ReadName,
} from "./table.ts";

type Filters = AccountQuerySpec["filters"];
type Members = Record<string, unknown>;

/** Filters in normal form, and facts for the rest of normalization. */
interface ReadFilters {
  readonly filters: Filters;
  /** Every municipality named by IBGE or TOM code, repeats possible. */
  readonly municipalities: readonly CatalogMunicipality[];
}

/** Two ends of an interval. */
interface Interval {
  readonly from: FilterName;
  /** Returns the fault of the two; null if none. */
  readonly wrong: (from: unknown, to: unknown) => string | null;
}

/** An interval of days whose second end is excluded. */
function days(from: FilterName): Interval {
  return {
    from,
    wrong: (after, before) =>
      (after as string) < (before as string)
        ? null
        : `Must be after ${from} (${after}): the interval holds no day.`,
  };
}

/** By the second end; checked only if both are set. */
const INTERVALS: Readonly<Partial<Record<FilterName, Interval>>> = {
  started_before: days("started_after"),
  status_before: days("status_since"),
  simples_excluded_before: days("simples_excluded_since"),
  mei_excluded_before: days("mei_excluded_since"),
  establishments_max: {
    from: "establishments_min",
    wrong: (min, max) =>
      (min as number) <= (max as number) ? null : `Must not be below establishments_min (${min}).`,
  },
  share_capital_max: {
    from: "share_capital_min",
    wrong: (min, max) =>
      (min as number) <= (max as number) ? null : `Must not be below share_capital_min (${min}).`,
  },
};

/** Members that exclude each other; checked with the second of the two. */
const CONTRARY: Readonly<Partial<Record<FilterName, FilterName>>> = {
  branches_only: "headquarters_only",
};

/** Members that need another one. */
const NEEDING: Readonly<Partial<Record<FilterName, FilterName>>> = {
  owned_by_depth: "owned_by_any_of",
};

/** Reads the `filters` object of a spec; mistakes go to the reader's log. */
export function readFilters(
  value: unknown,
  pointer: string,
  reader: SpecReader,
  known: { readonly lookup: CatalogLookup; readonly allowedFields: readonly string[] },
): ReadFilters {
  const members = reader.object(value, pointer, FILTER_GROUPS);
  const group = new GroupReader(reader, new ValueReader(reader, known.lookup), known);
  const filters: Partial<Record<FilterGroup, Members>> = {};
  for (const name of FILTER_GROUPS) {
    const read = group.read(name, members[name], `${pointer}/${name}`);
    if (Object.keys(read).length > 0 || !OPTIONAL_GROUPS.includes(name)) filters[name] = read;
  }
  return {
    filters: filters as Filters satisfies ReadAsSchema,
    municipalities: group.municipalities,
  };
}

/** Reads the groups of one spec; lives as long as one call of `readFilters`. */
class GroupReader {
  readonly #reader: SpecReader;
  readonly #values: ValueReader;
  readonly #lookup: CatalogLookup;
  readonly #allowedFields: readonly string[];

  constructor(
    reader: SpecReader,
    values: ValueReader,
    known: { readonly lookup: CatalogLookup; readonly allowedFields: readonly string[] },
  ) {
    this.#reader = reader;
    this.#values = values;
    this.#lookup = known.lookup;
    this.#allowedFields = known.allowedFields;
  }

  get municipalities(): readonly CatalogMunicipality[] {
    return this.#values.municipalities;
  }

  read(group: FilterGroup, value: unknown, pointer: string): Members {
    const rows = rowsOf(group);
    const sent = this.#reader.object(value, pointer, rows.names);
    const members: Members = {};
    for (const row of rows.rows) {
      const { member, read, unset } = row;
      const given = sent[member];
      if (given === undefined) {
        if (unset !== undefined) members[member] = Array.isArray(unset) ? [] : unset;
        continue;
      }
      const at = `${pointer}/${member}`;
      const normal: unknown = this.#values[read](given, at);
      if (unset === undefined && isNothing(normal)) continue;
      members[member] = normal;
      if ("needs" in row) this.#checkSnapshot(row.needs, member, at);
      if ("reveals" in row) this.#checkFields(row.reveals, at);
      this.#checkInterval(member, members, at);
      this.#checkContrary(member, members, at);
      this.#checkNeeded(member, members, at);
    }
    return members;
  }

  #checkSnapshot(needs: Lacked, member: FilterName, pointer: string): void {
    if (needs === "partners" && this.#lookup.comparesMonths) {
      const detail = `Changes cannot be filtered by ${member}: the months have different owners.`;
      this.#reader.mistake(pointer, "not_for_changes", detail);
      return;
    }
    if (!this.#lookup.lacks(needs)) return;
    this.#reader.mistake(pointer, "not_in_snapshot", notInSnapshot(member, needs));
  }

  /** A filter by a value reveals the value, so a plan that withholds one withholds both. */
  #checkFields(reveals: readonly OutputField[], pointer: string): void {
    const withheld = reveals.filter((field) => !this.#allowedFields.includes(field));
    if (withheld.length === 0) return;
    const detail = () =>
      `The plan does not offer ${withheld.join(" and ")}, nor a filter by what stands there.`;
    this.#reader.mistake(pointer, "field_not_allowed", detail);
  }

  #checkContrary(member: FilterName, members: Members, pointer: string): void {
    const other = CONTRARY[member];
    if (other === undefined || members[other] !== true) return;
    const wrong = `Cannot go with ${other}: no account meets both. Leave out one of them.`;
    this.#reader.mistake(pointer, "contradiction", wrong);
  }

  #checkNeeded(member: FilterName, members: Members, pointer: string): void {
    const other = NEEDING[member];
    if (other === undefined || members[other] !== undefined) return;
    this.#reader.mistake(pointer, "missing", `Has no effect without ${other}: add it.`);
  }

  #checkInterval(member: FilterName, members: Members, pointer: string): void {
    const interval = INTERVALS[member];
    if (interval === undefined) return;
    const [from, to] = [members[interval.from] ?? null, members[member] ?? null];
    const wrong = from === null || to === null ? null : interval.wrong(from, to);
    if (wrong !== null) this.#reader.mistake(pointer, "empty_interval", wrong);
  }
}

function isNothing(normal: unknown): boolean {
  return normal === undefined || normal === null || (Array.isArray(normal) && normal.length === 0);
}

/** Result type of a reader's method. */
type Read<Name extends ReadName> =
  ReturnType<ValueReader[Name]> extends infer Made ? Exclude<Made, undefined> : never;

/** The filters as the table's methods read them: schemas must agree with it. */
type ReadAsSchema = {
  readonly [Group in FilterGroup]?: {
    readonly [Row in Extract<FilterRow, { group: Group }> as Row["member"]]?:
      | Read<Row["read"]>
      | undefined;
  };
};

/** Reads the values of one spec. */
class ValueReader
  extends CodeReader
  implements Readonly<Record<ReadName, (value: unknown, pointer: string) => unknown>>
{
  readonly #reader: SpecReader;

  constructor(reader: SpecReader, lookup: CatalogLookup) {
    super(reader, lookup);
    this.#reader = reader;
  }

  /** True or false; default false. */
  flag(value: unknown, pointer: string): boolean {
    return this.#reader.boolean(value, pointer);
  }

  /** True, or undefined: a false filter is absent. */
  only(value: unknown, pointer: string): true | undefined {
    return this.#reader.boolean(value, pointer) || undefined;
  }

  /** True, false, or null for either. */
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

  /** True or false, or undefined for no filter. */
  either(value: unknown, pointer: string): boolean | undefined {
    return this.#reader.booleanOrNull(value, pointer) ?? undefined;
  }

  /** Steps of ownership, or undefined for one, the default. */
  depth(value: unknown, pointer: string): number | undefined {
    const { depthMax } = SPEC_LIMITS;
    if (value === null || value === undefined || value === 1) return undefined;
    if (Number.isInteger(value) && Number(value) >= 2 && Number(value) <= depthMax) {
      return Number(value);
    }
    const wrong = () => `Must be a whole number from 1 to ${depthMax}, not ${shown(value)}.`;
    this.#reader.mistake(pointer, "out_of_range", wrong);
    return undefined;
  }

  /** Roots of companies, 8 characters, from roots or whole CNPJs in any spelling. */
  roots(value: unknown, pointer: string): string[] {
    const { rootsMax } = SPEC_LIMITS;
    return this.#bounded(value, [pointer, rootsMax], (text, at) => {
      const root = readRoot(text.trim()) ?? readCnpj(text.trim())?.cnpj.slice(0, 8);
      if (root !== undefined) return [root];
      const detail = () => `Must be a CNPJ or its first 8 characters, not ${shown(text)}.`;
      this.#reader.mistake(at, "wrong_format", detail);
      return [];
    });
  }

  /** Ids of lists, ascending, or undefined; ownership is not checked here. */
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

  /** Phones as +55, area code, and number, ascending; accepts any common spelling. */
  phones(value: unknown, pointer: string): string[] {
    return this.#bounded(value, [pointer, SPEC_LIMITS.contactsMax], (text, at) => {
      const read = readPhone(text);
      if ("phone" in read) return [read.phone];
      this.#reader.mistake(at, read.fault, () => PHONE_FAULTS[read.fault](shown(text)));
      return [];
    });
  }

  /** E-mail addresses in lower case, ascending. */
  emails(value: unknown, pointer: string): string[] {
    return this.#bounded(value, [pointer, SPEC_LIMITS.contactsMax], (text, at) => {
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

  /** A nullable list with a maximum size. */
  #bounded(
    value: unknown,
    [pointer, most]: readonly [pointer: string, most: number],
    read: (text: string, pointer: string) => readonly string[],
  ): string[] {
    if (Array.isArray(value) && value.length > most) {
      const detail = `May hold ${most} elements, not ${value.length}.`;
      this.#reader.mistake(pointer, "too_many", detail);
      return [];
    }
    return this.#reader.strings(value ?? undefined, pointer, read);
  }

  /** How secondary activities count. */
  mode(value: unknown, pointer: string): SecondaryCnaeMode {
    if (value === undefined) return "off";
    return this.#reader.oneOf(value, pointer, SECONDARY_CNAE_MODES);
  }
}

const PHONE_EXAMPLE = "such as 11 98765-4321";

/** Messages for faults of a phone number; possible CPFs are not repeated. */
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
