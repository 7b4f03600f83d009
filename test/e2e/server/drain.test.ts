/**
 * Proves, with real server processes on both transports: a server that is stopped under load loses
 * no request of its clients. It exits with 0, and the next server continues on the same data
 * directory. This is repeated with different delays. Also tests the answers during the stop,
 * and that the write-ahead log of the database is empty afterwards.
 * Does not prove: the second signal (e2e/server/serve.test.ts) and downloads until the deadline
 * (contract/http/server/transport-files.test.ts).
 */
import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { startServerProcess, stopServerProcess } from "../../support/server/process.ts";
import { type Expected, expectedOf, SteadyLoad } from "../../support/server/steady-load.ts";

/** Number of stops on each transport. */
const DRAINS = tries("drains");
const SETTINGS = {
  PENEIRA_PLANS_ENTERPRISE_REQUESTS_PER_SECOND: "100000",
  PENEIRA_PLANS_ENTERPRISE_BURST: "100000",
  PENEIRA_PLANS_ENTERPRISE_QUEUED_EXPORTS: "100000",
};
/** Number of different delays from the start of the load to the stop, in steps of 17 ms. */
const MOMENTS = 40;
/**
 * Maximum number of new connections that may be reset during all stops of one transport. It is zero
 * on Linux, where the server first shuts the port (it leaves new connections unanswered) and closes
 * it later. On other systems, the server last checks for new connections and then closes the port.
 * A connection that arrives in between is reset.
 */
const UNTAKEN_MAX = process.platform === "linux" ? 0 : 2;
/** Milliseconds, more than closing a shut port takes. */
const SILENT_MS = 150;
const HEALTHZ = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

let sample: SampleSnapshot;
let expected: Expected;

before(async () => {
  sample = await makeSampleSnapshot(700, 7);
  expected = await expectedOf(sample);
});
after(() => sample.dispose());

/** Opens a connection, and collects the bytes that it receives. */
function openSocket(base: string): { readonly socket: Socket; text: string; ended: boolean } {
  const socket = connect(Number(new URL(base).port), "127.0.0.1");
  const open = { socket, text: "", ended: false };
  socket.on("data", (chunk) => {
    open.text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    open.ended = true;
  });
  return open;
}

/**
 * Resolves when no process listens at the port. After a port is shut, connections to it are first
 * left without an answer.
 */
async function refused(base: string): Promise<void> {
  const port = Number(new URL(base).port);
  for (;;) {
    const taken = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.on("connect", () => socket.destroy());
      socket.on("error", () => resolve(false));
      setTimeout(() => {
        if (socket.connecting) resolve(false);
      }, SILENT_MS);
      socket.setTimeout(2 * SILENT_MS, () => socket.destroy());
    });
    if (!taken) return;
    await sleep(10);
  }
}

for (const transport of TRANSPORTS) {
  describe(`a server that is stopped, over ${transport}`, () => {
    const input = (name: string, settings: Readonly<Record<string, string>>) => ({
      snapshot: sample.snapshot,
      dataDir: join(sample.folder, `state-${name}-${transport}`),
      transport,

      settings: { ...SETTINGS, ...settings },
    });

    it(`loses no request in ${DRAINS} stops under load, and no export`, async (test) => {
      let key = "";
      const total: Record<string, number> = {};
      const exports: SteadyLoad["exports"] = new Map();
      let refusals = 0;
      let untaken = 0;
      for (let drain = 0; drain < DRAINS; drain++) {
        // Every second server closes its port without a delay.
        const graceMs = drain % 2 === 0 ? "0" : "150";
        const server = await startServerProcess(
          input("drains", { PENEIRA_HTTP_DRAIN_GRACE_MS: graceMs }),
        );
        key ||= server.key;
        const load = new SteadyLoad(server.base, key, [expected]);
        const clients = Array.from({ length: 6 }, (_, i) => load.search(i > 1));
        clients.push(load.walk(1), load.count(0), load.export(5));
        await sleep(100 + 17 * (drain % MOMENTS));
        // A server has no time to render ten exports, so later stops leave fewer unfinished.
        const queued = drain < MOMENTS ? 10 : 2;
        const waiting = await Promise.all(Array.from({ length: queued }, () => load.create()));
        const poll = load.send("poll", `/v1/exports/${waiting.at(-1)}?wait=60`);
        load.stopping = true;
        const ended = stopServerProcess(server);
        await poll;
        await Promise.all(clients);
        await ended;
        assert.deepEqual(load.failures, [], `drain ${drain}`);
        for (const [kind, count] of Object.entries(load.answered)) {
          total[kind] = (total[kind] ?? 0) + count;
        }
        refusals += load.refused;
        untaken += load.untaken;
        for (const [id, made] of load.exports) exports.set(id, made);
        load.close();
      }
      const server = await startServerProcess(input("drains", {}));
      const load = new SteadyLoad(server.base, key, [expected]);
      for (const [id, made] of exports) load.exports.set(id, made);
      await load.checkExports(new Map([[expected.label, sample]]));
      assert.deepEqual(load.failures, []);
      load.close();
      await stopServerProcess(server);
      const counts = `${JSON.stringify(total)}, refused ${refusals}, ${untaken} of them untaken`;
      test.diagnostic(`${DRAINS} stops, answered ${counts}`);
      assert.ok(untaken <= UNTAKEN_MAX, `${untaken} of ${refusals} were reset`);
    });

    it("is not ready, accepts connections during the grace, then serves open ones", async () => {
      const options = input("grace", { PENEIRA_HTTP_DRAIN_GRACE_MS: "3000" });
      const server = await startServerProcess(options);
      const load = new SteadyLoad(server.base, server.key, [expected]);
      const idle = openSocket(server.base);
      const silent = openSocket(server.base);
      idle.socket.write(HEALTHZ);
      while (idle.text === "" && !idle.ended) await sleep(20);
      assert.match(idle.text, /^HTTP\/1\.1 200 OK/);
      assert.doesNotMatch(idle.text, /connection: close/i);
      const ended = stopServerProcess(server);
      let ready = await fetch(`${server.base}/readyz`);
      while (ready.status === 200) ready = await fetch(`${server.base}/readyz`);
      assert.deepEqual([ready.status, ready.headers.get("connection")], [503, "close"]);
      const count = await load.send("count", "/v1/accounts/count", { spec: {} });
      assert.ok(count !== null, "the port is closed before the grace is over");
      assert.equal(count.connection, "close");
      for (const path of ["/docs", "/v1/exports", "/v1/nothing"]) {
        const head = await fetch(server.base + path, { method: "HEAD" });
        assert.equal(head.headers.get("connection"), "close", path);
      }
      await refused(server.base);
      idle.text = "";
      idle.socket.write(HEALTHZ);
      await ended;
      while (!idle.ended) await sleep(20);
      assert.match(idle.text, /^HTTP\/1\.1 200 OK/);
      assert.match(idle.text, /connection: close/i);
      assert.ok(silent.text === "");
      load.close();
      const log = join(options.dataDir, "state.db-wal");
      assert.ok(!existsSync(log) || statSync(log).size === 0, "the log was not written back");
    });
  });
}
