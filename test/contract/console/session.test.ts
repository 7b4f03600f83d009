/**
 * Proves, on both transports: the cookie of a sign-in has the name and attributes that fit the
 * server's address, and no cookie of another name is accepted. A cookie from before a sign-in, a
 * replayed cookie, and a cookie of an ended session give no access. Sessions end by idleness, age,
 * a changed password, and sign-out. No client learns which e-mails exist. Cookies work only for the
 * console's routes, and API keys only for the public ones. No secret and no e-mail gets into the
 * log. Does not prove how long sign-ins are delayed (access-signins), nor the roles
 * (console-roles).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CONSOLE_LIMIT } from "../../../src/access/limits.ts";
import { ROUTES } from "../../../src/http/api/routes.ts";
import { manualClock } from "../../../src/process/clock.ts";
import {
  type ConsoleAnswer,
  type ConsoleServer,
  type Person,
  startConsole,
} from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const SESSION = "/v1/console/session";
const SESSIONS = "/v1/console/sessions";
/** 43 characters, which have the form of a token but belong to no user. */
const PLANTED = "planted-by-somebody-else-0123456789-abcdefg";
const IDLE_MS = 1_800_000;
const MAX_MS = 43_200_000;
const PERSISTENT_SECONDS = 2_592_000;

type Headers = Readonly<Record<string, string>>;

/** Returns the part of a Set-Cookie header that a client sends back in its Cookie header. */
const pairOf = (got: ConsoleAnswer): string =>
  (got.headers["set-cookie"] ?? "").split(";")[0] as string;

const signIn = (server: ConsoleServer, { email, password }: Person, headers: Headers = {}) =>
  server.send({ method: "POST", path: SESSION, headers, body: { email, password } });

const statusOf = async (server: ConsoleServer, headers: Headers): Promise<number> =>
  (await server.send({ method: "GET", path: SESSIONS, headers })).status;

/** Returns how many mistakes an answer reports. */
const mistakesIn = (got: ConsoleAnswer): number =>
  (got.json().errors as unknown as unknown[]).length;

/** Returns the headers for the session of a sign-in. */
const headersOf = (got: ConsoleAnswer): Headers => ({
  cookie: pairOf(got),
  "x-csrf-token": got.json().csrf_token ?? "",
});

for (const transport of MATRIX) {
  describe(`sessions over ${transport}`, () => {
    const clock = manualClock(Date.parse("2026-11-21T12:00:00Z"));
    let server: ConsoleServer;
    let insecure: ConsoleServer;
    let ana: Person;
    before(async () => {
      server = await startConsole(transport, { parts: { clock } });
      insecure = await startConsole(transport, { insecureHttp: true });
      ana = await server.person("acme", "owner");
    });
    after(async () => {
      await server.close();
      await insecure.close();
    });

    it("are described in full, and only to their own user", async () => {
      const none = (await server.send({ method: "GET", path: SESSION })).json();
      assert.deepEqual(Object.keys(none), ["request_id", "user", "keep_seconds", "contact"]);
      assert.equal(none.user, null);
      const got = await signIn(server, ana);
      const { request_id: _, ...answer } = got.json() as Record<string, unknown>;
      const expires = new Date(clock.nowMs() + MAX_MS).toISOString();
      assert.deepEqual(answer, {
        user: { id: ana.id, email: ana.email, role: "owner", tenant: "acme", plan: "free" },
        csrf_token: (answer as { csrf_token: string }).csrf_token,
        idle_seconds: 1_800,
        expires_at: expires,
      });
      const read = await server.send({ method: "GET", path: SESSION, headers: headersOf(got) });
      const {
        request_id: __,
        keep_seconds,
        contact,
        ...same
      } = read.json() as Record<string, unknown>;
      assert.deepEqual(same, answer);
      assert.deepEqual([keep_seconds, contact], [PERSISTENT_SECONDS, "help@example.com"]);
      assert.equal(read.headers["cache-control"], "no-store");
    });

    it("last up to the maximum on request, also in the browser", async () => {
      const sign = (keep: unknown, at = server) => {
        const body = { email: ana.email, password: ana.password, keep };
        return at.send({ method: "POST", path: SESSION, headers: {}, body });
      };
      const retained = await sign(true);
      assert.match(retained.headers["set-cookie"] ?? "", /; Max-Age=2592000$/);
      const answer = retained.json() as Record<string, unknown>;
      assert.equal(answer.idle_seconds, PERSISTENT_SECONDS);
      const end = new Date(clock.nowMs() + PERSISTENT_SECONDS * 1000).toISOString();
      assert.equal(answer.expires_at, end);
      assert.doesNotMatch((await sign(false)).headers["set-cookie"] ?? "", /Max-Age/);
      const wrong = await sign("yes");
      assert.equal(wrong.status, 422);
      assert.equal(mistakesIn(wrong), 1);
    });

    it("begin with a cookie that fits the address", async () => {
      const flags = "Path=/; HttpOnly; SameSite=Strict";
      const plain = new RegExp(`^peneira_session=[\\w-]{43}; ${flags}$`);
      const secure = new RegExp(`^__Host-peneira_session=[\\w-]{43}; ${flags}; Secure$`);
      const cases: readonly [Headers, RegExp | null][] = [
        [{}, plain],
        [{ host: "localhost" }, plain],
        [{ host: "[::1]:8080" }, plain],
        [{ host: "127.9.9.9" }, plain],
        [{ host: "localhost:1", origin: "http://localhost:1" }, plain],
        [{ host: "peneira.example" }, secure],
        [{ host: "peneira.example", origin: "https://peneira.example" }, secure],
        [{ host: "127.0.0.1.evil.example" }, secure],
        [{ host: "localhost.evil.example" }, secure],
        // An HTTPS proxy may change the Host header, but the browser sends the page's own origin.
        [
          { host: "127.0.0.1", origin: "https://a.example", "sec-fetch-site": "same-origin" },
          secure,
        ],
        [{ host: "peneira.example", origin: "http://peneira.example" }, null],
      ];
      for (const [headers, wanted] of cases) {
        const got = await signIn(server, ana, headers);
        const cookie = got.headers["set-cookie"];
        if (wanted !== null) assert.match(cookie ?? "", wanted, JSON.stringify(headers));
        else assert.deepEqual([got.status, cookie], [422, undefined]);
      }
      const bob = await insecure.person("acme", "owner");
      const headers = { host: "box.lan", origin: "http://box.lan" };
      const got = await signIn(insecure, bob, headers);
      assert.match(got.headers["set-cookie"] ?? "", plain);
      assert.equal(await statusOf(insecure, { host: "box.lan", cookie: pairOf(got) }), 200);
      const safe = { host: "box.lan", origin: "https://box.lan" };
      assert.match((await signIn(insecure, bob, safe)).headers["set-cookie"] ?? "", secure);
    });

    it("off loopback accept the secure name only, and one cookie only", async () => {
      const token = ana.cookie.slice(ana.cookie.indexOf("=") + 1);
      const host = "peneira.example";
      const cases: readonly [Headers, number][] = [
        [{ host, cookie: `peneira_session=${token}` }, 401],
        [{ host, cookie: `__Host-peneira_session=${token}` }, 200],
        [{ host, cookie: `__host-peneira_session=${token}` }, 401],
        [{ cookie: `a=1; peneira_session=${token}; b="2"` }, 200],
        [{ cookie: `peneira_session=${token}; peneira_session=${token}` }, 401],
        [{ cookie: `peneira_session=${PLANTED}; peneira_session=${token}` }, 401],
        [{ cookie: `xpeneira_session=${token}` }, 401],
        [{ cookie: `peneira_session="${token}"` }, 401],
        [{ cookie: `peneira_session=${token}A` }, 401],
        [{ cookie: "peneira_session=" }, 401],
        [{ cookie: "peneira_session" }, 401],
      ];
      for (const [headers, wanted] of cases) {
        assert.equal(await statusOf(server, headers), wanted, JSON.stringify(headers));
      }
      const lines = [`Cookie: ${ana.cookie}`, `cookie: ${ana.cookie}`];
      const twice = await server.send({ method: "GET", path: SESSIONS, lines });
      assert.deepEqual([twice.status, twice.json().code], [422, "invalid_request"]);
    });

    it("never begin with an existing token", async () => {
      const cookie = `peneira_session=${PLANTED}`;
      assert.equal(await statusOf(server, { cookie }), 401);
      const got = await signIn(server, ana, { cookie });
      assert.notEqual(pairOf(got), cookie);
      assert.equal(await statusOf(server, { cookie }), 401);
      // A sign-in request ends the session of its cookie, even if that is another user's.
      const bob = await server.person("acme", "member");
      const next = await signIn(server, ana, { cookie: bob.cookie });
      assert.equal(await statusOf(server, { cookie: bob.cookie }), 401);
      assert.equal(await statusOf(server, { cookie: pairOf(got) }), 200);
      assert.notEqual(pairOf(next), pairOf(got));
      // A failed sign-in ends no session.
      const failed = await server.send({
        ...{ method: "POST", path: SESSION, headers: { cookie: pairOf(next) } },
        body: { email: ana.email, password: "wrong" },
      });
      assert.deepEqual([failed.status, failed.headers["set-cookie"]], [401, undefined]);
      assert.equal(await statusOf(server, { cookie: pairOf(next) }), 200);
    });

    it("end when they are signed out, for their cookie and no other", async () => {
      const other = await server.again(ana);
      const { cookie, headers } = await server.again(ana);
      const out = await server.send({ method: "DELETE", path: SESSION, headers });
      assert.equal(out.status, 204);
      const gone = "peneira_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
      assert.equal(out.headers["set-cookie"], gone);
      assert.equal(await statusOf(server, { cookie }), 401);
      const replayed = await server.send({ method: "DELETE", path: SESSION, headers });
      assert.equal(replayed.json().code, "session_required");
      assert.equal(await statusOf(server, other.headers), 200);
    });

    it("are listed, and all end together", async () => {
      const bob = await server.person("acme", "member");
      const second = await server.again(bob);
      const got = await server.send({ method: "GET", path: SESSIONS, headers: second.headers });
      const list = (got.json() as unknown as { sessions: Record<string, unknown>[] }).sessions;
      assert.equal(list.length, 2);
      assert.equal(list.filter(({ current }) => current).length, 1);
      const members = ["id", "created_at", "seen_at", "current"];
      for (const line of list) assert.deepEqual(Object.keys(line), members);
      const { headers } = second;
      assert.equal((await server.send({ method: "DELETE", path: SESSIONS, headers })).status, 204);
      assert.equal(await statusOf(server, bob.headers), 401);
      assert.equal(await statusOf(server, second.headers), 401);
      assert.equal(await statusOf(server, ana.headers), 200);
    });

    it("end by idleness, and by age despite activity", async () => {
      const idle = await server.again(ana);
      const busy = await server.again(ana);
      clock.advance(IDLE_MS - 1);
      assert.equal(await statusOf(server, busy.headers), 200);
      clock.advance(1);
      assert.equal(await statusOf(server, idle.headers), 401);
      for (let passed = IDLE_MS; passed + IDLE_MS / 2 < MAX_MS; passed += IDLE_MS / 2) {
        clock.advance(IDLE_MS / 2);
        assert.equal(await statusOf(server, busy.headers), 200);
      }
      clock.advance(IDLE_MS / 2);
      assert.equal(await statusOf(server, busy.headers), 401);
    });

    it("all end with a new password, and the response begins a new one", async () => {
      const bob = await server.person("acme", "member");
      const other = await server.again(bob);
      const path = "/v1/console/password";
      const request = { current_password: bob.password, new_password: "seven quiet harbours" };
      const change = (body: object) =>
        server.send({ method: "POST", path, headers: bob.headers, body });
      const wrong = await change({ ...request, current_password: "not it" });
      assert.equal(wrong.status, 422);
      assert.ok(!wrong.text.includes("not it") && !wrong.text.includes("harbours"));
      assert.equal((await change({ ...request, new_password: "short" })).status, 422);
      assert.equal(mistakesIn(await change({ new_password: 5, more: 1 })), 3);
      assert.equal(await statusOf(server, bob.headers), 200);
      const got = await change(request);
      assert.equal(got.status, 200, got.text);
      assert.equal(await statusOf(server, bob.headers), 401);
      assert.equal(await statusOf(server, other.headers), 401);
      assert.equal(await statusOf(server, headersOf(got)), 200);
      assert.equal((await signIn(server, bob)).status, 401);
      clock.advance(3_600_000);
      const renewed = { ...bob, password: request.new_password };
      assert.equal((await signIn(server, renewed)).status, 200);
    });

    it("are refused alike for unknown users, wrong passwords, and disabled users", async () => {
      const gone = await server.person("acme", "member");
      server.service.users.disable(server.service.users.member(gone.tenantId, gone.id));
      assert.equal(await statusOf(server, gone.headers), 401);
      const claims = [
        { email: "nobody@example.com", password: "some words here" },
        { email: ana.email, password: "some words here" },
        { email: gone.email, password: gone.password },
      ];
      const bodies: string[] = [];
      for (const body of claims) {
        clock.advance(3_600_000);
        const got = await server.send({ method: "POST", path: SESSION, body });
        assert.equal(got.status, 401);
        assert.equal(got.headers["set-cookie"], undefined);
        bodies.push(got.text.replace(/req_\w+/, ""));
      }
      assert.equal(new Set(bodies).size, 1, bodies.join("\n"));
      assert.match(bodies[0] ?? "", /"code":"sign_in_failed"/);
    });

    it("delay a client that guesses longer and longer", async () => {
      clock.advance(86_400_000);
      const statuses: number[] = [];
      for (let i = 0; i < 5; i++) {
        const body = { email: ana.email, password: `guess ${i}` };
        const got = await server.send({ method: "POST", path: SESSION, body });
        statuses.push(got.status);
        if (got.status === 429) assert.match(got.headers["retry-after"] ?? "", /^\d+$/);
      }
      assert.ok(statuses.includes(429), statuses.join(" "));
      assert.equal(statuses[0], 401);
      clock.advance(86_400_000);
      assert.equal((await signIn(server, ana)).status, 200);
    });

    it("are not started by a page of another site, nor by a form", async () => {
      const own = `http://127.0.0.1:${server.port}`;
      const cases: readonly [Headers, number][] = [
        [{ "sec-fetch-site": "cross-site" }, 403],
        [{ "sec-fetch-site": "same-site", origin: own }, 403],
        [{ origin: "https://evil.example" }, 403],
        [{ origin: "null" }, 403],
        [{ origin: `${own}.evil.example` }, 403],
        [{ "content-type": "text/plain" }, 415],
        [{ "content-type": "application/x-www-form-urlencoded" }, 415],
        [{ origin: own }, 200],
        [{ "sec-fetch-site": "same-origin", origin: own }, 200],
        [{ "sec-fetch-site": "none" }, 200],
      ];
      for (const [headers, wanted] of cases) {
        const got = await signIn(server, ana, headers);
        assert.equal(got.status, wanted, `${JSON.stringify(headers)}: ${got.text}`);
        assert.equal(got.headers["set-cookie"] === undefined, wanted !== 200);
        if (wanted === 403) assert.equal(got.json().code, "csrf_invalid");
      }
    });

    it("require e-mail and password as texts, and repeat nothing of the request", async () => {
      const bodies: readonly [unknown, number][] = [
        [{}, 2],
        [{ email: "", password: "" }, 2],
        [{ email: ["secret-a"], password: { secret: "secret-b" } }, 2],
        [{ email: ana.email, password: "x".repeat(5_000) }, 1],
        [{ email: ana.email, password: "secret-a", remember: true }, 1],
      ];
      for (const [body, count] of bodies) {
        const got = await server.send({ method: "POST", path: SESSION, body });
        assert.equal(got.status, 422, got.text);
        assert.equal(mistakesIn(got), count, got.text);
        assert.ok(!/secret-|xxxx/.test(got.text), got.text);
      }
      for (const body of ["", "[]", "null", '{"email":"a","email":"b"}', "{", '"x"']) {
        const { status } = await server.send({ method: "POST", path: SESSION, body });
        assert.equal(status, 422, body);
      }
    });

    it("work only for the console, and keys only for the API", async () => {
      const fresh = await server.again(ana);
      for (const { method, path, access } of ROUTES) {
        if (access !== "key") continue;
        const request = { method, path, headers: fresh.headers };
        const got = await server.send({ ...request, ...(method === "POST" ? { body: {} } : {}) });
        assert.deepEqual([got.status, got.json().code], [401, "authentication_required"], path);
      }
      const authorization = `Bearer ${server.keys.enterprise}`;
      for (const path of ["", "/", "/nope", "/session/x", "/%73essions", "/keys/a/b/c"]) {
        const request = { method: "GET", path: `/v1/console${path}` };
        const keyed = await server.send({ ...request, headers: { authorization } });
        assert.deepEqual([keyed.status, keyed.json().code], [401, "session_required"], path);
        assert.match(keyed.headers["www-authenticate"] ?? "", /^Session /);
        const known = path === "/%73essions" ? 200 : 404;
        assert.equal(
          (await server.send({ ...request, headers: fresh.headers })).status,
          known,
          path,
        );
      }
      const put = { method: "PUT", path: SESSIONS };
      assert.equal((await server.send(put)).status, 401);
      const refused = await server.send({ ...put, headers: fresh.headers });
      assert.deepEqual([refused.status, refused.headers.allow], [405, "GET, HEAD, DELETE"]);
      assert.equal((await server.send({ ...put, headers: { cookie: fresh.cookie } })).status, 403);
    });

    it("are limited by the console's rate, each user alone", async () => {
      const hurried = await startConsole(transport, { limit: CONSOLE_LIMIT });
      try {
        const one = await hurried.person("acme", "owner");
        const two = await hurried.person("acme", "member");
        const request = { method: "GET", path: SESSIONS, headers: one.headers };
        const answers = await Promise.all(Array.from({ length: 120 }, () => hurried.send(request)));
        const refused = answers.filter(({ status }) => status === 429);
        assert.ok(refused.length > 0, "never refused");
        for (const { headers } of refused) assert.match(headers["retry-after"] ?? "", /^\d+$/);
        assert.match(answers[0]?.headers["ratelimit-policy"] ?? "", /q=60;w=3$/);
        assert.equal(await statusOf(hurried, two.headers), 200);
      } finally {
        await hurried.close();
      }
    });

    it("leave no cookie, token, password, or e-mail in the log", async () => {
      const secrets = [ana.email, ana.password, ana.cookie.slice(16), "guess 1", PLANTED];
      secrets.push(ana.headers["x-csrf-token"] as string, "person", "example.com", "harbours");
      const log = server.logged.join("");
      assert.ok(log.includes("/v1/console/password") && log.includes(`user:${ana.id}`));
      for (const secret of secrets) assert.ok(!log.includes(secret), `${secret} is in the log`);
    });
  });
}
