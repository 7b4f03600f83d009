/**
 * Throttling of password attempts. Input: an account, the client's address, and the result. Output:
 * nothing, or a refusal with the time to wait.
 * Invariant: an address waits longer the more failures it had, in total and on one account. If
 * other addresses fail on an account, an address waits longer after its own first failure there.
 * Its first attempt is never delayed by others, so no attacker can lock out an owner at another
 * address. Waits are bounded. Failures expire with time, or are evicted if memory is full. All this
 * holds for unknown accounts too.
 */
import { isIPv4, isIPv6 } from "node:net";
import { AppError } from "../errors.ts";
import type { Clock } from "../process/clock.ts";

interface Growth {
  /** Failures without a wait. */
  readonly free: number;
  /** Milliseconds after which one failure expires. */
  readonly forgetMs: number;
  /** Maximum wait, in milliseconds. */
  readonly longestMs: number;
}

/** Waits caused by failures of one address on one account. */
const PAIR: Growth = { free: 3, forgetMs: 600_000, longestMs: 300_000 };
/** Waits caused by failures of one address on all accounts. Several people may share an address. */
const ADDRESS: Growth = { free: 10, forgetMs: 30_000, longestMs: 60_000 };
/** Failures of all addresses on an account. They delay every address that failed there. */
const ACCOUNT: Growth = { free: 16, forgetMs: 60_000, longestMs: 0 };

/** Milliseconds to wait after the first failure beyond `free`, doubled with each further one. */
const FIRST_MS = 1_000;
/** Maximum names stored per kind. */
const NAMES_MAX = 10_000;
/** Number of names evicted together when the table is full. */
const ROOM = 500;
/** Max length of a name with its own counter. Longer names, which no account has, share one. */
const ACCOUNT_MAX = 254;

/** A started attempt. It counts as a failure unless a method is called. */
export interface Attempt {
  /** The password was right: clears the address's failures on this account. */
  succeeded(): void;
  /** The password was not checked, so the attempt does not count. */
  undone(): void;
}

/** Delays of sign-in attempts, in memory: a restart clears them. */
export class SignIns {
  readonly #clock: Clock;
  readonly #pairs: Failures;
  readonly #addresses: Failures;
  readonly #accounts: Failures;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pairs = new Failures(PAIR);
    this.#addresses = new Failures(ADDRESS);
    this.#accounts = new Failures(ACCOUNT);
  }

  get size(): number {
    return this.#pairs.size + this.#addresses.size + this.#accounts.size;
  }

  /** Begins and counts an attempt, so that parallel attempts wait. Throws `rate_limited`. */
  begin(email: string, from: string): Attempt {
    const nowMs = this.#clock.monotonicMs();
    const account = email.length > ACCOUNT_MAX ? "" : email;
    const address = networkOf(from);
    const pair = `${address} ${account}`;
    const others = this.#accounts.count(account, nowMs) / ACCOUNT.free;
    const attacked = others < 1 ? 0 : Math.floor(Math.log2(others)) + PAIR.free;
    const waitMs = Math.max(
      this.#pairs.waitMs(pair, nowMs, attacked),
      this.#addresses.waitMs(address, nowMs),
    );
    if (waitMs > 0) throw tooEarly(waitMs);
    this.#pairs.add(pair, nowMs);
    this.#addresses.add(address, nowMs);
    this.#accounts.add(account, nowMs);
    const undone = () => {
      this.#pairs.remove(pair);
      this.#addresses.remove(address);
      this.#accounts.remove(account);
    };
    const succeeded = () => {
      undone();
      this.#pairs.forget(pair);
    };
    return { succeeded, undone };
  }
}

/** Failures of a name, as of the time of the last failure. */
interface Failed {
  count: number;
  atMs: number;
}

/** Counts failures by name. Failures expire with time. */
class Failures {
  readonly #growth: Growth;
  readonly #names = new Map<string, Failed>();

  constructor(growth: Growth) {
    this.#growth = growth;
  }

  get size(): number {
    return this.#names.size;
  }

  /** Returns the failures that have not expired. */
  count(name: string, nowMs: number): number {
    const failed = this.#names.get(name);
    return failed === undefined ? 0 : this.#left(failed, nowMs);
  }

  /** Returns the wait in ms. If the name has failures, `more` is added to their number. */
  waitMs(name: string, nowMs: number, more = 0): number {
    const failed = this.#names.get(name);
    if (failed === undefined) return 0;
    const { free, longestMs } = this.#growth;
    const counted = Math.ceil(failed.count) + more;
    if (counted <= free) return 0;
    const wholeMs = Math.min(longestMs, FIRST_MS * 2 ** Math.min(counted - free - 1, 30));
    return Math.max(0, failed.atMs + wholeMs - nowMs);
  }

  add(name: string, nowMs: number): void {
    const count = this.count(name, nowMs) + 1;
    this.#names.delete(name);
    if (this.#names.size >= NAMES_MAX) this.#makeRoom(nowMs);
    this.#names.set(name, { count, atMs: nowMs });
  }

  remove(name: string): void {
    const failed = this.#names.get(name);
    if (failed === undefined) return;
    failed.count -= 1;
    if (failed.count <= 0) this.#names.delete(name);
  }

  forget(name: string): void {
    this.#names.delete(name);
  }

  #left({ count, atMs }: Failed, nowMs: number): number {
    return Math.max(0, count - (nowMs - atMs) / this.#growth.forgetMs);
  }

  /** Evicts expired names, or the names with the fewest failures if none has expired. */
  #makeRoom(nowMs: number): void {
    const names = [...this.#names].map(([name, failed]) => {
      return { name, left: this.#left(failed, nowMs) };
    });
    names.sort((one, other) => one.left - other.left);
    for (const [at, { name, left }] of names.entries()) {
      if (left > 0 && at >= ROOM) return;
      this.#names.delete(name);
    }
  }
}

/**
 * Returns the network of a client: the whole IPv4 address, or the first 64 bits of an IPv6
 * address, which providers assign to one customer.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address) || isIPv4(address)) return address;
  const [plain = ""] = address.split("%");
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = "", tail = ""] = canonical.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === "" ? [] : tail.split(":");
  const zeros = canonical.includes("::") ? Array(8 - first.length - last.length).fill("0") : [];
  const groups = [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16));
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

function tooEarly(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(
    "rate_limited",
    `Signing in failed too often. Wait ${seconds} s, then try again.`,
    { headers: { "Retry-After": String(seconds) } },
  );
}
