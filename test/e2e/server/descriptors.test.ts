/**
 * Proves, over both transports: a server whose process may open few files reports its connection
 * limit, and answers new clients, including health checks, while idle connections use up the limit.
 * With too few files it does not start.
 * Does not prove: which connection is replaced (unit and campaign suites of sockets).
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../support/house/checkout.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { productCommand } from "../../support/server/process.ts";

/** There are more connections than descriptors. */
const FILES = 200;
const IDLE = 300;
const REQUEST = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

let sample: SampleSnapshot;
before(async () => {
  sample = await makeSampleSnapshot(500, 7);
});
after(() => sample.dispose());

async function started(transport: string): Promise<{ child: ChildProcess; output: string }> {
  const state = join(sample.folder, `state-${transport}`);
  const [file, args] = productCommand(["serve", "--snapshot", sample.snapshot]);
  const more = ["--data-dir", state, "--listen", "127.0.0.1:0", "--transport", transport];
  const limited = ["-c", `ulimit -n ${FILES}; exec "$0" "$@"`, file, ...args, ...more];
  const child = spawn("bash", limited, { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  while (!output.includes("listening on ") && child.exitCode === null) await sleep(20);
  return { child, output };
}

/** Sends a request on a separate connection. Returns the first line of the answer. */
async function statusOf(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
    socket.end();
  });
  socket.on("error", () => {});
  socket.setTimeout(5_000, () => socket.destroy());
  socket.write(REQUEST);
  await once(socket, "close");
  return text.split("\r\n", 1)[0] ?? "";
}

describe("a server with few file descriptors", () => {
  for (const transport of TRANSPORTS) {
    it(`answers new clients while others are idle, over ${transport}`, async (test) => {
      if (process.platform !== "linux") return test.skip("only Linux tells the limit");
      const { child, output } = await started(transport);
      const idle: Socket[] = [];
      try {
        const port = Number(/listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]);
        assert.match(output, /this process may open 200 files: 104 connections are let in/);
        for (let i = 0; i < IDLE; i++) {
          const socket = connect(port, "127.0.0.1").on("error", () => {});
          if (i % 2 === 0) socket.write(REQUEST);
          socket.resume();
          idle.push(socket);
        }
        await sleep(300);
        for (let i = 0; i < 10; i++) assert.equal(await statusOf(port), "HTTP/1.1 200 OK");
      } finally {
        for (const socket of idle) socket.destroy();
        child.kill("SIGTERM");
        if (child.exitCode === null) await once(child, "exit");
      }
    });
  }

  it("is rejected with a readable error if they are too few for its threads", (test) => {
    if (process.platform !== "linux") return test.skip("only Linux tells the limit");
    const [file, args] = productCommand(["serve", "--snapshot", sample.snapshot]);
    const more = ["--data-dir", join(sample.folder, "none"), "--listen", "127.0.0.1:0"];
    for (const [files, threads, needed] of [
      [130, "3", 142],
      [150, "8", 192],
    ] as const) {
      const limited = ["-c", `ulimit -n ${files}; exec "$0" "$@"`, file, ...args, ...more];
      const env = { ...process.env, PENEIRA_HTTP_THREADS: threads };
      const { status, stderr } = spawnSync("bash", limited, { cwd: ROOT, env, encoding: "utf8" });
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`may open ${files} files, .* needs ${needed} at least\\.`));
      assert.ok(!existsSync(join(sample.folder, "none")), "nothing is made");
    }
  });
});
