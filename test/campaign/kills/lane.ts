/**
 * A lane: one data directory and the processes that run and die on it. It runs the planned lives
 * (runs of the process that each end in its death), and returns the deaths and the observations of
 * the clients.
 * Invariant: the directory is checked after every death. Unless a life is planned to die at a
 * certain point, it begins with the complete check, which detects the damage that the previous
 * death caused.
 */
import { copyFileSync, linkSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkNothingStaged } from "./heldchecks.ts";
import { checkRecovered, checkRemains } from "./invariants.ts";
import { Ledger } from "./ledger.ts";
import { runLoad, type World } from "./load.ts";
import type { CyclePlan, End } from "./plan.ts";
import type { References } from "./reference.ts";
import { type Death, makeKeys, Server } from "./server.ts";
import { Gone, must, Violation } from "./violation.ts";

/** Milliseconds that a life waits for its kill point after its clients have finished. */
const LINGER_MS = 3_000;
/** Maximum milliseconds for a graceful stop. A process that needs more counts as hanging. */
const STOP_MS_MAX = 30_000;

/** The folder of a lane, and the way in which processes die. A power cut replaces both. */
export interface Ground {
  /** Folder that contains everything of the lane. */
  readonly folder: string;
  /** Ends a process for good. */
  kill(server: Server): Promise<void>;
  dispose(): void;
}

/** Returns the default ground: an ordinary folder, and SIGKILL. */
export function plainGround(): Ground {
  const folder = mkdtempSync(join(tmpdir(), "peneira-crash-"));
  return {
    folder,
    kill: async (server) => void (await server.end("SIGKILL")),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One data directory. */
export class Lane {
  readonly ledger = new Ledger();
  /** Deaths by cause: a point, `random`, `stopped`, or `missed` for a point not reached. */
  readonly deaths = new Map<string, number>();
  /** Complete checks. */
  checks = 0;
  readonly #ground: Ground;
  readonly #references: References;
  readonly #keys: readonly string[];
  #running: Server | null = null;

  constructor(ground: Ground, references: References) {
    this.#ground = ground;
    this.#references = references;
    this.#keys = makeKeys(this.#dataDir);
  }

  /** Runs one life until the process dies. */
  async live(plan: CyclePlan): Promise<void> {
    const { end } = plan;
    const fault = end.how === "point" ? `${end.point}:${end.nth}` : undefined;
    const cause = end.how === "point" ? end.point : end.how === "kill" ? "random" : "stopped";
    const started = await this.#start(plan.snapshot, fault);
    if (!(started instanceof Server)) return this.#died(cause, started, "at its start");
    const world = this.#world(started, plan.snapshot);
    if (end.how !== "point" && (await this.#check(world))) {
      return this.#died(cause, await started.death, `while it was checked:\n${started.output}`);
    }
    const [missed] = await Promise.all([
      this.#finish(started, end, plan),
      runLoad(world, plan.clients),
    ]);
    const died = await started.death;
    await this.#died(missed ? "missed" : cause, died, `of its own:\n${started.output}`);
  }

  /** Starts the server again, checks everything, and stops it as an operator does. */
  async rest(snapshot = 0): Promise<void> {
    const started = await this.#start(snapshot);
    if (!(started instanceof Server)) throw new Violation("I9", "the last start failed");
    await this.#check(this.#world(started, snapshot));
    const { code } = await started.end("SIGTERM");
    must(code === 0, "I10", `SIGTERM ended it with ${code}:\n${started.output}`);
    await checkRemains(this.#remains);
    checkNothingStaged(this.#dataDir);
  }

  /** Ends the process that a violation left running, and removes everything. */
  async dispose(): Promise<void> {
    if (this.#running?.alive) await this.#running.end("SIGKILL");
    this.#ground.dispose();
  }

  get #dataDir(): string {
    return join(this.#ground.folder, "state");
  }

  get #remains() {
    return { dataDir: this.#dataDir, ledger: this.ledger, references: this.#references };
  }

  #world(server: Server, snapshot: number): World {
    return { server, snapshot, ledger: this.ledger, references: this.#references };
  }

  /** Replaces the served snapshot and starts a server. Only pins keep the other snapshot. */
  async #start(snapshot: number, fault?: string): Promise<Server | Death> {
    const place = join(this.#ground.folder, "served.peneira");
    put(this.#references.snapshots[snapshot] as string, place);
    this.ledger.life++;
    this.ledger.stopSentAt = null;
    const where = { snapshot: place, dataDir: this.#dataDir, keys: this.#keys };
    const started = await Server.start(fault === undefined ? where : { ...where, fault });
    this.#running = started instanceof Server ? started : null;
    return started;
  }

  /** Checks everything. Returns true if the server died during the check. */
  async #check(world: World): Promise<boolean> {
    try {
      await checkRecovered({ ...world, dataDir: this.#dataDir });
      this.checks++;
      return false;
    } catch (error) {
      if (error instanceof Gone) return true;
      throw error;
    }
  }

  /** Ends the life as planned. Returns true if the plan has a kill point that was not reached. */
  async #finish(server: Server, end: End, plan: CyclePlan): Promise<boolean> {
    if (end.how === "point") return !(await this.#reaches(server, end.point, plan));
    await Promise.race([sleep(end.afterMs), server.death]);
    if (end.how === "stop") {
      this.#stop(server);
      const graceMs = end.graceMs ?? STOP_MS_MAX;
      const ended = await Promise.race([server.death.then(() => true), sleep(graceMs, false)]);
      must(ended || end.graceMs !== null, "I10", `SIGTERM is ignored:\n${server.output}`);
    }
    if (server.alive) await this.#ground.kill(server);
    return false;
  }

  /** Stops the server as an operator does. */
  #stop(server: Server): void {
    this.ledger.stopSentAt = Date.now();
    server.signal("SIGTERM");
  }

  /**
   * Waits for the kill point. Points of the kind `requeue` are reached only during a stop, so the
   * process is stopped for these.
   */
  async #reaches(server: Server, point: string, plan: CyclePlan): Promise<boolean> {
    if (point.startsWith("requeue")) {
      await Promise.race([sleep(20 + (plan.cycle % 8) * 20), server.death]);
      this.#stop(server);
    }
    const until = Date.now() + LINGER_MS;
    while (server.alive && Date.now() < until) await Promise.race([sleep(50), server.death]);
    if (!server.alive) return (await server.death).signal === "SIGKILL";
    await this.#ground.kill(server);
    return false;
  }

  /** Counts a death, throws if it has no cause, and checks the directory. */
  async #died(cause: string, { code, signal }: Death, when: string): Promise<void> {
    const right = signal === "SIGKILL" || (code === 0 && ["stopped", "missed"].includes(cause));
    must(right, "I10", `the process ended with ${code ?? signal} ${when}`);
    this.deaths.set(cause, (this.deaths.get(cause) ?? 0) + 1);
    await checkRemains(this.#remains);
  }
}

/** Replaces a file atomically. If possible, the new file is a hard link. */
function put(from: string, to: string): void {
  const next = `${to}.next`;
  rmSync(next, { force: true });
  try {
    linkSync(from, next);
  } catch {
    copyFileSync(from, next);
  }
  renameSync(next, to);
}
