/**
 * Notices that the state's file is gone. What comes in: an open database. What goes out: one call
 * when the file under its path is another one, or none.
 * Invariant: costs one look at the file system. SQLite goes on writing to a file that was removed
 * or replaced, and all of it is lost when the server ends, so an operator has to hear of it.
 */
import { type Stats, statSync } from "node:fs";
import type { StateDatabase } from "./sqlite.ts";

/** Watches the file of a database. */
export class StateWatch {
  readonly #path: string;
  readonly #opened: Stats | undefined;
  readonly #lost: (details: Readonly<Record<string, unknown>>) => void;
  #told = false;

  /** `lost` is called once. */
  constructor(database: StateDatabase, lost: (details: Readonly<Record<string, unknown>>) => void) {
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
    const found = now === undefined ? "was removed" : "was replaced by another file";
    this.#lost({ found: [`the state's file ${found} while the server runs`] });
  }
}
