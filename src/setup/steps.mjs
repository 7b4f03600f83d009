/**
 * The steps of the build. What comes in: where a checkout and its caches lie.
 * What goes out: steps that run where their inputs changed since they last succeeded, or that are
 * only named.
 * Invariant: a stamp is written when its step is done, never before; what one process of a checkout
 * is making no other one makes meanwhile, it waits and finds it made. Plain Node.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { alone, hold } from "./alone.mjs";

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
