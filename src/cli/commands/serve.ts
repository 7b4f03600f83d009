/**
 * `peneira serve`. Input: a snapshot (file or folder), a data directory, and settings. Output: a
 * server that runs until a signal ends it, then exit code 0.
 * Invariant: a start that fails because of the snapshot, settings, or ports creates no state and
 * prints no key. Therefore the ports are bound before the state is opened, and refuse requests
 * until the server is ready. The whole file is verified later, so that the time to the first
 * response does not grow with the registry. The address is printed only when the server answers. A
 * key is printed once, when it is created.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { limitCores } from "../../../native-index/napi/engine.ts";
import { LeaseSignals } from "../../access/fleet/signals.ts";
import type { CreatedKey, Keyring } from "../../access/keyring.ts";
import { loadPlans, withRetention } from "../../access/plans.ts";
import { Assets } from "../../console/assets.ts";
import { consoleTable } from "../../console/routes.ts";
import { CommandError } from "../../errors.ts";
import { searchCounter } from "../../export/queue/rendertask.ts";
import { isStoreAddress } from "../../files/objectaddress.ts";
import { dispatcher } from "../../http/server/dispatch.ts";
import { metricsHandler } from "../../http/server/metricsserver.ts";
import type { RouteTable } from "../../http/server/routetable.ts";
import { SessionAuth } from "../../http/server/session-auth.ts";
import type { Transport } from "../../http/server/transport/transport.ts";
import { consoleFolder } from "../../location.ts";
import { systemClock } from "../../process/clock.ts";
import { Ledger } from "../../process/ledger.ts";
import { describeError, type LogDestination } from "../../process/log.ts";
import { stderr } from "../../process/terminal.ts";
import type { Segment } from "../../search/segment.ts";
import { runFirstQueries, warm } from "../../search/warm.ts";
import type { Config } from "../../settings/config.ts";
import { TRANSPORTS } from "../../settings/settings.ts";
import { removeHeldFiles } from "../../store/backup/backup.ts";
import { lockDataDir } from "../../store/database.ts";
import { openDataDir } from "../../store/datadir.ts";
import { KeyStore } from "../../store/keystore.ts";
import { isSqlite, openServedState } from "../../store/state.ts";
import { checkedDirectly, checkInThread } from "../../store/statecheck.ts";
import type { StateDatabase } from "../../store/statedatabase.ts";
import { useDescriptors } from "../../translate/activities/officialtexts.ts";
import { flush, makeService, type ServedService } from "../serving/assembly.ts";
import { type Ending, endingOf } from "../serving/ending.ts";
import { openFileStore } from "../serving/filestore.ts";
import { lockKindOf } from "../serving/fleet.ts";
import {
  bindPorts,
  descriptorWarnings,
  type Ports,
  threadsOf,
  threadWarnings,
} from "../serving/ports.ts";
import { Reload } from "../serving/reload.ts";
import { isFolder, openServed } from "../serving/served.ts";
import { openServingTransport, serveOnThreads } from "../serving/threads/opentransport.ts";
import { configOf, diskSpaceWarnings, ineffectiveSettings } from "../support/config.ts";
import { choice } from "../support/helptext.ts";

/** Milliseconds for which the server must be idle before the translator's tables are built. */
const QUIET_MS = 500;
/** Max event-loop utilization that counts as idle. */
const QUIET_SHARE = 0.1;

/** Interval between checks for replaced snapshots that can be closed, in milliseconds. */
const SWEEP_MS = 1_000;

/** Interval between writes of the last use of keys and sessions, in milliseconds. */
const USED_FLUSH_MS = 30_000;

/** Interval between writes of usage counts, in milliseconds. A crash may lose this much. */
const USAGE_FLUSH_MS = 3_000;

const EXAMPLES = `
The first start on a data directory prints an API key with the plan enterprise, once.
A newer snapshot that appears in the folder, or replaces the file, is verified and served without
losing a request. On SIGHUP, the server looks for one immediately. If the folder is empty, searches
get 503 until a snapshot appears. On SIGTERM or SIGINT, the server reports that it is not ready,
closes its port after http.drain_grace_ms, finishes the requests in flight, and exits with 0. A
second signal ends it immediately.

Examples:
  $ peneira serve --snapshot 2026-10.peneira --data-dir state
  $ peneira serve --snapshot snapshots/ --data-dir state --listen 127.0.0.1:0
  $ PENEIRA_TRANSPORT=node peneira serve --config peneira.json`;

/** The flags of `peneira serve`. Missing flags come from the other sources of settings. */
export interface ServeOptions {
  readonly snapshot?: string;
  readonly dataDir?: string;
  readonly listen?: string;
  readonly transport?: string;
  readonly config?: string;
}

/** Callbacks for `npm start`. */
export interface Hooks {
  /** Receives the server's address and service once it answers. */
  readonly onReady?: (url: string, service: ServedService) => void;
  readonly logTo?: LogDestination;
  /** Releases the lock on the data directory. Set if the caller already holds the lock. */
  readonly claimed?: () => void;
}

/** Adds `peneira serve` to the program. */
export function registerServe(program: Command): void {
  program
    .command("serve")
    .summary("answer searches over HTTP")
    .description("Serves a snapshot over HTTP until it receives a signal.")
    .option(
      "--snapshot <path>",
      "snapshot file, or a folder whose newest valid one is served; s3://… is fetched first " +
        "(default: PENEIRA_SNAPSHOT)",
    )
    .option(
      "--data-dir <dir>",
      "folder of the server's state, created if missing (default: PENEIRA_DATA_DIR)",
    )
    .option(
      "--listen <host:port>",
      "address to listen on (default: 127.0.0.1:8080; port 0 picks a free one)",
    )
    .addOption(choice("--transport <name>", "HTTP implementation (default: uws)", TRANSPORTS))
    .option("--config <file>", "JSON file with settings (default: PENEIRA_CONFIG)")
    .addHelpText("after", EXAMPLES)
    .action((options: ServeOptions) => serve(options));
}

/** Runs the server until a signal or a failure ends it. */
export async function serve(
  options: ServeOptions,
  { onReady, logTo, claimed }: Hooks = {},
): Promise<void> {
  const { snapshot, dataDir: data_dir, listen, transport } = options;
  const config = configOf({ snapshot, data_dir, listen, transport }, options.config);
  const { snapshotPath: place, dataDir } = required(config);
  const plans = withRetention(loadPlans(config.plans), config.get("exports.retention"));
  warn([...ineffectiveSettings(config), ...descriptorWarnings(config), ...threadWarnings(config)]);
  const descriptors = config.get("translate.descriptors");
  if (descriptors !== null) {
    const { readActivityTexts } = await import("../../dump/activities.ts");
    useDescriptors(readActivityTexts(descriptors));
  }
  // Core dumps are disabled before any secret is read.
  if (!config.get("core_dumps")) limitCores();
  const ledger = Ledger.open();
  const searches = searchCounter();
  const leases = config.get("state.url") === null ? null : new LeaseSignals();
  const opened = await openServingTransport(config, ledger, { searches, leases });
  const snapshotPath = isStoreAddress(place) ? await fetchServed(config, place, dataDir) : place;
  const openFiles = await openFileStore(config);
  const folder = isFolder(snapshotPath) ? snapshotPath : null;
  // The snapshot is opened first, so that a wrong path creates no data directory.
  const first = await openServed(snapshotPath, runFirstQueries);
  // Binds the ports before the state is opened, so that no key is printed if binding fails.
  const ports = await bindPorts(config, opened);
  const database = openServedState(dataDir, config.get("state.url"), lockKindOf(config));
  const sound = !isSqlite(database) || checkedDirectly(database);
  const places = { dataDir, folder, openFiles };
  const shared = { leases, database, url: ports.url };
  const parts = { config, plans, ledger, searches, logTo, ...shared, ...places };
  const service = makeService({ ...parts, transport: opened });
  const { segment: current, latest, load, drop, log, look, glance } = service;
  const watched = { path: snapshotPath, current, latest, load, drop, glance, looked: look };
  const prepare = async (segment: Segment) => {
    await service.compute.warm(segment);
    await service.prepare(segment);
  };
  const reload = new Reload({ ...watched, prepare, log, clock: systemClock });
  warn(diskSpaceWarnings(config, service.freeBytes()));
  service.onDamage(() => void reload.look());
  const unlock = claimed ?? lockDataDir(dataDir);
  removeHeldFiles(dataDir);
  if (first !== null) await service.prepare(first);
  const served = await service.recent(first);
  service.start(served ?? first);
  if (served !== null && first !== null) load(first);
  await look();
  if (printFirstKey(service.keyring, database) && service.users.list().length === 0)
    printSignInHelp(dataDir);
  const ended = endingOf(log);
  await service.leasing;
  await serveOnThreads(opened, service, { dataDir, ledger });
  const running = openPorts(config, service, opened, ports);
  if (first === null) printEmpty(snapshotPath);
  onReady?.(running.url, service);
  if (first !== null) void warmLater(first, service);
  if (!sound) void checkLater(database.name, service);
  if ((await whileServing(service, reload, ended)) === "failure") process.exitCode = 1;
  service.stop();
  running.leave();
  const reloaded = reload.stop();
  await sleep(config.get("http.drain_grace_ms"));
  await running.close(config.get("http.drain_timeout_ms"));
  await reloaded;
  await service.close();
  unlock();
}

/** Fetches the newest snapshot of a store. Returns the folder to serve. */
async function fetchServed(config: Config, address: string, dataDir: string): Promise<string> {
  const { fetchNewest } = await import("../update/fetchsnapshot.ts");
  const folder = join(dataDir, "snapshots");
  openDataDir(dataDir);
  try {
    const report = (text: string) => void stderr.print(`${text}\n`);
    await fetchNewest({ config, address, folder, report });
  } catch (error) {
    const hasFiles =
      existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith("."));
    if (!(error instanceof CommandError) || error.exitCode === 2 || !hasFiles) throw error;
    warn([`${error.message} Serving what was fetched before.`]);
  }
  return folder;
}

/**
 * Finishes preparations after the start, in small steps between requests. Most translator tables
 * are built only when the server is idle, so that no request waits for them. A sentence that
 * arrives earlier builds only the tables that it needs. Allocating so much memory during requests
 * would also make garbage collection retain the requests' short-lived data, including keys.
 */
async function warmLater(segment: Segment, service: ServedService): Promise<void> {
  const { log, stopping } = service;
  try {
    await warm(segment, stopping);
    await quiet();
    await service.compute.warm(segment, stopping);
  } catch (error) {
    // Reports damage of the file as a request would. Any other error means that a newer snapshot
    // has replaced this one.
    service.glance();
    log.info(describeError(error), "not all was made ready");
  }
}

/** Checks the state in a thread, if it was too large to check at start. Logs the result. */
async function checkLater(path: string, { log, telemetry }: ServedService): Promise<void> {
  const startedMs = performance.now();
  try {
    const found = await checkInThread(path);
    const took = { took_ms: Math.round(performance.now() - startedMs) };
    if (found.length === 0) log.info(took, "the state is sound");
    else telemetry.stateDamaged({ ...took, found });
  } catch (error) {
    log.warn(describeError(error), "the state was not checked");
  }
}

/** Resolves after an idle period. Its timer does not keep the process alive. */
async function quiet(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization();
    await sleep(QUIET_MS, undefined, { ref: false });
    if (performance.eventLoopUtilization(before).utilization < QUIET_SHARE) return;
  }
}

function warn(warnings: readonly string[]): void {
  for (const warning of warnings) stderr.print(`warning: ${warning}\n`);
}

/** Reports that no snapshot is served yet, so that the operator does not suspect a failure. */
function printEmpty(folder: string): void {
  stderr.print(
    `There is no valid snapshot in ${folder} yet: searches get 503 until one appears. ` +
      "Make one with peneira import.\n",
  );
}

/** Starts answering at the bound ports, and prints the line with the address. */
function openPorts(config: Config, service: ServedService, transport: Transport, ports: Ports) {
  const metrics = ports.metrics?.answer(metricsHandler(service.telemetry));
  const server = ports.main.answer(dispatcher(service, consoleOf(config, service)));
  const label = service.segment()?.label;
  const threads = threadsOf(config);
  service.log.info({ transport: transport.name, threads, snapshot: label }, "serving");
  stderr.print(`listening on ${ports.url}\n`);
  if (metrics !== undefined) stderr.print(`metrics on port ${metrics.port}\n`);
  const close = async (deadlineMs: number) => {
    await server.close(deadlineMs);
    // Metrics stay readable until the server has closed.
    await metrics?.close(0);
  };
  return { url: ports.url, close, leave: () => server.leave() };
}

/** Returns the public routes and the console, with its page files if they were built. */
function consoleOf(config: Config, { sessions }: ServedService): RouteTable {
  const sessionAuth = new SessionAuth({
    sessions,
    insecureHttp: config.get("console.insecure_http"),
  });
  return consoleTable(sessionAuth, new Assets(consoleFolder(), sessionAuth));
}

/** Runs the periodic work until the server ends. Returns the reason. */
async function whileServing(
  service: ServedService,
  reload: Reload,
  ended: Promise<Ending>,
): Promise<Ending> {
  const { log, keyring, sessions, usage, audit } = service;
  const flushing = setInterval(() => {
    flush(log, () => keyring.flushUsed());
    flush(log, () => sessions.flush());
  }, USED_FLUSH_MS);
  const counting = setInterval(() => {
    flush(log, () => usage.flush());
    flush(log, () => audit.sweep());
  }, USAGE_FLUSH_MS);
  const sweeping = setInterval(() => service.sweep(), SWEEP_MS);
  const onHangup = () => {
    void reload.look();
  };
  process.on("SIGHUP", onHangup);
  reload.start();
  const ending = await ended;
  process.off("SIGHUP", onHangup);
  clearInterval(flushing);
  clearInterval(counting);
  clearInterval(sweeping);
  return ending;
}

function required(config: Config): { readonly snapshotPath: string; readonly dataDir: string } {
  const snapshotPath = config.get("snapshot");
  const dataDir = config.get("data_dir");
  const missing = [
    ...(snapshotPath === null ? ["--snapshot PATH (what to serve)"] : []),
    ...(dataDir === null ? ["--data-dir DIR (where keys and state are kept)"] : []),
  ];
  if (snapshotPath !== null && dataDir !== null) return { snapshotPath, dataDir };
  throw new CommandError(`Pass ${missing.join(" and ")} too.`, 2);
}

/**
 * Makes and prints a first key for a new data directory. Returns false if keys exist. If the key
 * cannot be printed, it is not created, and the next start tries again.
 */
function printFirstKey(keyring: Keyring, database: StateDatabase): boolean {
  let unshown: unknown = null;
  const print = ({ key }: CreatedKey) => {
    try {
      stderr.printNow(`API key (plan enterprise, shown only now): ${key}\n`);
    } catch (error) {
      unshown = error;
      throw error;
    }
  };
  try {
    return new KeyStore(database).atomically(() => {
      const wanted = { tenant: "default", plan: "enterprise", name: "bootstrap" };
      const first = keyring.createFirst(wanted);
      if (first !== null) print(first);
      return first !== null;
    });
  } catch (error) {
    if (error !== unshown) throw error;
    return false;
  }
}

/** Explains how to create a user, because the console has none at first. */
function printSignInHelp(dataDir: string): void {
  stderr.print(
    `No console user yet: peneira user create --data-dir ${dataDir} --email you@example.com\n`,
  );
}
