/**
 * How many threads answer requests. Input: the settings, and the processors. Output: a number.
 * Invariant: a number that cannot be had is refused in words, and one that is no use is warned of.
 */
import { availableParallelism } from "node:os";
import { CommandError } from "../../../errors.ts";
import type { Config } from "../../../settings/config.ts";

/** Returns the number of threads that answer. Throws `CommandError` where there can only be one. */
export function threadsOf(config: Config, processors = availableParallelism()): number {
  const wanted = config.get("http.threads");
  if (config.get("transport") === "uws") return wanted ?? Math.max(1, processors - 1);
  if (wanted === null || wanted === 1) return 1;
  throw new CommandError(
    `http.threads is ${wanted}, and the transport node answers on one thread: Node hands no ` +
      "connection from one thread to another. Set http.threads to 1, or transport to uws.",
    2,
  );
}

/** Returns a warning if there are more threads than processors, which only take memory. */
export function withoutProcessors(config: Config, processors = availableParallelism()): string[] {
  const threads = config.get("http.threads") ?? 1;
  if (threads <= processors) return [];
  return [
    `http.threads is ${threads}, and there are ${processors} processors: more threads than ` +
      "processors answer no faster, take memory, and make the start longer.",
  ];
}
