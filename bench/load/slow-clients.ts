/**
 * Runs the slow clients of slow.bench.ts in a separate process. Input: port, kind, and number as
 * arguments, and a key as the first line of standard input. Until standard input ends, it holds
 * sockets that are only open, or that are slow (test/support/sockets/slow-sockets.ts). Output: the
 * results.
 * Invariant: the slow clients take almost no processor time, so that they do not delay the process
 * of the good clients. The time that they used is reported at the end.
 */
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { OUTPUT_FIELD_NAMES } from "../../src/spec/fields.ts";
import { openSlowSockets, type SlowSockets } from "../../test/support/sockets/slow-sockets.ts";

/** Milliseconds after which sockets that the server closed are opened again. */
const AGAIN_MS = 500;

/** Sockets that send nothing. */
function openSilentSockets(port: number, count: number): SlowSockets {
  const sockets = new Set<Socket>();
  const seen = { closed: 0, statuses: {} };
  let ended = false;
  const add = () => {
    const socket = connect(port, "127.0.0.1");
    sockets.add(socket);
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (ended) return;
      seen.closed++;
      setTimeout(() => !ended && add(), AGAIN_MS);
    });
  };
  for (let i = 0; i < count; i++) add();
  const close = () => {
    ended = true;
    for (const socket of sockets) socket.destroy();
  };
  return { count: seen, close };
}

/** Clients to open. */
export interface ClientsOptions {
  readonly port: number;
  /** Sockets that send nothing (`open`), or a mixture of slow ones (`slow`). */
  readonly kind: "open" | "slow";
  readonly count: number;
}

/** Returns the arguments for Node that run slow clients. */
export function clientsCommand({ port, kind, count }: ClientsOptions): string[] {
  const script = fileURLToPath(import.meta.url);
  return ["--import", "tsx", script, String(port), kind, String(count)];
}

async function run([port, kind, count]: readonly string[]): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  const key = await new Promise<string>((resolve) => lines.once("line", resolve));
  const began = process.cpuUsage();
  const beganMs = performance.now();
  const options = { port: Number(port), key, count: Number(count), fields: OUTPUT_FIELD_NAMES };
  const spec = { filters: { geo: { uf_any_of: ["SP", "MG", "RJ"] } } };
  const sockets =
    kind === "open"
      ? openSilentSockets(options.port, options.count)
      : openSlowSockets({ ...options, spec });
  process.stdout.write("open\n");
  await new Promise((resolve) => lines.once("close", resolve));
  const { user, system } = process.cpuUsage(began);
  const share = (user + system) / 10 / (performance.now() - beganMs);
  const statuses = Object.entries(sockets.count.statuses).map(([status, n]) => `${n} × ${status}`);
  const cost = `they took ${share.toFixed(1)} % of a core`;
  process.stdout.write(`${sockets.count.closed} closed, ${statuses.join(", ")}; ${cost}`);
  sockets.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run(process.argv.slice(2));
