/**
 * Loaded into a server by slow.bench.ts (`--import`). What comes in: SIGUSR2. What goes out, in the
 * file that LAG_FILE names: the lag of the event loop since the last time, and the processor time
 * that its turns took, in microseconds. Other programs of the machine add to the former only.
 * Invariant: a timer of 1 ms that asks the system once is all that it adds.
 */
import { renameSync, writeFileSync } from "node:fs";
import { createHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const RESOLUTION_MS = 1;
const file = process.env.LAG_FILE;

if (isMainThread && file !== undefined) {
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lag.enable();
  // Of all threads together; while it answers searches there is hardly another one at work.
  const runNs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1e3;
  };
  const busy = createHistogram();
  let last = runNs();
  setInterval(() => {
    const now = runNs();
    busy.record(Math.max(1, now - last));
    last = now;
  }, RESOLUTION_MS).unref();
  process.on("SIGUSR2", () => {
    const late = (nanoseconds) => Math.max(0, nanoseconds / 1e3 - RESOLUTION_MS * 1e3);
    const seen = {
      ...{ lag99: late(lag.percentile(99)), lagMax: late(lag.max) },
      ...{ busy99: busy.percentile(99) / 1e3, busyMax: busy.max / 1e3 },
    };
    writeFileSync(`${file}.new`, JSON.stringify(seen));
    renameSync(`${file}.new`, file);
    lag.reset();
    busy.reset();
  });
}
