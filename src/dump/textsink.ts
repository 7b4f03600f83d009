/**
 * A buffer for cleaned texts, with counts of their oddities.
 * Invariant: bytes after `length` mean nothing.
 */

/** A byte buffer that texts are appended to; it grows as needed. */
export interface TextSink {
  bytes: Uint8Array;
  length: number;
  /** Texts so far with a character that Windows-1252 has and ISO-8859-1 lacks. */
  windows: number;
  /** Texts so far in which a control or a direction mark became a blank. */
  controls: number;
}

/** An empty sink. */
export function newTextSink(capacity = 1 << 16): TextSink {
  return { bytes: new Uint8Array(capacity), length: 0, windows: 0, controls: 0 };
}
