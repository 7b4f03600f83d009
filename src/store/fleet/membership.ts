/**
 * The membership of this server in the fleet of its state. Input: a joined state, and ticks.
 * Output: the id under which it owns work, and if its lease is certainly valid.
 * Invariant: `isSure` is true only while the database cannot have ended the lease. This time is
 * measured by the monotonic clock, from just before the last renewal was sent. A state in a data
 * directory has only one server. The lock of the directory proves that this server is alive, so its
 * lease never ends and is never renewed.
 */
import { createHash, randomBytes } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import type { Clock } from "../../process/clock.ts";
import { describeError, type Log } from "../../process/log.ts";
import type { StateDatabase } from "../statedatabase.ts";
import { LEASE_MS, type MemberRow, MemberStore, type NewMember } from "./members.ts";

/** Length of a single server's lease, in milliseconds: longer than any process runs. */
const ENDLESS_MS = 1e15;
/** Time between two ticks, in milliseconds. */
const TICK_MS = 1_000;
/** A lease counts as certainly valid until this long before its end, in milliseconds. */
const MARGIN_MS = 1_000;

/** The facts about a server that other members see. */
interface MemberFacts {
  /** Host and port, for people. */
  readonly name: string;
  readonly version: string;
  /** Address of the store that has the server's files; `disk` if they are in its data directory. */
  readonly files: string;
  readonly dataDir: string;
}

interface MembershipParts extends MemberFacts {
  readonly database: StateDatabase;
  readonly clock: Clock;
  readonly log: Log;
  /** Length of the lease in milliseconds. Only tests set it. */
  readonly leaseMs?: number;
}

/**
 * Called when this server has rejoined its fleet under a new id, or has noticed that other servers
 * have ended.
 */
type Listener = () => void;

/** One server's membership. */
export class Membership {
  readonly members: MemberStore;
  readonly leaseMs: number;
  readonly #parts: MembershipParts;
  readonly #listeners: Listener[] = [];
  #id: string | null = null;
  #snapshot: Pick<MemberRow, "snapshot" | "snapshotId"> = { snapshot: null, snapshotId: null };
  /** When the server last joined, and when it last renewed its lease, on the monotonic clock. */
  #joinedMs = Number.NEGATIVE_INFINITY;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    this.leaseMs = parts.leaseMs ?? (parts.database.engine === "sqlite" ? ENDLESS_MS : LEASE_MS);
    this.members = new MemberStore(parts.database, this.leaseMs, this.isShared);
  }

  /** True if other servers may work on the state. */
  get isShared(): boolean {
    return this.leaseMs < ENDLESS_MS;
  }

  /** Id under which this server owns work. It changes when a lease was lost. */
  get id(): string {
    if (this.#id === null) throw new Error("the server has not joined");
    return this.#id;
  }

  /** True if no other member can have taken over this member's work. */
  get isSure(): boolean {
    const { clock } = this.#parts;
    return clock.monotonicMs() - this.#renewedMs < this.leaseMs - MARGIN_MS;
  }

  /**
   * True if this member may remove others. After an outage of the database, the leases of all
   * members have ended. So each member first waits, to give the others time to join again and keep
   * their work.
   */
  get #isSettled(): boolean {
    return this.isSure && this.#parts.clock.monotonicMs() - this.#joinedMs >= this.leaseMs / 3;
  }

  /** Registers a listener; it runs after each change, outside of a transaction. */
  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /**
   * Joins, and renews the lease from now on; further calls do nothing.
   * @throws CommandError as `MemberStore.join`
   */
  start(): void {
    if (this.#id !== null) return;
    this.#join(null);
    if (this.isShared) this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** Renews the lease after a third of it, and removes members with ended leases. Never throws. */
  tick(): void {
    if (this.#id === null || !this.isShared) return;
    const { clock, log } = this.#parts;
    try {
      const nowMs = clock.monotonicMs();
      if (nowMs - this.#renewedMs >= this.leaseMs / 3) this.#renew(this.#id, nowMs);
      if (this.#isSettled) this.#bury();
    } catch (error) {
      log.warn(describeError(error), "the lease of this server was not renewed; trying again");
    }
  }

  /** Stores which snapshot this server serves. Never throws: a heartbeat stores it later. */
  serve(snapshot: Pick<MemberRow, "snapshot" | "snapshotId">): void {
    this.#snapshot = snapshot;
    if (this.#id === null) return;
    try {
      this.members.serve(this.#id, snapshot);
    } catch (error) {
      this.#renewedMs = Number.NEGATIVE_INFINITY;
      this.#parts.log.warn(describeError(error), "the served snapshot was not stored");
    }
  }

  /** Ends the membership, so that other servers take over immediately. Never throws. */
  stop(): void {
    clearInterval(this.#timer);
    if (this.#id === null) return;
    try {
      this.members.leave(this.#id);
    } catch (error) {
      this.#parts.log.warn(describeError(error), "the lease of this server ends by itself");
    }
    this.#id = null;
    this.#renewedMs = Number.NEGATIVE_INFINITY;
  }

  #renew(id: string, nowMs: number): void {
    if (this.members.renew(id)) {
      this.#renewedMs = nowMs;
      this.members.serve(id, this.#snapshot);
      return;
    }
    this.#join(id);
    this.#parts.log.warn({ member: this.#id }, "this server lost its lease, and joined again");
    this.#changed();
  }

  #join(former: string | null): void {
    const { clock, name, version, files, dataDir } = this.#parts;
    const nowMs = clock.monotonicMs();
    const id = `mem_${randomBytes(16).toString("hex")}`;
    const place = placeOf(dataDir);
    const member: NewMember = { id, place, name, version, files, ...this.#snapshot };
    this.members.join(member, former);
    this.#id = id;
    this.#joinedMs = nowMs;
    this.#renewedMs = nowMs;
  }

  #bury(): void {
    const ended = this.members.bury();
    for (const { id, name } of ended) {
      this.#parts.log.warn({ member: id, name }, "a server has ended; its work goes on elsewhere");
    }
    if (ended.length > 0) this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Returns an id of a data directory. Copies of a directory have different ids. Two running servers
 * never have the same id, because a server locks its directory.
 */
function placeOf(dataDir: string): string {
  const path = realpathSync(dataDir);
  const { dev, ino, birthtimeMs } = statSync(path);
  const parts = [hostname(), path, dev, ino, birthtimeMs];
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}
