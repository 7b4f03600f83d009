/**
 * Proves, over both transports: every PATCH route refuses the body `{}` with an error that names
 * the possible members, and leaves the resource unchanged. A body that is not an object or has an
 * unknown member is refused. For an unknown resource, even `{}` is answered with 404.
 * Does not prove: the effect of other bodies (lists.test.ts, notices.test.ts, emails.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { ROUTES } from "../../../../src/http/api/routes.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

/**
 * For each PATCH route, the path and body of a request that makes its resource, and the member of
 * the answer with the resource.
 */
const MADE: Readonly<Record<string, readonly [path: string, body: object, name: string]>> = {
  "/v1/lists/{id}": ["/v1/lists", { name: "Clientes" }, "list"],
  "/v1/searches/{id}": ["/v1/searches", { name: "Padarias", spec: {}, watch: ["email"] }, "search"],
  "/v1/webhooks/{id}": ["/v1/webhooks", { url: "https://example.com/hook" }, "webhook"],
  "/v1/emails/{id}": ["/v1/emails", { address: "ana@example.com", language: "en" }, "email"],
};

for (const transport of MATRIX) {
  describe(`PATCH over ${transport}`, () => {
    let sample: SampleSnapshot;
    let segment: Segment;
    let server: FakeServer;
    before(async () => {
      sample = await makeSampleSnapshot(500, 6);
      segment = await openSegment(sample.snapshot);
      const smtp = {
        ...{ host: "127.0.0.1", port: 9, user: null, password: null, ca: null },
        ...{ tls: "none" as const, from: "peneira@example.com", timeoutMs: 1_000 },
      };
      server = await startFake(transport, { smtp, segment: () => segment });
    });
    after(async () => {
      await server.close();
      segment.close();
      sample.dispose();
    });

    async function send(method: string, path: string, body?: unknown) {
      const { base, keys } = server;
      const response = await fetchDocumented(base + path, {
        method,
        headers: {
          authorization: `Bearer ${keys.enterprise}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, value: JSON.parse(text) as Record<string, unknown> };
    }

    const routes = ROUTES.filter(({ method }) => method === "PATCH");
    it("has the routes that this suite knows", () => {
      assert.deepEqual(routes.map(({ path }) => path).sort(), Object.keys(MADE).sort());
    });

    for (const { path } of routes) {
      it(`of ${path} with {} is refused, and changes nothing`, async () => {
        const [collection, body, name] = MADE[path] as (typeof MADE)[string];
        const made = await send("POST", collection, body);
        assert.equal(made.status, 201, made.text);
        const { id } = made.value[name] as { readonly id: string };
        const own = path.replace("{id}", id);
        const known = (await send("GET", own)).value[name];
        await setTimeout(5);
        const patched = await send("PATCH", own, {});
        assert.equal(patched.status, 422, patched.text);
        const [first, ...more] = patched.value.errors as {
          readonly pointer: string;
          readonly code: string;
          readonly detail: string;
        }[];
        assert.deepEqual([first?.pointer, first?.code, more], ["", "missing", []]);
        assert.match(first?.detail ?? "", /^Say what is to change: \w+(, \w+)*\.$/);
        assert.deepEqual((await send("GET", own)).value[name], known);
        for (const wrong of [[], null, 7, { nix: 1 }]) {
          assert.equal((await send("PATCH", own, wrong)).status, 422, JSON.stringify(wrong));
        }
        const gone = path.replace("{id}", id.replace(/[0-9a-f]{32}$/, "0".repeat(32)));
        assert.equal((await send("PATCH", gone, {})).status, 404);
      });
    }
  });
}
