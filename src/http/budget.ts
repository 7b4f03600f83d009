/**
 * How much may be under way at once. What comes in: amounts taken and given back. What goes out:
 * whether there is room.
 * Invariant: what is taken is given back by whoever took it, exactly once; the sum never passes the
 * limit.
 */
import { strict as assert } from "node:assert";

/** A limited amount of something: bytes, answers. */
export class Budget {
  readonly most: number;
  #used = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** What is taken at the moment. */
  get used(): number {
    return this.#used;
  }

  /** Whether an amount could be taken at the moment. */
  hasRoomFor(amount: number): boolean {
    return this.#used + amount <= this.most;
  }

  /** Takes an amount; false where there is no room, and then nothing is taken. */
  take(amount: number): boolean {
    if (!this.hasRoomFor(amount)) return false;
    this.#used += amount;
    return true;
  }

  /** Gives back what was taken. */
  giveBack(amount: number): void {
    this.#used -= amount;
    assert(this.#used >= 0, "more was given back than taken");
  }
}
