/**
 * The threads that answer a server's requests: this one, or several others. Input: the settings.
 * Output: the transport.
 * Invariant: with one thread everything runs on it. With several, this one owns the state and
 * answers what they hand on.
 */
import { availableParallelism } from "node:os";
import { Budget } from "../../../http/server/admission.ts";
import { openTransport } from "../../../http/server/server.ts";
import { HttpThreads, openHttpThreads } from "../../../http/server/threads/http-threads.ts";
import type { Transport, TransportLimits } from "../../../http/server/transport/transport.ts";
import type { Ledger } from "../../../process/ledger.ts";
import { describeError, type Log } from "../../../process/log.ts";
import { openFilesMax } from "../../../process/system.ts";
import type { Config } from "../../../settings/config.ts";
import { limitsOf, OWN_DESCRIPTORS, threadsOf } from "../ports.ts";

/** Opens the transport of the settings, on as many threads as they say. Throws `CommandError`. */
export async function openAnswering(
  config: Config,
  ledger: Ledger,
  searches: Int32Array,
): Promise<Transport> {
  const threads = threadsOf(config);
  const limits = limitsOf(config);
  if (threads === 1) return openTransport(config.get("transport"), { ...limits, ledger });
  const { settings, plans } = config;
  const bodies = new Budget(limits.bodiesBytesMax, limits.senderShareMax, "bodies", ledger);
  return openHttpThreads({
    worker: "cli/serving/threads/http.worker.ts",
    bodies,
    loadingAtOnce: loadingAtOnce(),
    start: {
      ...{ threads, settings, plans, limits: shareOf(limits, threads) },
      ...{ searches, ledger: ledger.id },
    },
  });
}

/** Files that a thread opens at once while it loads. */
const LOADED_FILES = 48;

/** Returns how many threads may load at once, with as many files as the process may open. */
function loadingAtOnce(openFiles = openFilesMax()): number {
  if (openFiles === null) return availableParallelism();
  const files = openFiles - OWN_DESCRIPTORS;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(files / LOADED_FILES)));
}

/** Limits of one of several threads: connections are dealt evenly, so each has its part of them. */
function shareOf(limits: TransportLimits, threads: number): TransportLimits {
  const { socketsMax, socketsPerAddress } = limits;
  return {
    ...limits,
    socketsMax: partOf(socketsMax, threads),
    socketsPerAddress: socketsPerAddress === null ? null : partOf(socketsPerAddress, threads),
  };
}

/** Returns the part of a thread: all together are not more than the whole, but at least 1 each. */
function partOf(whole: number, threads: number): number {
  return Math.max(1, Math.floor(whole / threads));
}

/** Lets the threads answer, if there are several; gives back what one held that has failed. */
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
