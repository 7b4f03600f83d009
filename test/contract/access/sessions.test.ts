/**
 * Proves when sessions begin and end, on a real database with a manual clock. A session ends by
 * idleness, age, a changed password, a command, or another process. All failed sign-ins get the
 * same answer and compute the same number of hashes. Does not prove: that tokens cannot be forged
 * (contract/access/tokens.test.ts), nor anything about cookies and HTTP.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  type ConsoleState,
  openConsole,
  PASSWORD,
  refusalOf,
  START_MS,
  TIMES,
} from "../../support/console/state.ts";

const EMAIL = "ana@example.com";
const HERE = "192.0.2.1";
const NEXT = "staple battery horse";

let directory: string;
let state: ConsoleState;
/** Additional instances over the same directory, as other processes would open them. */
let others: ConsoleState[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "peneira-sessions-"));
  state = openConsole(directory);
  await state.users.create({ email: EMAIL, tenant: { name: "acme" }, password: PASSWORD });
  state.hashes.length = 0;
});

afterEach(() => {
  for (const one of [state, ...others]) one.close();
  others = [];
  rmSync(directory, { recursive: true });
});

const signIn = (password = PASSWORD, email = EMAIL) => {
  return state.sessions.signIn(email, password, HERE);
};
const find = (token: string) => state.sessions.find(token);
const works = (token: string) => find(token) !== null;
const ana = () => state.users.named(EMAIL) ?? assert.fail();

/** Opens the directory as another process would. */
function another(cost = 2): ConsoleState {
  const one = openConsole(directory, state.clock, cost);
  others.push(one);
  return one;
}

describe("signing in", () => {
  it("returns a token that identifies the user, for any spelling of the e-mail", async () => {
    const { token, session } = await signIn(PASSWORD, ` ${EMAIL.toUpperCase()} `);
    assert.match(token, /^[A-Za-z0-9_-]{43}$/);
    const { id, tenantId } = ana();
    const user = { id, email: EMAIL, role: "owner", tenantId, tenant: "acme", plan: "free" };
    assert.deepEqual(session.user, user);
    assert.equal(session.expiresAt, START_MS + TIMES.maxSeconds * 1000);
    assert.equal(session.idleSeconds, TIMES.idleSeconds);
    assert.deepEqual(find(token), session);
    assert.equal(ana().lastSeenAt, START_MS);
  });

  it("returns a new token, id, and CSRF token each time, and ends no other session", async () => {
    const all = [await signIn(), await signIn(), await signIn()];
    assert.equal(new Set(all.map(({ token }) => token)).size, 3);
    assert.equal(new Set(all.map(({ session }) => session.id)).size, 3);
    assert.equal(new Set(all.map(({ session }) => session.csrfToken)).size, 3);
    for (const { token } of all) assert.ok(works(token));
  });

  it("fails with the same answer and the same work for every reason", async () => {
    const { users, keyring } = state;
    const made = { tenant: { name: "acme" }, password: PASSWORD };
    const { user: bia } = await users.create({ ...made, email: "bia@example.com" });
    const stopped = { tenant: { name: "stopped" }, password: PASSWORD };
    await users.create({ ...stopped, email: "caio@example.com" });
    users.disable(bia);
    keyring.setTenantDisabled("stopped", true);
    const answers = [];
    for (const [email, password] of [
      [EMAIL, "wrong password here"],
      [EMAIL, ""],
      [EMAIL, "x".repeat(100_000)],
      ["nobody@example.com", PASSWORD],
      ["no e-mail at all", PASSWORD],
      ["", ""],
      ["bia@example.com", PASSWORD],
      ["caio@example.com", PASSWORD],
    ] as const) {
      state.hashes.length = 0;
      const { code, message, status, errors, members, headers } = await refusalOf(() =>
        signIn(password, email),
      );
      answers.push({
        code,
        message,
        status,
        errors,
        members,
        headers,
        hashes: state.hashes.length,
      });
    }
    assert.deepEqual([answers[0]?.code, answers[0]?.status], ["sign_in_failed", 401]);
    assert.equal(answers[0]?.hashes, 1);
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.deepEqual(state.sessions.list(bia.id), []);
  });

  it("is throttled equally for existing and unknown users, without hashing", async () => {
    const refusals = [];
    for (const email of [EMAIL, "nobody@example.com"]) {
      for (let at = 0; at < 4; at++) await refusalOf(() => signIn("wrong password here", email));
      state.hashes.length = 0;
      const { code, message, headers } = await refusalOf(() => signIn(PASSWORD, email));
      refusals.push({ code, message, headers, hashes: state.hashes.length });
    }
    assert.deepEqual(refusals[0], refusals[1]);
    assert.equal(refusals[0]?.code, "rate_limited");
    assert.equal(refusals[0]?.hashes, 0);
    await state.sessions.signIn(EMAIL, PASSWORD, "198.51.100.1");
    state.clock.advance(1_000);
    await signIn();
  });

  it("counts no failure if the password could not be checked", async () => {
    state.before.hash = () => assert.fail("no memory");
    for (let at = 0; at < 20; at++) await assert.rejects(signIn(), /no memory/);
    state.before.hash = () => {};
    await signIn();
  });

  it("fails if the password, user, or tenant changed during the check", async () => {
    const changes = [
      () =>
        state.store.setPassword(ana().id, { hash: Buffer.alloc(32), salt, cost: "scrypt:2:1:1" }),
      () => state.store.setDisabled(ana().id, 1),
      () => state.keyring.setTenantDisabled("acme", true),
    ];
    const salt = Buffer.alloc(16);
    const password = state.store.password(ana().id) ?? assert.fail();
    for (const change of changes) {
      state.before.hash = change;
      assert.equal((await refusalOf(() => signIn())).code, "sign_in_failed");
      assert.deepEqual(state.sessions.list(ana().id), []);
      state.before.hash = () => {};
      state.store.setPassword(ana().id, password);
      state.users.enable(ana());
      state.keyring.setTenantDisabled("acme", false);
      await signIn();
      state.sessions.endAll(ana().id);
    }
  });

  it("rehashes a password whose hash is cheaper than the current cost", async () => {
    const later = another(8);
    const before = state.store.password(ana().id);
    await later.sessions.signIn(EMAIL, PASSWORD, HERE);
    const after = state.store.password(ana().id);
    assert.deepEqual([before?.cost, after?.cost], ["scrypt:2:1:1", "scrypt:8:1:1"]);
    assert.deepEqual(later.hashes, ["2", "8"]);
    await later.sessions.signIn(EMAIL, PASSWORD, HERE);
    assert.deepEqual(later.hashes, ["2", "8", "8"]);
  });

  it("ends the least recently used session if a user has fifty", async () => {
    const tokens: string[] = [];
    for (let at = 0; at < 50; at++) {
      tokens.push((await signIn()).token);
      state.clock.advance(1_000);
    }
    assert.ok(works(tokens[0] as string));
    state.sessions.flush();
    tokens.push((await signIn()).token);
    assert.deepEqual(tokens.map(works), [true, false, ...Array(49).fill(true)]);
  });
});

describe("a session", () => {
  it("expires after the idle timeout, and not before", async () => {
    const { token } = await signIn();
    for (let at = 0; at < 10; at++) {
      state.clock.advance(TIMES.idleSeconds * 1000 - 1);
      assert.ok(works(token), String(at));
      if (at === 5) state.sessions.flush();
    }
    state.clock.advance(TIMES.idleSeconds * 1000);
    assert.equal(works(token), false);
    state.clock.advance(1);
    assert.equal(works(token), false, "asking again does not bring it back");
    assert.deepEqual(state.sessions.list(ana().id), []);
  });

  it("expires after its maximum lifetime, regardless of use", async () => {
    const { token } = await signIn();
    const stepMs = 600_000;
    for (let at = stepMs; at < TIMES.maxSeconds * 1000; at += stepMs) {
      state.clock.advance(stepMs);
      assert.ok(works(token));
      if (at % (6 * stepMs) === 0) state.sessions.flush();
    }
    state.clock.advance(stepMs - 1);
    assert.ok(works(token));
    state.clock.advance(1);
    assert.equal(works(token), false);
  });

  it("of a user who stays signed in survives idle time, restarts, and a new password", async () => {
    const { token, session } = await state.sessions.signIn(EMAIL, PASSWORD, HERE, true);
    const other = (await signIn()).token;
    assert.deepEqual([session.kept, session.idleSeconds], [true, TIMES.keptSeconds]);
    state.clock.advance(TIMES.keptSeconds * 1000 - 1);
    state.sessions.flush();
    assert.deepEqual(another().sessions.find(token), session);
    assert.equal(works(other), false);
    const change = { current: PASSWORD, next: `${PASSWORD} too` };
    const next = await state.sessions.changePassword(session, change, HERE);
    assert.equal(works(token), false);
    assert.equal(next.session.kept, true);
    state.clock.advance(TIMES.keptSeconds * 1000 - 1);
    assert.ok(works(next.token));
    state.clock.advance(1);
    assert.equal(works(next.token), false);
    state.sessions.flush();
    assert.deepEqual(state.sessions.list(ana().id), []);
  });

  it("is an ordinary session if staying signed in is disabled", async () => {
    const strict = openConsole(directory, state.clock, 2, { ...TIMES, keptSeconds: 0 });
    others.push(strict);
    const { session } = await strict.sessions.signIn(EMAIL, PASSWORD, HERE, true);
    assert.deepEqual([session.kept, session.idleSeconds], [false, TIMES.idleSeconds]);
    const { token } = await state.sessions.signIn(EMAIL, PASSWORD, HERE, true);
    assert.notEqual(strict.sessions.find(token), null);
    state.clock.advance(TIMES.idleSeconds * 1000);
    assert.equal(strict.sessions.find(token), null, "it was kept before that");
  });

  it("survives a restart, with its last-use time", async () => {
    const { token, session } = await signIn();
    state.clock.advance(TIMES.idleSeconds * 1000 - 1);
    assert.ok(works(token));
    state.sessions.flush();
    const next = another();
    state.clock.advance(TIMES.idleSeconds * 1000 - 1);
    assert.deepEqual(next.sessions.find(token), session);
    assert.equal(next.sessions.find(token)?.csrfToken, session.csrfToken);
  });

  it("ends permanently when its user signs out, alone or everywhere", async () => {
    const [one, two, three] = [await signIn(), await signIn(), await signIn()];
    state.sessions.end(one.session);
    assert.deepEqual(
      [one, two, three].map(({ token }) => works(token)),
      [false, true, true],
    );
    state.sessions.flush();
    assert.equal(works(one.token), false);
    state.sessions.endAll(ana().id);
    assert.deepEqual(
      [one, two, three].map(({ token }) => works(token)),
      [false, false, false],
    );
    assert.equal(another().sessions.find(two.token), null);
  });

  it("is listed with its last-use time, newest first", async () => {
    const one = await signIn();
    state.clock.advance(1_000);
    const two = await signIn();
    state.clock.advance(1_000);
    assert.ok(works(one.token));
    const lines = state.sessions.list(ana().id);
    assert.deepEqual(
      lines.map(({ id, createdAt, seenAt }) => [id, createdAt - START_MS, seenAt - START_MS]),
      [
        [two.session.id, 1_000, 1_000],
        [one.session.id, 0, 2_000],
      ],
    );
  });

  it("ends within 200 ms if another process ends it, its tenant, or its password", async () => {
    const other = another();
    const changes: readonly (readonly [() => unknown, () => unknown])[] = [
      [
        () => other.keyring.setTenantDisabled("acme", true),
        () => {
          other.keyring.setTenantDisabled("acme", false);
        },
      ],
      [() => other.users.setPassword(ana(), PASSWORD), () => {}],
      [() => other.sessions.endAll(ana().id), () => {}],
    ];
    for (const [change, undo] of changes) {
      const { token } = await signIn();
      assert.ok(works(token));
      await change();
      state.clock.advance(200);
      assert.equal(works(token), false, String(change));
      await undo();
      state.clock.advance(200);
      assert.equal(works(token), false, "an ended session stays so");
    }
    await other.users.create({ email: "bia@example.com", tenant: { name: "acme" }, role: "owner" });
    const { token } = await signIn();
    other.users.setRole(other.users.named("bia@example.com") ?? assert.fail(), "member");
    await other.users.create({ email: "eva@example.com", tenant: { name: "acme" }, plan: "scale" });
    await signIn();
    state.clock.advance(200);
    assert.equal(find(token)?.user.plan, "scale", "and what else changed counts as well");
  });

  it("is swept after its end, and with its user or tenant", async () => {
    const rows = () => state.store.sessionsOf(ana().id).length;
    await signIn();
    state.clock.advance(TIMES.idleSeconds * 1000 - 1);
    state.sessions.flush();
    assert.equal(rows(), 1);
    state.clock.advance(1);
    state.sessions.flush();
    assert.equal(rows(), 0);
    const { token } = await signIn();
    state.keyring.setTenantDisabled("acme", true);
    state.sessions.flush();
    assert.equal(rows(), 0);
    state.keyring.setTenantDisabled("acme", false);
    assert.equal(works(token), false, "it does not come back with its tenant");
  });
});

describe("a password change", () => {
  const change = async (token: string, current: string, next: string) => {
    const session = find(token) ?? assert.fail();
    return state.sessions.changePassword(session, { current, next }, HERE);
  };

  it("ends every session and opens a new one with another id and token", async () => {
    const [one, other] = [await signIn(), await signIn()];
    const fresh = await change(one.token, PASSWORD, NEXT);
    assert.deepEqual([one.token, other.token, fresh.token].map(works), [false, false, true]);
    assert.notEqual(fresh.session.id, one.session.id);
    assert.notEqual(fresh.session.csrfToken, one.session.csrfToken);
    assert.equal((await refusalOf(() => signIn())).code, "sign_in_failed");
    await signIn(NEXT);
  });

  it("is rejected with the reason, and ends no session", async () => {
    const { token } = await signIn();
    const errorsOf = async (current: string, next: string) => {
      const { code, errors } = await refusalOf(() => change(token, current, next));
      return [code, ...errors.map((one) => `${one.pointer} ${one.code}`)];
    };
    const unfit = "/new_password unfit_password";
    assert.deepEqual(await errorsOf(PASSWORD, "short"), ["invalid_request", unfit]);
    assert.deepEqual(await errorsOf("short", "short"), [
      ...["invalid_request", unfit],
      "/new_password unchanged_password",
    ]);
    assert.deepEqual(state.hashes.length, 1, "nothing was hashed for that");
    assert.deepEqual(await errorsOf("wrong password here", NEXT), [
      "invalid_request",
      "/current_password wrong_password",
    ]);
    assert.ok(works(token));
    await signIn();
  });

  it("is rate-limited like signing in", async () => {
    const { token } = await signIn();
    const codes: string[] = [];
    for (let at = 0; at < 6; at++) {
      codes.push((await refusalOf(() => change(token, `wrong password ${at}`, NEXT))).code);
    }
    assert.deepEqual(codes, [...Array(4).fill("invalid_request"), "rate_limited", "rate_limited"]);
    assert.equal((await refusalOf(() => signIn())).code, "rate_limited");
  });

  it("succeeds once if two run at the same time", async () => {
    const [one, two] = [await signIn(), await signIn()];
    const both = await Promise.allSettled([
      change(one.token, PASSWORD, NEXT),
      change(two.token, PASSWORD, `${NEXT} again`),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assert.equal(state.sessions.list(ana().id).length, 1);
  });
});
