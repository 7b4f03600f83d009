/**
 * Reads the body of a saved search, new or changed. Input: a parsed body, the plan, and a snapshot.
 * Output: the normalized spec and the options of its notices, as stored.
 * Invariant: all mistakes of a body are reported together. A spec may be arbitrarily broad, because
 * notices only list changes. An export is checked as if it were created now, so that it is not
 * refused as invalid a month later.
 */
import { includesExports, type Plan } from "../../../access/plans.ts";
import { WATCHABLE_FIELDS } from "../../../changes/kinds.ts";
import { AppError } from "../../../errors.ts";
import { exportSpec, type SavedExport } from "../../../notices/noticeexports.ts";
import type { Segment } from "../../../search/segment.ts";
import { comparingCatalog } from "../../../spec/catalog.ts";
import { isJsonObject, shown } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { readGivenName } from "../../../text/givenname.ts";
import { costOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  type ReadTask,
  readBody,
  readPatch,
  withBodyMistakes,
} from "../../server/body.ts";
import { readKinds } from "../changes/changeoptions.ts";
import { readAnySpec } from "../search/search-request.ts";

const NAME_MAX = 100;
const MEMBERS = [
  ...["name", "spec", "watch", "only_changes", "export", "feed"],
  ...["rolling_days", "paused"],
];
const EXPORT_MEMBERS = ["output", "kinds", "limit"];

/** Members of the request body of a saved search; missing ones are undefined. */
export interface ReadSearchBody {
  readonly name?: string;
  readonly spec?: AccountQuerySpec;
  /** Comma-separated names, or null for all. */
  readonly watch?: string | null;
  readonly onlyChanges?: number;
  /** JSON of a `SavedExport`, or null. */
  readonly export?: string | null;
  readonly feed?: boolean;
  /** 1 if the dates in the spec advance with each month of data. */
  readonly rolling?: number;
  readonly paused?: boolean;
}

/** A body, with the saved spec that it changes, or null for a new search. */
interface SearchBodyTask extends ReadTask {
  readonly saved: string | null;
}

/** Reads and charges a body. Throws `AppError` with every mistake in it. */
export const SEARCH_BODY: Computation<SearchBodyTask, ReadSearchBody> = {
  name: "searchBody",
  run(task, segment, payer) {
    const isNew = task.saved === null;
    const body = (isNew ? readBody : readPatch)(task.body, MEMBERS);
    payer.spend(costOf({ spec: body.members.spec }));
    const { members } = body;
    const name = isNew || members.name !== undefined ? { name: readName(body) } : {};
    const options = readOptions(body, task.plan);
    const reads = isNew || members.spec !== undefined;
    const spec = reads ? { spec: readAnySpec(task, compared(segment), body).spec } : {};
    const read = withBodyMistakes(body, () => ({ ...name, ...spec, ...options }));
    checkExport(read, task, segment);
    return read;
  },
};

/** Returns a catalog for month comparisons, which refuses specs that notices cannot use. */
function compared({ catalog }: Segment): Pick<Segment, "catalog"> {
  return { catalog: comparingCatalog(catalog) };
}

function readName({ members, mistakes }: BodyObject): string {
  const { name: sent } = members;
  const read = readGivenName(typeof sent === "string" ? sent : "", "name", NAME_MAX);
  if ("name" in read) return read.name;
  const code = sent === undefined ? "missing" : "invalid_value";
  mistakes.push({ pointer: "/name", code, detail: read.detail });
  return "";
}

function readOptions(body: BodyObject, plan: Plan): Omit<ReadSearchBody, "name" | "spec"> {
  const { members } = body;
  return {
    ...(members.watch === undefined ? {} : { watch: readWatch(body, plan) }),
    ...(members.only_changes === undefined
      ? {}
      : { onlyChanges: Number(readFlag(body, "only_changes")) }),
    ...(members.export === undefined ? {} : { export: readExport(body, plan) }),
    ...(members.feed === undefined ? {} : { feed: readFlag(body, "feed") }),
    ...(members.rolling_days === undefined
      ? {}
      : { rolling: Number(readFlag(body, "rolling_days")) }),
    ...(members.paused === undefined ? {} : { paused: readFlag(body, "paused") }),
  };
}

type FlagName = "only_changes" | "feed" | "rolling_days" | "paused";

function readFlag({ members, mistakes }: BodyObject, name: FlagName): boolean {
  const value = members[name];
  if (typeof value === "boolean") return value;
  const detail = `${name} must be true or false, not ${shown(value)}.`;
  mistakes.push({ pointer: `/${name}`, code: "wrong_type", detail });
  return false;
}

function readWatch({ members, mistakes }: BodyObject, plan: Plan): string | null {
  const { watch } = members;
  if (watch === null) return null;
  if (!Array.isArray(watch) || watch.length === 0 || watch.length > WATCHABLE_FIELDS.length) {
    const detail = "watch must be null for all fields, or a list of their names.";
    mistakes.push({ pointer: "/watch", code: "wrong_type", detail });
    return null;
  }
  for (const [at, name] of watch.entries()) {
    const known = WATCHABLE_FIELDS.find((field) => field === name);
    if (known === undefined) {
      const detail = `${shown(name)} cannot be watched. Known are ${WATCHABLE_FIELDS.join(", ")}.`;
      mistakes.push({ pointer: `/watch/${at}`, code: "not_watchable", detail });
    } else if (!plan.fields.includes(known)) {
      const detail = `The plan does not offer the field ${known}.`;
      mistakes.push({ pointer: `/watch/${at}`, code: "field_not_allowed", detail });
    }
  }
  return WATCHABLE_FIELDS.filter((field) => watch.includes(field)).join(",");
}

function readExport({ members, mistakes }: BodyObject, plan: Plan): string | null {
  const { export: sent } = members;
  if (sent === null) return null;
  if (!isJsonObject(sent)) {
    const detail = `export must be an object or null, not ${shown(sent)}.`;
    mistakes.push({ pointer: "/export", code: "wrong_type", detail });
    return null;
  }
  const own: BodyObject = { members: sent, mistakes: [] };
  for (const member of Object.keys(sent).filter((one) => !EXPORT_MEMBERS.includes(one))) {
    const known = EXPORT_MEMBERS.join(", ");
    const detail = `There is no member ${shown(member)} here; known are ${known}.`;
    own.mistakes.push({ pointer: `/${member.slice(0, 256)}`, code: "unknown_member", detail });
  }
  if (sent.output === undefined) {
    const detail = "An output is required; an empty one stands for a csv file.";
    own.mistakes.push({ pointer: "/output", code: "missing", detail });
  }
  if (!includesExports(plan)) {
    const detail = `The plan ${plan.name} does not include exports.`;
    own.mistakes.push({ pointer: "", code: "plan_not_allowed", detail });
  }
  const kinds = readKinds(own);
  const quota = plan.limits.export_rows_per_day;
  if (quota > 0 && typeof sent.limit === "number" && sent.limit > quota) {
    const detail = `Must be at most ${quota}: the plan ${plan.name} allows that many rows a day.`;
    own.mistakes.push({ pointer: "/limit", code: "quota_exceeded", detail });
  }
  mistakes.push(...own.mistakes.map((one) => ({ ...one, pointer: `/export${one.pointer}` })));
  const limit = (sent.limit ?? null) as number | null;
  const savedExport: SavedExport = { output: sent.output, kinds: [...kinds], limit };
  return JSON.stringify(savedExport);
}

/** Throws for an export that could never be created. */
function checkExport(
  read: ReadSearchBody,
  { plan, saved }: SearchBodyTask,
  segment: Segment,
): void {
  const spec = read.spec === undefined ? saved : JSON.stringify(read.spec);
  if (read.export === undefined || read.export === null || spec === null) return;
  const savedExport = JSON.parse(read.export) as SavedExport;
  try {
    exportSpec(spec, savedExport, { plan, catalog: segment.catalog });
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 422) throw error;
    const errors = error.errors.map((one) => ({
      ...one,
      pointer: one.pointer.startsWith("/spec") ? one.pointer : `/export${one.pointer}`,
    }));
    throw new AppError(error.code, error.message, { errors, members: error.members });
  }
}
