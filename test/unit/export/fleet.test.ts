/**
 * Proves, with two servers on one state and threads that the test advances by hand: an export is
 * rendered once, and the limits of a plan apply to all servers together. If a server ends, the
 * other continues its work. A server paused for longer than its lease finishes no export, leaves no
 * file, and then works again. Both see the same progress, ends, and deletions.
 * Does not prove real processes, PostgreSQL, and an object store (campaign/kills/fleet.test.ts).
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import type { Exports } from "../../../src/export/exports.ts";
import type { ExportRecord } from "../../../src/export/record.ts";
import { ExportStore } from "../../../src/store/exportstore.ts";
import { StateUnreachable } from "../../../src/store/statedatabase.ts";
import { Fleet, type Server } from "../../support/export/fake-fleet.ts";
import { idOf, rendered, settle } from "../../support/export/fake-threads.ts";

let fleet: Fleet;
let one: Server;
let two: Server;

beforeEach(() => {
  fleet = new Fleet();
  one = fleet.server("one");
  two = fleet.server("two");
});
afterEach(() => fleet.dispose());

const read = (server: Server, id: string): ExportRecord => server.exports.read("a", id);
const ids = (server: Server): string[] => server.threads.held.map(idOf);
const files = (server: Server): string[] => readdirSync(join(server.dataDir, "exports")).sort();

async function finish(server: Server, bytes?: string): Promise<void> {
  const [held] = server.threads.held;
  assert(held !== undefined);
  held.end(rendered(held.request, bytes));
  await settle();
}

/** Makes the next change of an export fail after its commit, as if the answer were lost. */
function loseAnswer(): void {
  const { atomically } = ExportStore.prototype;
  const lost = mock.method(
    ExportStore.prototype,
    "atomically",
    function lose(this: ExportStore, change: () => unknown): unknown {
      lost.mock.restore();
      atomically.call(this, change);
      throw new StateUnreachable("lost");
    },
  );
}

describe("two servers on one state", () => {
  it("render an export whose claim was stored without an answer", async () => {
    fleet.kill(two);
    const id = fleet.create(one, "k");
    loseAnswer();
    await settle();
    assert.deepEqual([ids(one), read(one, id).state], [[], "running"]);
    await fleet.pass(2);
    await finish(one);
    assert.equal(read(one, id).state, "done");
  });

  it("keep the file of an export whose end was stored without an answer", async () => {
    const id = fleet.create(one, "k");
    await settle();
    loseAnswer();
    await finish(one);
    assert.equal(read(one, id).state, "done");
    await fleet.pass(2);
    assert.equal(read(two, id).state, "done");
    assert.equal(files(one).length, 1, "the file is there");
    assert.equal(one.threads.begun + two.threads.begun, 1);
  });

  it("render each export once, wherever there is room", async () => {
    const made = Array.from({ length: 4 }, (_, i) => fleet.create(one, `k${i}`));
    await fleet.pass(1);
    assert.deepEqual([ids(one).length, ids(two).length], [2, 2]);
    assert.deepEqual([...ids(one), ...ids(two)].sort(), made.sort());
  });

  it("keep to a plan's number of renders together", async () => {
    for (let i = 0; i < 4; i++) fleet.create(i % 2 === 0 ? one : two, `k${i}`, "growth");
    await fleet.pass(2);
    const allowed = fleet.plans.growth.limits.concurrent_exports;
    assert.equal(ids(one).length + ids(two).length, allowed);
  });

  it("know progress, ends, and waits of each other", async () => {
    const id = fleet.create(one, "k");
    await settle();
    const waited = two.exports.settled("a", id, 60_000);
    one.threads.held[0]?.onProgress(25, 100);
    await fleet.pass(1);
    assert.deepEqual([read(two, id).state, read(two, id).progress], ["running", 0.25]);
    await finish(one);
    await fleet.pass(1);
    assert.equal((await waited).state, "done");
  });

  it("end a render whose export the other one has deleted", async () => {
    const id = fleet.create(one, "k");
    await settle();
    two.exports.remove("a", id);
    await fleet.pass(1);
    assert.deepEqual([ids(one), files(one)], [[], []]);
  });

  it("continue the work of one that has ended", async () => {
    const id = fleet.create(one, "k");
    await settle();
    fleet.kill(one);
    await fleet.pass(20);
    assert.deepEqual(ids(two), [id]);
    await finish(two);
    assert.equal(read(two, id).state, "done");
  });

  it("finish nothing after a pause that was longer than the lease", async () => {
    const id = fleet.create(one, "k");
    await settle();
    const [render] = one.threads.held;
    fleet.pause(one);
    await fleet.pass(20);
    assert.deepEqual(ids(two), [id]);
    // The paused server's thread finishes while the server is still unaware that it lost its lease.
    render?.end(rendered(render.request, "stale"));
    await settle();
    assert.equal(read(two, id).state, "running");
    assert.deepEqual(files(one), [], "the stale file is gone");
    fleet.resume(one);
    await fleet.pass(2);
    await finish(two, "right");
    assert.deepEqual([read(one, id).state, read(one, id).sizeBytes], ["done", 5]);
    const next = fleet.create(one, "next");
    await settle();
    assert.deepEqual(ids(one), [next], "it goes on");
  });

  it("keep what they render if all lose their lease at once", async () => {
    const made = [fleet.create(one, "k"), fleet.create(one, "l"), fleet.create(one, "m")];
    await fleet.pass(1);
    fleet.lapse();
    await fleet.pass(20);
    assert.deepEqual([...ids(one), ...ids(two)].sort(), made.sort());
    assert.equal(one.threads.begun + two.threads.begun, 3, "none began again");
  });

  /** Ends one server after another while it renders an export. Returns the id of the export. */
  async function endServers(count: number): Promise<string> {
    const id = fleet.create(one, "k");
    fleet.kill(two);
    await settle();
    let server = one;
    for (let ended = 0; ended < count; ended++) {
      assert.deepEqual(ids(server), [id]);
      fleet.kill(server);
      server = fleet.server(`next-${ended}`);
      await fleet.pass(20);
    }
    return id;
  }

  it("finish an export that many servers ended with, for reasons of their own", async () => {
    const id = await endServers(7);
    const last = fleet.servers.at(-1) as Server;
    await finish(last);
    assert.equal(read(last, id).state, "done");
  });

  it("fail an export only after too many servers ended with it", async () => {
    const id = await endServers(8);
    const last = fleet.servers.at(-1) as Server;
    assert.deepEqual(
      [read(last, id).state, read(last, id).failure],
      ["failed", "too_many_attempts"],
    );
  });

  it("leave an export to the one that has its snapshot", async () => {
    const id = fleet.create(one, "k");
    await settle();
    const gone = { kind: "failed", failure: "snapshot_unavailable", error: {} } as const;
    one.threads.held[0]?.end(gone);
    await settle();
    assert.equal(read(one, id).state, "queued");
    await fleet.pass(2);
    assert.deepEqual([ids(one), ids(two)], [[], [id]]);
    two.threads.held[0]?.end(gone);
    await fleet.pass(1);
    assert.equal(read(one, id).state, "queued");
    await fleet.pass(3_700);
    const [again] = [...one.threads.held, ...two.threads.held];
    again?.end(gone);
    await settle();
    assert.equal(read(one, id).failure, "snapshot_unavailable");
  });

  it("give one export to equal requests, whichever server they reach", () => {
    const [left, right] = [one, two].map((server) => fleet.create(server as Server, "same"));
    assert.equal(left, right);
    const refused = (exports: Exports) => exports.list("a", { limit: 9, before: null }).records;
    assert.deepEqual([refused(one.exports).length, refused(two.exports).length], [1, 1]);
  });
});
