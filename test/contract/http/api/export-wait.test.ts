/**
 * Proves, on both transports: a read that waits for an export is answered when the export ends, is
 * deleted, or expires, and at the read's timeout. A read holds no resources after its client leaves
 * or the server stops. Meanwhile other sockets get their answers. A later request on the same
 * socket is answered after the read.
 * Does not prove: that exports end (the exporter is a model in memory here).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Created, FILE, make, send, tenantOf } from "../../../support/http/export-requests.ts";
import {
  type FakeServer,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../../support/http/fake.ts";

for (const transport of TRANSPORTS) {
  describe(`waiting for an export over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    const waiters = async (count: number) => {
      for (let round = 0; round < 200 && server.exporter.waiting !== count; round++) await sleep(5);
      assert.equal(server.exporter.waiting, count);
    };

    const wakes: readonly (readonly [string, number, (id: string) => unknown])[] = [
      ["done", 200, (id) => server.exporter.finish(id, FILE)],
      ["failed", 409, (id) => server.exporter.fail(id, "render_failed")],
      ["deleted", 404, (id) => server.exporter.remove(tenantOf(server), id)],
      ["expired at once", 410, (id) => server.exporter.finish(id, FILE, 0)],
    ];
    for (const [what, status, change] of wakes) {
      it(`wakes when it is ${what}`, async () => {
        const id = await make(server);
        const beganMs = performance.now();
        const answers = Array.from({ length: 20 }, () =>
          send(server, `/v1/exports/${id}?wait=60&require=done`),
        );
        await waiters(20);
        server.exporter.run(id);
        await waiters(20);
        change(id);
        for (const answer of await Promise.all(answers)) assert.equal(answer.status, status);
        assert.ok(performance.now() - beganMs < 5_000);
        assert.equal(server.exporter.waiting, 0);
      });
    }

    it("ends at its timeout, with the current state", async () => {
      const id = await make(server);
      const beganMs = performance.now();
      const plain = send(server, `/v1/exports/${id}?wait=1`);
      const required = send(server, `/v1/exports/${id}?wait=1&require=done`);
      await sleep(200);
      server.exporter.run(id);
      const record = (await (await plain).json()) as Created["export"];
      assert.equal(record.status, "running");
      assert.equal((await required).status, 409);
      const tookMs = performance.now() - beganMs;
      assert.ok(tookMs >= 990 && tookMs < 4_000, `took ${tookMs} ms`);
    });

    it("returns immediately for a finished export", async () => {
      const ends = [
        (id: string) => server.exporter.finish(id, FILE),
        (id: string) => server.exporter.fail(id, "disk_full"),
      ];
      for (const end of ends) {
        const id = await make(server);
        end(id);
        const beganMs = performance.now();
        assert.equal((await send(server, `/v1/exports/${id}?wait=60`)).status, 200);
        assert.ok(performance.now() - beganMs < 1_000);
      }
    });

    it("holds nothing for disconnected clients", async () => {
      const id = await make(server);
      const gone = new AbortController();
      const authorization = `Bearer ${server.keys.enterprise}`;
      const options = { headers: { authorization }, signal: gone.signal };
      const requested = Array.from({ length: 50 }, () =>
        fetch(`${server.base}/v1/exports/${id}?wait=60`, options).catch(() => "aborted"),
      );
      await waiters(50);
      gone.abort();
      assert.deepEqual(new Set(await Promise.all(requested)), new Set(["aborted"]));
      // The export does not change here, so a wait ends only because its client has left.
      for (let round = 0; round < 60 && server.exporter.waiting > 0; round++) await sleep(50);
      assert.equal(server.exporter.waiting, 0);
      assert.equal((await send(server, `/v1/exports/${id}`)).status, 200);
      assert.ok(!server.logged.join("").includes('"level":50'), "an error was logged");
    });

    it("lets other requests through meanwhile", async () => {
      const id = await make(server);
      const waiting = send(server, `/v1/exports/${id}?wait=60`);
      await waiters(1);
      for (let i = 0; i < 20; i++) assert.equal((await send(server, "/v1/status")).status, 200);
      server.exporter.finish(id, FILE);
      assert.equal((await waiting).status, 200);
    });

    it("never answers a later request of its socket first", async () => {
      const id = await make(server);
      const key = `Authorization: Bearer ${server.keys.enterprise}`;
      const line = (path: string, request: string) =>
        `GET ${path} HTTP/1.1\r\nHost: test\r\n${key}\r\nX-Request-Id: ${request}\r\n\r\n`;
      const bytes = line(`/v1/exports/${id}?wait=60`, "n1") + line("/v1/status", "n2");
      const answered = sendRaw(server.port, bytes, 1_000);
      await waiters(1);
      await sleep(100);
      server.exporter.finish(id, FILE);
      const { text, closed } = await answered;
      const seen = [...text.matchAll(/HTTP\/1\.1 (\d+) .*?X-Request-Id: (n\d)/gs)];
      // uWebSockets.js closes a socket on which a client sends a request before the previous one
      // was answered. Clients then retry.
      assert.equal(closed, transport === "uws");
      assert.deepEqual(
        seen.map(([, status, request]) => `${request} ${status}`),
        closed ? [] : ["n1 200", "n2 200"],
      );
      await waiters(0);
    });
  });
}

describe("a wait", () => {
  it("may exceed the write timeout of an answer", async () => {
    const seconds = TEST_LIMITS.writeTimeoutMs / 1000 + 1;
    const servers = await Promise.all(TRANSPORTS.map((transport) => startFake(transport)));
    const waits = servers.map(async (server) => {
      const id = await make(server);
      return (await send(server, `/v1/exports/${id}?wait=${seconds}`)).status;
    });
    assert.deepEqual(await Promise.all(waits), [200, 200]);
    await Promise.all(servers.map((server) => server.close()));
  });

  it("is answered after its whole time, which spans several timers", async () => {
    const [transport] = TRANSPORTS;
    const server = await startFake(transport as (typeof TRANSPORTS)[number]);
    const id = await make(server);
    const beganMs = performance.now();
    const waits = [3, 4].map((seconds) => send(server, `/v1/exports/${id}?wait=${seconds}`));
    const [first] = waits;
    assert.equal((await first)?.status, 200);
    const tookMs = performance.now() - beganMs;
    assert.ok(tookMs >= 2_990, `only ${tookMs} ms`);
    server.exporter.run(id);
    const record = (await (await (waits[1] as Promise<Response>)).json()) as Created["export"];
    assert.equal(record.status, "running");
    await server.close();
  });

  it("is answered when the server stops", async () => {
    for (const transport of TRANSPORTS) {
      const server = await startFake(transport);
      const answer = send(server, `/v1/exports/${await make(server)}?wait=60`);
      while (server.exporter.waiting === 0) await sleep(5);
      const beganMs = performance.now();
      await server.close();
      assert.equal((await answer).status, 200);
      assert.ok(performance.now() - beganMs < 1_500, "it waited for its deadline");
    }
  });
});
