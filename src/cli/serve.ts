/**
 * `peneira serve`. What comes in: a snapshot (file or folder), a data directory and settings. What
 * goes out: a server that answers until it is told to stop, then exit code 0.
 * Invariant: everything that can be wrong is found before the port is opened; the line with the
 * address is printed only when requests are answered; a key is printed once, at its making.
 */
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { Keyring } from "../access/keyring.ts";
import { loadPlans, type Plans } from "../access/plans.ts";
import { systemClock } from "../clock.ts";
import type { Config } from "../config.ts";
import { CommandError } from "../errors.ts";
import { Exports } from "../export/exports.ts";
import { slugOf } from "../export/filename.ts";
import { RenderPool } from "../export/pool.ts";
import { openTransport, type RunningServer, startServer } from "../http/server.ts";
import type { Service } from "../http/service.ts";
import type { Transport } from "../http/transport.ts";
import { describeError, type Log, openLog } from "../log.ts";
import { account, countMatches, facets, search } from "../search/searcher.ts";
import type { Segment } from "../search/segment.ts";
import { parseListen } from "../settings.ts";
import { lockDataDir, openDatabase, type StateDatabase } from "../store/database.ts";
import { KeyStore } from "../store/keystore.ts";
import { openSecrets } from "../store/secrets.ts";
import { configOf } from "./config.ts";
import { openServed } from "./served.ts";
import { VERSION } from "./version.ts";

/** Threads for exports where nobody says otherwise, beside the one that answers requests. */
const EXPORT_THREADS_MAX = 4;

/** How often it is written down when keys were last used, in milliseconds. */
const USED_FLUSH_MS = 30_000;

const EXAMPLES = `
The first start on a data directory prints an API key of the plan enterprise, once.
SIGTERM or SIGINT finishes the requests in flight and ends; a second one ends at once.

Examples:
  $ peneira serve --snapshot 2026-10.peneira --data-dir state
  $ peneira serve --snapshot snapshots/ --data-dir state --listen 127.0.0.1:0
  $ PENEIRA_TRANSPORT=node peneira serve --config peneira.json`;

/** The flags of `peneira serve`; what is missing comes from the other sources of settings. */
export interface ServeOptions {
  readonly snapshot?: string;
  readonly dataDir?: string;
  readonly listen?: string;
  readonly transport?: string;
  readonly config?: string;
}

/** Adds `peneira serve` to the program. */
export function registerServe(program: Command): void {
  program
    .command("serve")
    .summary("answer searches over HTTP")
    .description("Serves a snapshot over HTTP until it is told to stop.")
    .option("--snapshot <path>", "snapshot file, or a folder whose newest valid one is served")
    .option("--data-dir <dir>", "folder of the server's state; made where there is none")
    .option("--listen <host:port>", "address to listen at; port 0 picks a free one")
    .option("--transport <name>", "what speaks HTTP: uws or node")
    .option("--config <file>", "JSON file with settings")
    .addHelpText("after", EXAMPLES)
    .action((options: ServeOptions) => serve(options));
}

/** Runs the server until a signal ends it; `onReady` gets its address once it answers. */
export async function serve(
  options: ServeOptions,
  onReady: (url: string) => void = () => {},
): Promise<void> {
  const { snapshot, dataDir: data_dir, listen, transport } = options;
  const config = configOf({ snapshot, data_dir, listen, transport }, options.config);
  const { snapshotPath, dataDir } = required(config);
  const opened = await openTransport(config.get("transport"), limitsOf(config));
  const database = openDatabase(dataDir);
  const service = makeService({ config, dataDir, transport: opened, database });
  const { keyring } = service;
  const segment = await openServed(snapshotPath);
  const unlock = lockDataDir(dataDir);
  service.load(segment);
  printFirstKey(keyring);
  const address = addressOf(config);
  const server = await startServer(service, opened, address);
  service.log.info({ transport: opened.name, snapshot: segment.label }, "serving");
  const host = address.host.includes(":") ? `[${address.host}]` : address.host;
  const url = `http://${host}:${server.port}`;
  process.stderr.write(`listening on ${url}\n`);
  onReady(url);
  const flushing = setInterval(() => flushUsed(service), USED_FLUSH_MS);
  await stopSignal(() => service.stop());
  clearInterval(flushing);
  await shutDown({ server, service, database, segment });
  unlock();
}

function required(config: Config): { readonly snapshotPath: string; readonly dataDir: string } {
  const snapshotPath = config.get("snapshot");
  const dataDir = config.get("data_dir");
  const missing = [
    ...(snapshotPath === null ? ["--snapshot PATH (what to serve)"] : []),
    ...(dataDir === null ? ["--data-dir DIR (where keys and state are kept)"] : []),
  ];
  if (snapshotPath !== null && dataDir !== null) return { snapshotPath, dataDir };
  throw new CommandError(`Say also ${missing.join(" and ")}.`, 2);
}

function limitsOf(config: Config) {
  return {
    headBytesMax: config.get("http.headers_max_bytes"),
    headersTimeoutMs: config.get("http.headers_timeout_ms"),
    requestTimeoutMs: config.get("http.request_timeout_ms"),
    idleTimeoutMs: config.get("http.idle_timeout_ms"),
    writeTimeoutMs: config.get("http.write_timeout_ms"),
  };
}

function addressOf(config: Config) {
  const address = parseListen(config.get("listen"));
  if (address === null) throw new CommandError("--listen must be HOST:PORT.", 2);
  return address;
}

/** The service of a running process: its segment and its end can be set. */
interface ServedService extends Service {
  readonly exporter: Exports;
  load(segment: Segment): void;
  stop(): void;
}

function makeService(parts: {
  readonly config: Config;
  readonly dataDir: string;
  readonly transport: Transport;
  readonly database: StateDatabase;
}): ServedService {
  const { config, dataDir, transport, database } = parts;
  const plans = loadPlans(config.plans);
  const log = openLog(config.get("log.level"));
  const exporter = openExports({ config, dataDir, database, plans, log });
  let current: Segment | null = null;
  let stopping = false;
  return {
    engine: { search, countMatches, facets, account },
    exporter,
    keyring: new Keyring(new KeyStore(database), systemClock),
    plans,
    secrets: openSecrets(dataDir),
    clock: systemClock,
    log,
    version: VERSION,
    transport: transport.name,
    bodyBytesMax: config.get("http.body_max_bytes"),
    secondaryCnaeFull: config.get("exports.secondary_cnae_full"),
    securityContact: config.get("http.security_contact"),
    segment: () => current,
    stopping: () => stopping,
    load: (segment) => {
      current = segment;
      exporter.start(segment);
    },
    stop: () => {
      stopping = true;
      exporter.stop();
    },
  };
}

function openExports(parts: {
  readonly config: Config;
  readonly dataDir: string;
  readonly database: StateDatabase;
  readonly plans: Plans;
  readonly log: Log;
}): Exports {
  const { config } = parts;
  const spare = Math.min(Math.max(availableParallelism() - 1, 1), EXPORT_THREADS_MAX);
  const threads = new RenderPool(config.get("exports.threads") ?? spare);
  const retention = config.get("exports.retention");
  return new Exports({ ...parts, threads, clock: systemClock, retention, slugOf });
}

/** On a new data directory a person needs one key to begin with. */
function printFirstKey(keyring: Keyring): void {
  const first = keyring.createFirst({ tenant: "default", plan: "enterprise", name: "bootstrap" });
  if (first === null) return;
  process.stderr.write(`API key (plan enterprise, shown only now): ${first.key}\n`);
}

/** A database that is busy for once must not end the server; the times are kept for later. */
function flushUsed({ keyring, log }: Service): void {
  try {
    keyring.flushUsed();
  } catch (error) {
    log.warn(describeError(error), "the times of use of keys were not written");
  }
}

/** Waits for the first signal to end; the second one does not wait for anything. */
function stopSignal(begin: () => void): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0;
    const onSignal = () => {
      signals++;
      if (signals > 1) process.exit(1);
      begin();
      resolve();
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
}

async function shutDown(parts: {
  readonly server: RunningServer;
  readonly service: ServedService;
  readonly database: StateDatabase;
  readonly segment: Segment;
}): Promise<void> {
  await parts.server.close();
  await parts.service.exporter.close();
  parts.service.keyring.flushUsed();
  parts.database.close();
  parts.segment.close();
}
