/**
 * Measures the thread of a server that handles requests. A benchmark loads this file into the
 * server with `--import`. Input: the signal SIGUSR2. Output, in the file of LAG_FILE: how late the
 * event loop was since the last signal, and two times in each millisecond. The first is how long
 * this thread ran its event loop. The second is how long it was ready to run but had no processor.
 * Invariant: the only load that it adds is a timer of 1 ms that reads one line of /proc. Linux
 * only. /proc reports a running thread's processor time up to 4 ms late, but its waiting time is
 * current. So turns of the event loop are measured by the clock, and the waits are subtracted.
 */
import { openSync, readSync, renameSync, writeFileSync } from "node:fs";
import { createHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const RESOLUTION_MS = 1;
const file = process.env.LAG_FILE;

if (isMainThread && file !== undefined) {
  const lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  lag.enable();
  // Holds the scheduler statistics of the process's first thread, which handles requests.
  const schedule = openSync("/proc/self/schedstat", "r");
  const line = Buffer.alloc(64);
  const look = () => {
    const length = readSync(schedule, line, 0, line.length, 0);
    const waited = Number(line.toString("latin1", 0, length).split(" ")[1]);
    return { waited, active: performance.eventLoopUtilization().active * 1e6 };
  };
  const busy = createHistogram();
  const waited = createHistogram();
  let last = look();
  setInterval(() => {
    const now = look();
    const wait = now.waited - last.waited;
    waited.record(Math.max(1, wait));
    busy.record(Math.max(1, Math.round(now.active - last.active - wait)));
    last = now;
  }, RESOLUTION_MS).unref();
  process.on("SIGUSR2", () => {
    const late = (nanoseconds) => Math.max(0, nanoseconds / 1e3 - RESOLUTION_MS * 1e3);
    const seen = {
      ...{ lag99: late(lag.percentile(99)), lagMax: late(lag.max) },
      ...{ busy99: busy.percentile(99) / 1e3, busyMax: busy.max / 1e3 },
      ...{ waited99: waited.percentile(99) / 1e3, waitedMax: waited.max / 1e3 },
    };
    writeFileSync(`${file}.new`, JSON.stringify(seen));
    renameSync(`${file}.new`, file);
    for (const histogram of [lag, busy, waited]) histogram.reset();
  });
}
