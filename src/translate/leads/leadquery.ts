/**
 * Reads the lead query 1.0. Input: a flat spec written by hand, and a segment. Output: its normal
 * form, the account query that it stands for, and the assumptions.
 * Invariant: reading is deterministic and accepts any input. Normalizing a normal form changes
 * nothing, and equivalent queries have the same normal form. If the query is refused, the error
 * lists all of its mistakes. No member, element, word, or sort key is dropped, and every member
 * becomes a filter. A default becomes both a filter and an assumption. A sort key without a
 * direction has the usual direction of its field. The account query needs only normalization to be
 * valid.
 */
import type { Segment } from "../../search/segment.ts";
import { readCapital, readDate } from "../../spec/amounts.ts";
import { analyzeWords } from "../../spec/analyzer.ts";
import { catalogLookup } from "../../spec/catalog.ts";
import { SORT_DIRECTIONS, SORT_FIELDS } from "../../spec/fields.ts";
import { ValueReader } from "../../spec/filters/read.ts";
import { LEAD_MEMBERS, type LeadQuery } from "../../spec/leadschema.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { isJsonObject, type JsonObject, shown } from "../../spec/reader.ts";
import type { SortKey } from "../../spec/schema.ts";
import { Notes } from "../notes.ts";
import { gazetteerOf } from "../places/gazetteer.ts";
import { type GeoFilters, geoOf } from "../places/geo.ts";
import { readActivities } from "./leadactivities.ts";
import { readDistricts } from "./leaddistricts.ts";
import { type LeadPlaces, readPlaces } from "./leadplaces.ts";
import { LeadReader, type LeadText, SIZE_WORDS, SORT_WORDS, STATUS_WORDS } from "./leadreader.ts";

interface LeadContext {
  readonly segment: Segment;
  /** Default limit. */
  readonly limitDefault: number;
  /**
   * The limit of the client's plan. A higher limit in the query is lowered to it, with a warning.
   */
  readonly limitCap: number;
}

interface ReadLeadQuery {
  /** The normal form. */
  readonly query: LeadQuery;
  /** The account query, still to be normalized like any client's spec. */
  readonly compiled: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** JSON pointer of the spec in a request body. */
const AT = "/spec";

/** Default statuses: only active companies, because a closed company is no lead. */
const STATUS_DEFAULT = [2] as const;

/** Reads a lead query. @throws AppError `invalid_spec` with all mistakes of the query. */
export function readLeadQuery(input: unknown, context: LeadContext): ReadLeadQuery {
  const { segment } = context;
  const reader = new LeadReader();
  const notes = new Notes("pt");
  if (input === undefined) reader.mistake(AT, "missing", "A spec is required.");
  const members = reader.object(input, AT, LEAD_MEMBERS);
  const named = readPlaces(
    { cities: members.cities, states: members.states, regions: members.regions },
    AT,
    reader,
    { segment, notes },
  );
  const { list: districts, whole: places } = readDistricts(
    members.districts,
    `${AT}/districts`,
    reader,
    { segment, notes, places: named },
  );
  const activities = (name: "activities" | "exclude_activities") =>
    readActivities(members[name], `${AT}/${name}`, reader, segment);
  const limit = readLimit(members, reader, context);
  const wanted = activities("activities");
  const unwanted = activities("exclude_activities");
  const query: LeadQuery = {
    kind: fixed(members, "kind", "lead_query", reader),
    spec_version: fixed(members, "spec_version", "1.0", reader),
    activities: wanted,
    exclude_activities: unwanted,
    cities: [...places.cities.keys(), ...places.toms].sort(),
    states: [...places.states].sort(),
    regions: [],
    ...(districts.length === 0 ? {} : { districts }),
    ...readCompany(members, reader),
    name_contains: readNames(members, reader, segment),
    sort: readSort(members.sort, `${AT}/sort`, reader),
    limit: limit.effective,
    one_per_company:
      members.one_per_company === undefined || flag(members, "one_per_company", reader),
  };
  reader.refuse();
  const geo = geoFilters(places, segment, notes);
  assumeDefaults(query, members, notes);
  return { query, compiled: compile(query, geo, notes), warnings: limit.warnings };
}

type CompanyMember =
  | "sizes"
  | "status"
  | "opened_after"
  | "opened_before"
  | "min_share_capital"
  | "has_email"
  | "has_phone"
  | "only_headquarters"
  | "simples"
  | "mei";

function readCompany(members: JsonObject, reader: LeadReader): Pick<LeadQuery, CompanyMember> {
  const at = (name: string) => `${AT}/${name}`;
  const tri = (name: string) => reader.booleanOrNull(members[name], at(name));
  const opened = {
    after: readDate(reader, members.opened_after, at("opened_after")),
    before: readDate(reader, members.opened_before, at("opened_before")),
  };
  if (opened.after !== null && opened.before !== null && opened.after >= opened.before) {
    const detail = `Must be after opened_after (${opened.after}): the interval holds no day.`;
    reader.mistake(at("opened_before"), "empty_interval", detail);
  }
  const email = tri("has_email");
  const phone = tri("has_phone");
  // If the query has one of the two contact filters, the other is also set explicitly. The
  // default that requires some contact then no longer applies.
  const given = email !== null || phone !== null;
  return {
    sizes: readWords(members, "sizes", reader, SIZE_WORDS),
    status:
      members.status === undefined
        ? [...STATUS_DEFAULT]
        : readWords(members, "status", reader, STATUS_WORDS),
    opened_after: opened.after,
    opened_before: opened.before,
    min_share_capital:
      readCapital(reader, members.min_share_capital, at("min_share_capital")) ?? null,
    has_email: given ? email === true : null,
    has_phone: given ? phone === true : null,
    only_headquarters: tri("only_headquarters") === true,
    simples: tri("simples"),
    mei: tri("mei"),
  };
}

function flag(members: JsonObject, name: string, reader: LeadReader): boolean {
  return reader.boolean(members[name], `${AT}/${name}`);
}

/** Reads words or codes of a closed list; returns them sorted and without repeats. */
function readWords<Value extends string | number>(
  members: JsonObject,
  name: "sizes" | "status",
  reader: LeadReader,
  table: ReadonlyMap<string, Value>,
): Value[] {
  const found = new Set<Value>();
  const read = ({ text, place }: LeadText) => {
    const value = table.get(analyzeWords(text).join(" "));
    if (value !== undefined) {
      found.add(value);
      return;
    }
    const kind = name === "sizes" ? "size" : "status";
    reader.mistake(place, `unknown_${kind}`, () => {
      const mei = kind === "size" && /^mei$/i.test(text.trim());
      const known = `There is no ${kind} ${shown(text)}; write one of ${WORDS_SHOWN[name]}.`;
      return mei ? `${known} A MEI is asked for by mei.` : known;
    });
  };
  reader.eachText(members[name], `${AT}/${name}`, read, true);
  return [...found].sort();
}

const WORDS_SHOWN = {
  sizes: "micro, pequena, outras, não informado (00, 01, 03, 05)",
  status: "ativa, suspensa, inapta, baixada, nula (1, 2, 3, 4, 8)",
};

function readNames(members: JsonObject, reader: LeadReader, segment: Segment): string[] {
  const value = members.name_contains;
  const codes = new ValueReader(reader, catalogLookup(segment.catalog));
  const list = typeof value === "string" ? [value] : value;
  return codes.hints(list, `${AT}/name_contains`);
}

function readLimit({ limit }: JsonObject, reader: LeadReader, context: LeadContext) {
  const { limitDefault, limitCap } = context;
  if (limit === undefined) return { effective: limitDefault, warnings: [] };
  const wanted = reader.integer(limit, `${AT}/limit`, [1, SPEC_LIMITS.searchLimitMax]);
  if (wanted <= limitCap) return { effective: wanted, warnings: [] };
  const warning = `limit was lowered from ${wanted} to ${limitCap}, the plan's cap.`;
  return { effective: limitCap, warnings: [warning] };
}

function fixed<const Value extends string>(
  members: JsonObject,
  name: string,
  value: Value,
  reader: LeadReader,
): Value {
  return members[name] === undefined
    ? value
    : reader.oneOf(members[name], `${AT}/${name}`, [value]);
}

/**
 * Returns the filters for the places. A company matches if it is in any of the cities or states.
 * Places without an IBGE code are found by TOM code.
 */
function geoFilters({ cities, states, toms }: LeadPlaces, segment: Segment, notes: Notes) {
  const gazetteer = gazetteerOf(segment);
  const none = { excludedStates: new Set<string>(), excludedCities: new Map(), words: undefined };
  const found = {
    ...none,
    wide: [],
    sought: [],
    unsettled: 0,
    states: new Set(states),
    cities: new Map(cities),
    unknown: false,
  };
  const base: GeoFilters = geoOf(found, { gazetteer, notes });
  if (toms.size === 0) return base;
  const inside = base.uf_any_of.flatMap((uf) => gazetteer.citiesOf(uf)).map(({ ibge }) => ibge);
  const abroad = base.uf_any_of.includes("EX") ? gazetteer.abroadTom : [];
  return {
    uf_any_of: [],
    municipality_ibge_any_of: [...base.municipality_ibge_any_of, ...inside],
    municipality_tom_any_of: [...toms, ...abroad, ...(base.municipality_tom_any_of ?? [])],
  };
}

function assumeDefaults(query: LeadQuery, members: JsonObject, notes: Notes): void {
  if (members.status === undefined) {
    notes.assume("active_only", {
      pt: "Só empresas ativas; para outras, use status.",
      en: "Active companies only; status says otherwise.",
    });
  }
  if (needsContact(query)) assumeContact(notes);
}

/** Adds the assumption that leads without a contact are excluded. */
export function assumeContact(notes: Notes): void {
  notes.assume("contact_needed", {
    pt: "Só empresas com e-mail ou telefone.",
    en: "Only companies with an e-mail address or a phone.",
  });
}

function needsContact({ has_email: email, has_phone: phone }: LeadQuery): boolean {
  return email === null && phone === null;
}

/** Returns the account query in the form that a client could send. */
function compile(query: LeadQuery, geo: GeoFilters, notes: Notes): Record<string, unknown> {
  const { min_share_capital: capital } = query;
  return {
    limit: query.limit,
    filters: {
      industry: {
        cnae_any_of: query.activities,
        cnae_exclude: query.exclude_activities,
        text_hints: query.name_contains,
      },
      geo: { ...geo, ...(query.districts && { district_any_of: query.districts }) },
      company: {
        registration_status_any_of: query.status,
        company_size_code_any_of: query.sizes,
        headquarters_only: query.only_headquarters,
        simples_opt_in: query.simples,
        mei_opt_in: query.mei,
        started_after: query.opened_after,
        started_before: query.opened_before,
        ...(capital === null ? {} : { share_capital_min: capital }),
      },
      contact: {
        require_email: query.has_email === true,
        require_phone: query.has_phone === true,
        require_any_contact: needsContact(query),
      },
    },
    sort: query.sort,
    explain: {
      assumptions: notes.assumptions,
      warnings: notes.warnings,
      unmapped_constraints: notes.unmapped,
      confidence: 1,
    },
  };
}

/** Reads the order; the default is the best score first. */
function readSort(value: unknown, pointer: string, reader: LeadReader): SortKey[] {
  const keys: SortKey[] = [];
  for (const { element, place } of reader.elements(value, pointer, SPEC_LIMITS.sortKeysMax)) {
    const key = isJsonObject(element)
      ? readSortKey(element, place, reader)
      : readSortWord(element, place, reader);
    if (key === undefined) continue;
    if (keys.some(({ field }) => field === key.field)) {
      reader.mistake(place, "duplicate", `${key.field} is a sort key already.`);
    }
    keys.push(key);
  }
  return keys.length > 0 ? keys : [{ field: "score", direction: "desc" }];
}

function readSortWord(element: unknown, place: string, reader: LeadReader): SortKey | undefined {
  const text = reader.string(element, place);
  if (text === undefined) return undefined;
  const key = SORT_WORDS.get(analyzeWords(text).join(" "));
  if (key !== undefined) return { ...key };
  const known = "best, newest, oldest, largest, smallest, highest_capital, lowest_capital, name";
  const detail = `There is no order ${shown(text)}; write ${known} or ${SORT_FIELDS.join(", ")}.`;
  reader.mistake(place, "unknown_sort", detail);
  return undefined;
}

function readSortKey(element: JsonObject, place: string, reader: LeadReader): SortKey {
  const members = reader.object(element, place, ["field", "direction"]);
  const field = reader.oneOf(members.field, `${place}/field`, SORT_FIELDS);
  const usual = SORT_WORDS.get(field.replace(/_/g, " "))?.direction ?? "asc";
  if (members.direction === undefined) return { field, direction: usual };
  return {
    field,
    direction: reader.oneOf(members.direction, `${place}/direction`, SORT_DIRECTIONS),
  };
}
