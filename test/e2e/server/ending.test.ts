/**
 * Proves on the real process: an uncaught failure (an exception in a callback, an unhandled
 * rejection) is logged without its message and makes /readyz fail. The server then finishes its
 * answers as after a signal, and exits with 1. The server never continues, and a second failure
 * ends it immediately. Does not prove: that such a failure exists, which the other suites look for.
 */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/process.ts";

/** Time between "not ready" and the closed port, during which a test checks the server. */
const GRACE_MS = 1_500;
/** Text of a request, which errors might quote in their messages. */
const SECRET = "maria@example.com";

/** Code that is loaded before the product. On a signal, it causes an uncaught failure. */
const FAILURES = {
  exception: `setImmediate(() => { throw new TypeError("${SECRET}"); })`,
  rejection: `Promise.reject(new RangeError("${SECRET}"))`,
  two: `setImmediate(() => { setImmediate(() => { throw 2; }); throw 1; })`,
} as const;

let sample: SampleSnapshot;
before(async () => {
  sample = await makeSampleSnapshot(50, 1);
});
after(() => sample.dispose());

interface Failing {
  readonly server: ServerProcess;
  readonly ended: Promise<number | null>;
  log(): string;
}

async function failing(kind: keyof typeof FAILURES, graceMs = GRACE_MS): Promise<Failing> {
  const { folder, snapshot } = sample;
  const file = join(folder, `${kind}.log`);
  const log = openSync(file, "w");
  const preload = `process.on("SIGUSR2", () => { ${FAILURES[kind]} })`;
  const server = await startServerProcess({
    snapshot,
    dataDir: join(folder, kind),
    log,
    settings: {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
      PENEIRA_HTTP_DRAIN_GRACE_MS: String(graceMs),
    },
  });
  closeSync(log);
  const ended = exitOf(server.child);
  server.child.kill("SIGUSR2");
  return { server, ended, log: () => readFileSync(file, "utf8") };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  child.ref();
  return new Promise((resolve) => child.once("exit", resolve));
}

describe("an uncaught failure", () => {
  for (const kind of ["exception", "rejection"] as const) {
    it(`drains and exits with 1: ${kind}`, async () => {
      const { server, ended, log } = await failing(kind);
      const look = () => fetch(`${server.base}/readyz`);
      let ready = await look();
      while (ready.status === 200) {
        await sleep(5);
        ready = await look();
      }
      assert.equal(ready.status, 503);
      // Requests in flight are answered.
      assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
      assert.equal(await ended, 1);
      const line = log()
        .split("\n")
        .find((one) => one.includes("nothing caught"));
      assert.match(line ?? "", kind === "exception" ? /"TypeError"/ : /"RangeError"/);
      assert.ok(!log().includes(SECRET), "the message may quote a request");
    });
  }

  it("does not wait on a second one", async () => {
    const { ended } = await failing("two", 600_000);
    assert.equal(await ended, 1);
  });
});
