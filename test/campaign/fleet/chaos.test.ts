/**
 * Runs three real servers behind HAProxy, one PostgreSQL, and a strict store under load. Processes
 * are killed or paused for longer than a lease, the database and the store stop, and packets are
 * dropped. Proves: no export is lost, failed, or made twice. An idempotency key gives one export,
 * and quotas are exact. Pages and files have the same content from every server. No cursor is
 * refused, even while all servers change to newer months. Each saved search has one notice for each
 * month, in order. Clients get documented errors only, and no server ends by itself.
 * Runs by hand: `node build.mjs test campaign/fleet/chaos`, as root. FLEET_PROCESSES,
 * FLEET_DATABASE, FLEET_STORE, and FLEET_NETWORK set the numbers of faults, FLEET_MINUTES their
 * longest time, and FLEET_SEED the seed.
 * Does not prove power cuts and lost packets of single connections.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ACCEPTED, startReceiver } from "../../support/changes/receiver.ts";
import { absent } from "../../support/server/edge-proxy.ts";
import { withoutPostgres } from "../../support/server/postgres-server.ts";
import { FleetBooks } from "./books.ts";
import { FleetClient } from "./client.ts";
import { FaultInjector } from "./faults.ts";
import { FleetGround } from "./ground.ts";
import { withoutNetworks } from "./network.ts";
import { FleetNotices } from "./notices.ts";

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const SEED = number("FLEET_SEED", 46);
const COUNTS = {
  processes: number("FLEET_PROCESSES", 6),
  database: number("FLEET_DATABASE", 2),
  store: number("FLEET_STORE", 1),
  network: number("FLEET_NETWORK", 3),
};
const MINUTES = number("FLEET_MINUTES", 60);
const MONTHS = 3;
const ACCOUNTS = 20_000;
/** Number of clients that read pages, and of clients that export. */
const WALKERS = 2;
const EXPORTERS = 3;
/** Time after the last fault in which everything that clients began must end. */
const SETTLE_MS = 180_000;

/** Runs clients until `isOver` is true. Each client completes the work that it has begun. */
function load(books: FleetBooks, isOver: () => boolean): Promise<unknown> {
  let [exported, walked] = [0, 0];
  const exporter = async () => {
    while (!isOver()) {
      await books.export(exported++);
      await sleep(100);
    }
  };
  const walker = async () => {
    while (!isOver()) {
      await books.walk(walked++);
      await sleep(20);
    }
  };
  const clients = [
    ...Array.from({ length: EXPORTERS }, exporter),
    ...Array.from({ length: WALKERS }, walker),
  ];
  return Promise.all(clients);
}

const print = (text: string) => process.stdout.write(`# ${text}\n`);
const tallyText = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([kind, times]) => `${kind}: ${times}`).join(", ");

function printScore(client: FleetClient, books: FleetBooks, ground: FleetGround): void {
  const took = [...books.tookMs].sort((a, b) => a - b);
  const at = (share: number) => ((took[Math.floor(took.length * share)] ?? 0) / 1_000).toFixed(1);
  print(`answers: ${tallyText(client.tally)}`);
  print(`exports ${books.exports}, walks ${books.walks}, starts ${ground.starts}`);
  print(`an export took ${at(0.5)} s (median), ${at(0.99)} s (p99), ${at(0.9999)} s (longest)`);
  print(`longest time without a good answer: ${(client.silenceMs / 1_000).toFixed(1)} s`);
}

const skip = withoutPostgres || withoutNetworks || absent("haproxy");

describe("a fleet behind HAProxy", { skip }, () => {
  it("loses nothing and doubles nothing while all of its parts have faults", async () => {
    const ground = await FleetGround.start({ seed: SEED, accounts: ACCOUNTS, months: MONTHS });
    const client = new FleetClient(ground.edge, ground.key);
    const books = new FleetBooks(client);
    const receiver = await startReceiver(ACCEPTED, ground.network.host("front"));
    const notices = new FleetNotices(client, receiver);
    try {
      await notices.begin();
      let isOver = false;
      const clients = load(books, () => isOver);
      clients.catch(() => {});
      const faults = new FaultInjector(ground, SEED, MINUTES * 60_000);
      const beganMs = performance.now();
      let months = 1;
      await faults.run(COUNTS, () => ground.give(months++));
      const seconds = Math.round((performance.now() - beganMs) / 1_000);
      print(`seed ${SEED}, ${seconds} s: ${tallyText(faults.tally)}`);
      isOver = true;
      const late = sleep(SETTLE_MS, "late", { ref: false });
      const settled = await Promise.race([clients, late]);
      printScore(client, books, ground);
      const kinds = /an export was not rendered|export failed|internal_error|uncaught/;
      for (const line of ground.logged(kinds).slice(0, 20)) print(line);
      await sleep(3_000);
      books.compare(ground);
      await notices.check(months - 1, SETTLE_MS);
      print(`notices ${notices.count}, deliveries ${receiver.got.length}`);
      const all = [...client.violations, ...books.violations, ...notices.violations];
      assert.deepEqual(all.slice(0, 20), []);
      assert.deepEqual(ground.ended, [], "a server ended by itself");
      assert.notEqual(settled, "late", "something that was begun has not ended");
    } finally {
      client.close();
      await receiver.close();
      if (process.env.FLEET_KEEP === undefined) await ground.end();
    }
  });
});
