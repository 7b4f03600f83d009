/**
 * Ranges of the rank order, so that each range of rows fits into memory and can be sorted alone.
 * What comes in: the sort keys of a fair sample of the rows.
 * What goes out: split points, and the range of any key.
 * Invariant: every row of a range comes before every row of the next one in rank order (score
 * descending, CNPJ ascending); the ranges only steer memory, never the result.
 */

/** Keys of rows as parallel arrays: score, root and the rest of the CNPJ. */
export interface RankKeys {
  readonly scores: Uint16Array;
  readonly roots: Float64Array;
  readonly rests: Uint32Array;
}

/** Split points for about equal ranges of the sampled keys; there may be fewer than asked for. */
export function chooseSplits(sample: RankKeys, ranges: number): RankKeys {
  const count = sample.scores.length;
  const order = Array.from({ length: count }, (_, i) => i);
  const score = (i: number): number => sample.scores[i] as number;
  const root = (i: number): number => sample.roots[i] as number;
  const rest = (i: number): number => sample.rests[i] as number;
  order.sort((a, b) => score(b) - score(a) || root(a) - root(b) || rest(a) - rest(b));
  const picked: number[] = [];
  for (let range = 1; range < ranges && count > 0; range++) {
    const row = order[Math.floor((range * count) / ranges)] as number;
    if (picked.at(-1) !== row) picked.push(row);
  }
  return {
    scores: Uint16Array.from(picked, score),
    roots: Float64Array.from(picked, root),
    rests: Uint32Array.from(picked, rest),
  };
}

/** Number of the range that a key belongs to: how many splits it does not come before. */
export function rangeOf(splits: RankKeys, score: number, root: number, rest: number): number {
  let low = 0;
  let high = splits.scores.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comesBefore(splits, middle, score, root, rest)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function comesBefore(
  splits: RankKeys,
  split: number,
  ...[score, root, rest]: [number, number, number]
): boolean {
  const splitScore = splits.scores[split] as number;
  if (score !== splitScore) return score > splitScore;
  const splitRoot = splits.roots[split] as number;
  if (root !== splitRoot) return root < splitRoot;
  return rest < (splits.rests[split] as number);
}
