/**
 * Where the demo of a folder runs. What comes in: its folder; the address of a server that answers.
 * What goes out: the right to work on its state, or words that lead to the server that has it.
 * Invariant: the address is only told while its process is there. It is no secret.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../../errors.ts";
import { isRunning } from "../../process/system.ts";
import { lockDataDir } from "../../store/database.ts";

const FILE = "running.json";
/** How often is looked again, and how often at most where no start of a demo has the state. */
const LOOK_MS = 100;
const LOOKS_MAX = 100;

/** Writes down where the server of this process answers. */
export function noteRunning(dir: string, url: string): void {
  note(dir, url);
}

/**
 * Claims the state of a demo, as `lockDataDir` does, and notes that this process starts there.
 * Where another start has it, waits for as long as that one takes: it answers, or ends and leaves
 * the state. `pause` lets time pass between two looks. @throws CommandError that says where the
 * server answers that works on it.
 */
export async function claimDemo(
  dir: string,
  dataDir: string,
  pause: () => Promise<unknown> = () => sleep(LOOK_MS),
): Promise<() => void> {
  for (let looks = 0; ; ) {
    try {
      const unlock = lockDataDir(dataDir);
      note(dir, null);
      return unlock;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const running = readRunning(dir);
      if (typeof running?.url === "string") {
        throw new CommandError(wordsOf(running.pid, running.url), 1, error);
      }
      // A start that is noted will say more; another holder, such as peneira serve, never does.
      if (running === null && ++looks >= LOOKS_MAX) throw error;
    }
    await pause();
  }
}

/** The address is null until the server answers. */
function note(dir: string, url: string | null): void {
  writeFileSync(path.join(dir, FILE), `${JSON.stringify({ pid: process.pid, url })}\n`);
}

function wordsOf(pid: number, url: string): string {
  return (
    `It runs already, at ${url} (process ${pid}): stop that one first,\n` +
    "or start another demo beside it: npm start -- --dir .peneira-2 --listen 127.0.0.1:0"
  );
}

function readRunning(dir: string): { readonly pid: number; readonly url: string | null } | null {
  try {
    const read = JSON.parse(readFileSync(path.join(dir, FILE), "utf8")) as Record<string, unknown>;
    const { pid, url } = read;
    if (typeof pid !== "number" || (typeof url !== "string" && url !== null)) return null;
    return isRunning(pid) ? { pid, url } : null;
  } catch {
    // Not there yet, or in the middle of being written.
    return null;
  }
}
