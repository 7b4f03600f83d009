/**
 * What comes in: the `filters` object of a spec, as sent. What goes out: its four groups in normal
 * form: codes in their full spelling, lists ascending without repeats, defaults filled in, and the
 * municipalities named, for the warning about states.
 * Invariant: no element is dropped: each becomes at least one code, or leaves a mistake behind. An
 * extension that is not used does not appear.
 */
import type { Steps } from "../steps.ts";
import { readCapital, readDate } from "./amounts.ts";
import type { CatalogLookup, CatalogMunicipality } from "./catalog.ts";
import { CodeReader } from "./codes.ts";
import { SECONDARY_CNAE_MODES, type SecondaryCnaeMode } from "./fields.ts";
import type { SpecReader } from "./reader.ts";
import type { AccountQuerySpec } from "./schema.ts";

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

/** Filters in normal form, and what the rest of normalization wants to know about them. */
export interface ReadFilters {
  readonly filters: Filters;
  /** Every municipality named by IBGE or TOM code, repeats possible. */
  readonly municipalities: readonly CatalogMunicipality[];
}

/** Reads the `filters` object of a spec; mistakes go to the reader's log. */
export function* readFilters(
  value: unknown,
  pointer: string,
  reader: SpecReader,
  lookup: CatalogLookup,
): Steps<ReadFilters> {
  const members = reader.object(value, pointer, FILTER_MEMBERS);
  const codes = new CodeReader(reader, lookup);
  const group = new GroupReader(reader, codes);
  const filters: Filters = {
    industry: yield* group.industry(members.industry, `${pointer}/industry`),
    geo: yield* group.geo(members.geo, `${pointer}/geo`),
    company: yield* group.company(members.company, `${pointer}/company`),
    contact: group.contact(members.contact, `${pointer}/contact`),
  };
  return { filters, municipalities: codes.municipalities };
}

/** Reads the groups of one spec; lives as long as one call of `readFilters`. */
class GroupReader {
  readonly #reader: SpecReader;
  readonly #codes: CodeReader;

  constructor(reader: SpecReader, codes: CodeReader) {
    this.#reader = reader;
    this.#codes = codes;
  }

  *industry(value: unknown, pointer: string): Steps<Filters["industry"]> {
    const members = this.#reader.object(value, pointer, INDUSTRY_MEMBERS);
    return {
      cnae_any_of: yield* this.#codes.cnaes(members.cnae_any_of, `${pointer}/cnae_any_of`),
      cnae_exclude: yield* this.#codes.cnaes(members.cnae_exclude, `${pointer}/cnae_exclude`),
      secondary_cnae_mode: this.#mode(
        members.secondary_cnae_mode,
        `${pointer}/secondary_cnae_mode`,
      ),
      text_hints: yield* this.#codes.hints(members.text_hints, `${pointer}/text_hints`),
    };
  }

  *geo(value: unknown, pointer: string): Steps<Filters["geo"]> {
    const members = this.#reader.object(value, pointer, GEO_MEMBERS);
    const read = this.#codes;
    const at = (name: string) => `${pointer}/${name}`;
    const geo: Filters["geo"] = {
      uf_any_of: yield* read.ufs(members.uf_any_of, at("uf_any_of")),
      municipality_ibge_any_of: yield* read.ibges(
        members.municipality_ibge_any_of,
        at("municipality_ibge_any_of"),
      ),
      municipality_tom_any_of: yield* read.toms(
        members.municipality_tom_any_of,
        at("municipality_tom_any_of"),
      ),
    };
    const prefixes = yield* read.postalPrefixes(
      members.postal_code_prefix_any_of,
      at("postal_code_prefix_any_of"),
    );
    if (prefixes.length > 0) geo.postal_code_prefix_any_of = prefixes;
    const areas = yield* read.areaCodes(members.area_code_any_of, at("area_code_any_of"));
    if (areas.length > 0) geo.area_code_any_of = areas;
    return geo;
  }

  *company(value: unknown, pointer: string): Steps<Filters["company"]> {
    const reader = this.#reader;
    const members = reader.object(value, pointer, COMPANY_MEMBERS);
    const company: Filters["company"] = {
      registration_status_any_of: yield* this.#codes.statuses(
        members.registration_status_any_of,
        `${pointer}/registration_status_any_of`,
      ),
      company_size_code_any_of: yield* this.#codes.sizes(
        members.company_size_code_any_of,
        `${pointer}/company_size_code_any_of`,
      ),
      headquarters_only: reader.boolean(members.headquarters_only, `${pointer}/headquarters_only`),
      simples_opt_in: reader.booleanOrNull(members.simples_opt_in, `${pointer}/simples_opt_in`),
      mei_opt_in: reader.booleanOrNull(members.mei_opt_in, `${pointer}/mei_opt_in`),
      started_after: readDate(reader, members.started_after, `${pointer}/started_after`),
      started_before: readDate(reader, members.started_before, `${pointer}/started_before`),
    };
    this.#checkInterval(company, pointer);
    const min = readCapital(reader, members.share_capital_min, `${pointer}/share_capital_min`);
    if (min !== undefined) company.share_capital_min = min;
    const max = readCapital(reader, members.share_capital_max, `${pointer}/share_capital_max`);
    if (max !== undefined) company.share_capital_max = max;
    if (min !== undefined && max !== undefined && min > max) {
      const detail = `Must not be below share_capital_min (${min}).`;
      reader.mistake(`${pointer}/share_capital_max`, "empty_interval", detail);
    }
    const natures = yield* this.#codes.natures(
      members.legal_nature_any_of,
      `${pointer}/legal_nature_any_of`,
    );
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

  #mode(value: unknown, pointer: string): SecondaryCnaeMode {
    if (value === undefined) return "off";
    return this.#reader.oneOf(value, pointer, SECONDARY_CNAE_MODES);
  }

  #checkInterval(company: Filters["company"], pointer: string): void {
    const { started_after: after, started_before: before } = company;
    if (after === null || before === null || after < before) return;
    const detail = `Must be after started_after (${after}): the interval holds no day.`;
    this.#reader.mistake(`${pointer}/started_before`, "empty_interval", detail);
  }
}
