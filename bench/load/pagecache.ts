/**
 * Loads files into the page cache and evicts them, and measures how much a process reads from the
 * disk.
 * Invariant: eviction is checked if `fincore` is installed; otherwise it is assumed.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { evict } from "./server.ts";

/** Maximum number of attempts to evict a file. */
const EVICTIONS_MAX = 10;

/** Where a file is when a server starts. */
export type Place = "in memory" | "evicted";

/**
 * Loads the file into memory, or evicts it. Evicting takes a while if a process that used the file
 * has just ended.
 */
export async function place(file: string, where: Place): Promise<void> {
  if (where === "in memory") {
    spawnSync("cat", [file], { stdio: "ignore" });
    return;
  }
  for (let tries = 0; tries < EVICTIONS_MAX; tries++) {
    if (!evict(file)) throw new Error("the file cannot be evicted here");
    const found = spawnSync("fincore", ["-bn", "-o", "RES", file], { encoding: "utf8" });
    if (found.status !== 0 || Number(found.stdout) === 0) return;
    await sleep(500);
  }
  throw new Error("some of the file stays in memory");
}

/** Returns how many bytes a process has read from the disk, and its major page faults. */
export function readBy(pid: number): { readonly bytes: number; readonly faults: number } {
  const io = readFileSync(`/proc/${pid}/io`, "utf8");
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return { bytes: Number(/read_bytes: (\d+)/.exec(io)?.[1]), faults: Number(stat[9]) };
}
