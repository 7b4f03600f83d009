/**
 * `npm start`. Input: its arguments, a checkout in any state, and the steps of build.mjs. Output:
 * packages, addon, bundle, console, and demo (each built if outdated, in parallel if possible), and
 * then a running server.
 * Invariant: the steps and their expected time are announced first. Each step is a separate
 * process, whose output is shown only on failure. A step that is up to date is not run.
 */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { clockText, criticalPath, lastTimes, runParallel, storeTimes } from "./parallelsteps.mjs";

/** All steps. Each has a description, its dependencies, and the folder that it fills. */
const STEPS = {
  packages: { does: "installs the packages of the program", after: [], grows: "node_modules" },
  addon: { does: "compiles the engine", after: [], grows: "native-index/build" },
  sqlite: { does: "downloads or compiles SQLite", after: ["packages"] },
  roaring: { does: "downloads or compiles roaring", after: ["packages"] },
  zstd: { does: "downloads or compiles zstd", after: ["packages"] },
  bundle: { does: "bundles the program", after: ["packages"] },
  console: { does: "bundles the web console", after: ["packages"] },
  dump: { does: "makes the invented companies", after: ["bundle"] },
  snapshot: { does: "imports them", after: ["dump", "addon"] },
};

/** Steps that are commands of the program; build.mjs has all others. */
const DEMO = ["dump", "snapshot"];

/**
 * Builds missing parts, then calls `serve`. `due` returns the outdated steps of build.mjs. `hold`
 * waits for another running `npm start`, and returns a release function. `place` puts the compiled
 * addon next to the bundle. `program` is the bundle's launcher.
 */
export async function start({ serve, ...options }) {
  if (missingOf(options).length > 0) {
    const release = options.hold();
    // Checks again after the wait for the lock, because another process may have built everything
    // in the meantime.
    await make({ ...options, missing: missingOf(options) });
    release();
  }
  options.place();
  serve();
}

function missingOf({ root, args, due }) {
  return [...due(), ...(hasDemo(root, args) ? [] : DEMO)];
}

/** Runs the missing steps in parallel. */
async function make({ root, args, missing, program, place, requireTools, fail }) {
  const steps = Object.entries(STEPS)
    .filter(([name]) => missing.includes(name))
    .map(([name, step]) => ({ ...step, name, run: () => runStep(name) }));
  const children = new Set();
  const runStep = async (name) => {
    const own = [path.join(root, "build.mjs"), "step", name];
    const demo = [program, "start", ...args, "--only", name];
    // The import is the first step that needs the addon.
    if (name === "snapshot") place();
    await runQuietly(DEMO.includes(name) ? demo : own, { root, name, children });
  };
  if (steps.length === 0) return;
  process.stderr.write(announcement(steps));
  if (missing.some((name) => ["addon", "sqlite", "roaring", "zstd"].includes(name))) requireTools();
  endTogether(children);
  try {
    const whole = wholeSteps(steps, root);
    const took = Object.entries(await runParallel(steps));
    storeTimes(Object.fromEntries(took.filter(([name]) => whole.includes(name))));
  } catch (error) {
    endAll(children);
    fail(error.message);
  }
}

/** Returns the steps without an existing output folder. Only their times predict a new clone's. */
export function wholeSteps(steps, root) {
  const there = ({ grows }) => grows !== undefined && fs.existsSync(path.join(root, grows));
  return steps.filter((step) => !there(step)).map(({ name }) => name);
}

/** Returns the list of steps with their last durations. */
export function announcement(steps, times = lastTimes()) {
  const { where, seconds } = times;
  const wide = Math.max(...steps.map(({ name }) => name.length));
  const lines = steps.map(({ name, does }) => {
    return `  ${name.padEnd(wide)}  ${does}, ${Math.ceil(seconds[name] ?? 0)} s`;
  });
  const all = clockText(criticalPath(steps, seconds) * 1000);
  const head = "npm start builds what is missing, in parallel, then serves the demo";
  return `${head}:\n${lines.join("\n")}\nAbout ${all} min in all (${where}).\n`;
}

function hasDemo(root, args) {
  const options = { dir: { type: "string" }, help: { type: "boolean", short: "h" } };
  const { values } = parseArgs({ args, options, strict: false });
  const dir = typeof values.dir === "string" ? values.dir : ".peneira";
  return values.help === true || fs.existsSync(path.resolve(root, dir, "demo.peneira"));
}

/** Runs a Node script to its end; throws with its output on failure. */
async function runQuietly(script, { root, name, children }) {
  const child = spawn(process.execPath, script, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    // The script gets a separate process group, so that its compilers can be ended too.
    detached: process.platform !== "win32",
  });
  children.add(child);
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => printed.push(part));
  const status = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  children.delete(child);
  if (status === 0) return;
  const output = Buffer.concat(printed).toString("utf8").trimEnd();
  throw new Error(`the step ${name} ended with ${status}\n${output}`);
}

/** On a signal, ends the process groups of running steps together with this process. */
function endTogether(children) {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) {
    process.once(signal, () => {
      if (children.size === 0) return;
      endAll(children);
      process.exit(1);
    });
  }
}

/** Ends steps and their child processes. */
function endAll(children) {
  for (const { pid } of children) {
    try {
      process.kill(process.platform === "win32" ? pid : -pid);
    } catch {
      // Already ended.
    }
  }
}
