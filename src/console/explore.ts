/**
 * `POST /v1/console/explore`: takes a spec, which may be too broad to search, and facet names.
 * Returns exact counts of matches and of facets. A facet is also counted without the filters on its
 * own dimension. If nothing matches, the answer lists the filters to drop.
 * Invariant: every number is exact, and all are of one snapshot. Many matches are counted facet by
 * facet, so that other requests are served in between. Counting stops when the client leaves.
 */

import { answerWith } from "../http/api/search/search.ts";
import { bindLists, readAnySpec, readFacets } from "../http/api/search/search-request.ts";
import { costOf } from "../http/server/admission.ts";
import { TimeSlices } from "../http/server/background-tasks.ts";
import {
  type BodyObject,
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
} from "../http/server/body.ts";
import { type HttpAnswer, noContent, unchanged, weakTag } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { KeyCall } from "../http/server/service.ts";
import type { Facet } from "../search/facet.ts";
import type { Segment } from "../search/segment.ts";
import { currentSegment } from "../search/segment.ts";
import type { FacetName } from "../spec/facets.ts";
import type { PartName } from "../spec/filters/table.ts";
import { tooBroad } from "../spec/normalize.ts";
import { shown } from "../spec/reader.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { Counts, MANY_MATCHES } from "./counts.ts";
import { pointersOf, setParts, without } from "./filters.ts";
import { typedAnswer } from "./typedanswer.ts";
import type { ExploreAnswer } from "./web/app/answers.ts";

/**
 * Maps a facet to the filters on its own dimension. The facet can be counted without these filters.
 */
const BESIDE = { uf: ["uf", "municipality"] } as const satisfies Partial<
  Record<FacetName, readonly PartName[]>
>;
type BesideName = keyof typeof BESIDE;
const BESIDE_NAMES = Object.keys(BESIDE) as BesideName[];

/** Maximum filters whose removal the answer counts. */
const DROPS_MAX = 12;

/** A parsed request. */
interface ReadQuestion {
  /** The spec of the request, in normal form. */
  readonly spec: AccountQuerySpec;
  readonly warnings: readonly string[];
  readonly facets: readonly FacetName[];
  readonly beside: readonly BesideName[];
}

/** A request whose spec is bound to the lists that it names. */
interface Question extends ReadQuestion {
  readonly segment: Segment;
  readonly bound: AccountQuerySpec;
  readonly tag: string;
  readonly startMs: number;
}

/** Reads and charges a request. Throws `AppError` with every mistake in it. */
export const EXPLORE: Computation<ReadTask, ReadQuestion> = {
  name: "explore",
  run(task, segment, payer) {
    const body = readBody(task.body, ["spec", "facets", "beside"]);
    payer.spend(costOf({ spec: body.members.spec, facets: body.members.facets }));
    const facets = readFacets(body) ?? [];
    const beside = readBeside(body);
    return { ...readAnySpec(task, segment, body), facets, beside };
  },
};

/** Counts a spec's matches. */
export function explore(
  call: KeyCall<"clock" | "engine" | "retain" | "segment" | "telemetry" | ReadPart>,
): Reply {
  const startMs = call.service.clock.monotonicMs();
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readRequest(call, segment, EXPLORE), async (read) => {
    const bound = await bindLists(call, segment, read.spec);
    const { warnings, facets, beside } = read;
    const parts = ["explore", segment.snapshotId, JSON.stringify(bound), String(warnings)];
    const tag = weakTag([...parts, String(facets), String(beside)]);
    const known = unchanged(call, tag);
    return known ?? counted(call, { ...read, segment, bound, tag, startMs });
  });
}

/**
 * Counts the matches and facets, off the main thread if that is slow. Stops if the client leaves.
 */
async function counted(
  call: KeyCall<"clock" | "engine" | "telemetry">,
  question: Question,
): Promise<HttpAnswer> {
  const counts = new Counts(call.service.engine, question.segment, call.identity.tenantId);
  const turns = new TimeSlices();
  for (const count of await facetWork(call, question, counts)) {
    await turns.taken();
    if (call.finished()) return noContent();
    await count();
  }
  return answerOf(call, question, counts);
}

function readBeside({ members, mistakes }: BodyObject): readonly BesideName[] {
  const { beside } = members;
  if (beside === undefined) return [];
  if (!Array.isArray(beside)) {
    const detail = `beside must be an array of names, not ${shown(beside)}.`;
    mistakes.push({ pointer: "/beside", code: "wrong_type", detail });
    return [];
  }
  const found = new Set<BesideName>();
  for (const [at, name] of beside.slice(0, BESIDE_NAMES.length + 1).entries()) {
    const known = BESIDE_NAMES.find((one) => one === name);
    const pointer = `/beside/${at}`;
    if (known === undefined) {
      const names = BESIDE_NAMES.join(", ");
      const detail = `${shown(name)} cannot be counted beside; known are ${names}.`;
      mistakes.push({ pointer, code: "unknown_value", detail });
    } else if (found.has(known)) {
      mistakes.push({ pointer, code: "duplicate", detail: `${known} is there twice.` });
    } else {
      found.add(known);
    }
  }
  return [...found];
}

/** Returns the filters without those on the facet's dimension; null if none is set. */
function filtersNextTo({ filters }: AccountQuerySpec, name: BesideName) {
  const same: readonly PartName[] = BESIDE[name];
  return setParts(filters).some((part) => same.includes(part)) ? without(filters, same) : null;
}

/** Returns the counts to make, as functions. Slow ones run off the main thread. */
async function facetWork(
  call: KeyCall<"clock" | "telemetry">,
  question: Question,
  counts: Counts,
): Promise<(() => Promise<void>)[]> {
  const { bound: spec, facets, beside } = question;
  const wanted = [
    { filters: spec.filters, names: facets },
    ...beside.flatMap((name) => {
      const filters = filtersNextTo(spec, name);
      return filters === null ? [] : [{ filters, names: [name] }];
    }),
  ];
  const work: (() => Promise<void>)[] = [];
  for (const { filters, names } of wanted) {
    const unknown = counts.unknown(names, filters);
    if (unknown.length === 0) continue;
    const many = (await counts.total(spec, filters)) > MANY_MATCHES;
    for (const some of many ? apart(unknown) : [unknown]) {
      work.push(async () => {
        const startMs = call.service.clock.monotonicMs();
        await counts.count(spec, some, filters);
        call.service.telemetry.engine("facets", call.service.clock.monotonicMs() - startMs);
      });
    }
  }
  return work;
}

/** Groups the facets that one count covers. All facets of activities need only one count. */
function apart(names: readonly FacetName[]): FacetName[][] {
  const activities = names.filter((name) => name.startsWith("cnae_"));
  const others = names.filter((name) => !activities.includes(name));
  return [activities, ...others.map((name) => [name])].filter((group) => group.length > 0);
}

async function answerOf(
  call: KeyCall<"clock">,
  question: Question,
  counts: Counts,
): Promise<HttpAnswer> {
  const { service, requestId } = call;
  const { segment, spec, bound, facets, beside, tag } = question;
  const total = await counts.total(bound);
  const drops = total > 0 ? [] : await dropsOf(bound, counts);
  const broad = tooBroad(spec);
  const answer = {
    request_id: requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    spec,
    total,
    too_broad: broad !== null,
    missing: (broad?.missing ?? []).map((name) => `/${name.replaceAll(".", "/")}`),
    facets: counts.facets(facets, bound.filters),
    beside: Object.fromEntries(beside.map((name) => [name, facetBeside(bound, name, counts)])),
    drops,
    warnings: question.warnings,
    took_ms: Math.round((service.clock.monotonicMs() - question.startMs) * 1000) / 1000,
  };
  return { ...typedAnswer<ExploreAnswer>(answer), headers: { ETag: tag } };
}

function facetBeside(spec: AccountQuerySpec, name: BesideName, counts: Counts): Facet | null {
  const filters = filtersNextTo(spec, name);
  return filters === null ? null : (counts.facets([name], filters)[name] as Facet);
}

/** A filter, and the number of matches without it. */
interface Drop {
  readonly filter: PartName;
  readonly pointers: readonly string[];
  readonly total: number;
}

/** Returns the filters whose removal leads to matches, with their numbers, most first. */
async function dropsOf(spec: AccountQuerySpec, counts: Counts): Promise<Drop[]> {
  const drops: Drop[] = [];
  for (const part of setParts(spec.filters)) {
    const total = await counts.total(spec, without(spec.filters, [part]));
    drops.push({ filter: part, pointers: pointersOf(spec.filters, part), total });
  }
  return drops
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total)
    .slice(0, DROPS_MAX);
}
