/**
 * `GET /v1/console/places?uf=SP`: the municipalities of a state with population and the position of
 * their seat, for maps.
 * Invariant: names and populations are those of the served snapshot. A municipality without a known
 * seat has no position; an unknown population is null, never 0. Positions are in hundredths of a
 * degree, from GeoNames (data/seats.json).
 */
import seats from "../../data/seats.json" with { type: "json" };
import { TABLES } from "../../native-index/format/columns.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { SessionCall } from "../http/server/service.ts";
import { currentSegment, guarded, type Segment } from "../search/segment.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { PlacesAnswer } from "./web/app/answers.ts";

/** Municipal seats by state. Each begins with its municipality's code without the state. */
const SEATS: Readonly<Record<string, string>> = seats.seats;

/** Answers with the municipalities of a state. */
export function readPlaces(call: SessionCall<"segment">): HttpAnswer {
  const uf = call.query.get("uf") ?? "";
  const segment = currentSegment(call.service);
  const own = segment.catalog.municipalities.filter((one) => one.uf === uf && one.ibge !== null);
  if (own.length === 0) {
    const detail = "uf must be the code of a state in Brazil, such as SP.";
    refuseQueryMistakes([queryMistake("uf", "unknown_state", detail)]);
  }
  const positions = seatsOf((own[0]?.ibge ?? "").slice(0, 2));
  const populations = populationsOf(segment);
  return typedAnswer<PlacesAnswer>({
    request_id: call.requestId,
    year: segment.provenance.ibge_population_year ?? "",
    places: own.map(({ ibge, name }) => {
      const code = ibge ?? "";
      return { ibge: code, name, at: positions.get(code) ?? null, population: populations(code) };
    }),
  });
}

/** Returns the latitude and longitude of the seats of a state, by municipality code. */
function seatsOf(state: string): Map<string, [number, number]> {
  const lines = (SEATS[state] ?? "").split(",").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [code = "", latitude, longitude] = line.split(" ");
      return [state + code, [Number(latitude), Number(longitude)]];
    }),
  );
}

/** Returns a function from IBGE code to population; null if the snapshot has none. */
function populationsOf(segment: Segment): (ibge: string) => number | null {
  const table = (name: (typeof TABLES)[number]) =>
    guarded(() => segment.native.table(TABLES.indexOf(name)));
  const counts = table("municipality_population");
  const known = new Map(table("municipality_ibge").map((ibge, at) => [ibge, counts[at] ?? ""]));
  return (ibge) => {
    const text = known.get(ibge) ?? "";
    return text === "" ? null : Number(text) || null;
  };
}
