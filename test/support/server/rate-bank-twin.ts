/**
 * The reference implementation of the rate-limit buckets that servers share in PostgreSQL
 * (src/store/postgres/ratelimits.ts): the same rules in plain JavaScript, for any clock.
 * Invariant: models a bucket that fills with time. The database instead stores the time at which
 * the bucket will be full.
 */
import { LEASE } from "../../../src/process/ledger.ts";

const NUMBERS = Object.keys(LEASE).length;

const LONG_AGO_MS = -1e12;

interface Bucket {
  /**
   * Units in the bucket at the time `atMs`. The number is negative if more units were spent than
   * the bucket had.
   */
  units: number;
  atMs: number;
  readonly leases: Map<string, { units: number; untilMs: number }>;
}

/** Requests for leases, in the form in which the ledger collects them. */
interface Requests {
  readonly names: readonly string[];
  readonly numbers: Float64Array;
}

/** Shared buckets. */
export class RateBankTwin {
  readonly #buckets = new Map<string, Bucket>();
  readonly #leaseMs: number;
  #startedMs: number;

  /** By default the database started so long ago that every bucket is full. */
  constructor(leaseMs: number, startedMs = LONG_AGO_MS + 1) {
    this.#leaseMs = leaseMs;
    this.#startedMs = startedMs;
  }

  /** Restarts the database. */
  restart(atMs: number): void {
    this.#startedMs = atMs;
  }

  /** Returns the grants for a member's requests for leases, at a time of the database's clock. */
  lease(member: string, { names, numbers }: Requests, nowMs: number): Float64Array {
    const grants = new Float64Array(3 * names.length);
    for (const [at, name] of names.entries()) {
      const of = (part: keyof typeof LEASE) => numbers[NUMBERS * at + LEASE[part]] as number;
      const policy = { perSecond: of("perSecond"), burst: of("burst") };
      const bucket = this.#bucketAt(name, policy, nowMs);
      const own = bucket.leases.get(member)?.units ?? 0;
      const held = Math.min(of("held"), own);
      bucket.units += Math.min(of("back"), own - held) - of("debt");
      const others = leasedOf(bucket) - own;
      bucket.units = Math.max(bucket.units, -policy.burst - held - others);
      const granted = Math.max(0, Math.min(of("wanted"), Math.floor(bucket.units + 1e-6)));
      bucket.units -= granted;
      bucket.leases.delete(member);
      if (held + granted > 0) {
        bucket.leases.set(member, { units: held + granted, untilMs: nowMs + this.#leaseMs });
      }
      grants.set([granted, bucket.units, others], 3 * at);
    }
    return grants;
  }

  /**
   * Fills a bucket with the units that it has gained by now. It never has more units than the burst
   * minus the leased units.
   */
  #bucketAt(name: string, policy: { perSecond: number; burst: number }, nowMs: number): Bucket {
    const known = this.#buckets.get(name);
    const bucket = known ?? { units: policy.burst, atMs: LONG_AGO_MS, leases: new Map() };
    this.#buckets.set(name, bucket);
    if (bucket.atMs < this.#startedMs) {
      this.#fill(bucket, policy, this.#startedMs);
      bucket.units = Math.min(bucket.units, 0);
    }
    const ended = [...bucket.leases].filter(([, { untilMs }]) => untilMs <= nowMs);
    for (const [member, { untilMs }] of ended.sort((a, b) => a[1].untilMs - b[1].untilMs)) {
      this.#fill(bucket, policy, untilMs);
      bucket.leases.delete(member);
    }
    this.#fill(bucket, policy, nowMs);
    return bucket;
  }

  #fill(bucket: Bucket, policy: { perSecond: number; burst: number }, toMs: number): void {
    const passedMs = Math.max(0, toMs - bucket.atMs);
    const room = policy.burst - leasedOf(bucket);
    bucket.units = Math.min(room, bucket.units + (policy.perSecond * passedMs) / 1000);
    bucket.atMs = Math.max(bucket.atMs, toMs);
  }
}

function leasedOf({ leases }: Bucket): number {
  return [...leases.values()].reduce((sum, { units }) => sum + units, 0);
}
