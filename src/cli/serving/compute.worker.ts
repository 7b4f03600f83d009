/**
 * The worker thread for long computations of requests (computepool.ts). Input: the name of a
 * computation, its task, and the file of a snapshot. Output: a value or an error, as plain data.
 * Invariant: a snapshot is used only if its identity matches. When the server has closed a
 * snapshot, the thread closes it before the next task or at the next sweep. A damaged snapshot is
 * opened again.
 */
import { CATALOG } from "../../console/catalogparts.ts";
import { EXPLAIN } from "../../console/explain.ts";
import { EXPLORE } from "../../console/explore.ts";
import { SAVE_SEARCH, SAVED } from "../../console/searches.ts";
import { WORKBOOK } from "../../console/workbook.ts";
import { AppError, type ErrorCode, type Mistake } from "../../errors.ts";
import { CHANGE_SPEC } from "../../http/api/changes/changes-request.ts";
import { ENRICH } from "../../http/api/enrichment/enrich.ts";
import { ANY_EXPORT } from "../../http/api/exports/changeexport.ts";
import { EXPORT } from "../../http/api/exports/newexport.ts";
import { LEADS } from "../../http/api/leads/leads-request.ts";
import { ADD_FROM_SEARCH } from "../../http/api/lists/listsearch.ts";
import { COMPARE } from "../../http/api/search/compare.ts";
import { COMPARE_TABLES } from "../../http/api/search/compare-tables.ts";
import { COUNT } from "../../http/api/search/count.ts";
import { COUNT_TABLES } from "../../http/api/search/count-tables.ts";
import { SEARCH } from "../../http/api/search/search-request.ts";
import { SEARCH_BODY } from "../../http/api/searches/searchbody.ts";
import { NORMALIZE } from "../../http/api/spec/spec.ts";
import { TRANSLATE } from "../../http/api/spec/translate.ts";
import type { Computation } from "../../http/server/body.ts";
import { worker } from "../../process/tasks.ts";
import { openSegment, type Segment } from "../../search/segment.ts";
import { useDescriptors } from "../../translate/activities/officialtexts.ts";
import { warmPart } from "../../translate/warmup.ts";

/** Path and identity of a snapshot. */
export interface SnapshotFile {
  readonly path: string;
  readonly snapshotId: string;
}

/** A computation sent to the thread. */
export interface ComputeOrder {
  readonly name: string;
  readonly task: unknown;
  readonly segment: SnapshotFile;
  readonly others: readonly SnapshotFile[];
  /** Identities of the snapshots that the server has open. The thread closes all others. */
  readonly open: readonly string[];
  /** Texts of activities used in addition to the official names, as JSON. They never change. */
  readonly descriptors: Uint8Array;
}

/** Outcome of a computation. If a snapshot is no longer at its path, this is the task itself. */
export type ComputeOutcome =
  | { readonly returned: unknown }
  | ({
      /** Costs that the computation charged, in order. */
      readonly spent: readonly number[];
    } & ({ readonly value: unknown } | { readonly refusal: Refusal }));

/** The data of an `AppError`. Sent between threads, the error itself would lose its class. */
interface Refusal {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: readonly Mistake[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** An order to make one part of the translator's tables. */
export interface WarmOrder extends Pick<ComputeOrder, "segment" | "open" | "descriptors"> {
  readonly part: number;
}

/** Functions of the thread. */
export interface ComputeWork {
  readonly compute: readonly [ComputeOrder, ComputeOutcome];
  /** Makes a part of the translator's tables. Returns true if further parts follow. */
  readonly warm: readonly [WarmOrder, boolean];
  /** Closes all other snapshots. */
  readonly close: readonly [ComputeOrder["open"], undefined];
}

/** Entry point for the thread pool. */
export const run = worker<ComputeWork>({ compute, warm, close });

const COMPUTATIONS: readonly Computation<never, unknown>[] = [
  ...[SEARCH, COUNT, COUNT_TABLES, COMPARE, COMPARE_TABLES, NORMALIZE, TRANSLATE, LEADS],
  ...[EXPORT, ANY_EXPORT, CHANGE_SPEC, ADD_FROM_SEARCH, ENRICH],
  ...[EXPLAIN, EXPLORE, SAVE_SEARCH, SAVED, CATALOG, SEARCH_BODY, WORKBOOK],
];
const computations = new Map(COMPUTATIONS.map((one) => [one.name, one]));
const segments = new Map<string, Segment>();

async function compute({
  name,
  task,
  segment: file,
  others: files,
  ...around
}: ComputeOrder): Promise<ComputeOutcome> {
  prepare(around);
  const segment = await opened(file);
  const others: Segment[] = [];
  for (const one of files) {
    const other = await opened(one);
    if (other !== null) others.push(other);
  }
  if (segment === null || others.length < files.length) return { returned: task };
  const work = computations.get(name);
  if (work === undefined) throw new Error(`there is no computation ${name}`);
  const spent: number[] = [];
  const payer = { spend: (cost: number) => void spent.push(cost) };
  try {
    return { spent, value: await work.run(task as never, segment, payer, others) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message: detail, errors, members, headers } = error;
    return { spent, refusal: { code, detail, errors, members, headers } };
  }
}

async function warm({ segment: file, part, ...around }: WarmOrder): Promise<boolean> {
  prepare(around);
  const segment = await opened(file);
  return segment !== null && warmPart(segment, part);
}

async function opened({ path, snapshotId }: SnapshotFile): Promise<Segment | null> {
  const known = segments.get(snapshotId);
  if (known !== undefined && !known.native.poisoned()) return known;
  known?.close();
  segments.delete(snapshotId);
  const segment = await openSegment(path).catch(() => null);
  if (segment === null) return null;
  if (segment.snapshotId !== snapshotId) {
    segment.close();
    return null;
  }
  segments.set(snapshotId, segment);
  return segment;
}

let isPrepared = false;

/** Sets the texts of activities once. Closes the snapshots that the server has closed. */
function prepare({ open, descriptors }: Pick<ComputeOrder, "open" | "descriptors">): void {
  if (!isPrepared) useDescriptors(JSON.parse(Buffer.from(descriptors).toString()));
  isPrepared = true;
  close(open);
}

function close(open: readonly string[]): undefined {
  for (const [snapshotId, segment] of segments) {
    if (open.includes(snapshotId)) continue;
    segment.close();
    segments.delete(snapshotId);
  }
}
