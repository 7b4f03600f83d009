/**
 * Exports of accounts and of changes: `POST /v1/exports` without and with `since`.
 * Input: the request; for changes, also an older month, kinds, and watched fields. Output: 201 with
 * the export, queued or in its current state.
 * Invariant: a body is parsed only once, for both kinds of export. The rows of a change export are
 * counted exactly before the export is queued, so the list of changes exists by then. Both
 * snapshots are pinned (kept by hard links) for the export before the answer.
 */

import { type ChangeQuery, changeWarnings } from "../../../changes/query.ts";
import type { AcceptedExport } from "../../../export/exporter.ts";
import { refuseTooManyRows } from "../../../export/formats/format.ts";
import type { ExportFormat } from "../../../export/record.ts";
import { currentSegment } from "../../../search/segment.ts";
import { isJsonObject, type JsonObject } from "../../../spec/reader.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { costOf } from "../../server/admission.ts";
import {
  type BodyObject,
  type Computation,
  checkMembers,
  type ReadPart,
  type ReadTask,
  readMembers,
  readRequest,
  withBodyMistakesAsync,
} from "../../server/body.ts";
import type { HttpAnswer, ShapedAnswer } from "../../server/respond.ts";
import type { Reply } from "../../server/routetable.ts";
import type { KeyCall } from "../../server/service.ts";
import { CHANGE_MEMBERS, readKinds, readSince, readWatch } from "../changes/changeoptions.ts";
import { openList, totalsOf } from "../changes/changepage.ts";
import { noSuchMonth, openPair, type RetainedPair } from "../changes/changepair.ts";
import { bindListsInPair, normalizedFor, withMonths } from "../changes/changes-request.ts";
import { answerWith } from "../search/search.ts";
import {
  acceptAccounts,
  created,
  type ExportContext,
  exportContext,
  exportContextOf,
  hasLimit,
  MEMBERS,
  readExport,
  replayed,
  withCapWarning,
} from "./newexport.ts";

type AnyExportCall = KeyCall<
  | "changeLists"
  | "clock"
  | "engine"
  | "exporter"
  | "retain"
  | ReadPart
  | "months"
  | "replaced"
  | "segment"
  | "stopping"
  | "telemetry"
>;

/** Creates an export of accounts or of changes and answers with it. */
export function createAnyExport(call: AnyExportCall): Reply<ShapedAnswer<"CreatedExport">> {
  return whenAnyAccepted(call, (accepted) => created(call, accepted));
}

/** Creates an export of accounts or of changes and builds the answer with `show`. */
export function whenAnyAccepted<Answer extends HttpAnswer>(
  call: AnyExportCall,
  show: (accepted: AcceptedExport) => Answer,
): Reply<Answer> {
  const accepted = acceptExport(call);
  return accepted instanceof Promise ? accepted.then(show) : show(accepted);
}

/** Spec of an account export, or members of a change export. */
type ReadEither =
  | ({ readonly kind: "accounts" } & ReturnType<typeof readExport>)
  | { readonly kind: "changes"; readonly members: JsonObject };

/** Reads an export request; account exports are charged here. */
export const ANY_EXPORT: Computation<ReadTask, ReadEither> = {
  name: "anyExport",
  run(task, segment, payer) {
    const members = readMembers(task.body);
    // If the body has a member that only change exports have, it requests a change export, even if
    // the member's value is invalid.
    const known = CHANGE_MEMBERS.some((name) => members[name] !== undefined);
    if (known) return { kind: "changes", members };
    const body = checkMembers(members, MEMBERS);
    return { kind: "accounts", ...readExport(task, segment, body, payer) };
  },
};

/** Queues the requested export, or returns the export that an equal earlier request created. */
export function acceptExport(call: AnyExportCall): AcceptedExport | Promise<AcceptedExport> {
  const context = exportContextOf(call);
  const before = replayed(call, context);
  if (before !== null) return before;
  const segment = currentSegment(call.service);
  return answerWith(call, segment, readRequest(call, segment, ANY_EXPORT), (read) => {
    if (read.kind === "accounts") return acceptAccounts(call, segment, context, read);
    return acceptChanges(
      call,
      context,
      checkMembers(read.members, [...MEMBERS, ...CHANGE_MEMBERS]),
    );
  });
}

async function acceptChanges(
  call: KeyCall<
    | "changeLists"
    | "clock"
    | "exporter"
    | "retain"
    | ReadPart
    | "months"
    | "replaced"
    | "segment"
    | "stopping"
    | "telemetry"
  >,
  context: ExportContext,
  body: BodyObject,
): Promise<AcceptedExport> {
  call.spend(costOf({ spec: body.members.spec }));
  const since = readSince(body);
  const pair = since === null ? null : await openPair(call.service, since, null);
  try {
    if (since !== null && pair === null) body.mistakes.push(noSuchMonth(call.service, since));
    const kinds = readKinds(body);
    const watch = readWatch(body, call.plan, pair);
    const spec = await withMonths(call, () =>
      withBodyMistakesAsync(body, () => exportSpec(call, body, pair)),
    );
    // If the pair is missing, the mistake was noted above.
    const { older, newer: segment } = pair as RetainedPair;
    const { bound, pins: lists } = await bindListsInPair(call, pair as RetainedPair, spec);
    const question = { spec: bound, kinds, watch };
    const { rows, matches } = await countRows(call, pair as RetainedPair, question);
    const shownSpec = hasLimit(body) ? spec : withCapWarning(spec, matches);
    const changes = { older, kinds, watch };
    return call.service.exporter.create({
      ...context,
      spec: shownSpec,
      segment,
      rows,
      lists,
      changes,
    });
  } finally {
    pair?.release();
  }
}

/** Normalizes the spec of an account or change export. Warns about ignored members. */
async function exportSpec(
  call: KeyCall<ReadPart | "segment">,
  body: BodyObject,
  pair: RetainedPair | null,
): Promise<AccountQuerySpec> {
  const { spec: input, output } = body.members;
  const here = pair === null ? currentSegment(call.service) : pair.newer;
  const context = exportContext(
    { plan: call.plan, secondaryCnaeFull: call.service.secondaryCnaeFull },
    body,
  );
  const held = pair ?? { older: here, newer: here };
  const { spec, warnings } = await normalizedFor(call, input, held, context);
  if (spec.output.include_explain) {
    const own = isJsonObject(output) && output.include_explain === true;
    const pointer = own ? "/output/include_explain" : "/spec/output/include_explain";
    const detail = "Leave include_explain out: an export of changes has no scores to explain.";
    body.mistakes.push({ pointer, code: "not_with_since", detail });
  }
  // `limit` is not ignored: it caps the rows of the file.
  const ignored = isJsonObject(input) ? changeWarnings({ ...input, limit: undefined }) : [];
  const all = new Set([...spec.explain.warnings, ...ignored, ...warnings]);
  return { ...spec, explain: { ...spec.explain, warnings: [...all] } };
}

/** Returns the exact numbers of rows and matches. Refuses more rows than the format holds. */
async function countRows(
  call: KeyCall<"changeLists" | "clock" | "stopping" | "telemetry">,
  pair: RetainedPair,
  question: Pick<ChangeQuery, "spec" | "kinds" | "watch">,
): Promise<{ readonly rows: number; readonly matches: number }> {
  const held = await openList(call, { pair });
  try {
    const totals = await totalsOf(call.service, { ...question, list: held.list });
    const matches = question.kinds.reduce((sum, kind) => sum + totals[kind], 0);
    const rows = Math.min(matches, question.spec.limit);
    refuseTooManyRows(question.spec.output.format as ExportFormat, rows);
    return { rows, matches };
  } finally {
    held.release();
  }
}
