/**
 * A fair queue for resources that tenants share: it schedules owners by the cost of their work, by
 * start-time fair queueing. Each owner has a virtual time that advances by the cost of its tasks.
 * The owner with the earliest time is next. An idle owner restarts at the current time.
 * Invariant: tasks of one owner run in order. While an owner waits, the work done for any other
 * owner exceeds the work done for it by the cost of at most one task.
 */
import { AppError } from "../errors.ts";

/** Bounds of a queue. */
export interface QueueBounds {
  /** Max tasks that run in parallel. */
  readonly running: number;
  /** Max tasks of one owner that run in parallel; the default is `running`. */
  readonly runningOfOwner?: number;
  /** Max waiting tasks in total, and of one owner. */
  readonly waiting: number;
  readonly waitingOfOwner: number;
  /** Max cost of waiting tasks in total, and of one owner; undefined means unlimited. */
  readonly cost?: number;
  readonly costOfOwner?: number;
  /** Name of the tasks in refusals, such as "Workbooks". */
  readonly what: string;
}

interface Task {
  readonly cost: number;
  readonly begin: () => void;
}

interface Owner {
  readonly tasks: Task[];
  running: number;
  /** Cost of its waiting tasks. */
  cost: number;
  /** Its virtual time. */
  time: number;
}

const RETRY_AFTER_SECONDS = 1;

/** Schedules tasks fairly among owners. */
export class FairQueue {
  readonly #bounds: QueueBounds;
  readonly #owners = new Map<string, Owner>();
  #running = 0;
  #waiting = 0;
  #cost = 0;
  #time = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs a task when it is its turn. Rejects if too many tasks wait: with `rate_limited` if the
   * owner has too many, and with `overloaded` if all owners together have too many.
   */
  async run<Value>(owner: string, cost: number, work: () => Promise<Value>): Promise<Value> {
    const one = this.#owners.get(owner) ?? { tasks: [], running: 0, cost: 0, time: this.#time };
    this.#refuse(one, cost);
    this.#owners.set(owner, one);
    if (one.tasks.length === 0 && one.running === 0) one.time = Math.max(one.time, this.#time);
    await new Promise<void>((begin) => {
      one.tasks.push({ cost, begin });
      one.cost += cost;
      this.#cost += cost;
      this.#waiting++;
      this.#next();
    });
    try {
      return await work();
    } finally {
      one.running--;
      this.#running--;
      this.#next();
      this.#forget();
    }
  }

  #refuse(owner: Owner, cost: number): void {
    const { what, waitingOfOwner, costOfOwner = Number.POSITIVE_INFINITY } = this.#bounds;
    if (this.#mayBegin(owner)) return;
    const tooMany = owner.tasks.length >= waitingOfOwner;
    const tooCostly = owner.tasks.length > 0 && owner.cost + cost > costOfOwner;
    const headers = { "Retry-After": String(RETRY_AFTER_SECONDS) };
    if (tooMany || tooCostly) {
      const detail =
        `${what} of your tenant wait already, as many as may. ` +
        "Wait until some of them are answered.";
      throw new AppError("rate_limited", detail, { headers });
    }
    const full = this.#cost + cost > (this.#bounds.cost ?? Number.POSITIVE_INFINITY);
    if (this.#waiting < this.#bounds.waiting && !(full && this.#waiting > 0)) return;
    const detail =
      `${what} of all tenants wait already, as many as may. ` +
      `Try again in ${RETRY_AFTER_SECONDS} s.`;
    throw new AppError("overloaded", detail, { headers });
  }

  /** True if a task would start immediately. The owner must have no waiting tasks. */
  #mayBegin({ tasks, running }: Owner): boolean {
    const { running: most, runningOfOwner = most } = this.#bounds;
    return tasks.length === 0 && this.#running < most && running < runningOfOwner;
  }

  #next(): void {
    const { running: most, runningOfOwner = most } = this.#bounds;
    while (this.#running < most) {
      let next: Owner | null = null;
      for (const one of this.#owners.values()) {
        if (one.tasks.length === 0 || one.running >= runningOfOwner) continue;
        if (next === null || one.time < next.time) next = one;
      }
      const task = next?.tasks.shift();
      if (next === null || task === undefined) return;
      this.#begin(next, task);
    }
  }

  #begin(owner: Owner, { cost, begin }: Task): void {
    this.#time = Math.max(this.#time, owner.time);
    owner.time += Math.max(1, cost);
    owner.cost -= cost;
    owner.running++;
    this.#cost -= cost;
    this.#waiting--;
    this.#running++;
    begin();
  }

  /**
   * Removes idle owners whose virtual time has been reached, because they would restart at the
   * current time anyway. If the whole queue is idle, removes all owners.
   */
  #forget(): void {
    const isIdle = this.#running === 0 && this.#waiting === 0;
    for (const [name, one] of this.#owners) {
      const rests = one.tasks.length === 0 && one.running === 0;
      if (rests && (isIdle || one.time <= this.#time)) this.#owners.delete(name);
    }
    if (isIdle) this.#time = 0;
  }
}
