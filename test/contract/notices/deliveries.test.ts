/**
 * Proves, with receivers over sockets and a manual clock: 50 receivers that never answer only delay
 * receivers of the same tenant on the same host. A backlog of thousands is sent with at most 4
 * concurrent requests to a host. Redirects are failures and are not followed. The status 410
 * disables a webhook, and its queue is retained until the webhook is enabled. A webhook that fails
 * for five days is disabled after three warnings. An endless answer is cut, and a broken answer
 * counts by its status. A stop during sending loses nothing. If the state cannot be written, no
 * delivery is repeated endlessly. A repeated notice keeps its id. Every audited action of webhooks
 * is recorded.
 * Does not prove: kills (campaign/kills/notices.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { ATTEMPT_MS } from "../../../src/notices/sender.ts";
import { AUDIT_ACTION_NAMES } from "../../../src/store/auditactions.ts";
import { AuditStore } from "../../../src/store/auditstore.ts";
import { type Office, openOffice, START_MS, TENANT } from "../../support/changes/office.ts";
import { queueNotices } from "../../support/changes/queued.ts";
import {
  ACCEPTED,
  type Behaviour,
  type Receiver,
  startReceiver,
  status,
} from "../../support/changes/receiver.ts";

const OWNER = { tenantId: TENANT, actor: "key:test" } as const;
const HOUR = 3_600_000;

describe("deliveries", () => {
  let folder: string;
  let office: Office;
  let receiver: Receiver;
  const others: Receiver[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "peneira-empty-"));
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    office = await openOffice({ folder });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await office.close();
    for (const one of [receiver, ...others.splice(0)]) await one.close();
  });

  const hook = (url = receiver.url) => office.notices.webhooks.create(OWNER, { url }, 10_000);
  const find = (id: string) => office.notices.webhooks.find(TENANT, id);
  const deliveries = (notice: string) => office.notices.history.find(TENANT, notice).deliveries;

  const queue = (count: number, tenantId = TENANT) => queueNotices(office, count, tenantId);

  it("are not delayed by 50 receivers that never answer", async () => {
    for (let n = 0; n < 50; n++) {
      const slow = await startReceiver(() => {}, `127.0.0.${10 + n}`);
      others.push(slow);
      hook(slow.url);
    }
    queue(3);
    office.notices.tick();
    await Promise.all(others.map((slow) => slow.until(1)));
    hook();
    queue(20);
    const beganMs = performance.now();
    office.notices.tick();
    await receiver.until(20, ATTEMPT_MS / 2);
    assert.ok(performance.now() - beganMs < ATTEMPT_MS / 2);
  });

  it("of a backlog go out with at most 4 requests to a host at a time", async () => {
    const hosts = [receiver];
    for (let n = 0; n < 4; n++) hosts.push(await startReceiver(ACCEPTED, `127.0.0.${70 + n}`));
    others.push(...hosts.slice(1));
    for (const { url } of hosts) hook(url);
    // A second receiver on the first host. Both share the limit of the host.
    hook(`${receiver.url}/2`);
    for (const one of hosts) {
      one.answer = (received, response) => void setTimeout(() => ACCEPTED(received, response), 3);
    }
    const count = 200;
    queue(count);
    office.notices.tick();
    const wanted = (one: Receiver) => (one === receiver ? 2 * count : count);
    await Promise.all(hosts.map((one) => one.until(wanted(one), 60_000)));
    await office.work();
    for (const one of hosts) {
      assert.ok(one.most() <= 4, `${one.most()} at a time`);
      const ids = new Set(one.got.map(({ headers, path }) => `${path} ${headers["webhook-id"]}`));
      assert.deepEqual([one.got.length, ids.size], [wanted(one), wanted(one)]);
    }
    assert.equal(office.notices.counts().waiting, 0);
  });

  it("of a tenant are not delayed by slow receivers of another one on the same host", async () => {
    for (let n = 0; n < 2; n++) {
      const slow = await startReceiver(() => {});
      others.push(slow);
      office.notices.webhooks.create({ ...OWNER, tenantId: "ten_b" }, { url: slow.url }, 10_000);
    }
    queue(8, "ten_b");
    office.notices.tick();
    await Promise.all(others.map((slow) => slow.until(4, ATTEMPT_MS / 2)));
    const [busy] = others as [Receiver];
    hook();
    hook(busy.url);
    queue(1);
    office.notices.tick();
    await Promise.all([receiver.until(1, ATTEMPT_MS / 2), busy.until(5, ATTEMPT_MS / 2)]);
  });

  it("do not follow redirects", async () => {
    const inside = await startReceiver();
    others.push(inside);
    receiver.answer = status(307, { location: inside.url });
    hook();
    const [id = ""] = queue(1);
    await office.work();
    const [one] = deliveries(id);
    assert.deepEqual([one?.state, one?.lastStatus, inside.got.length], ["waiting", 307, 0]);
    assert.match(one?.lastError ?? "", /redirect/);
  });

  it("end for a webhook that answers 410, and go on when it is enabled", async () => {
    receiver.answer = status(410);
    const { id: webhook } = hook();
    const [id = ""] = queue(1);
    await office.work();
    assert.deepEqual([find(webhook).disabledReason, deliveries(id)[0]?.state], ["gone", "waiting"]);
    office.clock.advance(48 * HOUR);
    await office.work();
    assert.equal(receiver.got.length, 1);
    receiver.answer = ACCEPTED;
    office.notices.webhooks.change(OWNER, webhook, { enabled: true });
    await office.work();
    assert.deepEqual([deliveries(id)[0]?.state, receiver.got.length], ["delivered", 2]);
    assert.equal(find(webhook).failingSince, null);
  });

  it("are tried at the times of the schedule, then fail", async () => {
    receiver.answer = status(503);
    hook();
    const [id = ""] = queue(1);
    const times: number[] = [];
    for (let next: number | null = START_MS; next !== null; ) {
      office.clock.advance(next - office.clock.nowMs());
      times.push(office.clock.nowMs() - START_MS);
      await office.work();
      next = deliveries(id)[0]?.nextAt ?? null;
    }
    assert.deepEqual([times.length, times.at(-1), receiver.got.length], [8, 24 * HOUR, 8]);
    assert.equal(deliveries(id)[0]?.state, "failed");
  });

  it("honor Retry-After", async () => {
    receiver.answer = status(429, { "retry-after": "600" });
    hook();
    const [id = ""] = queue(1);
    await office.work();
    assert.equal(deliveries(id)[0]?.nextAt, START_MS + 600_000);
  });

  it("disable a webhook after five days and three warnings, and keep its queue", async () => {
    receiver.answer = status(500);
    const { id: webhook } = hook();
    for (let day = 0; day < 6 && find(webhook).disabledAt === null; day++) {
      queue(1);
      for (let half = 0; half < 2; half++) {
        await office.work();
        office.clock.advance(12 * HOUR);
      }
    }
    await office.work();
    const { disabledReason, warnings, disabledAt } = find(webhook);
    assert.deepEqual([disabledReason, warnings], ["failing", 3]);
    assert.ok((disabledAt as number) - START_MS >= 5 * 24 * HOUR);
    const trail = new AuditStore(office.database).list({ limit: 100, tenantId: TENANT });
    assert.deepEqual(trail.map(({ action, actor }) => `${action} ${actor}`).reverse(), [
      "webhook.create key:test",
      ...Array.from({ length: 3 }, () => "webhook.warn server"),
      "webhook.disable server",
    ]);
    queue(1);
    assert.equal(office.notices.counts().waiting, 0);
    const left = "SELECT count(*) FROM deliveries WHERE state = 'waiting'";
    assert.ok((office.database.prepare(left).pluck().get() as number) > 0);
  });

  it("cut an endless answer", async () => {
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    hook();
    const [id = ""] = queue(1);
    await office.work();
    assert.equal(deliveries(id)[0]?.state, "delivered");
  });

  it("count by the status of an answer whose body breaks off", async () => {
    const { id: webhook } = hook();
    const cut = (code: number): Behaviour => {
      return (_, response) => {
        response.writeHead(code, { "content-length": "1000" }).write("some");
        setTimeout(() => response.destroy(), 20);
      };
    };
    receiver.answer = cut(200);
    const [id = ""] = queue(1);
    await office.work();
    const [one] = deliveries(id);
    assert.deepEqual([one?.state, one?.lastStatus, one?.lastError], ["delivered", 200, null]);
    receiver.answer = cut(410);
    queue(1);
    await office.work();
    assert.equal(find(webhook).disabledReason, "gone");
  });

  it("lose nothing when the process stops in the middle", async () => {
    receiver.answer = () => {};
    hook();
    const ids = queue(3);
    office.notices.tick();
    await receiver.until(3);
    receiver.answer = ACCEPTED;
    await office.restart();
    await office.work();
    const again = receiver.got.slice(3).map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual(again.sort(), ids.sort());
  });

  it("are not sent in a loop while their outcomes cannot be stored", async () => {
    hook();
    queue(20);
    office.database.exec(
      `CREATE TRIGGER full BEFORE UPDATE ON deliveries
       BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
    );
    const some = async () => {
      for (let turn = 0; turn < 20; turn++) {
        office.notices.tick();
        await office.notices.idle();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return receiver.got.length;
    };
    const sent = await some();
    assert.ok(sent >= 1 && sent <= 4, `${sent} requests`);
    office.clock.advance(60_000);
    assert.ok((await some()) <= 8);
    office.database.exec("DROP TRIGGER full");
    office.clock.advance(60_000);
    for (let turn = 0; turn < 50 && office.notices.counts().waiting > 0; turn++) await some();
    const ids = new Set(receiver.got.map(({ headers }) => headers["webhook-id"]));
    assert.deepEqual([ids.size, office.notices.counts().waiting], [20, 0]);
  });

  it("are not sent for a disabled tenant, until it is enabled", async () => {
    hook();
    queue(1);
    const set = office.database.prepare("UPDATE tenants SET disabled_at = ? WHERE id = ?");
    set.run(1, TENANT);
    await office.work();
    assert.equal(receiver.got.length, 0);
    set.run(null, TENANT);
    await office.work();
    assert.equal(receiver.got.length, 1);
  });

  it("are replayed one by one, as a range, and only where they failed", async () => {
    hook();
    const ids = queue(4) as [string, string, string, string];
    await office.work();
    const sent = () => receiver.got.splice(0).map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual(sent().sort(), ids);
    const again = { tenantId: TENANT, through: null, webhook: null, onlyFailed: false };
    const { history } = office.notices;
    assert.equal(await history.replay({ ...again, id: ids[1] }), 1);
    await office.work();
    assert.deepEqual(sent(), [ids[1]]);
    assert.equal(await history.replay({ ...again, id: ids[3], through: ids[1] }), 3);
    await office.work();
    assert.deepEqual(sent().sort(), ids.slice(1));
    office.database.prepare("UPDATE deliveries SET state = 'failed' WHERE notice = ?").run(ids[2]);
    const range = { ...again, id: ids[0], through: ids[3], onlyFailed: true };
    assert.equal(await history.replay(range), 1);
    await office.work();
    assert.deepEqual(sent(), [ids[2]]);
  });

  it("are replayed as a whole range, however long it is", async () => {
    const { id } = hook();
    office.notices.webhooks.change(OWNER, id, { enabled: false });
    const ids = queue(900);
    office.database.exec("UPDATE deliveries SET state = 'failed', next_at = NULL");
    const request = { tenantId: TENANT, id: ids[0] as string, through: ids.at(-2) as string };
    const { history } = office.notices;
    const queued = await history.replay({ ...request, webhook: null, onlyFailed: true });
    const left = office.database.prepare("SELECT notice FROM deliveries WHERE state = 'failed'");
    assert.deepEqual([queued, left.pluck().all()], [899, ids.slice(-1)]);
  });

  it("are forgotten after the retention, except those that wait", async () => {
    receiver.answer = status(500);
    hook();
    const [waits = ""] = queue(1);
    await office.work();
    receiver.answer = ACCEPTED;
    const [done = ""] = queue(1);
    await office.work();
    office.clock.advance(400 * 24 * HOUR);
    office.database.prepare("UPDATE deliveries SET next_at = ? WHERE notice = ?").run(1e15, waits);
    await office.work();
    const left = office.database.prepare("SELECT id FROM notices").pluck().all();
    assert.deepEqual([left, left.includes(done)], [[waits], false]);
  });

  it("have audit lines for every action of a webhook", () => {
    const { webhooks } = office.notices;
    const { id } = hook();
    webhooks.change(OWNER, id, { enabled: false });
    webhooks.change(OWNER, id, { enabled: true });
    webhooks.rotate(OWNER, id);
    webhooks.remove(OWNER, id);
    const lines = new AuditStore(office.database).list({ limit: 100, tenantId: TENANT });
    const written = new Set(lines.map(({ action }) => action));
    const wanted = AUDIT_ACTION_NAMES.filter((name) => name.startsWith("webhook."));
    // The server writes the warning itself; a test above covers it.
    assert.deepEqual(
      wanted.filter((name) => !written.has(name)),
      ["webhook.warn"],
    );
    assert.ok(lines.every(({ subject, actor }) => subject === id && actor === OWNER.actor));
  });
});
