/**
 * Runs steps in parallel, shows the elapsed time, and records how long each step took, for `npm
 * start`. Input: steps with their dependencies. Output: all steps done, a line at the start and end
 * of each, and its duration; the times of this machine's last run, or built-in ones if there is
 * none.
 * Invariant: a step starts when its dependencies are done. After a failure, no further step starts,
 * and running steps are not awaited. At most one line per second is written. Times are stored in
 * the user's cache folder, because a new clone has none. If their file is inaccessible, it counts
 * as missing.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";

/** Seconds of each step in a new clone, on two cores, if packages have no prebuilt binaries. */
const MEASURED = {
  where: "two cores of a shared virtual machine",
  seconds: {
    packages: 11,
    addon: 83,
    sqlite: 58,
    roaring: 32,
    zstd: 30,
    bundle: 5,
    console: 3,
    dump: 7,
    snapshot: 5,
  },
};

/** Returns how long the steps took when they last ran, as `{ where, seconds }`. */
export function lastTimes(file = fileOf()) {
  try {
    const { seconds } = JSON.parse(fs.readFileSync(file, "utf8"))[machine()];
    const known = Object.entries(seconds).filter(([, value]) => Number.isFinite(value));
    const where = "this machine, the last time";
    return { where, seconds: { ...MEASURED.seconds, ...Object.fromEntries(known) } };
  } catch {
    return MEASURED;
  }
}

/** Stores the seconds of the steps that ran. Leaves the stored times of other steps unchanged. */
export function storeTimes(seconds, file = fileOf()) {
  try {
    const all = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
    const rounded = Object.entries(seconds).map(([name, value]) => [name, Math.ceil(value)]);
    const merged = { ...all[machine()]?.seconds, ...Object.fromEntries(rounded) };
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify({ ...all, [machine()]: { seconds: merged } })}\n`);
  } catch {
    // The times are only estimates, so it is harmless if they cannot be stored.
  }
}

/**
 * Returns a key for machines on which the steps take about as long: platform, architecture, and
 * number of processors.
 */
function machine() {
  return `${process.platform}-${process.arch}-${os.availableParallelism()}`;
}

function fileOf() {
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  return path.join(caches, "peneira", "start.json");
}

/** How often the progress is updated: on a terminal, and elsewhere. */
const TICK_MS = 1_000;
const REPORT_MS = 15_000;

/**
 * Runs the steps `{ name, after, run }`. `after` lists the steps that must be done first; a name
 * without a step counts as done. Returns the seconds of each step by name. If a step fails,
 * rethrows the first failure.
 */
export async function runParallel(steps, { out = process.stderr } = {}) {
  const clock = new Clock(out);
  const seconds = {};
  const running = new Map();
  const begin = (step) => {
    if (running.has(step.name)) return running.get(step.name);
    const wanted = steps.filter(({ name }) => step.after.includes(name));
    const ended = Promise.all(wanted.map(begin)).then(async () => {
      const began = clock.begins(step.name);
      await step.run();
      seconds[step.name] = clock.ends(step.name, began);
    });
    running.set(step.name, ended);
    return ended;
  };
  try {
    await Promise.all(steps.map(begin));
    return seconds;
  } finally {
    clock.stop();
  }
}

/** Returns the seconds of the longest chain of dependent steps. `seconds`: those of each step. */
export function criticalPath(steps, seconds) {
  const endOf = (step) => {
    const before = steps.filter(({ name }) => step.after.includes(name)).map(endOf);
    return Math.max(0, ...before) + (seconds[step.name] ?? 0);
  };
  return Math.max(0, ...steps.map(endOf));
}

/** Formats minutes and seconds as `1:05`. */
export function clockText(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Progress. A terminal's last line is redrawn; elsewhere, running steps are printed repeatedly. */
class Clock {
  #out;
  #began = performance.now();
  #running = new Map();
  #timer;

  constructor(out) {
    this.#out = out;
    const tick = out.isTTY ? () => this.#move() : () => this.#line(`still ${this.#atWork()}`);
    this.#timer = setInterval(tick, out.isTTY ? TICK_MS : REPORT_MS).unref();
  }

  begins(name) {
    const now = performance.now();
    this.#running.set(name, now);
    this.#line(`${name} …`);
    return now;
  }

  ends(name, began) {
    const seconds = (performance.now() - began) / 1000;
    this.#running.delete(name);
    this.#line(`${name} ${seconds.toFixed(1)} s`);
    return seconds;
  }

  stop() {
    clearInterval(this.#timer);
    if (this.#out.isTTY) this.#out.write("\r\u001b[K");
  }

  #line(text) {
    const clear = this.#out.isTTY ? "\r\u001b[K" : "";
    this.#out.write(`${clear}  ${clockText(performance.now() - this.#began)}  ${text}\n`);
  }

  #move() {
    const clock = clockText(performance.now() - this.#began);
    const line = `  ${clock}  ${this.#atWork()}`;
    this.#out.write(`\r\u001b[K${line.slice(0, (this.#out.columns ?? 80) - 1)}`);
  }

  #atWork() {
    const now = performance.now();
    const each = [...this.#running].map(([name, began]) => `${name} ${clockText(now - began)}`);
    return each.join(" · ");
  }
}
