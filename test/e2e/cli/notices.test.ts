/**
 * Proves what `peneira notices` and `peneira watch` print, change, and reject. The state is real,
 * and the receiver is on this machine. Shown are the list, one notice with its text, a replay that
 * a server would send, a signed test, and each notice once as a JSON line.
 * Does not prove: counting and delivery (contract/notices).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openDatabase } from "../../../src/store/database.ts";
import { type Receiver, startReceiver, status } from "../../support/changes/receiver.ts";
import { runCommand } from "../../support/cli/commands.ts";
import { addNotices, NOTICED } from "../../support/cli/noticed-state.ts";

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
    const none = await json("notices", "list", "--search", "sch_none");
    assert.deepEqual(none, { notices: [] });
  });

  it("show a notice with the text that is sent", async () => {
    const { notice, sent } = await json("notices", "show", NOTICED.notice);
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

  it("are printed as JSON lines by watch, each once", async () => {
    const { code, out } = await runCommand(["watch", ...data, "--all", "--once"]);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { data: object });
    assert.deepEqual([code, lines.length], [0, 1]);
    const none = await runCommand(["watch", ...data, "--once"]);
    assert.deepEqual([none.code, none.out], [0, ""]);
    const other = await runCommand(["watch", ...data, "--all", "--once", "--search", "sch_x"]);
    assert.equal(other.out, "");
  });
});
