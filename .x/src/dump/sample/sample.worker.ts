/**
 * The worker thread of a sample: draws and packs a block.
 * Invariant: a thread serves one sample, so shared data is set up once.
 */
import { worker } from "../../process/tasks.ts";
import { type Block, BlockMaker, type DrawnBlock, type SampleShape } from "./block.ts";

let maker: BlockMaker | null = null;

/** Functions of the worker. */
export interface DrawWork {
  /** Makes one block. */
  readonly draw: readonly [
    task: { readonly shape: SampleShape; readonly block: Block },
    result: DrawnBlock,
  ];
}

/** Entry point for the thread pool. */
export const run = worker<DrawWork>({
  draw: ({ shape, block }) => {
    maker ??= new BlockMaker(shape);
    return maker.make(block);
  },
});
