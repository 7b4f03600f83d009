/**
 * Files in the page cache and out of it, and what a process reads of them.
 * What comes in: a file; a process. What goes out: the file where it was asked for; bytes, faults.
 * Invariant: eviction is checked where `fincore` is installed; without it, it is trusted.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { evict } from "../load/server.ts";

/** Tries to evict a file. */
const EVICTIONS_MAX = 10;

/** Where a file is when a server starts. */
export type Place = "in memory" | "evicted";

/** Puts the file into memory, or out of it; pages of a process that has just ended take a while. */
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

/** Bytes that a process had the disk read, and how often it waited for a page of a file. */
export function readBy(pid: number): { readonly bytes: number; readonly faults: number } {
  const io = readFileSync(`/proc/${pid}/io`, "utf8");
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return { bytes: Number(/read_bytes: (\d+)/.exec(io)?.[1]), faults: Number(stat[9]) };
}
