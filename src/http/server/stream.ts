/**
 * Streamed answers. Input: the beginning and the end of an answer, and the accounts between them in
 * slices. Output: a body that is rendered while the client reads it.
 * Invariant: the snapshot stays open until the end. The snapshot and the place among the concurrent
 * streams are always released. The first slice is rendered before anything is sent, and further
 * slices on demand. If a further slice is damaged, the connection ends.
 */
import { describeError } from "../../process/log.ts";
import type { AccountSlices } from "../../search/project.ts";
import type { Segment } from "../../search/segment.ts";
import { acquireStreamSlot } from "./admission.ts";
import type { QueryContext } from "./service.ts";
import type { ChunkSource } from "./transport/answer-body.ts";

interface StreamedText {
  readonly segment: Segment;
  readonly head: Buffer;
  readonly slices: AccountSlices;
  readonly tail: Buffer;
}

/** Returns a body that is rendered while the client reads it. Throws if too many are streamed. */
export function streamedBody(
  call: QueryContext<"retain" | "log" | "streams">,
  text: StreamedText,
): ChunkSource {
  const done = begin(call, text.segment);
  try {
    const texts = text.slices.texts();
    const { value: first } = texts.next();
    const start = first === undefined ? text.head : Buffer.concat([text.head, first]);
    const failed = (error: Error) => noteFailure(call, error);
    return { pieces: piecesOf(start, texts, text.tail), failed, done };
  } catch (error) {
    done();
    throw error;
  }
}

function* piecesOf(
  start: Uint8Array,
  texts: Generator<Uint8Array, void>,
  tail: Uint8Array,
): Generator<Uint8Array, void> {
  yield start;
  yield* texts;
  yield tail;
}

/** Acquires a stream slot and retains the snapshot. Returns an idempotent release function. */
function begin(
  { service, identity }: QueryContext<"retain" | "streams">,
  segment: Segment,
): () => void {
  const leave = acquireStreamSlot(service.streams, identity.tenantId);
  const release = service.retain(segment);
  let isHeld = true;
  return () => {
    leave();
    if (isHeld) release();
    isHeld = false;
  };
}

function noteFailure({ service, requestId }: QueryContext<"log">, error: Error): void {
  const details = { request_id: requestId, ...describeError(error) };
  service.log.error(details, "answer cut: its accounts cannot be read");
}
