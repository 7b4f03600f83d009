/**
 * Proves what `peneira notices` and `peneira watch` print, change, and reject, with a real state
 * and a receiver on this machine. Covers the list of notices, the text of one, replays, paused
 * searches, and test notices to a webhook and by e-mail. Also covers receivers, notices as JSON
 * lines (each once), and refused settings of the mail server.
 * Does not prove: counting and delivery (contract/notices).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openDatabase } from "../../../src/store/database.ts";
import { startMailServer } from "../../support/changes/mailserver.ts";
import { type Receiver, startReceiver, status } from "../../support/changes/receiver.ts";
import { runCommand } from "../../support/cli/commands.ts";
import { addEmail, addNotices, NOTICED } from "../../support/cli/noticed-state.ts";

describe("peneira notices", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-cli-notices-"));
  const data = ["--data-dir", join(folder, "state")];
  const env = { PENEIRA_NOTICES_ALLOW_NETWORKS: "127.0.0.0/8" };
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    const made = await runCommand(["key", "create", ...data]);
    assert.equal(made.code, 0, made.err);
    addNotices(join(folder, "state"), { url: receiver.url, name: "Padarias" });
  });
  after(async () => {
    await receiver.close();
    rmSync(folder, { recursive: true });
  });

  const json = async (...args: string[]) => {
    const { code, out, err } = await runCommand([...args, ...data, "--json"], { env });
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, unknown>;
  };
  const fails = async (...args: string[]) => {
    const { code, err } = await runCommand([...args, ...data], { env });
    assert.notEqual(code, 0);
    return err;
  };

  it("list notices, newest first, as a table and as JSON", async () => {
    const { notices } = await json("notices", "list");
    assert.deepEqual(
      (notices as { notice_id: string }[]).map((one) => one.notice_id),
      [NOTICED.failed, NOTICED.notice],
    );
    const { out } = await runCommand(["notices", "list", ...data, "--limit", "5"]);
    const [head = "", , second = ""] = out.split("\n");
    assert.match(head, /^notice_id +search_name +sequence +snapshot +since +state +entered/);
    assert.match(second, /Padarias +1 +2026-10 +2026-09 +counted +12 +3 +5 +0 of 1$/);
    assert.match(await fails("notices", "list", "--limit", "0"), /whole number from 1/);
    const unknown = /--search sch_none: There is no such saved search/;
    assert.match(await fails("notices", "list", "--search", "sch_none"), unknown);
    assert.match(await fails("watch", "--all", "--once", "--search", "sch_none"), unknown);
  });

  it("show a notice with the text that is sent", async () => {
    const { out } = await runCommand(["notices", "show", NOTICED.notice, ...data], { env });
    const { notice, sent } = JSON.parse(out) as Record<string, unknown>;
    assert.equal((notice as { notice_id: string }).notice_id, NOTICED.notice);
    assert.equal((sent as { data: { entered: number } }).data.entered, 12);
    assert.match(await fails("notices", "show", "ntc_none"), /no such notice/);
  });

  it("queue notices again", async () => {
    const some = await json("notices", "replay", NOTICED.notice, "--only-failed");
    assert.deepEqual(some, { queued: 1 });
    const database = openDatabase(join(folder, "state"));
    const states = () => database.prepare("SELECT state FROM deliveries").pluck().all();
    assert.deepEqual(states(), ["waiting"]);
    const all = await json("notices", "replay", NOTICED.notice, "--through", NOTICED.failed);
    assert.deepEqual(all, { queued: 2 });
    const counting = "SELECT count(*) FROM notices WHERE state = 'counting'";
    assert.equal(database.prepare(counting).pluck().get(), 1);
    database.exec("UPDATE notices SET state = 'failed' WHERE state = 'counting'");
    database.close();
    assert.match(await fails("notices", "replay", "ntc_none"), /no such notice/);
  });

  it("pause and resume the notices of a saved search", async () => {
    const database = openDatabase(join(folder, "state"));
    const search = database.prepare("SELECT id FROM saved_searches").pluck().get() as string;
    const paused = () => database.prepare("SELECT paused_at FROM saved_searches").pluck().get();
    const run = (verb: string) => runCommand(["notices", verb, search, ...data], { env });
    assert.match((await run("pause")).err, /are paused/);
    assert.ok(Number(paused()) > 0);
    assert.match((await run("resume")).err, /are resumed/);
    assert.equal(paused(), null);
    database.close();
    assert.match(await fails("notices", "pause", "sch_none"), /no such saved search/);
  });

  it("send a signed test, and report a failure", async () => {
    const { test } = await json("notices", "test", NOTICED.webhook);
    const { delivered } = test as { delivered: boolean };
    assert.deepEqual([delivered, receiver.got.length], [true, 1]);
    const signed = String(receiver.got[0]?.headers["webhook-signature"]);
    assert.match(signed, /^v1,\S+ v1a,\S+$/);
    receiver.answer = status(500);
    assert.match(await fails("notices", "test", NOTICED.webhook), /answered 500/);
    assert.match(await fails("notices", "test", "whk_none"), /no such webhook/);
    const { code, err } = await runCommand(["notices", "test", NOTICED.webhook, ...data]);
    assert.deepEqual([code, /https|not public/.test(err)], [1, true]);
  });

  it("list receivers, and send a test by e-mail", async () => {
    const state = join(folder, "state");
    addEmail(state, "ana@example.com");
    const mail = await startMailServer();
    const smtp = {
      PENEIRA_NOTICES_SMTP_HOST: "127.0.0.1",
      PENEIRA_NOTICES_SMTP_PORT: String(mail.port),
      PENEIRA_NOTICES_SMTP_TLS: "none",
      PENEIRA_NOTICES_SMTP_FROM: "Peneira <peneira@example.com>",
      PENEIRA_NOTICES_BASE_URL: "https://peneira.example.com",
    };
    const test = (more: Record<string, string> = {}) =>
      runCommand(["notices", "test", NOTICED.email, ...data], { env: { ...smtp, ...more } });
    try {
      const sent = await test();
      assert.deepEqual([sent.code, mail.got.length], [0, 1], sent.err);
      assert.match(sent.err, /answered 250/);
      mail.replies = { RCPT: "550 5.1.1 unknown" };
      const gone = await test();
      assert.deepEqual([gone.code, /there is no such address/.test(gone.err)], [1, true]);
      const refusals: readonly (readonly [Record<string, string>, RegExp])[] = [
        [{ PENEIRA_NOTICES_SMTP_FROM: "" }, /smtp\.from/],
        [{ PENEIRA_NOTICES_SMTP_FROM: "A\r\nBcc: b@c.de <a@b.com>" }, /smtp\.from must be/],
        [{ PENEIRA_NOTICES_SMTP_USER: "u" }, /notices\.smtp\.password, or neither/],
        [
          { PENEIRA_NOTICES_SMTP_USER: "u", PENEIRA_NOTICES_SMTP_PASSWORD: "p" },
          /notices\.smtp\.tls must not be none/,
        ],
        [{ PENEIRA_NOTICES_SMTP_CA_FILE: join(folder, "none.pem") }, /cannot be read/],
        [{ PENEIRA_NOTICES_SMTP_PORT: "tcp://10.0.0.1:25" }, /smtp\.port must be/],
      ];
      for (const [more, words] of refusals) {
        const { code, err } = await test(more);
        assert.deepEqual([code, words.test(err)], [2, true], err);
      }
      const { PENEIRA_NOTICES_BASE_URL: _, ...without } = smtp;
      const { err } = await runCommand(["notices", "test", NOTICED.email, ...data], {
        env: without,
      });
      assert.match(err, /needs notices\.base_url/);
    } finally {
      await mail.close();
    }
    const config = join(folder, "config.json");
    writeFileSync(config, JSON.stringify({ notices: { smtp: { password: "geheim" } } }));
    const open = await runCommand(["notices", "receivers", ...data, "--config", config]);
    assert.deepEqual(
      [open.code, /_FILE/.test(open.err), /geheim/.test(open.err)],
      [2, true, false],
    );
    const { receivers } = await json("notices", "receivers");
    const states = (receivers as { id: string; address: string; state: string }[]).map(
      ({ id, address, state }) => [id, address, state],
    );
    assert.deepEqual(states, [
      [NOTICED.webhook, receiver.url, "enabled"],
      [NOTICED.email, "ana@example.com", "enabled"],
    ]);
    const some = await json("notices", "replay", NOTICED.notice, "--webhook", NOTICED.email);
    assert.deepEqual(some, { queued: 1 });
    const none = await fails("notices", "replay", NOTICED.notice, "--webhook", "eml_none");
    assert.match(none, /no such webhook or e-mail receiver/);
    const { out } = await runCommand(["notices", "receivers", ...data]);
    assert.match(out, /^id +address +searches +state +last_success/);
  });

  it("are printed as JSON lines by watch, each once", async () => {
    const { code, out } = await runCommand(["watch", ...data, "--all", "--once"]);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    const types = lines.map(({ type }) => type).sort();
    assert.deepEqual([code, ...types], [0, "search.changed", "search.failed"]);
    const all = await runCommand(["watch", ...data, "--once"]);
    assert.deepEqual([all.code, all.out], [0, out], "--once alone prints the whole log");
    const other = await runCommand(["watch", ...data, "--all", "--once", "--search", "sch_x"]);
    assert.equal(other.out, "");
  });
});
