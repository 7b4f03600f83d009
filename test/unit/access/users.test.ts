/**
 * Proves who may sign in, on a real database: how users are created, which of several processes
 * creates the first owner, and the plan of the console. A user with mistakes is rejected with all
 * mistakes in one error. A tenant always keeps one owner who can sign in. Users who are disabled or
 * changed are signed out. Does not prove: routes and the command (e2e/cli/user.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { passwordProblems } from "../../../src/access/passwords.ts";
import type { NewUser } from "../../../src/access/users.ts";
import {
  type ConsoleState,
  openConsole,
  PASSWORD,
  refusalOf,
  START_MS,
} from "../../support/console/state.ts";

const ACME = { name: "acme" };
const HERE = "192.0.2.1";

let directory: string;
let state: ConsoleState;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "peneira-users-"));
  state = openConsole(directory);
});

afterEach(() => {
  state.close();
  rmSync(directory, { recursive: true });
});

/** Creates a user a moment after the previous one, so that their order by time is certain. */
const make = async (email: string, more: Partial<NewUser> = {}) => {
  state.clock.advance(1);
  const input = { email, tenant: ACME, password: PASSWORD, ...more };
  return (await state.users.create(input)).user;
};
const tokenOf = async (email: string) => (await state.sessions.signIn(email, PASSWORD, HERE)).token;
const works = (token: string) => state.sessions.find(token) !== null;
const codesOf = async (work: () => unknown) => {
  const { code, errors } = await refusalOf(work);
  return [code, ...errors.map((one) => `${one.pointer} ${one.code}`).sort()];
};

describe("a new user", () => {
  it("owns its tenant if it is the first, and else is a member unless specified", async () => {
    const first = await make("ana@example.com");
    assert.deepEqual([first.role, first.state, first.tenant], ["owner", "active", "acme"]);
    assert.deepEqual([first.createdAt, first.lastSeenAt], [START_MS + 1, null]);
    assert.equal((await make("bia@example.com")).role, "member");
    assert.equal((await make("caio@example.com", { role: "owner" })).role, "owner");
    assert.equal((await make("dora@example.com", { tenant: { name: "other" } })).role, "owner");
    const made = await make("eva@example.com", { tenant: { id: first.tenantId } });
    assert.deepEqual([made.tenantId, made.role], [first.tenantId, "member"]);
    const emails = state.users.list(first.tenantId).map(({ email }) => email);
    assert.equal(emails.length, 4);
    assert.equal(state.users.list().length, 5);
  });

  it("has its e-mail in lower case, and is found by any spelling of it", async () => {
    const { email, id } = await make("  Ana.Maria@Example.COM ");
    assert.equal(email, "ana.maria@example.com");
    assert.equal(state.users.named("ANA.maria@example.com")?.id, id);
    assert.deepEqual(await codesOf(() => make("ana.MARIA@example.com", { tenant: ACME })), [
      "invalid_request",
      "/email email_taken",
    ]);
    const elsewhere = { tenant: { name: "other" } };
    assert.equal((await codesOf(() => make("ana.maria@example.com", elsewhere))).length, 2);
    assert.equal(state.users.list().length, 1);
    assert.deepEqual(
      state.keyring.tenants().map(({ name }) => name),
      ["acme"],
      "nothing is left of what was refused",
    );
  });

  it("gets and is shown a generated password only if none is given", async () => {
    const made = await state.users.create({ email: "ana@example.com", tenant: ACME });
    assert.ok(made.password !== null);
    assert.deepEqual(passwordProblems(made.password, "ana@example.com"), []);
    await state.sessions.signIn("ana@example.com", made.password, HERE);
    const input = { email: "bia@example.com", tenant: ACME, password: PASSWORD };
    assert.equal((await state.users.create(input)).password, null);
  });

  it("is rejected with every mistake in one error, before any hashing", async () => {
    const input = { email: "ana", tenant: { name: " " }, role: "admin", plan: "gold" };
    assert.deepEqual(await codesOf(() => state.users.create({ ...input, password: "short" })), [
      "invalid_request",
      "/email invalid_email",
      "/password unfit_password",
      "/plan unknown_plan",
      "/role unknown_role",
      "/tenant invalid_name",
    ]);
    assert.deepEqual(state.hashes, []);
    assert.deepEqual(await codesOf(() => make("ana@example.com", { role: "member" })), [
      "invalid_request",
      "/role owner_first",
    ]);
    assert.deepEqual([state.users.list(), state.keyring.tenants()], [[], []]);
  });

  it("is rejected with an invalid e-mail", async () => {
    const wrong = ["", "@", "a@", "@b", "a b@example.com", "a@b@example.com", "a@-example.com"];
    wrong.push("a@example..com", "a@example.com.", `${"x".repeat(65)}@example.com`, "a\n@b.com");
    wrong.push("a\u0000@example.com", "\u202ea@example.com", `a@${"x".repeat(260)}.com`);
    for (const email of wrong) {
      const codes = await codesOf(() => make(email));
      assert.deepEqual(codes, ["invalid_request", "/email invalid_email"], JSON.stringify(email));
    }
    for (const email of ["a@b", "joão@exámple.com", "a.b+c_d'e@sub.example-1.com"]) {
      await make(email);
    }
  });

  it("is the only first one and the only one with its e-mail under races", async () => {
    const other = openConsole(directory);
    try {
      const [one, two] = [state.users, other.users];
      const input = (email: string) => ({ email, tenant: ACME, password: PASSWORD });
      const made = await Promise.all([
        one.create(input("ana@example.com")),
        two.create(input("bia@example.com")),
        one.create(input("caio@example.com")),
      ]);
      const roles = made.map(({ user }) => user.role).sort();
      assert.deepEqual(roles, ["member", "member", "owner"]);
      assert.equal(new Set(made.map(({ user }) => user.tenantId)).size, 1);
      const twins = await Promise.allSettled([
        one.create(input("eva@example.com")),
        two.create(input("eva@example.com")),
      ]);
      const refused = twins.filter((twin) => twin.status === "rejected");
      assert.equal(refused.length, 1);
      assert.deepEqual(await codesOf(() => Promise.reject(refused[0]?.reason)), [
        "invalid_request",
        "/email email_taken",
      ]);
    } finally {
      other.close();
    }
  });
});

describe("the last working owner of a tenant", () => {
  it("cannot be disabled or demoted until there is another", async () => {
    const { users } = state;
    const ana = await make("ana@example.com");
    const bia = await make("bia@example.com");
    await make("foreign@example.com", { tenant: { name: "other" } });
    const stopped = await codesOf(() => users.disable(ana));
    assert.deepEqual(stopped, ["invalid_request", "/state last_owner"]);
    const changed = await codesOf(() => users.setRole(ana, "member"));
    assert.deepEqual(changed, ["invalid_request", "/role last_owner"]);
    users.setRole(ana, "owner");
    users.setRole(bia, "owner");
    users.disable(bia);
    assert.equal((await codesOf(() => users.disable(ana))).length, 2, "the other is stopped");
    users.enable(bia);
    users.setRole(ana, "member");
    assert.equal(users.named(ana.email)?.role, "member");
    users.disable(ana);
    assert.equal((await codesOf(() => users.disable(bia))).length, 2);
    users.enable(ana);
    assert.deepEqual(
      users.list(ana.tenantId).map(({ role, state: now }) => `${role} ${now}`),
      ["member active", "owner active"],
    );
  });

  it("remains if two owners disable each other based on stale reads", async () => {
    const ana = await make("ana@example.com");
    const bia = await make("bia@example.com", { role: "owner" });
    state.users.disable(bia);
    assert.equal((await codesOf(() => state.users.disable(ana))).length, 2);
    assert.equal((await codesOf(() => state.users.setRole(ana, "member"))).length, 2);
  });
});

describe("changes of users", () => {
  it("sign out a disabled, changed, or re-passworded user, and no other", async () => {
    const { users } = state;
    await make("ana@example.com");
    const bia = await make("bia@example.com");
    const owner = await tokenOf("ana@example.com");
    const before = await tokenOf(bia.email);
    users.setRole(bia, "owner");
    assert.equal(works(before), false, "another role");
    const retained = await state.sessions.signIn(bia.email, PASSWORD, HERE);
    const other = await tokenOf(bia.email);
    users.setRole(bia, "member", retained.session.id);
    assert.deepEqual([works(retained.token), works(other)], [true, false]);
    assert.equal(state.sessions.find(retained.token)?.user.role, "member");
    users.setRole(bia, "member");
    assert.equal(works(retained.token), true, "nothing was changed");
    users.disable(bia);
    assert.equal(works(retained.token), false, "stopped");
    users.enable(bia);
    assert.equal(works(retained.token), false, "and it does not come back");
    const last = await tokenOf(bia.email);
    const made = await users.setPassword(bia);
    assert.equal(works(last), false, "another password");
    assert.equal((await refusalOf(() => tokenOf(bia.email))).code, "sign_in_failed");
    await state.sessions.signIn(bia.email, made ?? "", HERE);
    assert.equal(works(owner), true);
  });

  it("reject an unfit password and an unknown role, and change nothing", async () => {
    const ana = await make("ana@example.com");
    const token = await tokenOf(ana.email);
    for (const password of ["short", "ana@example.com", "x".repeat(257)]) {
      const codes = await codesOf(() => state.users.setPassword(ana, password));
      assert.deepEqual(codes, ["invalid_request", "/password unfit_password"]);
    }
    const role = await codesOf(() => state.users.setRole(ana, "root"));
    assert.deepEqual(role, ["invalid_request", "/role unknown_role"]);
    assert.equal(works(token), true);
  });

  it("do not reach users of other tenants, which appear nonexistent", async () => {
    const ana = await make("ana@example.com");
    const foreign = await make("foreign@example.com", { tenant: { name: "other" } });
    assert.equal(state.users.member(ana.tenantId, ana.id).email, ana.email);
    const unknown = await refusalOf(() => state.users.member(ana.tenantId, "000000000000"));
    const other = await refusalOf(() => state.users.member(ana.tenantId, foreign.id));
    assert.deepEqual([other.code, other.message], [unknown.code, unknown.message]);
    assert.equal(other.code, "not_found");
  });
});

describe("the console's plan", () => {
  it("is the one set, else the highest of all keys ever created, else free", async () => {
    const { users, keyring } = state;
    const { tenantId } = await make("ana@example.com");
    const plan = () => users.consolePlan(tenantId);
    assert.equal(plan(), "free");
    keyring.create({ tenant: "acme", plan: "growth", name: "" });
    keyring.create({ tenant: "acme", plan: "starter", name: "" });
    keyring.create({ tenant: "other", plan: "enterprise", name: "" });
    assert.equal(plan(), "growth");
    for (const row of keyring.list()) keyring.disable(row);
    assert.equal(plan(), "growth", "also of keys that were stopped");
    await make("bia@example.com", { plan: "scale" });
    assert.equal(plan(), "scale");
    await make("caio@example.com", { plan: "free" });
    assert.equal(plan(), "free", "also below that of the keys");
    assert.equal(users.consolePlan("nobody"), "free");
  });

  it("is the default plan of tenants if none is set and no key ever existed", async () => {
    const { users, keyring } = state;
    const assume = async (email: string, tenant: string, plan?: string) => {
      const input = { email, tenant: { name: tenant }, password: PASSWORD, plan };
      const made = await users.create({ ...input, planOtherwise: "enterprise" });
      return [made.planAssumed, users.consolePlan(made.user.tenantId)];
    };
    keyring.create({ tenant: "keyed", plan: "growth", name: "" });
    assert.deepEqual(await assume("ana@example.com", "acme"), [true, "enterprise"]);
    assert.deepEqual(await assume("bia@example.com", "acme"), [false, "enterprise"]);
    assert.deepEqual(await assume("caio@example.com", "keyed"), [false, "growth"]);
    assert.deepEqual(await assume("dora@example.com", "told", "starter"), [false, "starter"]);
    assert.deepEqual(await assume("eva@example.com", "told"), [false, "starter"]);
    await make("foreign@example.com", { tenant: { name: "plain" } });
    await make("guest@example.com", { tenant: { name: "plain" } });
    const { tenantId } = users.named("guest@example.com") as { tenantId: string };
    assert.equal(users.consolePlan(tenantId), "free", "nobody else sets one");
  });
});
