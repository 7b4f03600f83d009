/**
 * Lead queries to account queries. What comes in: a lead query in normal form, its places, and the
 * notes about it. What goes out: an account query that needs nothing but its own normalization.
 * Invariant: every member becomes a filter; what was not said but is taken for granted is a filter
 * and an assumption.
 */
import type { Segment } from "../../search/segment.ts";
import type { LeadQuery } from "../../spec/leadschema.ts";
import type { JsonObject } from "../../spec/reader.ts";
import type { Notes } from "../notes.ts";
import { gazetteerOf } from "../places/gazetteer.ts";
import { type GeoFilters, geoOf } from "../places/geo.ts";
import type { LeadPlaces } from "./leadplaces.ts";

/** Cities and whole states are a union; see geo.ts. Places without IBGE code go by TOM code. */
export function geoFilters({ cities, states, toms }: LeadPlaces, segment: Segment, notes: Notes) {
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

/** Says what a person would take for granted. */
export function assumeDefaults(query: LeadQuery, members: JsonObject, notes: Notes): void {
  if (members.status === undefined) {
    notes.assume("active_only", {
      pt: "Só empresas ativas; status diz outra coisa.",
      en: "Active companies only; status says otherwise.",
    });
  }
  if (needsContact(query)) assumeContact(notes);
}

/** Says that leads without any contact are left out. */
export function assumeContact(notes: Notes): void {
  notes.assume("contact_needed", {
    pt: "Só empresas com e-mail ou telefone.",
    en: "Only companies with an e-mail address or a phone.",
  });
}

function needsContact({ has_email: email, has_phone: phone }: LeadQuery): boolean {
  return email === null && phone === null;
}

/** The account query of a lead query, as a client could have written it. */
export function compile(query: LeadQuery, geo: GeoFilters, notes: Notes): Record<string, unknown> {
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
