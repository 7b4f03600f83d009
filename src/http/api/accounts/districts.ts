/**
 * `GET /v1/districts`: a municipality's districts that match a partly typed text, with account
 * counts.
 * Invariant: a value out of range is an error, never silently lowered. The same query on the same
 * snapshot has the same answer.
 */
import Type from "typebox";
import { AppError, type Mistake } from "../../../errors.ts";
import { DISTRICT_LIMITS, districtsOf } from "../../../search/districts.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import {
  type CatalogLookup,
  type CatalogMunicipality,
  catalogLookup,
  notCounted,
} from "../../../spec/catalog.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import { EXAMPLE_HEAD } from "../../openapi/examples.ts";
import { costOf } from "../../server/admission.ts";
import { queryMistake, readWhole, refuseQueryMistakes } from "../../server/query.ts";
import { type ShapedAnswer, unchanged, weakTag } from "../../server/respond.ts";
import type { QueryContext } from "../../server/service.ts";
import { type ApiRoute, IF_NONE_MATCH, route, SNAPSHOT_ERRORS } from "../route.ts";
import { tookMs } from "../search/page-answer.ts";
import { answer } from "../typed-answer.ts";

type DistrictsCall = QueryContext<"clock" | "segment" | "telemetry"> & {
  readonly query: ReadonlyMap<string, string>;
};

interface DistrictQuestion {
  readonly municipality: Pick<CatalogMunicipality, "name" | "uf"> & { readonly ibge: string };
  readonly typed: string;
  readonly limit: number;
}

/** The routes of districts. */
export const DISTRICT_ROUTES: readonly ApiRoute[] = [
  route({
    method: "GET",
    path: "/v1/districts",
    access: "key",
    sheds: "last",
    id: "listDistricts",
    tag: "accounts",
    summary: "List the districts of a municipality",
    description:
      "The districts (bairros) that accounts of a municipality name, for district_any_of. Every " +
      "word of q begins a word of the name; accents, case and runs of spaces do not count. First " +
      "come names that begin with all of q, then the others; the largest first in both, then by " +
      "name. People type these names, so that one district can have several. Counts as 1 request.",
    parameters: [
      {
        name: "municipality_ibge",
        in: "query",
        required: true,
        description: "IBGE code, 7 digits or the first 6.",
        schema: Type.String({ pattern: "^\\d{6,7}$" }),
        example: "3550308",
      },
      {
        name: "q",
        in: "query",
        required: false,
        description: "What was typed; without it all districts, the largest first.",
        schema: Type.String({ maxLength: SPEC_LIMITS.stringLengthMax }),
      },
      {
        name: "limit",
        in: "query",
        required: false,
        description: "Districts wanted.",
        schema: Type.Integer({
          minimum: 1,
          maximum: DISTRICT_LIMITS.limit,
          default: DISTRICT_LIMITS.limitDefault,
        }),
      },
      IF_NONE_MATCH,
    ],
    answers: {
      200: {
        description: "What fits.",
        schema: "DistrictsAnswer",
        example: () => ({
          ...EXAMPLE_HEAD,
          ...{ municipality_ibge: "3550308", municipality_name: "São Paulo", uf: "SP" },
          ...{ districts: [{ name: "MOEMA", accounts: 54_321 }], total: 1, took_ms: 0.12 },
        }),
        headers: ["ETag"],
      },
      304: { description: "It is unchanged.", schema: null, types: [], headers: ["ETag"] },
    },
    errors: SNAPSHOT_ERRORS,
    handle: listDistricts,
  }),
];

/** Returns the districts of a municipality. */
export function listDistricts(call: DistrictsCall): ShapedAnswer<"DistrictsAnswer"> {
  const { clock, telemetry } = call.service;
  const startMs = clock.monotonicMs();
  const segment = currentSegment(call.service);
  const { municipality, typed, limit } = readQuestion(call.query, segment);
  call.spend(costOf({}));
  const { ibge, name, uf } = municipality;
  const tag = weakTag(["districts", segment.snapshotId, ibge, typed, String(limit)]);
  const known = unchanged(call, tag);
  if (known !== null) return known;
  const found = districtsOf(segment, { ibge, typed, limit });
  telemetry.engine("suggest", clock.monotonicMs() - startMs);
  const value = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    ...{ municipality_ibge: ibge, municipality_name: name, uf },
    ...found,
    took_ms: tookMs(clock, startMs),
  };
  return answer("DistrictsAnswer", value, { headers: { ETag: tag } });
}

/** Throws if the snapshot has no districts. The error says which import adds them. */
export function refuseLacking(lookup: CatalogLookup): void {
  if (!lookup.lacks("districts")) return;
  const detail = notCounted("this list of districts");
  const errors = [{ pointer: "", code: "not_in_snapshot", detail }];
  throw new AppError("invalid_request", detail, { errors });
}

function readQuestion(query: ReadonlyMap<string, string>, { catalog }: Segment): DistrictQuestion {
  const mistakes: Mistake[] = [];
  const lookup = catalogLookup(catalog);
  const sent = query.get("municipality_ibge");
  const municipality = sent === undefined ? undefined : lookup.municipalityByIbge(sent);
  if (municipality === undefined) {
    const detail =
      sent === undefined
        ? "Send municipality_ibge, the IBGE code of a municipality."
        : "The query parameter municipality_ibge must be the IBGE code of a municipality.";
    const code = sent === undefined ? "missing" : "unknown_municipality";
    mistakes.push(queryMistake("municipality_ibge", code, detail));
  }
  const typed = query.get("q") ?? "";
  if (typed.length > SPEC_LIMITS.stringLengthMax) {
    const detail = `The query parameter q may have ${SPEC_LIMITS.stringLengthMax} characters.`;
    mistakes.push(queryMistake("q", "too_long", detail));
  }
  const limit =
    readWhole(query, "limit", [1, DISTRICT_LIMITS.limit], mistakes) ?? DISTRICT_LIMITS.limitDefault;
  refuseQueryMistakes(mistakes);
  refuseLacking(lookup);
  // A missing municipality was reported above. A municipality found by its code has an IBGE code.
  const { ibge, name, uf } = municipality as CatalogMunicipality;
  return { municipality: { ibge: ibge as string, name, uf }, typed, limit };
}
