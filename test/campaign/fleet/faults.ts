/**
 * Random faults of a fleet: of its processes, its database, its store, and its networks.
 * Invariant: kinds, targets, and lengths come from the seed; the machine decides the moments. At
 * most two servers are faulty at a time, so the third can answer, unless the database or the
 * store that it needs is faulty too. When all faults are over, everything runs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Draw, seededRng } from "../../support/spec/random.ts";
import { type FleetGround, SERVERS } from "./ground.ts";
import { LINKS } from "./network.ts";

/** Numbers of faults. */
export interface FaultCounts {
  readonly processes: number;
  readonly database: number;
  readonly store: number;
  readonly network: number;
}

/** Runs the faults of a campaign in several sequences ("lanes") at the same time. */
export class FaultInjector {
  /** Faults by name. */
  readonly tally = new Map<string, number>();
  readonly #ground: FleetGround;
  readonly #seed: number;
  readonly #untilMs: number;
  readonly #busy = new Set<number>();

  /** After `ms` milliseconds, no further fault begins. */
  constructor(ground: FleetGround, seed: number, ms: number) {
    this.#ground = ground;
    this.#seed = seed;
    this.#untilMs = performance.now() + ms;
  }

  /** Applies all faults, and resolves at the end. Calls `onThird` after the first two thirds. */
  async run(counts: FaultCounts, onThird: (third: number) => void): Promise<void> {
    const third = Math.ceil(counts.processes / 3);
    this.#onEnd = (ended) => {
      if (ended % third === 0 && ended < counts.processes) onThird(ended / third);
    };
    const lane = (name: keyof FaultCounts, at: number, fault: (draw: Draw) => Promise<string>) =>
      this.#lane({ name, count: counts[name], share: counts[name] / counts.processes }, (n) =>
        fault(new Draw(seededRng(this.#seed * 1_000_003 + at * 10_007 + n))),
      );
    await Promise.all([
      // Two lanes are for processes, because a start takes longer than anything else.
      lane("processes", 0, (draw) => this.#process(draw)),
      lane("processes", 0, (draw) => this.#process(draw)),
      lane("database", 1, (draw) => this.#database(draw)),
      lane("store", 2, (draw) => this.#store(draw)),
      lane("network", 3, (draw) => this.#network(draw)),
    ]);
  }

  readonly #begun = { processes: 0, database: 0, store: 0, network: 0 };
  #ended = 0;
  #onEnd: (ended: number) => void = () => {};

  /** Runs the faults of one lane, spread over the time of the lanes for processes. */
  async #lane(
    { name, count, share }: { name: keyof FaultCounts; count: number; share: number },
    fault: (number: number) => Promise<string>,
  ): Promise<void> {
    while (this.#begun[name] < count && performance.now() < this.#untilMs) {
      const number = this.#begun[name]++;
      while (name !== "processes" && this.#ended * share < number) {
        if (performance.now() > this.#untilMs) return;
        await sleep(200);
      }
      const kind = await fault(number);
      this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
      if (name === "processes") this.#onEnd(++this.#ended);
    }
  }

  /** Waits until a server has no fault, and reserves it for one. */
  async #take(draw: Draw): Promise<number> {
    for (;;) {
      const free = SERVERS.filter((at) => !this.#busy.has(at));
      const at = free[draw.below(free.length)];
      if (at !== undefined && free.length > 1) {
        this.#busy.add(at);
        return at;
      }
      await sleep(100);
    }
  }

  async #process(draw: Draw): Promise<string> {
    await sleep(draw.below(2_000));
    const at = await this.#take(draw);
    try {
      const kind = draw.below(20);
      if (kind < 9) return await this.#kill(at, draw.below(4_000));
      if (kind < 14) return await this.#pause(at, 300 + draw.below(4_700), "pauses");
      return await this.#pause(at, 16_000 + draw.below(4_000), "pauses over a lease");
    } finally {
      this.#busy.delete(at);
    }
  }

  async #kill(at: number, downMs: number): Promise<string> {
    await this.#ground.kill(at);
    await sleep(downMs);
    await this.#ground.begin(at);
    return "kills";
  }

  async #pause(at: number, ms: number, kind: string): Promise<string> {
    this.#ground.signal(at, "SIGSTOP");
    await sleep(ms);
    this.#ground.signal(at, "SIGCONT");
    return kind;
  }

  async #database(draw: Draw): Promise<string> {
    await sleep(draw.below(4_000));
    const { postgres } = this.#ground;
    const ms = draw.below(4) === 0 ? 10_000 + draw.below(10_000) : draw.below(5_000);
    if (draw.below(4) === 0) {
      postgres.freeze("SIGSTOP");
      await sleep(ms);
      postgres.freeze("SIGCONT");
      return "database hangs";
    }
    await postgres.crash();
    await sleep(ms);
    await postgres.begin();
    return "database kills";
  }

  async #store(draw: Draw): Promise<string> {
    await sleep(draw.below(4_000));
    const { store } = this.#ground;
    const ms = 1_000 + draw.below(9_000);
    if (draw.below(3) === 0) {
      store.fault = () => ({ status: 503, code: "SlowDown" });
      await sleep(ms);
      store.fault = () => undefined;
      return "store refuses";
    }
    await store.close();
    await sleep(ms);
    await store.reopen();
    return "store stops";
  }

  async #network(draw: Draw): Promise<string> {
    await sleep(draw.below(2_000));
    const link = LINKS[draw.below(LINKS.length)] as (typeof LINKS)[number];
    const ms = 1_000 + draw.below(draw.below(3) === 0 ? 20_000 : 5_000);
    const at = await this.#take(draw);
    try {
      this.#ground.network.cut(at, link);
      await sleep(ms);
      this.#ground.network.heal(at, link);
      return `cuts of ${link}`;
    } finally {
      this.#busy.delete(at);
    }
  }
}
