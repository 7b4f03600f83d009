/**
 * Proves, with ten thousand waiting deliveries: finding the deliveries that are due takes one
 * look-up in an index for each webhook. When a request ends, finding the next delivery takes one
 * more look-up, which reads only deliveries that can be sent. Work is counted in statements, rows,
 * and SQLite's query plan, not in time. However many webhooks of other tenants fail, a healthy
 * webhook gets its deliveries.
 * Does not prove: limits per host, and the schedule (deliveries.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { type Office, openOffice, TENANT } from "../../support/changes/office.ts";
import { queueNotices } from "../../support/changes/queued.ts";
import { ACCEPTED, type Receiver, startReceiver } from "../../support/changes/receiver.ts";

const OWNER = { tenantId: TENANT, actor: "key:test" } as const;
const HOSTS = 10;
const NOTICES = 1_000;
/** Maximum number of concurrent requests to a host. */
const AT_ONCE = 4;
/** Milliseconds for which the test waits for one request. */
const COMES_MS = 20_000;

/** A statement that read deliveries, the number of rows that it read, and its query plan. */
interface Read {
  readonly sql: string;
  readonly rows: number;
  readonly plan: readonly string[];
}

describe("due deliveries", () => {
  let folder: string;
  let office: Office;
  const receivers: Receiver[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "peneira-empty-"));
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    office = await openOffice({ folder });
  });
  afterEach(async () => {
    await office.close();
    for (const one of receivers.splice(0)) await one.close();
  });

  const receive = async (...how: Parameters<typeof startReceiver>) => {
    const receiver = await startReceiver(...how);
    receivers.push(receiver);
    return receiver;
  };
  const hook = (url: string, tenantId = TENANT) =>
    office.notices.webhooks.create({ ...OWNER, tenantId }, { url }, 10_000);

  it("are found by one look-up for each webhook and each free place", async () => {
    const open: ServerResponse[] = [];
    const waits = (_: unknown, response: ServerResponse) => void open.push(response);
    for (let n = 0; n < HOSTS; n++) hook((await receive(waits, `127.0.0.${30 + n}`)).url);
    queueNotices(office, NOTICES);
    const reads = watched(office.database);
    office.notices.tick();
    assert.equal(reads.length, 1 + HOSTS);
    assert.ok(rowsOf(reads) <= HOSTS + HOSTS * AT_ONCE, `${rowsOf(reads)} rows`);
    for (const { plan } of reads.splice(0)) checkPlan(plan);
    await Promise.all(receivers.map((one) => one.until(AT_ONCE)));
    for (let turn = 1; turn <= 5; turn++) {
      open.shift()?.writeHead(204).end();
      await sent(HOSTS * AT_ONCE + turn);
      assert.equal(reads.length, 1, reads.map(({ sql }) => sql).join("\n"));
      assert.ok(rowsOf(reads) <= AT_ONCE, `${rowsOf(reads)} rows`);
      for (const { plan } of reads.splice(0)) checkPlan(plan);
    }
  });

  it("of a healthy webhook are sent next to hundreds of failing ones", async () => {
    await office.close();
    // Resolving a host name never ends here, so each attempt stays in progress.
    office = await openOffice({ folder, parts: { resolve: () => new Promise(() => {}) } });
    office.database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten_c', 'c', 0)");
    const well = await receive(ACCEPTED);
    const queueAll = () => {
      for (const tenant of [TENANT, "ten_b"]) {
        for (let n = 0; n < 256; n++) hook(`https://${n}.example/`, tenant);
        queueNotices(office, 1, tenant);
      }
      hook(well.url, "ten_c");
    };
    office.database.transaction(queueAll).immediate();
    office.database.exec("UPDATE webhooks SET failing_since = 1 WHERE tenant_id <> 'ten_c'");
    office.notices.tick();
    assert.equal(office.notices.counts().running, 256);
    queueNotices(office, 1, "ten_c");
    office.notices.tick();
    assert.equal(office.notices.counts().running, 257);
    await well.until(1);
  });

  async function sent(count: number): Promise<void> {
    const all = () => receivers.reduce((sum, { got }) => sum + got.length, 0);
    for (const end = Date.now() + COMES_MS; all() < count; ) {
      assert.ok(Date.now() < end, `${all()} of ${count} requests came`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
});

function rowsOf(reads: readonly Read[]): number {
  return reads.reduce((sum, { rows }) => sum + rows, 0);
}

/**
 * Asserts that each step of a query plan that reads deliveries uses the index of waiting
 * deliveries, and that deliveries are not sorted.
 */
function checkPlan(plan: readonly string[]): void {
  const steps = plan.filter((step) => /\bdeliveries\b/.test(step));
  assert.ok(steps.length > 0, plan.join("\n"));
  for (const step of steps) {
    assert.match(
      step,
      /^SEARCH deliveries USING (COVERING )?INDEX deliveries_waiting \(webhook=\?/,
    );
  }
  // Webhooks are sorted, deliveries are not.
  const isLook = plan.some((step) => /^SCAN webhooks/.test(step));
  if (!isLook) assert.ok(!plan.some((step) => /B-TREE/.test(step)), plan.join("\n"));
}

/** Returns an array. Later statements that return rows of deliveries are added to it. */
function watched(database: SqliteDatabase): Read[] {
  const reads: Read[] = [];
  const prepare = database.prepare.bind(database) as typeof database.prepare;
  const watching = (sql: string) => {
    const statement = prepare(sql);
    if (!/\bdeliveries\b/.test(sql)) return statement;
    const all = statement.all.bind(statement);
    statement.all = (...parameters: unknown[]) => {
      const rows = all(...parameters);
      const steps = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
      const plan = (steps as { detail: string }[]).map(({ detail }) => detail);
      reads.push({ sql, rows: rows.length, plan });
      return rows;
    };
    return statement;
  };
  Object.assign(database, { prepare: watching });
  return reads;
}
