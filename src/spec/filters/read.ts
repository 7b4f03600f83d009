/**
 * Reads filters. Input: the `filters` object of a spec, as sent. Output: its groups in normal form
 * (codes in their full spelling, lists ascending without repeats, defaults filled in), and the
 * named municipalities, for the warning about states.
 * Invariant: every row of the table is read, in order, by the `ValueReader` method that it names.
 * No element is dropped: each becomes one or more codes, or logs a mistake. Extensions that are not
 * used are absent.
 */

import { readCapital, readDate } from "../amounts.ts";
import { analyzeWords } from "../analyzer.ts";
import {
  type CatalogLookup,
  type CatalogMunicipality,
  notInSnapshot,
  type OptionalData,
} from "../catalog.ts";
import { readCnpjText } from "../cnpj/cnpjspelling.ts";
import { hideCpf, withoutCpfs } from "../cnpj/cpf.ts";
import { isEmailPattern, readEmail } from "../contacts/emails.ts";
import { readPhone } from "../contacts/phones.ts";
import {
  COMPANY_SIZE_CODES,
  type OutputField,
  REGISTRATION_STATUSES,
  SECONDARY_CNAE_MODES,
  type SecondaryCnaeMode,
  UFS,
} from "../fields.ts";
import { SPEC_LIMITS } from "../limits.ts";
import { LIST_ID, LISTS_MAX } from "../listids.ts";
import { isJsonObject, type SpecReader, shown } from "../reader.ts";
import type { AccountQuerySpec } from "../schema.ts";
import {
  PHONE_FAULTS,
  readAreaCodes,
  readDebtKinds,
  readDistrictName,
  readMissing,
  readNatures,
  readPostalPrefixes,
  readReasons,
  readSanctions,
} from "./codes.ts";
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
type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];
type CompanySize = (typeof COMPANY_SIZE_CODES)[number];

const CNAE_SPELLINGS = "NNNN-N/NN, 7 digits, a prefix of 2 to 5 digits or a section letter A-U";
const NONE: readonly string[] = [];
const UF_SET: ReadonlySet<string> = new Set(UFS);

/** A district of a spec in normal form. */
interface SpecDistrict {
  municipality_ibge: string;
  name: string;
}

interface ReadFilters {
  readonly filters: Filters;
  /** Every municipality that the filters name by IBGE or TOM code, possibly with duplicates. */
  readonly municipalities: readonly CatalogMunicipality[];
}

/** Rule for an interval. Its key is the member with the second end, `from` that with the first. */
interface Interval {
  readonly from: FilterName;
  /** Returns a sentence that says why the two ends form no interval, or null. */
  readonly wrong: (from: unknown, to: unknown) => string | null;
}

/** Returns the rule for an interval of days that does not include its second end. */
function days(from: FilterName): Interval {
  return {
    from,
    wrong: (after, before) =>
      (after as string) < (before as string)
        ? null
        : `Must be after ${from} (${after}): the interval holds no day.`,
  };
}

function notBelow(from: FilterName): Interval {
  return {
    from,
    wrong: (min, max) =>
      (min as number) <= (max as number) ? null : `Must not be below ${from} (${min}).`,
  };
}

/**
 * Intervals, keyed by the member with their second end. They are checked only if both ends are set.
 */
const INTERVALS: Readonly<Partial<Record<FilterName, Interval>>> = {
  started_before: days("started_after"),
  status_before: days("status_since"),
  simples_excluded_before: days("simples_excluded_since"),
  mei_excluded_before: days("mei_excluded_since"),
  establishments_max: notBelow("establishments_min"),
  share_capital_max: notBelow("share_capital_min"),
  federal_debt_max: notBelow("federal_debt_min"),
  owned_companies_max: notBelow("owned_companies_min"),
  owner_companies_max: notBelow("owner_companies_min"),
};

/** Pairs of members that exclude each other; checked when the second one is read. */
const CONTRARY: Readonly<Partial<Record<FilterName, FilterName>>> = {
  branches_only: "headquarters_only",
};

/** Members that are valid only together with another member. */
const NEEDING: Readonly<Partial<Record<FilterName, FilterName>>> = {
  owned_by_depth: "owned_by_any_of",
};

/** Reads the `filters` object of a spec. Mistakes go to the log of `reader`. */
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

/** Reads the groups of one spec. Used for a single call of `readFilters`. */
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

  #checkSnapshot(needs: OptionalData, member: FilterName, pointer: string): void {
    if (needs === "partners" && this.#lookup.comparesMonths) {
      const detail = `Changes cannot be filtered by ${member}: the months have different owners.`;
      this.#reader.mistake(pointer, "not_for_changes", detail);
      return;
    }
    if (!this.#lookup.lacks(needs)) return;
    this.#reader.mistake(pointer, "not_in_snapshot", notInSnapshot(member, needs));
  }

  /** Logs a mistake if the plan withholds a field: filtering by a value would reveal it. */
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

/** The type that a reader's method returns. */
type Read<Name extends ReadName> =
  ReturnType<ValueReader[Name]> extends infer Made ? Exclude<Made, undefined> : never;

/** Checks at compile time that the schemas agree with the types that the readers return. */
type ReadAsSchema = {
  readonly [Group in FilterGroup]?: {
    readonly [Row in Extract<FilterRow, { group: Group }> as Row["member"]]?:
      | Read<Row["read"]>
      | undefined;
  };
};

/** Reads the values of one spec. */
export class ValueReader
  implements Readonly<Record<ReadName, (value: unknown, pointer: string) => unknown>>
{
  /** Every municipality named so far, possibly with repeats. */
  readonly municipalities: CatalogMunicipality[] = [];
  readonly #reader: SpecReader;
  readonly #lookup: CatalogLookup;

  constructor(reader: SpecReader, lookup: CatalogLookup) {
    this.#reader = reader;
    this.#lookup = lookup;
  }

  #requested(value: unknown, pointer: string) {
    return { reader: this.#reader, lookup: this.#lookup, value, pointer };
  }

  /** Reads activities in any spelling. Returns the subclasses that they stand for. */
  cnaes(value: unknown, pointer: string): string[] {
    const codes = this.#reader.strings(value, pointer, (text, at) => {
      const found = this.#lookup.cnae(text);
      if (found.length === 0) this.#unknownCnae(text, at);
      return found;
    });
    if (codes.length <= SPEC_LIMITS.cnaeCodesMax) return codes;
    const detail = `Stands for ${codes.length} subclasses; at most ${SPEC_LIMITS.cnaeCodesMax}.`;
    this.#reader.mistake(pointer, "too_many", detail);
    return [];
  }

  /** Like `cnaes`, but for an extension, whose value may be null. */
  secondaryCnaes(value: unknown, pointer: string): string[] {
    return this.cnaes(value ?? undefined, pointer);
  }

  #unknownCnae(text: string, pointer: string): void {
    this.#reader.mistake(pointer, "unknown_cnae", () =>
      /^(?:\d{2,5}|\d{7}|\d{4}-\d\/\d{2}|[A-U])$/.test(text)
        ? `No activity of the snapshot has the code ${shown(text)}.`
        : `Must be ${CNAE_SPELLINGS}, not ${shown(text)}.`,
    );
  }

  /** Reads phrases. Returns the folded words of each. */
  hints(value: unknown, pointer: string): string[] {
    const { textHintsMax } = SPEC_LIMITS;
    if (Array.isArray(value) && value.length > textHintsMax) {
      const detail = `May hold ${textHintsMax} phrases, not ${value.length}.`;
      this.#reader.mistake(pointer, "too_many", detail);
      return [];
    }
    return this.#reader.strings(value, pointer, (text, at) => this.#hint(text, at));
  }

  #hint(text: string, pointer: string): readonly string[] {
    // Drops repeated words, which do not change the result, so that equal phrases have equal bytes.
    const words = [...new Set(analyzeWords(text))].join(" ");
    const length = Math.max([...text].length, [...words].length);
    if (length > SPEC_LIMITS.textHintLengthMax) {
      const detail = `May have ${SPEC_LIMITS.textHintLengthMax} characters, not ${length}.`;
      this.#reader.mistake(pointer, "too_long", detail);
      return NONE;
    }
    if (words !== "") return [words];
    this.#reader.mistake(pointer, "no_word", "Holds no word: a hint needs a letter or a digit.");
    return NONE;
  }

  /** Reads states. Returns their abbreviations in upper case. */
  ufs(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value, pointer, (text, at) => this.#uf(text, at));
  }

  /** Reads municipalities by IBGE code. Returns 7 digits each. */
  ibges(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value, pointer, (text, at) => this.#ibge(text, at));
  }

  /** Reads municipalities by TOM code. Returns 4 digits each. */
  toms(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value, pointer, (text, at) => this.#tom(text, at));
  }

  #uf(text: string, pointer: string): readonly string[] {
    const uf = /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : "";
    if (UF_SET.has(uf)) return [uf];
    const detail = () => `Must be one of the 27 states in two letters, or EX, not ${shown(text)}.`;
    this.#reader.mistake(pointer, "unknown_uf", detail);
    return NONE;
  }

  #ibge(text: string, pointer: string): readonly string[] {
    const municipality = this.#lookup.municipalityByIbge(text);
    if (municipality?.ibge) {
      this.municipalities.push(municipality);
      return [municipality.ibge];
    }
    this.#reader.mistake(pointer, "unknown_municipality", () =>
      /^\d{6,7}$/.test(text)
        ? `No municipality has the IBGE code ${shown(text)}.`
        : `Must be an IBGE code of 7 digits (or its first 6), not ${shown(text)}.`,
    );
    return NONE;
  }

  #tom(text: string, pointer: string): readonly string[] {
    const wellFormed = /^\d{1,4}$/.test(text);
    const municipality = wellFormed
      ? this.#lookup.municipalityByTom(text.padStart(4, "0"))
      : undefined;
    if (municipality !== undefined) {
      this.municipalities.push(municipality);
      return [municipality.tom];
    }
    this.#reader.mistake(pointer, "unknown_municipality", () =>
      wellFormed
        ? `No municipality has the TOM code ${shown(text)}.`
        : `Must be a TOM code of 1 to 4 digits, not ${shown(text)}.`,
    );
    return NONE;
  }

  /** Reads districts. Returns them ordered by municipality and folded name. */
  districts(value: unknown, pointer: string): SpecDistrict[] {
    const { districtsMax } = SPEC_LIMITS;
    const found = new Map<string, SpecDistrict>();
    const sent = this.#reader.array(value, pointer, districtsMax);
    for (const [i, element] of sent.entries()) {
      const district = this.district(element, `${pointer}/${i}`);
      if (district === undefined) continue;
      found.set(`${district.municipality_ibge} ${district.name}`, district);
    }
    return [...found.keys()].sort().map((key) => found.get(key) as SpecDistrict);
  }

  /** Reads a district: its municipality and its name. */
  district(element: unknown, at: string): SpecDistrict | undefined {
    const given = this.#reader.object(element ?? null, at, ["municipality_ibge", "name"]);
    // The reader has already logged a non-object, so missing members are not reported too.
    if (!isJsonObject(element)) return undefined;
    const ibge = this.#reader.string(given.municipality_ibge, `${at}/municipality_ibge`);
    const [municipality] = ibge === undefined ? NONE : this.#ibge(ibge, `${at}/municipality_ibge`);
    const name = readDistrictName(this.#requested(given.name, `${at}/name`));
    if (municipality === undefined || name === undefined) return undefined;
    return { municipality_ibge: municipality, name };
  }

  /** Reads registration statuses, given as numbers or as two digits. */
  statuses(value: unknown, pointer: string): RegistrationStatus[] {
    const codes = new Set<RegistrationStatus>();
    this.#reader.each(value, pointer, (element, at) => {
      const code = REGISTRATION_STATUSES.find((one) => element === one || element === `0${one}`);
      if (code !== undefined) codes.add(code);
      else {
        const detail = () => `Must be 1, 2, 3, 4 or 8 (or "02"), not ${shown(element)}.`;
        this.#reader.mistake(at, "unknown_status", detail);
      }
    });
    return [...codes].sort((left, right) => left - right);
  }

  /** Reads company sizes, given as two digits or as numbers. */
  sizes(value: unknown, pointer: string): CompanySize[] {
    const codes = new Set<CompanySize>();
    this.#reader.each(value, pointer, (element, at) => {
      const code = COMPANY_SIZE_CODES.find((one) => element === one || element === Number(one));
      if (code !== undefined) codes.add(code);
      else {
        const detail = () => `Must be "00", "01", "03" or "05", not ${shown(element)}.`;
        this.#reader.mistake(at, "unknown_company_size", detail);
      }
    });
    return [...codes].sort();
  }

  /** Reads CEP prefixes. Prefixes that another prefix covers are left out. */
  postalPrefixes(value: unknown, pointer: string): string[] {
    return readPostalPrefixes(this.#requested(value, pointer));
  }

  /** Area codes. */
  areaCodes(value: unknown, pointer: string): string[] {
    return readAreaCodes(this.#requested(value, pointer));
  }

  /** Reads the reason codes of a status, 2 digits each. */
  reasons(value: unknown, pointer: string): string[] {
    return readReasons(this.#requested(value, pointer));
  }

  /** Kinds of debt. */
  debtKinds(value: unknown, pointer: string): ReturnType<typeof readDebtKinds> {
    return readDebtKinds(this.#requested(value, pointer));
  }

  /** Reads the names of sanction lists. The snapshot must contain these lists. */
  sanctions(value: unknown, pointer: string): ReturnType<typeof readSanctions> {
    return readSanctions(this.#requested(value, pointer));
  }

  /** Reads kinds of missing contact. A kind that another requested kind implies is left out. */
  missing(value: unknown, pointer: string): ReturnType<typeof readMissing> {
    return readMissing(this.#requested(value, pointer));
  }

  /** Reads prefixes of legal natures. Returns the natures that begin with them. */
  natures(value: unknown, pointer: string): string[] {
    return readNatures(this.#requested(value, pointer));
  }

  /** Reads true or false. The default is false. */
  flag(value: unknown, pointer: string): boolean {
    return this.#reader.boolean(value, pointer);
  }

  /** Reads a filter that is true or absent: false becomes undefined. */
  only(value: unknown, pointer: string): true | undefined {
    return this.#reader.boolean(value, pointer) || undefined;
  }

  /** Reads true, false, or null. Null matches accounts of both kinds. */
  optIn(value: unknown, pointer: string): boolean | null {
    return this.#reader.booleanOrNull(value, pointer);
  }

  /** Reads a date. Returns the full day, or null if there is none. */
  date(value: unknown, pointer: string): string | null {
    return readDate(this.#reader, value, pointer);
  }

  /** Reads an amount in reais with at most two decimals. Returns undefined if there is none. */
  capital(value: unknown, pointer: string): number | undefined {
    return readCapital(this.#reader, value, pointer);
  }

  /** Reads an integer of 1 or more; undefined if there is none. */
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

  /** Reads true or false; undefined means no filter. */
  either(value: unknown, pointer: string): boolean | undefined {
    return this.#reader.booleanOrNull(value, pointer) ?? undefined;
  }

  /** Reads the maximum number of ownership steps. Returns undefined for the default, one. */
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

  /**
   * Reads the roots of companies. Each may be given as a root or as a complete CNPJ, in any
   * spelling. Returns 8 characters each.
   */
  roots(value: unknown, pointer: string): string[] {
    const { rootsMax } = SPEC_LIMITS;
    return this.#bounded(value, [pointer, rootsMax], (text, at) => {
      const reading = readCnpjText(text);
      if (reading.kind === "root") return [reading.root];
      if (reading.kind === "cnpj") return [reading.cnpj.slice(0, 8)];
      const safe = reading.reason === "cpf" ? hideCpf(text) : withoutCpfs(text);
      const detail = () => `Must be a CNPJ or its first 8 characters, not ${shown(safe)}.`;
      this.#reader.mistake(at, "wrong_format", detail);
      return [];
    });
  }

  /** Reads ids of lists; returns them ascending, or undefined. Ownership is not checked here. */
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

  /** Reads phones in any common spelling; returns +55, area code, and number, ascending. */
  phones(value: unknown, pointer: string): string[] {
    return this.#bounded(value, [pointer, SPEC_LIMITS.contactsMax], (text, at) => {
      const read = readPhone(text);
      if ("phone" in read) return [read.phone];
      this.#reader.mistake(at, read.fault, () => PHONE_FAULTS[read.fault](shown(text)));
      return [];
    });
  }

  /** Reads e-mail addresses; returns them in lower case, ascending. */
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

  /** Reads a list of limited length, which may also be null. */
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

  /** Reads the mode that says if secondary activities also match. */
  mode(value: unknown, pointer: string): SecondaryCnaeMode {
    if (value === undefined) return "off";
    return this.#reader.oneOf(value, pointer, SECONDARY_CNAE_MODES);
  }
}

function notAList(id: unknown): () => string {
  return () => `Must be the id of a list, lst_ and 32 digits, or exported, not ${shown(id)}.`;
}
