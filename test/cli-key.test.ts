/**
 * Proves what `peneira key` prints, takes and refuses, its seven commands one after the other on
 * one data directory. Does not prove what a running server makes of it (http-auth.test.ts), nor the
 * rules themselves (access-keyring.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { DAY_MS, dayText, utcDay } from "../src/clock.ts";
import { ROOT } from "./checkout.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-key-"));
after(() => rmSync(folder, { recursive: true }));

function peneira(...args: string[]) {
  const command = ["--import", "tsx", join(ROOT, "src/main.ts"), "key", ...args];
  const all = [...command, "--data-dir", folder];
  return spawnSync(process.execPath, all, { encoding: "utf8" });
}

function json(...args: string[]): Record<string, unknown> {
  const { status, stdout, stderr } = peneira(...args, "--json");
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const keys = () => json("list").keys as Record<string, unknown>[];
const stateOf = (id: unknown) => keys().find(({ key_id }) => key_id === id)?.state;
const today = utcDay(Date.now());

describe("peneira key", () => {
  it("makes keys with an end that a person can name", () => {
    const made = json("create", "--tenant", "acme", "--plan", "growth", "--expires", "90d");
    assert.match(String(made.key), /^pnr_[0-9a-f]{12}_[0-9a-f]{56}$/);
    const leftMs = Date.parse(String(made.expires_at)) - Date.now();
    assert.ok(leftMs > 90 * DAY_MS - 120_000 && leftMs <= 90 * DAY_MS, String(leftMs));
    const end = json("create", "--name", "until today", "--expires", dayText(today));
    assert.equal(end.expires_at, new Date((today + 1) * DAY_MS).toISOString(), "the whole day");
    assert.equal(json("create", "--name", "lasting").expires_at, null);
    assert.deepEqual(
      keys().map(({ tenant, plan, state, last_used_at }) => [tenant, plan, state, last_used_at]),
      [
        ["acme", "growth", "active", null],
        ["default", "enterprise", "active", null],
        ["default", "enterprise", "active", null],
      ],
    );
  });

  it("ends, renames, stops, starts and replaces them", () => {
    const { key_id: id } = json("create", "--tenant", "life");
    const key = String(id);
    json("disable", key);
    assert.equal(stateOf(id), "disabled");
    json("enable", key);
    assert.equal(stateOf(id), "active");
    assert.equal(json("rename", key, "--to", "crm").name, "crm");
    assert.equal(json("expire", "--tenant", "life", "--name", "crm", "--at", "never").key_id, id);
    const { key_id: fresh, replaces } = json("rotate", key, "--overlap", "3600");
    assert.equal(replaces, id);
    assert.deepEqual([stateOf(id), stateOf(fresh)], ["active", "active"]);
    json("expire", key, "--at", "now");
    assert.equal(stateOf(id), "expired");
    assert.match(peneira("enable", key).stderr, /has expired/);
    const words = peneira("expire", String(fresh), "--at", "2d");
    assert.equal(words.stdout, "");
    assert.match(words.stderr, RegExp(`^key ${fresh} of tenant life ends: \\d{4}-`));
  });

  it("refuses ends that are none, and changes nothing", () => {
    const before = keys();
    const wrong = ["tomorrow", "0d", "1.5d", "2026-02-30", "2026-13-01", dayText(today - 1), ""];
    for (const end of wrong) {
      const answer = peneira("create", "--expires", end);
      assert.equal(answer.status, 2, `${end}: ${answer.stderr}`);
      assert.match(answer.stderr, /YYYY-MM-DD/);
      assert.equal(answer.stdout, "");
    }
    assert.equal(peneira("expire", "--tenant", "life").status, 2, "an end has to be said");
    assert.equal(peneira("rename", "nobody", "--to", "x").status, 1);
    assert.deepEqual(keys(), before);
  });
});
