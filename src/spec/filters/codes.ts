/**
 * Reads the codes and words of filters. Input: lists of a spec in any accepted spelling. Output:
 * codes in their full spelling, ascending without repeats; the named municipalities.
 * Invariant: that of read.ts: no element is dropped; each becomes at least one code, or logs a
 * mistake.
 */
import { analyzeWords } from "../analyzer.ts";
import { type CatalogLookup, type CatalogMunicipality, notInSnapshot } from "../catalog.ts";
import { foldDistrict } from "../districtname.ts";
import { COMPANY_SIZE_CODES, REGISTRATION_STATUSES, UFS } from "../fields.ts";
import { SPEC_LIMITS } from "../limits.ts";
import { isJsonObject, type SpecReader, shown } from "../reader.ts";
import { MISSING_CONTACTS, SANCTION_NAMES } from "./wider.ts";

type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];
type CompanySize = (typeof COMPANY_SIZE_CODES)[number];
type SanctionName = (typeof SANCTION_NAMES)[number];
type MissingContact = (typeof MISSING_CONTACTS)[number];

const CNAE_SPELLINGS = "NNNN-N/NN, 7 digits, a prefix of 2 to 5 digits or a section letter A-U";
const NONE: readonly string[] = [];
const UF_SET: ReadonlySet<string> = new Set(UFS);

/** A district of a spec in normal form. */
interface SpecDistrict {
  municipality_ibge: string;
  name: string;
}

/** Reads the lists of one spec; mistakes go to the reader's log. */
export class CodeReader {
  /** Every municipality named so far, repeats possible. */
  readonly municipalities: CatalogMunicipality[] = [];
  readonly #reader: SpecReader;
  readonly #lookup: CatalogLookup;

  constructor(reader: SpecReader, lookup: CatalogLookup) {
    this.#reader = reader;
    this.#lookup = lookup;
  }

  /** Activities in any spelling, expanded to subclasses. */
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

  /** The same for an extension, which may be null. */
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

  /** Phrases as folded words. */
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
    // A repeated word adds nothing; without it, equal hints get equal bytes.
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

  /** States in upper case. */
  ufs(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value, pointer, (text, at) => this.#uf(text, at));
  }

  /** Municipalities by IBGE code, 7 digits. */
  ibges(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value, pointer, (text, at) => this.#ibge(text, at));
  }

  /** Municipalities by TOM code, 4 digits. */
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

  /** Districts by municipality and folded name, ascending. */
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

  /** A district by its municipality and its name. */
  district(element: unknown, at: string): SpecDistrict | undefined {
    const given = this.#reader.object(element ?? null, at, ["municipality_ibge", "name"]);
    // The reader has already logged a non-object; its members are not missing too.
    if (!isJsonObject(element)) return undefined;
    const ibge = this.#reader.string(given.municipality_ibge, `${at}/municipality_ibge`);
    const [municipality] = ibge === undefined ? NONE : this.#ibge(ibge, `${at}/municipality_ibge`);
    const name = this.#districtName(given.name, `${at}/name`);
    if (municipality === undefined || name === undefined) return undefined;
    return { municipality_ibge: municipality, name };
  }

  #districtName(value: unknown, pointer: string): string | undefined {
    const text = this.#reader.string(value, pointer);
    if (text === undefined) return undefined;
    const name = foldDistrict(text);
    if (name !== "") return name;
    this.#reader.mistake(pointer, "no_word", "Holds no name: only white space.");
    return undefined;
  }

  /** CEP prefixes; one that another covers is removed. */
  postalPrefixes(value: unknown, pointer: string): string[] {
    const given = this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      if (/^\d{1,8}$/.test(text)) return [text];
      const detail = () => `Must be 1 to 8 digits, not ${shown(text)}.`;
      this.#reader.mistake(at, "wrong_format", detail);
      return NONE;
    });
    // Ascending order puts a prefix directly before all that it covers.
    const kept: string[] = [];
    for (const prefix of given) {
      const last = kept.at(-1);
      if (last === undefined || !prefix.startsWith(last)) kept.push(prefix);
    }
    return kept;
  }

  /** Area codes. */
  areaCodes(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      if (/^(?:1[1-9]|[2-9]\d)$/.test(text)) return [text];
      const detail = () => `Must be two digits from 11 to 99, not ${shown(text)}.`;
      this.#reader.mistake(at, "wrong_format", detail);
      return NONE;
    });
  }

  /** Registration statuses, numbers or two digits. */
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

  /** Company sizes, two digits or numbers. */
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

  /** Reasons of a status, 2 digits. */
  reasons(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      const code = text.padStart(2, "0");
      if (/^\d{2}$/.test(code) && this.#lookup.knowsReason(code)) return [code];
      const detail = () => `Must be a reason of the registry, 2 digits, not ${shown(text)}.`;
      this.#reader.mistake(at, "unknown_reason", detail);
      return NONE;
    });
  }

  /** Lists of sanctions that the snapshot has. */
  sanctions(value: unknown, pointer: string): SanctionName[] {
    return this.#words(value, pointer, SANCTION_NAMES, (name, at) => {
      if (!this.#lookup.lacks(name)) return;
      this.#reader.mistake(at, "not_in_snapshot", notInSnapshot(name, name));
    });
  }

  /** Kinds of contact, without those that another one includes. */
  missing(value: unknown, pointer: string): MissingContact[] {
    const kinds = this.#words(value, pointer, MISSING_CONTACTS);
    const wider = kinds.includes("mobile") ? ["phone", "any"] : ["any"];
    const least = kinds.length > 1 ? kinds.filter((kind) => !wider.includes(kind)) : kinds;
    // Two kinds are found by a flag that only later snapshots have.
    if (least.length > 1 && this.#lookup.lacks("exclusions")) {
      const detail = notInSnapshot("a combination of two kinds", "exclusions");
      this.#reader.mistake(pointer, "not_in_snapshot", detail);
    }
    return least;
  }

  /** Some of a few words, in any case, sorted. */
  #words<Word extends string>(
    value: unknown,
    pointer: string,
    words: readonly Word[],
    check: (word: Word, pointer: string) => void = () => {},
  ): Word[] {
    const found = this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      const word = words.find((one) => one === text.toLowerCase());
      if (word !== undefined) {
        check(word, at);
        return [word];
      }
      const detail = () => `Must be one of ${words.join(", ")}, not ${shown(text)}.`;
      this.#reader.mistake(at, "unknown_word", detail);
      return NONE;
    });
    return found as Word[];
  }

  /** Legal natures, expanded from prefixes. */
  natures(value: unknown, pointer: string): string[] {
    return this.#reader.strings(value ?? undefined, pointer, (text, at) => {
      const found = this.#lookup.legalNatures(text);
      if (found.length > 0) return found;
      const detail = () => `Must begin a known legal nature: 1 to 4 digits, not ${shown(text)}.`;
      this.#reader.mistake(at, "unknown_legal_nature", detail);
      return NONE;
    });
  }
}
