/**
 * Proves, on a real database: every change writes its own line of the audit trail, with facts and
 * actor, and no other line. A change that is rejected or has no effect writes no line. If the line
 * cannot be written, the change is undone. Lines are never altered, are kept for the configured
 * time under any clock, and contain no name, e-mail, password, or key. A tenant's users cannot
 * write lines without limit.
 * Does not prove: how commands and routes show lines (cli-audit, console-audit), nor the lines of
 * restores and upgrades (backup, upgrade).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { AuditTrail, CHANGES_PER_DAY_MAX } from "../../../src/access/audittrail.ts";
import { AppError } from "../../../src/errors.ts";
import { DAY_MS } from "../../../src/process/clock.ts";
import {
  AUDIT_ACTION_NAMES,
  AUDIT_ACTIONS,
  type AuditAction,
} from "../../../src/store/auditactions.ts";
import { type AuditRow, AuditStore } from "../../../src/store/auditstore.ts";
import { openDatabase } from "../../../src/store/database.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import {
  type ConsoleState,
  openConsole,
  PASSWORD,
  refusalOf,
  START_MS,
} from "../../support/console/state.ts";
import { contentOf } from "../../support/formats/state-rows.ts";

const ANA = "ana@example.com";
const RUI = "rui@example.com";
const LEO = "leo@example.com";
const HERE = "192.0.2.1";
const ME = "user:00000000abcd" as const;
const END = START_MS + 90 * DAY_MS;

let directory: string;
let state: ConsoleState;
let database: SqliteDatabase;
let store: AuditStore;
/** The token of an invited user, and the id of a removed one. */
let invitation: string;
let gone: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "peneira-audit-"));
  state = openConsole(directory);
  database = openDatabase(directory);
  store = new AuditStore(database);
  await state.users.create({ email: ANA, tenant: { name: "acme" }, password: PASSWORD });
  await state.users.create({ email: RUI, tenant: { name: "acme" }, password: PASSWORD });
  state.keyring.create({ tenant: "acme", plan: "growth", name: "crm" });
});

afterEach(() => {
  database.close();
  state.close();
  rmSync(directory, { recursive: true });
});

const key = () => state.keyring.list()[0] ?? assert.fail();
const user = (email: string) => state.users.named(email) ?? assert.fail();
const acme = () => user(ANA).tenantId;
const lines = () => store.list({ limit: 10_000 });
const time = (ms: number) => new Date(ms).toISOString();

/** A change, and the lines (action, subject, and facts) that it must write, in order. */
interface Case {
  readonly change: () => unknown;
  readonly lines: () => readonly (readonly [AuditAction, string | undefined, object])[];
  /** Returns the expected actor of a change that only users themselves can make. */
  readonly by?: () => string;
}

const byMe = () => state.keyring.by(ME);
const newest = () => state.keyring.list().at(-1)?.id;
const tenantOf = (name: string) => state.keyring.tenant(name).id;

/** Actions that need a case here. The others are covered by other suites. */
type CaseName = Exclude<AuditAction, `state.${string}` | `webhook.${string}` | `email.${string}`>;

const CASES: Readonly<Record<CaseName, Case>> = {
  "tenant.create": {
    change: () => byMe().createTenant("umbrella"),
    lines: () => [["tenant.create", tenantOf("umbrella"), {}]],
  },
  "tenant.rename": {
    change: () => byMe().renameTenant("acme", "Acme Ltda"),
    lines: () => [["tenant.rename", acme(), {}]],
  },
  "tenant.disable": {
    change: () => byMe().setTenantDisabled("acme", true),
    lines: () => [["tenant.disable", acme(), {}]],
  },
  "tenant.enable": {
    change: () => byMe().setTenantDisabled("stopped", false),
    lines: () => [["tenant.enable", tenantOf("stopped"), {}]],
  },
  "tenant.plan": {
    change: () =>
      state.users.by(ME).create({
        ...{
          email: "eva@example.com",
          tenant: { name: "acme" },
          plan: "scale",
          password: PASSWORD,
        },
      }),
    lines: () => [
      ["user.create", user("eva@example.com").id, { role: "member" }],
      ["tenant.plan", acme(), { plan: { from: null, to: "scale" } }],
    ],
  },
  "key.create": {
    change: () =>
      byMe().create({ tenant: "new", plan: "free", name: "secret project", expiresAt: END }),
    lines: () => [
      ["tenant.create", tenantOf("new"), {}],
      ["key.create", newest(), { plan: "free", expires_at: time(END) }],
    ],
  },
  "key.rename": {
    change: () => byMe().rename(key(), "billing"),
    lines: () => [["key.rename", key().id, {}]],
  },
  "key.plan": {
    change: () => byMe().setTenantPlan("acme", "scale"),
    lines: () => [
      ["tenant.plan", acme(), { plan: { from: null, to: "scale" } }],
      ["key.plan", key().id, { plan: { from: "growth", to: "scale" } }],
    ],
  },
  "key.disable": {
    change: () => byMe().disable(key()),
    lines: () => [["key.disable", key().id, {}]],
  },
  "key.enable": {
    change: () => byMe().enable(state.keyring.pick({ name: "off" })),
    lines: () => [["key.enable", state.keyring.pick({ name: "off" }).id, {}]],
  },
  "key.expire": {
    change: () => byMe().expire(key(), END),
    lines: () => [["key.expire", key().id, { expires_at: { from: null, to: time(END) } }]],
  },
  "key.rotate": {
    change: () => byMe().rotate(key(), 60_000),
    lines: () => {
      const change = { from: null, to: time(state.clock.nowMs() + 60_000) };
      return [
        ["key.create", newest(), { plan: "growth", expires_at: null }],
        ["key.rotate", key().id, { replaced_by: newest(), expires_at: change }],
      ];
    },
  },
  "user.create": {
    change: () => state.users.by(ME).create({ email: "leo@example.com", tenant: { id: acme() } }),
    lines: () => [["user.create", user("leo@example.com").id, { role: "member" }]],
  },
  "user.invite": {
    change: () => state.users.by(ME).invite({ email: LEO, tenantId: acme(), role: "owner" }),
    lines: () => [
      [
        "user.invite",
        user(LEO).id,
        { role: "owner", expires_at: time(user(LEO).invitedUntil ?? 0) },
      ],
    ],
  },
  "user.uninvite": {
    change: () => {
      gone = user("new@example.com").id;
      state.users.by(ME).uninvite(user("new@example.com"));
    },
    lines: () => [["user.uninvite", gone, {}]],
  },
  "user.join": {
    change: () => state.sessions.join(invitation, { password: PASSWORD, kept: false }, HERE),
    lines: () => [["user.join", user("new@example.com").id, {}]],
    by: () => `user:${user("new@example.com").id}`,
  },
  "user.role": {
    change: () => state.users.by(ME).setRole(user(RUI), "owner"),
    lines: () => [["user.role", user(RUI).id, { role: { from: "member", to: "owner" } }]],
  },
  "user.disable": {
    change: () => state.users.by(ME).disable(user(RUI)),
    lines: () => [["user.disable", user(RUI).id, {}]],
  },
  "user.enable": {
    change: () => state.users.by(ME).enable(user("off@example.com")),
    lines: () => [["user.enable", user("off@example.com").id, {}]],
  },
  "user.password": {
    change: () => state.users.by(ME).setPassword(user(RUI), "another good password"),
    lines: () => [["user.password", user(RUI).id, {}]],
  },
  "user.sessions": {
    change: () => state.sessions.endAll(user(RUI).id),
    lines: () => [["user.sessions", user(RUI).id, {}]],
    by: () => `user:${user(RUI).id}`,
  },
};

/** Creates objects that some cases need, before any check. */
async function prepare(): Promise<void> {
  state.clock.advance(1);
  state.keyring.createTenant("stopped");
  state.keyring.setTenantDisabled("stopped", true);
  state.keyring.create({ tenant: "stopped", plan: "free", name: "off" });
  state.keyring.disable(state.keyring.pick({ name: "off" }));
  await state.users.create({ email: "off@example.com", tenant: { name: "acme" } });
  state.users.disable(user("off@example.com"));
  const input = { email: "new@example.com", tenantId: acme(), role: "member" } as const;
  invitation = state.users.invite(input).token;
  await state.sessions.signIn(RUI, PASSWORD, HERE);
  state.clock.advance(1);
}

describe("every audited action", () => {
  for (const [action, { change, lines: wanted, by = () => ME }] of Object.entries(CASES)) {
    it(`${action} logs its lines with the actor, and nothing else`, async () => {
      await prepare();
      const before = lines();
      await change();
      const found = lines().slice(0, -before.length).reverse();
      const shown = found.map((row) => [row.action, row.subject, row.facts]);
      assert.deepEqual(shown, wanted());
      assert.ok(shown.some(([one]) => one === action));
      for (const row of found) {
        assert.deepEqual([row.actor, row.at], [by(), state.clock.nowMs()]);
        assert.equal(row.tenantId, tenantOf(row.tenant ?? ""));
        const facts = Object.keys(AUDIT_ACTIONS[row.action].facts);
        assert.deepEqual(Object.keys(row.facts), facts);
      }
    });

    it(`${action} changes nothing if its line cannot be written`, async () => {
      await prepare();
      database.exec(
        "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no line'); END",
      );
      const before = contentOf(database);
      await assert.rejects(async () => change(), /no line/);
      assert.deepEqual(contentOf(database), before);
    });
  }

  it("has a case here, belongs to a receiver, or applies to the whole state", () => {
    const others = AUDIT_ACTION_NAMES.filter((name) => {
      return !Object.hasOwn(CASES, name) && !/^(webhook|email)\./.test(name);
    });
    assert.deepEqual(others, ["state.restore", "state.upgrade"]);
  });

  it("records the command line as its source, and users for their own passwords", async () => {
    assert.ok(lines().every(({ actor }) => actor === "command"));
    const { session } = await state.sessions.signIn(RUI, PASSWORD, HERE);
    const input = { current: PASSWORD, next: "staple battery horse" };
    await state.sessions.changePassword(session, input, HERE);
    const [line] = lines();
    const { id } = user(RUI);
    assert.deepEqual(
      [line?.action, line?.actor, line?.subject],
      ["user.password", `user:${id}`, id],
    );
  });
});

describe("no audit line", () => {
  it("is written by an action that changes nothing", async () => {
    await prepare();
    const before = contentOf(database);
    const { keyring, users } = state;
    keyring.disable(keyring.pick({ name: "off" }));
    keyring.enable(key());
    keyring.expire(key(), null);
    keyring.rename(key(), "crm");
    keyring.renameTenant("acme", "acme");
    keyring.setTenantDisabled("acme", false);
    keyring.setTenantDisabled("stopped", true);
    users.disable(user("off@example.com"));
    users.enable(user(RUI));
    users.setRole(user(RUI), "member");
    assert.equal(keyring.createFirst({ tenant: "acme", plan: "free", name: "" }), null);
    assert.deepEqual(contentOf(database), before);
  });

  it("is written by a rejected action", async () => {
    const before = lines();
    const { keyring, users } = state;
    const input = { email: RUI, tenant: { name: "elsewhere" }, password: PASSWORD };
    const refused: (() => unknown)[] = [
      () => users.create(input),
      () => users.disable(user(ANA)),
      () => users.setRole(user(ANA), "member"),
      () => users.setPassword(user(ANA), "short"),
      () => keyring.create({ tenant: " ", plan: "gold", name: "" }),
      () => keyring.createTenant("acme"),
      () => keyring.rename(key(), "\n"),
    ];
    for (const change of refused) await assert.rejects(async () => change());
    assert.deepEqual(lines(), before);
  });

  it("contains a name, an e-mail, a password, or a key", async () => {
    await prepare();
    const made = state.keyring.create({ tenant: "umbrella", plan: "free", name: "secret project" });
    state.keyring.renameTenant("umbrella", "Umbrella SA");
    const { password } = await state.users.create({
      email: "z@example.com",
      tenant: { id: acme() },
    });
    const secret = made.key.slice(17);
    const rows = JSON.stringify(contentOf(database).audit);
    for (const text of [secret, password, PASSWORD, "example.com", "mbrella", "acme", "secret"]) {
      assert.ok(!rows.includes(text ?? ""), text ?? "");
    }
  });
});

describe("an audit line", () => {
  it("cannot be altered by any statement", () => {
    assert.throws(() => database.exec("UPDATE audit SET actor = 'command'"), /never changed/);
    assert.throws(() => database.exec("UPDATE audit SET at = 0 WHERE sequence = 1"), /never/);
  });

  it("is found by tenant, action, time, and position", () => {
    state.clock.advance(DAY_MS);
    state.keyring.create({ tenant: "other", plan: "free", name: "" });
    const only = (input: Partial<Parameters<AuditStore["list"]>[0]>): AuditRow[] =>
      store.list({ limit: 100, ...input });
    assert.ok(only({ tenantId: acme() }).every(({ tenant }) => tenant === "acme"));
    assert.deepEqual(
      only({ action: "key.create" }).map(({ tenant }) => tenant),
      ["other", "acme"],
    );
    assert.equal(only({ since: START_MS + DAY_MS }).length, 2);
    const [, second] = only({});
    assert.deepEqual(only({ before: second?.sequence }), only({}).slice(2));
    assert.equal(only({ tenantId: acme(), action: "user.create", limit: 1 }).length, 1);
  });

  it("is kept for the retention period and then removed, the oldest first", () => {
    const { clock } = state;
    const trail = new AuditTrail(store, clock, (10 * DAY_MS) / 1000);
    const old = lines().length;
    clock.advance(6 * DAY_MS);
    state.keyring.disable(key());
    clock.advance(4 * DAY_MS);
    state.keyring.enable(key());
    trail.sweep();
    assert.equal(lines().length, old + 2, "ten days are not over");
    clock.advance(DAY_MS - 1);
    state.keyring.disable(key());
    trail.sweep();
    assert.equal(lines().length, old + 3, "one look a day is enough");
    clock.advance(1);
    trail.sweep();
    assert.deepEqual(
      lines().map(({ action }) => action),
      ["key.disable", "key.enable", "key.disable"],
    );
    const sequences = lines().map(({ sequence }) => sequence);
    assert.deepEqual(sequences, [old + 3, old + 2, old + 1], "none is given twice");
  });

  it("is not lost if the clock jumps ahead", () => {
    const before = lines();
    state.clock.advance(4_000 * DAY_MS);
    new AuditTrail(store, state.clock, (10 * DAY_MS) / 1000).sweep();
    assert.deepEqual(lines(), before);
  });
});

describe("a tenant", () => {
  it("is limited in changes per day; commands are not", async () => {
    const trail = new AuditTrail(store, state.clock, 1);
    const tenantId = acme();
    const change = { actor: ME, action: "key.rename", tenantId, subject: key().id } as const;
    database
      .transaction(() => {
        for (let n = 1; n < CHANGES_PER_DAY_MAX; n++) {
          const at = state.clock.nowMs() + n;
          store.record({ ...change, at, facts: {} });
        }
      })
      .immediate();
    state.clock.advance(60_000);
    trail.refuseTooMany(tenantId, "user:");
    byMe().rename(key(), "the last one");
    const refusal = await refusalOf(() => trail.refuseTooMany(tenantId, "user:"));
    assert.ok(refusal instanceof AppError);
    assert.equal(refusal.code, "rate_limited");
    assert.deepEqual(refusal.headers, { "Retry-After": String(DAY_MS / 1000 - 59) });
    trail.refuseTooMany(tenantOf("acme").replace(/./g, "0"), "user:");
    trail.refuseTooMany(tenantId, "key:");
    trail.refuseTooMany(tenantId, "server");
    state.keyring.rename(key(), "by the operator");
    state.clock.advance(DAY_MS - 59_000);
    trail.refuseTooMany(tenantId, "user:");
  });
});
