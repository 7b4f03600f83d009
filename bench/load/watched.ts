/**
 * Runs a command and measures it from outside. Input: parameters of the built product. Output:
 * seconds, processor seconds of all its threads, max anonymous memory, max bytes of its workspace
 * without and with the unfinished output, and bytes read from and written to the disk.
 * Invariant: samples are a few hundredths of a second apart and miss shorter peaks; processor time
 * is that of the last sample. Linux.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { peneiraCommand } from "../questions/corpus.ts";

const LOOK_MS = 30;
/**
 * Number of samples for each count of files. Files are counted less often, because counting
 * thousands of them takes a while.
 */
const COUNT_EVERY = 10;
const TICKS_PER_SECOND = 100;
/** Unit in which any file system reports a file's `blocks`. */
const BLOCK_BYTES = 512;
/** Folder in memory that serves as the workspace of a small import. */
const MEMORY_FOLDER = "/dev/shm";

/** Measurements of a command. */
export interface Watched {
  readonly seconds: number;
  readonly processor: number;
  readonly anonymousBytes: number;
  readonly workBytes: number;
  readonly roomBytes: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
}

/** Runs the product; files next to `out` that begin with its name are its workspace. */
export async function watch(parameters: readonly string[], out?: string): Promise<Watched> {
  const [node, main] = peneiraCommand() as [string, string];
  const began = performance.now();
  const child = spawn(node, [main, ...parameters], { stdio: ["ignore", "inherit", "inherit"] });
  const pid = child.pid as number;
  const most = {
    ...{ processor: 0, anonymousBytes: 0, workBytes: 0, roomBytes: 0 },
    ...{ readBytes: 0, writtenBytes: 0 },
  };
  let looks = 0;
  const timer = setInterval(() => {
    const now = lookAt(pid);
    most.processor = Math.max(most.processor, now.processor);
    most.anonymousBytes = Math.max(most.anonymousBytes, now.anonymousBytes);
    most.readBytes = Math.max(most.readBytes, now.readBytes);
    most.writtenBytes = Math.max(most.writtenBytes, now.writtenBytes);
    if (out === undefined || looks++ % COUNT_EVERY !== 0) return;
    const work = workOf(pid, out);
    most.workBytes = Math.max(most.workBytes, work);
    most.roomBytes = Math.max(most.roomBytes, work + bytesOf(`${out}.${pid}.partial`));
  }, LOOK_MS);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`peneira ${parameters[0]} ended with ${code}`);
  return { seconds: (performance.now() - began) / 1000, ...most };
}

type Look = Omit<Watched, "seconds" | "workBytes" | "roomBytes">;

function lookAt(pid: number): Look {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const io = readFileSync(`/proc/${pid}/io`, "utf8");
    const bytes = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(io)?.[1] ?? 0);
    return {
      readBytes: bytes("read_bytes"),
      writtenBytes: bytes("write_bytes"),
      processor: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND,
      anonymousBytes: 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0),
    };
  } catch {
    // The process ended between two samples.
    return { processor: 0, anonymousBytes: 0, readBytes: 0, writtenBytes: 0 };
  }
}

function workOf(pid: number, out: string): number {
  return bytesOf(`${out}.${pid}.work`) + bytesOf(join(MEMORY_FOLDER, `peneira-import-${pid}`));
}

/**
 * Returns the bytes that a file, or the files in a folder, take on the disk. Ranges that were freed
 * after reading do not count.
 */
export function bytesOf(place: string): number {
  try {
    if (!existsSync(place)) return 0;
    const found = statSync(place);
    if (!found.isDirectory()) return found.blocks * BLOCK_BYTES;
    return readdirSync(place).reduce((sum, name) => sum + bytesOf(join(place, name)), 0);
  } catch {
    // A running command may remove a file meanwhile.
    return 0;
  }
}
