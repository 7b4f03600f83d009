/**
 * Messages about requests that a thread forwards to the owner (the main thread, which has the state
 * open).
 * Input: the request and its events. Output: its answer.
 * Invariant: a message holds plain values and its own bytes. It belongs to one request, which has
 * an id that the thread assigned. Messages of one request arrive in the order in which they were
 * sent.
 */
import type { BodyRefusal } from "../body.ts";
import type { ReadHeader } from "../transport/transport.ts";

/** A request that its thread forwards. */
export interface ForwardedRequest {
  readonly kind: "request";
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Address of the client, without a port. */
  readonly address: string;
  /** The sent headers that this program knows. */
  readonly headers: readonly (readonly [name: ReadHeader, value: string])[];
}

/** Messages from thread to owner. */
export type ToOwner =
  | ForwardedRequest
  /** A chunk of a streamed body. */
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array }
  /** The complete body, or why it is refused. Empty if the body was already sent in chunks. */
  | { readonly kind: "body"; readonly id: number; readonly body: Uint8Array | BodyRefusal }
  /** The rest of a streamed body is no longer needed. */
  | { readonly kind: "dropped"; readonly id: number }
  /** The client has received the latest chunk of a streamed answer, so the next one may be sent. */
  | { readonly kind: "more"; readonly id: number }
  /** No further chunk is needed. If the answer is a file, it has been read and closed. */
  | { readonly kind: "ended"; readonly id: number; readonly failure: string | null }
  /** The answer was handed to the transport, or its client is gone. */
  | { readonly kind: "over"; readonly id: number; readonly gone: boolean };

/** The body of an answer: text, bytes, a part of an open file, or a notice that chunks follow. */
export type WireBody =
  | string
  | Uint8Array
  | { readonly descriptor: number; readonly offset: number; readonly length: number }
  /** Chunks follow. They have this many bytes in total. */
  | { readonly chunkBytes: number }
  /** Chunks follow; their total number of bytes is unknown. */
  | null;

/** Messages from owner to thread. */
export type ToThread =
  /** Read the body. Members limit its bytes, name its sender, and state if it comes in chunks. */
  | {
      readonly kind: "read";
      readonly id: number;
      readonly limitBytes: number;
      readonly sender: string;
      readonly inChunks: boolean;
    }
  /** The answer, with alternating header names and values. A null body comes in chunks. */
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly status: number;
      readonly headers: readonly string[];
      readonly body: WireBody;
    }
  /** The next chunk, or null on failure. `isLast` marks the last chunk or an empty one after it. */
  | {
      readonly kind: "piece";
      readonly id: number;
      readonly bytes: Uint8Array | null;
      readonly isLast: boolean;
    }
  /** Close the connection. */
  | { readonly kind: "cut"; readonly id: number };

/** Sends a message to the other side. */
export type Post<Message> = (message: Message, transfer?: ArrayBuffer[]) => void;

/** Returns the bytes of an answer for a message: shared memory itself, or else a copy. */
export function bytesToSend(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes : copyForTransfer(bytes);
}

/** Returns a copy of bytes in memory that can be transferred to another thread. */
export function copyForTransfer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
