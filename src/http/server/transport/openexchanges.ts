/**
 * Exchanges that wait for their answers. What comes in: exchanges as they begin to wait, and as
 * they end. What goes out: how many there are, and each of them.
 * Invariant: an exchange is in one list at most; taking one out costs the same however many wait.
 * Apart because a Set, which grows and shrinks by one with every request, makes its table anew
 * each time (1 % of a search, measured).
 */

/** What can stand in the list. */
export interface Listed<Member> {
  /** The one before and behind it; null at the ends, undefined where it is in no list. */
  before: Member | null | undefined;
  behind: Member | null | undefined;
}

/** A list whose members know their neighbours. */
export class OpenExchanges<Member extends Listed<Member>> {
  #first: Member | null = null;
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Puts one into it that is in none. */
  add(member: Member): void {
    member.before = null;
    member.behind = this.#first;
    if (this.#first !== null) this.#first.before = member;
    this.#first = member;
    this.#size++;
  }

  /** Takes one out, if it is in. */
  delete(member: Member): void {
    const { before, behind } = member;
    if (before === undefined || behind === undefined) return;
    if (before === null) this.#first = behind;
    else before.behind = behind;
    if (behind !== null) behind.before = before;
    member.before = undefined;
    member.behind = undefined;
    this.#size--;
  }

  /** Each of them, the youngest first; the one that is handed out may end meanwhile. */
  *[Symbol.iterator](): Generator<Member> {
    for (let member = this.#first; member !== null; ) {
      const { behind = null } = member;
      yield member;
      member = behind;
    }
  }
}
