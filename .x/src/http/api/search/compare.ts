/**
 * `POST /v1/accounts/compare`. Input: two to four specs, and names of facets. Output: the total of
 * each, and of every value the count and share in each, with an index against the registry.
 * Invariant: counts equal those of POST /v1/accounts/count for the same spec. The index of a value
 * is 100 if its share of a group is that of the registry.
 */
import { AppError, type Mistake } from "../../../errors.ts";
import { type ComparedValue, compareInTurn } from "../../../search/cross.ts";
import { FACET_VALUES_MAX } from "../../../search/facet.ts";
import { currentSegment, type Segment } from "../../../search/segment.ts";
import { COMPARED, type FacetName } from "../../../spec/facets.ts";
import { tooBroad } from "../../../spec/normalize.ts";
import { shown } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { costOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  type ReadPart,
  type ReadTask,
  readBody,
  readRequest,
} from "../../server/body.ts";
import type { ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { QueryContext } from "../../server/service.ts";
import { answer } from "../typed-answer.ts";
import { tookMs } from "./page-answer.ts";
import { answerWith } from "./search.ts";
import { boundTo, readEither, readFacets, refuseTooBroad } from "./search-request.ts";

interface CompareQuestion {
  readonly specs: readonly AccountQuerySpec[];
  readonly facets: readonly FacetName[];
}

/** Parses and charges a request. Throws `AppError` with every mistake in it. */
export const COMPARE: Computation<ReadTask, CompareQuestion> = {
  name: "compare",
  run(task, segment, payer) {
    const body = readBody(task.body, ["specs", "facets"]);
    const sent = readSpecs(body);
    const { facets: named } = body.members;
    for (const spec of sent) payer.spend(costOf({ spec, facets: named }));
    const facets = readFacets(body) ?? [];
    return { specs: readAll(task, segment, body, sent), facets };
  },
};

function readSpecs({ members, mistakes }: BodyObject): readonly unknown[] {
  const { specs } = members;
  const { min, max } = COMPARED;
  const isList = Array.isArray(specs);
  if (isList && specs.length >= min && specs.length <= max) return specs;
  const code = specs === undefined ? "missing" : isList ? "wrong_length" : "wrong_type";
  const found = isList ? `${specs.length} of them` : shown(specs);
  const detail = `specs must be an array of ${min} to ${max} specs, not ${found}.`;
  mistakes.push({ pointer: "/specs", code, detail });
  return [];
}

/** Normalizes all specs; mistakes name the spec by its place. */
function readAll(
  task: ReadTask,
  segment: Segment,
  body: BodyObject,
  sent: readonly unknown[],
): readonly AccountQuerySpec[] {
  const { mistakes } = body;
  const read: AccountQuerySpec[] = [];
  const tried = sent.length === 0 ? [{}] : sent;
  tried.forEach((spec, at) => {
    const own = { members: { spec }, mistakes: [] as typeof mistakes };
    try {
      read.push(readEither(task, segment, own).spec);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      mistakes.push(...placed(error, at));
    }
  });
  if (mistakes.length === 0) return read;
  const [first] = mistakes;
  const detail = `At ${first?.pointer}: ${first?.detail}`;
  throw new AppError("invalid_request", detail, { errors: mistakes });
}

/** The mistakes of a spec, at its place in the list. */
function placed(error: AppError, at: number): readonly Mistake[] {
  return error.errors.map((mistake) => ({
    ...mistake,
    pointer: mistake.pointer.replace(/^\/spec/, `/specs/${at}`),
  }));
}

type CompareCall = QueryContext<"clock" | "engine" | "retain" | "segment" | "telemetry" | ReadPart>;

/** Compares groups. */
export function compareAccounts(call: CompareCall): Reply<ShapedAnswer<"CompareAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readRequest(call, segment, COMPARE), async (question) => {
    const { specs, facets } = question;
    const bound: AccountQuerySpec[] = [];
    for (const [at, spec] of specs.entries()) {
      const one = await boundTo(call, segment, spec);
      const missing = tooBroad(spec)?.missing ?? null;
      refuseTooBroad(call.service.engine, segment, { spec: one, missing, place: `/specs/${at}` });
      bound.push(one);
    }
    const compared = await compareInTurn(segment, bound, facets, call.identity.tenantId);
    const { registry, totals } = compared;
    const tables = facets.map((name) => {
      return [name, tableOf(compared.facets[name] ?? [], registry, totals)] as const;
    });
    const value = {
      request_id: call.requestId,
      snapshot: segment.label,
      snapshot_date: segment.snapshotDate,
      provenance: segment.provenance,
      specs,
      registry,
      totals,
      facets: Object.fromEntries(tables),
      took_ms: tookMs(call.service.clock, startMs),
    };
    return answer("CompareAnswer", value);
  });
}

/** The most frequent values, and the sums of the others. */
function tableOf(values: readonly ComparedValue[], registry: number, totals: readonly number[]) {
  const rest = values.slice(FACET_VALUES_MAX);
  const sums = totals.map((_, at) =>
    rest.reduce((sum, { counts }) => sum + countAt(counts, at), 0),
  );
  return {
    values: values.slice(0, FACET_VALUES_MAX).map((one) => ({
      ...one,
      shares: one.counts.map((count, at) => shareOf(count, countAt(totals, at))),
      index: one.counts.map((count, at) => {
        return indexOf(count, countAt(totals, at), one.registry, registry);
      }),
    })),
    other: { values: rest.length, counts: sums },
  };
}

function countAt(counts: readonly number[], at: number): number {
  return counts[at] as number;
}

/** A share with six decimals; 0 in an empty group. */
function shareOf(count: number, total: number): number {
  return total === 0 ? 0 : Math.round((count / total) * 1e6) / 1e6;
}

/** 100 times the share in a group by the share in the registry; null in an empty group. */
function indexOf(count: number, total: number, known: number, registry: number): number | null {
  if (total === 0 || known === 0 || registry === 0) return null;
  return Math.round(((count * registry) / (total * known)) * 1_000) / 10;
}
