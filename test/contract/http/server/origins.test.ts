/**
 * Proves, on both transports: OPTIONS names the methods of a known path without a key, but not
 * those of the console's paths. Without http.cors_origins, no answer has a CORS header. With it,
 * exactly the configured origins get permission, in answers and refusals alike, but never for
 * cookies or the console. Does not prove: that a browser agrees (no browser runs here).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROUTES } from "../../../../src/http/api/routes.ts";
import { Cors } from "../../../../src/http/server/cors.ts";
import { RouteTable } from "../../../../src/http/server/routetable.ts";
import { SessionAuth } from "../../../../src/http/server/session-auth.ts";
import { loadConfig } from "../../../../src/settings/config.ts";
import { type FakeServer, startFake, TRANSPORTS } from "../../../support/http/fake.ts";

const PAGE = "https://app.example.com";
const PREFLIGHT = {
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "authorization,content-type",
};

const corsOf = ({ headers }: Response) =>
  [...headers.keys()].filter((n) => /^access-control-/.test(n));

/** The public routes, one path of the console's pages, and one of its API. */
function withConsole(): RouteTable {
  const answer = () => ({ status: 200, type: "text/html", body: "<p>" });
  const open = { method: "GET", access: "open", handle: answer } as const;
  const pages = ["/app", "/app/find", "/v1/console/session"].map((path) => ({ ...open, path }));
  const auth = new SessionAuth({ sessions: { find: () => null }, insecureHttp: false });
  return new RouteTable([...ROUTES, ...pages], auth);
}

for (const transport of TRANSPORTS) {
  describe(`OPTIONS and other origins over ${transport}`, () => {
    let plain: FakeServer;
    let shared: FakeServer;
    const send = (server: FakeServer, path: string, method: string, headers = {}) =>
      fetch(`${server.base}${path}`, { method, headers, redirect: "manual" });
    const post = (path: string, headers: Readonly<Record<string, string>>, body: string) => {
      const typed = { "Content-Type": "application/json", ...headers };
      return fetch(`${shared.base}${path}`, { method: "POST", headers: typed, body });
    };

    before(async () => {
      plain = await startFake(transport);
      const cors = Cors.read([PAGE, "http://localhost:3000"]);
      shared = await startFake(transport, { cors }, undefined, withConsole);
    });
    after(() => Promise.all([plain.close(), shared.close()]));

    it("lists the methods of every known path without a key", async () => {
      for (const path of new Set(ROUTES.map((route) => route.path))) {
        const answer = await send(plain, path.replaceAll(/\{\w+\}/g, "x"), "OPTIONS");
        const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
        const allow = (answer.headers.get("allow") ?? "").split(", ");
        assert.equal(answer.status, 204, path);
        assert.deepEqual(
          allow.filter((method) => method !== "HEAD"),
          [...methods, "OPTIONS"],
          path,
        );
        assert.deepEqual(corsOf(answer), [], path);
      }
    });

    it("lists nothing for unknown paths and for the console", async () => {
      const statuses = { "/nope": 404, "/v1/nope": 401, "/v1/console/session": 401 };
      for (const [path, status] of Object.entries(statuses)) {
        const answer = await send(shared, path, "OPTIONS", { Origin: PAGE, ...PREFLIGHT });
        assert.equal(answer.status, status, path);
        assert.equal(answer.headers.get("allow"), null, path);
      }
    });

    it("grants no permission if no origin is configured", async () => {
      const preflight = await send(plain, "/v1/accounts/search", "OPTIONS", {
        Origin: PAGE,
        ...PREFLIGHT,
      });
      const answer = await send(plain, "/healthz", "GET", { Origin: PAGE });
      assert.equal(preflight.status, 204);
      for (const one of [preflight, answer]) {
        assert.deepEqual(corsOf(one), []);
        assert.equal(one.headers.get("vary"), null);
      }
    });

    it("grants a configured origin permission for methods and headers", async () => {
      const headers = { Origin: PAGE, ...PREFLIGHT };
      const answer = await send(shared, "/v1/accounts/search", "OPTIONS", headers);
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.get("access-control-allow-origin"), PAGE);
      assert.equal(answer.headers.get("access-control-allow-methods"), "POST, OPTIONS");
      const allowed = answer.headers.get("access-control-allow-headers") ?? "";
      for (const name of ["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id"]) {
        assert.ok(allowed.split(", ").includes(name), name);
      }
      assert.equal(answer.headers.get("vary"), "Origin");
    });

    it("exposes answers, refusals, and their headers to a configured origin", async () => {
      const key = { Authorization: `Bearer ${shared.keys.scale}` };
      const search = '{"spec":{"filters":{"geo":{"uf_any_of":["SP"]}}},"limit":1}';
      const path = "/v1/accounts/search";
      const answers = [
        await post(path, { Origin: PAGE, ...key }, search),
        await post(path, { Origin: PAGE, ...key }, "{}"),
        await post(path, { Origin: PAGE }, search),
        await send(shared, "/nope", "GET", { Origin: PAGE }),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 422, 401, 404],
      );
      for (const answer of answers) {
        assert.equal(answer.headers.get("access-control-allow-origin"), PAGE);
        assert.equal(answer.headers.get("access-control-allow-credentials"), null);
        assert.equal(answer.headers.get("vary"), "Origin");
        const exposed = (answer.headers.get("access-control-expose-headers") ?? "").split(", ");
        for (const name of ["X-Request-Id", "RateLimit", "ETag", "Link", "Retry-After"]) {
          assert.ok(exposed.includes(name), name);
        }
        assert.ok(exposed.includes("Idempotent-Replayed"));
      }
    });

    it("grants nothing to any other origin, however similar", async () => {
      const others = [
        "https://app.example.com.evil.example",
        "https://evil-app.example.com",
        "http://app.example.com",
        "https://app.example.com:8443",
        "HTTPS://APP.EXAMPLE.COM",
        "null",
        "*",
      ];
      for (const origin of others) {
        for (const [method, path] of [
          ["OPTIONS", "/v1/accounts/search"],
          ["GET", "/healthz"],
        ] as const) {
          const answer = await send(shared, path, method, { Origin: origin, ...PREFLIGHT });
          assert.deepEqual(corsOf(answer), [], origin);
          assert.equal(answer.headers.get("vary"), "Origin");
        }
      }
    });

    it("grants nothing for the console", async () => {
      for (const path of ["/app", "/app/find", "/v1/console/session"]) {
        for (const method of ["GET", "OPTIONS"]) {
          const answer = await send(shared, path, method, { Origin: PAGE, ...PREFLIGHT });
          assert.deepEqual(corsOf(answer), [], `${method} ${path}`);
        }
      }
    });

    it("accepts agents in pages of a configured origin, and no others", async () => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const sent = {
        Authorization: `Bearer ${shared.keys.scale}`,
        Accept: "application/json, text/event-stream",
      };
      const named = await post("/mcp", { ...sent, Origin: PAGE }, body);
      const other = await post("/mcp", { ...sent, Origin: "https://b.example" }, body);
      assert.deepEqual([named.status, other.status], [200, 403]);
    });
  });
}

describe("http.cors_origins", () => {
  const read = (text: string) => loadConfig({ environment: { PENEIRA_HTTP_CORS_ORIGINS: text } });

  it("accepts origins", () => {
    const config = read("https://a.example http://localhost:3000");
    const cors = Cors.read(config.get("http.cors_origins"));
    assert.ok(cors?.allows("https://a.example") && cors.allows("http://localhost:3000"));
  });

  it("rejects values that no browser sends as an origin", () => {
    const wrong = [
      "*",
      "null",
      "https://a.example/",
      "https://A.example",
      "a.example",
      "https://*.a",
    ];
    for (const text of [
      ...wrong,
      "https://a.example:443",
      "ftp://a.example",
      "https://u@a.example",
    ]) {
      assert.throws(() => read(text), /http\.cors_origins must be .*origins such as/i, text);
    }
  });
});
