/**
 * Rows that the registry cannot have written.
 * What comes in: refusals of rows. What goes out: the same refusal, or nothing where the row may be
 * left out.
 * Invariant: so many rows as were allowed are left out, each counted with its line and the reason;
 * one more ends the file.
 */
import { CommandError } from "../errors.ts";

/** A row that cannot be what the registry wrote. */
export class RowRefusal extends CommandError {
  readonly line: number;
  readonly reason: string;

  /** `place` names file and member. */
  constructor(place: string, line: number, reason: string) {
    super(`${place}, line ${line}: ${reason}`);
    this.line = line;
    this.reason = reason;
  }
}

/** Counts rows that are left out, for the report. */
type CountBadRow = (line: number, reason: string) => void;

/** How many malformed rows of a file may be left out. */
export class BadRows {
  #left: number;
  readonly #count: CountBadRow;

  /** Without arguments the first malformed row is refused. */
  constructor(allowed = 0, count: CountBadRow = () => undefined) {
    this.#left = allowed;
    this.#count = count;
  }

  /** Counts a row that is left out. @throws RowRefusal when there were too many; other errors. */
  leaveOut(error: unknown): void {
    if (!(error instanceof RowRefusal) || this.#left === 0) throw error;
    this.#left--;
    this.#count(error.line, error.reason);
  }
}
