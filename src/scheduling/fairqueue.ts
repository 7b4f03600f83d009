/**
 * A queue in which owners take turns by what their work costs; used where tenants share something.
 * Invariant: while an owner waits, no other owner gets more than one task of its own plus the cost
 * of the tasks that this owner gets; the tasks of one owner run in order.
 * How: start-time fair queueing. Each owner has a virtual time that its tasks move forward by
 * their cost. The earliest owner is next, and an owner that was idle begins at the current time.
 */
import { AppError } from "../errors.ts";

/** Bounds of a queue. */
export interface QueueBounds {
  /** Tasks that run at the same time. */
  readonly running: number;
  /** Tasks of one owner that run at the same time; as many as may run, if not given. */
  readonly runningOfOwner?: number;
  /** Tasks that wait, and those of one owner. */
  readonly waiting: number;
  readonly waitingOfOwner: number;
  /** Sum of the costs of tasks that wait, and of those of one owner; none, if not given. */
  readonly cost?: number;
  readonly costOfOwner?: number;
  /** Names the tasks in refusals: "Workbooks". */
  readonly what: string;
}

interface Task {
  readonly cost: number;
  readonly begin: () => void;
}

interface Owner {
  readonly tasks: Task[];
  running: number;
  /** Cost of its tasks that wait. */
  cost: number;
  /** Its virtual time. */
  time: number;
}

const RETRY_AFTER_SECONDS = 1;

/** Runs tasks of owners in turns. */
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

  /** Tasks that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs a task when it is its owner's turn. Rejects with `rate_limited` if too many tasks of the
   * owner wait, and with `overloaded` if too many of all do.
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

  /** True if a task of an owner without waiting tasks would begin at once. */
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

  /** Forgets owners that owe nothing; all of them when nothing is left to do. */
  #forget(): void {
    const isIdle = this.#running === 0 && this.#waiting === 0;
    for (const [name, one] of this.#owners) {
      const rests = one.tasks.length === 0 && one.running === 0;
      if (rests && (isIdle || one.time <= this.#time)) this.#owners.delete(name);
    }
    if (isIdle) this.#time = 0;
  }
}
