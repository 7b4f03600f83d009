/**
 * `GET /v1/console/catalog` and `/districts`. Output: every activity, place and legal nature that a
 * filter can name, with its names and how many accounts there are; the districts of up to ten
 * municipalities that fit a typed name, in one order.
 * Invariant: the catalog is made once per snapshot and cached compressed; it is the same for every
 * tenant and plan. Districts of a municipality are those of GET /v1/districts, and `total` counts
 * all that fit; one request covers all municipalities of a form, because one for each would be
 * answered late.
 */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Mistake } from "../errors.ts";
import { refuseLacking } from "../http/api/accounts/districts.ts";
import { computed } from "../http/server/compute.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import { type HttpAnswer, JSON_TYPE, unchanged, weakTag } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import { currentSegment, type KeyCall } from "../http/server/service.ts";
import { districtsOf } from "../search/districts.ts";
import type { Segment } from "../search/segment.ts";
import { catalogLookup } from "../spec/catalog.ts";
import { foldDistrict } from "../spec/districtname.ts";
import { SPEC_LIMITS } from "../spec/limits.ts";
import { acceptedEncoding } from "./assets.ts";
import { answered } from "./bodies.ts";
import { CATALOG } from "./catalogparts.ts";
import type { DistrictsFound } from "./web/app/answers.ts";

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Measured: level 9 takes a fifth of the time of 11 and gives 6 % more. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Part of the tag: another program may write the same snapshot down otherwise. */
const SHAPE = "3";

/** The catalog as it is sent. */
interface Packed {
  readonly identity: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

const packed = new WeakMap<Segment, Promise<Packed>>();

/** Answers the catalog of the present snapshot. */
export function catalog(call: KeyCall<"compute" | "hold" | "segment" | "version">): Reply {
  const { service } = call;
  const segment = currentSegment(service);
  const tag = weakTag(["catalog", SHAPE, service.version, segment.snapshotId]);
  const headers = { ETag: tag, "Cache-Control": "private, no-cache", Vary: "Accept-Encoding" };
  const known = unchanged(call, tag);
  if (known !== null) return { ...known, headers };
  const accepted = call.header("accept-encoding") ?? "";
  return packedOf(call, segment).then((found) => answerOf(found, accepted, headers));
}

function answerOf(found: Packed, accepted: string, headers: Readonly<Record<string, string>>) {
  const coding = acceptedEncoding(accepted, ["br", "gzip", "identity"]);
  const answer: HttpAnswer = { status: 200, type: JSON_TYPE, body: found[coding], headers };
  if (coding === "identity") return answer;
  return { ...answer, headers: { ...headers, "Content-Encoding": coding } };
}

/** Makes it where nobody has yet; a failure is not kept. */
function packedOf(call: KeyCall<"compute" | "hold">, segment: Segment): Promise<Packed> {
  const known = packed.get(segment);
  if (known !== undefined) return known;
  const release = call.service.hold(segment);
  const made = pack(call, segment).finally(release);
  packed.set(segment, made);
  made.catch(() => packed.delete(segment));
  return made;
}

async function pack(call: KeyCall<"compute">, segment: Segment): Promise<Packed> {
  const identity = Buffer.from(await computed(call, CATALOG, null, { segment }));
  return { identity, br: await brotli(identity, BROTLI), gzip: await gzipped(identity) };
}

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
