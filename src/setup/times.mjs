/**
 * How long the steps of `npm start` took the last time. What comes in: seconds by step. What goes
 * out: those of the last run on this machine, or where there was none, of the one they were
 * measured on.
 * Invariant: kept in the user's cache folder, because a new clone has no memory of its own; a file
 * that cannot be read or written is as good as none.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Seconds of each step in a new clone, two cores, no prebuilt binaries of packages to be had. */
const MEASURED = {
  where: "two cores of a shared virtual machine",
  seconds: {
    packages: 11,
    addon: 83,
    sqlite: 58,
    roaring: 32,
    bundle: 5,
    console: 3,
    dump: 7,
    snapshot: 5,
  },
};

/** What is known: `{ where, seconds }`. */
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

/** Keeps the seconds of steps that ran; those of others stay. */
export function keepTimes(seconds, file = fileOf()) {
  try {
    const all = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
    const rounded = Object.entries(seconds).map(([name, value]) => [name, Math.ceil(value)]);
    const merged = { ...all[machine()]?.seconds, ...Object.fromEntries(rounded) };
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${JSON.stringify({ ...all, [machine()]: { seconds: merged } })}\n`);
  } catch {
    // A guess that is missing next time harms nobody.
  }
}

/** What times depend on most. */
function machine() {
  return `${process.platform}-${process.arch}-${os.availableParallelism()}`;
}

function fileOf() {
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  return path.join(caches, "peneira", "start.json");
}
