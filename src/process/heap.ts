/**
 * Keeps the heap of a server small.
 * Invariant: no result changes. The young generation of the main thread stays at the size with
 * which V8 starts, two halves of 1 MB; those of worker threads too, once they run.
 *
 * V8 would grow it to 32 MB under load. It then also moves the data of a request to the old
 * generation less often, but that garbage is not collected until the heap has doubled. A flag of
 * Node could set the limit, but only at the start of the process. A file of its own, because nothing
 * else concerns the heap.
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
