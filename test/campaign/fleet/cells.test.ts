/**
 * Runs five chaos tests ("cells") from a public benchmark of queues on PostgreSQL (hardbyte,
 * postgresql-job-queue-benchmarking, 2026-05-09) with the exports of a fleet. In each test, new
 * exports are created at a steady rate before, during, and after a fault. Prints the published
 * score, which is the rate after the fault as a share of the rate before it, and the exports that
 * were lost or doubled. A rate is the number of exports divided by the time from the first request
 * to the last end.
 * Proves: no export is lost or doubled, and the rate recovers. Other servers continue the exports
 * of a dead server within 20 s. Runs by hand: `node build.mjs test campaign/fleet/cells`, as root.
 * FLEET_PHASE_S is the length of a phase in seconds, and FLEET_RATE the number of new exports per
 * second.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { absent } from "../../support/server/edge-proxy.ts";
import { withoutPostgres } from "../../support/server/postgres-server.ts";
import { FleetBooks } from "./books.ts";
import { FleetClient } from "./client.ts";
import { FleetGround } from "./ground.ts";
import { withoutNetworks } from "./network.ts";

const PHASE_MS = 1_000 * Number(process.env.FLEET_PHASE_S ?? 15);
/** New exports per second, below the fleet's maximum, so that it can recover after a fault. */
const RATE = Number(process.env.FLEET_RATE ?? 1);
/** Minimum rate after a fault, as a share of the rate before, that counts as recovered. */
const RECOVERED = 0.8;
/**
 * Maximum milliseconds until other servers continue the work of a dead server: the rest of its
 * lease, and the interval of checks.
 */
const TAKEOVER_MS_MAX = 20_000;
const TAKEOVERS = Number(process.env.FLEET_TAKEOVERS ?? 3);

const print = (text: string) => process.stdout.write(`# ${text}\n`);

const skip = withoutPostgres || withoutNetworks || absent("haproxy");

describe("a fleet in the chaos cells of queue benchmarks", { skip }, () => {
  let ground: FleetGround;
  let client: FleetClient;
  let books: FleetBooks;
  let made = 0;
  let passed = 0;

  before(async () => {
    ground = await FleetGround.start({ seed: 5, accounts: 20_000 });
    client = new FleetClient(ground.edge, ground.key);
    books = new FleetBooks(client);
  });
  after(async () => {
    print(`cells passed: ${passed} of 5`);
    print(`answers: ${[...client.tally].map((pair) => pair.join(": ")).join(", ")}`);
    client.close();
    await ground.end();
  });

  /**
   * Creates exports at the configured rate for the length of a phase. `ended` resolves to the time
   * until all of them have ended.
   */
  async function phase(): Promise<{ readonly ended: Promise<number> }> {
    const begunMs = performance.now();
    const ends: Promise<void>[] = [];
    for (let n = 0; n * (1_000 / RATE) < PHASE_MS; n++) {
      await sleep(Math.max(0, begunMs + n * (1_000 / RATE) - performance.now()));
      ends.push(books.export(made++));
    }
    return { ended: Promise.all(ends).then(() => performance.now() - begunMs) };
  }

  /** Runs one test: measures the rate, applies a fault for a phase, and measures again. */
  async function cell(name: string, fault: (untilMs: number) => Promise<void>): Promise<void> {
    const steadyMs = await (await phase()).ended;
    const injecting = fault(performance.now() + PHASE_MS);
    const during = await phase();
    await injecting;
    const back = performance.now();
    await during.ended;
    const drained = (performance.now() - back) / 1_000;
    const recoveryMs = await (await phase()).ended;
    await sleep(3_000);
    books.compare(ground);
    const share = steadyMs / recoveryMs;
    print(
      `${name}: ${Math.round(100 * share)} % of the rate before, ${books.exports} exports, ` +
        `lost or doubled ${books.violations.length}, drained ${drained.toFixed(1)} s after`,
    );
    assert.deepEqual([...books.violations, ...client.violations, ...ground.ended], []);
    assert.ok(share >= RECOVERED, `${name}: ${share}`);
    passed++;
  }

  const backends = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = 'postgres' AND pid <> pg_backend_pid()`;

  it("postgres_restart", () =>
    cell("postgres_restart", async () => {
      await sleep(PHASE_MS / 3);
      await ground.postgres.crash();
      await sleep(2_000);
      await ground.postgres.begin();
    }));

  it("pg_backend_kill", () =>
    cell("pg_backend_kill", async (untilMs) => {
      while (performance.now() < untilMs) {
        ground.query(backends);
        await sleep(2_000);
      }
    }));

  it("pool_exhaustion", () =>
    cell("pool_exhaustion", async (untilMs) => {
      const held = await ground.exhaust();
      print(`pool_exhaustion holds ${held.length} connections`);
      assert.ok(held.length > 50);
      while (performance.now() < untilMs) await sleep(100);
      for (const socket of held) socket.destroy();
    }));

  it("crash_recovery", () =>
    cell("crash_recovery", async () => {
      await sleep(PHASE_MS / 3);
      await ground.kill(0);
      await sleep(PHASE_MS / 3);
      await ground.begin(0);
    }));

  it("repeated_kills", () =>
    cell("repeated_kills", async (untilMs) => {
      for (let at = 0; performance.now() < untilMs; at = (at + 1) % 3) {
        await ground.kill(at);
        await sleep(1_000);
        await ground.begin(at);
      }
    }));

  it("the work of a dead server goes on elsewhere within 20 s", async () => {
    const times: number[] = [];
    for (let turn = 0; turn < TAKEOVERS; turn++) times.push(await takeover(turn % 3));
    print(`taken over after ${times.map((ms) => (ms / 1_000).toFixed(1)).join(", ")} s`);
    assert.ok(Math.max(...times) <= TAKEOVER_MS_MAX);
  });

  /**
   * Kills a server that is rendering exports. Returns the milliseconds until other servers have
   * taken over all of them.
   */
  async function takeover(at: number): Promise<number> {
    // The store accepts no file in the meantime, so the exports that servers have begun stay
    // unfinished.
    ground.store.fault = ({ method }) => (method === "PUT" ? { slowMs: 60_000 } : undefined);
    const ends = Promise.all(Array.from({ length: 6 }, () => books.export(made++)));
    const [, port] = ground.network.listen(at).split(":");
    const claims = `SELECT exports.id || ' ' || token FROM exports JOIN members
      ON members.id = exports.owner
      WHERE exports.state = 'running' AND members.name LIKE '%:${port}'`;
    let before: string[] = [];
    while (before.length === 0) {
      await sleep(50);
      before = ground.query(claims);
    }
    const beganMs = performance.now();
    await ground.kill(at);
    const isHeld = () => {
      const now = ground.query("SELECT id || ' ' || token FROM exports WHERE state = 'running'");
      return before.some((one) => now.includes(one));
    };
    while (isHeld()) await sleep(50);
    const tookMs = performance.now() - beganMs;
    ground.store.fault = () => undefined;
    await ground.begin(at);
    await ends;
    return tookMs;
  }
});
