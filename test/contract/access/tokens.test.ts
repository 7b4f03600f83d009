/**
 * Proves that session tokens and CSRF tokens cannot be forged, with a hundred thousand mutations of
 * each. Also proves which reads and writes reach the database and when, on a manual clock, and that
 * no file has a password or token. Does not prove: when sessions begin and end
 * (contract/access/sessions.test.ts), nor anything about cookies and HTTP.
 */
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { refuseWithoutToken } from "../../../src/http/server/session-auth.ts";
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

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "peneira-tokens-"));
  state = openConsole(directory);
  await state.users.create({ email: EMAIL, tenant: { name: "acme" }, password: PASSWORD });
});

afterEach(() => {
  state.close();
  rmSync(directory, { recursive: true });
});

const signIn = (password = PASSWORD) => state.sessions.signIn(EMAIL, password, HERE);
const works = (token: string) => state.sessions.find(token) !== null;
const ana = () => state.users.named(EMAIL) ?? assert.fail();

describe("forged tokens", () => {
  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  /** Returns the text with a character replaced, dropped, or inserted, or with its end cut off. */
  function mutated(text: string): string {
    for (;;) {
      const at = randomInt(text.length);
      const character = ALPHABET[randomInt(64)] as string;
      const [head, tail] = [text.slice(0, at), text.slice(at + 1)];
      const kinds = [head + character + tail, head + tail, head + character + text.slice(at), head];
      const made = kinds[randomInt(10) < 7 ? 0 : randomInt(4)] as string;
      if (made !== text) return made;
    }
  }

  it("are never accepted as sessions, nor are ids, hashes, and other texts", async () => {
    const { token, session } = await signIn();
    for (let at = 0; at < 100_000; at++) {
      const forged = mutated(token);
      if (state.sessions.find(forged) !== null) assert.fail(forged);
    }
    // A Base64 decoder ignores the last two bits of the token's last character, so up to four last
    // characters decode to the same bytes. Only the original one is accepted.
    for (const last of ALPHABET)
      assert.equal(works(token.slice(0, -1) + last), token.endsWith(last));
    const row = state.store.sessionsOf(ana().id)[0] ?? assert.fail();
    const texts = ["", " ", session.id, session.csrfToken, `${token}=`, ` ${token}`, `${token}\n`];
    for (const text of [...texts, row.hash.toString("base64url"), row.hash.toString("hex")]) {
      assert.equal(works(text), false, text);
    }
    assert.ok(works(token));
  });

  it("are never accepted against CSRF, nor is the token of another session", async () => {
    const [{ session }, other] = [await signIn(), await signIn()];
    const taken = (sent: string | undefined) => {
      try {
        refuseWithoutToken({ header: () => sent }, session);
        return true;
      } catch {
        return false;
      }
    };
    for (let at = 0; at < 100_000; at++) {
      const forged = mutated(session.csrfToken);
      if (taken(forged)) assert.fail(forged);
    }
    assert.ok(taken(session.csrfToken));
    for (const sent of [
      undefined,
      "",
      other.session.csrfToken,
      session.id,
      `${session.csrfToken}=`,
    ]) {
      assert.equal(taken(sent), false, sent);
    }
  });

  it("never become a session if set before signing in", async () => {
    const fixed = "A".repeat(43);
    assert.equal(works(fixed), false);
    const { token } = await signIn();
    assert.notEqual(token, fixed);
    assert.equal(works(fixed), false);
  });
});

describe("the database", () => {
  it("is read once for a session while nothing changes, and written outside requests", async () => {
    const { token } = await signIn();
    const before = state.store.reads;
    for (let at = 0; at < 1_000; at++) {
      assert.ok(works(token));
      state.clock.advance(10);
    }
    assert.ok(state.store.reads - before <= 2, String(state.store.reads - before));
    assert.equal(state.store.writes, 0);
    const seenMs = state.clock.nowMs() - 10;
    state.sessions.flush();
    assert.equal(state.store.writes, 1);
    assert.equal(ana().lastSeenAt, seenMs);
    state.sessions.flush();
    assert.equal(state.store.writes, 1, "nothing is written where nobody asked");
  });

  it("takes over the last-use time without a gap", async () => {
    const { token } = await signIn();
    state.clock.advance(TIMES.idleSeconds * 1000 - 1);
    assert.ok(works(token));
    state.sessions.flush();
    state.clock.advance(100);
    assert.ok(works(token));
  });

  it("loses no last-use time if it is busy", async () => {
    const { token } = await signIn();
    state.clock.advance(1_000_000);
    assert.ok(works(token));
    const { noteSeen } = state.store;
    state.store.noteSeen = () => assert.fail("busy");
    assert.throws(() => state.sessions.flush(), /busy/);
    state.store.noteSeen = noteSeen;
    state.sessions.flush();
    assert.equal(ana().lastSeenAt, START_MS + 1_000_000);
  });

  it("contains neither passwords nor tokens, like every other file", async () => {
    const secrets = [PASSWORD, NEXT];
    const { token, session } = await signIn();
    const fresh = await state.sessions.changePassword(
      session,
      { current: PASSWORD, next: NEXT },
      HERE,
    );
    const made = await state.users.create({ email: "bia@example.com", tenant: { name: "acme" } });
    await refusalOf(() => signIn("mistyped canary password"));
    secrets.push(token, fresh.token, session.csrfToken, fresh.session.csrfToken);
    secrets.push(made.password ?? assert.fail(), "mistyped canary password");
    assert.ok(works(fresh.token));
    state.sessions.flush();
    const bytes = () =>
      readdirSync(directory).map((name) => readFileSync(join(directory, name), "latin1"));
    assert.ok(
      bytes().some((text) => text.includes(EMAIL)),
      "what is looked for can be found",
    );
    for (const text of bytes()) {
      for (const secret of secrets) {
        assert.ok(!text.includes(secret));
        const raw = Buffer.from(secret, "base64url").toString("latin1");
        assert.ok(raw.length < 20 || !text.includes(raw));
      }
    }
  });
});
