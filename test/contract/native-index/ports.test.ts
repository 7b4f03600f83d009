/**
 * Proves: a port distributes connections evenly, plus or minus one, among the threads that accept
 * from it. Connections that wait are accepted before the port reports its end. If a thread ends,
 * the others continue. An address in use is rejected. The wildcard address accepts IPv4 and IPv6.
 * Does not prove: how servers use connections (contract/http/server), that a port can be shut
 * (unit/http/server/drain-parts).
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import {
  acceptConnections,
  closePort,
  type OpenPort,
  openPort,
} from "../../../native-index/napi/engine.ts";

/** Returns the path of this thread's addon. Threads share ports if they load the same file. */
function addonFile(): string {
  const { cache } = createRequire(import.meta.url);
  const found = Object.keys(cache).find((file) => file.endsWith("peneira.node"));
  assert.ok(found !== undefined, "the addon is loaded");
  return found;
}

/** Program of a thread that counts accepted connections until the port ends. */
const TAKER = `
  const { parentPort, workerData: { addon, port } } = require("node:worker_threads");
  let taken = 0;
  require(addon).acceptConnections(port, (descriptor) => {
    if (descriptor < 0) parentPort.postMessage(taken);
    else taken++;
  });
  parentPort.postMessage("ready");
`;

/** Number of connections that a thread has opened. */
const MADE = new Int32Array(new SharedArrayBuffer(4));

const ports: OpenPort[] = [];
const sockets: Socket[] = [];

function open(host = "127.0.0.1"): OpenPort {
  const port = openPort(host, 0);
  assert.ok(port !== null);
  ports.push(port);
  return port;
}

/** Opens connections in sequence. Each is opened after the system has reported the previous one. */
async function connected(port: OpenPort, count: number, host = "127.0.0.1"): Promise<void> {
  for (let i = 0; i < count; i++) {
    const socket = connect(port.number, host);
    socket.on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
  }
}

async function taker(port: OpenPort): Promise<Worker> {
  const thread = new Worker(TAKER, {
    eval: true,
    workerData: { addon: addonFile(), port: port.id },
  });
  await once(thread, "message");
  return thread;
}

/** Accepts connections on this thread until the port is closed. */
function takeHere(port: OpenPort) {
  const seen: number[] = [];
  const ended = new Promise<readonly number[]>((resolve) => {
    acceptConnections(port.id, (descriptor) => {
      seen.push(descriptor);
      if (descriptor < 0) resolve(seen);
      else closeSync(descriptor);
    });
  });
  return { seen, ended };
}

afterEach(() => {
  for (const { id } of ports.splice(0)) closePort(id);
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe("an open port", () => {
  it("deals connections to the threads in round-robin order", async () => {
    const port = open();
    const threads = [await taker(port), await taker(port), await taker(port)];
    await connected(port, 16);
    const counts = Promise.all(threads.map(async (thread) => (await once(thread, "message"))[0]));
    closePort(port.id);
    assert.deepEqual((await counts).sort(), [5, 5, 6]);
    await Promise.all(threads.map((thread) => thread.terminate()));
  });

  it("queues connections before any thread accepts, and reports its end last", async () => {
    const port = open();
    await connected(port, 5);
    const { seen, ended } = takeHere(port);
    await connected(port, 5);
    closePort(port.id);
    assert.equal((await ended).length, 11);
    assert.equal(seen.indexOf(-1), 10);
  });

  it("hands over connections that arrived before the close while the thread was busy", async () => {
    const port = open();
    const { seen, ended } = takeHere(port);
    const crowd = new Worker(
      `const { workerData: { port, made } } = require("node:worker_threads");
       for (let i = 0; i < 20; i++) require("node:net").connect(port, "127.0.0.1")
         .on("connect", () => { Atomics.add(made, 0, 1); Atomics.notify(made, 0); })
         .on("error", () => {});`,
      { eval: true, workerData: { port: port.number, made: MADE } },
    );
    while (Atomics.load(MADE, 0) < 20) Atomics.wait(MADE, 0, Atomics.load(MADE, 0), 50);
    closePort(port.id);
    assert.deepEqual(seen, []);
    assert.equal((await ended).indexOf(-1), 20);
    await crowd.terminate();
  });

  it("continues with the other threads if one ends", async () => {
    const port = open();
    const { ended } = takeHere(port);
    const thread = await taker(port);
    await connected(port, 2);
    await thread.terminate();
    await connected(port, 6);
    // The connections of the thread end with it. Those of other threads are answered.
    await sleep(50);
    closePort(port.id);
    assert.ok((await ended).length >= 7, String((await ended).length));
  });

  it("is exclusive to this server", () => {
    const port = open();
    assert.equal(openPort("127.0.0.1", port.number), null);
    assert.equal(openPort("no such host.invalid", 0), null);
    assert.equal(openPort("192.0.2.1", 0), null);
    closePort(port.id);
    const again = openPort("127.0.0.1", port.number);
    assert.equal(again?.number, port.number);
    ports.push(again as OpenPort);
  });

  it("accepts both address families on the wildcard address", async (context) => {
    const own = Object.values(networkInterfaces()).flat();
    if (!own.some((one) => one?.address === "::1")) return context.skip("no IPv6 here");
    const port = open("::");
    const { ended } = takeHere(port);
    await connected(port, 1, "127.0.0.1");
    await connected(port, 1, "::1");
    closePort(port.id);
    assert.equal((await ended).length, 3);
  });

  it("accepts no more threads after a close, and may be closed again", () => {
    const port = open();
    closePort(port.id);
    closePort(port.id);
    const isTaken = acceptConnections(port.id, () => {});
    assert.equal(isTaken, false);
  });
});
