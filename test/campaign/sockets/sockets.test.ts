/**
 * Proves, by counts alone, which connections are closed for new ones. Connections that never sent a
 * request are closed first, then the longest idle one, and never an active one. An address is
 * limited to its share, unless it is a proxy or in a private network. Health checks are always
 * accepted. Also proves how many requests of a tenant may wait. Does not prove: that a transport
 * follows these decisions (campaign/sockets/crowded.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { ExportWaits } from "../../../src/http/server/admission.ts";
import { type ConnectionSlot, Sockets } from "../../../src/http/server/transport/sockets.ts";

const LIMITS = { socketsMax: 16, socketsPerAddress: null, trustedProxies: "192.0.2.1" };

/** Makes sockets with given limits, and records the names of those that were closed, in order. */
function room(limits: Partial<typeof LIMITS> = {}) {
  const sockets = new Sockets({ ...LIMITS, ...limits });
  const closed: string[] = [];
  const enter = (name: string, address = "192.0.2.1"): ConnectionSlot => {
    const slot = sockets.enter(address, () => closed.push(name));
    assert(slot !== null, `${name} was refused`);
    return slot;
  };
  const enterMany = (count: number, address?: string) =>
    Array.from({ length: count }, (_, n) => enter(`${address ?? "proxy"} ${n}`, address));
  return { sockets, closed, enter, enterMany };
}

describe("a connection beyond the limit", () => {
  it("replaces the oldest connection that never sent a request", () => {
    const { closed, enter, enterMany, sockets } = room();
    const seats = enterMany(16);
    for (const asking of seats.slice(0, 3)) {
      assert.equal(asking.begin("/v1/status"), null);
      asking.end();
    }
    enter("one more");
    enter("and another");
    assert.deepEqual(closed, ["proxy 3", "proxy 4"]);
    assert.deepEqual([sockets.open, sockets.crowding.idle], [16, 2]);
  });

  it("replaces the connection that was idle longest if all have sent requests", () => {
    const { closed, enter, enterMany } = room();
    const seats = enterMany(16);
    for (const slot of [...seats].reverse()) {
      slot.begin("/healthz");
      slot.end();
    }
    enter("one more");
    assert.deepEqual(closed, ["proxy 15"]);
  });

  it("is rejected only if every other connection is active, and none of those is closed", () => {
    const { closed, enterMany, sockets } = room();
    for (const slot of enterMany(16)) slot.begin("/healthz");
    const refused = sockets.enter("192.0.2.1", () => assert.fail("it never was open"));
    assert.equal(refused, null);
    assert.deepEqual([closed.length, sockets.open, sockets.busy], [0, 16, 16]);
  });

  it("is counted once, even if it is closed repeatedly", () => {
    const { enterMany, sockets } = room();
    const [one, other] = enterMany(2) as [ConnectionSlot, ConnectionSlot];
    one.begin("/a");
    one.leave();
    one.leave();
    one.end();
    other.evict();
    assert.deepEqual([sockets.open, sockets.busy], [0, 0]);
  });
});

describe("one address", () => {
  const STRANGER = "198.51.100.7";

  it("has an eighth of all connections, and its new ones replace its oldest idle ones", () => {
    const { closed, enterMany, sockets } = room({ socketsMax: 80 });
    enterMany(12, STRANGER);
    assert.deepEqual(closed, [`${STRANGER} 0`, `${STRANGER} 1`]);
    assert.deepEqual([sockets.open, sockets.crowding.address], [10, 2]);
    enterMany(10, "198.51.100.8");
    assert.equal(sockets.open, 20);
  });

  it("gets a retry time if all its connections are active, except for health checks", () => {
    const { enter, enterMany } = room({ socketsMax: 80 });
    const seats = enterMany(10, STRANGER);
    assert.ok(seats.every((slot) => slot.begin("/v1/status") === null));
    const late = enter("late", STRANGER);
    const refused = late.begin("/v1/status");
    assert.ok(refused instanceof AppError && refused.code === "overloaded");
    assert.match(refused.message, /More than 10 connections of your address.*trusted_proxies/);
    const probe = enter("probe", STRANGER);
    assert.equal(probe.begin("/healthz"), null);
    probe.end();
    late.end();
    seats[0]?.end();
    assert.equal(late.begin("/v1/status"), null);
  });

  it("is the first half of an IPv6 address, in any spelling", () => {
    const { closed, enter } = room({ socketsMax: 16 });
    enter("one", "2001:db8:0:1::1");
    enter("two", "2001:0db8:0000:0001:ffff:0000:0000:0002");
    enter("three", "2001:db8:0:2::1");
    enter("four", "2001:db8:0:1::3");
    assert.deepEqual(closed, ["one"]);
  });

  it("has no share if it is a proxy, or in a private network while no proxy is named", () => {
    for (const [trustedProxies, address] of [
      ["192.0.2.1", "192.0.2.1"],
      ["192.0.2.0/24", "0000:0000:0000:0000:0000:ffff:c000:0201"],
      [null, "127.0.0.1"],
      [null, "10.1.2.3"],
      [null, "172.17.0.1"],
      [null, "0000:0000:0000:0000:0000:0000:0000:0001"],
      [null, "fd00::1"],
    ] as const) {
      const sockets = new Sockets({ ...LIMITS, trustedProxies });
      const enter = () => sockets.enter(address, () => assert.fail(`${address} was closed`));
      for (let n = 0; n < 16; n++) assert.equal(enter()?.begin("/healthz"), null);
    }
    const { closed, enterMany } = room();
    enterMany(3, "127.0.0.1");
    assert.equal(closed.length, 1, "where proxies are named, they are the only ones");
  });

  it("has the number of connections that the operator sets", () => {
    const sockets = new Sockets({ ...LIMITS, socketsPerAddress: 5 });
    for (let n = 0; n < 9; n++) sockets.enter(STRANGER, () => {});
    assert.equal(sockets.open, 5);
  });
});

describe("requests of too many connections", () => {
  it("get a retry time before health checks run out of connections", () => {
    const { enter, enterMany, sockets } = room();
    const seats = enterMany(14);
    assert.ok(seats.every((slot) => slot.begin("/v1/status") === null));
    const late = enter("late");
    assert.equal(late.begin("/v1/status")?.code, "overloaded");
    late.end();
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      const probe = enter(path);
      assert.equal(probe.begin(path), null);
      probe.end();
    }
    assert.equal(sockets.crowding.full, 1);
    seats[0]?.end();
    assert.equal(late.begin("/v1/status"), null);
  });
});

describe("requests that wait", () => {
  it("are limited per tenant, however they end", async () => {
    const waits = new ExportWaits(2);
    const ends: ((error?: Error) => void)[] = [];
    const wait = () =>
      new Promise<string>((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve("ended") : reject(error)));
      });
    const first = waits.run("a", wait);
    const second = waits.run("a", wait);
    const tooMany = (error: AppError) =>
      error.code === "rate_limited" && error.headers["Retry-After"] === "5";
    await assert.rejects(waits.run("a", wait), tooMany);
    const other = waits.run("b", wait);
    ends[0]?.(new Error("gone"));
    await assert.rejects(first, /gone/);
    const third = waits.run("a", wait);
    await assert.rejects(waits.run("a", wait), tooMany);
    for (const end of ends) end();
    assert.deepEqual(await Promise.all([second, other, third]), ["ended", "ended", "ended"]);
  });
});
