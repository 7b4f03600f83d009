/**
 * Orders that the owner (the main thread, which has the state open) sends to an answering thread,
 * and the thread's reports.
 * Invariant: a thread executes its orders one after another, and reports the end of each by the
 * order's number.
 */
import type { OpenPort } from "../../../../native-index/napi/engine.ts";
import type { MetricSamples } from "../../../process/metrics.ts";
import type { SharedSegment } from "../../../search/segment.ts";
import type { Config, EffectiveSetting } from "../../../settings/config.ts";
import type { TransportLimits } from "../transport/transport.ts";
import type { ToOwner, ToThread } from "./wire.ts";

/** Data that a thread is started with. */
export interface ThreadStart {
  /** Number of the thread, from 1. */
  readonly slot: number;
  /** Number of answering threads. */
  readonly threads: number;
  readonly limits: Omit<TransportLimits, "ledger">;
  readonly settings: readonly EffectiveSetting[];
  readonly plans: Config["plans"];
  /** Memory of the `SharedState`. */
  readonly board: Int32Array;
  /** Counter of searches, which export threads read so that they can yield to searches. */
  readonly searches: Int32Array;
  /** Number of the ledger, which is the process-wide set of counters (src/process/ledger.ts). */
  readonly ledger: number;
  /**
   * Shared memory that signals leases (rate-limit budget of the fleet), or null without a fleet.
   */
  readonly leases: Int32Array | null;
}

/** An order. */
export type ThreadCommand =
  /** Accept connections of a port. Forward all requests until the order `serve` arrives. */
  | { readonly kind: "take"; readonly port: OpenPort }
  /** Open a snapshot that is, or will be, served. */
  | { readonly kind: "open"; readonly serial: number; readonly segment: SharedSegment }
  /** Close a snapshot when its last reader is done. */
  | { readonly kind: "close"; readonly serial: number }
  /** Start answering requests, using the state in a data directory. */
  | { readonly kind: "serve"; readonly dataDir: string }
  | { readonly kind: "metrics" }
  /** Announce in the next answer on each connection that it will close. */
  | { readonly kind: "leave" }
  /** Delay answers while the port is drained. */
  | { readonly kind: "hold" }
  /** Answer the open requests and close every connection. The owner has already closed the port. */
  | { readonly kind: "finish"; readonly deadlineMs: number }
  | { readonly kind: "end" };

/** Messages from the owner to a thread. */
export type OwnerMessage =
  | { readonly kind: "order"; readonly number: number; readonly order: ThreadCommand }
  | ToThread;

/** Messages from a thread to the owner. */
export type ThreadMessage =
  | {
      readonly kind: "done";
      readonly number: number;
      /** Reason for a failed order, or null. */
      readonly failure: string | null;
      /** Result of `metrics`. */
      readonly samples?: MetricSamples;
    }
  /** Last metrics of a thread that is about to fail. */
  | { readonly kind: "last"; readonly samples: MetricSamples }
  | ToOwner;
