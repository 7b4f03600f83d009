/**
 * Proves, on both transports, that a server reports its state correctly. The log has a failure only
 * for events that need attention. Refused requests are counted under their route. A missing
 * snapshot and a stop are reported. No answer names the software, and every 422 names its mistakes.
 * Bytes that never become a request are answered with a problem document, unless the transport's
 * library answers them itself. Does not prove: the order of refusals
 * (contract/http/server/auth.test.ts), nor which bytes are rejected
 * (contract/http/server/malformed.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../../src/errors.ts";
import { overloaded } from "../../../../src/http/server/admission.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import {
  engineOf,
  type FakeServer,
  fakeParts,
  fakeSegment,
  sendRaw,
  startFake,
  TRANSPORTS,
} from "../../../support/http/fake.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const HOST = "Host: test\r\n";

interface Problem {
  readonly status: number;
  readonly code?: string;
  readonly title: string;
  readonly request_id: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

for (const transport of TRANSPORTS) {
  describe(`logs and metrics over ${transport}`, () => {
    let failure: Error | null = null;
    let server: FakeServer;
    before(async () => {
      const search: (typeof fakeParts)["search"] = (...parameters) => {
        if (failure !== null) throw failure;
        return fakeParts.search(...parameters);
      };
      server = await startFake(transport, { engine: engineOf({ ...fakeParts, search }) });
    });
    after(() => server.close());

    const send = (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${server.keys.enterprise}`, ...init.headers };
      return fetchDocumented(server.base + path, { ...init, headers });
    };
    const post = (
      path: string,
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = {},
    ) =>
      send(path, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", ...headers },
      });
    const search = () => post("/v1/accounts/search", JSON.stringify({ spec: SP }));
    const raw = async (bytes: string) => {
      const { text, closed } = await sendRaw(server.port, bytes, 2_000);
      assert.ok(closed, "the connection stays open");
      return text;
    };
    const bodyOf = (text: string) => text.slice(text.indexOf("\r\n\r\n") + 4);
    const failuresOf = async (act: () => Promise<unknown>): Promise<number> => {
      const from = server.logged.length;
      await act();
      return server.logged.slice(from).filter((line) => line.includes('"level":50')).length;
    };

    it("omit expected 503 answers from the failure log", async () => {
      const expected = async () => {
        server.load(null);
        assert.equal((await search()).status, 503);
        assert.equal((await fetchDocumented(`${server.base}/readyz`)).status, 503);
        server.load(fakeSegment());
        failure = overloaded();
        assert.equal((await search()).status, 503);
      };
      assert.equal(await failuresOf(expected), 0);
    });

    it("log a failure with an external cause, and every bug", async () => {
      failure = new AppError("overloaded", "full", { cause: new Error("ENOSPC") });
      assert.equal(await failuresOf(async () => assert.equal((await search()).status, 503)), 1);
      for (const bug of [new TypeError("x"), new AppError("internal_error", "x")]) {
        failure = bug;
        assert.equal(await failuresOf(async () => assert.equal((await search()).status, 500)), 1);
      }
      failure = null;
    });

    it("count and log rejected requests under their route", async () => {
      const from = server.logged.length;
      const path = "/v1/exports/exp_1";
      assert.equal((await fetch(server.base + path)).status, 401);
      assert.equal((await send(path, { headers: { authorization: "Bearer x" } })).status, 403);
      assert.equal((await fetch(`${server.base}/v1/nope/exp_1`)).status, 401);
      const lines = server.logged.slice(from).map((line) => JSON.parse(line) as { route?: string });
      const route = "/v1/exports/{id}";
      assert.deepEqual(
        lines.map((line) => line.route),
        [route, route, "unknown"],
      );
      const metrics = await (await fetch(`${server.base}/metrics`)).text();
      for (const status of [401, 403]) {
        const series = `peneira_requests_total{route="${route}",method="GET",status="${status}"`;
        assert.ok(metrics.includes(series), series);
      }
    });

    it("describe a server without a snapshot, with null for absent values", async () => {
      server.load(null);
      const status = (await (await send("/v1/status")).json()) as Record<string, unknown>;
      assert.deepEqual(
        ["status", "snapshot", "snapshot_date", "provenance", "accounts"].map(
          (name) => status[name],
        ),
        ["no_snapshot", null, null, null, null],
      );
      assert.deepEqual([status.version, status.plan], ["0.0.0-test", "enterprise"]);
      server.load(fakeSegment());
      assert.equal(((await (await send("/v1/status")).json()) as Problem).status, "ok");
    });

    it("redirect from the bare address to the documents", async () => {
      for (const [path, status] of [
        ["/?from=bookmark", 302],
        ["/docs/", 308],
      ] as const) {
        for (const method of ["GET", "HEAD"]) {
          const init = { method, redirect: "manual" } as const;
          const answer = await fetchDocumented(server.base + path, init);
          assert.deepEqual([answer.status, answer.headers.get("location")], [status, "/docs"]);
          assert.equal(await answer.text(), "");
        }
        assert.equal((await fetch(server.base + path)).status, 200);
      }
    });

    it("name the software in no answer", async () => {
      for (const path of ["/healthz", "/v1/status", "/", "/nope"]) {
        const answer = await fetch(server.base + path, { redirect: "manual" });
        const headers = JSON.stringify([...answer.headers]).toLowerCase();
        assert.doesNotMatch(headers, /uwebsockets|node|server|powered/);
        await answer.arrayBuffer();
      }
    });

    it("name every mistake of a 422, also those outside the body", async () => {
      const pointers = async (answer: Response) => {
        assert.equal(answer.status, 422);
        const { errors = [] } = (await answer.json()) as Problem;
        return errors.map(({ pointer, code }) => `${pointer} ${code}`);
      };
      const badText = await post("/v1/accounts/search", Uint8Array.of(0x7b, 0xff, 0x7d));
      assert.deepEqual(await pointers(badText), [" wrong_encoding"]);
      const keyless = await post("/v1/exports", "{}");
      assert.deepEqual(await pointers(keyless), ["/header/idempotency-key missing"]);
      const oddKey = await post("/v1/exports", "{}", { "idempotency-key": "a b" });
      assert.deepEqual(await pointers(oddKey), ["/header/idempotency-key wrong_format"]);
      const query = await send("/v1/exports?limit=0");
      assert.deepEqual(await pointers(query), ["/query/limit out_of_range"]);
      const twice = "Range: a\r\nCookie: a\r\n".repeat(2);
      const repeated = `GET /healthz HTTP/1.1\r\n${HOST}${twice}\r\n`;
      const { errors } = JSON.parse(bodyOf(await raw(repeated))) as Problem;
      assert.deepEqual(
        errors?.map(({ pointer, code }) => `${pointer} ${code}`),
        ["/header/range duplicate", "/header/cookie duplicate"],
      );
    });

    /**
     * Name of a case, its bytes, and the expected status by transport. Some statuses are sent by
     * the transport's library, others by the product.
     */
    const strange: readonly (readonly [string, string, Readonly<Record<string, number>>])[] = [
      ["no Host, and more behind it", "GET /healthz HTTP/1.1\r\n\r\n{}", { uws: 400, node: 400 }],
      ["two Hosts", `GET /healthz HTTP/1.1\r\n${HOST}${HOST}\r\n`, { uws: 400, node: 422 }],
      [
        "two lengths",
        `POST /v1/leads HTTP/1.1\r\n${HOST}${"Content-Length: 2\r\n".repeat(2)}\r\n{}`,
        { uws: 422, node: 400 },
      ],
      [
        "a method that is none",
        `FOO! /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
        { uws: 405, node: 400 },
      ],
      [
        "a path that is not encoded",
        `GET /\xc3\xa3 HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
        { uws: 404, node: 400 },
      ],
      [
        "a head too large",
        `GET /${"a".repeat(9_000)} HTTP/1.1\r\n${HOST}\r\n`,
        { uws: 431, node: 431 },
      ],
      ["an old version", `GET / HTTP/1.0\r\n${HOST}\r\n`, { uws: 505, node: 505 }],
    ];
    for (const [name, bytes, statuses] of strange) {
      const status = statuses[transport] as number;
      it(`answer ${name} with ${status}, as a problem unless the library does it`, async () => {
        const text = await raw(bytes);
        assert.equal(Number(text.slice(9, 12)), status, text);
        const below = [400, 431, 505].includes(status);
        if (below && transport === "uws") {
          assert.match(bodyOf(text), /^<h1>/);
          return;
        }
        assert.match(text, /^content-type: application\/problem\+json\r\n/im);
        const problem = JSON.parse(bodyOf(text)) as Problem & { readonly type: string };
        assert.equal(problem.status, status);
        assert.match(text, new RegExp(`^x-request-id: ${problem.request_id}\r\n`, "im"));
        assert.equal(problem.type === "about:blank", below);
        assert.equal(problem.code === undefined, below);
      });
    }

    it("report not ready with a fitting message during shutdown", async () => {
      server.stop();
      const { title, code } = (await (
        await fetchDocumented(`${server.base}/readyz`)
      ).json()) as Problem;
      assert.equal(code, "snapshot_unavailable");
      assert.doesNotMatch(title, /snapshot/);
    });
  });
}
