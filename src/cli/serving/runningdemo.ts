/**
 * Where the demo of a folder runs. What comes in: its folder; the address of a server that answers.
 * What goes out: the right to work on its state, or words that lead to the server that has it.
 * Invariant: the address is only told while its process is there. It is no secret.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../../errors.ts";
import { isRunning } from "../../livingprocess.ts";
import { lockDataDir } from "../../store/database.ts";

const FILE = "running.json";
/** How long is waited for the address of a server that is starting, and how often is looked. */
const WAIT_MS = 10_000;
const LOOK_MS = 100;

/** Writes down where the server of this process answers. */
export function noteRunning(dir: string, url: string): void {
  writeFileSync(path.join(dir, FILE), `${JSON.stringify({ pid: process.pid, url })}\n`);
}

/**
 * Claims the state of a demo, as `lockDataDir` does. @throws CommandError that says where the
 * server answers that works on it.
 */
export async function claimDemo(dir: string, dataDir: string): Promise<() => void> {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += LOOK_MS) {
      const words = wordsOfRunning(dir);
      if (words !== null) throw new CommandError(words, 1, error);
      await sleep(LOOK_MS);
    }
    throw error;
  }
}

function wordsOfRunning(dir: string): string | null {
  const running = readRunning(dir);
  if (running === null) return null;
  const { pid, url } = running;
  return (
    `It runs already, at ${url} (process ${pid}): stop that one first,\n` +
    "or start another demo beside it: npm start -- --dir .peneira-2 --listen 127.0.0.1:0"
  );
}

function readRunning(dir: string): { readonly pid: number; readonly url: string } | null {
  try {
    const read = JSON.parse(readFileSync(path.join(dir, FILE), "utf8")) as Record<string, unknown>;
    const { pid, url } = read;
    if (typeof pid !== "number" || typeof url !== "string") return null;
    return isRunning(pid) ? { pid, url } : null;
  } catch {
    // Not there yet, or in the middle of being written.
    return null;
  }
}
