/**
 * A hash table of keys for the reference implementation of the join. It maps the root and the rest
 * of a CNPJ to the index at which this key was first added.
 * Invariant: it uses only arrays. A table holds at most the number of keys that it was made for.
 */

/** A set of keys (root, rest), numbered in the order of addition. */
export class KeyTable {
  /** Number of keys. */
  size = 0;
  /** Root of every key, by index. */
  readonly roots: Float64Array;
  private readonly rests: Uint32Array;
  private readonly slots: Int32Array;
  private readonly shift: number;

  /** Makes room for up to `keysMax` keys. */
  constructor(keysMax: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(keysMax + 1)) + 1);
    this.roots = new Float64Array(keysMax);
    this.rests = new Uint32Array(keysMax);
    this.slots = new Int32Array(2 ** bits);
    this.shift = 32 - bits;
  }

  /** Returns the index of a key, which is added if it is new. `rest` is 0 for a company. */
  add(root: number, rest: number): number {
    const slot = this.slotOf(root, rest);
    const found = (this.slots[slot] as number) - 1;
    if (found >= 0) return found;
    const index = this.size++;
    this.roots[index] = root;
    this.rests[index] = rest;
    this.slots[slot] = index + 1;
    return index;
  }

  /** Returns the index of a key, or -1 if it was not added. */
  find(root: number, rest: number): number {
    return (this.slots[this.slotOf(root, rest)] as number) - 1;
  }

  private slotOf(root: number, rest: number): number {
    const high = (root / 4294967296) | 0;
    const mixed = Math.imul((root | 0) ^ Math.imul(high + 1, 0x27d4eb2f), 0x9e3779b1) ^ rest;
    const mask = this.slots.length - 1;
    let slot = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> this.shift;
    for (;;) {
      const found = (this.slots[slot] as number) - 1;
      if (found < 0 || (this.roots[found] === root && this.rests[found] === rest)) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
