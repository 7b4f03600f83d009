/**
 * A proxy in front of a database server that silently drops the packets of some connections. A
 * network device does the same after it has lost its table of connections.
 * Invariant: a dropped connection passes no bytes in either direction and never ends by itself. All
 * other connections work, including later ones. The proxy runs in a thread, because its users wait
 * synchronously.
 */
import { Worker } from "node:worker_threads";

const PROXY = `
  const { connect, createServer } = require("node:net");
  const { parentPort, workerData } = require("node:worker_threads");
  const { path, opened } = workerData;
  let open = [];
  const server = createServer((client) => {
    const pair = [client, connect(path)];
    open.push(pair);
    Atomics.add(opened, 0, 1);
    for (const [from, to] of [pair, [...pair].reverse()]) {
      from.setNoDelay();
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => to.destroy());
      from.on("end", () => to.end());
    }
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
  parentPort.on("message", (dropped) => {
    for (const socket of open.flat()) socket.removeAllListeners("data").pause();
    open = [];
    Atomics.store(dropped, 0, 1);
    Atomics.notify(dropped, 0);
  });
`;

/** The proxy. */
export class DroppingProxy {
  readonly port: number;
  readonly #worker: Worker;
  readonly #opened: Int32Array;

  private constructor(worker: Worker, port: number, opened: Int32Array) {
    this.#worker = worker;
    this.port = port;
    this.#opened = opened;
  }

  /** Starts a proxy in front of a server's socket. */
  static async start(path: string): Promise<DroppingProxy> {
    const opened = sharedWord();
    const worker = new Worker(PROXY, { eval: true, workerData: { path, opened } });
    const port = await new Promise<number>((resolve) => worker.once("message", resolve));
    return new DroppingProxy(worker, port, opened);
  }

  /** Number of connections so far. */
  get opened(): number {
    return Atomics.load(this.#opened, 0);
  }

  /** Drops all packets of the connections that are open now. Returns when this is in effect. */
  drop(): void {
    const dropped = sharedWord();
    this.#worker.postMessage(dropped);
    Atomics.wait(dropped, 0, 0);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function sharedWord(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}
