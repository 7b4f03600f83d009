/**
 * Opens the transport on the threads that answer requests. This is the calling thread, or several
 * other threads.
 * Invariant: a single thread does everything. With several, the calling thread has the state open
 * and answers the requests that the others forward.
 */
import { availableParallelism } from "node:os";
import type { LeaseSignals } from "../../../access/fleet/signals.ts";
import { Budget } from "../../../http/server/admission.ts";
import { openTransport } from "../../../http/server/server.ts";
import { HttpThreads, openHttpThreads } from "../../../http/server/threads/http-threads.ts";
import type { Transport, TransportLimits } from "../../../http/server/transport/transport.ts";
import type { Ledger } from "../../../process/ledger.ts";
import { describeError, type Log } from "../../../process/log.ts";
import { openFilesMax } from "../../../process/system.ts";
import type { Config } from "../../../settings/config.ts";
import { limitsOf, OWN_DESCRIPTORS, threadsOf } from "../ports.ts";

/** Opens the transport on as many threads as the settings require. Throws `CommandError`. */
export async function openServingTransport(
  config: Config,
  ledger: Ledger,
  { searches, leases }: { readonly searches: Int32Array; readonly leases: LeaseSignals | null },
): Promise<Transport> {
  const threads = threadsOf(config);
  const limits = limitsOf(config);
  if (threads === 1) return openTransport(config.get("transport"), { ...limits, ledger });
  const { settings, plans } = config;
  const bodies = new Budget(limits.bodiesBytesMax, limits.senderShareMax, "bodies", ledger);
  return openHttpThreads({
    worker: "cli/serving/threads/http.worker.ts",
    bodies,
    loadingMax: loadingMax(),
    start: {
      ...{ threads, settings, plans, limits: shareOf(limits, threads) },
      ...{ searches, ledger: ledger.id, leases: leases?.memory ?? null },
    },
  });
}

/** Number of files that a loading thread opens. */
const LOADED_FILES = 48;

/** Returns how many threads may load concurrently, given the max open files. */
function loadingMax(openFiles = openFilesMax()): number {
  if (openFiles === null) return availableParallelism();
  const files = openFiles - OWN_DESCRIPTORS;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(files / LOADED_FILES)));
}

/** Returns the limits of one thread. Connections are distributed evenly, so limits are divided. */
function shareOf(limits: TransportLimits, threads: number): TransportLimits {
  const { socketsMax, socketsPerAddress } = limits;
  return {
    ...limits,
    socketsMax: partOf(socketsMax, threads),
    socketsPerAddress: socketsPerAddress === null ? null : partOf(socketsPerAddress, threads),
  };
}

/** Returns one thread's part of a limit: at least 1. The parts sum to no more than the limit. */
function partOf(whole: number, threads: number): number {
  return Math.max(1, Math.floor(whole / threads));
}

/**
 * Starts the threads, if there are several. If a thread fails, frees its slot in the ledger, the
 * shared memory in which the threads count.
 */
export async function serveOnThreads(
  transport: Transport,
  { log }: { readonly log: Log },
  { dataDir, ledger }: { readonly dataDir: string; readonly ledger: Ledger },
): Promise<void> {
  if (!(transport instanceof HttpThreads)) return;
  await transport.serve(dataDir, {
    replaced: (thread, error) => {
      ledger.releaseSlot(thread);
      log.error({ thread, ...describeError(error) }, "a thread has ended and is replaced");
    },
  });
}
