/**
 * The steps of the build, each run by one process at a time, and the files of a checkout that are
 * their inputs. Input: the places of a checkout and its caches; the name of a step and its work.
 * Output: steps that run where their inputs changed since they last succeeded, or that are only
 * named.
 * Invariant: a stamp is written when its step is done, never before; while one process of a
 * checkout is at a step, any other one waits and finds it made; a process that died holds nothing.
 * Paths are relative to the root and come in a fixed order; a missing folder is empty. Plain Node
 * without dependencies, and nothing lies in node_modules, because npm removes that.
 */

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";

/** Makes `filesIn(dir, pattern, skip)`: files whose name fits, without folders named by `skip`. */
export function filesBelow(root) {
  const filesIn = (dir, pattern, skip = /^$/) => {
    const full = path.join(root, dir);
    if (!fs.existsSync(full)) return [];
    return fs
      .readdirSync(full, { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const child = path.posix.join(dir, entry.name);
        if (entry.isDirectory()) return skip.test(entry.name) ? [] : filesIn(child, pattern, skip);
        return pattern.test(entry.name) ? [child] : [];
      });
  };
  return filesIn;
}

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
function alone(turn, work) {
  const release = hold(turn);
  try {
    return work();
  } finally {
    release();
  }
}

/** Waits until no other process holds `name` in `folder`; gives what ends this one's turn. */
function hold({ folder, name, tell }) {
  const file = path.join(folder, `${name}.lock`);
  fs.mkdirSync(folder, { recursive: true });
  for (let told = false; !taken(file); ) {
    const holder = holderOf(file);
    if (holder === undefined) continue;
    if (!lives(holder)) remove(file, holder);
    else {
      if (!told) tell(`${name}: process ${holder} is running this step; waiting for it\n`);
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

/** Steps of the checkout at `root`, whose stamps lie in `cache`. */
export class Steps {
  #root;
  #cache;
  #locks;
  /** Names of the steps that have something to do, while it is asked for them; else null. */
  #planned = null;

  constructor({ root, cache }) {
    this.#root = root;
    this.#cache = cache;
    this.#locks = path.join(root, ".cache", "locks");
  }

  /** Which steps have something to do, of those that `steps` runs; none of them is run. */
  due(steps) {
    this.#planned = [];
    steps();
    const due = this.#planned;
    this.#planned = null;
    return due;
  }

  /** Runs a step unless the hash of its inputs is the one of its last success. */
  upToDate({ name, inputs, salt, outputs }, action) {
    const digest = this.digestOf(inputs, salt);
    const stamp = path.join(this.#cache, name);
    const done = () =>
      fs.existsSync(stamp) &&
      fs.readFileSync(stamp, "utf8") === digest &&
      outputs.every((file) => fs.existsSync(file));
    if (done()) return;
    this.inTurn(name, () => {
      if (done()) return;
      this.step(name, action);
      if (this.#planned !== null) return;
      fs.mkdirSync(this.#cache, { recursive: true });
      fs.writeFileSync(stamp, digest);
    });
  }

  /** Does what no other process may do to this checkout meanwhile; a plan needs no turn. */
  inTurn(name, work) {
    return this.#planned === null ? alone(this.#turn(name), work) : work();
  }

  /** Begins what no other process may do meanwhile; gives what ends it. */
  hold(name) {
    return hold(this.#turn(name));
  }

  #turn(name) {
    return { folder: this.#locks, name, tell: (line) => process.stderr.write(line) };
  }

  /** A hash of what files hold, and of what else a step depends on. */
  digestOf(inputs, salt) {
    const hash = createHash("sha256").update(salt);
    for (const file of [...new Set(inputs)].sort()) {
      hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(this.#root, file)));
    }
    return hash.digest("hex");
  }

  /** Runs a step with a line before and after it, or names it where that is asked. */
  step(name, action) {
    if (this.#planned !== null) return this.#planned.push(name);
    const began = performance.now();
    process.stderr.write(`${name} …\n`);
    action();
    process.stderr.write(`${name} ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  }
}
