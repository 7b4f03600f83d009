/**
 * The lead query 1.0. What comes in: a flat spec as somebody wrote it by hand, and a segment. What
 * goes out: its normal form, the account query that it means, and what was assumed.
 * Invariant: total and deterministic: the normal form normalizes to itself; what means the same has
 * the same normal form; every mistake is found before anything is refused, and no member, element
 * or word is dropped. The account query needs nothing but its own normalization.
 */

import type { Segment } from "../../search/segment.ts";
import { readCapital, readDate } from "../../spec/amounts.ts";
import { analyzeWords } from "../../spec/analyzer.ts";
import { catalogLookup } from "../../spec/catalog.ts";
import { CodeReader } from "../../spec/filters/read.ts";
import { LEAD_MEMBERS, type LeadQuery } from "../../spec/leadschema.ts";
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { type JsonObject, shown } from "../../spec/reader.ts";
import { Notes } from "../notes.ts";
import { readActivities } from "./leadactivities.ts";
import { assumeDefaults, compile, geoFilters } from "./leadcompile.ts";
import { readDistricts } from "./leaddistricts.ts";
import { readPlaces } from "./leadplaces.ts";
import { LeadReader, type LeadText } from "./leadreader.ts";
import { readSort } from "./leadsort.ts";
import { SIZE_WORDS, STATUS_WORDS } from "./leadwords.ts";

/** The rules under which a lead query is read. */
interface LeadContext {
  readonly segment: Segment;
  /** Limit where none is given. */
  readonly limitDefault: number;
  /** The plan's cap; a higher limit is lowered to it, with a warning. */
  readonly limitCap: number;
}

/** A lead query that was read. */
interface ReadLeadQuery {
  /** The normal form. */
  readonly query: LeadQuery;
  /** The account query; normalize it like any spec that a client sends. */
  readonly compiled: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** Pointer of the spec in a body. */
const AT = "/spec";

/** Statuses where none is named: a company that was closed is no lead. */
const STATUS_DEFAULT = [2] as const;

/** Reads a lead query. @throws AppError `invalid_spec` with every mistake. */
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

/** The members about the company itself. */
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
  // Either of them takes back that some contact is needed, so the other one is said as well.
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

/** Reads words or codes of a closed list, ascending and each once. */
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
  const codes = new CodeReader(reader, catalogLookup(segment.catalog));
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
