/**
 * What comes in: the blocks of a sample, in order.
 * What goes out: the same, made, in the same order.
 * Apart because it is the one place that knows of threads.
 * Invariant: a bounded number of blocks is under way, whatever the size of the sample; the number
 * of threads changes nothing but the time.
 */
import { availableParallelism } from "node:os";
import { ThreadPool } from "../../process/threads.ts";
import { type Block, BlockMaker, type DrawnBlock, type SampleShape } from "./block.ts";
import type { DrawWork } from "./sample.worker.ts";

/** More threads than these wait for the disk. */
const THREADS_MAX = 16;
/** From so many establishments on threads save more time than they take to start. */
const THREADS_FROM = 100_000;
/** Blocks per thread that are under way or wait to be written. */
const AHEAD = 3;

/** How many threads draw a sample: none, which is this one, where that is quicker. */
export function sampleThreads(establishments: number): number {
  if (establishments < THREADS_FROM) return 0;
  return Math.min(THREADS_MAX, availableParallelism());
}

/** Makes blocks, each with what the caller keeps beside it. */
export async function* drawBlocks<Beside>(
  shape: SampleShape,
  threads: number,
  blocks: Iterable<readonly [Block, Beside]>,
): AsyncGenerator<readonly [DrawnBlock, Beside]> {
  if (threads === 0) {
    const maker = new BlockMaker(shape);
    for (const [block, beside] of blocks) yield [maker.make(block), beside];
    return;
  }
  const pool = new ThreadPool<DrawWork>({ worker: "dump/sample/sample.worker.ts", threads });
  try {
    const ahead: (readonly [Promise<DrawnBlock>, Beside])[] = [];
    for (const [block, beside] of blocks) {
      const made = pool.run("draw", { shape, block });
      // Whoever waits for it hears of a failure; until then nobody does.
      made.catch(() => undefined);
      ahead.push([made, beside]);
      if (ahead.length < AHEAD * threads) continue;
      const [first, its] = ahead.shift() as (typeof ahead)[number];
      yield [await first, its];
    }
    for (const [made, beside] of ahead) yield [await made, beside];
  } finally {
    await pool.close();
  }
}
