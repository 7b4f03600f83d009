/**
 * Build steps, each run by one process at a time, and the input files of a checkout. Input: the
 * folders of a checkout and its caches; the name of a step and its work. Output: a step runs if its
 * inputs have changed since its last success. `due` only lists such steps.
 * Invariant: a stamp, which records a success, is written only after its step is done. While one
 * process of a checkout runs a step, others wait and then find it done. The lock of a dead process
 * is ignored. Paths are relative to the root and sorted. A missing folder counts as empty. The code
 * is plain Node without dependencies. Nothing is stored in node_modules, because npm would remove
 * it.
 */

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";

/**
 * Returns the function `filesIn(dir, pattern, skip)`. It returns the files with a matching name,
 * without those in `skip` folders.
 */
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

/** Interval at which a waiting process checks the lock, in milliseconds. */
const POLL_MS = 100;
/** The locks that this process holds. */
const held = new Set();

process.on("exit", () => {
  for (const file of held) fs.rmSync(file, { force: true });
});

/** Runs `work` while holding a lock; returns its result. */
function alone(turn, work) {
  const release = hold(turn);
  try {
    return work();
  } finally {
    release();
  }
}

/**
 * Waits until no other process holds the lock `name` in `folder`. Takes the lock, and returns a
 * function that releases it.
 */
function hold({ folder, name, report }) {
  const file = path.join(folder, `${name}.lock`);
  fs.mkdirSync(folder, { recursive: true });
  for (let reported = false; !taken(file); ) {
    const holder = holderOf(file);
    if (holder === undefined) continue;
    if (!lives(holder)) remove(file, holder);
    else {
      if (!reported) report(`${name}: process ${holder} is running this step; waiting for it\n`);
      reported = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    }
  }
  held.add(file);
  return () => {
    held.delete(file);
    fs.rmSync(file, { force: true });
  };
}

/**
 * Tries to take the lock. It is created as a hard link to a complete file, because a file created
 * directly would be empty for a moment.
 */
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

/** Returns the process id of the lock's holder; undefined if the lock has been released. */
function holderOf(file) {
  try {
    return Number(fs.readFileSync(file, "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** True if a process with this id exists, even of another user. */
export function lives(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Removes the lock of a dead process, unless another process has taken it since. */
function remove(file, dead) {
  const aside = `${file}.${dead}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    // If another process has taken the lock since the check, the removed file is that process's
    // lock. It is then put back.
    if (Number(fs.readFileSync(aside, "utf8")) !== dead) fs.linkSync(aside, file);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

/** The build steps of the checkout at `root`. `cache` has the stamps that record successes. */
export class Steps {
  #root;
  #cache;
  #locks;
  /** Names of outdated steps while `due` runs; else null. */
  #planned = null;

  constructor({ root, cache }) {
    this.#root = root;
    this.#cache = cache;
    this.#locks = path.join(root, ".cache", "locks");
  }

  /** Calls `steps` without running any step; returns the names of outdated steps. */
  due(steps) {
    this.#planned = [];
    steps();
    const due = this.#planned;
    this.#planned = null;
    return due;
  }

  /** Runs a step, unless its inputs have the same hash as at its last success. */
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

  /** Runs work that one process of this checkout may do at a time. `due` needs no lock. */
  inTurn(name, work) {
    return this.#planned === null ? alone(this.#turn(name), work) : work();
  }

  /** Waits until only this process does the work `name`. Returns a function that ends this. */
  hold(name) {
    return hold(this.#turn(name));
  }

  #turn(name) {
    return { folder: this.#locks, name, report: (line) => process.stderr.write(line) };
  }

  /** Returns a hash of file contents and of a step's other inputs. */
  digestOf(inputs, salt) {
    const hash = createHash("sha256").update(salt);
    for (const file of [...new Set(inputs)].sort()) {
      hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(this.#root, file)));
    }
    return hash.digest("hex");
  }

  /** Runs a step, and prints a line before and after it. During `due`, only records its name. */
  step(name, action) {
    if (this.#planned !== null) return this.#planned.push(name);
    const began = performance.now();
    process.stderr.write(`${name} …\n`);
    action();
    process.stderr.write(`${name} ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  }
}
