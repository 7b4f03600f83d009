/**
 * Proves: a database that hangs, as behind a network that drops packets, makes a thread wait for a
 * few seconds only once. Until the database answers again, later requests fail without waiting.
 * After that, they succeed without a restart, and the server notices changes that happened in the
 * meantime.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";
import { type StateDatabase, StateUnreachable } from "../../../src/store/statedatabase.ts";
import { TestPostgres, withoutPostgres } from "../../support/server/postgres-server.ts";

/**
 * Maximum milliseconds that a request waits: for a database that has just begun to hang (FIRST),
 * for one that is known to hang (NEXT), and after it answers again (BACK).
 */
const FIRST_MS_MAX = 5_000;
const NEXT_MS_MAX = 100;
const BACK_MS_MAX = 10_000;

describe("a database that hangs", { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let database: StateDatabase;

  before(async () => {
    server = await TestPostgres.start();
    database = openPostgres(stateAddress(server.address("frozen")), { listens: true });
    await sleep(1_000);
  });
  after(async () => {
    database.close();
    await server.remove();
  });

  const read = () => database.prepare("SELECT count(*) FROM exports").get();
  const failsWithin = (msMax: number) => {
    const began = performance.now();
    assert.throws(read, StateUnreachable);
    const tookMs = performance.now() - began;
    assert.ok(tookMs < msMax, `${tookMs} ms`);
  };

  for (const round of [1, 2]) {
    it(`costs one bounded wait, and is used again when it answers (${round})`, async () => {
      read();
      const version = database.othersVersion().get();
      server.freeze("SIGSTOP");
      try {
        failsWithin(FIRST_MS_MAX);
        for (let turn = 0; turn < 5; turn++) {
          failsWithin(NEXT_MS_MAX);
          await sleep(100);
        }
      } finally {
        server.freeze("SIGCONT");
      }
      const until = performance.now() + BACK_MS_MAX;
      while (database.away.ms > 0 && performance.now() < until) await sleep(20);
      read();
      assert.notEqual(database.othersVersion().get(), version, "changes may have been missed");
    });
  }
});
