/**
 * Proves: a member of a fleet renews its lease by heartbeats and loses it without them. When a
 * member ends, others can take over its work. A member that rejoins keeps its work unless another
 * member took it. Each piece of work has one owner, and a replaced owner can change nothing. A
 * state whose files are in two places is refused.
 * Does not prove the effect of different clocks on several machines, because only the database's
 * clock is read.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { CommandError } from "../../../src/errors.ts";
import { type ManualClock, manualClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { LeaseLost, WorkLease } from "../../../src/store/fleet/lease.ts";
import { MemberStore } from "../../../src/store/fleet/members.ts";
import { Membership } from "../../../src/store/fleet/membership.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";

const LEASE_MS = 9_000;

let folder: string;
let database: StateDatabase;
let clock: ManualClock;
const members: Membership[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-members-"));
  database = openDatabase(join(folder, "state"));
  clock = manualClock(1);
});
afterEach(() => {
  for (const member of members.splice(0)) member.stop();
  database.close();
  rmSync(folder, { recursive: true });
});

function server(name: string, files = "disk", dataDir = name): Membership {
  mkdirSync(join(folder, dataDir), { recursive: true });
  const log = openLog("silent");
  const facts = { name, version: "1", files, dataDir: join(folder, dataDir) };
  const member = new Membership({ ...facts, database, clock, log, leaseMs: LEASE_MS });
  members.push(member);
  return member;
}

/** Ends the leases of members by setting them to a past time in the database. */
function lapse(...ids: readonly string[]): void {
  for (const id of ids) {
    database.prepare("UPDATE members SET lease_until = now_ms() - 1 WHERE id = ?").run(id);
  }
}

/** Advances the clock. Every given member ticks once a second. */
function pass(ms: number, ...ticking: readonly Membership[]): void {
  for (let at = 0; at < ms; at += 1_000) {
    clock.advance(1_000);
    for (const member of ticking) member.tick();
  }
}

const live = () => database.prepare<[], string>("SELECT name FROM members").pluck().all().sort();

describe("Membership", () => {
  it("renews a lease after a third of it, and stores what it serves", () => {
    const one = server("one");
    one.start();
    one.serve({ snapshot: "2026-10", snapshotId: "id" });
    const [before] = one.members.live();
    assert.equal(before?.snapshot, "2026-10");
    database.prepare("UPDATE members SET lease_until = lease_until - 1000").run();
    pass(2_000, one);
    assert.ok((one.members.live()[0]?.leaseUntil ?? 0) < (before?.leaseUntil ?? 0), "not yet");
    pass(1_000, one);
    assert.ok((one.members.live()[0]?.leaseUntil ?? 0) >= (before?.leaseUntil ?? 0), "renewed");
  });

  it("is sure of its lease only until shortly before it can have ended", () => {
    const one = server("one");
    one.start();
    clock.advance(LEASE_MS - 1_001);
    assert.equal(one.isSure, true);
    clock.advance(1);
    assert.equal(one.isSure, false);
  });

  it("removes the member of a restored backup, if the state has one server", () => {
    const store = new MemberStore(database, 1e15, false);
    const facts = { version: "1", files: "disk", snapshot: null, snapshotId: null };
    store.join({ id: "mem_a", place: "there", name: "one", ...facts }, null);
    store.join({ id: "mem_b", place: "here", name: "two", ...facts }, null);
    assert.deepEqual(live(), ["two"]);
  });

  it("ends a member whose lease has ended, and reports it once", () => {
    const [one, two] = [server("one"), server("two")];
    one.start();
    two.start();
    let changes = 0;
    one.onChange(() => changes++);
    pass(4_000, one, two);
    lapse(two.id);
    pass(2_000, one);
    assert.deepEqual([live(), changes], [["one"], 1]);
  });

  it("joins again under a new id, and keeps what nobody has taken", () => {
    const [one, two] = [server("one"), server("two")];
    one.start();
    two.start();
    const work = new WorkLease(database, two, "work");
    assert.equal(work.look(), true);
    const former = two.id;
    lapse(former);
    pass(3_000, two);
    assert.notEqual(two.id, former);
    assert.equal(new WorkLease(database, one, "work").look(), false, "still held");
    assert.equal(work.look(), true);
    work.fence();
  });

  it("ends nobody right after it joined again, so that all survive an outage", () => {
    const [one, two] = [server("one"), server("two")];
    one.start();
    two.start();
    pass(4_000, one, two);
    lapse(one.id, two.id);
    clock.advance(4_000);
    one.tick();
    assert.deepEqual(live(), ["one", "two"], "the other one may join again");
    two.tick();
    pass(10_000, one, two);
    assert.deepEqual(live(), ["one", "two"]);
  });

  it("replaces the earlier member of its data directory immediately", () => {
    const before = server("before", "disk", "same");
    before.start();
    const work = new WorkLease(database, before, "work");
    work.look();
    const after = server("after", "disk", "same");
    after.start();
    assert.deepEqual(live(), ["after"]);
    assert.equal(new WorkLease(database, after, "work").look(), true);
    assert.throws(() => work.fence(), LeaseLost);
  });

  it("refuses another place of files while a member has one, in words", () => {
    server("one", "s3://a/b").start();
    assert.throws(
      () => server("two", "disk").start(),
      (error: Error) => error instanceof CommandError && /same files\.url/.test(error.message),
    );
    server("three", "s3://a/b").start();
  });

  it("never ends in a data directory with a state of its own", () => {
    mkdirSync(join(folder, "alone"));
    const log = openLog("silent");
    const facts = { name: "one", version: "1", files: "disk", dataDir: join(folder, "alone") };
    const one = new Membership({ ...facts, database, clock, log });
    one.start();
    clock.advance(1e12);
    assert.deepEqual([one.isShared, one.isSure], [false, true]);
    one.stop();
    assert.deepEqual(live(), []);
  });
});

describe("WorkLease", () => {
  it("has one holder, and the next one when that ends", () => {
    const [one, two] = [server("one"), server("two")];
    one.start();
    two.start();
    const [first, second] = [one, two].map((member) => new WorkLease(database, member, "work"));
    assert.deepEqual([first?.look(), second?.look(), first?.look()], [true, false, true]);
    const token = first?.token ?? 0;
    one.stop();
    assert.equal(second?.look(), true);
    assert.equal(second?.token, token + 1);
  });

  it("fences a holder that was replaced, also when it takes the work again", () => {
    const [one, two] = [server("one"), server("two")];
    one.start();
    two.start();
    const [first, second] = [one, two].map((member) => new WorkLease(database, member, "work"));
    const stale = new WorkLease(database, one, "work");
    assert.equal(first?.look(), true);
    stale.look();
    lapse(one.id);
    pass(4_000, two);
    assert.equal(second?.look(), true);
    assert.throws(() => first?.fence(), LeaseLost);
    one.tick();
    two.stop();
    assert.equal(first?.look(), true);
    first?.fence();
    assert.throws(() => stale.fence(), LeaseLost);
  });

  it("is not held by a server that was paused, before it has looked", () => {
    const one = server("one");
    one.start();
    const work = new WorkLease(database, one, "work");
    work.look();
    clock.advance(LEASE_MS);
    assert.equal(work.isHeld, false);
  });
});
