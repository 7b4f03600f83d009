/**
 * Pass 1 of the import in the addon: one member of the dump, cleaned and spilled by company root.
 * What comes in: the task of a scan. What goes out: its result, as `scan.ts` gives it.
 * Invariant: the result and every refusal are those of the scan in TypeScript, its twin.
 */
import { openScan } from "../../../native-index/napi/engine.ts";
import type { NativeScan } from "../../../native-index/napi/import-handles.ts";
import { placeOf, readMember } from "../../dump/archive.ts";
import { CommandError } from "../../errors.ts";
import type { CodeKind } from "../codes.ts";
import { spillFileOf } from "../spill.ts";
import { tallyOf } from "../tally.ts";
import type { DumpPieces, ScanResult, ScanTask } from "./scan.ts";

/**
 * Scans a member, whose bytes come in `pieces` of any size. `portable` takes no instructions that
 * not every processor has.
 * @throws CommandError with file, line and reason when it is damaged.
 */
export async function scanNatively(
  task: ScanTask,
  pieces: DumpPieces = readMember(task.member),
  portable = false,
): Promise<ScanResult> {
  const place = placeOf(task.member);
  const scan = open(task, portable);
  try {
    let rest = 0;
    for await (const piece of pieces) {
      scan.push(piece);
      rest += piece.length;
      Atomics.add(task.progress, 0, rest >> 10);
      rest &= 1023;
    }
    return resultOf(task, place, scan);
  } catch (error) {
    throw refusalOf(place, error);
  } finally {
    scan.close();
  }
}

function open(task: ScanTask, portable: boolean): NativeScan<CodeKind> {
  const { partitions, slotBytes, keepCpf, latestDay, utf8, skipBadRows } = task;
  const type = task.member.type as "empresas" | "simples" | "estabelecimentos";
  const path = task.spillPath;
  const how = { keepCpf, latestDay, utf8, skipBadRows, portable };
  return openScan({ type, path, partitions, slotBytes, ...how });
}

function resultOf(task: ScanTask, place: string, scan: NativeScan<CodeKind>): ScanResult {
  const { rowsIn, rowsKept, codes, places, encoding, ...found } = scan.finish();
  const spill = spillFileOf(task.spillPath, task.partitions, found.extents);
  const tally = tallyOf(place, found, encoding.utf8 ? "utf8" : "windows-1252");
  return { spill, rowsIn, rowsKept, codes, places, encoding, tally };
}

/** What the addon refuses about the data is said to people; other errors stay what they are. */
function refusalOf(place: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CommandError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "DUMP_REFUSED") return new CommandError(`${place}, ${error.message}`);
  return code === "TOO_LARGE" ? new CommandError(error.message) : error;
}
