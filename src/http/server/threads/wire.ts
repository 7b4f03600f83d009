/**
 * Messages about requests that a thread hands on to the owner of the state.
 * Input: what the thread knows of a request, and what becomes of it. Output: its answer.
 * Invariant: a message holds plain values and bytes of its own; each is about one request, by an
 * id that its thread gave. Messages of one request arrive in the order in which they were posted.
 */
import type { BodyRefusal } from "../body.ts";
import type { ReadHeader } from "../transport/transport.ts";

/** A request as its thread hands it on. */
export interface HandedRequest {
  readonly kind: "request";
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Address of the client, without a port. */
  readonly address: string;
  /** The read headers that were sent. */
  readonly headers: readonly (readonly [name: ReadHeader, value: string])[];
}

/** From the thread to the owner. */
export type ToOwner =
  | HandedRequest
  /** A part of a body that is taken while it comes. */
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array }
  /** The body is there, or the reason why it is not read; empty after chunks. */
  | { readonly kind: "body"; readonly id: number; readonly body: Uint8Array | BodyRefusal }
  /** Nobody wants the rest of a body that is taken while it comes. */
  | { readonly kind: "dropped"; readonly id: number }
  /** The client has taken what it was sent of an answer in pieces. */
  | { readonly kind: "more"; readonly id: number }
  /** No further piece is wanted, or the file is read and closed. */
  | { readonly kind: "ended"; readonly id: number; readonly failure: string | null }
  /** The answer is out of hand, or its client is gone. */
  | { readonly kind: "over"; readonly id: number; readonly gone: boolean };

/** The body of an answer: bytes, a part of an open file, or pieces that follow. */
export type WireBody =
  | string
  | Uint8Array
  | { readonly descriptor: number; readonly offset: number; readonly length: number }
  | null;

/** From the owner to the thread. */
export type ToThread =
  /** How the body is to be read. */
  | {
      readonly kind: "read";
      readonly id: number;
      readonly limitBytes: number;
      readonly sender: string;
      readonly inChunks: boolean;
    }
  /** The answer; header lines as names and values in turns. A body of null comes in pieces. */
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly status: number;
      readonly headers: readonly string[];
      readonly body: WireBody;
    }
  /** The next piece, null if it cannot be made; `isLast` with or behind the last one. */
  | {
      readonly kind: "piece";
      readonly id: number;
      readonly bytes: Uint8Array | null;
      readonly isLast: boolean;
    }
  /** The connection is to be closed. */
  | { readonly kind: "cut"; readonly id: number };

/** Sends a message to the other side. */
export type Post<Message> = (message: Message, transfer?: ArrayBuffer[]) => void;

/** Copies bytes to memory that can be given away. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
