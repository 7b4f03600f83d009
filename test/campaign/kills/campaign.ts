/**
 * Runs a whole crash campaign. Input: a seed, the number of lives (runs of the server that each end
 * in its death), and the required hits of each kill point. Output: counts. The first violation ends
 * the campaign.
 * Invariant: the lives of a lane (one data directory) run in sequence, and lanes run in parallel.
 * The plan depends only on seed, lane, and cycle, and a failure names all three.
 */
import { FAULT_POINTS, type FaultPoint } from "../../../src/process/fault.ts";
import { type Ground, Lane, plainGround } from "./lane.ts";
import type { LedgerCounts } from "./ledger.ts";
import { type CyclePlan, planCycle } from "./plan.ts";
import { References } from "./reference.ts";
import { buildVictim } from "./server.ts";

/** Options of a run. */
export interface CampaignOptions {
  readonly seed: number;
  /** Number of lives in all lanes together. */
  readonly cycles: number;
  /** Number of deaths required at each point. Lives are added until it is reached. */
  readonly hitsMin: number;
  readonly lanes?: number;
  readonly accounts?: number;
  /**
   * Creates the folder of a lane, and determines how its processes die. The default is an ordinary
   * folder and SIGKILL.
   */
  readonly ground?: () => Ground;
  /** Called after every life. */
  readonly onCycle?: (done: number, total: number) => void;
}

/** Results of a run. */
export interface CampaignReport extends LedgerCounts {
  readonly seed: number;
  readonly lives: number;
  readonly checks: number;
  /** Number of deaths by cause: a point, `random`, `stopped`, or `missed` (point not reached). */
  readonly deaths: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** Number of lives that may miss a point before the campaign reports the point as unreachable. */
const MISSES_MAX = 12;
const DEFAULTS = { lanes: 2, accounts: 4_000 };

/** Runs all lives. Throws the first violation, with its lane and cycle. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { seed, lanes: count, accounts } = { ...DEFAULTS, ...options };
  buildVictim();
  const references = await References.make(accounts, seed);
  const began = performance.now();
  const lanes: Lane[] = [];
  try {
    for (let lane = 0; lane < count; lane++) {
      lanes.push(new Lane((options.ground ?? plainGround)(), references));
    }
    const run = new Run(options, lanes);
    // Waits until all lanes have ended, so that no process uses the folders that are removed below.
    const ends = await Promise.allSettled(lanes.map((_, lane) => run.drive(lane)));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return reportOf(options, lanes, (performance.now() - began) / 1_000);
  } finally {
    for (const lane of lanes) await lane.dispose();
    references.dispose();
  }
}

/** The lanes of one campaign, and the points that still need hits. */
class Run {
  readonly #options: CampaignOptions;
  readonly #lanes: readonly Lane[];
  readonly #tried = new Map<FaultPoint, number>();
  #lives = 0;
  #failed = false;

  constructor(options: CampaignOptions, lanes: readonly Lane[]) {
    this.#options = options;
    this.#lanes = lanes;
  }

  /** Runs the planned lives of a lane. Afterwards, adds lives for points that have too few hits. */
  async drive(lane: number): Promise<void> {
    const { seed, cycles } = this.#options;
    const share = Math.ceil(cycles / this.#lanes.length);
    let cycle = 0;
    const step = this.#options.ground === undefined ? 1 : 2;
    for (; cycle < share; cycle++) {
      await this.#live(lane, planCycle({ seed, lane, cycle: cycle * step }));
    }
    for (;;) {
      const point = this.#wanted();
      if (point === undefined) break;
      // First, a life with a random death. It leaves unfinished work, an old file, or an unneeded
      // pin to the next start, and the missing kill points are where these are handled.
      await this.#live(lane, planCycle({ seed, lane, cycle: cycle + (cycle % 2) }));
      await this.#live(lane, planCycle({ seed, lane, cycle: cycle + 1, point }));
      cycle += 2;
    }
    await this.#guard(lane, "the last start", () => (this.#lanes[lane] as Lane).rest());
  }

  async #live(lane: number, plan: CyclePlan): Promise<void> {
    if (this.#failed) return;
    const { end, cycle } = plan;
    const ending = end.how === "point" ? `${end.point}:${end.nth}` : `${end.how} ${end.afterMs} ms`;
    await this.#guard(lane, `cycle ${cycle} (${ending})`, () =>
      (this.#lanes[lane] as Lane).live(plan),
    );
    this.#lives++;
    this.#options.onCycle?.(this.#lives, this.#options.cycles);
  }

  async #guard(lane: number, what: string, work: () => Promise<void>): Promise<void> {
    if (this.#failed) return;
    try {
      await work();
    } catch (error) {
      this.#failed = true;
      const { seed } = this.#options;
      const seen = error instanceof Error ? error.message : String(error);
      throw new Error(`seed ${seed}, lane ${lane}, ${what}: ${seen}`, { cause: error });
    }
  }

  /** Returns the point that was tried least among those with too few hits. */
  #wanted(): FaultPoint | undefined {
    if (this.#failed) return undefined;
    const tries = (point: FaultPoint) => this.#tried.get(point) ?? 0;
    const [point] = FAULT_POINTS.filter((one) => this.#hits(one) < this.#options.hitsMin).sort(
      (a, b) => tries(a) - tries(b),
    );
    if (point === undefined) return undefined;
    if (tries(point) >= MISSES_MAX)
      throw new Error(`${point} was not reached in ${MISSES_MAX} lives`);
    this.#tried.set(point, tries(point) + 1);
    return point;
  }

  #hits(point: FaultPoint): number {
    return this.#lanes.reduce((sum, lane) => sum + (lane.deaths.get(point) ?? 0), 0);
  }
}

function reportOf(
  { seed }: CampaignOptions,
  lanes: readonly Lane[],
  seconds: number,
): CampaignReport {
  const deaths: Record<string, number> = {};
  const counts = { ...(lanes[0] as Lane).ledger.counts };
  for (const [i, lane] of lanes.entries()) {
    for (const [cause, times] of lane.deaths) deaths[cause] = (deaths[cause] ?? 0) + times;
    if (i === 0) continue;
    for (const name of Object.keys(counts) as (keyof LedgerCounts)[]) {
      counts[name] += lane.ledger.counts[name];
    }
  }
  const lives = Object.values(deaths).reduce((a, b) => a + b, 0);
  const checks = lanes.reduce((sum, lane) => sum + lane.checks, 0);
  return { seed, lives, checks, deaths, ...counts, seconds };
}

/** Returns the report for a person, one line per count. */
export function printReport(report: CampaignReport): string {
  const { seed, lives, checks, seconds, deaths, ...counts } = report;
  const killed = Object.entries(deaths).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `seed ${seed}: ${lives} lives, ${checks} full checks, ${seconds.toFixed(0)} s, 0 violations`,
    `exports: ${Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")}`,
    `deaths: ${killed.map(([cause, times]) => `${cause} ${times}`).join(", ")}`,
    "",
  ].join("\n");
}
