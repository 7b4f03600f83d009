/**
 * Streams of random numbers, one for each object to invent (company, branch, row), from a seed.
 * Invariant: the same (seed, stream, index, sub) gives the same numbers in every file and on every
 * machine, so the files of a dump share no state.
 * Source: generator xoroshiro64* by D. Blackman and S. Vigna; mixing as in MurmurHash3.
 */

function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Returns a 32-bit hash of three numbers, as an unsigned integer. */
export function hash(seed: number, stream: number, index: number): number {
  return mix(mix(mix(seed ^ 0x5bd1e995) + Math.imul(stream, 0x9e3779b9)) + index) >>> 0;
}

/**
 * Returns the remainder of integers below 2^53. Beyond 32 bits, `%` divides bit by bit, which is
 * ten times slower. The rounded quotient used here is off by at most one.
 */
export function remainder(value: number, divisor: number): number {
  const rest = value - Math.floor(value / divisor) * divisor;
  if (rest < 0) return rest + divisor;
  return rest < divisor ? rest : rest - divisor;
}

/** A generator that is reset for each object. */
export class Random {
  private readonly low: number;
  private readonly high: number;
  private a = 1;
  private b = 1;

  /** `seed` is an integer from 0 to 2^53 - 1. */
  constructor(seed: number) {
    this.low = mix(seed >>> 0);
    this.high = mix(Math.floor(seed / 2 ** 32) + 0x27d4eb2f);
  }

  /** Starts the stream of one object; `index` and `sub` are below 2^32. */
  place(stream: number, index: number, sub = 0): this {
    const key = mix(Math.imul(stream + 1, 0x9e3779b9) + sub);
    this.a = mix(mix(this.low + index) ^ key);
    this.b = mix(mix(this.high ^ index) + Math.imul(key, 0x01000193)) | 1;
    this.next();
    return this;
  }

  /** Returns the next 32 bits, unsigned. The low bits are less random. */
  next(): number {
    const result = Math.imul(this.a, 0x9e3779bb);
    const b = this.b ^ this.a;
    this.a = ((this.a << 26) | (this.a >>> 6)) ^ b ^ (b << 9);
    this.b = (b << 13) | (b >>> 19);
    return result >>> 0;
  }

  /** Returns a number from 0 to `count` - 1 without advancing the stream. */
  peek(count: number): number {
    return Math.floor((mix(this.a ^ this.b) >>> 0) * 2.3283064365386963e-10 * count);
  }

  /** Returns a number from 0 to 1, exclusive. */
  unit(): number {
    return this.next() * 2.3283064365386963e-10;
  }

  /** Returns an integer from 0 to `count` - 1. */
  below(count: number): number {
    return (this.next() * 2.3283064365386963e-10 * count) | 0;
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() * 2.3283064365386963e-10 < probability;
  }
}

/** A weighted choice in constant time (alias method, M. D. Vose 1991). */
export class Weighted {
  private readonly limit: Float64Array;
  private readonly alias: Int32Array;

  /** Weights need not sum to one. At least one must be positive. */
  constructor(weights: ArrayLike<number>) {
    const count = weights.length;
    this.limit = new Float64Array(count).fill(1);
    this.alias = new Int32Array(count);
    const total = Array.from(weights).reduce((sum, weight) => sum + weight, 0);
    const scaled = Array.from(weights, (weight) => (weight * count) / total);
    const small: number[] = [];
    const large: number[] = [];
    for (const [i, weight] of scaled.entries()) (weight < 1 ? small : large).push(i);
    while (small.length > 0 && large.length > 0) {
      const less = small.pop() as number;
      const more = large[large.length - 1] as number;
      this.limit[less] = scaled[less] as number;
      this.alias[less] = more;
      scaled[more] = (scaled[more] as number) + (scaled[less] as number) - 1;
      if ((scaled[more] as number) < 1) small.push(large.pop() as number);
    }
  }

  /** Draws the index of a weight. */
  pick(random: Random): number {
    return this.at(random.unit());
  }

  /** Returns the index for a number from 0 to 1, exclusive. */
  at(unit: number): number {
    const at = unit * this.limit.length;
    const i = at | 0;
    return at - i < (this.limit[i] as number) ? i : (this.alias[i] as number);
  }
}
