/**
 * Proves what `peneira key` prints, accepts, and rejects, its seven commands in sequence on one
 * data directory, and that a mistyped directory is never created. Does not prove: how a running
 * server treats keys (contract/http/server/auth.test.ts), nor the rules themselves
 * (unit/access/keyring.test.ts).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { DAY_MS, dayText, utcDay } from "../../../src/process/clock.ts";
import { productCommand } from "../../support/server/process.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-key-"));
after(() => rmSync(folder, { recursive: true }));

function peneira(...args: string[]) {
  return command("key", ...args, "--data-dir", folder);
}

function command(...args: string[]) {
  return spawnSync(...productCommand(args), { encoding: "utf8" });
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
  it("creates keys with a readable expiry", () => {
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

  it("expires, renames, disables, enables, and rotates keys", () => {
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

  it("rejects invalid expiry values, and changes nothing", () => {
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

  it("uses the plan of the tenant's working keys, and reports which and why", () => {
    const plan = (...args: string[]) => {
      const { stderr, stdout } = peneira("create", "--tenant", "planned", "--json", ...args);
      return [(JSON.parse(stdout) as { plan: string }).plan, /^plan .*$/m.exec(stderr)?.[0]];
    };
    const why = (rest: string) => `plan ${rest}; --plan takes another`;
    assert.deepEqual(plan("--plan", "growth"), ["growth", undefined]);
    assert.deepEqual(plan(), ["growth", why("growth: the keys of tenant planned have it")]);
    assert.deepEqual(plan("--plan", "free", "--name", "other"), ["free", undefined]);
    const several = "the default, because the keys of tenant planned have several (growth, free)";
    assert.deepEqual(plan("--name", "mixed"), ["enterprise", why(`enterprise: ${several}`)]);
    json("expire", "--tenant", "planned", "--name", "mixed", "--at", "now");
    json("disable", "--tenant", "planned", "--name", "other");
    assert.equal(plan()[0], "growth", "keys that do not work do not count");
    const fresh = peneira("create", "--tenant", "fresh");
    assert.match(fresh.stderr, /^plan enterprise: the default; --plan takes another$/m);
  });

  it("lists the expiry and last use of keys for people, under a header", () => {
    const { key_id: id } = json("create", "--tenant", "shown", "--name", "n".repeat(100));
    const { key_id: ended, expires_at: end } = json(
      "create",
      "--tenant",
      "shown",
      "--expires",
      "90d",
    );
    const { stdout } = peneira("list", "--tenant", "shown");
    const [header, first, second, ...more] = stdout
      .trimEnd()
      .split("\n")
      .map((row) => row.split(/ +/));
    assert.deepEqual(header?.join(), "key_id,tenant,plan,state,expires_at,last_used_at,name");
    assert.deepEqual(first, [
      id,
      "shown",
      "enterprise",
      "active",
      "never",
      "never",
      "n".repeat(100),
    ]);
    assert.deepEqual(second, [ended, "shown", "enterprise", "active", end, "never"]);
    assert.deepEqual(more, []);
    const rotated = json("rotate", String(id), "--overlap", "3600");
    assert.match(peneira("list", "--tenant", "shown").stdout, RegExp(`${rotated.old_expires_at}`));
  });

  it("distinguishes an unknown tenant from one without keys", () => {
    assert.equal(command("tenant", "create", "bare", "--data-dir", folder).status, 0);
    for (const args of [["list"], ["list", "--json"], ["disable"], ["expire", "--at", "now"]]) {
      const answer = peneira(...args, "--tenant", "shwon");
      assert.equal(answer.status, 1);
      assert.match(answer.stderr, /There is no tenant shwon; did you mean shown\?/);
    }
    assert.match(
      peneira("list", "--tenant", "nothing like it").stderr,
      /no tenant nothing like it\. /,
    );
    const bare = peneira("list", "--tenant", "bare");
    assert.deepEqual([bare.status, bare.stdout, bare.stderr], [0, "", "No key fits.\n"]);
  });

  it("creates a directory only for a new key, and reports it", () => {
    const absent = join(folder, "absent");
    const empty = mkdtempSync(join(folder, "empty-"));
    const commands = [
      ...[["key", "list"], ["key", "list", "--json"], ["usage"], ["tenant", "list"]],
      ...["disable", "enable", "rotate"].map((one) => ["key", one, "x"]),
      ...[
        ["key", "expire", "x", "--at", "now"],
        ["key", "rename", "x", "--to", "y"],
      ],
      ...[
        ["tenant", "rename", "x", "y"],
        ["tenant", "disable", "x"],
        ["tenant", "enable", "x"],
      ],
    ];
    for (const args of commands) {
      const answer = command(...args, "--data-dir", absent);
      assert.deepEqual([answer.status, answer.stdout], [1, ""], args.join(" "));
      assert.ok(answer.stderr.startsWith(`peneira: There is no data directory ${absent}. Check`));
    }
    assert.equal(existsSync(absent), false);
    const answer = command("key", "list", "--data-dir", empty);
    assert.deepEqual([answer.status, readdirSync(empty)], [1, []]);
    assert.match(answer.stderr, /There is no state \(state\.db\) in /);
    const made = command("key", "create", "--data-dir", absent);
    assert.equal(made.status, 0);
    assert.ok(made.stderr.startsWith(`made a new data directory ${absent}\n`), made.stderr);
    assert.doesNotMatch(command("key", "create", "--data-dir", absent).stderr, /made a new/);
  });
});
