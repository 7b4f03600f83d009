/**
 * Entries in few bytes. What comes in: sorted entries as pairs of 32 bits, the low half first. What
 * goes out: a block of bytes, and the entries of one.
 * Invariant: what was packed comes back the same; native-index/query/find/entries.cc reads this
 * form.
 *
 * A block is a row of numbers in groups of seven bits, the lowest first, of which all but the last
 * have their top bit set: how many entries it has, then for each of them
 *
 *   (root - root of the one before) * 4 + form, and behind form 2 (order - order of the one before)
 *
 * where a new root begins with order 0, and the form says what the order is: 0 the one after, which
 * most first establishments have; 1 that the entry is a whole company; 2 that a number follows.
 * Root and order are those of entries.h. An account takes one to three bytes instead of eight.
 */
const ORDER_BITS = 21;
const ORDER_MASK = 2 ** ORDER_BITS - 1;
/** What the high half of an entry counts, in roots. */
const HIGH_ROOTS = 2 ** (32 - ORDER_BITS);
const FORMS = 4;
const NEXT = 0;
const COMPANY = 1;
const FURTHER = 2;
/** Most bytes of an entry, and of a count: numbers of up to 46 and 22 bits. */
const ENTRY_MAX = 11;
const COUNT_MAX = 5;

/** Packs entries that ascend, each once. */
export function packEntries(pairs: Uint32Array): Uint8Array {
  const count = pairs.length / 2;
  const bytes = new Uint8Array(COUNT_MAX + count * ENTRY_MAX);
  let at = putNumber(bytes, 0, count);
  let root = 0;
  let order = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const low = pairs[i] as number;
    const ownRoot = (pairs[i + 1] as number) * HIGH_ROOTS + Math.floor(low / 2 ** ORDER_BITS);
    const ownOrder = low & ORDER_MASK;
    if (ownRoot !== root) order = 0;
    const form = ownOrder === order + 1 ? NEXT : ownOrder === 0 ? COMPANY : FURTHER;
    at = putNumber(bytes, at, (ownRoot - root) * FORMS + form);
    if (form === FURTHER) at = putNumber(bytes, at, ownOrder - order);
    root = ownRoot;
    order = ownOrder;
  }
  return bytes.slice(0, at);
}

function putNumber(bytes: Uint8Array, at: number, number: number): number {
  let rest = number;
  let next = at;
  while (rest >= 0x80) {
    bytes[next++] = (rest % 0x80) + 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[next++] = rest;
  return next;
}

/** The entries of one block. Throws where it is none. */
export function unpackEntries(bytes: Uint8Array): Uint32Array {
  const reader = new Reader(bytes);
  const pairs = new Uint32Array(reader.number() * 2);
  let root = 0;
  let order = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    const head = reader.number();
    const gap = Math.floor(head / FORMS);
    const form = head % FORMS;
    if (gap > 0) order = 0;
    root += gap;
    order = form === NEXT ? order + 1 : form === COMPANY ? 0 : order + reader.number();
    pairs[i] = (root % HIGH_ROOTS) * 2 ** ORDER_BITS + order;
    pairs[i + 1] = Math.floor(root / HIGH_ROOTS);
  }
  return pairs;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let number = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("a block of a list is cut off");
      number += (byte % 0x80) * unit;
      if (byte < 0x80) return number;
    }
  }
}

/** Entries of eight bytes each as pairs. */
export function pairsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

/** Pairs as entries of eight bytes each. */
export function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The number of an entry, as the database keeps it. */
export function numberOf(pairs: Uint32Array, at: number): bigint {
  return (BigInt(pairs[at * 2 + 1] as number) << 32n) | BigInt(pairs[at * 2] as number);
}
