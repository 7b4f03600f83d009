/**
 * A fleet under test: three servers in separate networks behind HAProxy, one PostgreSQL, and one
 * strict store. Input: faults. Output: what clients reach.
 * Invariant: a server that ends without a fault is a violation. A server that cannot start is
 * started again, as a service manager does. Every log is kept until `end`.
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FAKE_KEYS, FakeS3 } from "../../support/export/fake-s3.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { type Edge, startFleetProxy } from "../../support/server/edge-proxy.ts";
import { TestPostgres } from "../../support/server/postgres-server.ts";
import {
  killServerProcess,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";
import { ALL_NETS, FleetNetwork } from "./network.ts";

/** Numbers of the servers. */
export const SERVERS = [0, 1, 2] as const;

const SCHEMA = "fleet";
const PORT = 5_499;
/** Milliseconds between starts after a failed one, and in total. */
const START_AGAIN_MS = 500;
const START_MS_MAX = 120_000;

/** Options of a fleet. */
export interface FleetOptions {
  readonly seed: number;
  readonly accounts: number;
  /** Paths of the bundles that the servers run. Null stands for the bundle of this checkout. */
  readonly programs?: readonly (string | null)[];
  readonly settings?: Readonly<Record<string, string>>;
  /** Number of snapshots that `give` can add, each of a later month. The default is 1. */
  readonly months?: number;
}

/** The servers, network, database, and store of a fleet. */
export class FleetGround {
  readonly folder = mkdtempSync(join(tmpdir(), "peneira-fleet-"));
  /** Reports of servers that ended although no fault caused it. */
  readonly ended: string[] = [];
  readonly network = FleetNetwork.make(SERVERS.length);
  readonly #options: FleetOptions;
  readonly #servers: (ServerProcess | null)[] = [null, null, null];
  readonly programs: (string | null)[];
  readonly #starting = new Map<number, Promise<void>>();
  postgres!: TestPostgres;
  store!: FakeS3;
  edge!: Edge;
  readonly #samples: SampleSnapshot[] = [];
  key = "";
  starts = 0;

  private constructor(options: FleetOptions) {
    this.#options = options;
    this.programs = [...(options.programs ?? [null, null, null])];
  }

  /** Starts everything. */
  static async start(options: FleetOptions): Promise<FleetGround> {
    const made = new FleetGround(options);
    const { network } = made;
    const { accounts, seed, months = 1 } = options;
    for (let month = 0; month < months; month++) {
      const sample = await makeSampleSnapshot(accounts - 200 * month, seed, `2026-0${5 + month}`);
      made.#samples.push(sample);
    }
    made.give(0);
    made.postgres = await TestPostgres.start({
      host: network.host("state"),
      port: PORT,
      clients: ALL_NETS,
    });
    made.store = await FakeS3.start(0, network.host("files"));
    for (const at of SERVERS) await made.begin(at);
    const [one, two, three] = SERVERS.map((at) => network.listen(at));
    const folder = join(made.folder, "proxy");
    made.edge = await startFleetProxy(folder, [one as string, two as string, three as string]);
    return made;
  }

  #folderOf(at: number): string {
    return join(this.folder, `snapshots-${at}`);
  }

  /** Puts a month into the folders of all servers. */
  give(month: number): void {
    const { snapshot } = this.#samples[month] as SampleSnapshot;
    for (const at of SERVERS) {
      const path = join(this.#folderOf(at), `month-${month}.peneira`);
      mkdirSync(this.#folderOf(at), { recursive: true });
      copyFileSync(snapshot, `${path}.tmp`);
      renameSync(`${path}.tmp`, path);
    }
  }

  get #settings(): Readonly<Record<string, string>> {
    return {
      PENEIRA_STATE_URL: this.postgres.networkAddress(SCHEMA),
      PENEIRA_FILES_URL: this.store.address(),
      PENEIRA_FILES_ACCESS_KEY: FAKE_KEYS.accessKey,
      PENEIRA_FILES_SECRET_KEY: FAKE_KEYS.secretKey,
      PENEIRA_FILES_SERVE: "proxy",
      PENEIRA_HTTP_TRUSTED_PROXIES: this.network.host("front"),
      PENEIRA_PLANS_ENTERPRISE_EXPORT_ROWS_PER_DAY: "1000000000",
      PENEIRA_NOTICES_ALLOW_NETWORKS: ALL_NETS,
      ...this.#options.settings,
    };
  }

  /** Starts a server, and repeats this until it listens. Does nothing if the server is running. */
  async begin(at: number): Promise<void> {
    if (this.#servers[at] !== null) return;
    const starting = this.#starting.get(at) ?? this.#begin(at);
    this.#starting.set(at, starting);
    await starting.finally(() => this.#starting.delete(at));
  }

  async #begin(at: number): Promise<void> {
    const log = openSync(join(this.folder, `server-${at}.log`), "a");
    const until = performance.now() + START_MS_MAX;
    for (;;) {
      try {
        await this.#start(at, log);
        return;
      } catch (error) {
        if (performance.now() > until) throw error;
        await sleep(START_AGAIN_MS);
      }
    }
  }

  async #start(at: number, log: number): Promise<void> {
    this.starts++;
    const dataDir = join(this.folder, `state-${at}`);
    const program = this.programs[at] ?? undefined;
    const server = await startServerProcess({
      ...{ snapshot: this.#folderOf(at), dataDir, log, settings: this.#settings },
      ...{ listen: this.network.listen(at), network: this.network.space(at) },
      ...(program === undefined ? {} : { program }),
    });
    if (server.key !== "") this.key = server.key;
    this.#servers[at] = server;
    server.child.once("exit", (code, signal) => {
      if (this.#servers[at] !== server) return;
      this.ended.push(`server ${at}: ${code ?? signal}`);
      this.#servers[at] = null;
    });
  }

  /** Servers that run. */
  get running(): number[] {
    return SERVERS.filter((at) => this.#servers[at] !== null);
  }

  /** Kills a server. Does nothing if it has already ended. */
  async kill(at: number): Promise<void> {
    const server = this.#servers[at] ?? null;
    this.#servers[at] = null;
    if (server !== null) await killServerProcess(server);
  }

  /** Stops a server as an operator does. */
  async stop(at: number): Promise<void> {
    const server = this.#servers[at];
    assert(server !== null && server !== undefined, `server ${at} runs`);
    this.#servers[at] = null;
    await stopServerProcess(server);
  }

  signal(at: number, signal: "SIGSTOP" | "SIGCONT"): void {
    this.#servers[at]?.child.kill(signal);
  }

  /** Runs a query in the database. Returns the output lines, with `|` between columns. */
  query(sql: string): string[] {
    const text = `SET search_path = ${SCHEMA}; ${sql}`;
    const port = ["--port", String(PORT), "--dbname", "postgres"];
    const output = this.postgres.tool("psql", ...port, "-qAtc", text).toString();
    return output.split("\n").filter((line) => line !== "");
  }

  /** Opens connections to the database until it refuses one. Returns the open connections. */
  async exhaust(): Promise<Socket[]> {
    const held: Socket[] = [];
    for (;;) {
      const socket = connect(PORT, this.network.host("state"));
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once("connect", () => socket.write(STARTUP));
        // The database answers with `R` if it admits a client, and with `E` if it refuses one.
        socket.once("data", (bytes) => resolve(bytes[0] === 0x52));
        socket.once("error", () => resolve(false));
      });
      socket.on("error", () => {});
      socket.resume();
      if (!isOpen) return held;
      held.push(socket);
    }
  }

  /** Returns the matching lines of all logs. */
  logged(pattern: RegExp): string[] {
    return SERVERS.flatMap((at) => {
      const text = readFileSync(join(this.folder, `server-${at}.log`), "utf8");
      return text.split("\n").filter((line) => pattern.test(line));
    });
  }

  /** Stops the servers as an operator does, and removes everything. */
  async end(): Promise<void> {
    for (const at of this.running) {
      this.signal(at, "SIGCONT");
      await this.stop(at);
    }
    await this.edge?.stop();
    await this.store?.close();
    await this.postgres?.remove();
    for (const sample of this.#samples) sample.dispose();
    this.network.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** First message of a client of PostgreSQL's protocol 3.0. */
const STARTUP = (() => {
  const text = Buffer.from("user\0peneira\0database\0postgres\0\0");
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + text.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, text]);
})();
