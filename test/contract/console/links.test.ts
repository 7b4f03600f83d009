/**
 * Proves, on both transports: a link signs in its own user only, once, before it expires. Opening
 * the page of the link does not use it up, and no other site can use it. No cookie is sent over a
 * connection that others can read, a client that guesses is delayed, and no token gets into the
 * log.
 * Does not prove: how the page uses the address, nor that `npm start` prints such a link
 * (e2e/deploy/npm-start.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { LINK_MS } from "../../../src/access/sessions.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { type ConsoleServer, startConsole } from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const LINK = "/v1/console/session/link";
const DAY_MS = 86_400_000;
/** 43 characters, which have the form of a token but belong to no user. */
const PLANTED = "planted-by-somebody-else-0123456789-abcdefg";

type Headers = Readonly<Record<string, string>>;

for (const transport of MATRIX) {
  describe(`links to sign in over ${transport}`, () => {
    const clock = manualClock(Date.parse("2026-11-21T12:00:00Z"));
    const tokens: string[] = [PLANTED];
    let server: ConsoleServer;
    before(async () => {
      server = await startConsole(transport, { parts: { clock } });
    });
    after(() => server.close());

    const open = (token: string, headers: Headers = {}, more: object = {}) => {
      tokens.push(token);
      return server.send({ method: "POST", path: LINK, headers, body: { token, ...more } });
    };
    const statusOf = async (headers: Headers): Promise<number> =>
      (await server.send({ method: "GET", path: "/v1/console/sessions", headers })).status;

    it("work once, for their own user only, over any existing session", async () => {
      const ana = await server.person("acme", "owner");
      const eve = await server.person("other", "owner");
      const token = server.service.sessions.linkFor(eve.id);
      const got = await open(token, { cookie: ana.cookie });
      assert.equal(got.status, 200, got.text);
      const { user } = got.json() as unknown as { user: { id: string; tenant: string } };
      assert.deepEqual([user.id, user.tenant], [eve.id, "other"]);
      const set = got.headers["set-cookie"] ?? "";
      assert.match(set, /^peneira_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
      assert.equal(await statusOf({ cookie: set.split(";")[0] as string }), 200);
      assert.equal(await statusOf({ cookie: ana.cookie }), 401);
      const again = await open(token);
      assert.deepEqual([again.status, again.json().code], [401, "sign_in_failed"]);
      assert.equal(again.headers["set-cookie"], undefined);
    });

    it("are not used up by their page, other sites, plain HTTP, or a wrong body", async () => {
      const bob = await server.person("acme", "member");
      const token = server.service.sessions.linkFor(bob.id);
      const page = await server.send({ method: "GET", path: `${LINK}?token=${token}` });
      assert.notEqual(page.status, 200);
      assert.equal((await open(token, { "sec-fetch-site": "cross-site" })).status, 403);
      assert.equal((await open(token, { origin: "https://evil.example" })).status, 403);
      assert.equal((await open(token, { "content-type": "text/plain" })).status, 415);
      const plain = { host: "box.lan", origin: "http://box.lan" };
      assert.equal((await open(token, plain)).status, 422);
      assert.equal((await open(token, {}, { email: bob.email })).status, 422);
      const https = { host: "box.example", origin: "https://box.example" };
      const got = await open(token, https);
      assert.equal(got.status, 200, got.text);
      assert.match(got.headers["set-cookie"] ?? "", /^__Host-peneira_session=.*; Secure$/);
    });

    it("do not work if they are old, wrong, or of a disabled user", async () => {
      const bob = await server.person("acme", "member");
      const { sessions, users } = server.service;
      const late = sessions.linkFor(bob.id);
      clock.advance(LINK_MS - 1);
      const soon = sessions.linkFor(bob.id);
      clock.advance(1);
      assert.equal((await open(late)).status, 401);
      assert.equal((await open(soon)).status, 200);
      assert.equal((await open(PLANTED)).status, 401);
      clock.advance(DAY_MS);
      const stopped = sessions.linkFor(bob.id);
      users.disable(users.member(bob.tenantId, bob.id));
      const refused = await open(stopped);
      assert.deepEqual([refused.status, refused.headers["set-cookie"]], [401, undefined]);
    });

    it("delay a client that guesses", async () => {
      clock.advance(DAY_MS);
      const statuses: number[] = [];
      for (let at = 0; at < 6; at++) statuses.push((await open(`${at}`.padEnd(43, "x"))).status);
      assert.equal(statuses[0], 401);
      assert.ok(statuses.includes(429), statuses.join(" "));
    });

    it("leave no token in the log", () => {
      const log = server.logged.join("");
      assert.ok(log.includes(LINK));
      for (const token of tokens) assert.ok(!log.includes(token), `${token} is in the log`);
    });
  });
}
