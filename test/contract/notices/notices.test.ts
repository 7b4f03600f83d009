/**
 * Proves, with real snapshots, a real state, and receivers over sockets: a newer month makes one
 * notice for each saved search, with the counts of an independent reader. Each notice has one id,
 * and the notices of a search are numbered without gaps. A month makes no notice if it was served
 * before, even by an earlier process, or is older than the current one. Two months make two
 * notices. If all earlier snapshots have been missing for a day, a later one takes their place. A
 * list can be watched. A spec that cannot be read makes only its own search fail. Deliveries have
 * both signatures, verified by the public library and by node:crypto, and are at most 20 KB.
 * Deleting a webhook or a search deletes its waiting deliveries.
 * Does not prove: kills (campaign/kills/notices.test.ts), the schedule (unit/notices).
 */
import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { publicKeyOf, secretOf } from "../../../src/notices/signing.ts";
import { type Office, openOffice, TENANT } from "../../support/changes/office.ts";
import { type MonthPair, makePair } from "../../support/changes/pair.ts";
import {
  type Received,
  type Receiver,
  startReceiver,
  status,
} from "../../support/changes/receiver.ts";
import type { TwinRow } from "../../support/twin.ts";

const OWNER = { tenantId: TENANT, actor: "key:test" } as const;

interface Event {
  readonly type: string;
  readonly data: {
    readonly notice_id: string;
    readonly search_id: string;
    readonly search_name: string;
    readonly sequence: number;
    readonly snapshot: string;
    readonly since: string;
    readonly entered: number;
    readonly left: number;
    readonly changed: number;
    readonly changed_fields: Readonly<Record<string, number>>;
    readonly first: readonly Readonly<Record<string, unknown>>[];
    readonly links: Readonly<Record<string, string | null>>;
  };
}

const eventOf = ({ body }: Received) => JSON.parse(body) as Event;

describe("notices", () => {
  let pair: MonthPair;
  let folder: string;
  let [older, newer, third] = ["", "", ""];
  let office: Office;
  let receiver: Receiver;

  before(async () => {
    pair = await makePair({ seed: 11, accounts: 1_500 });
    folder = mkdtempSync(join(tmpdir(), "peneira-served-"));
    cpSync(pair.older.path, join(folder, "a.peneira"));
    cpSync(pair.newer.path, join(folder, "b.peneira"));
    const { path, segment } = await pair.third();
    segment.close();
    cpSync(path, join(folder, "c.peneira"));
    [older, newer, third] = ["a", "b", "c"].map((name) => join(folder, `${name}.peneira`)) as [
      string,
      string,
      string,
    ];
  });
  after(() => {
    pair.dispose();
    rmSync(folder, { recursive: true });
  });

  async function open(more: object = {}): Promise<void> {
    receiver = await startReceiver();
    office = await openOffice({ folder, ...more });
    await office.serve(older);
  }
  afterEach(async () => {
    await office.close();
    await receiver.close();
  });

  const hook = (options: object = {}) =>
    office.notices.webhooks.create(OWNER, { url: receiver.url, ...options }, 100);
  const all = () => office.notices.history.page(TENANT, { before: 1e9, limit: 1_000 });

  it("are counted exactly, with the fields that differ", async () => {
    await open();
    const search = office.search("all", {}, { watch: "email,phone_1" });
    hook();
    await office.serve(newer);
    await office.work();
    await receiver.until(1);
    const { data, type } = eventOf(receiver.got[0] as Received);
    assert.equal(type, "search.changed");
    const expected = expectedOf(pair, ["email", "phone_1"]);
    const { entered, left, changed, changed_fields } = data;
    assert.deepEqual({ entered, left, changed, changed_fields }, expected);
    assert.deepEqual(
      [data.search_id, data.sequence, data.snapshot, data.since],
      [search, 1, "2026-10", "2026-09"],
    );
    assert.equal(data.first.length, 10);
    assert.ok(data.first.every((one) => one.change === "entered"));
    assert.equal(
      data.links.changes,
      `https://peneira.example.com/v1/searches/${search}/changes?since=2026-09`,
    );
  });

  it("have the fields of the plan that the key has now, not of the day it was saved", async () => {
    await open();
    const key = office.database.prepare(
      "INSERT INTO keys (id, tenant_id, name, plan, hash, created_at) VALUES (?, ?, '', ?, ?, 0)",
    );
    const output = { fields: ["cnpj", "email", "phone_1"] };
    const saved = (keyId: string, plan: string, now: string) => {
      key.run(keyId, TENANT, now, Buffer.alloc(32, keyId));
      return office.search(keyId, { output }, { plan, keyId });
    };
    const [less, more] = [saved("a", "growth", "free"), saved("b", "free", "growth")];
    hook();
    await office.serve(newer);
    await office.work();
    await receiver.until(2);
    const events = new Map(receiver.got.map(eventOf).map(({ data }) => [data.search_id, data]));
    const [down, up] = [events.get(less), events.get(more)];
    assert.ok(down !== undefined && up !== undefined);
    assert.equal(down.first.length, 10);
    for (const one of down.first) assert.ok(!("email" in one) && !("phone_1" in one) && one.cnpj);
    assert.ok(down.changed > 0 && !("email" in down.changed_fields));
    assert.ok((up.changed_fields.email ?? 0) > 0);
    assert.ok(up.first.every((one) => "email" in one && "phone_1" in one));
  });

  it("come once per search and month, whatever is served again", async () => {
    await open();
    hook();
    for (let n = 0; n < 5; n++) office.search(`search ${n}`);
    await office.serve(newer);
    await office.serve(newer);
    await office.work();
    await office.serve(older);
    await office.serve(newer);
    await office.restart();
    await office.work();
    const ids = new Set(receiver.got.map((one) => eventOf(one).data.notice_id));
    assert.deepEqual([receiver.got.length, ids.size, all().length], [5, 5, 5]);
    assert.ok(all().every(({ row }) => row.number === 1));
  });

  it("are noted, though not counted, before the process ends", async () => {
    await open();
    hook();
    office.search("one");
    await office.serve(newer);
    await office.restart();
    assert.equal(all().length, 1);
    const noted = all()[0]?.row.id;
    await office.work();
    assert.deepEqual(
      receiver.got.map((one) => eventOf(one).data.notice_id),
      [noted],
    );
  });

  it("number the months of a search without gaps, also when two come at once", async () => {
    await open();
    hook();
    office.search("one");
    await office.serve(newer);
    await office.serve(third);
    office.search("later");
    await office.work();
    const events = receiver.got.map((one) => eventOf(one).data);
    assert.deepEqual(
      events.map(({ sequence, snapshot, since }) => [sequence, snapshot, since]).sort(),
      [
        [1, "2026-10", "2026-09"],
        [2, "2026-11", "2026-10"],
      ],
    );
  });

  it("begin with the month of the first count if an older one was served again", async () => {
    await open();
    hook();
    office.search("old", {}, { snapshot: "2026-09" });
    await office.serve(newer);
    await office.work();
    await office.serve(older);
    const late = office.search("late");
    office.database
      .prepare("UPDATE saved_searches SET snapshot = '2026-09' WHERE id = ?")
      .run(late);
    await office.serve(third);
    await office.work();
    const months = all().map(({ row }) => [row.searchName, row.since, row.snapshot].join(" "));
    assert.deepEqual(months.sort(), [
      "late 2026-09 2026-11",
      "old 2026-09 2026-10",
      "old 2026-10 2026-11",
    ]);
  });

  it("skip a month that was taken away, and say since when they count", async () => {
    await open();
    hook();
    office.search("one");
    const gone = "INSERT INTO served_months VALUES (99, '2026-10a', '2026-10-20', 'gone', 0)";
    office.database.prepare(gone).run();
    await office.serve(third);
    await office.work();
    const { data } = eventOf(receiver.got[0] as Received);
    assert.deepEqual([data.snapshot, data.since], ["2026-11", "2026-09"]);
  });

  it("fail after a day if their own month was taken away, and say so", async () => {
    await open();
    hook();
    office.search("one");
    await office.serve(newer);
    const taken = "UPDATE served_months SET label = '2026-10a', snapshot_id = 'gone'";
    office.database.exec(`${taken} WHERE label = '2026-10'`);
    office.clock.advance(86_400_000);
    await office.work();
    const { type, data } = JSON.parse(receiver.got[0]?.body ?? "") as {
      readonly type: string;
      readonly data: { readonly problem: string };
    };
    assert.deepEqual([type, receiver.got.length], ["search.failed", 1]);
    assert.match(data.problem, /snapshot of its month is gone/);
  });

  it("begin with a later month only after a day without an earlier one", async () => {
    await open();
    hook();
    office.search("one");
    const gone = "INSERT INTO served_months VALUES (99, '2026-08', '2026-08-10', 'gone', 0)";
    office.database.prepare(gone).run();
    await office.serve(newer);
    office.database.prepare("UPDATE notices SET since = 99").run();
    const first = () => all()[0]?.row;
    for (let turn = 0; turn < 500 && first()?.attempts !== 1; turn++) {
      office.notices.tick();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.deepEqual([first()?.state, first()?.attempts], ["counting", 1]);
    office.clock.advance(86_400_000);
    await office.work();
    const { data, type } = eventOf(receiver.got[0] as Received);
    assert.deepEqual([type, data.since, data.snapshot], ["search.changed", "2026-09", "2026-10"]);
  });

  it("watch a list, and stay silent about a quiet month if that is wanted", async () => {
    await open();
    hook();
    const list = office.lists.create(
      TENANT,
      { name: "clients", kind: "accounts" },
      { lists: 9, list_entries: 9 },
    );
    const spec = { filters: { lists: { any_of: [list.id] } } };
    office.search("watched", spec);
    office.search("quiet", spec, { onlyChanges: 1 });
    await office.serve(newer);
    await office.work();
    assert.deepEqual(
      receiver.got.map((one) => eventOf(one).data).map((one) => [one.entered, one.changed]),
      [[0, 0]],
    );
    assert.equal(all().length, 2);
  });

  it("fail alone if their spec cannot be read", async () => {
    await open();
    hook();
    const list = `lst_${"0".repeat(32)}`;
    const broken = office.search("broken", { filters: { lists: { any_of: [list] } } });
    office.search("fine");
    await office.serve(newer);
    await office.work();
    const delivered = receiver.got
      .map(eventOf)
      .map(({ type, data }) => `${type} ${data.search_name}`);
    assert.deepEqual(delivered.sort(), ["search.changed fine", "search.failed broken"]);
    const failed = all().find(({ row }) => row.searchId === broken);
    assert.equal(failed?.row.state, "failed");
    assert.match(failed?.row.failure ?? "", /no list of this id/);
  });

  it("are signed so that the public library and node:crypto verify them", async () => {
    await open();
    const webhook = hook({ signature: "both" });
    office.search("one");
    await office.serve(newer);
    await office.work();
    const [{ headers, body }] = receiver.got as [Received];
    const sent = { ...headers } as Record<string, string>;
    // The library rejects old messages, and the test's clock is in the past. So the test signs the
    // message again with the real time.
    const v1 = new Webhook(secretOf(webhook.seed));
    const at = new Date(Number(sent["webhook-timestamp"]) * 1000);
    const signatures = String(sent["webhook-signature"]).split(" ");
    assert.deepEqual(
      signatures.map((one) => one.split(",")[0]),
      ["v1", "v1a"],
    );
    assert.equal(v1.sign(sent["webhook-id"] as string, at, body), signatures[0]);
    assert.equal(sent["webhook-id"], eventOf(receiver.got[0] as Received).data.notice_id);
    const x = Buffer.from(publicKeyOf(webhook.seed).slice(5), "base64").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    const content = `${sent["webhook-id"]}.${sent["webhook-timestamp"]}.${body}`;
    const signed = Buffer.from((signatures[1] as string).slice(4), "base64");
    assert.ok(verify(null, Buffer.from(content), key, signed));
    assert.ok(!verify(null, Buffer.from(`${content} `), key, signed));
    office.notices.webhooks.rotate(OWNER, webhook.id);
    const renewed = office.notices.webhooks.find(TENANT, webhook.id);
    await office.notices.webhooks.test(TENANT, webhook.id);
    const both = String(receiver.got[1]?.headers["webhook-signature"]).split(" ");
    assert.equal(both.length, 4);
    assert.notEqual(secretOf(renewed.seed), secretOf(webhook.seed));
    // The client lost the first new secret and rotates again. The old secret stays valid until its
    // original end.
    office.clock.advance(86_000_000);
    office.notices.webhooks.rotate(OWNER, webhook.id);
    await office.notices.webhooks.test(TENANT, webhook.id);
    const [second] = receiver.got.slice(2) as [Received];
    const id = String(second.headers["webhook-id"]);
    const then = new Date(Number(second.headers["webhook-timestamp"]) * 1000);
    const all = String(second.headers["webhook-signature"]).split(" ");
    assert.equal(all.length, 6);
    assert.ok(all.includes(v1.sign(id, then, second.body)));
    office.clock.advance(86_400_001);
    await office.notices.webhooks.test(TENANT, webhook.id);
    assert.equal(String(receiver.got[3]?.headers["webhook-signature"]).split(" ").length, 2);
  });

  it("fit into 20 KB, however long the accounts are", async () => {
    await open();
    hook();
    office.search("one");
    await office.serve(newer);
    await office.work();
    const { row } = all()[0] as { row: { id: string } };
    const counts = JSON.stringify({
      ...{ entered: 10, left: 0, changed: 0, changed_fields: {} },
      first: Array.from({ length: 10 }, () => ({ cnpj: "x".repeat(4_000) })),
    });
    office.database.prepare("UPDATE notices SET counts = ? WHERE id = ?").run(counts, row.id);
    const again = { tenantId: TENANT, id: row.id, through: null, webhook: null };
    assert.equal(await office.notices.history.replay({ ...again, onlyFailed: false }), 1);
    await office.work();
    const { body } = receiver.got[1] as Received;
    assert.ok(Buffer.byteLength(body) <= 20_000);
    assert.equal(eventOf(receiver.got[1] as Received).data.first.length, 4);
  });

  it("end with their webhook or their search, in the same transaction", async () => {
    await open();
    receiver.answer = status(500);
    const [first, second] = [hook(), hook()];
    const search = office.search("one");
    await office.serve(newer);
    await office.work();
    const waiting = () =>
      office.database.prepare("SELECT webhook FROM deliveries").pluck().all() as string[];
    assert.deepEqual(waiting().sort(), [first.id, second.id].sort());
    office.notices.webhooks.remove(OWNER, first.id);
    assert.deepEqual(waiting(), [second.id]);
    office.searches.remove(TENANT, search);
    assert.deepEqual([waiting(), all()], [[], []]);
    assert.deepEqual(office.database.pragma("foreign_key_check"), []);
  });

  it("go only to webhooks of the tenant that hear the search", async () => {
    await open();
    const one = office.search("one");
    office.search("two");
    hook({ searches: [one] });
    office.notices.webhooks.create(
      { tenantId: "ten_b", actor: "key:test" },
      { url: receiver.url },
      9,
    );
    await office.serve(newer);
    await office.work();
    assert.deepEqual(
      receiver.got.map((got) => eventOf(got).data.search_id),
      [one],
    );
  });
});

/** Returns the counts of changes, computed from rows that an independent reader decodes. */
function expectedOf({ older, newer }: MonthPair, watch: readonly (keyof TwinRow)[]) {
  const keyOf = ({ cnpj }: TwinRow) => String(cnpj);
  const before = new Map(older.rows.map((row) => [keyOf(row), row]));
  const now = new Map(newer.rows.map((row) => [keyOf(row), row]));
  const both = [...now].flatMap(([cnpj, row]) => {
    const old = before.get(cnpj);
    return old === undefined ? [] : [watch.filter((name) => old[name] !== row[name])];
  });
  const counts = watch.map((name) => [name, both.filter((one) => one.includes(name)).length]);
  return {
    entered: [...now.keys()].filter((cnpj) => !before.has(cnpj)).length,
    left: [...before.keys()].filter((cnpj) => !now.has(cnpj)).length,
    changed: both.filter((one) => one.length > 0).length,
    changed_fields: Object.fromEntries(counts),
  };
}
