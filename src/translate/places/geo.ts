/**
 * Turns places into filters.
 * Input: requested and excluded states and municipalities. Output: the exact `geo` filters of a
 * spec.
 * Invariant: a spec requires both its states and its municipalities. So two cases are written as a
 * list of municipalities: cities together with other whole states, and a state without some of its
 * cities. The notes report lists that are too long.
 */
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { STATE_NAMES } from "../../spec/states.ts";
import type { Notes } from "../notes.ts";
import type { Gazetteer } from "./gazetteer.ts";
import type { City } from "./placenames.ts";
import type { FoundPlaces } from "./places.ts";

interface GeoContext {
  readonly gazetteer: Gazetteer;
  readonly notes: Notes;
  /** Maximum number of elements in a list; tests may lower it. */
  readonly listMax?: number;
}

/** The `geo` filters of a spec; empty lists do not filter. */
export interface GeoFilters {
  readonly uf_any_of: readonly string[];
  readonly municipality_ibge_any_of: readonly string[];
  /**
   * TOM codes, used only to combine accounts abroad with cities, because places abroad (`EX`) have
   * no IBGE codes.
   */
  readonly municipality_tom_any_of?: readonly string[];
}

/** Returns the filters for the places. Sets `found.unknown` if they contradict each other. */
export function geoOf(found: FoundPlaces, context: GeoContext): GeoFilters {
  const { states, cities, excludedStates, excludedCities } = found;
  const isUnrestricted = states.size + cities.size === 0;
  const excludes = excludedStates.size + excludedCities.size > 0;
  const base = isUnrestricted && excludes ? Object.keys(STATE_NAMES) : [...states];
  const wanted = base.filter((uf) => !excludedStates.has(uf));
  const single = [...cities.values()].filter(
    ({ ibge, uf }) => !excludedStates.has(uf) && !excludedCities.has(ibge),
  );
  if (base.length + cities.size > 0 && wanted.length + single.length === 0) {
    return contradiction(found, context);
  }
  const cut = [...excludedCities.values()].filter(({ uf }) => wanted.includes(uf));
  const added = single.filter(({ uf }) => !wanted.includes(uf));
  const less = base.length - wanted.length + cities.size - single.length + cut.length;
  if (excludes && less === 0) warnOutside(found, context);
  if (wanted.length === 0) return citiesOnly(single);
  if (cut.length + added.length === 0) return { ...NOWHERE, uf_any_of: wanted };
  return asMunicipalities(found, context, { wanted, added, cut });
}

/**
 * Warns that an exclusion such as "em Curitiba, exceto Recife" excludes nothing. If no excluded
 * town is in a searched state, the name may be that of a part of the city, which no filter can
 * exclude.
 */
function warnOutside(found: FoundPlaces, { notes }: GeoContext) {
  const { excludedStates, excludedCities, words } = found;
  const towns = [...excludedCities.values()];
  const near = ({ uf }: City) => [...found.cities.values()].some((city) => city.uf === uf);
  found.unknown ||= excludedStates.size === 0 && !towns.some(near);
  const cities = towns.map(({ name, uf }) => `${name}/${uf}`);
  const list = [...excludedStates, ...cities].slice(0, NAMED_MAX).join(", ");
  const detail = {
    pt: `Não fica nos lugares pedidos, e nada foi deixado de fora: ${list}.`,
    en: `Not in the places that were asked for, and nothing was left out: ${list}.`,
  };
  notes.warn("outside_of_places", detail, words ?? undefined);
}

/** Maximum number of places that a note names. */
const NAMED_MAX = 5;

const NOWHERE: GeoFilters = { uf_any_of: [], municipality_ibge_any_of: [] };

function citiesOnly(cities: readonly City[]): GeoFilters {
  return { ...NOWHERE, municipality_ibge_any_of: cities.map(({ ibge }) => ibge) };
}

interface Parts {
  /** States requested as a whole. */
  readonly wanted: readonly string[];
  /** Requested cities in other states. */
  readonly added: readonly City[];
  /** Excluded cities in the requested states. */
  readonly cut: readonly City[];
}

/**
 * Returns the municipalities of whole states, without the excluded cities and with the added ones.
 */
function asMunicipalities(found: FoundPlaces, context: GeoContext, parts: Parts): GeoFilters {
  const { gazetteer, notes, listMax = SPEC_LIMITS.arrayLengthMax } = context;
  const { wanted, added, cut } = parts;
  const left = new Set(cut.map(({ ibge }) => ibge));
  const inside = wanted.flatMap((uf) => gazetteer.citiesOf(uf)).filter((c) => !left.has(c.ibge));
  const all = [...inside, ...added];
  // "no DF, exceto Brasília" leaves no municipality, and an empty list would not filter.
  if (all.length === 0) return contradiction(found, context);
  if (all.length > listMax) return tooMany(found, context, parts);
  const names = wanted.length > 6 ? `${wanted.length}` : wanted.join(", ");
  notes.assume(
    "states_as_municipalities",
    {
      pt:
        `Estados (${names}) escritos como seus ${inside.length} municípios, para ` +
        `${cut.length > 0 ? "deixar de fora" : "somar"} outros lugares.`,
      en:
        `States (${names}) written as their ${inside.length} municipalities, to ` +
        `${cut.length > 0 ? "leave out" : "add"} other places.`,
    },
    found.words,
  );
  return {
    ...citiesOnly(all),
    ...(wanted.includes("EX") ? { municipality_tom_any_of: gazetteer.abroadTom } : {}),
  };
}

/** Searches whole states if the list is too long, and reports what this adds or drops. */
function tooMany(found: FoundPlaces, { notes }: GeoContext, { wanted, added, cut }: Parts) {
  const words = found.words ?? { words: "", start: 0, end: 0 };
  const lost = [...added, ...cut].map(({ name, uf }) => `${name}/${uf}`).join(", ");
  const detail = {
    pt: `Municípios demais para uma lista; não foi aplicado: ${lost}.`,
    en: `Too many municipalities for a list; not applied: ${lost}.`,
  };
  notes.warn("too_many_municipalities", detail, words);
  notes.addUnmapped("too_many_municipalities", detail, words);
  return { ...NOWHERE, uf_any_of: wanted };
}

/** Reports "em Campinas, exceto SP", because no filter expresses a search without results. */
function contradiction(found: FoundPlaces, { notes }: GeoContext): GeoFilters {
  const words = found.words ?? { words: "", start: 0, end: 0 };
  const detail = {
    pt: "Os lugares pedidos foram todos excluídos; a exclusão não foi aplicada.",
    en: "All places that were asked for were excluded; the exclusion was not applied.",
  };
  notes.warn("contradictory_places", detail, words);
  notes.addUnmapped("contradictory_places", detail, words);
  found.unknown = true;
  const { states, cities } = found;
  const added = [...cities.values()].filter(({ uf }) => !states.has(uf));
  if (states.size === 0) return citiesOnly(added);
  return { ...NOWHERE, uf_any_of: [...new Set([...states, ...added.map(({ uf }) => uf)])] };
}
