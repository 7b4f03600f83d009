/**
 * Keeps the heap of a server small.
 * Invariant: no result changes. The young generation of the main thread stays at the size with
 * which V8 starts, two halves of 1 MB; those of worker threads too, once they run.
 *
 * V8 would let it grow to 32 MB under load, and then promote garbage. It collects that only after
 * the heap is several times larger: here 1.5 times. Node has a flag for the size, but only at the
 * start of a process. Separate because src/main.ts calls this before it loads anything else.
 */
import { setFlagsFromString } from "node:v8";

/** Sets the limits. V8 lets young generations grow again whenever a thread starts. */
export function limitYoungGeneration(): void {
  setFlagsFromString("--heap-growing-percent=50");
  stopGrowth();
  process.on("worker", (thread) => void thread.once("online", stopGrowth));
}

function stopGrowth(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}
