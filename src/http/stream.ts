/**
 * Answers too large to be made at once. What comes in: the beginning and the end of an answer, and
 * the accounts between them, a slice at a time. What goes out: an answer whose length is known and
 * whose text is made while the client takes it.
 * Invariant: the accounts are rendered twice, once for their length and once to be sent, so that
 * damage is told before anything is sent and a cut answer never looks whole; the snapshot stays
 * open meanwhile, and its hold and the place among the streams are given back in every end.
 */

import { describeError } from "../log.ts";
import type { AccountSlices } from "../search/accountslices.ts";
import type { Segment } from "../search/segment.ts";
import { overloaded } from "./pressure.ts";
import type { Pieces } from "./respond.ts";
import type { Call } from "./service.ts";

/** What an answer consists of. */
export interface StreamedText {
  readonly segment: Segment;
  readonly head: Buffer;
  readonly slices: AccountSlices;
  /** What follows the accounts; asked for once. */
  readonly tail: () => Buffer;
}

/** Makes the body. Throws `overloaded` where too many answers are being sent already. */
export async function streamedBody(call: Call, text: StreamedText): Promise<Pieces> {
  const done = takePlace(call, text.segment);
  try {
    const length = await measure(call, text.slices);
    const tail = text.tail();
    return {
      length: text.head.byteLength + length + tail.byteLength,
      pieces: piecesOf(text, tail),
      failed: (error) => noteFailure(call, error),
      done,
    };
  } catch (error) {
    done();
    throw error;
  }
}

/** A place among the streams and a hold on the snapshot; gives what gives both back, once. */
function takePlace({ service }: Call, segment: Segment): () => void {
  const { streams } = service;
  if (!streams.take(1)) throw overloaded();
  const release = service.hold(segment);
  let taken = true;
  return () => {
    if (!taken) return;
    taken = false;
    release();
    streams.giveBack(1);
  };
}

/** Bytes of all accounts; other requests are answered between two slices. */
async function measure(call: Call, slices: AccountSlices): Promise<number> {
  let bytes = 0;
  for (const text of slices.texts()) {
    bytes += text.byteLength;
    await new Promise((resolve) => setImmediate(resolve));
    if (call.gone()) break;
  }
  return bytes;
}

function* piecesOf({ head, slices }: StreamedText, tail: Buffer): Generator<Uint8Array, void> {
  yield head;
  yield* slices.texts();
  yield tail;
}

function noteFailure({ service, requestId }: Call, error: Error): void {
  const details = { request_id: requestId, ...describeError(error) };
  service.log.error(details, "answer cut: its accounts cannot be read");
}
