/**
 * The thread that does long JavaScript for the requests of a server (computepool.ts).
 * Input: a work by its name, its task, the file of the snapshot.
 * Output: its value, or its refusal, as plain values.
 * Invariant: a snapshot is used only if its identity is the wanted one. Snapshots that the server
 * has closed are closed with the next work, and one with damage is opened again.
 */
import { CATALOG } from "../../console/catalogparts.ts";
import { EXPLAIN } from "../../console/explain.ts";
import { EXPLORE } from "../../console/explore.ts";
import { SAVE_SEARCH, SAVED } from "../../console/searches.ts";
import { AppError } from "../../errors.ts";
import { CHANGE_SPEC } from "../../http/api/changes/changequestion.ts";
import { ANY_EXPORT } from "../../http/api/exports/changeexport.ts";
import { EXPORT } from "../../http/api/exports/newexport.ts";
import { LEADS } from "../../http/api/leads/leads-request.ts";
import { ADD_FROM_SEARCH } from "../../http/api/lists/listsearch.ts";
import { COUNT } from "../../http/api/search/count.ts";
import { SEARCH } from "../../http/api/search/search-request.ts";
import { NORMALIZE } from "../../http/api/spec/normalize.ts";
import { TRANSLATE } from "../../http/api/spec/translate.ts";
import type { Work } from "../../http/server/compute.ts";
import { worker } from "../../process/tasks.ts";
import { openSegment, type Segment } from "../../search/segment.ts";
import { warmPart } from "../../translate/warmup.ts";
import type {
  ComputeOrder,
  ComputeOutcome,
  ComputeWork,
  SnapshotFile,
  WarmOrder,
} from "./computepool.ts";

/** Entry point for the thread pool. */
export const run = worker<ComputeWork>({ compute, warm });

const WORKS: readonly Work<never, unknown>[] = [
  ...[SEARCH, COUNT, NORMALIZE, TRANSLATE, LEADS],
  ...[EXPORT, ANY_EXPORT, CHANGE_SPEC, ADD_FROM_SEARCH],
  ...[EXPLAIN, EXPLORE, SAVE_SEARCH, SAVED, CATALOG],
];
const works = new Map(WORKS.map((work) => [work.name, work]));
const segments = new Map<string, Segment>();

async function compute({
  name,
  task,
  segment: file,
  older: olderFile,
  open,
}: ComputeOrder): Promise<ComputeOutcome | null> {
  closeAllBut(open);
  const segment = await opened(file);
  const older = olderFile === undefined ? undefined : await opened(olderFile);
  if (segment === null || older === null) return null;
  const work = works.get(name);
  if (work === undefined) throw new Error(`there is no work ${name}`);
  const spent: number[] = [];
  const payer = { spend: (cost: number) => void spent.push(cost) };
  try {
    return { spent, value: await work.run(task as never, segment, payer, older) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message: detail, errors, members, headers } = error;
    return { spent, refusal: { code, detail, errors, members, headers } };
  }
}

async function warm({ segment: file, open, part }: WarmOrder): Promise<boolean> {
  closeAllBut(open);
  const segment = await opened(file);
  return segment !== null && warmPart(segment, part);
}

/** The snapshot, or null if it is not at its path any more. */
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

function closeAllBut(open: readonly string[]): void {
  for (const [snapshotId, segment] of segments) {
    if (open.includes(snapshotId)) continue;
    segment.close();
    segments.delete(snapshotId);
  }
}
