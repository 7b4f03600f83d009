/**
 * `GET /v1/console/districts`. What comes in: up to ten municipalities, and what was typed of a
 * name. What goes out: their districts that fit, each with its municipality, in one order.
 * Invariant: of each municipality they are those of GET /v1/districts; nothing is left out in
 * silence: `total` counts all that fit. Apart because a form knows several municipalities or none,
 * and one question for each of them would be answered late.
 */
import type { Mistake } from "../errors.ts";
import { refuseLacking } from "../http/api/accounts/districts.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { KeyCall } from "../http/server/service.ts";
import { districtsOf } from "../search/districts.ts";
import { currentSegment } from "../search/segment.ts";
import { catalogLookup } from "../spec/catalog.ts";
import { foldDistrict } from "../spec/districtname.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";
import { answered } from "./answered.ts";
import type { DistrictsFound } from "./web/app/listanswers.ts";

const CITIES_MAX = 10;
/** Districts of an answer. */
const LIMIT = 40;

/** Answers the districts of some municipalities that fit a text. */
export function suggestDistricts(
  call: KeyCall<"segment"> & { readonly query: ReadonlyMap<string, string> },
): Reply {
  const segment = currentSegment(call.service);
  const lookup = catalogLookup(segment.catalog);
  const typed = call.query.get("q") ?? "";
  const codes = (call.query.get("municipality_ibge") ?? "").split(",");
  const mistakes: Mistake[] = [];
  const cities = codes.flatMap((code) => lookup.municipalityByIbge(code)?.ibge ?? []);
  if (cities.length < codes.length || codes.length > CITIES_MAX) {
    const detail = `municipality_ibge must be up to ${CITIES_MAX} IBGE codes with commas between.`;
    mistakes.push(queryMistake("municipality_ibge", "unknown_municipality", detail));
  }
  if (typed.length > SPEC_LIMITS.stringLengthMax) {
    const detail = `The query parameter q may have ${SPEC_LIMITS.stringLengthMax} characters.`;
    mistakes.push(queryMistake("q", "too_long", detail));
  }
  refuseQueryMistakes(mistakes);
  refuseLacking(lookup);
  call.spend(1);
  const found = [...new Set(cities)].map((ibge) => ({
    ibge,
    list: districtsOf(segment, { ibge, typed, limit: LIMIT }),
  }));
  const begin = foldDistrict(typed);
  const rank = (name: string) => Number(!foldDistrict(name).startsWith(begin));
  const districts = found
    .flatMap(({ ibge, list }) => {
      return list.districts.map((one) => ({ municipality_ibge: ibge, ...one }));
    })
    .sort((a, b) => rank(a.name) - rank(b.name) || b.accounts - a.accounts)
    .slice(0, LIMIT);
  return answered<DistrictsFound>({
    request_id: call.requestId,
    districts,
    total: found.reduce((sum, { list }) => sum + list.total, 0),
  });
}
