/**
 * Proves, on both transports: an invited user chooses the first password through a link. The link
 * works once within a week, unless it is replaced or withdrawn. Before that, no password works for
 * the user, and the user does not count as an owner. The log has no token, and a client that
 * guesses is delayed.
 * Does not prove what the state stores (stored-invitation.test.ts), who may invite (roles.test.ts),
 * nor how the page uses the link (e2e/console/invitation.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { InvitedMember, MemberList } from "../../../src/console/web/app/memberanswers.ts";
import { DAY_MS, manualClock } from "../../../src/process/clock.ts";
import { type ConsoleServer, type Person, startConsole } from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const BASE = "/v1/console";
const CHOSEN = "nine lamps on a river";

for (const transport of MATRIX) {
  describe(`invitations over ${transport}`, () => {
    const clock = manualClock(Date.parse("2026-11-25T12:00:00Z"));
    const tokens: string[] = [];
    let server: ConsoleServer;
    let owner: Person;
    before(async () => {
      server = await startConsole(transport, { parts: { clock } });
      owner = await server.person("acme", "owner");
    });
    after(() => server.close());

    const post = (path: string, body: unknown, headers = {}) =>
      server.send({ method: "POST", path: BASE + path, headers, body });
    const byOwner = (path: string, body: unknown = {}) => post(path, body, owner.headers);
    const invite = async (email: string, role = "member"): Promise<InvitedMember> => {
      const got = await byOwner("/invitations", { email, role });
      assert.equal(got.status, 201, got.text);
      const made = got.json() as unknown as InvitedMember;
      tokens.push(made.token);
      return made;
    };
    const accept = (token: string, password = CHOSEN) =>
      post("/invitation/accept", { token, password });
    const members = async () => {
      const path = `${BASE}/members`;
      const got = await server.send({ method: "GET", path, headers: owner.headers });
      return (got.json() as unknown as MemberList).members;
    };
    /** Ends all delays by advancing the clock, and signs the owner in again. */
    const later = async () => {
      clock.advance(3_600_000);
      owner = await server.again(owner);
    };

    it("let the invited user choose the first password, once", async () => {
      const made = await invite(" Lia@Example.com");
      assert.deepEqual([made.email, made.state, made.you], ["lia@example.com", "invited", false]);
      const ends = new Date(clock.nowMs() + 7 * DAY_MS).toISOString();
      assert.equal(made.invited_until, ends);
      assert.ok(!JSON.stringify(await members()).includes(made.token.slice(12)));
      for (let turn = 0; turn < 2; turn++) {
        const reported = await post("/invitation", { token: made.token });
        assert.equal(reported.status, 200, reported.text);
        const { request_id: _, ...whom } = reported.json();
        assert.deepEqual(whom, { email: made.email, tenant: "acme", expires_at: ends });
      }
      const short = await accept(made.token, "short");
      assert.equal(short.status, 422);
      assert.match(short.text, /"pointer":"\/password","code":"unfit_password"/);
      const got = await accept(made.token);
      assert.equal(got.status, 200, got.text);
      const cookie = got.headers["set-cookie"]?.split(";")[0] as string;
      const mine = await server.send({
        method: "GET",
        path: `${BASE}/sessions`,
        headers: { cookie },
      });
      assert.equal(mine.status, 200);
      assert.deepEqual([(await accept(made.token)).status], [401]);
      assert.equal((await post("/invitation", { token: made.token })).status, 401);
      assert.equal((await post("/session", { email: made.email, password: CHOSEN })).status, 200);
      const now = (await members()).find(({ id }) => id === made.id);
      assert.deepEqual([now?.state, now?.invited_until], ["active", null]);
      const late = await byOwner(`/members/${made.id}/invitation`);
      assert.deepEqual([late.status, /"has_joined"/.test(late.text)], [422, true]);
    });

    it("are the only way in before a password is chosen", async () => {
      await later();
      const { email, token } = await invite("leo@example.com");
      for (const password of [CHOSEN, token, ""]) {
        const got = await post("/session", { email, password: password || "x" });
        assert.equal(got.status, 401, password);
        await later();
      }
    });

    it("end when replaced or withdrawn, with their user, and after a week", async () => {
      await later();
      const first = await invite("mia@example.com");
      const again = await byOwner(`/members/${first.id}/invitation`);
      const second = again.json() as unknown as InvitedMember;
      tokens.push(second.token);
      assert.equal((await accept(first.token)).status, 401);
      const path = `${BASE}/members/${first.id}/invitation`;
      const gone = await server.send({ method: "DELETE", path, headers: owner.headers });
      assert.equal(gone.status, 204, gone.text);
      assert.equal((await accept(second.token)).status, 401);
      assert.ok((await members()).every(({ id }) => id !== first.id));
      await later();
      const renewed = await invite("mia@example.com");
      await byOwner(`/members/${renewed.id}`, { state: "disabled" });
      assert.equal((await accept(renewed.token)).status, 401);
      await byOwner(`/members/${renewed.id}`, { state: "active" });
      clock.advance(7 * DAY_MS - 3_600_000 - 1);
      owner = await server.again(owner);
      assert.equal((await post("/invitation", { token: renewed.token })).status, 200);
      clock.advance(3_600_001);
      assert.equal((await accept(renewed.token)).status, 401);
    });

    it("create no owner before they are accepted", async () => {
      await later();
      const made = await invite("second@example.com", "owner");
      const step = await byOwner(`/members/${owner.id}`, { role: "member" });
      assert.match(step.text, /"last_owner"/);
      assert.equal((await accept(made.token)).status, 200);
      const now = await byOwner(`/members/${owner.id}`, { role: "member" });
      assert.equal(now.status, 200, now.text);
    });

    it("are refused with all mistakes, and cannot be guessed", async () => {
      const boss = await server.person("umbrella", "owner");
      const wrong = { email: "no address", role: "king" };
      assert.equal((await post("/invitations", wrong, boss.headers)).status, 422);
      const taken = await post("/invitations", { email: owner.email }, boss.headers);
      assert.match(taken.text, /"email_taken"/);
      const guesses: number[] = [];
      for (let at = 0; at < 6; at++) {
        guesses.push((await accept(owner.id + `${at}`.padEnd(43, "x"))).status);
      }
      assert.equal(guesses[0], 401);
      assert.ok(guesses.includes(429), guesses.join(" "));
    });

    it("leave no token in the log", () => {
      const log = server.logged.join("");
      assert.ok(log.includes(`${BASE}/invitation/accept`));
      for (const token of tokens) assert.ok(!log.includes(token.slice(12)), "a token is there");
    });
  });
}
