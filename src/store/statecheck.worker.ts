/**
 * Worker thread that checks a state. Input: the path of its database. Output: its problems.
 * Invariant: it reads with its own connection and at a lower priority than requests, so they need
 * not wait.
 */
import { lowerPriority, worker } from "../process/tasks.ts";
import { reading } from "./database.ts";
import { findingsIn } from "./failures.ts";

/** Functions of the worker. */
export interface CheckWork {
  /** Checks the database at a path; returns its problems. */
  readonly check: readonly [path: string, found: readonly string[]];
}

lowerPriority();

/** Entry point for the thread pool. */
export const run = worker<CheckWork>({ check: (path) => reading(path, findingsIn) });
