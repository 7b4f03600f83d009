/**
 * The campaign of attacks on sockets. Output, for each transport: the times of /healthz and of
 * searches that other clients measured, and the server's memory.
 * Invariant: every round chooses an attack, its size, its listener, and its address at random. The
 * server must stay the same process. During the attack, it must answer every /healthz from another
 * address, and during or right after it, a search of another tenant. In the end, it must free its
 * memory.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSampleSnapshot } from "../support/sample/snapshot.ts";
import { startServerProcess, stopServerProcess } from "../support/server/process.ts";
import { probe } from "../support/sockets/attacks.ts";
import { Draw, seededRng } from "../support/spec/random.ts";
import { ATTACKS, type Victim, victimOf } from "./attacks.ts";
import type { Campaign } from "./run.ts";

/** Number of accounts of the snapshot, enough for large pages. */
const ACCOUNTS = 20_000;
/** Address of other clients, which no attack may lock out. */
const OTHERS = "127.9.9.9";
/** Maximum growth of resident memory in MiB, and milliseconds to shrink to that. */
const GROWTH_MAX = 64;
const SETTLE_MS = 40_000;
/**
 * Milliseconds within which a search of another tenant must succeed. Before that, it may be refused
 * with a retry time.
 */
const SEARCH_MS = 15_000;
const TELL_EVERY = 50;
const WARM_ROUNDS = 30;

/** Others' results. */
interface Seen {
  readonly tookMs: number[];
  readonly searchMs: number[];
  readonly rounds: Record<string, number>;
}

/** Attacks sockets of both transports and of the metrics listener. */
export const sockets: Campaign = {
  round: "an attack of about a second on one listener",
  rounds: 200,
  async run({ rounds, seed }) {
    const sample = await makeSampleSnapshot(ACCOUNTS, 3);
    const folder = mkdtempSync(join(tmpdir(), "peneira-campaign-"));
    try {
      const reports: string[] = [];
      for (const transport of ["uws", "node"]) {
        const dataDir = join(folder, transport);
        const half = Math.ceil(rounds / 2);
        const target = { snapshot: sample.snapshot, dataDir, transport };
        reports.push(`${transport}: ${await attackOne(target, half, seed)}`);
      }
      return reports.join("\n");
    } finally {
      sample.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function attackOne(
  target: { readonly snapshot: string; readonly dataDir: string; readonly transport: string },
  rounds: number,
  seed: number,
): Promise<string> {
  const metricsPort = 20_000 + (process.pid % 20_000);
  const settings = {
    PENEIRA_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    PENEIRA_HTTP_TRUSTED_PROXIES: "192.0.2.1",
    PENEIRA_EXPORTS_THREADS: "1",
  };
  const server = await startServerProcess({ ...target, settings });
  const victim = await victimOf(server, metricsPort);
  const draw = new Draw(seededRng(seed));
  const seen: Seen = { tookMs: [], searchMs: [], rounds: {} };
  const pid = server.child.pid as number;
  // The memory of later rounds is compared with that after some rounds, because permanent buffers
  // are allocated by then.
  let before = 0;
  for (let round = 0; round < rounds; round++) {
    await attackRound(victim, draw, seen).catch((error: unknown) => {
      throw new Error(`${target.transport}, seed ${seed}, round ${round}: ${String(error)}`);
    });
    if (round + 1 === WARM_ROUNDS) before = await restingMiB(pid, 0);
    if ((round + 1) % TELL_EVERY === 0) {
      process.stderr.write(`${target.transport}: ${round + 1} of ${rounds} rounds\n`);
    }
  }
  const warm = rounds > WARM_ROUNDS;
  const after = await restingMiB(pid, warm ? before + GROWTH_MAX : 0);
  await stopServerProcess(server);
  if (warm) assert.ok(after - before <= GROWTH_MAX, `memory: ${before}, then ${after} MiB`);
  return reportOf(seen, rounds, warm ? after - before : 0);
}

async function attackRound(victim: Victim, draw: Draw, seen: Seen): Promise<void> {
  const [name, attack] = draw.of(Object.entries(ATTACKS));
  seen.rounds[name] = (seen.rounds[name] ?? 0) + 1;
  let over = false;
  const watching = probe({ port: victim.port, from: OTHERS }, () => over);
  const lasting = 200 + draw.below(800);
  const stop = await attack(victim, draw);
  await sleep(lasting);
  const began = performance.now();
  await searchAsOther(victim);
  seen.searchMs.push(performance.now() - began);
  stop();
  over = true;
  const { tookMs, failed } = await watching;
  seen.tookMs.push(...tookMs);
  assert.equal(victim.ended(), false, `${name} ended the process`);
  assert.equal(failed, 0, `${name}: ${failed} of ${failed + tookMs.length} /healthz failed`);
}

/**
 * Runs a small search of another tenant. It must succeed at the latest when it is repeated at the
 * suggested time.
 */
async function searchAsOther({ base, otherKey }: Victim): Promise<void> {
  const body = JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } }, limit: 5 });
  const headers = { authorization: `Bearer ${otherKey}`, "content-type": "application/json" };
  const untilMs = performance.now() + SEARCH_MS;
  for (;;) {
    const signal = AbortSignal.timeout(SEARCH_MS);
    const answer = await fetch(`${base}/v1/accounts/search`, {
      ...{ method: "POST", headers, body, signal },
    });
    await answer.arrayBuffer();
    if (answer.status === 200) return;
    assert.equal(answer.status, 503, `a search of another tenant got ${answer.status}`);
    assert.ok(performance.now() < untilMs, "searches of another tenant stay 503");
    await sleep(100);
  }
}

/** Returns the resident memory in MiB, once it is at most `enough` or the time is over. */
async function restingMiB(pid: number, enough: number): Promise<number> {
  const untilMs = performance.now() + (enough === 0 ? 0 : SETTLE_MS);
  for (;;) {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    const mib = Math.round(Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1]) / 1024);
    if (mib <= enough || performance.now() >= untilMs) return mib;
    await sleep(500);
  }
}

function reportOf({ tookMs, searchMs, rounds }: Seen, count: number, growth: number): string {
  const share = (values: readonly number[], part: number) => {
    const sorted = [...values].sort((a, b) => a - b);
    return (sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN).toFixed(1);
  };
  const line = (values: readonly number[]) =>
    `p50 ${share(values, 0.5)}, p99 ${share(values, 0.99)}, slowest ${share(values, 1)} ms`;
  const kinds = Object.entries(rounds).map(([name, times]) => `${name} ${times}`);
  return (
    `${count} rounds (${kinds.join(", ")}); ${tookMs.length} /healthz of others: ` +
    `${line(tookMs)}, 0 failed; searches of another tenant: ${line(searchMs)}; ` +
    `memory ${growth >= 0 ? "+" : ""}${growth} MiB`
  );
}
