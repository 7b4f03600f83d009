/**
 * The thread that checks a state. What comes in: the path of its database. What goes out: what is
 * wrong with it.
 * Invariant: it reads with a connection of its own and below the priority of the requests, so that
 * they do not wait for it.
 */
import { stepBack, worker } from "../process/tasks.ts";
import { reading } from "./database.ts";
import { findingsIn } from "./failures.ts";

/** Functions of the worker. */
export interface CheckWork {
  /** Checks the database at a path; gives what is wrong. */
  readonly check: readonly [path: string, found: readonly string[]];
}

stepBack();

/** Entry point for the thread pool. */
export const run = worker<CheckWork>({ check: (path) => reading(path, findingsIn) });
