/**
 * Proves, on both transports: every route that needs a key answers each form of credentials, with
 * each method, with the documented status and code. The answer reveals nothing else, so only
 * senders with a valid key learn which methods exist. Open routes ignore credentials. A disabled,
 * expired, or replaced key, or a key of a disabled tenant, is refused within a second (here: 400
 * ms), also if another process disabled it. Does not prove: that comparing takes constant time
 * (`timingSafeEqual` is trusted).
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ROUTES } from "../../../../src/http/api/routes.ts";
import { openDatabase } from "../../../../src/store/database.ts";
import { KeyStore } from "../../../../src/store/keystore.ts";
import { type FakeServer, sendRaw, startFake, TRANSPORTS } from "../../../support/http/fake.ts";

interface Shape {
  readonly name: string;
  /** Returns the header lines, given a valid and a disabled key. */
  readonly lines: (good: string, disabled: string) => readonly string[];
  readonly query?: (good: string) => string;
  readonly status: number;
  readonly code: string | null;
}

const flip = (key: string) => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
const required = { status: 401, code: "authentication_required" } as const;
const invalid = { status: 403, code: "authentication_invalid" } as const;

const SHAPES: readonly Shape[] = [
  { name: "nothing", lines: () => [], ...required },
  { name: "an empty header", lines: () => ["Authorization:"], ...required },
  { name: "Bearer without a key", lines: () => ["Authorization: Bearer "], ...required },
  { name: "Basic", lines: () => ["Authorization: Basic dTpw"], ...required },
  { name: "the key without a scheme", lines: (good) => [`Authorization: ${good}`], ...required },
  { name: "a cookie", lines: (good) => [`Cookie: session=${good}`], ...required },
  {
    name: "the key in the query",
    lines: () => [],
    query: (good) => `?api_key=${good}&authorization=Bearer+${good}`,
    ...required,
  },
  { name: "no key at all", lines: () => ["Authorization: Bearer x"], ...invalid },
  { name: "a mistyped key", lines: (good) => [`Authorization: Bearer ${flip(good)}`], ...invalid },
  { name: "two keys", lines: (good) => [`Authorization: Bearer ${good}, ${good}`], ...invalid },
  {
    name: "two headers",
    lines: (good) => [`Authorization: Bearer ${good}`, `authorization: Bearer ${good}`],
    status: 422,
    code: "invalid_request",
  },
  {
    name: "a disabled key",
    lines: (_, disabled) => [`Authorization: Bearer ${disabled}`],
    status: 403,
    code: "authentication_disabled",
  },
  {
    name: "a good key, scheme in another case",
    lines: (good) => [`Authorization: bEARER   ${good}`],
    status: 200,
    code: null,
  },
];

/**
 * Every method that a client could try. CONNECT is not sent to an origin, and OPTIONS needs no key
 * (origins.test.ts).
 */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"];

const BODY = JSON.stringify({ spec: { filters: { geo: { uf_any_of: ["SP"] } } } });
const KEYED = ROUTES.filter((route) => route.access === "key");
/** A path below /v1 that does not exist needs a key, as existing ones do. */
const UNKNOWN = { method: "GET", path: "/v1/nope" } as const;
const OPEN_PATHS = new Set(
  ROUTES.filter(({ access }) => access === "open").map(({ path }) => path),
);
const KEYED_PATHS = [...new Set([...KEYED, UNKNOWN].map(({ path }) => path)), "/v1", "/v1/"];

/** True if only a sender with a valid key gets this status. */
const isAnswer = (status: number) => status !== 401 && status !== 403;

const methodsOf = (path: string) => {
  const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
  return methods.includes("GET") ? [...methods, "HEAD"] : methods;
};

/**
 * Returns the status of an open path that is requested without parameters. A file needs a signed
 * link, which a key does not replace.
 */
const openStatus = (path: string) =>
  path.startsWith("/files/")
    ? 403
    : ({ "/": 302, "/docs/": 308, "/feeds/{name}": 404, "/unsubscribe/{token}": 404 }[path] ?? 200);

/** Fills in the variable segments of a path. No object has this id. */
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, "11222333000181");

async function send(
  server: FakeServer,
  { method, path }: { readonly method: string; readonly path: string },
  lines: readonly string[],
): Promise<{ readonly status: number; readonly text: string }> {
  const body = method === "POST" || method === "PUT" || method === "PATCH" ? BODY : "";
  const head = [`${method} ${path} HTTP/1.1`, "Host: test", "Connection: close", ...lines];
  if (body !== "") head.push("Content-Type: application/json", `Content-Length: ${body.length}`);
  const { text } = await sendRaw(server.port, `${head.join("\r\n")}\r\n\r\n${body}`);
  return { status: Number(text.slice(9, 12)), text };
}

const statusOf = async (server: FakeServer, key: string): Promise<number> => {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${server.base}/v1/status`, { headers })).status;
};

/** Runs a command of the product in a separate process. */
function peneira(...parameters: string[]): string {
  const main = fileURLToPath(new URL("../../../../src/main.ts", import.meta.url));
  return execFileSync(process.execPath, ["--import", "tsx", main, ...parameters], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

for (const transport of TRANSPORTS) {
  describe(`credentials over ${transport}`, () => {
    let server: FakeServer;
    let good: string;
    let disabled: string;
    before(async () => {
      server = await startFake(transport);
      good = server.keys.enterprise;
      const made = server.keyring.create({ tenant: "gone", plan: "scale", name: "" });
      server.keyring.disable(server.keyring.pick({ id: made.keyId }));
      disabled = made.key;
    });
    after(() => server.close());

    for (const shape of SHAPES) {
      it(`of the shape "${shape.name}" return ${shape.status} on every route`, async () => {
        const lines = shape.lines(good, disabled);
        for (const route of [...KEYED, UNKNOWN]) {
          const path = route.path + (shape.query?.(good) ?? "");
          const { status, text } = await send(server, { method: route.method, path }, lines);
          if (shape.code === null) {
            // A client with a valid key gets neither 401 nor 403.
            assert.ok(status !== 401 && status !== 403, `${route.path}: ${text}`);
          } else {
            assert.equal(status, shape.status, `${route.path}: ${text}`);
            assert.ok(text.includes(`"code":"${shape.code}"`), text);
          }
          if (status === 401) assert.match(text, /WWW-Authenticate: Bearer\r\n/i);
          assert.ok(!text.includes(good.slice(0, 30)), "the key is repeated");
          if (status >= 400) assert.ok(!/accounts"|2026-10/.test(text), "data without a key");
        }
      });

      it(`of the shape "${shape.name}" are checked before the method`, async () => {
        const lines = shape.lines(good, disabled);
        for (const [path, method] of KEYED_PATHS.flatMap((one) => METHODS.map((m) => [one, m]))) {
          const target = { method: method as string, path: filled(path as string) };
          const { status, text } = await send(server, target, lines);
          const place = `${method} ${path}: ${text}`;
          const has = methodsOf(path as string).includes(method as never);
          if (shape.code !== null) assert.equal(status, shape.status, place);
          else if (methodsOf(path as string).length === 0) assert.equal(status, 404, place);
          else assert.ok(has ? isAnswer(status) && status !== 405 : status === 405, place);
          assert.equal(/^allow:/im.test(text), status === 405, place);
          if (method === "HEAD") assert.ok(text.endsWith("\r\n\r\n"), place);
          else if (shape.code !== null) assert.ok(text.includes(`"code":"${shape.code}"`), place);
        }
      });

      it(`of the shape "${shape.name}" do not affect methods of open routes`, async () => {
        const lines = shape.lines(good, disabled);
        for (const [path, method] of [...OPEN_PATHS].flatMap((one) =>
          METHODS.map((m) => [one, m]),
        )) {
          const { status, text } = await send(
            server,
            { method: method as string, path: path as string },
            lines,
          );
          const has = methodsOf(path as string).includes(method as never);
          const good = openStatus(path as string);
          const wanted = shape.name === "two headers" ? 422 : has ? good : 405;
          assert.equal(status, wanted, `${method} ${path}: ${text.slice(0, 400)}`);
        }
      });

      it(`of the shape "${shape.name}" do not affect open routes`, async () => {
        if (shape.name === "two headers") return;
        for (const { method, path } of ROUTES.filter((route) => route.access === "open")) {
          const { status } = await send(server, { method, path }, shape.lines(good, disabled));
          assert.equal(status, openStatus(path));
        }
      });
    }

    it("are rejected before a body is read or checked", async () => {
      const head =
        "POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n{";
      const { text } = await sendRaw(server.port, head);
      assert.match(text, /^HTTP\/1\.1 401 /);
    });

    it("stop working within a second if another process disables the key", async () => {
      const { key, keyId } = server.keyring.create({ tenant: "acme", plan: "free", name: "x" });
      assert.equal(await statusOf(server, key), 200);
      peneira("key", "disable", keyId, "--data-dir", server.dataDir);
      await sleep(400);
      assert.equal(await statusOf(server, key), 403);
      peneira("key", "enable", "--data-dir", server.dataDir, "--tenant", "acme", "--name", "x");
      await sleep(400);
      assert.equal(await statusOf(server, key), 200);
    });

    it("work immediately if another process made the key, until its rotation", async () => {
      const made = ["key", "create", "--data-dir", server.dataDir, "--json"];
      const created = JSON.parse(peneira(...made, "--tenant", "t2", "--plan", "growth"));
      assert.deepEqual(Object.keys(created), [
        "key",
        "key_id",
        "tenant",
        "plan",
        "name",
        "expires_at",
      ]);
      assert.equal(created.plan, "growth");
      await sleep(400);
      assert.equal(await statusOf(server, created.key), 200);
      const rotation = ["key", "rotate", created.key_id, "--data-dir", server.dataDir, "--json"];
      const rotated = JSON.parse(peneira(...rotation));
      assert.equal(rotated.replaces, created.key_id);
      assert.equal(rotated.plan, "growth");
      await sleep(400);
      assert.equal(await statusOf(server, created.key), 403);
      assert.equal(await statusOf(server, rotated.key), 200);
    });

    it("are rejected for every key of a disabled tenant", async () => {
      const { key } = server.keyring.create({ tenant: "closed", plan: "free", name: "" });
      assert.equal(await statusOf(server, key), 200);
      const elsewhere = openDatabase(server.dataDir);
      new KeyStore(elsewhere).setTenantDisabled("closed", 1);
      elsewhere.close();
      await sleep(400);
      assert.equal(await statusOf(server, key), 403);
      assert.equal(await statusOf(server, good), 200);
    });
  });
}
