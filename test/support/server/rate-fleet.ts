/**
 * Simulates a fleet: members with real ledgers, and the shared buckets (rate-bank-twin.ts) behind a
 * network with delays.
 * Invariant: one step is a millisecond, and the same seed gives the same run. A member that died
 * never comes back. A paused member does nothing while time passes for the others.
 */
import { RateLimiter, type RatePolicy } from "../../../src/access/limits.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { Ledger } from "../../../src/process/ledger.ts";
import type { RateBankTwin } from "./rate-bank-twin.ts";

/** Milliseconds between two exchanges of a member with the database, as in the product. */
const TICK_MS = 5;

type Requests = ReturnType<Ledger["collectLeases"]>;

/** Faults of the network and of members, as chances per message or per millisecond. */
export interface Faults {
  readonly delayMs: number;
  readonly lost: number;
  readonly pause: number;
  readonly pauseMsMax: number;
}

/** A member. Its clock may stand still while it is paused, as in a stopped virtual machine. */
export class FleetMember {
  readonly id: string;
  readonly ledger = Ledger.open();
  readonly #clock = manualClock();
  readonly #limiter: RateLimiter;
  #pausedMs = 0;
  #clockStops = false;
  /** A sent request, and the times at which it arrives and its answer arrives. */
  #sent: { requests: Requests; atMs: number; backMs: number; grants: Float64Array | null } | null =
    null;

  constructor(id: string, members: number) {
    this.id = id;
    this.ledger.setMembers(members);
    this.#limiter = new RateLimiter(this.#clock, this.ledger);
  }

  get isPaused(): boolean {
    return this.#pausedMs > 0;
  }

  pause(ms: number, clockStops = false): void {
    this.#pausedMs = ms;
    this.#clockStops = clockStops;
  }

  /** Makes one attempt to spend units, and returns the decision. */
  take(name: string, policy: RatePolicy, cost: number, paid = 0) {
    return { ...this.#limiter.take(name, policy, cost, paid) };
  }

  /**
   * Starts or ends the mode in which the database is unreachable and the member allows only its
   * share of each limit.
   */
  setAway(isAway: boolean): void {
    this.#sent = null;
    this.ledger.setAway(isAway, this.#clock.monotonicMs());
  }

  /** Simulates one millisecond. `bank` is null while the database is unreachable. */
  step(nowMs: number, bank: RateBankTwin | null, faults: Faults, random: () => number): void {
    if (this.#pausedMs === 0 || !this.#clockStops) this.#clock.advance(1);
    this.#arrive(nowMs, bank);
    if (this.#pausedMs > 0) {
      this.#pausedMs--;
      return;
    }
    const sent = this.#sent;
    if (sent !== null && nowMs >= sent.backMs) {
      this.#sent = null;
      if (sent.grants !== null) {
        this.ledger.settleLeases(sent.requests, sent.grants, this.#clock.monotonicMs());
      } else {
        // The answer was lost with the connection. The member connects again.
        this.setAway(true);
        this.setAway(false);
      }
    }
    if (this.#sent !== null || nowMs % TICK_MS !== 0) return;
    const requests = this.ledger.collectLeases(200, false, this.#clock.monotonicMs());
    if (requests.names.length === 0) return;
    const delay = () => 1 + Math.floor(random() * faults.delayMs);
    const atMs = nowMs + delay();
    this.#sent = { requests, atMs, backMs: atMs + delay(), grants: null };
    this.#isLost = random() < faults.lost ? (random() < 0.5 ? "request" : "answer") : null;
  }

  #isLost: "request" | "answer" | null = null;

  /** A request that arrives is answered even if its member has since been paused or has died. */
  #arrive(nowMs: number, bank: RateBankTwin | null): void {
    const sent = this.#sent;
    if (sent === null || nowMs !== sent.atMs || bank === null || this.#isLost === "request") return;
    const grants = bank.lease(this.id, sent.requests, nowMs);
    if (this.#isLost === null) sent.grants = grants;
  }

  close(): void {
    this.ledger.close();
  }
}

/** The exact limit, modeled as one bucket for all requests of the fleet. */
export class IdealBucket {
  readonly #policy: RatePolicy;
  #units: number;
  #atMs = 0;

  /** `extra` units are allowed once in addition to the burst. */
  constructor(policy: RatePolicy, extra = 0) {
    this.#policy = policy;
    this.#units = policy.burst + extra;
  }

  /** Spends units if the limit allows it. Returns true if it does. */
  spend(units: number, nowMs: number): boolean {
    const { perSecond, burst } = this.#policy;
    const filled = this.#units + ((nowMs - this.#atMs) * perSecond) / 1000;
    this.#units = Math.max(this.#units, Math.min(burst, filled));
    this.#atMs = nowMs;
    const isAllowed = this.#units - units >= -1e-6;
    if (isAllowed) this.#units -= units;
    return isAllowed;
  }
}
