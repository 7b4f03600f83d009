/**
 * The threads' side of a sample. What comes in: the shape of the sample and a block. What goes out:
 * the block, drawn and packed.
 * Invariant: a thread serves one sample, so what all blocks share is set up once.
 */
import { type Block, BlockMaker, type DrawnBlock, type SampleShape } from "./block.ts";

let maker: BlockMaker | null = null;

/** Makes one block. */
export function draw(task: { readonly shape: SampleShape; readonly block: Block }): DrawnBlock {
  maker ??= new BlockMaker(task.shape);
  return maker.make(task.block);
}
