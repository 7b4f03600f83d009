/**
 * Proves, on both transports, how large pages are streamed. A streamed page has the same bytes as a
 * page rendered whole. For a client that never reads, the server holds one chunk, and disconnects
 * the client in time. However an answer ends, it stops counting as a stream and releases the
 * snapshot. Damage is reported before the first byte or cuts the connection, so no incomplete page
 * looks complete. Too many concurrent streams are refused with a retry time. Does not prove: memory
 * or time (bench/http.bench.ts), nor the parts (contract/search/slices.test.ts).
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../../../src/errors.ts";
import { Budget } from "../../../../src/http/server/admission.ts";
import { manualClock } from "../../../../src/process/clock.ts";
import { ENGINE } from "../../../../src/search/finding.ts";
import { search, UNSTREAMED_ACCOUNTS_MAX } from "../../../../src/search/searcher.ts";
import { openSegment, type Segment, SegmentRegistry } from "../../../../src/search/segment.ts";
import { OUTPUT_FIELD_NAMES } from "../../../../src/spec/fields.ts";
import {
  engineOf,
  type FakeServer,
  fakeParts,
  fakeSegment,
  sendRaw,
  startFake,
  TEST_LIMITS,
  TRANSPORTS,
} from "../../../support/http/fake.ts";
import { settledAt } from "../../../support/http/file-fixture.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

const WRITE_TIMEOUT_MS = 800;
const LIMITS = { ...TEST_LIMITS, writeTimeoutMs: WRITE_TIMEOUT_MS };
const SPEC = {
  filters: { company: { registration_status_any_of: [2] }, geo: { uf_any_of: ["SP"] } },
};

/** Makes an engine that finds the configured accounts. The chunk `state.bad` fails. */
function makeLarge() {
  const state = {
    slices: 400,
    sliceBytes: 120_000,
    rendered: 0,
    bad: { pass: 0, slice: 0 },
    passes: 0,
  };
  const searchLarge: (typeof fakeParts)["searchSliced"] = () => {
    state.passes = 0;
    return {
      ...{ total: 50_000, more: true, lastRow: 49_999, plan: {} as never },
      slices: {
        rowCount: 50_000,
        whole: () => assert.fail("rendered at once"),
        *texts() {
          state.passes++;
          for (let at = 0; at < state.slices; at++) {
            if (state.passes === state.bad.pass && at === state.bad.slice) throw damaged();
            state.rendered++;
            yield Buffer.alloc(
              state.sliceBytes,
              at === 0 ? "[" : at === state.slices - 1 ? "]" : " ",
            );
          }
        },
      },
    };
  };
  return {
    state,
    engine: engineOf({ ...fakeParts, searchSliced: searchLarge, countMatches: () => 50_000 }),
  };
}

function damaged(): AppError {
  return new AppError("snapshot_unavailable", "The snapshot file is damaged.");
}

function requestBytes(server: FakeServer, limit: number): string {
  const body = JSON.stringify({ spec: SPEC, limit });
  return (
    "POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
    `Authorization: Bearer ${server.keys.enterprise}\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}

/** Returns the body of a chunked answer, with a character per byte. */
function unchunked(text: string): string {
  let body = "";
  for (let at = text.indexOf("\r\n\r\n") + 4; ; ) {
    const end = text.indexOf("\r\n", at);
    const length = Number.parseInt(text.slice(at, end), 16);
    if (length === 0) return body;
    body += text.slice(end + 2, end + 2 + length);
    at = end + 2 + length + 2;
  }
}

/** Opens a client that reads only the first bytes of a large page. */
async function pausedReader(server: FakeServer): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(requestBytes(server, 50_000));
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

function requestPage(server: FakeServer, limit: number, more: object = {}): Promise<Response> {
  return fetch(`${server.base}/v1/accounts/search`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.keys.enterprise}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ spec: SPEC, limit, ...more }),
  });
}

for (const transport of TRANSPORTS) {
  describe(`large pages over ${transport}`, () => {
    const { state, engine } = makeLarge();
    let holds = 0;
    let server: FakeServer;
    const retain = () => {
      holds++;
      let held = true;
      return () => {
        assert.ok(held, "let go twice");
        held = false;
        holds--;
      };
    };
    before(async () => {
      const parts = { engine, retain, streams: new Budget(12) };
      server = await startFake(transport, parts, LIMITS);
    });
    after(() => server.close());
    afterEach(async () => {
      Object.assign(state, { slices: 400, bad: { pass: 0, slice: 0 } });
      assert.equal(await settledAt(0, () => server.streams.used), 0, "places are not given back");
      assert.equal(holds, 0, "snapshots are still held");
    });

    it("render no more than clients read, and disconnect those that read nothing", async () => {
      const clients = 10;
      state.rendered = 0;
      const sockets = await Promise.all(
        Array.from({ length: clients }, () => pausedReader(server)),
      );
      assert.equal(server.streams.used, clients);
      assert.equal(holds, clients);
      await sleep(WRITE_TIMEOUT_MS / 2);
      // The rendered bytes are in buffers of the kernel, which take at most 6 MB per connection.
      const made = state.rendered / clients;
      assert.ok(made < (8 * 1024 * 1024) / state.sliceBytes, `${made} slices for each`);
      assert.equal(await settledAt(0, () => server.streams.used), 0);
      for (const socket of sockets) socket.destroy();
    });

    it("get a retry time beyond the stream limit, unlike small pages", async () => {
      const most = server.streams.most;
      const sockets = await Promise.all(Array.from({ length: most }, () => pausedReader(server)));
      const answer = await requestPage(server, 50_000);
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get("retry-after"), "1");
      assert.equal(((await answer.json()) as { code: string }).code, "overloaded");
      assert.equal((await requestPage(server, 50)).status, 200);
      for (const socket of sockets) socket.destroy();
      assert.equal(await settledAt(0, () => server.streams.used), 0);
      state.slices = 3;
      assert.equal((await requestPage(server, 50_000)).status, 200);
    });

    it("release their resources if clients leave at any moment", async () => {
      const leave = async (afterBytes: number) => {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(requestBytes(server, 50_000));
        let seen = 0;
        if (afterBytes === 0) await sleep(5);
        else {
          await new Promise<void>((resolve) => {
            socket.on("data", (chunk) => {
              seen += chunk.length;
              if (seen >= afterBytes) resolve();
            });
          });
        }
        socket.resetAndDestroy();
      };
      for (let round = 0; round < 5; round++) {
        await Promise.all([0, 0, 1, 700_000, 5_000_000].map(leave));
        assert.equal(await settledAt(0, () => server.streams.used), 0);
      }
    });

    it("release their resources if a request queued after another is cut off", async () => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(requestBytes(server, 50_000).repeat(3));
      await sleep(100);
      socket.destroy();
    });

    it("return 503 if damage is found before the first byte", async () => {
      state.bad = { pass: 1, slice: 0 };
      const answer = await requestPage(server, 50_000);
      assert.equal(answer.status, 503);
      assert.equal(((await answer.json()) as { code: string }).code, "snapshot_unavailable");
    });

    it("are cut, never completed, if damage is found later, and logged once", async () => {
      state.slices = 60;
      for (const bad of [1, 30, 59]) {
        state.bad = { pass: 1, slice: bad };
        server.logged.length = 0;
        const { text, closed } = await sendRaw(server.port, requestBytes(server, 50_000), 5_000);
        assert.match(text, /^HTTP\/1\.1 200 /);
        assert.ok(closed && !text.endsWith("0\r\n\r\n"), "the answer looks whole");
        const lines = server.logged.filter((line) => line.includes("answer cut"));
        assert.equal(lines.length, 1);
      }
    });
  });

  describe(`pages of a snapshot over ${transport}`, () => {
    let sample: SampleSnapshot;
    let segment: Segment;
    let server: FakeServer;
    const registry = new SegmentRegistry(manualClock(), 0);
    before(async () => {
      sample = await makeSampleSnapshot(6_000, 5);
      segment = await openSegment(sample.snapshot);
      registry.put(segment);
      server = await startFake(transport, {
        engine: ENGINE,
        segment: () => registry.current(),
        retain: (held) => registry.retain(held),
      });
    });
    after(async () => {
      await server.close();
      registry.close();
      sample.dispose();
    });

    it("are the same rendered whole or in chunks", async () => {
      const fields = ["cnpj", "legal_name", "cnae_secondary", "share_capital", "score"];
      for (const include_explain of [false, true]) {
        const output = { format: "json", fields, include_explain };
        const spec = {
          filters: { geo: { uf_any_of: ["SP", "MG", "RJ", "PR", "RS", "BA", "SC"] } },
        };
        const large = await requestPage(server, 50_000, { spec, output });
        const text = await large.text();
        assert.equal(large.headers.get("transfer-encoding"), "chunked");
        const body = JSON.parse(text) as { accounts: object[]; total: number; has_more: boolean };
        assert.ok(body.total > 4 * UNSTREAMED_ACCOUNTS_MAX && !body.has_more);
        const normalized = (JSON.parse(text) as { spec: never }).spec;
        const whole = search(segment, {
          ...{ spec: normalized, fields, afterRow: -1, explain: include_explain },
        });
        const start = text.indexOf('"accounts":') + 11;
        const end = text.lastIndexOf(',"next_cursor"');
        assert.equal(text.slice(start, end), Buffer.from(whole.accounts).toString());
      }
    });

    it("are read to their end from a snapshot that was replaced meanwhile", async () => {
      const next = fakeSegment("2026-11", "0123456789abcdef");
      const socket = connect(server.port, "127.0.0.1");
      const spec = { filters: { geo: { uf_any_of: ["SP", "MG", "RJ", "PR", "RS", "BA", "SC"] } } };
      // The page is larger than the kernel's buffers for a client that does not read.
      const output = { format: "json", fields: OUTPUT_FIELD_NAMES, include_explain: true };
      const body = JSON.stringify({ spec, limit: 50_000, output });
      const head = requestBytes(server, 1).split("Content-Length")[0];
      const bytes: Buffer[] = [];
      socket.write(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
      await settledAt(1, () => server.streams.used);
      registry.put(next);
      registry.sweep();
      assert.equal(registry.size, 2, "closed while it was read");
      socket.on("data", (chunk) => bytes.push(chunk));
      assert.equal(await settledAt(0, () => server.streams.used), 0);
      const text = () => Buffer.concat(bytes).toString("latin1");
      for (let round = 0; round < 200 && !text().endsWith("\r\n0\r\n\r\n"); round++)
        await sleep(10);
      const answer = JSON.parse(unchunked(text())) as { accounts: object[] };
      assert.ok(answer.accounts.length > 4 * UNSTREAMED_ACCOUNTS_MAX);
      registry.sweep();
      assert.equal(registry.size, 1);
      socket.destroy();
    });
  });
}
