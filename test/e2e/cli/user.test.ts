/**
 * Proves the output of `peneira user`, and which input it accepts and rejects, with its six
 * commands in sequence on one data directory. If two first users are created concurrently, only one
 * becomes owner. No file contains a password.
 * Does not prove how a running server treats users, nor the rules themselves
 * (unit/access/users.test.ts).
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { Passwords } from "../../../src/access/passwords.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { productCommand } from "../../support/server/process.ts";

const folder = mkdtempSync(join(tmpdir(), "peneira-user-"));
after(() => rmSync(folder, { recursive: true }));

const ANA = ["--email", "ana@example.com"];
const RUI = ["--email", "rui@example.com"];
const MADE_UP = /^(?:[0-9a-z]{4}-){3}[0-9a-z]{4}\n$/;

function peneira(args: readonly string[], input = "", dataDir = folder) {
  const command = productCommand(["user", ...args, "--data-dir", dataDir]);
  return spawnSync(...command, { encoding: "utf8", input });
}

function json(...args: string[]): Record<string, unknown> {
  const { status, stdout, stderr } = peneira([...args, "--json"]);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** True if a password is the one stored for a user. */
async function fits(email: string, password: string): Promise<boolean> {
  const database = openDatabase(folder);
  try {
    const store = new UserStore(database);
    const stored = store.password(store.named(email)?.id ?? "");
    return (await new Passwords().verify(password, stored)) === "right";
  } finally {
    database.close();
  }
}

describe("peneira user", () => {
  it("creates users, and prints only the password on standard output", async () => {
    const first = peneira(["create", "--email", "Ana@Example.com"]);
    assert.equal(first.status, 0, first.stderr);
    assert.match(first.stdout, MADE_UP);
    const who = "user ana@example.com (owner of tenant default, plan enterprise)";
    const words = `plan enterprise: the default; --plan takes another\n${who}`;
    assert.ok(first.stderr.includes(words), first.stderr);
    assert.ok(!first.stderr.includes(first.stdout.trim()));
    assert.ok(await fits("ana@example.com", first.stdout.trim()));
    const { password, created_at, user_id, ...second } = json("create", ...RUI, "--plan", "scale");
    assert.match(`${password}\n`, MADE_UP);
    assert.match(String(user_id), /^[0-9a-f]{12}$/);
    assert.ok(Date.parse(String(created_at)) > 0);
    assert.deepEqual(second, {
      email: "rui@example.com",
      ...{ tenant: "default", role: "member", state: "active", plan: "scale", last_seen_at: null },
    });
  });

  it("reads a password from standard input, and never prints it", async () => {
    const given = "given canary password";
    const answer = peneira(["passwd", ...RUI, "--password-stdin"], `${given}\n`);
    assert.deepEqual([answer.status, answer.stdout], [0, ""]);
    assert.ok(!answer.stderr.includes(given));
    assert.ok(await fits("rui@example.com", given));
    const shown = peneira(["passwd", ...RUI, "--password-stdin", "--json"], `${given}\r\n`);
    assert.equal(JSON.parse(shown.stdout).password, undefined);
    assert.ok(await fits("rui@example.com", given));
    for (const wrong of ["", "\n", "short\n", "rui@example.com"]) {
      const refused = peneira(["passwd", ...RUI, "--password-stdin"], wrong);
      assert.deepEqual([refused.status, refused.stdout], [2, ""], refused.stderr);
    }
    assert.ok(await fits("rui@example.com", given));
    for (const name of readdirSync(folder)) {
      assert.ok(!readFileSync(join(folder, name), "latin1").includes(given), name);
    }
  });

  it("disables, enables, and promotes them, except for the last owner", () => {
    const last = peneira(["disable", ...ANA]);
    assert.equal(last.status, 1);
    assert.match(last.stderr, /last active owner/);
    assert.equal(json("disable", ...RUI).state, "disabled");
    assert.equal(json("enable", ...RUI).state, "active");
    assert.equal(json("role", ...RUI, "--role", "owner").role, "owner");
    const words = peneira(["disable", ...ANA]);
    assert.deepEqual([words.status, words.stdout], [0, ""]);
    assert.equal(words.stderr, "user ana@example.com is disabled, owner of tenant default.\n");
    assert.equal(peneira(["role", ...RUI, "--role", "member"]).status, 1);
  });

  it("lists them, of all tenants or of one", () => {
    json("create", "--email", "eva@example.com", "--tenant", "acme");
    const users = json("list").users as Record<string, unknown>[];
    assert.deepEqual(
      users.map(({ email, tenant, role, state }) => `${email} ${tenant} ${role} ${state}`),
      [
        "ana@example.com default owner disabled",
        "rui@example.com default owner active",
        "eva@example.com acme owner active",
      ],
    );
    const { stdout } = peneira(["list", "--tenant", "acme"]);
    const lines = stdout.trimEnd().split("\n");
    assert.match(lines[0] ?? "", /^email +tenant +role +state +plan +created_at +last_seen_at$/);
    assert.match(lines[1] ?? "", /^eva@example\.com +acme +owner +active +enterprise +\S+ +never$/);
    assert.equal(lines.length, 2);
  });

  it("reports every mistake in one error, with suggestions", () => {
    const wrong = peneira(["create", ...RUI, "--plan", "gold", "--role", "root"]);
    assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
    for (const part of ["plan must be", "role must be", "has this e-mail already"]) {
      assert.ok(wrong.stderr.includes(part), wrong.stderr);
    }
    assert.doesNotMatch(wrong.stderr, /\n +at /);
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["create", ...RUI], 1, /has this e-mail already/],
      [["create", "--email", "nobody"], 2, /not an e-mail address/],
      [["create"], 2, /--email/],
      [["role", ...RUI], 2, /--role/],
      [["role", ...RUI, "--role", "root"], 2, /owner or member/],
      [["disable", "--email", "riu@example.com"], 1, /did you mean rui@example\.com\?/],
      [["list", "--tenant", "amce"], 1, /no tenant amce; did you mean acme\?/],
    ];
    for (const [args, status, words] of cases) {
      const answer = peneira(args);
      assert.deepEqual([answer.status, answer.stdout], [status, ""], args.join(" "));
      assert.match(answer.stderr, words);
    }
  });

  it("creates a directory only for a new user, and reports it", () => {
    const absent = join(folder, "absent");
    for (const args of [["list"], ["disable", ...RUI], ["passwd", ...RUI]]) {
      const answer = peneira(args, "", absent);
      assert.deepEqual([answer.status, answer.stdout], [1, ""], args.join(" "));
      assert.match(answer.stderr, /^peneira: There is no data directory /);
    }
    assert.equal(existsSync(absent), false);
    const made = peneira(["create", ...RUI], "", absent);
    assert.equal(made.status, 0);
    assert.ok(made.stderr.startsWith(`made a new data directory ${absent}\n`), made.stderr);
  });

  it("leaves one owner if two first users are created concurrently", async () => {
    const run = promisify(execFile);
    const make = (email: string) => {
      const args = ["user", "create", "--email", email, "--tenant", "race", "--json"];
      return run(...productCommand([...args, "--data-dir", folder]));
    };
    const made = await Promise.all(["one@example.com", "two@example.com"].map(make));
    const roles = made.map(({ stdout }) => (JSON.parse(stdout) as { role: string }).role);
    assert.deepEqual(roles.sort(), ["member", "owner"]);
  });
});
