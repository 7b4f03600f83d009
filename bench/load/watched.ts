/**
 * Runs the built product as a child process and measures it through /proc, so it needs Linux.
 * Input: the parameters of the command line. Output: elapsed seconds, processor seconds of all
 * threads, peak anonymous memory, bytes read from and written to the disk, and the peak size of the
 * command's workspace, once with and once without the unfinished output file.
 * Invariant: samples are a few hundredths of a second apart, so a shorter peak is missed. The
 * processor time is that of the last sample.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { peneiraCommand } from "../questions/corpus.ts";

const POLL_MS = 30;
/**
 * The sizes of the workspace's files are measured only in every tenth sample, because looking at
 * thousands of files takes a while.
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

/**
 * Runs the product and measures it. If `out` is given, it is the path of the command's output, and
 * the workspace consists of the folder `<out>.<pid>.work` and a folder in memory. @throws Error if
 * the command fails.
 */
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
    const now = sampleOf(pid);
    most.processor = Math.max(most.processor, now.processor);
    most.anonymousBytes = Math.max(most.anonymousBytes, now.anonymousBytes);
    most.readBytes = Math.max(most.readBytes, now.readBytes);
    most.writtenBytes = Math.max(most.writtenBytes, now.writtenBytes);
    if (out === undefined || looks++ % COUNT_EVERY !== 0) return;
    const work = workOf(pid, out);
    most.workBytes = Math.max(most.workBytes, work);
    most.roomBytes = Math.max(most.roomBytes, work + bytesOf(`${out}.${pid}.partial`));
  }, POLL_MS);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`peneira ${parameters[0]} ended with ${code}`);
  return { seconds: (performance.now() - began) / 1000, ...most };
}

type Sample = Omit<Watched, "seconds" | "workBytes" | "roomBytes">;

function sampleOf(pid: number): Sample {
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
 * Returns the bytes that a file, or all files in a folder, occupy on the disk. Holes in a sparse
 * file occupy none. Returns 0 if the path does not exist.
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
