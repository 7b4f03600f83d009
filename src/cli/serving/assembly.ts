/**
 * Assembles the parts of a server. Input: the configuration, an open transport, and the state.
 * Output: the service that all handlers use, whose snapshot can be replaced.
 * Invariant: this file answers no request and opens no port. `close` closes everything opened here,
 * in dependency order.
 */
import { availableParallelism } from "node:os";
import { AuditTrail } from "../../access/audittrail.ts";
import { FleetRates } from "../../access/fleet/fleetrates.ts";
import type { LeaseSignals } from "../../access/fleet/signals.ts";
import { Keyring } from "../../access/keyring.ts";
import { GUESS_POLICY, RateLimits, Usage } from "../../access/limits.ts";
import { Passwords } from "../../access/passwords.ts";
import type { Plans } from "../../access/plans.ts";
import { Sessions } from "../../access/sessions.ts";
import { SignIns } from "../../access/signins.ts";
import { Users } from "../../access/users.ts";
import { Exports, type OpenFiles } from "../../export/exports.ts";
import { slugOf } from "../../export/files/filename.ts";
import { RenderPool } from "../../export/queue/pool.ts";
import { Budget, ExportWaits, OverloadGuard } from "../../http/server/admission.ts";
import { Cors } from "../../http/server/cors.ts";
import { fleetMetrics } from "../../http/server/fleetmetrics.ts";
import { ResponseCache } from "../../http/server/responsecache.ts";
import type { Service } from "../../http/server/service.ts";
import { Telemetry } from "../../http/server/telemetry.ts";
import { HttpThreads } from "../../http/server/threads/http-threads.ts";
import type { Transport } from "../../http/server/transport/transport.ts";
import { ChangeThread } from "../../lists/changethread.ts";
import { ListBinder } from "../../lists/listbinding.ts";
import { Lists } from "../../lists/lists.ts";
import { agentEndpoint } from "../../mcp/httpendpoint.ts";
import { Notices } from "../../notices/notices.ts";
import { systemClock } from "../../process/clock.ts";
import type { Ledger } from "../../process/ledger.ts";
import {
  describeError,
  type Log,
  LogBuffer,
  type LogDestination,
  openLog,
  queued,
} from "../../process/log.ts";
import { ENGINE } from "../../search/finding.ts";
import { Scrubber } from "../../search/scrubber.ts";
import { type Segment, SegmentRegistry } from "../../search/segment.ts";
import type { Config } from "../../settings/config.ts";
import { Proxies } from "../../settings/proxies.ts";
import { AuditStore, COMMAND_LINE } from "../../store/auditstore.ts";
import { KeyStore } from "../../store/keystore.ts";
import { ListStore } from "../../store/liststore.ts";
import { rememberedAddress } from "../../store/postgres/address.ts";
import { ServerLock } from "../../store/postgres/sharedstate.ts";
import { SearchStore } from "../../store/searchstore.ts";
import { openSecrets, type Secrets } from "../../store/secrets.ts";
import { closeState, isSqlite } from "../../store/state.ts";
import { StateWatch } from "../../store/statecheck.ts";
import type { StateDatabase } from "../../store/statedatabase.ts";
import { QuotaStore, UsageStore } from "../../store/usagestore.ts";
import { UserStore } from "../../store/userstore.ts";
import { VERSION } from "../commands/version.ts";
import { smtpOf } from "../support/smtp.ts";
import { type Freshness, freshnessOf } from "../update/lastcheck.ts";
import { type ChangesParts, ServedChanges } from "./changes.ts";
import { ComputePool } from "./computepool.ts";
import { type Fleet, fleetOf, lockKindOf } from "./fleet.ts";
import { MonthSwitch } from "./monthswitch.ts";
import { openRecent } from "./recentmonths.ts";

/** Default max of export threads, in addition to the main thread. */
const EXPORT_THREADS_MAX = 4;

/** Inputs of a service. */
export interface Parts {
  readonly config: Config;
  readonly plans: Plans;
  readonly dataDir: string;
  readonly transport: Transport;
  /** Counts shared by all threads. They end with the process. */
  readonly ledger: Ledger;
  /** Counter of searches, for the threads that render exports. */
  readonly searches: Int32Array;
  /** Signals of leased rate limits, or null if the state is in the data directory. */
  readonly leases: LeaseSignals | null;
  readonly database: StateDatabase;
  /** Address at which the server answers. */
  readonly url: string;
  /** The served folder, or null if a single file is served. */
  readonly folder: string | null;
  /** Opens the store of finished export files. If undefined, files stay on the local disk. */
  readonly openFiles?: ((secrets: Secrets) => OpenFiles) | undefined;
  /** Destination of the log; standard output if missing. */
  readonly logTo?: LogDestination | undefined;
}

/** The service of a running process, with control over its snapshot and its end. */
export interface ServedService extends Service {
  readonly compute: ComputePool;
  /** Opens a snapshot on all threads that will serve it. */
  prepare(segment: Segment): Promise<void>;
  /**
   * Opens the snapshots, other than `first`, for which other servers still issue cursors. If the
   * other servers serve one of them, returns it. Call this before `start`.
   */
  recent(first: Segment | null): Promise<Segment | null>;
  /** Resolves when rate limits of a fleet can be leased. */
  readonly leasing: Promise<void>;
  /** Begins, with a prepared first snapshot or without one. Call this before the server listens. */
  start(segment: Segment | null): void;
  /**
   * Takes a prepared snapshot and serves it once all servers of the state have it. The previous
   * snapshot stays open for its cursors. Returns true if the new snapshot is served now.
   */
  load(segment: Segment): boolean;
  /** Returns the latest prepared snapshot, which may wait for other servers. */
  latest(): Segment | null;
  /** Serves no snapshot until the next is loaded, because the current file is corrupt. */
  drop(): void;
  /** Returns the free bytes of the disk with the exports, or null if it is unknown. */
  freeBytes(): number | null;
  /** Checks whether opened snapshots were modified. */
  glance(): void;
  /** Sets the listener for damage of an opened snapshot. */
  onDamage(listener: () => void): void;
  /** Scans the folder for other months. Never rejects. */
  look(): Promise<void>;
  /** Closes replaced snapshots without recent use. */
  sweep(): void;
  /** Begins to stop: reports that the server is not ready, and starts no further render. */
  stop(): void;
  /** Closes all parts. The server must have stopped answering. */
  close(): Promise<void>;
}

/** Puts the parts together. Throws `CommandError` for an unusable state. */
export function makeService(parts: Parts): ServedService {
  const { config, plans, dataDir, transport, ledger, searches, database, folder } = parts;
  const threads = transport instanceof HttpThreads ? transport : null;
  const { log, closeLog } = openLogOf(parts, threads !== null);
  const snapshots = openSnapshots({ config, dataDir, folder, log }, threads);
  const { registry, changes, scrubber, responses, onDamage } = snapshots;
  const telemetry = new Telemetry(log, searches);
  // Making a hard link changes the file's ctime. The scrubber, which checks the file for damage,
  // must know this, or it would report that the file was modified.
  const reports = { log, searches, telemetry, linked: scrubber.glance.bind(scrubber) };
  const secrets = openSecrets(dataDir);
  const fleet = fleetOf({ ...parts, log });
  const exporter = openExports({ ...parts, ...fleet, secrets, ...reports });
  const streams = streamsOf(config, ledger);
  const compute = new ComputePool(() => [...registry.segments(), ...changes.months.segments()]);
  watched(telemetry, { ...snapshots, streams, exporter, transport });
  if (threads !== null) telemetry.include(threads);
  const { keyring, usage, rateLimits, fleetRates } = openAccess(parts, log, telemetry);
  const people = openConsole({ config, database, secrets, dataDir, log });
  const made = { log, exporter, people, secrets, telemetry };
  const notices = openNotices({ ...parts, ...fleet, ...snapshots, ...made });
  const stateWatch = watchOf({ ...parts, telemetry, log });
  const overload = new OverloadGuard(systemClock, config.get("http.overload_lag_ms"));
  const degraded = () => exporter.filesState()?.up === false || database.away.ms > 0;
  let stopping = false;
  const reported = { exporter, notices, fleet };
  const { monthSwitch, ...served } = openSwitch({ ...reported, config, snapshots, threads, log });
  return {
    engine: ENGINE,
    ...{ compute, leasing: fleetRates?.ready ?? Promise.resolve() },
    ...settledBy(config),
    ...{ exporter, keyring, ...people, usage, plans, telemetry, log, secrets, responses, streams },
    ...{ searches: new SearchStore(database), notices, rateLimits, overload },
    transport: transport.name,
    ...served,
    ...{ segment: registry.current.bind(registry), replaced: registry.retired.bind(registry) },
    retain: registry.retain.bind(registry),
    ...{ months: changes.months, changeLists: changes.lists },
    scrubbed: (segment) => scrubber.stateOf(segment),
    ...{ stopping: () => stopping, degraded },
    ...{ look: () => changes.look(), drop: () => dropCurrent(snapshots, compute) },
    ...{ freeBytes: () => exporter.freeBytes(), glance: () => scrubber.glance(), onDamage },
    sweep: () => {
      monthSwitch.look();
      threads?.fallBehind(monthSwitch.isBehind);
      sweep({ ...snapshots, compute, threads, degraded }, stateWatch, log);
    },
    stop: () => {
      stopping = true;
      threads?.stop();
      for (const part of [exporter, notices, changes.lists]) part.stop();
    },
    close: async () => {
      await Promise.all([notices.close(), fleetRates?.close()]);
      await Promise.all([exporter.close(), people.lists.close(), compute.close()]);
      for (const part of [overload, telemetry]) part.close();
      for (const one of [() => keyring.flushUsed(), () => people.sessions.flush()]) flush(log, one);
      flush(log, () => usage.flush());
      fleet.membership.stop();
      closeState(database);
      await scrubber.stop();
      await changes.close();
      registry.close();
      closeLog();
    },
  };
}

/** Makes the object that switches snapshots together with the other servers. */
function openSwitch(parts: {
  readonly config: Config;
  readonly snapshots: ReturnType<typeof openSnapshots>;
  readonly threads: HttpThreads | null;
  readonly exporter: Exports;
  readonly notices: Notices;
  readonly fleet: Fleet;
  readonly log: Log;
}): Pick<ServedService, "prepare" | "recent" | "start" | "load" | "latest" | "behind"> & {
  readonly monthSwitch: MonthSwitch;
} {
  const { config, snapshots, threads, exporter, notices, fleet, log } = parts;
  const { registry, changes, scrubber } = snapshots;
  let started = false;
  const serve = (segment: Segment) => {
    registry.put(segment);
    if (!started) return;
    for (const part of [exporter, notices, fleet]) part.serve(segment);
    changes.loaded(segment);
  };
  const agreed = { months: fleet.fleetMonth, memberId: fleet.memberId };
  const monthSwitch = new MonthSwitch({ ...agreed, segments: registry, serve, log });
  const prepare = (segment: Segment) => threads?.open(segment) ?? Promise.resolve();
  return {
    monthSwitch,
    prepare,
    behind: () => monthSwitch.isBehind,
    recent: (first) => openRecent(first, { config, ...fleet, ...snapshots, prepare, log }),
    start: (segment) => {
      fleet.membership.start();
      if (segment !== null) monthSwitch.take(segment);
      changes.lists.start();
      scrubber.start();
      const current = registry.current();
      for (const part of [exporter, notices]) part.start(current);
      if (current !== null) fleet.serve(current);
      started = true;
    },
    load: (segment) => monthSwitch.take(segment),
    latest: () => monthSwitch.latest(),
  };
}

/** Opens the log, which merges lines of several threads in order. */
function openLogOf(
  { config, ledger, logTo }: Pick<Parts, "config" | "ledger" | "logTo">,
  hasThreads: boolean,
): { readonly log: Log; readonly closeLog: () => void } {
  const level = config.get("log.level");
  if (!hasThreads) return { log: openLog(level, logTo), closeLog: () => {} };
  const gathered = new LogBuffer(ledger, logTo);
  return { log: openLog(level, queued(ledger)), closeLog: () => gathered.close() };
}

function openAccess(parts: Parts, log: Log, telemetry: Telemetry) {
  const { config, database, ledger, leases } = parts;
  const graceMs = config.get("state.grace_seconds") * 1_000;
  const usage = [new UsageStore(database), new QuotaStore(database)] as const;
  return {
    keyring: new Keyring(new KeyStore(database), systemClock, COMMAND_LINE, { ledger, graceMs }),
    usage: new Usage(...usage, systemClock, ledger),
    rateLimits: new RateLimits(systemClock, GUESS_POLICY, ledger, leases),
    fleetRates: openFleetRates(parts, log, telemetry),
  };
}

/** Leases rate limits from a state that other servers may share. */
function openFleetRates(
  { dataDir, ledger, leases: signals }: Parts,
  log: Log,
  telemetry: Telemetry,
): FleetRates | null {
  const address = rememberedAddress(dataDir);
  if (signals === null || address === null) return null;
  const rates = new FleetRates({ address, ledger, signals, log });
  telemetry.watchFleet(fleetMetrics(() => rates.numbers()));
  return rates;
}

/**
 * Returns an object that checks repeatedly whether the state still belongs to this server. For
 * SQLite it checks the file, and for PostgreSQL the lock.
 */
function watchOf(
  parts: Pick<Parts, "config" | "database"> & { readonly telemetry: Telemetry; readonly log: Log },
) {
  const { config, database, telemetry, log } = parts;
  return isSqlite(database)
    ? new StateWatch(database, (details) => telemetry.stateDamaged(details))
    : new ServerLock(database, lockKindOf(config), (text) => log.error(text));
}

/** Limits concurrent streamed responses: a max for the process, and a max share per tenant. */
function streamsOf(config: Config, ledger: Ledger): Budget {
  const share = config.get("http.share_max");
  return new Budget(config.get("http.streams_max"), share, "streams", ledger);
}

/** Checks the state, and closes expired snapshots and lists. */
function sweep(
  {
    registry,
    changes,
    compute,
    threads,
    degraded,
  }: Pick<ReturnType<typeof openSnapshots>, "registry" | "changes"> & {
    readonly compute: ComputePool;
    readonly threads: HttpThreads | null;
    readonly degraded: () => boolean;
  },
  stateWatch: StateWatch | ServerLock,
  log: Log,
): void {
  threads?.degrade(degraded());
  stateWatch.look();
  changes.sweep();
  for (const snapshot of registry.sweep()) log.info({ snapshot }, "replaced snapshot closed");
  void compute.sweep();
}

/** Counts the current snapshot as damaged and drops it. The compute thread closes it too. */
function dropCurrent(
  { registry, scrubber }: { readonly registry: SegmentRegistry; readonly scrubber: Scrubber },
  compute: ComputePool,
): void {
  const current = registry.current();
  if (current !== null) scrubber.noteOverwritten(current);
  registry.drop();
  void compute.sweep();
}

/** Returns the parts of a service that depend only on the configuration. */
function settledBy(config: Config) {
  return {
    waits: new ExportWaits(config.get("exports.waits_per_tenant")),
    clock: systemClock,
    version: VERSION,
    agents: agentEndpoint(VERSION),
    metricsHere: config.get("metrics.listen") === null,
    bodyBytesMax: config.get("http.body_max_bytes"),
    secondaryCnaeFull: config.get("exports.secondary_cnae_full"),
    securityContact: config.get("http.security_contact"),
    consoleContact: config.get("console.contact"),
    proxies: Proxies.read(config.get("http.trusted_proxies") ?? ""),
    cors: Cors.read(config.get("http.cors_origins")),
  };
}

/** Makes the registry of snapshots, the response cache, and the scrubber, which finds damage. */
function openSnapshots(parts: Omit<ChangesParts, "registry">, threads: HttpThreads | null) {
  const { config, folder, log } = parts;
  const responses = new ResponseCache(config.get("http.response_memory_bytes"));
  const registry = new SegmentRegistry(
    systemClock,
    config.get("snapshots.keep") * 1000,
    (current) => {
      responses.serve(current);
      threads?.publish(current);
    },
    threads,
  );
  const changes = new ServedChanges({ ...parts, registry });
  let listener = () => {};
  const scrubber = new Scrubber({
    segments: () => [...registry.segments(), ...changes.months.segments()],
    seconds: config.get("snapshots.scrub_seconds"),
    damaged: () => listener(),
    ...{ clock: systemClock, log },
  });
  const onDamage = (callback: () => void) => {
    listener = callback;
  };
  const place = { folder, file: config.get("snapshot") };
  const freshness = freshnessOf(place, () => registry.current()?.label ?? null);
  return { registry, changes, scrubber, responses, freshness, onDamage };
}

function watched(
  telemetry: Telemetry,
  parts: {
    readonly registry: SegmentRegistry;
    readonly changes: ServedChanges;
    readonly scrubber: Scrubber;
    readonly streams: Budget;
    readonly exporter: Exports;
    readonly transport: Transport;
    readonly responses: ResponseCache;
    readonly freshness: Freshness;
  },
): void {
  const { registry, changes, scrubber, streams, exporter, transport, responses } = parts;
  telemetry.watch(
    {
      snapshotMs: () => dateOf(registry.current()),
      ...parts.freshness,
      snapshots: () => registry.size + changes.months.size,
      scrub: () => ({ ...scrubber.counts, states: scrubber.states() }),
      streams: () => streams.used,
      bodyBytes: () => transport.bodies.used,
      responses,
      sockets: transport.sockets,
      exports: () => exporter.counts(),
      freeBytes: () => exporter.freeBytes(),
    },
    systemClock,
  );
  if (exporter.filesState() !== null) telemetry.watchFiles(() => exporter.filesState());
}

/**
 * Writes counts and times of use. A temporary database failure must not end the server: it is
 * logged, and the counts are written later.
 */
export function flush(log: Log, write: () => void): void {
  try {
    write();
  } catch (error) {
    log.warn(describeError(error), "counts and times of use were not written");
  }
}

function dateOf(segment: Segment | null): number | null {
  return segment === null ? null : Date.parse(segment.snapshotDate);
}

function openConsole(parts: {
  readonly config: Config;
  readonly database: StateDatabase;
  readonly secrets: Secrets;
  readonly dataDir: string;
  readonly log: Log;
}) {
  const { config, database, secrets, dataDir, log } = parts;
  const store = new UserStore(database);
  const passwords = new Passwords();
  const keys = new KeyStore(database);
  const users = new Users({ store, keys, passwords, clock: systemClock });
  const sessions = new Sessions({
    ...{ store, users, passwords, clock: systemClock },
    signIns: new SignIns(systemClock),
    secret: secrets.console,
    idleSeconds: config.get("console.session_idle"),
    maxSeconds: config.get("console.session_max"),
    keptSeconds: config.get("console.session_kept"),
  });
  const retention = config.get("audit.retention");
  const audit = new AuditTrail(new AuditStore(database), systemClock, retention);
  const lists = new Lists(new ListStore(database), systemClock, new ChangeThread(dataDir, log));
  return { users, sessions, audit, lists, listed: new ListBinder(lists) };
}

function openNotices(
  parts: Pick<Parts, "config" | "database" | "dataDir" | "plans"> & {
    readonly work: Fleet["work"];
    readonly log: Log;
    readonly registry: SegmentRegistry;
    readonly changes: ServedChanges;
    readonly exporter: Exports;
    readonly people: ReturnType<typeof openConsole>;
    readonly secrets: Secrets;
    readonly telemetry: Telemetry;
  },
): Notices {
  const { config, registry, changes, people, secrets, telemetry, ...rest } = parts;
  const hour = 3_600_000;
  const notices = new Notices({
    ...{ ...rest, clock: systemClock, listed: people.listed, linkSecrets: secrets.link },
    consolePlan: people.users.consolePlan.bind(people.users),
    served: {
      current: registry.current.bind(registry),
      retired: registry.retired.bind(registry),
      retain: registry.retain.bind(registry),
    },
    changes,
    settings: {
      allowNetworks: config.get("notices.allow_networks"),
      retryMs: config.get("notices.retry_hours") * hour,
      retentionMs: config.get("notices.retention") * 1_000,
      baseUrl: config.get("notices.base_url") ?? "",
      version: VERSION,
      smtp: smtpOf(config),
    },
  });
  telemetry.watchNotices(() => notices.counts());
  return notices;
}

function openExports(parts: {
  readonly config: Config;
  readonly dataDir: string;
  readonly database: StateDatabase;
  readonly membership: Fleet["membership"];
  readonly work: Fleet["work"];
  readonly plans: Plans;
  readonly log: Log;
  readonly linked: () => void;
  readonly searches: Int32Array;
  readonly telemetry: Telemetry;
  readonly secrets: Secrets;
  readonly openFiles?: Parts["openFiles"];
}): Exports {
  const { searches, telemetry, secrets, ...rest } = parts;
  const { config } = rest;
  const spare = Math.min(Math.max(availableParallelism() - 1, 1), EXPORT_THREADS_MAX);
  const threads = new RenderPool(config.get("exports.threads") ?? spare, searches);
  return new Exports({
    ...{ ...rest, threads, clock: systemClock, slugOf, openFiles: parts.openFiles?.(secrets) },
    stateDamaged: telemetry.stateDamaged.bind(telemetry),
    retention: config.get("exports.retention"),
    forget: config.get("exports.forget"),
    freeBytesMin: config.get("exports.free_bytes_min"),
  });
}
