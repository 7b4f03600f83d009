/**
 * What comes in: how often each symbol occurs.
 * What goes out: a prefix code for them: a length for each symbol, and its bits as DEFLATE reads
 * them, the first one lowest.
 * Invariant: whole numbers only, so the code is the same on every machine; no code is longer than
 * the limit; at least two symbols have one, because some readers refuse a code of fewer.
 * Source: A. Moffat and J. Katajainen, "In-place calculation of minimum-redundancy codes" (1995);
 * RFC 1951, section 3.2.2.
 */

/** A prefix code; a symbol that does not occur has length 0. */
export interface PrefixCode {
  readonly lengths: Uint8Array;
  readonly bits: Uint16Array;
}

/** The code for symbols of these counts with no length above `limit`. */
export function prefixCode(counts: Uint32Array, limit: number): PrefixCode {
  const known = Array.from(counts.keys()).filter((symbol) => (counts[symbol] as number) > 0);
  for (let symbol = 0; known.length < 2; symbol++) if (!known.includes(symbol)) known.push(symbol);
  const countOf = (symbol: number) => Math.max(1, counts[symbol] as number);
  known.sort((a, b) => countOf(a) - countOf(b) || a - b);
  const perLength = limited(minimalLengths(known.map(countOf)), limit);
  const lengths = new Uint8Array(counts.length);
  let next = known.length;
  for (let length = 1; length <= limit; length++) {
    for (let i = perLength[length] as number; i > 0; i--) lengths[known[--next] as number] = length;
  }
  return { lengths, bits: bitsOf(lengths, perLength) };
}

/** Lengths of a code without a limit, for rising counts; the array is worked on in place. */
function minimalLengths(work: number[]): number[] {
  const count = work.length;
  const at = (i: number) => work[i] as number;
  let [leaf, root] = [0, 0];
  for (let next = 0; next < count - 1; next++) {
    const take = (): number => {
      if (leaf < count && (root >= next || at(leaf) <= at(root))) return at(leaf++);
      const weight = at(root);
      work[root++] = next;
      return weight;
    };
    const first = take();
    work[next] = first + take();
  }
  work[count - 2] = 0;
  for (let next = count - 3; next >= 0; next--) work[next] = at(at(next)) + 1;
  return leafDepths(work);
}

/** Turns the depths of inner nodes into those of the leaves. */
function leafDepths(work: number[]): number[] {
  let [free, depth, root, next] = [1, 0, work.length - 2, work.length - 1];
  while (free > 0) {
    let used = 0;
    while (root >= 0 && work[root] === depth) {
      used++;
      root--;
    }
    for (; free > used; free--) work[next--] = depth;
    free = 2 * used;
    depth++;
  }
  return work;
}

/** How many symbols have each length once none is above the limit. */
function limited(lengths: readonly number[], limit: number): Uint16Array {
  const perLength = new Uint16Array(limit + 1);
  for (const length of lengths) perLength[Math.min(length, limit)]! += 1;
  let total = perLength.reduce((sum, count, length) => sum + count * 2 ** (limit - length), 0);
  // Shortening to the limit claims more codes than there are: longer ones are lent room.
  for (; total > 2 ** limit; total--) {
    let shorter = limit - 1;
    while (perLength[shorter] === 0) shorter--;
    perLength[limit]! -= 1;
    perLength[shorter]! -= 1;
    perLength[shorter + 1]! += 2;
  }
  return perLength;
}

function bitsOf(lengths: Uint8Array, perLength: Uint16Array): Uint16Array {
  const next = new Uint16Array(perLength.length + 1);
  for (let length = 1; length < perLength.length; length++) {
    next[length + 1] = ((next[length] as number) + (perLength[length] as number)) << 1;
  }
  return Uint16Array.from(lengths, (length) => {
    if (length === 0) return 0;
    const code = next[length] as number;
    next[length] = code + 1;
    return reversed(code, length);
  });
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit++) result = (result << 1) | ((code >>> bit) & 1);
  return result;
}
