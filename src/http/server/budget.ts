/**
 * How much may be under way at once, and how much of it one owner may hold. What comes in: amounts
 * taken and given back. What goes out: whether there is room, and what stands in the way.
 * Invariant: what is taken is given back by whoever took it, exactly once; the sum never passes the
 * limit, and nobody takes more than the share of what the others leave.
 * Why so: with a fixed share, four owners who take a quarter each leave nothing to a fifth. A share
 * of what is left shrinks as others come, so that ten who take all they get still leave something
 * to the next who asks for little.
 */
import { strict as assert } from "node:assert";

/** Why an amount cannot be taken: the owner holds what it may, or all together do. */
export type Shortage = "share" | "all";

/** A limited amount of something: bytes, answers. */
export class Budget {
  readonly most: number;
  readonly #share: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** `share` is what one owner may hold of what the others leave; 1: everything. */
  constructor(most: number, share = 1) {
    this.most = most;
    this.#share = share;
  }

  /** What is taken at the moment. */
  get used(): number {
    return this.#used;
  }

  /** What stands in the way of taking an amount at the moment; null where nothing does. */
  shortage(amount: number, owner: string): Shortage | null {
    const held = this.#held.get(owner) ?? 0;
    const wanted = held + amount;
    const left = this.most - (this.#used - held);
    // Rounded up, so that whoever holds nothing gets the last one of a few.
    if (wanted <= Math.ceil(this.#share * left)) return null;
    const alone = this.#share < 1 && wanted > Math.ceil(this.#share * this.most);
    return alone ? "share" : "all";
  }

  /** Takes an amount; false where there is no room, and then nothing is taken. */
  take(amount: number, owner: string): boolean {
    if (this.shortage(amount, owner) !== null) return false;
    this.#used += amount;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + amount);
    return true;
  }

  /** Gives back what was taken. */
  giveBack(amount: number, owner: string): void {
    const left = (this.#held.get(owner) ?? 0) - amount;
    assert(left >= 0, "more was given back than taken");
    this.#used -= amount;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
  }
}
