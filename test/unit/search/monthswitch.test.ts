/**
 * Proves: servers change to newer snapshots (one for each month) in any order, while they die,
 * pause, lose their lease, and come back. Two servers that are both ready never refuse each other's
 * cursors. Once all servers have the files of a month, all serve that month. Every segment is
 * either closed once or still in use. A server without others changes immediately.
 * Does not prove the statements of the database (contract/store/postgres-fleet).
 */
import { strict as assert } from "node:assert";
import { describe, test } from "node:test";
import fc from "fast-check";
import { MonthSwitch } from "../../../src/cli/serving/monthswitch.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { type Segment, SegmentRegistry } from "../../../src/search/segment.ts";
import type { OfferedSnapshot } from "../../../src/store/fleet/fleetmonth.ts";

const KEEP_MS = 900_000;
const LEASE_MS = 15_000;
const MEMBERS = 3;

interface Fake {
  readonly month: number;
  closed: number;
  poisoned: boolean;
}

function fake(month: number): Fake & Segment {
  const one = { month, closed: 0, poisoned: false };
  const native = { poisoned: () => one.poisoned };
  const reported = {
    snapshotId: `id${month}`,
    label: `m${month}`,
    snapshotDate: `d${month}`,
    native,
  };
  return Object.assign(one, reported, { close: () => one.closed++ }) as unknown as Fake & Segment;
}

/** The database table of the fleet's members, simulated as a map. */
class Fleet {
  readonly members = new Map<string, { until: number; offered: OfferedSnapshot | null }>();
  current: OfferedSnapshot | null = null;
  before: OfferedSnapshot | null = null;
  nowMs = 0;

  offer(id: string, offered: OfferedSnapshot | null): void {
    const member = this.members.get(id);
    if (member !== undefined) member.offered = offered;
  }

  agree(): OfferedSnapshot | null {
    const offers = [...this.members.values()]
      .filter(({ until, offered }) => until > this.nowMs && offered !== null)
      .map(({ offered }) => offered as OfferedSnapshot);
    const [first] = offers;
    const isOne = offers.every(({ snapshotId }) => snapshotId === first?.snapshotId);
    if (first !== undefined && isOne && first.snapshotId !== this.current?.snapshotId) {
      this.before = this.current;
      this.current = first;
    }
    return this.current;
  }

  without(id: string): string[] {
    return [...this.members]
      .filter(([, { until, offered }]) => until > this.nowMs && offered?.snapshotId !== id)
      .map(([name]) => name);
  }
}

/** One server of the fleet, with its segments and month switch. It can die and restart. */
class Server {
  readonly clock = manualClock();
  readonly opened: Fake[] = [];
  readonly #fleet: Fleet;
  readonly #name: string;
  #lives = 0;
  registry!: SegmentRegistry;
  months!: MonthSwitch;
  isPaused = false;

  constructor(fleet: Fleet, name: string) {
    this.#fleet = fleet;
    this.#name = name;
    this.start([]);
  }

  get id(): string {
    return `${this.#name}.${this.#lives}`;
  }

  /** Starts the server with the months of a folder: the fleet's month first, then the newest. */
  start(folder: readonly number[]): void {
    this.#lives++;
    this.isPaused = false;
    this.#join();
    this.registry = new SegmentRegistry(this.clock, KEEP_MS);
    this.months = new MonthSwitch({
      months: this.#fleet,
      memberId: () => this.id,
      segments: this.registry,
      serve: (segment) => this.registry.put(segment),
      log: openLog("silent"),
    });
    const { current, before } = this.#fleet;
    const retained = folder.find((month) => `id${month}` === before?.snapshotId);
    const served = folder.find((month) => `id${month}` === current?.snapshotId);
    const newest = Math.max(...folder);
    if (retained !== undefined) this.registry.keep(this.#open(retained));
    if (served !== undefined) this.take(served);
    if (folder.length > 0 && newest !== served) this.take(newest);
  }

  take(month: number): void {
    this.months.take(this.#open(month));
  }

  #open(month: number): Fake & Segment {
    const segment = fake(month);
    this.opened.push(segment);
    return segment;
  }

  tick(): void {
    if (this.isPaused) return;
    const member = this.#fleet.members.get(this.id);
    if (member === undefined || member.until <= this.#fleet.nowMs) {
      this.#fleet.members.delete(this.id);
      this.#lives++;
      this.#join();
    }
    this.renew();
    this.months.look();
  }

  /** Renews the lease without checking the fleet's month. */
  renew(): void {
    const member = this.#fleet.members.get(this.id);
    if (member !== undefined) member.until = this.#fleet.nowMs + LEASE_MS;
  }

  /** Resumes after a pause, and runs the first check immediately. */
  wake(): void {
    this.isPaused = false;
    this.tick();
  }

  die(): void {
    this.isPaused = true;
    this.registry.close();
  }

  get isReady(): boolean {
    return !this.isPaused && this.registry.current() !== null && !this.months.isBehind;
  }

  accepts(snapshotId: string): boolean {
    if (this.registry.current()?.snapshotId === snapshotId) return true;
    return this.registry.retired((id) => id === snapshotId) !== null;
  }

  #join(): void {
    this.#fleet.members.set(this.id, { until: this.#fleet.nowMs + LEASE_MS, offered: null });
  }
}

const which = fc.nat(MEMBERS - 1);
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("month" as const), which }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("tick" as const), which }) },
    fc.record({ kind: fc.constantFrom("die" as const, "pause" as const, "wake" as const), which }),
    fc.record({ kind: fc.constant("damage" as const), which }),
    fc.record({ kind: fc.constant("pass" as const), which: fc.constantFrom(1, 5, 16) }),
  ),
  { maxLength: 60 },
);

/**
 * Changes of the month. In one check, the last server sees two changes, while another server
 * already serves the first of the two months.
 */
const TWO_MONTHS_AT_ONCE = [0, 1, 2, 2, 1, 0].map((which) => ({ kind: "month" as const, which }));

/**
 * Looks for a cursor of a ready server that another ready server refuses. Returns a message about
 * the first, or null.
 */
function refused(servers: readonly Server[]): string | null {
  const ready = servers.filter((server) => server.isReady);
  for (const giver of ready) {
    const id = giver.registry.current()?.snapshotId as string;
    const refusing = ready.find((server) => !server.accepts(id));
    if (refusing !== undefined) return `${refusing.id} refuses ${id} of ${giver.id}`;
  }
  return null;
}

function act(server: Server, kind: string, folder: number[]): void {
  if (kind === "month" && !server.isPaused) {
    folder.push((folder.at(-1) ?? 0) + 1);
    server.take(folder.at(-1) as number);
  } else if (kind === "tick") server.tick();
  else if (kind === "pause") server.isPaused = true;
  else if (kind === "wake" && server.isPaused) server.wake();
  else if (kind === "die") {
    server.die();
    server.start(folder);
  } else if (kind === "damage") {
    const held = server.opened.at(-1);
    const isCurrent = (server.registry.current() as Fake | null) === held;
    if (held !== undefined && !isCurrent) held.poisoned = true;
  }
}

describe("a switch of months", () => {
  test("never makes a ready server refuse a cursor of another, and ends with one month", () => {
    fc.assert(
      fc.property(steps, (walk) => {
        const fleet = new Fleet();
        const folders = Array.from({ length: MEMBERS }, () => [1]);
        const servers = folders.map((_, at) => new Server(fleet, `s${at}`));
        for (const server of servers) server.take(1);
        for (const step of walk) {
          if (step.kind === "pass") {
            fleet.nowMs += step.which * 1_000;
            for (const server of servers) if (!server.isPaused) server.renew();
          } else act(servers[step.which] as Server, step.kind, folders[step.which] as number[]);
          assert.equal(refused(servers), null);
        }
        // A server that died without notice counts as a member until its lease ends.
        fleet.nowMs += LEASE_MS + 1;
        const last = 1 + Math.max(...folders.map((folder) => folder.at(-1) as number));
        for (const [at, server] of servers.entries()) {
          if (server.isPaused) server.die();
          if (server.isPaused) server.start(folders[at] as number[]);
          server.tick();
          server.take(last);
        }
        for (const server of [...servers, ...servers]) server.tick();
        for (const server of servers) {
          assert.equal(server.registry.current()?.snapshotId, `id${last}`);
          const open = new Set(server.registry.segments());
          for (const one of server.opened) {
            assert.equal(one.closed, open.has(one as Fake & Segment) ? 0 : 1, `month ${one.month}`);
          }
        }
      }),
      { includeErrorInReport: true, examples: [[TWO_MONTHS_AT_ONCE]] },
    );
  });

  test("serves at once without other servers", () => {
    const registry = new SegmentRegistry(manualClock(), KEEP_MS);
    const log = openLog("silent");
    const serve = (segment: Segment) => registry.put(segment);
    const parts = { months: null, memberId: () => "", segments: registry, serve, log };
    const months = new MonthSwitch(parts);
    const segment = fake(1);
    assert.equal(months.take(segment), true);
    assert.equal(registry.current(), segment);
    assert.equal(months.isBehind, false);
  });
});
