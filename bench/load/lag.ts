/**
 * Reads the measurements of bench/load/lag-probe.mjs in a server: how late its event loop is, and
 * how the request thread spends the time between two samples, one millisecond apart.
 */
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Measurements of a probe since the last read, in microseconds. */
export interface LagSample {
  readonly lag99: number;
  readonly lagMax: number;
  /**
   * Time between two samples that the thread spent in turns of the event loop, without waits for a
   * processor.
   */
  readonly busy99: number;
  readonly busyMax: number;
  /** Time between two samples in which the thread was ready to run but had no processor. */
  readonly waited99: number;
  readonly waitedMax: number;
}

/** Returns the environment of a server whose probe writes its measurements to `file`. */
export function lagEnvironment(file: string): Readonly<Record<string, string>> {
  const probe = new URL("lag-probe.mjs", import.meta.url).href;
  return { NODE_OPTIONS: `--import ${probe}`, LAG_FILE: file };
}

/** Returns the measurements of the probe of a server since the last call. */
export async function takeLag(file: string, pid: number): Promise<LagSample> {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (;;) {
    await sleep(5);
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch {
      // The file is not written yet, or incomplete.
    }
  }
}
