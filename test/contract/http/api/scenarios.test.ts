/**
 * Proves, with one table of requests on real sockets: the answer to each request fits the OpenAPI
 * document, has the required content, and lacks the forbidden content. Both transports return the
 * same status, headers, and body. Does not prove: that the engine finds the right accounts (a fake
 * here), nor anything about bytes that are not HTTP (contract/http/server/malformed.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertDocumented } from "../../../support/http/documented.ts";
import { EXPORT_SCENARIOS } from "../../../support/http/export-table.ts";
import { type FakeServer, startFake, TRANSPORTS } from "../../../support/http/fake.ts";
import { SCENARIOS, type Scenario } from "../../../support/http/table.ts";

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Headers that each transport adds in a different way. */
const OWN_HEADERS = ["date", "connection", "keep-alive"];

async function send(server: FakeServer, scenario: Scenario): Promise<Seen> {
  const { method = "POST", path = "/v1/accounts/search", plan = "enterprise", body } = scenario;
  const headers = new Headers({ "content-type": "application/json", ...scenario.headers });
  if (headers.get("content-type") === "") headers.delete("content-type");
  if (plan !== null) headers.set("authorization", `Bearer ${server.keys[plan]}`);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const bytes = body === undefined ? null : new TextEncoder().encode(text);
  const answer = await fetch(server.base + path, {
    ...{ method, headers, body: bytes, redirect: "manual" },
  });
  const all = Object.fromEntries(answer.headers);
  const { status } = answer;
  const seen = await answer.text();
  assertDocumented({ method, path, status, headers: all, body: seen });
  for (const name of OWN_HEADERS) delete all[name];
  return { status, headers: all, text: seen };
}

function check(scenario: Scenario, seen: Seen): void {
  assert.equal(seen.status, scenario.status, seen.text);
  for (const part of scenario.contains ?? []) {
    assert.ok(seen.text.includes(part), `${part} is not in ${seen.text}`);
  }
  for (const part of scenario.lacks ?? []) {
    assert.ok(!seen.text.includes(part), `${part} is in ${seen.text}`);
  }
  for (const [name, value] of Object.entries(scenario.answerHeaders ?? {})) {
    assert.equal(seen.headers[name], value);
  }
  checkEveryAnswer(scenario, seen);
}

/** Makes the checks that apply to every answer. */
function checkEveryAnswer(scenario: Scenario, { status, headers, text }: Seen): void {
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.match(headers["content-security-policy"] ?? "", /^default-src 'none'/);
  assert.match(headers["x-request-id"] ?? "", /^[A-Za-z0-9._-]{1,64}$/);
  assert.ok(!text.includes("pnr_"), "a key is in an answer");
  if (scenario.method === "HEAD") {
    assert.equal(text, "");
    return;
  }
  const body = JSON.parse(text) as Record<string, unknown>;
  if ("request_id" in body) assert.equal(body.request_id, headers["x-request-id"]);
  if (status < 400) return;
  assert.equal(headers["content-type"], "application/problem+json");
  assert.equal(body.type, `/docs/errors#${body.code}`);
  assert.equal(body.status, status);
  assert.equal(body.request_id, headers["x-request-id"]);
  for (const member of ["title", "detail"]) assert.equal(typeof body[member], "string");
}

/** Removes the parts of an answer that differ between any two runs. */
function comparable(seen: Seen): Seen {
  const generated =
    /req_[0-9a-z]+|exp_[0-9a-f]{32}|"took_ms":[0-9.]+|"next_cursor":"[^"]+"|"transport":"\w+"/g;
  const { "x-request-id": _, "content-length": __, location: ___, ...headers } = seen.headers;
  return { ...seen, headers, text: seen.text.replace(generated, "…") };
}

describe("the API", () => {
  const servers = new Map<string, FakeServer>();
  before(async () => {
    for (const transport of TRANSPORTS) servers.set(transport, await startFake(transport));
  });
  after(async () => {
    for (const server of servers.values()) await server.close();
  });

  for (const scenario of [...SCENARIOS, ...EXPORT_SCENARIOS]) {
    it(scenario.name, async () => {
      const seen: Seen[] = [];
      for (const server of servers.values()) {
        const answer = await send(server, scenario);
        check(scenario, answer);
        seen.push(comparable(answer));
      }
      assert.equal(seen.length, TRANSPORTS.length);
      assert.deepEqual(seen[0], seen[1]);
    });
  }

  it("logs neither keys nor any query content", () => {
    for (const server of servers.values()) {
      const log = server.logged.join("");
      assert.ok(log.length > 0);
      for (const secret of ["pnr_", "Empresa", "example.com", "uf_any_of", "XX"]) {
        assert.ok(!log.includes(secret), `${secret} is in the log`);
      }
    }
  });
});
