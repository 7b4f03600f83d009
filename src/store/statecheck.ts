/**
 * Integrity checks of the state, and a watch of its file. Input: the opened database of a server.
 * Output: nothing, or the problems found.
 * Invariant: a small state is checked before any answer from it, and refused with a message. A
 * large one is checked in the background, in a thread with its own connection, because reading it
 * takes as long as the disk needs. SQLite checks structure and kinds of values; its pages have no
 * checksums, so a wrong value of the right kind is not detected.
 */
import { type Stats, statSync } from "node:fs";
import { ThreadPool } from "../process/threads.ts";
import { damagedState, findingsIn } from "./failures.ts";
import type { SqliteDatabase } from "./sqlite.ts";
import type { CheckWork } from "./statecheck.worker.ts";

/** Max bytes of a state whose check delays the start: 20 ms from memory, under 1 s from a disk. */
const AT_ONCE_BYTES = 16 * 2 ** 20;

/** Checks a small state; returns false for a large one. Throws `CommandError` for damage. */
export function checkedDirectly(database: SqliteDatabase): boolean {
  const number = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  if (number("page_count") * number("page_size") > AT_ONCE_BYTES) return false;
  const found = findingsIn(database);
  if (found.length > 0) throw damagedState(database.name, found);
  return true;
}

/** Checks a state of any size in a thread; returns the problems. */
export async function checkInThread(path: string): Promise<readonly string[]> {
  const pool = new ThreadPool<CheckWork>({ worker: "store/statecheck.worker.ts", threads: 1 });
  try {
    return await pool.run("check", path);
  } finally {
    await pool.close();
  }
}

/**
 * Watches the file of an open database, and reports once if it is replaced or removed. SQLite would
 * continue to write to the old file, and these changes would be lost when the server ends. So
 * writes are blocked from then on, and the operator is notified. A check costs one system call.
 */
export class StateWatch {
  readonly #database: SqliteDatabase;
  readonly #path: string;
  readonly #opened: Stats | undefined;
  readonly #lost: (details: Readonly<Record<string, unknown>>) => void;
  #reported = false;

  /** `lost` is called once, if the file is replaced or removed. */
  constructor(
    database: SqliteDatabase,
    lost: (details: Readonly<Record<string, unknown>>) => void,
  ) {
    this.#database = database;
    this.#path = database.name;
    this.#opened = statSync(this.#path, { throwIfNoEntry: false });
    this.#lost = lost;
  }

  /** Checks the file. */
  look(): void {
    if (this.#reported) return;
    const now = statSync(this.#path, { throwIfNoEntry: false });
    if (now !== undefined && now.ino === this.#opened?.ino && now.dev === this.#opened.dev) return;
    this.#reported = true;
    this.#database.pragma("query_only = true");
    const found = now === undefined ? "was removed" : "was replaced by another file";
    this.#lost({ found: [`the state's file ${found} while the server runs`] });
  }
}
