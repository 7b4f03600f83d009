/**
 * Messages between the thread that blocks for answers (bridge.ts) and the thread that talks to
 * PostgreSQL (postgres.worker.ts), and the memory that they share.
 * Invariant: this file imports only types, because the second thread must load while the first is
 * blocked.
 */
import type { MessagePort } from "node:worker_threads";
import type { StateValue } from "./dialect.ts";

/** Indexes of the words in the shared memory. */
export const WORD = { answered: 0, version: 1, away: 2 } as const;

/** Data that the thread is started with. */
export interface BridgeStart {
  readonly url: string;
  readonly schema: string;
  /** Shared memory, see `WORD`. */
  readonly words: Int32Array;
  /** True if the thread reports changes of other connections. */
  readonly listens: boolean;
  /** The word `away` counts seconds from this time, which is in milliseconds since the epoch. */
  readonly originMs: number;
  readonly port: MessagePort;
}

/** A request. Its number identifies its answer, and `session` its connection. */
export type NumberedRequest = BridgeRequest & { readonly number: number };

/** A request without its number. */
export type BridgeRequest = { readonly session: number } & (
  | {
      /** `write` runs as a separate transaction. */
      readonly kind: "query" | "write";
      readonly text: string;
      readonly values: readonly StateValue[];
    }
  | { readonly kind: "begin"; readonly reads: boolean }
  | { readonly kind: "end"; readonly commits: boolean }
  | { readonly kind: "exec"; readonly text: string }
  | { readonly kind: "close" }
);

/** Result of a statement. */
export interface QueryAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly changes: number;
}

interface BridgeFailure {
  readonly message: string;
  /** SQLSTATE, or a code of the network; null if unknown. */
  readonly code: string | null;
  readonly isAway: boolean;
}

/** Answer of the thread. */
export interface BridgeAnswer extends QueryAnswer {
  /** Number of the request. */
  readonly number: number;
  readonly failure: BridgeFailure | null;
}
