/**
 * Turns seeded random numbers into faults of a share (a simulated web server for downloads). Also
 * fails a test whose faults never end.
 * Invariant: the same seed yields the same faults.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./webdav-server.ts";

/**
 * Milliseconds after which a plan counts as endless. It usually takes one or two seconds, and ten
 * times that on a busy machine.
 */
const HANG_MS = 60_000;

/** Fails if the work takes too long, before the suite's timeout. Names the seed of its plan. */
export async function inTime<T>(seed: number, work: Promise<T>): Promise<T> {
  const control = new AbortController();
  const late = sleep(HANG_MS, null, { signal: control.signal }).then(() => {
    throw new Error(`seed ${seed} has not ended after ${HANG_MS} ms`);
  });
  late.catch(() => {});
  return Promise.race([work, late]).finally(() => control.abort());
}

/** A fault. */
export function anyFault(rng: () => number): Fault {
  const after = Math.floor(rng() * 50_000);
  const faults: readonly Fault[] = [
    { kind: "cut", after },
    { kind: "cut", after: Math.floor(rng() * 500) },
    { kind: "stall", after },
    { kind: "drop" },
    { kind: "status", status: 500 },
    { kind: "status", status: 503, headers: { "retry-after": "0" } },
    { kind: "no-range" },
    { kind: "length", by: rng() < 0.5 ? 7 : -7 },
    { kind: "shift", by: 3 },
  ];
  return faults[Math.floor(rng() * faults.length)] as Fault;
}
