/**
 * Splits typed text into the name of a district and the municipalities in which to search it.
 * Invariant: a municipality in the text takes precedence over the chosen municipalities. If there
 * is neither, the largest municipalities are searched. A request never has more municipalities than
 * the server allows.
 */

import { analyzeWords } from "../../../../spec/analyzer.ts";
import type { Filters } from "../../app/answers.ts";
import type { CatalogBook } from "../catalog.ts";

/** A district request. */
interface DistrictQuestion {
  /** The typed part of the district's name. */
  readonly name: string;
  /** IBGE codes. */
  readonly cities: readonly string[];
}

/** Max municipalities per request, as on the server. */
const CITIES_MAX = 10;
/** Maximum municipalities that match words after a comma. */
const NAMED_MAX = 5;

/** Builds the request. */
export function districtQuestion(
  text: string,
  geo: Filters["geo"],
  book: CatalogBook,
): DistrictQuestion {
  const named = namedCities(text, geo, book);
  if (named !== null) return named;
  const chosen = geo.municipality_ibge_any_of;
  const cities =
    chosen.length > 0
      ? largest(chosen, book)
      : book.searchMunicipalities("", CITIES_MAX, geo.uf_any_of).map(({ code }) => code);
  return { name: text.replace(/,\s*$/, "").trim(), cities: cities.slice(0, CITIES_MAX) };
}

/** Parses "Savassi, belo" or "savassi belo horizonte": a name, then its municipality. */
function namedCities(
  text: string,
  geo: Filters["geo"],
  book: CatalogBook,
): DistrictQuestion | null {
  const comma = text.lastIndexOf(",");
  if (comma >= 0) {
    const cities = citiesLike(text.slice(comma + 1), geo, book);
    return cities.length === 0 ? null : { name: text.slice(0, comma).trim(), cities };
  }
  const parts = text.trim().split(/\s+/);
  for (let at = 1; at < parts.length; at++) {
    const city = parts.slice(at).join(" ");
    const folded = analyzeWords(city).join(" ");
    const whole = book
      .searchMunicipalities(city, NAMED_MAX, geo.uf_any_of)
      .filter(({ name }) => analyzeWords(name).join(" ") === folded);
    if (folded === "" || whole.length === 0) continue;
    return { name: parts.slice(0, at).join(" "), cities: whole.map(({ code }) => code) };
  }
  return null;
}

function citiesLike(text: string, geo: Filters["geo"], book: CatalogBook): readonly string[] {
  if (text.trim() === "") return [];
  const found = book.searchMunicipalities(text, NAMED_MAX, geo.uf_any_of);
  return found.map(({ code }) => code);
}

/** Sorts municipalities by accounts, most first. */
function largest(codes: readonly string[], book: CatalogBook): readonly string[] {
  const accounts = (code: string) => book.municipality(code)?.accounts ?? 0;
  return [...codes].sort((a, b) => accounts(b) - accounts(a));
}
