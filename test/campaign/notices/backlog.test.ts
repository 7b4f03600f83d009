/**
 * Proves, with receivers over sockets and a clock that jumps: after a night without a network, ten
 * thousand due deliveries are sent without a burst. A host never has more than 4 requests and 4
 * idle connections at a time, whether it has one receiver or many. Every delivery arrives once,
 * with the number and id of its notice, so that a receiver can order the notices of each search.
 * First attempts begin in that order. Memory stays bounded.
 * Does not prove: kills (campaign/kills/notices.test.ts); fairness between tenants
 * (contract/notices/deliveries.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Clock } from "../../../src/process/clock.ts";
import { WebhookStore } from "../../../src/store/webhookstore.ts";
import { type Office, openOffice, START_MS, TENANT } from "../../support/changes/office.ts";

const OWNER = { tenantId: TENANT, actor: "key:test" } as const;
const DELIVERIES = 10_000;
/** Number of notices of each search, one for each month. */
const MONTHS = 10;
/** Maximum concurrent requests to a host, as docs/notices.md promises. */
const AT_ONCE = 4;
/** Maximum growth of the resident memory of the sender and all receivers, in MiB. */
const GROWTH_MAX = 160;
const HOUR = 3_600_000;
/** Milliseconds between two ticks of the server, and until all due deliveries are sent. */
const TICK_MS = 1_000;
const WORK_MS = 20 * 60_000;
/** Number of first attempts that another may overtake, as several run at the same time. */
const OVERTAKEN_MAX = 2 * AT_ONCE;

/** The members of a notice in a request that are checked. */
interface Delivered {
  readonly search_id: string;
  readonly notice_id: string;
  readonly sequence: number;
}

/** A host with one or more receivers, which counts open requests and connections. */
class Host {
  /** Requests that were answered 204, by path and id. */
  readonly arrived = new Map<string, Delivered>();
  /** First attempts by path, in the order of arrival. */
  readonly first = new Map<string, Delivered[]>();
  /** True while the network is down. */
  away = true;
  mostRequests = 0;
  mostConnections = 0;
  readonly #seen = new Set<string>();
  readonly #server: Server;
  #requests = 0;
  #connections = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.mostRequests = Math.max(this.mostRequests, ++this.#requests);
      response.once("close", () => this.#requests--);
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const id = String(request.headers["webhook-id"]);
        this.#hear(request.url ?? "", id, Buffer.concat(parts), response);
      });
    });
    this.#server.on("connection", (socket) => {
      this.mostConnections = Math.max(this.mostConnections, ++this.#connections);
      socket.once("close", () => this.#connections--);
    });
  }

  async open(address: string): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, address, resolve));
    return `http://${address}:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #hear(path: string, id: string, body: Buffer, response: ServerResponse): void {
    const { data } = JSON.parse(body.toString()) as { readonly data: Delivered };
    const { search_id, notice_id, sequence } = data;
    const delivered = { search_id, notice_id, sequence };
    assert.equal(id, notice_id);
    const key = `${path} ${id}`;
    if (!this.#seen.has(key)) {
      this.#seen.add(key);
      const own = this.first.get(path) ?? [];
      own.push(delivered);
      this.first.set(path, own);
    }
    if (this.away) {
      response.destroy();
      return;
    }
    assert.ok(!this.arrived.has(key), `${key} came twice`);
    this.arrived.set(key, delivered);
    setTimeout(() => response.writeHead(204).end(), 1);
  }
}

describe("ten thousand deliveries after a night without network", () => {
  it("go to ten hosts with at most 4 at a time each", () => night({ hosts: 10, perHost: 1 }));

  it("go to one host with at most 4 at a time", () => night({ hosts: 1, perHost: 10 }));
});

/** Returns a clock whose time of day can jump forward and backward, as on a real machine. */
function leapingClock(): Clock & { leap(byMs: number): void } {
  let nowMs = START_MS;
  const began = performance.now();
  return {
    nowMs: () => nowMs,
    monotonicMs: () => performance.now() - began,
    leap(byMs) {
      nowMs += byMs;
    },
  };
}

interface Night {
  readonly hosts: number;
  /** Number of receivers on each host. */
  readonly perHost: number;
}

async function night({ hosts: count, perHost }: Night): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "peneira-empty-"));
  const clock = leapingClock();
  const office = await openOffice({ folder, parts: { clock } });
  const hosts = Array.from({ length: count }, () => new Host());
  try {
    for (const [at, host] of hosts.entries()) {
      const base = await host.open(`127.0.0.${20 + at}`);
      for (let n = 0; n < perHost; n++) {
        office.notices.webhooks.create(OWNER, { url: `${base}/${n}` }, 1_000);
      }
    }
    const searches = DELIVERIES / MONTHS / count / perHost;
    queueMonths(office, searches);
    assert.equal(waiting(office), DELIVERIES);
    const before = process.memoryUsage().rss;
    await until(office, () => untried(office) === 0);
    assert.equal(waiting(office), DELIVERIES);
    // The clock is set back during the night and jumps forward in the morning, so that all attempts
    // are due at the same time.
    clock.leap(-HOUR);
    await office.work();
    clock.leap(10 * HOUR);
    for (const host of hosts) host.away = false;
    await until(office, () => waiting(office) === 0);
    for (const host of hosts) checkHost(host, { perHost, searches });
    const grown = Math.round((process.memoryUsage().rss - before) / 2 ** 20);
    assert.ok(grown < GROWTH_MAX, `${grown} MiB`);
    process.stderr.write(`# ${DELIVERIES} to ${count} host(s): memory grew by ${grown} MiB\n`);
  } finally {
    await office.close();
    for (const host of hosts) await host.close();
    rmSync(folder, { recursive: true });
  }
}

function checkHost(host: Host, { perHost, searches }: { perHost: number; searches: number }): void {
  assert.ok(host.mostRequests <= AT_ONCE, `${host.mostRequests} requests at a time`);
  assert.ok(host.mostConnections <= 2 * AT_ONCE, `${host.mostConnections} connections at a time`);
  assert.equal(host.arrived.size, perHost * searches * MONTHS);
  assert.equal(host.first.size, perHost);
  const numbers = Array.from({ length: MONTHS }, (_, at) => at + 1);
  for (const path of host.first.keys()) {
    const own = [...host.arrived].filter(([key]) => key.startsWith(`${path} `));
    const bySearch = groupsOf(own.map(([, delivered]) => delivered));
    assert.equal(bySearch.size, searches);
    for (const delivered of bySearch.values()) {
      const found = delivered.map(({ sequence }) => sequence).sort((a, b) => a - b);
      assert.deepEqual(found, numbers);
    }
  }
  for (const delivered of host.first.values()) checkOrder(delivered);
}

function groupsOf(all: readonly Delivered[]): Map<string, Delivered[]> {
  const groups = new Map<string, Delivered[]>();
  for (const delivered of all) {
    const own = groups.get(delivered.search_id) ?? [];
    own.push(delivered);
    groups.set(delivered.search_id, own);
  }
  return groups;
}

/** Checks that the first attempts begin in the order of the months. */
function checkOrder(delivered: readonly Delivered[]): void {
  for (const [at, { sequence }] of delivered.entries()) {
    const later = delivered.slice(0, Math.max(0, at - OVERTAKEN_MAX));
    const overtaken = later.some((one) => one.sequence > sequence);
    assert.ok(!overtaken, `number ${sequence} began after a later one`);
  }
}

function waiting({ database }: Office): number {
  const count = "SELECT count(*) FROM deliveries WHERE state = 'waiting'";
  return database.prepare(count).pluck().get() as number;
}

/** Returns the number of deliveries for which no attempt was made. */
function untried({ database }: Office): number {
  const count = "SELECT count(*) FROM deliveries WHERE attempts = 0";
  return database.prepare(count).pluck().get() as number;
}

/** Ticks as a server does until the condition is true. */
async function until({ notices }: Office, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + WORK_MS; !holds(); ) {
    assert.ok(Date.now() < end, JSON.stringify(notices.counts()));
    notices.tick();
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await notices.idle();
}

/** Queues the notices of all months for a number of searches, as if they had been counted. */
function queueMonths(office: Office, searches: number): void {
  const store = new WebhookStore(office.database);
  const month = office.database.prepare("INSERT INTO served_months VALUES (?, ?, ?, ?, 0)");
  const insert = office.database.prepare(
    `INSERT INTO notices (id, tenant_id, search_id, number, month, since, state, attempts, counts,
       created_at, counted_at) VALUES (?, ?, ?, ?, ?, ?, 'counted', 0, ?, ?, ?)`,
  );
  const counts = '{"entered":1,"left":0,"changed":0,"changed_fields":{},"first":[]}';
  const nowMs = office.clock.nowMs();
  store.atomically(() => {
    const ids = Array.from({ length: searches }, (_, at) => office.search(`search ${at}`));
    for (let at = 0; at <= MONTHS; at++) {
      const day = new Date(Date.UTC(2025, 11 + at, 10)).toISOString().slice(0, 10);
      month.run(at + 1, day.slice(0, 7), day, `snapshot ${at}`);
      if (at === 0) continue;
      for (const [n, search] of ids.entries()) {
        const id = `ntc_${String(at * searches + n).padStart(32, "0")}`;
        insert.run(id, TENANT, search, at, at + 1, at, counts, nowMs, nowMs);
        store.queue(id, TENANT, search, nowMs);
      }
    }
  });
}
