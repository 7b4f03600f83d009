/**
 * `POST /v1/accounts/compare`: compares the matches of several specs. Input: two to four specs,
 * names of facets, and optionally a month for each spec. Output: the total of each spec; for every
 * facet value, its count and share per spec, and an index against the base. The answer is JSON, or
 * CSV or XLSX if Accept prefers it.
 * Invariant: counts equal those of POST /v1/accounts/count for the same spec and snapshot. The base
 * of a spec is its whole snapshot. If all specs have the same status filter, the base has only the
 * accounts with this status. Tables and files are made on the compute thread (compare-tables.ts).
 */
import { changeCatalog } from "../../../changes/query.ts";
import { AppError, type Mistake } from "../../../errors.ts";
import { type ComparedCodes, type ComparedGroup, compareInTurn } from "../../../search/cross.ts";
import { currentSegment, type Segment } from "../../../search/segment.ts";
import { COMPARED, type FacetName } from "../../../spec/facets.ts";
import { LABEL_LANGUAGES, type LabelLanguage } from "../../../spec/fields/words.ts";
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
  readTask,
} from "../../server/body.ts";
import { JSON_TYPE, type ShapedAnswer, written } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import { findMonth, noSuchMonth } from "../changes/changepair.ts";
import { COMPARE_TABLES, type CompareTablesTask } from "./compare-tables.ts";
import { movedMemory } from "./count-tables.ts";
import { tookMs, withBytes } from "./page-answer.ts";
import { answerWith } from "./search.ts";
import {
  bindLists,
  CONTENT_TYPES,
  type FileFormat,
  notOfJson,
  readAnySpec,
  readChoice,
  readFacets,
  refuseTooBroad,
  wantedFormat,
} from "./search-request.ts";

interface CompareQuestion {
  readonly specs: readonly AccountQuerySpec[];
  readonly facets: readonly FacetName[];
  /** Snapshot label of each spec, or null for the served one. */
  readonly snapshots: readonly (string | null)[];
  /** Base spec with the status filter that all specs share, or null if there is none. */
  readonly base: AccountQuerySpec | null;
  /** Label language of a file, or null for machine-readable names. */
  readonly labels: LabelLanguage | null;
}

/** Parses and charges a request. Throws `AppError` with every mistake in it. */
export const COMPARE: Computation<ReadTask, CompareQuestion> = {
  name: "compare",
  run(task, segment, payer) {
    const body = readBody(task.body, ["specs", "facets", "snapshots", "labels"]);
    const sent = readSpecs(body);
    const { facets: named } = body.members;
    for (const spec of sent) payer.spend(costOf({ spec, facets: named }));
    const facets = readFacets(body) ?? [];
    const snapshots = readSnapshots(body, sent.length);
    const labels = readChoice(body, "labels", LABEL_LANGUAGES);
    const specs = readAll(task, segment, body, sent);
    return { specs, facets, snapshots, base: baseOf(task, segment, specs), labels };
  },
};

const LABEL = /^\d{4}-\d{2}$/;

function readSnapshots({ members, mistakes }: BodyObject, count: number): (string | null)[] {
  const { snapshots } = members;
  if (snapshots === undefined) return Array<null>(count).fill(null);
  const isList = Array.isArray(snapshots);
  if (!isList || snapshots.length !== count) {
    const found = isList ? `${snapshots.length} of them` : shown(snapshots);
    const detail = `snapshots must be an array with a month for each spec, not ${found}.`;
    mistakes.push({ pointer: "/snapshots", code: isList ? "wrong_length" : "wrong_type", detail });
    return [];
  }
  return snapshots.map((label: unknown, at) => {
    if (label === null || (typeof label === "string" && LABEL.test(label))) return label;
    const detail = `Must be a month such as 2026-09, or null, not ${shown(label)}.`;
    mistakes.push({ pointer: `/snapshots/${at}`, code: "wrong_type", detail });
    return null;
  });
}

/** Returns a spec with the status filter of all specs, or null if they differ or have none. */
function baseOf(
  task: ReadTask,
  segment: Segment,
  specs: readonly AccountQuerySpec[],
): AccountQuerySpec | null {
  const statuses = specs.map(({ filters }) =>
    [...filters.company.registration_status_any_of].sort(),
  );
  const [first = []] = statuses;
  if (first.length === 0 || statuses.some((one) => String(one) !== String(first))) return null;
  const spec = { filters: { company: { registration_status_any_of: first } } };
  return readAnySpec(task, segment, { members: { spec }, mistakes: [] }).spec;
}

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

/** Normalizes all specs. The pointers of mistakes include the position of the spec. */
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
      read.push(readAnySpec(task, segment, own).spec);
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

/** Returns the mistakes of a spec, with pointers to its position in the list. */
function placed(error: AppError, at: number): readonly Mistake[] {
  return error.errors.map((mistake) => ({
    ...mistake,
    pointer: mistake.pointer.replace(/^\/spec/, `/specs/${at}`),
  }));
}

type CompareCall = KeyCall<
  "clock" | "engine" | "months" | "retain" | "segment" | "telemetry" | ReadPart
>;

/** Compares groups of any size; console users may see the whole registry. */
export function compareAnyAccounts(call: CompareCall): Reply<ShapedAnswer<"CompareAnswer">> {
  return compareBound(call, () => null);
}

/** Compares groups. */
export function compareAccounts(call: CompareCall): Reply<ShapedAnswer<"CompareAnswer">> {
  return compareBound(call, (spec) => tooBroad(spec)?.missing ?? null);
}

function compareBound(
  call: CompareCall,
  missingOf: (spec: AccountQuerySpec) => readonly string[] | null,
): Reply<ShapedAnswer<"CompareAnswer">> {
  const startMs = call.service.clock.monotonicMs();
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readRequest(call, segment, COMPARE), async (question) => {
    const { specs, facets, base, labels } = question;
    const format = wantedFormat(call);
    if (format === "json" && labels !== null) throw notOfJson("labels");
    const opened = await openMonths(call, segment, question.snapshots);
    try {
      const groups: ComparedGroup[] = [];
      for (const [at, spec] of specs.entries()) {
        const own = opened.segments[at] as Segment;
        groups.push(await placedAt(at, () => groupOf(call, spec, { own, segment, missingOf })));
      }
      const { tenantId } = call.identity;
      const codes = await compareInTurn(segment, groups, base, { names: facets, tenantId });
      const compared = { codes, groups, segment, startMs };
      return format === "json"
        ? await answerCompared(call, question, compared)
        : await fileCompared(call, question, compared, format);
    } finally {
      opened.release();
    }
  });
}

/** Runs a step for a spec. The pointers of errors include the position of the spec. */
async function placedAt<Result>(at: number, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, members, headers } = error;
    throw new AppError(code, message, { errors: placed(error, at), members, headers });
  }
}

interface GroupParts {
  /** `own` is the snapshot of the group, and `segment` is the served snapshot. */
  readonly own: Segment;
  readonly segment: Segment;
  readonly missingOf: (spec: AccountQuerySpec) => readonly string[] | null;
}

/**
 * Normalizes a spec for its group's snapshot, and replaces the ids of lists in it by their current
 * revisions. Throws if the spec is too broad.
 */
async function groupOf(
  call: CompareCall,
  sent: AccountQuerySpec,
  { own, segment, missingOf }: GroupParts,
): Promise<ComparedGroup> {
  const catalog = own === segment ? null : changeCatalog(own, segment);
  const body = { members: { spec: sent }, mistakes: [] };
  const spec =
    catalog === null ? sent : readAnySpec(readTask(call, NO_BODY), { catalog }, body).spec;
  const bound = await bindLists(call, own, spec);
  refuseTooBroad(call.service.engine, own, { spec: bound, missing: missingOf(spec) });
  return { segment: own, spec: bound };
}

const NO_BODY = new Uint8Array();

/** Opens the snapshots of the groups. They stay open until `release`. */
async function openMonths(
  { service }: CompareCall,
  segment: Segment,
  labels: readonly (string | null)[],
): Promise<{ readonly segments: readonly Segment[]; release(): void }> {
  const segments: Segment[] = [];
  const ends: (() => void)[] = [];
  const release = () => {
    for (const end of ends) end();
  };
  try {
    for (const [at, label] of labels.entries()) {
      if (label === null || label === segment.label) {
        segments.push(segment);
        continue;
      }
      const month = await findMonth(service, label, segment);
      if (month === null) {
        const mistake = { ...noSuchMonth(service, label), pointer: `/snapshots/${at}` };
        throw new AppError("invalid_request", mistake.detail, { errors: [mistake] });
      }
      const older = await service.months.open(month);
      ends.push(service.months.retain(older));
      segments.push(older);
    }
    return { segments, release };
  } catch (error) {
    release();
    throw error;
  }
}

interface Compared {
  readonly codes: ComparedCodes;
  readonly groups: readonly ComparedGroup[];
  readonly segment: Segment;
  readonly startMs: number;
}

async function answerCompared(
  call: CompareCall,
  { specs, facets, base }: CompareQuestion,
  compared: Compared,
): Promise<ShapedAnswer<"CompareAnswer">> {
  const { codes, groups, segment, startMs } = compared;
  const bytes = await tablesOf(call, facets, compared, null);
  const statuses = base?.filters.company.registration_status_any_of ?? [];
  const value = {
    request_id: call.requestId,
    snapshot: segment.label,
    snapshot_date: segment.snapshotDate,
    provenance: segment.provenance,
    specs,
    registry: segment.accounts,
    totals: codes.groups.map(({ total }) => total),
    bases: groups.map(({ segment: own }, at) => ({
      snapshot: own.label,
      snapshot_date: own.snapshotDate,
      registration_status_any_of: statuses,
      accounts: codes.bases[at]?.total,
    })),
  };
  const body = withBytes(value, "facets", bytes, tookMs(call.service.clock, startMs));
  return written("CompareAnswer", { status: 200, type: JSON_TYPE, body });
}

/** Returns the comparison as a file with all values of each facet. */
async function fileCompared(
  call: CompareCall,
  { specs, facets, labels }: CompareQuestion,
  compared: Compared,
  format: FileFormat,
): Promise<ShapedAnswer<"CompareAnswer">> {
  const body = await tablesOf(call, facets, compared, { format, labels, specs });
  const disposition = `attachment; filename="comparison-${compared.segment.label}.${format}"`;
  const headers = { "Content-Disposition": disposition };
  return written("CompareAnswer", { status: 200, type: CONTENT_TYPES[format], body, headers });
}

/** Has the compute thread make the tables. */
async function tablesOf(
  call: CompareCall,
  names: readonly FacetName[],
  { codes, groups, segment }: Compared,
  file: CompareTablesTask["file"],
): Promise<Uint8Array> {
  const others = [...new Set(groups.map((group) => group.segment))].filter(
    (one) => one !== segment,
  );
  const all = [segment, ...others];
  const snapshots = groups.map((group) => all.indexOf(group.segment));
  const { tenantId } = call.identity;
  const memory = movedMemory([...codes.groups, ...codes.bases, codes.whole]);
  const context = { segment, others, payer: call, tenantId, ...memory };
  return call.service.compute.run(COMPARE_TABLES, { names, codes, snapshots, file }, context);
}
