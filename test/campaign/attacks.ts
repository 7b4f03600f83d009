/**
 * Attacks on the sockets of a server.
 * Invariant: connections and bytes are bounded, only loopback is used, and an attack leaves nothing
 * when it ends.
 */

import { Client, withKeyring } from "../support/export/client.ts";
import type { ServerProcess } from "../support/server/process.ts";
import { crowd, flood, get } from "../support/sockets/attacks.ts";
import { openFlood } from "../support/sockets/body-floods.ts";
import {
  ALL_METHODS,
  holdOpen,
  requestOf,
  resetAfterEveryByte,
} from "../support/sockets/resets.ts";
import { openReaders } from "../support/sockets/slow-readers.ts";
import type { Draw } from "../support/spec/random.ts";

/** A server, and the objects of the attacker and of other clients on it. */
export interface Victim {
  readonly port: number;
  readonly metricsPort: number;
  readonly base: string;
  /** Key of the tenant that attacks. */
  readonly key: string;
  /** Key of another tenant. */
  readonly otherKey: string;
  /** Ids of exports that the attacker has queued. */
  readonly waiting: readonly string[];
  ended(): boolean;
}

/** Begins an attack. Returns a function that ends it. */
export type Attack = (victim: Victim, draw: Draw) => Promise<() => void>;

/** Paths that can be requested without a key. */
const OPEN_PATHS = ["/docs/errors", "/docs", "/healthz", "/v1/status", "/nothing", "/openapi.json"];
/** Number of exports that keep one thread busy for a while. */
const QUEUED = 60;
const PIPELINED_BYTES = 512 * 1024;

/** All attacks by name. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  /** Sends ever longer beginnings of a request with any method, and resets each connection. */
  async resets(victim, draw) {
    const request = requestOf(draw.of(ALL_METHODS));
    await resetAfterEveryByte(listenerOf(victim, draw), request, { further: draw.below(100) });
    return () => {};
  },

  /** Sends a CONNECT request, or the beginning of another one, and keeps the connection open. */
  async held(victim, draw) {
    const request = requestOf(draw.chance(0.5) ? "CONNECT" : draw.of(ALL_METHODS));
    const bytes = draw.chance(0.5) ? request : request.slice(0, draw.below(request.length));
    const sockets = await holdOpen(listenerOf(victim, draw), 100 + draw.below(1_900), bytes);
    return () => {
      for (const socket of sockets) socket.destroy();
    };
  },

  /** Sends hundreds of kilobytes of small requests per connection, and reads no answers. */
  async pipelining(victim, draw) {
    const lines = draw.chance(0.3) ? `Authorization: Bearer ${victim.key}\r\n` : "";
    const bytes = flood(PIPELINED_BYTES, get(draw.of(OPEN_PATHS), lines));
    const target = { port: listenerOf(victim, draw), from: `127.0.0.${2 + draw.below(50)}` };
    return (await crowd(target, 1 + draw.below(64), { bytes, reading: false })).close;
  },

  /** Opens connections that send nothing, a small request, or part of one. */
  async idle(victim, draw) {
    const bytes = draw.of(["", get("/healthz"), "GET /healthz HTTP/1.1\r\nHost: a\r\n"]);
    const target = { port: listenerOf(victim, draw), from: `127.0.1.${1 + draw.below(200)}` };
    return (await crowd(target, 100 + draw.below(2_000), { bytes })).close;
  },

  /** Sends requests that wait for the end of an export. */
  async polls(victim, draw) {
    const lines = `Authorization: Bearer ${victim.key}\r\n`;
    const bytes = get(`/v1/exports/${draw.of(victim.waiting)}?wait=60`, lines);
    return (await crowd({ port: victim.port }, 100 + draw.below(2_000), { bytes })).close;
  },

  /** Requests large pages and reads them slowly or not at all. */
  async readers(victim, draw) {
    const spec = { filters: { geo: { uf_any_of: ["SP", "MG", "RJ"] } } };
    const body = JSON.stringify({ spec, limit: 50_000 });
    const request =
      `POST /v1/accounts/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer ${victim.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const everyMs = draw.chance(0.5) ? null : 200;
    const options = { port: victim.port, request: () => request, bytes: 1_024, everyMs };
    return openReaders({ ...options, count: 20 + draw.below(200) }).close;
  },

  /** Sends endless bodies, to the sign-in route without a key or to another route with a key. */
  async bodies(victim, draw) {
    const keyed = draw.chance(0.5);
    const path = keyed ? "/v1/accounts/search" : "/v1/console/session";
    const who = keyed ? `Authorization: Bearer ${victim.key}\r\n` : "Origin: http://a\r\n";
    const head =
      `POST ${path} HTTP/1.1\r\nHost: a\r\n${who}Content-Type: application/json\r\n` +
      "Content-Length: 1000000\r\n\r\n";
    const size = { first: 4_000, bytes: 32_000, everyMs: 100, most: 900_000 };
    const count = 50 + draw.below(200);
    return openFlood({ port: victim.port, head: () => head, count, ...size, againMs: 50 }).close;
  },
};

/** Returns the port to attack. In half of the cases, this is the port of the metrics. */
function listenerOf({ port, metricsPort }: Victim, draw: Draw): number {
  return draw.chance(0.5) ? port : metricsPort;
}

/** Creates two tenants. The attacking one has waiting exports. */
export async function victimOf(server: ServerProcess, metricsPort: number): Promise<Victim> {
  const make = (tenant: string) => ({ tenant, plan: "enterprise", name: "" }) as const;
  const [key, otherKey] = withKeyring(server.dataDir, (keyring) => [
    keyring.create(make("attacker")).key,
    keyring.create(make("other")).key,
  ]) as [string, string];
  let ended = false;
  server.child.once("exit", () => {
    ended = true;
  });
  const client = new Client(server.base, key);
  const waiting: string[] = [];
  for (let i = 0; i < QUEUED; i++) {
    const spec = { filters: { geo: { uf_any_of: ["SP", "MG", "RJ"] } } };
    const made = await client.create({ spec, output: { format: "xlsx" } }, `campaign-${i}`);
    waiting.push(made.export.export_id);
  }
  const port = Number(new URL(server.base).port);
  return { port, metricsPort, base: server.base, key, otherKey, waiting, ended: () => ended };
}
