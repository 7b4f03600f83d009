/**
 * Orders of the owner to a thread that answers, and what the thread reports.
 * Invariant: a thread carries its orders out one after the other, and reports the end of each by
 * the number that came with it.
 */
import type { OpenPort } from "../../../../native-index/napi/engine.ts";
import type { MetricSamples } from "../../../process/metrics.ts";
import type { SharedSegment } from "../../../search/segment.ts";
import type { Config, EffectiveSetting } from "../../../settings/config.ts";
import type { TransportLimits } from "../transport/transport.ts";
import type { ToOwner, ToThread } from "./wire.ts";

/** Data that a thread starts with. */
export interface ThreadStart {
  /** Number of the thread, from 1. */
  readonly slot: number;
  /** Number of threads that answer. */
  readonly threads: number;
  readonly limits: Omit<TransportLimits, "ledger">;
  readonly settings: readonly EffectiveSetting[];
  readonly plans: Config["plans"];
  /** Memory of the board. */
  readonly board: Int32Array;
  /** Counter of searches, for the threads that render exports. */
  readonly searches: Int32Array;
  /** Number of the ledger. */
  readonly ledger: number;
}

/** One order. */
export type ThreadOrder =
  /** Take connections of a port; all requests are handed on until `serve`. */
  | { readonly kind: "take"; readonly port: OpenPort }
  /** Open a snapshot that is, or is going to be, served. */
  | { readonly kind: "open"; readonly serial: number; readonly segment: SharedSegment }
  /** Close a snapshot when nobody reads it any more. */
  | { readonly kind: "close"; readonly serial: number }
  /** Answer, with the state of a data directory. */
  | { readonly kind: "serve"; readonly dataDir: string }
  /** Report the metrics. */
  | { readonly kind: "metrics" }
  /** Tell clients that their connections end. */
  | { readonly kind: "leave" }
  /** Hold answers back while the port comes to rest. */
  | { readonly kind: "hold" }
  /** Answer what is open and close every connection; the port is closed. */
  | { readonly kind: "finish"; readonly deadlineMs: number }
  /** End. */
  | { readonly kind: "end" };

/** Messages from the owner to a thread. */
export type OwnerMessage =
  | { readonly kind: "order"; readonly number: number; readonly order: ThreadOrder }
  | ToThread;

/** Messages from a thread to the owner. */
export type ThreadMessage =
  | {
      readonly kind: "done";
      readonly number: number;
      /** The reason why an order failed, or null. */
      readonly failure: string | null;
      /** What `metrics` reports. */
      readonly samples?: MetricSamples;
    }
  /** The last metrics of a thread that is about to end because of a failure. */
  | { readonly kind: "last"; readonly samples: MetricSamples }
  | ToOwner;
