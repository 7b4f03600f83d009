/**
 * Reads a change query. Input: the members of a body (or of a query string, converted to them) and
 * the plan. Output: both snapshots (opened and retained), the normalized spec, the other options,
 * and warnings about ignored members.
 * Invariant: a refusal lists every mistake. Only the filters of a spec are used. A warning names
 * its other members. Nothing stays retained if reading throws.
 */
import type { Plan } from "../../../access/plans.ts";
import type { ChangeKind } from "../../../changes/kinds.ts";
import type { ChangePair } from "../../../changes/lists.ts";
import { changeCatalog, changeWarnings } from "../../../changes/query.ts";
import { AppError } from "../../../errors.ts";
import type { NamedPin } from "../../../lists/listbinding.ts";
import type { Segment } from "../../../search/segment.ts";
import { currentSegment } from "../../../search/segment.ts";
import type { Catalog } from "../../../spec/catalog.ts";
import { type CursorScope, decodeCursor } from "../../../spec/cursor.ts";
import { DEFAULT_FIELDS, type OutputField } from "../../../spec/fields.ts";
import { SPEC_LIMITS } from "../../../spec/limits.ts";
import { changesHash, type NormalizeContext, normalizeSpec } from "../../../spec/normalize.ts";
import { isJsonObject, shown } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { readLeadQuery } from "../../../translate/leads/leadquery.ts";
import {
  type BodyObject,
  type Computation,
  computed,
  isSmall,
  type ReadPart,
  withBodyMistakesAsync,
} from "../../server/body.ts";
import type { KeyCall } from "../../server/service.ts";
import { allowedFieldsHash, decodeListed } from "../search/page-answer.ts";
import { readCursor, SEARCH_LIMIT_DEFAULT } from "../search/search-request.ts";
import { readKinds, readSince, readWatch } from "./changeoptions.ts";
import { changesSince, noSuchMonth, openPair, pairId, type RetainedPair } from "./changepair.ts";

/** A valid change query. */
export interface ChangesRequest {
  readonly pair: RetainedPair;
  readonly spec: AccountQuerySpec;
  /** The spec bound to the lists that it names. */
  readonly bound: AccountQuerySpec;
  readonly kinds: readonly ChangeKind[];
  readonly watch: readonly OutputField[];
  readonly warnings: readonly string[];
  /** Changes per page. */
  readonly limit: number;
  /** Position of the page's first change in the list. */
  readonly from: number;
  /** The values for which the cursors of this query are valid, such as tenant and snapshots. */
  readonly scope: CursorScope;
}

/** Reads a query. Throws `AppError` with every mistake. Callers must release the pair. */
export async function readQuestion(
  call: KeyCall<"retain" | "months" | "replaced" | "secrets" | "segment" | ReadPart>,
  body: BodyObject,
): Promise<ChangesRequest> {
  const since = readSince(body);
  const cursor = readCursor(body, []);
  const kinds = readKinds(body);
  const size = readLimit(body, call.plan);
  const pair = since === null ? null : await openPair(call.service, since, cursor);
  try {
    if (since !== null && pair === null) noteMissing(call, body, { since, cursor });
    const watch = readWatch(body, call.plan, pair);
    const { spec, warnings } = await withMonths(call, () =>
      withBodyMistakesAsync(body, () => normalized(call, body, pair)),
    );
    // If there is no pair, a mistake was noted above, and this line is not reached.
    const held = pair as RetainedPair;
    const { bound } = await bindListsInPair(call, held, spec);
    const scope = scopeOf(call, held, changesHash(bound, { kinds, watch, ...spec.output }));
    const { cursor: secrets } = call.service.secrets;
    const from = cursor === null ? 0 : decodeListed(spec, cursor, scope, secrets);
    const question = { pair: held, spec, bound, kinds, watch, limit: size.limit, from, scope };
    return { ...question, warnings: [...warnings, ...size.warnings] };
  } catch (error) {
    pair?.release();
    throw error;
  }
}

/** Binds a spec to the current state of its lists, in both snapshots. */
export async function bindListsInPair(
  { service: { listed }, identity }: KeyCall<"listed">,
  { older, newer }: ChangePair,
  spec: AccountQuerySpec,
): Promise<{ readonly bound: AccountQuerySpec; readonly pins: readonly NamedPin[] }> {
  const pins = listed.pins(identity.tenantId, spec);
  return { bound: await listed.bindToAll(pins, [older, newer], spec), pins };
}

/** Runs `read`. If it refuses the month, the error lists the available months. */
export async function withMonths<Value>(
  { service }: KeyCall<"months" | "segment">,
  read: () => Promise<Value>,
): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { errors, code, message } = error;
    if (!errors.some((mistake) => mistake.code === "since_not_available")) throw error;
    throw new AppError(code, message, {
      errors,
      members: { changes_since: changesSince(service) },
    });
  }
}

interface SpecOfChanges {
  readonly spec: AccountQuerySpec;
  readonly warnings: readonly string[];
}

interface ChangeSpecTask {
  readonly input: unknown;
  readonly context: Omit<NormalizeContext, "catalog">;
}

/** Normalizes the spec of a query and collects warnings. */
export const CHANGE_SPEC: Computation<ChangeSpecTask, SpecOfChanges> = {
  name: "changeSpec",
  run({ input, context }, newer, _, [older = newer] = []) {
    const lead = isJsonObject(input) && input.kind === "lead_query";
    const { limitDefault, limitCap } = context;
    const read = lead
      ? readLeadQuery(input, { segment: newer, limitDefault, limitCap }).compiled
      : input;
    const known = { catalog: catalogOf({ older, newer }), listsKnown: true };
    const { spec, warnings } = normalizeSpec(read, { ...context, ...known });
    const ignored =
      lead && input.one_per_company !== undefined
        ? ["one_per_company of the spec is ignored: changes are listed by account."]
        : [];
    return { spec, warnings: [...ignored, ...warnings] };
  },
};

/** Normalizes a spec: a small one on this thread, others on the compute thread. */
export function normalizedFor(
  call: KeyCall<"compute">,
  input: unknown,
  { older, newer }: ChangePair,
  context: Omit<NormalizeContext, "catalog">,
): SpecOfChanges | Promise<SpecOfChanges> {
  const task = { input, context };
  // Lead queries need the translator's tables, which only the compute thread has.
  const isLead = isJsonObject(input) && input.kind === "lead_query";
  const isQuick = isSmall(call.body) && !isLead;
  if (isQuick) return CHANGE_SPEC.run(task, newer, call, [older]);
  return computed(call, CHANGE_SPEC, task, { segment: newer, others: [older] });
}

async function normalized(
  call: KeyCall<"compute" | "secondaryCnaeFull" | "segment">,
  body: BodyObject,
  pair: RetainedPair | null,
): Promise<SpecOfChanges> {
  const { service, plan } = call;
  const { members } = body;
  const here = pair === null ? currentSegment(service) : pair.newer;
  const held = pair ?? { older: here, newer: here };
  const { spec, warnings } = await normalizedFor(call, members.spec, held, {
    limitDefault: Math.min(SEARCH_LIMIT_DEFAULT, plan.limits.search_limit),
    limitCap: SPEC_LIMITS.exportLimitMax,
    fullAllowed: plan.secondaryCnaeFull && service.secondaryCnaeFull,
    allowedFields: plan.fields,
    defaultFields: DEFAULT_FIELDS,
    mode: "either",
    bodyOutput: readOutput(body),
  });
  const { format, fields } = spec.output;
  const ignored =
    format === "json" ? [] : ["format of the spec is ignored: changes come as JSON here."];
  const output = { format: "json" as const, include_explain: false, fields };
  const all = [...changeWarnings(members.spec), ...warnings, ...ignored];
  return { spec: { ...spec, output }, warnings: all };
}

/** Reads the output member: only `fields`, and `format` if it is JSON. */
function readOutput({ members, mistakes }: BodyObject): unknown {
  const { output } = members;
  if (!isJsonObject(output)) return output;
  for (const name of Object.keys(output)) {
    if (name === "fields" || (name === "format" && output.format === "json")) continue;
    const detail =
      name === "format"
        ? `Must be "json", not ${shown(output.format)}.`
        : `There is no member ${shown(name)} here; known is fields.`;
    const code = name === "format" ? "unknown_value" : "unknown_member";
    mistakes.push({ pointer: `/output/${name.slice(0, 256)}`, code, detail });
  }
  return output.fields === undefined ? undefined : { fields: output.fields };
}

/**
 * Reads the number of changes per page. Values above the plan's cap are lowered, with a warning.
 */
function readLimit({ members, mistakes }: BodyObject, plan: Plan) {
  const { search_limit: cap } = plan.limits;
  const { searchLimitMax: max } = SPEC_LIMITS;
  const { limit = Math.min(SEARCH_LIMIT_DEFAULT, cap) } = members;
  if (typeof limit !== "number" || !Number.isInteger(limit)) {
    const detail = `Must be an integer from 1 to ${max}, not ${shown(limit)}.`;
    mistakes.push({ pointer: "/limit", code: "wrong_type", detail });
  } else if (limit < 1 || limit > max) {
    const detail = `Must be from 1 to ${max}, not ${limit}.`;
    mistakes.push({ pointer: "/limit", code: "out_of_range", detail });
  } else if (limit <= cap) {
    return { limit, warnings: [] };
  } else {
    const warning = `limit was lowered from ${limit} to ${cap}, the plan's cap.`;
    return { limit: cap, warnings: [warning] };
  }
  return { limit: 1, warnings: [] };
}

/** Adds the mistake for a missing month, after a cursor's mistakes, such as `cursor_expired`. */
function noteMissing(
  call: KeyCall<"months" | "secrets" | "segment">,
  { mistakes }: BodyObject,
  { since, cursor }: { readonly since: string; readonly cursor: string | null },
): void {
  const missing = noSuchMonth(call.service, since);
  if (cursor === null) {
    mistakes.push(missing);
    return;
  }
  const none = "0".repeat(64);
  const scope = { ...bindingOf(call), snapshotId: "none", specHash: none, fieldsHash: none };
  try {
    decodeCursor(cursor, scope, call.service.secrets.cursor);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    mistakes.push(...error.errors);
    if (error.code !== "cursor_expired") mistakes.push(missing);
  }
}

function bindingOf({ identity }: KeyCall): Pick<CursorScope, "binding"> {
  return { binding: [identity.tenantId, "changes"] };
}

function scopeOf(call: KeyCall, { older, newer }: ChangePair, specHash: string): CursorScope {
  return {
    snapshotId: pairId(older.snapshotId, newer.snapshotId),
    specHash,
    fieldsHash: allowedFieldsHash(call.plan),
    ...bindingOf(call),
  };
}

const catalogs = new WeakMap<Segment, WeakMap<Segment, Catalog>>();

/** Returns a catalog with both snapshots' codes. Cached, because merging takes milliseconds. */
function catalogOf({ older, newer }: ChangePair): Catalog {
  if (older === newer) return newer.catalog;
  const ofNewer = catalogs.get(newer) ?? new WeakMap<Segment, Catalog>();
  catalogs.set(newer, ofNewer);
  const catalog = ofNewer.get(older) ?? changeCatalog(older, newer);
  ofNewer.set(older, catalog);
  return catalog;
}
