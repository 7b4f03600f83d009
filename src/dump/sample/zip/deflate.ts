/**
 * Compresses rows with DEFLATE, including prefix codes. Input: bytes of rows. Output: a chunk of a
 * DEFLATE stream that ends on a whole byte, so that chunks from different threads can be joined.
 * Invariant: the packed bytes depend only on the rows. zlib's output depends on processor and
 * version. Its fastest level takes 1.5 times as long for rows, with a tenth smaller output. Every
 * chunk can be unpacked alone. Codes are computed with integers only. No code exceeds the length
 * limit, and at least two symbols have codes, because some readers refuse fewer. Source: RFC 1951;
 * A. Moffat and J. Katajainen, "In-place calculation of minimum-redundancy codes" (1995).
 */
/** A prefix code. Symbols that do not occur have the length 0. */
interface PrefixCode {
  readonly lengths: Uint8Array;
  readonly bits: Uint16Array;
}

/** Makes a code for symbols with these counts. No length exceeds `limit`. */
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

/** Computes code lengths without a limit, for ascending counts. Overwrites the array. */
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

/** Converts the depths of inner nodes to the depths of leaves. */
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

/** Returns the number of symbols of each length, with no length above the limit. */
function limited(lengths: readonly number[], limit: number): Uint16Array {
  const perLength = new Uint16Array(limit + 1);
  for (const length of lengths) perLength[Math.min(length, limit)]! += 1;
  let total = perLength.reduce((sum, count, length) => sum + count * 2 ** (limit - length), 0);
  // If lengths are cut to the limit, the code would need more than all available bit patterns. So
  // some shorter codes are lengthened.
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

/** Final bytes of a stream of chunks: an empty last block. */
export const STREAM_END = Uint8Array.of(3, 0);

const HASH_BITS = 14;
const HASH_FACTOR = 0x9e3779b1;
/** Number of leading bytes of a chunk that determine its codes. */
const LEARNT_BYTES = 1 << 16;
const REACH = 32_768;
const MATCH_MIN = 4;
const MATCH_MAX = 258;
/** No match begins in this many last bytes, so that four bytes can always be read together. */
const TAIL = 8;
/** Limits code lengths, so that a code and its extra bits take up to 16 bits. */
const LITERAL_LIMIT = 11;
const DISTANCE_LIMIT = 15;
const LITERALS = 286;
const DISTANCES = 30;
const END = 256;

/** Returns the smallest length or distance of each code, from the codes' extra bits. */
function firsts(first: number, extra: Uint8Array): Uint16Array {
  let next = first;
  return Uint16Array.from(extra, (bits) => {
    const own = next;
    next += 2 ** bits;
    return own;
  });
}

const LENGTH_EXTRA = Uint8Array.from({ length: 29 }, (_, i) =>
  i < 8 || i === 28 ? 0 : (i >> 2) - 1,
);
const LENGTH_FIRST = firsts(3, LENGTH_EXTRA);
LENGTH_FIRST[28] = MATCH_MAX;
const DISTANCE_EXTRA = Uint8Array.from({ length: DISTANCES }, (_, i) => (i < 4 ? 0 : (i >> 1) - 1));
const DISTANCE_FIRST = firsts(1, DISTANCE_EXTRA);
/** DEFLATE's code for each match length. */
const LENGTH_CODE = Uint8Array.from({ length: MATCH_MAX + 1 }, (_, length) =>
  Math.max(
    0,
    LENGTH_FIRST.findLastIndex((first) => first <= length),
  ),
);
/** DEFLATE's codes for distances: one for each below 256, then one for each group of 128. */
const DISTANCE_CODE = new Uint8Array(256 + REACH / 128 + 1);
for (let code = 0; code < DISTANCES; code++) {
  const first = DISTANCE_FIRST[code] as number;
  DISTANCE_CODE.fill(code, first < 257 ? first - 1 : 256 + ((first - 1) >> 7));
}

/** Compresses chunks of up to `capacity` bytes sequentially, in its own memory. */
export class Deflater {
  /**
   * For each hash of four bytes, the low 16 bits of the last position at which bytes with this hash
   * occur. The bytes there are always compared before a match is used.
   */
  private readonly heads = new Uint16Array(1 << HASH_BITS);
  private readonly out: Uint8Array;
  private readonly view: DataView;
  private position = 0;
  private pending = 0;
  private pendingBits = 0;

  constructor(capacity: number) {
    this.out = new Uint8Array(Math.ceil((capacity * LITERAL_LIMIT) / 8) + 1024);
    this.view = new DataView(this.out.buffer);
  }

  /** Packs the first `length` bytes. The next call overwrites the result. */
  pack(bytes: Uint8Array, length: number): Uint8Array {
    this.position = 0;
    const { literal, distance } = this.codesFor(bytes, Math.min(length, LEARNT_BYTES));
    this.writeHeader(literal, distance);
    this.writeRows(bytes, length, [
      packedCodes(literal),
      lengthCodes(literal),
      packedCodes(distance),
    ]);
    this.put(literal.bits[END] as number, literal.lengths[END] as number);
    this.flush();
    return this.out.subarray(0, this.position);
  }

  /** Makes codes fitted to the first bytes. All other symbols also get a code. */
  private codesFor(bytes: Uint8Array, length: number): Record<"literal" | "distance", PrefixCode> {
    const { heads } = this;
    const literals = new Uint32Array(LITERALS).fill(1);
    const distances = new Uint32Array(DISTANCES).fill(1);
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    heads.fill(0);
    for (let at = 0; at < length - TAIL; ) {
      const four = view.getInt32(at, true);
      const slot = Math.imul(four, HASH_FACTOR) >>> (32 - HASH_BITS);
      const back = (at - (heads[slot] as number)) & 0xffff;
      heads[slot] = at;
      if (back === 0 || back > REACH || view.getInt32(at - back, true) !== four) {
        literals[bytes[at++] as number]! += 1;
        continue;
      }
      const size = matchLength(view, at - back, at, Math.min(MATCH_MAX, length - at) - 4);
      literals[257 + (LENGTH_CODE[size] as number)]! += 1;
      distances[distanceCode(back)]! += 1;
      at += size;
    }
    return {
      literal: prefixCode(literals, LITERAL_LIMIT),
      distance: prefixCode(distances, DISTANCE_LIMIT),
    };
  }

  /**
   * Writes bytes, or references to earlier bytes. For speed, one loop finds and writes, with all
   * state in local variables. Positions inside a match are not indexed, which would find 5% more
   * matches but take 50% more time.
   */
  private writeRows(
    bytes: Uint8Array,
    length: number,
    [literals, lengths, distances]: readonly [Uint32Array, Uint32Array, Uint32Array],
  ): void {
    const { heads, view: out } = this;
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    const end = length - TAIL;
    let { position, pending, pendingBits } = this;
    heads.fill(0);
    for (let at = 0; at < length; ) {
      let code = 0;
      const four = at < end ? view.getInt32(at, true) : 0;
      const slot = Math.imul(four, HASH_FACTOR) >>> (32 - HASH_BITS);
      const back = at < end ? (at - (heads[slot] as number)) & 0xffff : 0;
      heads[slot] = at;
      if (back === 0 || back > REACH || view.getInt32(at - back, true) !== four) {
        code = literals[bytes[at++] as number] as number;
      } else {
        const size = matchLength(view, at - back, at, Math.min(MATCH_MAX, length - at) - 4);
        at += size;
        code = lengths[size] as number;
        pending |= (code & 0xffff) << pendingBits;
        pendingBits += code >>> 16;
        if (pendingBits >= 16) {
          out.setUint16(position, pending, true);
          position += 2;
          pending >>>= 16;
          pendingBits -= 16;
        }
        const which = distanceCode(back);
        code = distances[which] as number;
        pending |= (code & 0xffff) << pendingBits;
        pendingBits += code >>> 16;
        if (pendingBits >= 16) {
          out.setUint16(position, pending, true);
          position += 2;
          pending >>>= 16;
          pendingBits -= 16;
        }
        const extra = DISTANCE_EXTRA[which] as number;
        code = (extra << 16) | (back - (DISTANCE_FIRST[which] as number));
      }
      pending |= (code & 0xffff) << pendingBits;
      pendingBits += code >>> 16;
      if (pendingBits >= 16) {
        out.setUint16(position, pending, true);
        position += 2;
        pending >>>= 16;
        pendingBits -= 16;
      }
    }
    Object.assign(this, { position, pending, pendingBits });
  }

  /** Begins a block with its own codes, whose lengths take four bits each. */
  private writeHeader(literal: PrefixCode, distance: PrefixCode): void {
    this.put(0b100, 3);
    this.put(LITERALS - 257, 5);
    this.put(DISTANCES - 1, 5);
    this.put(15, 4);
    // Lengths 0 to 15 have codes of four bits. The three codes for runs are not used.
    for (let i = 0; i < 19; i++) this.put(i < 3 ? 0 : 4, 3);
    for (const lengths of [literal.lengths, distance.lengths]) {
      for (const length of lengths) this.put(REVERSED_4[length] as number, 4);
    }
  }

  /** Adds at most 16 bits. */
  private put(value: number, bits: number): void {
    this.pending |= value << this.pendingBits;
    this.pendingBits += bits;
    while (this.pendingBits >= 8) {
      this.out[this.position++] = this.pending;
      this.pending >>>= 8;
      this.pendingBits -= 8;
    }
  }

  /** Writes an empty stored block, which aligns the output to a whole byte. */
  private flush(): void {
    this.put(0, 3);
    this.put(0, (8 - this.pendingBits) & 7);
    for (const byte of [0, 0, 0xff, 0xff]) this.put(byte, 8);
  }
}

function distanceCode(distance: number): number {
  const place = distance - 1;
  return DISTANCE_CODE[place < 256 ? place : 256 + (place >> 7)] as number;
}

/**
 * Compares the bytes from `at` on with those from `before` on, whose first four are known to be
 * equal. Returns the number of equal bytes, from 4 to `most + 4`.
 */
function matchLength(view: DataView, before: number, at: number, most: number): number {
  let size = MATCH_MIN;
  for (; size <= most; size += 4) {
    const difference = view.getInt32(before + size, true) ^ view.getInt32(at + size, true);
    if (difference !== 0) return size + ((31 - Math.clz32(difference & -difference)) >> 3);
  }
  return Math.min(size, most + 4);
}

const REVERSED_4 = Uint8Array.from({ length: 16 }, (_, value) =>
  [0, 1, 2, 3].reduce((bits, bit) => bits | (((value >> bit) & 1) << (3 - bit)), 0),
);

/** Returns code and extra bits of each match length, as (number of bits << 16 | value). */
function lengthCodes({ bits, lengths }: PrefixCode): Uint32Array {
  return Uint32Array.from(LENGTH_CODE, (code, length) => {
    const own = lengths[257 + code] as number;
    const rest = Math.max(0, length - (LENGTH_FIRST[code] as number));
    const all = own + (LENGTH_EXTRA[code] as number);
    return (all << 16) | (bits[257 + code] as number) | (rest << own);
  });
}

/** Returns the code of each symbol, packed as (number of bits << 16 | value). */
function packedCodes({ bits, lengths }: PrefixCode): Uint32Array {
  return Uint32Array.from(bits, (value, code) => ((lengths[code] as number) << 16) | value);
}
