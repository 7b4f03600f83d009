/**
 * The parts and snapshots of a thread that answers requests but does not own the state. Input: the
 * settings, the data shared by all threads, and the segments of the owner, the main thread. Output:
 * the service that handlers use, with the current snapshot and the earlier ones that cursors still
 * need.
 * Invariant: the thread writes nothing to the database. It reads keys over its own connection, and
 * adds counts to shared memory (the ledger), which the owner empties. The owner decides which
 * snapshot is served and which is closed. A segment in use stays open on this thread until its
 * readers end.
 */

import { LeaseSignals } from "../../../access/fleet/signals.ts";
import { Keyring } from "../../../access/keyring.ts";
import { GUESS_POLICY, RateLimits, UseCounter } from "../../../access/limits.ts";
import { loadPlans, withRetention } from "../../../access/plans.ts";
import { Budget, OverloadGuard } from "../../../http/server/admission.ts";
import { Cors } from "../../../http/server/cors.ts";
import { ResponseCache } from "../../../http/server/responsecache.ts";
import type { ThreadService } from "../../../http/server/service.ts";
import { Telemetry } from "../../../http/server/telemetry.ts";
import { OwnerRequired } from "../../../http/server/threads/forwarding.ts";
import type { ThreadStart } from "../../../http/server/threads/messages.ts";
import { SharedState } from "../../../http/server/threads/shared-state.ts";
import type { UwsTransport } from "../../../http/server/transport/transport-uws.ts";
import { systemClock } from "../../../process/clock.ts";
import type { Ledger } from "../../../process/ledger.ts";
import { type Log, openLog, queued } from "../../../process/log.ts";
import { ENGINE } from "../../../search/finding.ts";
import { openSharedSegment, type Segment, type SharedSegment } from "../../../search/segment.ts";
import { configOfSettings } from "../../../settings/config.ts";
import { Proxies } from "../../../settings/proxies.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import { COMMAND_LINE } from "../../../store/auditstore.ts";
import { KeyStore } from "../../../store/keystore.ts";
import { openSecrets } from "../../../store/secrets.ts";
import { openStateOfThread } from "../../../store/state.ts";
import { VERSION } from "../../commands/version.ts";

interface Opened {
  readonly serial: number;
  readonly segment: Segment;
  readers: number;
  /** True once the owner has closed the segment. */
  isLeaving: boolean;
}

class ThreadSnapshots {
  readonly #board: SharedState;
  readonly #serves: (segment: Segment | null) => void;
  readonly #opened = new Map<number, Opened>();
  #current: Opened | null = null;

  /** `serves` is called when the current snapshot changes, before its first use. */
  constructor(board: SharedState, serves: (segment: Segment | null) => void) {
    this.#board = board;
    this.#serves = serves;
  }

  /** Opens a segment of the owner. Throws if the owner has closed it. */
  open(serial: number, shared: SharedSegment): void {
    const segment = openSharedSegment(shared);
    this.#opened.set(serial, { serial, segment, readers: 0, isLeaving: false });
  }

  /** Closes a snapshot as soon as it has no readers. */
  close(serial: number): void {
    const opened = this.#opened.get(serial);
    if (opened === undefined) return;
    opened.isLeaving = true;
    this.#closeIfUnread(opened);
  }

  current(): Segment | null {
    const serial = this.#board.current;
    if (serial !== (this.#current?.serial ?? 0)) {
      this.#current = this.#opened.get(serial) ?? null;
      this.#serves(this.#current?.segment ?? null);
    }
    return this.#current?.segment ?? null;
  }

  /**
   * Returns and retains the segment on which a cursor began, if it is not the current one. The
   * segment may be newer than the current one, if another server switched first. Returns null if
   * the thread does not have it.
   */
  replaced(belongs: (snapshotId: string) => boolean): Segment | null {
    for (const opened of this.#opened.values()) {
      if (opened === this.#current || opened.isLeaving) continue;
      if (!belongs(opened.segment.snapshotId)) continue;
      this.#board.use(opened.serial);
      return opened.segment;
    }
    return null;
  }

  /** Keeps a segment open until the returned function is called. Further calls do nothing. */
  retain(segment: Segment): () => void {
    const opened = [...this.#opened.values()].find((one) => one.segment === segment);
    if (opened === undefined) return () => {};
    opened.readers++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      opened.readers--;
      this.#board.use(opened.serial);
      this.#closeIfUnread(opened);
    };
  }

  #closeIfUnread(opened: Opened): void {
    if (!opened.isLeaving || opened.readers > 0) return;
    this.#opened.delete(opened.serial);
    opened.segment.close();
  }
}

/** Parts of a thread, opened before it answers. */
export interface ThreadParts {
  readonly log: Log;
  readonly snapshots: ThreadSnapshots;
  readonly telemetry: Telemetry;
  /** Returns the service, with the keys and secrets of a data directory. */
  serve(dataDir: string): ThreadService;
}

/** Opens the parts of a thread. */
export function openThread(
  start: ThreadStart,
  transport: UwsTransport,
  ledger: Ledger,
): ThreadParts {
  const { settings, slot, threads } = start;
  const config = configOfSettings(settings, start.plans);
  const log = openLog(config.get("log.level"), queued(ledger));
  const telemetry = new Telemetry(log, start.searches);
  const responses = new ResponseCache(config.get("http.response_memory_bytes") / threads);
  telemetry.watchThread({
    responses,
    sockets: transport.sockets,
    slot,
    taken: () => transport.taken,
  });
  const board = new SharedState(start.board);
  const snapshots = new ThreadSnapshots(board, (segment) => responses.serve(segment));
  const clock = systemClock;
  const overload = new OverloadGuard(clock, config.get("http.overload_lag_ms"));
  const share = config.get("http.share_max");
  const streams = new Budget(config.get("http.streams_max"), share, "streams", ledger);
  const settled = {
    ...{ engine: ENGINE, clock, telemetry, log, responses, overload, streams },
    ...{ version: VERSION, transport: "uws" as const },
    plans: withRetention(loadPlans(config.plans), config.get("exports.retention")),
    rateLimits: new RateLimits(clock, GUESS_POLICY, ledger, signalsOf(start)),
    listed: OWNERS_LISTS as ThreadService["listed"],
    compute: OWNERS_COMPUTE,
    bodyBytesMax: config.get("http.body_max_bytes"),
    secondaryCnaeFull: config.get("exports.secondary_cnae_full"),
    proxies: Proxies.read(config.get("http.trusted_proxies") ?? ""),
    cors: Cors.read(config.get("http.cors_origins")),
    stopping: () => board.stopping,
    behind: () => board.behind,
    degraded: () => board.degraded,
    segment: snapshots.current.bind(snapshots),
    replaced: snapshots.replaced.bind(snapshots),
    retain: snapshots.retain.bind(snapshots),
  };
  const serve = (dataDir: string): ThreadService => {
    const keys = new KeyStore(openStateOfThread(dataDir));
    const graceMs = config.get("state.grace_seconds") * 1_000;
    const keyring = new Keyring(keys, clock, COMMAND_LINE, { ledger, graceMs });
    return {
      ...settled,
      keyring,
      usage: new UseCounter(ledger, clock),
      secrets: openSecrets(dataDir),
    };
  };
  return { log, snapshots, telemetry, serve };
}

function signalsOf({ leases }: ThreadStart): LeaseSignals | null {
  return leases === null ? null : new LeaseSignals(leases);
}

/**
 * Throws `OwnerRequired`, because only the main thread, which owns the state, can start long
 * computations. The request is then forwarded to it.
 */
const OWNERS_COMPUTE: ThreadService["compute"] = {
  ensureHere: withoutCompute,
  run: withoutCompute,
};

function withoutCompute(): never {
  throw new OwnerRequired("the work is long");
}

/** Throws `OwnerRequired` for a spec with lists, which only the main thread has. */
const OWNERS_LISTS = { bind: withoutLists, boundNow: withoutLists };

function withoutLists(_tenantId: string, _segment: Segment, spec: AccountQuerySpec) {
  if (spec.filters.lists !== undefined) throw new OwnerRequired("the spec names lists");
  return spec;
}
