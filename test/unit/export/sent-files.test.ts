/**
 * Proves, with two servers on one state and render threads that the test advances by hand: if the
 * server of an enrichment ends, the other server renders it, provided that a copy of the uploaded
 * file exists. Without a copy, the enrichment waits for its server and fails after ten minutes. If
 * the copy is lost, it fails immediately. A copy is deleted with its export.
 * Does not prove the same with real processes and a real store (e2e/server/sent-files).
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { STRANDED_MS } from "../../../src/export/queue/sentfiles.ts";
import { Fleet, type Server } from "../../support/export/fake-fleet.ts";
import { idOf, rendered } from "../../support/export/fake-threads.ts";

/** Longer than a lease. */
const LEASE_S = 17;

let fleet: Fleet;
let one: Server;
let two: Server;

function begin(copies: Map<string, Buffer> | null): void {
  fleet.copies = copies;
  one = fleet.server("one");
  two = fleet.server("two");
}
beforeEach(() => {
  fleet = new Fleet();
});
afterEach(() => fleet.dispose());

const read = (server: Server, id: string) => server.exports.read("a", id);
const ids = (server: Server): string[] => server.threads.held.map(idOf);

describe("an enrichment whose server has ended", () => {
  it("is rendered by another server from the copy of its file", async () => {
    begin(new Map());
    const id = await fleet.enrich(one, "k");
    assert.equal(fleet.copies?.size, 1);
    fleet.kill(one);
    await fleet.pass(LEASE_S);
    assert.deepEqual(ids(two), [id]);
    assert.ok(existsSync(join(two.dataDir, "sent", id)), "the thread finds the file");
  });

  it("fails at once if the copy is lost", async () => {
    begin(new Map());
    const id = await fleet.enrich(one, "k");
    fleet.copies?.clear();
    fleet.kill(one);
    await fleet.pass(LEASE_S);
    assert.deepEqual(
      [read(two, id).state, read(two, id).failure],
      ["failed", "sent_file_unreadable"],
    );
  });

  it("waits for its server without a copy, and fails after ten minutes", async () => {
    begin(null);
    const id = await fleet.enrich(one, "k");
    fleet.kill(one);
    await fleet.pass(LEASE_S);
    fleet.clock.advance(STRANDED_MS - 5_000);
    await fleet.pass(1);
    assert.deepEqual([ids(two), read(two, id).state], [[], "queued"]);
    fleet.clock.advance(5_000);
    await fleet.pass(1);
    assert.deepEqual(
      [read(two, id).state, read(two, id).failure],
      ["failed", "sent_file_unreadable"],
    );
  });

  it("is rendered by its server when that is back", async () => {
    begin(null);
    const id = await fleet.enrich(one, "k");
    fleet.pause(one);
    await fleet.pass(LEASE_S);
    assert.equal(read(two, id).state, "queued");
    fleet.resume(one);
    await fleet.pass(2);
    assert.equal(read(two, id).state, "running");
    fleet.clock.advance(STRANDED_MS);
    await fleet.pass(2);
    assert.equal(read(two, id).state, "running");
  });

  it("keeps its outcomes if the copy of its file is finished after it", async () => {
    begin(new Map());
    let copied: () => void = () => {};
    fleet.holdCopy = new Promise((settle) => {
      copied = settle;
    });
    const sent = fleet.enrich(one, "k");
    for (let turn = 0; turn < 20 && one.threads.held.length === 0; turn++) await fleet.pass(2);
    const [held] = one.threads.held;
    assert.ok(held !== undefined);
    const outcome = rendered(held.request);
    assert.ok(outcome.kind === "file");
    held.end({ ...outcome, file: { ...outcome.file, outcomes: { not_in_snapshot: 1 } } });
    await fleet.pass(2);
    copied();
    const { state, outcomes, read: source } = read(one, await sent);
    assert.deepEqual([state, outcomes], ["done", { not_in_snapshot: 1 }]);
    assert.deepEqual(source?.column, "CNPJ");
  });

  it("takes the copy with it when it is deleted", async () => {
    begin(new Map());
    const id = await fleet.enrich(one, "k");
    two.exports.remove("a", id);
    assert.equal(fleet.copies?.size, 0);
  });
});
