/**
 * Threads for the passes of an import.
 * What comes in: tasks of `ingest.worker.ts`. What goes out: their results, in task order.
 * Invariant: the first failure ends the run; tasks that wait are not started any more.
 */
import { setMaxListeners } from "node:events";
import { serialize } from "node:v8";
import { CommandError } from "../errors.ts";
import { ThreadPool } from "../process/threads.ts";
import type { IngestAnswer, IngestWork } from "./ingest.worker.ts";

/** What an answer carries when it is no refusal. */
type Value<Given> = Given extends { readonly value: infer Kept } ? Kept : never;

/** A pool of threads for one import. Call `close` when it is no longer needed. */
export class Threads {
  /** Number of threads. */
  readonly size: number;
  private readonly pool: ThreadPool<IngestWork>;
  private readonly cancel = new AbortController();

  /** Starts `count` threads. */
  constructor(count: number) {
    this.size = count;
    // Every waiting task listens to the one signal.
    setMaxListeners(0, this.cancel.signal);
    this.pool = new ThreadPool({ worker: "ingest/ingest.worker.ts", threads: count });
  }

  /** Runs tasks in order; `onDone` is called after each. @throws CommandError as a task did. */
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

/** Puts a value where every thread can read it without a copy per task. */
export function shareValue(value: unknown): SharedArrayBuffer {
  const bytes = serialize(value);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}
