/**
 * The thread that checks a state. What comes in: the path of its database. What goes out: what is
 * wrong with it.
 * Invariant: it reads with a connection of its own and below the priority of the requests, so that
 * they do not wait for it.
 */
import { stepBack } from "../process/priority.ts";
import { findingsIn } from "./damage.ts";
import { reading } from "./database.ts";

stepBack();

/** Checks the database at a path. */
export function check(path: string): readonly string[] {
  return reading(path, findingsIn);
}
