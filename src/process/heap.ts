/**
 * Keeps the heap of a server small.
 * Invariant: no result changes. The young generation of the main thread stays at the size with
 * which V8 starts, two halves of 1 MB; those of worker threads too, once they run.
 *
 * V8 would let it grow to 32 MB under load, and then promote garbage that is collected only after
 * the heap has doubled. Node has a flag for the limit, but only at the start of a process.
 * Separate because src/main.ts calls this before it loads anything else.
 */
import { setFlagsFromString } from "node:v8";

/** Stops the growth. V8 allows it again whenever a thread starts. */
export function keepYoungGenerationSmall(): void {
  stopGrowth();
  process.on("worker", (thread) => void thread.once("online", stopGrowth));
}

function stopGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
