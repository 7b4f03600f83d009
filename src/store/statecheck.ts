/**
 * Checks that the state is sound, and that its file stays where it is. What comes in: the opened
 * database of a server. What goes out: nothing, or what is wrong with it.
 * Invariant: a small state is checked before anything is answered from it, and refused in words; a
 * large one is checked beside the work, in a thread with a connection of its own, because reading
 * all of it takes as long as the disk does. SQLite checks the structure and the kinds of values:
 * its pages have no checksums, so another value of the same kind goes unnoticed.
 */
import { type Stats, statSync } from "node:fs";
import { ThreadPool } from "../process/threads.ts";
import { damagedState, findingsIn } from "./failures.ts";
import type { StateDatabase } from "./sqlite.ts";
import type { CheckWork } from "./statecheck.worker.ts";

/** Largest state that a start waits for: some 20 ms from memory, less than a second from a disk. */
const AT_ONCE_BYTES = 16 * 2 ** 20;

/** Checks a small state; false where it is too large for that. Throws `CommandError`. */
export function checkedAtOnce(database: StateDatabase): boolean {
  const number = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  if (number("page_count") * number("page_size") > AT_ONCE_BYTES) return false;
  const found = findingsIn(database);
  if (found.length > 0) throw damagedState(database.name, found);
  return true;
}

/** Checks a state of any size in a thread; gives what is wrong. */
export async function checkBeside(path: string): Promise<readonly string[]> {
  const pool = new ThreadPool<CheckWork>({ worker: "store/statecheck.worker.ts", threads: 1 });
  try {
    return await pool.run("check", path);
  } finally {
    await pool.close();
  }
}

/**
 * Watches the file of an open database, and tells once when it is another one or none. SQLite would
 * go on writing to a file that was removed or replaced, and all of it would be lost when the server
 * ends; so nothing is written from then on, and the operator hears of it. A look costs one call of
 * the system.
 */
export class StateWatch {
  readonly #database: StateDatabase;
  readonly #path: string;
  readonly #opened: Stats | undefined;
  readonly #lost: (details: Readonly<Record<string, unknown>>) => void;
  #told = false;

  /** `lost` is called once. */
  constructor(database: StateDatabase, lost: (details: Readonly<Record<string, unknown>>) => void) {
    this.#database = database;
    this.#path = database.name;
    this.#opened = statSync(this.#path, { throwIfNoEntry: false });
    this.#lost = lost;
  }

  /** Looks at the file. */
  look(): void {
    if (this.#told) return;
    const now = statSync(this.#path, { throwIfNoEntry: false });
    if (now !== undefined && now.ino === this.#opened?.ino && now.dev === this.#opened.dev) return;
    this.#told = true;
    this.#database.pragma("query_only = true");
    const found = now === undefined ? "was removed" : "was replaced by another file";
    this.#lost({ found: [`the state's file ${found} while the server runs`] });
  }
}
