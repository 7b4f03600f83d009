/**
 * One process at a time for each step of the build. What comes in: the name of a step and its work.
 * What goes out: the work, done when no other process is at the same step of this checkout; what
 * the other one made may leave nothing to do.
 * Invariant: a process that died holds nothing. Plain Node without dependencies, and nothing lies
 * in node_modules, because npm removes that.
 */
import fs from "node:fs";
import path from "node:path";

/** How often it is looked whether the other process is done. */
const LOOK_MS = 100;
/** The locks of this process. */
const held = new Set();

process.on("exit", () => {
  for (const file of held) fs.rmSync(file, { force: true });
});

/**
 * Does `work` while no other process does what has the same name in `folder`; gives what it gives.
 * `tell` gets a line where it has to wait.
 */
export function alone(turn, work) {
  const release = hold(turn);
  try {
    return work();
  } finally {
    release();
  }
}

/** Waits until no other process holds `name` in `folder`; gives what ends this one's turn. */
export function hold({ folder, name, tell }) {
  const file = path.join(folder, `${name}.lock`);
  fs.mkdirSync(folder, { recursive: true });
  for (let told = false; !taken(file); ) {
    const holder = holderOf(file);
    if (holder === undefined) continue;
    if (!lives(holder)) remove(file, holder);
    else {
      if (!told) tell(`${name}: process ${holder} is at it already; waiting for that\n`);
      told = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    }
  }
  held.add(file);
  return () => {
    held.delete(file);
    fs.rmSync(file, { force: true });
  };
}

/** Whether the lock is ours now. It is linked, because a file that is written is empty at first. */
function taken(file) {
  const own = `${file}.${process.pid}`;
  fs.writeFileSync(own, String(process.pid));
  try {
    fs.linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    fs.rmSync(own, { force: true });
  }
}

/** Who has the lock; undefined where it was given back meanwhile. */
function holderOf(file) {
  try {
    return Number(fs.readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a process of this number is there, also one of another user. */
export function lives(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Removes the lock of a process that died, unless another one has taken it since. */
function remove(file, dead) {
  const aside = `${file}.${dead}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    // Somebody else removed it between our look and now, and took it.
    if (Number(fs.readFileSync(aside, "utf8")) !== dead) fs.linkSync(aside, file);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}
