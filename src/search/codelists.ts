/**
 * Lists of codes. What comes in: codes in any order. What goes out: the same ascending, each once,
 * as the addon reads them.
 * Invariant: a list never changes once it is made, whatever lies beside it in its memory. Apart
 * because clauses.ts says what filters mean, and this only how their codes are kept.
 */

/** The codes in ascending order, each once; most lists are in it already. */
export function ascending(codes: number[]): Uint32Array {
  for (let at = 1; at < codes.length; at++) {
    if ((codes[at - 1] as number) >= (codes[at] as number)) {
      return Uint32Array.from(new Set(codes)).sort();
    }
  }
  const list = roomFor(codes.length);
  // One by one: the call that copies a list takes longer.
  for (let at = 0; at < codes.length; at++) list[at] = codes[at] as number;
  return list;
}

/** Lists of up to so many codes lie in the heap; longer ones lie side by side outside of it. */
const HEAP_CODES_MAX = 16;
/** Codes that lie side by side; as long as one of their lists is kept, so is the memory of all. */
const POOL_CODES = 2_048;
let pool = new ArrayBuffer(0);
let taken = 0;

/** A list of zeros. Memory of its own outside of the heap for each costs more than its codes. */
function roomFor(count: number): Uint32Array {
  if (count <= HEAP_CODES_MAX || count > POOL_CODES) return new Uint32Array(count);
  if (taken + count > pool.byteLength / Uint32Array.BYTES_PER_ELEMENT) {
    pool = new ArrayBuffer(POOL_CODES * Uint32Array.BYTES_PER_ELEMENT);
    taken = 0;
  }
  const list = new Uint32Array(pool, taken * Uint32Array.BYTES_PER_ELEMENT, count);
  taken += count;
  return list;
}
