/**
 * Proves, with three real servers on one PostgreSQL and a strict store, under random kills and
 * pauses that are longer than the lease: every accepted export ends, and each server serves its
 * bytes. One idempotency key yields one export at all servers. No file is left over or made twice.
 * Runs by hand: `node build.mjs test campaign/kills/fleet`; FLEET_HARMS sets the number of kills
 * and pauses, FLEET_SEED the seed.
 * Does not prove: outages of the database or of the store.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutPostgres } from "../../support/server/postgres-server.ts";
import { FleetCampaign } from "./fleet.ts";

const HARMS = Number(process.env.FLEET_HARMS ?? 4);
const SEED = Number(process.env.FLEET_SEED ?? 46);
const ACCOUNTS = 20_000;
/** Exports that are created between two kills or pauses, and milliseconds until all must end. */
const EXPORTS_EACH = 6;
const PATIENCE_MS = 180_000;

describe("a fleet", { skip: withoutPostgres }, () => {
  it("loses nothing and doubles nothing while its servers are killed and paused", async () => {
    const campaign = await FleetCampaign.start(SEED, ACCOUNTS);
    try {
      for (let harm = 0; harm < HARMS; harm++) {
        await Promise.all([campaign.create(EXPORTS_EACH), campaign.harm()]);
      }
      const report = await campaign.settle(PATIENCE_MS);
      assert.equal(report.exports, HARMS * EXPORTS_EACH);
      assert.equal(report.kills + report.pauses, HARMS);
      process.stdout.write(`# fleet, seed ${SEED}: ${JSON.stringify(report)}\n`);
    } finally {
      await campaign.end();
    }
  });
});
