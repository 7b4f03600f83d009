/**
 * A process that campaign/postgres/limits.test.ts starts: a member of a fleet whose clients send
 * requests at random times. It waits for leases as a server does.
 * Arguments: address, JSON of `MemberLoad`. Output: one message, `MemberReport`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { FleetRates } from "../../../src/access/fleet/fleetrates.ts";
import { LeaseSignals } from "../../../src/access/fleet/signals.ts";
import { GUESS_POLICY, LeaseAwaited, RateLimits } from "../../../src/access/limits.ts";
import { AppError } from "../../../src/errors.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { Ledger } from "../../../src/process/ledger.ts";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { seededRng } from "../spec/random.ts";

/** Maximum milliseconds that a request waits for a lease, as in a server. */
const WAIT_MS = 600;

/** Load of a member. */
export interface MemberLoad {
  readonly seed: number;
  readonly ms: number;
  /** Keys with their limits, and the requests per second that this member gets for each. */
  readonly keys: readonly {
    readonly name: string;
    readonly perSecond: number;
    readonly burst: number;
    readonly load: number;
  }[];
}

/** The requests that a member allowed and refused. */
export interface MemberReport {
  /** Times of allowed requests by key, on a clock that all processes share. */
  readonly allowed: Readonly<Record<string, number[]>>;
  readonly refused: Readonly<Record<string, number>>;
  /** Milliseconds that each request waited for a lease, which is 0 for most. */
  readonly waits: readonly number[];
}

const [, , address, text] = process.argv as [string, string, string, string];
const { seed, ms, keys } = JSON.parse(text) as MemberLoad;
const ledger = Ledger.open();
const signals = new LeaseSignals();
let opened = () => {};
const leasing = new Promise<void>((resolve) => {
  opened = resolve;
});
const log = { warn: () => {}, info: () => opened() };
const rates = new FleetRates({ address: stateAddress(address), ledger, signals, log });
const limits = new RateLimits(systemClock, GUESS_POLICY, ledger, signals);
const random = seededRng(seed);
const allowed: Record<string, number[]> = {};
const refused: Record<string, number> = {};
const waits: number[] = [];

/** Returns milliseconds of the machine's monotonic clock. */
function sharedMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

async function request({ name, perSecond, burst }: MemberLoad["keys"][number]): Promise<void> {
  const plan = {
    limits: { requests_per_second: perSecond, burst, concurrent_requests: 1_000 },
  };
  const began = performance.now();
  for (;;) {
    const atMs = sharedMs();
    try {
      limits.spend(name, plan, 1);
      allowed[name]?.push(atMs);
      waits.push(performance.now() - began);
      return;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (!(error instanceof LeaseAwaited) || performance.now() - began > WAIT_MS) {
        refused[name] = (refused[name] ?? 0) + 1;
        return;
      }
      await signals.untilSettled();
    }
  }
}

async function sendOf(key: MemberLoad["keys"][number]): Promise<void> {
  const endMs = performance.now() + ms;
  const sent: Promise<void>[] = [];
  let dueMs = performance.now();
  for (;;) {
    dueMs += (-1_000 * Math.log(1 - random())) / key.load;
    if (dueMs > endMs) break;
    const aheadMs = dueMs - performance.now();
    if (aheadMs > 1) await sleep(aheadMs);
    sent.push(request(key));
  }
  await Promise.all(sent);
}

for (const { name } of keys) allowed[name] = [];
await leasing;
// All members start at the same time, so that each knows how many of them exist.
process.send?.("ready");
await new Promise((resolve) => process.once("message", resolve));
await Promise.all(keys.map(sendOf));
await rates.close();
process.send?.({ allowed, refused, waits } satisfies MemberReport);
process.disconnect?.();
