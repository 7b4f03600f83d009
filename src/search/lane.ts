/**
 * Work off the main thread in turn. What comes in: tasks that give promises. What goes out: their
 * values. Invariant: one task of a lane is worked on at a time, so that the thread pool has room
 * for files and passwords; where too many wait a further one is refused.
 */
import { AppError } from "../errors.ts";

/** Tasks that wait at most. */
const WAITING_MAX = 64;
const RETRY_AFTER_SECONDS = 1;

/** A lane of its own for one kind of work, so that what is quick does not wait for what is not. */
export class AsideLane {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Runs a task when those before it have ended. Throws `overloaded` where too many wait. */
  run<Value>(task: () => Promise<Value>): Promise<Value> {
    if (this.#waiting >= WAITING_MAX) {
      throw new AppError("overloaded", "Too many dear questions wait. Ask this one again later.", {
        headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
      });
    }
    this.#waiting++;
    const turn = this.#last.then(task).finally(() => {
      this.#waiting--;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
