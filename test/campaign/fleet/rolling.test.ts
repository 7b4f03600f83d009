/**
 * Proves that servers of this release and of the one before work next to each other. A rolling
 * update, and the return to the old release, lose no export, make none twice, and refuse no cursor.
 * Runs by hand, as root: `FLEET_PREVIOUS=PATH node build.mjs test campaign/fleet/rolling`, where
 * PATH is dist/bundle/peneira of a checkout of the release before, built with `node build.mjs
 * bundle`.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { absent } from "../../support/server/edge-proxy.ts";
import { withoutPostgres } from "../../support/server/postgres-server.ts";
import { FleetBooks } from "./books.ts";
import { FleetClient } from "./client.ts";
import { FleetGround, SERVERS } from "./ground.ts";
import { withoutNetworks } from "./network.ts";

const { FLEET_PREVIOUS: previous } = process.env;
const isNamed = previous !== undefined && existsSync(previous);
const skip =
  withoutPostgres ||
  withoutNetworks ||
  absent("haproxy") ||
  (!isNamed && "skipped: FLEET_PREVIOUS names no bundle of the release before");

/** Milliseconds during which servers of both releases run. */
const MIXED_MS = Number(process.env.FLEET_MIXED_MS ?? 8_000);

describe("servers of two releases", { skip }, () => {
  it("work next to each other during a rolling update, and on its way back", async () => {
    const old = previous as string;
    const ground = await FleetGround.start({
      ...{ seed: 7, accounts: 20_000, programs: [old, old, old] },
      settings: { PENEIRA_HTTP_DRAIN_GRACE_MS: "5000" },
    });
    const client = new FleetClient(ground.edge, ground.key);
    const books = new FleetBooks(client);
    try {
      let isOver = false;
      let number = 0;
      const exporter = async () => {
        while (!isOver) await books.export(number++);
      };
      const walker = async () => {
        while (!isOver) await books.walk(number++);
      };
      const clients = Promise.all([exporter(), exporter(), walker(), walker()]);
      for (const program of [null, old, null]) {
        for (const at of SERVERS) {
          ground.programs[at] = program;
          await ground.stop(at);
          await ground.begin(at);
          await sleep(MIXED_MS);
        }
      }
      isOver = true;
      await clients;
      await sleep(3_000);
      books.compare(ground);
      const answers = [...client.tally].map((pair) => pair.join(": ")).join(", ");
      process.stdout.write(`# exports ${books.exports}, walks ${books.walks}, ${answers}\n`);
      assert.deepEqual([...books.violations, ...client.violations, ...ground.ended], []);
    } finally {
      client.close();
      await ground.end();
    }
  });
});
