/**
 * The body of an answer that is brought in piece by piece. What comes in: a body of any kind. What
 * goes out: for a part of a file and for pieces, the one way in which a transport asks for more.
 * Invariant: it is asked for the next bytes only when the client has taken those before, so that
 * one piece is in memory per client; what belongs to the body is given back exactly once.
 */
import { FileBody } from "./filebody.ts";
import { PieceBody } from "./piecebody.ts";
import type { FileSlice, Pieces } from "./respond.ts";

/** A body that is asked for its bytes. */
export interface PulledBody {
  /** Bytes of all; null where nobody knows. */
  readonly length: number | null;
  /** Bytes that have not been brought yet; infinite where nobody knows, 0 after the last. */
  readonly left: number;
  /**
   * Brings the next bytes, later; none at the end of a body of unknown length. They are valid until
   * the next call or the end; `done` gets null where there cannot be more, and is not called after
   * the end. Only while bytes are left.
   */
  next(done: (chunk: Uint8Array | null) => void): void;
  /** Ends it; may be called at any time, also again. */
  end(): void;
}

/** A body that is asked for, as opposed to finished bytes. */
export function isPulled(
  body: Uint8Array | string | FileSlice | Pieces,
): body is FileSlice | Pieces {
  return typeof body === "object" && !(body instanceof Uint8Array);
}

/** Begins to bring a body; `end` must be called. */
export function pull(body: FileSlice | Pieces): PulledBody {
  return "descriptor" in body ? new FileBody(body) : new PieceBody(body);
}
