/**
 * Proves, with a mail server over sockets and a manual clock: a notice becomes one e-mail for each
 * receiver, with the same Message-ID in every attempt. A receiver that does not exist is disabled
 * and keeps its queue. A message that is refused permanently is not sent again. If the mail server
 * fails, receivers are unchanged and notices are sent later. A reader who unsubscribes gets no more
 * e-mails, and only the reader can resubscribe, even if the receiver is deleted and created again.
 * Owners are warned before a webhook is disabled. At most four messages are sent at a time. Every
 * audited action of e-mails is recorded.
 * Does not prove: the bytes of a message (mailer.test.ts), kills (campaign/kills/notices.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { AUDIT_ACTION_NAMES } from "../../../src/store/auditactions.ts";
import { AuditStore } from "../../../src/store/auditstore.ts";
import { type MailServer, readMail, startMailServer } from "../../support/changes/mailserver.ts";
import { type Office, openOffice, TENANT } from "../../support/changes/office.ts";
import { queueNotices } from "../../support/changes/queued.ts";
import { startReceiver, status } from "../../support/changes/receiver.ts";

const OWNER = { tenantId: TENANT, actor: "key:test" } as const;
const HOUR = 3_600_000;

describe("e-mails of notices", () => {
  let folder: string;
  let office: Office;
  let server: MailServer;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "peneira-empty-"));
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    server = await startMailServer();
    const smtp = {
      ...{ host: "127.0.0.1", port: server.port, user: null, password: null },
      tls: "none" as const,
      ...{ from: "peneira@example.com", timeoutMs: 5_000, ca: null },
    };
    office = await openOffice({ folder, parts: { settings: { smtp } } });
  });
  afterEach(async () => {
    await office.close();
    await server.close();
  });

  const create = (address = "ana@example.com", more = {}) =>
    office.notices.emails.create(OWNER, { address, ...more }, 10_000);
  const find = (id: string) => office.notices.emails.find(TENANT, id);
  const queue = (count: number) => queueNotices(office, count);
  const deliveries = (notice: string) => office.notices.history.find(TENANT, notice).deliveries;
  const later = async (ms: number) => {
    office.clock.advance(ms);
    await office.work();
  };
  const tokenIn = (raw: string) =>
    /unsubscribe\/([^>]+)>/.exec(readMail(raw).headers.get("list-unsubscribe") ?? "")?.[1] ?? "";

  it("arrive once for each receiver, with an id that attempts do not change", async () => {
    const [ana, bob] = [create(), create("bob@example.com", { language: "en" })];
    server.replies = { end: "451 4.3.0 later" };
    const [id = ""] = queue(1);
    await office.work();
    assert.deepEqual(
      deliveries(id).map(({ state, lastStatus }) => [state, lastStatus]),
      [
        ["waiting", 451],
        ["waiting", 451],
      ],
    );
    server.replies = { end: "cut" };
    await later(10_000);
    server.replies = {};
    await later(HOUR);
    const sent = server.got.map(({ to, raw }) => [to[0], readMail(raw).headers.get("message-id")]);
    assert.deepEqual(sent.sort(), [
      ["ana@example.com", `<${id}.${ana.id}@example.com>`],
      ["bob@example.com", `<${id}.${bob.id}@example.com>`],
    ]);
    assert.ok(deliveries(id).every(({ state }) => state === "delivered"));
    const subjects = server.got.map(({ raw }) => readMail(raw).headers.get("subject") ?? "");
    assert.deepEqual(subjects.map((one) => /new company/.test(one)).sort(), [false, true]);
    await office.notices.history.replay({
      ...{ tenantId: TENANT, id, through: null, webhook: ana.id, onlyFailed: false },
    });
    await office.work();
    assert.equal(readMail(server.got[2]?.raw ?? "").headers.get("message-id"), sent[0]?.[1]);
    assert.deepEqual(server.faults, []);
  });

  it("hear only the searches that are named", async () => {
    const search = office.search("named");
    create("ana@example.com", { searches: [search] });
    queue(2);
    await office.work();
    assert.equal(server.got.length, 0);
  });

  it("disable a receiver that does not exist, and keep its queue", async () => {
    const { id } = create();
    server.replies = { RCPT: "550 5.1.1 unknown" };
    const [notice = ""] = queue(1);
    await office.work();
    assert.equal(find(id).disabledReason, "gone");
    await later(30 * HOUR);
    assert.equal(server.commands.filter((line) => line.startsWith("RCPT")).length, 1);
    assert.equal(deliveries(notice)[0]?.state, "waiting");
    server.replies = {};
    office.notices.emails.change(OWNER, id, { enabled: true });
    await office.work();
    assert.equal(server.got.length, 1);
    assert.equal(deliveries(notice)[0]?.state, "delivered");
  });

  it("are not repeated after a refusal for good", async () => {
    const { id } = create();
    server.replies = { end: "554 5.6.0 content" };
    const [notice = ""] = queue(1);
    await office.work();
    assert.equal(deliveries(notice)[0]?.state, "failed");
    assert.equal(find(id).disabledAt, null);
    await later(30 * HOUR);
    assert.equal(server.commands.filter((line) => line.startsWith("DATA")).length, 1);
  });

  const remembered = () =>
    office.database.prepare("SELECT address FROM unsubscriptions").pluck().all() as string[];
  const linkIn = (raw: string) => /unsubscribe\/(\S+)/.exec(readMail(raw).text)?.[1] ?? "";

  it("ask a reader who unsubscribed before an address that was deleted is used again", async () => {
    const first = create();
    queue(1);
    await office.work();
    const token = tokenIn(server.got[0]?.raw ?? "");
    office.notices.emails.unsubscribe(token, false);
    office.notices.emails.remove(OWNER, first.id);
    const again = create("Ana@Example.com");
    assert.notEqual(find(again.id).unsubscribedAt, null);
    queue(1);
    await office.work();
    assert.equal(server.got.length, 2);
    const { headers, text } = readMail(server.got[1]?.raw ?? "");
    assert.match(headers.get("subject") ?? "", /Quer receber de novo/);
    assert.equal(headers.get("list-unsubscribe"), undefined);
    assert.match(text, /Só você decide/);
    const link = linkIn(server.got[1]?.raw ?? "");
    assert.ok(link.startsWith(`${again.id}.`));
    assert.ok(remembered().every((hash) => /^[0-9a-f]{64}$/.test(hash)));
    office.notices.emails.unsubscribe(link, true);
    assert.deepEqual([find(again.id).unsubscribedAt, remembered()], [null, []]);
    queue(1);
    await office.work();
    assert.equal(server.got.length, 3);
  });

  it("ask such a reader at most once a week, however often the address is added", async () => {
    const first = create();
    queue(1);
    await office.work();
    office.notices.emails.unsubscribe(tokenIn(server.got[0]?.raw ?? ""), false);
    office.notices.emails.remove(OWNER, first.id);
    for (let n = 0; n < 3; n++) {
      const { id } = create();
      await office.work();
      office.notices.emails.remove(OWNER, id);
    }
    assert.equal(server.got.length, 2);
    office.clock.advance(7 * 24 * HOUR);
    create();
    await office.work();
    assert.equal(server.got.length, 3);
    const other = { tenantId: "ten_b", actor: "key:test" } as const;
    const { id } = office.notices.emails.create(other, { address: "ana@example.com" }, 9);
    assert.equal(office.notices.emails.find("ten_b", id).unsubscribedAt, null);
  });

  const owner = (email: string, more = "'owner', NULL, 'scrypt:1:1:1'") =>
    office.database
      .prepare(
        `INSERT INTO users (id, tenant_id, email, role, disabled_at, password_cost, password_hash,
           password_salt, created_at, checksum)
         VALUES (?, ?, ?, ${more}, zeroblob(32), zeroblob(16), 0, 0)`,
      )
      .run(`usr_${email}`, TENANT, email);

  it("warn each owner three times before a webhook is disabled, then say that it is", async () => {
    const receiver = await startReceiver(status(500));
    owner("eva@example.com");
    owner("rui@example.com", "'owner', 5, 'scrypt:1:1:1'");
    owner("leo@example.com", "'member', NULL, 'scrypt:1:1:1'");
    owner("new@example.com", "'owner', NULL, 'invited:9'");
    try {
      const url = `${receiver.url}secret-path`;
      const { id } = office.notices.webhooks.create(OWNER, { url }, 9);
      const isDisabled = () => office.notices.webhooks.find(TENANT, id).disabledAt !== null;
      for (let half = 0; half < 14 && !isDisabled(); half++) {
        queue(1);
        await later(12 * HOUR);
      }
      await office.work();
      const mails = server.got.map(({ raw }) => readMail(raw));
      const subjects = mails.map(({ headers }) => headers.get("subject") ?? "");
      assert.deepEqual(
        subjects.map((one) => /alerta \d de 3|desativados/.exec(one)?.[0]),
        ["alerta 1 de 3", "alerta 2 de 3", "alerta 3 de 3", "desativados"],
      );
      assert.ok(server.got.every(({ to }) => to[0] === "eva@example.com"));
      for (const { text, headers } of mails) {
        assert.ok(!text.includes("secret-path") && text.includes("/app/webhooks"));
        assert.ok(!text.includes("null") && headers.get("list-id") === undefined);
      }
      assert.deepEqual(server.faults, []);
    } finally {
      await receiver.close();
    }
  });

  it("repeat a warning that was not taken, and end it with its webhook", async () => {
    const receiver = await startReceiver(status(410));
    owner("eva@example.com");
    try {
      const hook = office.notices.webhooks.create(OWNER, { url: receiver.url }, 9);
      server.replies = { greeting: "554 5.3.2 closed" };
      queue(1);
      await office.work();
      assert.equal(server.got.length, 0);
      server.replies = {};
      await later(HOUR);
      assert.match(readMail(server.got[0]?.raw ?? "").text, /respondeu que não existe mais/);
      await later(30 * HOUR);
      assert.equal(server.got.length, 1);
      office.notices.webhooks.change(OWNER, hook.id, { enabled: true });
      server.replies = { greeting: "554 5.3.2 closed" };
      await office.work();
      const waiting = "SELECT count(*) FROM receiver_mails";
      assert.equal(office.database.prepare(waiting).pluck().get(), 1);
      office.notices.webhooks.remove(OWNER, hook.id);
      assert.equal(office.database.prepare(waiting).pluck().get(), 0);
    } finally {
      await receiver.close();
    }
  });

  it("wait for a mail server that fails, which changes no receiver", async () => {
    const { id } = create();
    server.replies = { greeting: "554 5.3.2 closed" };
    const [notice = ""] = queue(1);
    for (let n = 0; n < 4; n++) await later(5 * HOUR);
    const { failingSince, strikes, warnings } = find(id);
    assert.deepEqual([failingSince, strikes, warnings], [null, 0, 0]);
    assert.ok(office.notices.counts().mailServerFailures >= 4);
    server.replies = {};
    await later(4 * HOUR);
    assert.equal(deliveries(notice)[0]?.state, "delivered");
  });

  it("end for a reader who unsubscribes, until the reader begins again", async () => {
    const { id } = create();
    const [first = ""] = queue(1);
    await office.work();
    const token = tokenIn(server.got[0]?.raw ?? "");
    assert.equal(office.notices.emails.byToken(token).id, id);
    server.replies = { RCPT: "450 4.2.0 later" };
    const [waiting = ""] = queue(1);
    await office.work();
    server.replies = {};
    for (let n = 0; n < 2; n++) office.notices.emails.unsubscribe(token, false);
    assert.deepEqual(deliveries(waiting), []);
    const [after = ""] = queue(1);
    for (const notice of [first, waiting, after]) {
      const request = { tenantId: TENANT, id: notice, through: null, webhook: null };
      await office.notices.history.replay({ ...request, onlyFailed: false });
    }
    await later(HOUR);
    assert.equal(server.got.length, 1);
    assert.throws(
      () => office.notices.emails.change(OWNER, id, { enabled: true }),
      /only the reader/i,
    );
    await assert.rejects(office.notices.emails.test(TENANT, id), /unsubscribed/);
    assert.throws(() => create(), /sends to this address already/);
    office.notices.emails.change(OWNER, id, { language: "en" });
    assert.notEqual(find(id).disabledAt, null, "a change of the owner does not enable it");
    office.notices.emails.unsubscribe(token, true);
    queue(1);
    await office.work();
    assert.equal(server.got.length, 2);
  });

  it("are not ended by an address that someone guesses", () => {
    const { id } = create();
    const other = create("bob@example.com");
    for (const token of [
      ...["", "x", id, `${id}.`, `${id}.${"A".repeat(43)}`, `${id}.${"é".repeat(43)}`],
      ...[`${other.id}.${"a".repeat(43)}`, `whk_${"1".repeat(32)}.${"A".repeat(43)}`],
    ]) {
      assert.throws(() => office.notices.emails.unsubscribe(token, false), /not complete/);
    }
    assert.equal(find(id).unsubscribedAt, null);
  });

  it("of a deleted receiver are deleted with it", async () => {
    const { id } = create();
    server.replies = { RCPT: "450 4.2.0 later" };
    const [notice = ""] = queue(1);
    await office.work();
    office.notices.emails.remove(OWNER, id);
    server.replies = {};
    await later(HOUR);
    assert.deepEqual([deliveries(notice), server.got.length], [[], 0]);
  });

  it("go out four at a time", async () => {
    for (let n = 0; n < 40; n++) create(`person${n}@example.com`);
    server.replies = { RCPT: 5 };
    queue(3);
    while (office.notices.counts().waiting > 0) await office.work();
    assert.equal(server.got.length, 120);
    assert.ok(server.most() <= 4, `${server.most()} at a time`);
  });

  it("continue after a stop, and wait for a server that has no mail server", async () => {
    create();
    server.replies = { RCPT: 60_000 };
    const [notice = ""] = queue(1);
    office.notices.tick();
    while (!server.commands.some((line) => line.startsWith("RCPT"))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await office.restart();
    server.replies = {};
    await later(1_000);
    assert.equal(deliveries(notice)[0]?.state, "delivered");
    const bare = await openOffice({ folder });
    try {
      assert.throws(
        () => bare.notices.emails.create(OWNER, { address: "ana@example.com" }, 9),
        /notices\.smtp\.host/,
      );
    } finally {
      await bare.close();
    }
  });

  it("are tested with a message of their own", async () => {
    const { id } = create("ana@example.com", { language: "en" });
    const { outcome } = await office.notices.emails.test(TENANT, id);
    assert.deepEqual([outcome.error, outcome.status], [null, 250]);
    const { headers } = readMail(server.got[0]?.raw ?? "");
    assert.equal(headers.get("subject"), "Test e-mail of Peneira");
  });

  it("write every action to the audit trail", async () => {
    const { id } = create();
    queue(1);
    await office.work();
    const token = tokenIn(server.got[0]?.raw ?? "");
    for (const again of [false, true]) office.notices.emails.unsubscribe(token, again);
    for (const enabled of [false, true]) office.notices.emails.change(OWNER, id, { enabled });
    server.replies = { RCPT: "450 4.2.0 later" };
    for (let n = 0; n < 3; n++) {
      queue(1);
      await later(13 * HOUR);
    }
    server.replies = { RCPT: "550 5.1.1 unknown" };
    await later(24 * HOUR);
    office.notices.emails.remove(OWNER, id);
    const trail = new AuditStore(office.database).list({ limit: 100, tenantId: TENANT });
    const written = new Set(trail.map(({ action }) => action));
    const names = AUDIT_ACTION_NAMES.filter((name) => name.startsWith("email."));
    assert.deepEqual(
      names.filter((name) => !written.has(name)),
      [],
    );
  });
});
