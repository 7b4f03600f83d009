/**
 * What comes in: the `filters` object of a spec, as sent. What goes out: its four groups in normal
 * form: codes in their full spelling, lists ascending without repeats, defaults filled in, and the
 * municipalities named, for the warning about states.
 * Invariant: no element is dropped: each becomes at least one code, or leaves a mistake behind. An
 * extension that is not used does not appear.
 */
import { analyzeWords } from "./analyzer.ts";
import type { CatalogLookup, CatalogMunicipality } from "./catalog.ts";
import { completeDate } from "./dates.ts";
import {
  COMPANY_SIZE_CODES,
  REGISTRATION_STATUSES,
  SECONDARY_CNAE_MODES,
  type SecondaryCnaeMode,
  UFS,
} from "./fields.ts";
import { type SpecReader, shown } from "./reader.ts";
import { type AccountQuerySpec, SPEC_LIMITS } from "./schema.ts";

type Filters = AccountQuerySpec["filters"];

const FILTER_MEMBERS = ["industry", "geo", "company", "contact"];
const INDUSTRY_MEMBERS = ["cnae_any_of", "cnae_exclude", "secondary_cnae_mode", "text_hints"];
const GEO_MEMBERS = [
  "uf_any_of",
  "municipality_ibge_any_of",
  "municipality_tom_any_of",
  "postal_code_prefix_any_of",
  "area_code_any_of",
];
const COMPANY_MEMBERS = [
  "registration_status_any_of",
  "company_size_code_any_of",
  "headquarters_only",
  "simples_opt_in",
  "mei_opt_in",
  "started_after",
  "started_before",
  "share_capital_min",
  "share_capital_max",
  "legal_nature_any_of",
];
const CONTACT_MEMBERS = ["require_email", "require_phone", "require_any_contact"];

const CNAE_SPELLINGS = "NNNN-N/NN, 7 digits, a prefix of 2 to 5 digits or a section letter A-U";
const NONE: readonly string[] = [];
const UF_SET: ReadonlySet<string> = new Set(UFS);

/** Filters in normal form, and what the rest of normalization wants to know about them. */
export interface ReadFilters {
  readonly filters: Filters;
  /** Every municipality named by IBGE or TOM code, repeats possible. */
  readonly municipalities: readonly CatalogMunicipality[];
}

/** Reads the `filters` object of a spec; mistakes go to the reader's log. */
export function readFilters(
  value: unknown,
  pointer: string,
  reader: SpecReader,
  lookup: CatalogLookup,
): ReadFilters {
  const members = reader.object(value, pointer, FILTER_MEMBERS);
  const municipalities: CatalogMunicipality[] = [];
  const group = new GroupReader(reader, lookup, municipalities);
  const filters: Filters = {
    industry: group.industry(members.industry, `${pointer}/industry`),
    geo: group.geo(members.geo, `${pointer}/geo`),
    company: group.company(members.company, `${pointer}/company`),
    contact: group.contact(members.contact, `${pointer}/contact`),
  };
  return { filters, municipalities };
}

/** Reads the groups of one spec; lives as long as one call of `readFilters`. */
class GroupReader {
  readonly #reader: SpecReader;
  readonly #lookup: CatalogLookup;
  readonly #municipalities: CatalogMunicipality[];

  constructor(reader: SpecReader, lookup: CatalogLookup, municipalities: CatalogMunicipality[]) {
    this.#reader = reader;
    this.#lookup = lookup;
    this.#municipalities = municipalities;
  }

  industry(value: unknown, pointer: string): Filters["industry"] {
    const members = this.#reader.object(value, pointer, INDUSTRY_MEMBERS);
    return {
      cnae_any_of: this.#cnaes(members.cnae_any_of, `${pointer}/cnae_any_of`),
      cnae_exclude: this.#cnaes(members.cnae_exclude, `${pointer}/cnae_exclude`),
      secondary_cnae_mode: this.#mode(
        members.secondary_cnae_mode,
        `${pointer}/secondary_cnae_mode`,
      ),
      text_hints: this.#hints(members.text_hints, `${pointer}/text_hints`),
    };
  }

  geo(value: unknown, pointer: string): Filters["geo"] {
    const reader = this.#reader;
    const members = reader.object(value, pointer, GEO_MEMBERS);
    const geo: Filters["geo"] = {
      uf_any_of: reader.strings(members.uf_any_of, `${pointer}/uf_any_of`, (text, at) =>
        this.#uf(text, at),
      ),
      municipality_ibge_any_of: reader.strings(
        members.municipality_ibge_any_of,
        `${pointer}/municipality_ibge_any_of`,
        (text, at) => this.#ibge(text, at),
      ),
      municipality_tom_any_of: reader.strings(
        members.municipality_tom_any_of,
        `${pointer}/municipality_tom_any_of`,
        (text, at) => this.#tom(text, at),
      ),
    };
    const prefixes = this.#postalPrefixes(members.postal_code_prefix_any_of, pointer);
    if (prefixes.length > 0) geo.postal_code_prefix_any_of = prefixes;
    const areas = this.#areaCodes(members.area_code_any_of, `${pointer}/area_code_any_of`);
    if (areas.length > 0) geo.area_code_any_of = areas;
    return geo;
  }

  company(value: unknown, pointer: string): Filters["company"] {
    const reader = this.#reader;
    const members = reader.object(value, pointer, COMPANY_MEMBERS);
    const company: Filters["company"] = {
      registration_status_any_of: this.#statuses(
        members.registration_status_any_of,
        `${pointer}/registration_status_any_of`,
      ),
      company_size_code_any_of: this.#sizes(
        members.company_size_code_any_of,
        `${pointer}/company_size_code_any_of`,
      ),
      headquarters_only: reader.boolean(members.headquarters_only, `${pointer}/headquarters_only`),
      simples_opt_in: reader.booleanOrNull(members.simples_opt_in, `${pointer}/simples_opt_in`),
      mei_opt_in: reader.booleanOrNull(members.mei_opt_in, `${pointer}/mei_opt_in`),
      started_after: this.#date(members.started_after, `${pointer}/started_after`),
      started_before: this.#date(members.started_before, `${pointer}/started_before`),
    };
    this.#checkInterval(company, pointer);
    const min = this.#capital(members.share_capital_min, `${pointer}/share_capital_min`);
    if (min !== undefined) company.share_capital_min = min;
    const max = this.#capital(members.share_capital_max, `${pointer}/share_capital_max`);
    if (max !== undefined) company.share_capital_max = max;
    if (min !== undefined && max !== undefined && min > max) {
      const detail = `Must not be below share_capital_min (${min}).`;
      reader.mistake(`${pointer}/share_capital_max`, "empty_interval", detail);
    }
    const natures = this.#natures(members.legal_nature_any_of, `${pointer}/legal_nature_any_of`);
    if (natures.length > 0) company.legal_nature_any_of = natures;
    return company;
  }

  contact(value: unknown, pointer: string): Filters["contact"] {
    const reader = this.#reader;
    const members = reader.object(value, pointer, CONTACT_MEMBERS);
    return {
      require_email: reader.boolean(members.require_email, `${pointer}/require_email`),
      require_phone: reader.boolean(members.require_phone, `${pointer}/require_phone`),
      require_any_contact: reader.boolean(
        members.require_any_contact,
        `${pointer}/require_any_contact`,
      ),
    };
  }

  #cnaes(value: unknown, pointer: string): string[] {
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

  #unknownCnae(text: string, pointer: string): void {
    const wellFormed = /^(?:\d{2,5}|\d{7}|\d{4}-\d\/\d{2}|[A-U])$/.test(text);
    const detail = wellFormed
      ? `No activity of the snapshot has the code ${shown(text)}.`
      : `Must be ${CNAE_SPELLINGS}, not ${shown(text)}.`;
    this.#reader.mistake(pointer, "unknown_cnae", detail);
  }

  #mode(value: unknown, pointer: string): SecondaryCnaeMode {
    if (value === undefined) return "off";
    return this.#reader.oneOf(value, pointer, SECONDARY_CNAE_MODES);
  }

  #hints(value: unknown, pointer: string): string[] {
    const { textHintsMax } = SPEC_LIMITS;
    if (Array.isArray(value) && value.length > textHintsMax) {
      const detail = `May hold ${textHintsMax} phrases, not ${value.length}.`;
      this.#reader.mistake(pointer, "too_many", detail);
      return [];
    }
    return this.#reader.strings(value, pointer, (text, at) => this.#hint(text, at));
  }

  #hint(text: string, pointer: string): readonly string[] {
    // A repeated word asks for nothing more, so equal hints get equal bytes without it.
    const words = [...new Set(analyzeWords(text))].join(" ");
    const length = Math.max([...text].length, [...words].length);
    if (length > SPEC_LIMITS.textHintLengthMax) {
      const detail = `A phrase may have ${SPEC_LIMITS.textHintLengthMax} characters, not ${length}.`;
      this.#reader.mistake(pointer, "too_long", detail);
      return NONE;
    }
    if (words !== "") return [words];
    this.#reader.mistake(pointer, "no_word", "Holds no word: a hint needs a letter or a digit.");
    return NONE;
  }

  #uf(text: string, pointer: string): readonly string[] {
    const uf = /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : "";
    if (UF_SET.has(uf)) return [uf];
    const detail = `Must be one of the 27 states in two letters, or EX, not ${shown(text)}.`;
    this.#reader.mistake(pointer, "unknown_uf", detail);
    return NONE;
  }

  #ibge(text: string, pointer: string): readonly string[] {
    const municipality = this.#lookup.municipalityByIbge(text);
    if (municipality?.ibge) {
      this.#municipalities.push(municipality);
      return [municipality.ibge];
    }
    const detail = /^\d{6,7}$/.test(text)
      ? `No municipality has the IBGE code ${shown(text)}.`
      : `Must be an IBGE code of 7 digits (or its first 6), not ${shown(text)}.`;
    this.#reader.mistake(pointer, "unknown_municipality", detail);
    return NONE;
  }

  #tom(text: string, pointer: string): readonly string[] {
    const wellFormed = /^\d{1,4}$/.test(text);
    const municipality = wellFormed
      ? this.#lookup.municipalityByTom(text.padStart(4, "0"))
      : undefined;
    if (municipality !== undefined) {
      this.#municipalities.push(municipality);
      return [municipality.tom];
    }
    const detail = wellFormed
      ? `No municipality has the TOM code ${shown(text)}.`
      : `Must be a TOM code of 1 to 4 digits, not ${shown(text)}.`;
    this.#reader.mistake(pointer, "unknown_municipality", detail);
    return NONE;
  }

  #postalPrefixes(value: unknown, geoPointer: string): string[] {
    const pointer = `${geoPointer}/postal_code_prefix_any_of`;
    const given = this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      if (/^\d{1,8}$/.test(text)) return [text];
      const detail = `Must be 1 to 8 digits, not ${shown(text)}.`;
      this.#reader.mistake(at, "wrong_format", detail);
      return NONE;
    });
    // Ascending order puts a prefix directly before everything that it covers.
    const kept: string[] = [];
    for (const prefix of given) {
      const last = kept.at(-1);
      if (last === undefined || !prefix.startsWith(last)) kept.push(prefix);
    }
    return kept;
  }

  #areaCodes(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      if (/^(?:1[1-9]|[2-9]\d)$/.test(text)) return [text];
      const detail = `Must be two digits from 11 to 99, not ${shown(text)}.`;
      this.#reader.mistake(at, "wrong_format", detail);
      return NONE;
    });
  }

  #statuses(value: unknown, pointer: string): Filters["company"]["registration_status_any_of"] {
    const codes = new Set<(typeof REGISTRATION_STATUSES)[number]>();
    const elements = this.#reader.array(value, pointer, SPEC_LIMITS.arrayLengthMax);
    for (const [position, element] of elements.entries()) {
      const code = REGISTRATION_STATUSES.find((one) => element === one || element === `0${one}`);
      if (code !== undefined) {
        codes.add(code);
        continue;
      }
      const detail = `Must be 1, 2, 3, 4 or 8 (or "02"), not ${shown(element)}.`;
      this.#reader.mistake(`${pointer}/${position}`, "unknown_status", detail);
    }
    return [...codes].sort((left, right) => left - right);
  }

  #sizes(value: unknown, pointer: string): Filters["company"]["company_size_code_any_of"] {
    const codes = new Set<(typeof COMPANY_SIZE_CODES)[number]>();
    const elements = this.#reader.array(value, pointer, SPEC_LIMITS.arrayLengthMax);
    for (const [position, element] of elements.entries()) {
      const code = COMPANY_SIZE_CODES.find((one) => element === one || element === Number(one));
      if (code !== undefined) {
        codes.add(code);
        continue;
      }
      const detail = `Must be "00", "01", "03" or "05", not ${shown(element)}.`;
      this.#reader.mistake(`${pointer}/${position}`, "unknown_company_size", detail);
    }
    return [...codes].sort();
  }

  #date(value: unknown, pointer: string): string | null {
    if (value === undefined || value === null) return null;
    const date = typeof value === "string" ? completeDate(value) : null;
    if (date === null) {
      const detail = `Must be a date as YYYY-MM-DD, YYYY-MM or YYYY, not ${shown(value)}.`;
      this.#reader.mistake(pointer, "wrong_date", detail);
    }
    return date;
  }

  #checkInterval(company: Filters["company"], pointer: string): void {
    const { started_after: after, started_before: before } = company;
    if (after === null || before === null || after < before) return;
    const detail = `Must be after started_after (${after}): the interval holds no day.`;
    this.#reader.mistake(`${pointer}/started_before`, "empty_interval", detail);
  }

  #capital(value: unknown, pointer: string): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "number" || !Number.isFinite(value)) {
      this.#reader.wrongType(pointer, value, "a number of reais, or null");
    } else if (value < 0 || value > SPEC_LIMITS.shareCapitalMax) {
      const detail = `Must be from 0 to ${SPEC_LIMITS.shareCapitalMax}, not ${value}.`;
      this.#reader.mistake(pointer, "out_of_range", detail);
    } else if (Math.round(value * 100) / 100 !== value) {
      const detail = `May have two decimals at most, not ${value}.`;
      this.#reader.mistake(pointer, "wrong_format", detail);
    } else {
      // Minus zero means zero and must give the same bytes.
      return value === 0 ? 0 : value;
    }
    return undefined;
  }

  #natures(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      const found = this.#lookup.legalNatures(text);
      if (found.length > 0) return found;
      const detail = `Must begin a known legal nature: 1 to 4 digits, not ${shown(text)}.`;
      this.#reader.mistake(at, "unknown_legal_nature", detail);
      return NONE;
    });
  }
}
