/**
 * Worker threads for the passes of an import.
 * Invariant: results are in the order of the tasks. After the first failure, tasks that are waiting
 * are not started.
 */
import { setMaxListeners } from "node:events";
import { serialize } from "node:v8";
import { CommandError } from "../errors.ts";
import { ThreadPool } from "../process/threads.ts";
import type { IngestAnswer, IngestWork } from "./ingest.worker.ts";

/** The type of an answer's value, if the answer is not an error. */
type Value<Given> = Given extends { readonly value: infer Inner } ? Inner : never;

/** A pool of threads for one import. Call `close` when it is no longer needed. */
export class Threads {
  /** Number of threads. */
  readonly size: number;
  private readonly pool: ThreadPool<IngestWork>;
  private readonly cancel = new AbortController();

  /** Starts `count` threads. */
  constructor(count: number) {
    this.size = count;
    // Every waiting task listens to this signal, so the number of listeners is not limited.
    setMaxListeners(0, this.cancel.signal);
    this.pool = new ThreadPool({ worker: "ingest/ingest.worker.ts", threads: count });
  }

  /** Runs tasks in order; calls `onDone` after each. @throws CommandError of a task. */
  async run<Name extends keyof IngestWork>(
    name: Name,
    tasks: readonly IngestWork[Name][0][],
    onDone: () => void = () => {},
  ): Promise<Value<IngestWork[Name][1]>[]> {
    const { signal } = this.cancel;
    const runs = tasks.map(async (task) => {
      const answer = (await this.pool.run(name, task, { signal })) as IngestAnswer<
        Value<IngestWork[Name][1]>
      >;
      onDone();
      if ("refusal" in answer) throw new CommandError(answer.refusal);
      if ("system" in answer) throw Object.assign(new Error(), answer.system);
      return answer.value;
    });
    try {
      return await Promise.all(runs);
    } catch (error) {
      await this.pool.loaded();
      this.cancel.abort();
      await Promise.allSettled(runs);
      throw error;
    }
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.pool.close();
  }
}

/** Serializes a value into shared memory, so that it is not copied for each task. */
export function shareValue(value: unknown): SharedArrayBuffer {
  const bytes = serialize(value);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}
