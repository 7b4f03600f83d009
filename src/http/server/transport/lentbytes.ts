/**
 * The body of an answer in memory that is used again. What comes in: the parts of a body. What goes
 * out: the body, lent to whoever sends it at once.
 * Invariant: one body is lent at a time, and asking for one that was overwritten is an error, never
 * the bytes of another answer. Whoever keeps a body for later copies it. Accounts are written to
 * their place in it where they are made, and not moved again. Memory of its own for each
 * answer costs more than writing the answer: it lies outside of the heap and is cleared first.
 */
import { strict as assert } from "node:assert";

/** Larger bodies of answers are handed over as the client reads, and are never copied. */
export const WHOLE_BYTES_MAX = 64 * 1024;

const memory = Buffer.allocUnsafeSlow(WHOLE_BYTES_MAX);

/** Bodies that were begun; the last one alone has the memory. */
let begun = 0;

/** A body that was lent. */
export class LentBytes {
  readonly #number: number;
  readonly #length: number;

  constructor(number: number, length: number) {
    this.#number = number;
    this.#length = length;
  }

  /** The bytes, until the next body is made; throws after that. */
  get bytes(): Uint8Array {
    assert(this.#number === begun, "a lent body is sent before the next one is made");
    return memory.subarray(0, this.#length);
  }

  /** The bytes, for good. */
  copy(): Uint8Array {
    return new Uint8Array(this.bytes);
  }
}

/** The parts of a body, in order. */
interface BodyParts {
  /** ASCII. */
  readonly head: string;
  readonly prefix: Uint8Array;
  readonly accounts: Uint8Array;
  /** Any text, in pieces, so that they need not be joined before; comes last. */
  readonly tail: readonly string[];
}

/** Joins a body in the memory that is lent; null where it may be too large for that. */
export function lend({ head, prefix, accounts, tail }: BodyParts): LentBytes | null {
  const end = head.length + prefix.byteLength + accounts.byteLength;
  if (!hasRoom(end, tail)) return null;
  const room = beginLent(head, prefix);
  if (room === null) return null;
  memory.set(accounts, room.at);
  return endLent(end, tail);
}

/** The room behind the head of the body that was begun last: it is used up at once. */
const room = { memory, at: 0 };

/**
 * Begins a body in the memory that is lent, for whoever writes the accounts there: gives the room
 * for them, or null where there is none. What was lent before is overwritten.
 */
export function beginLent(head: string, prefix: Uint8Array): typeof room | null {
  if (head.length + prefix.byteLength > memory.byteLength) return null;
  begun++;
  memory.write(head, "latin1");
  memory.set(prefix, head.length);
  room.at = head.length + prefix.byteLength;
  return room;
}

/** Ends the body that was begun, whose accounts end at `end`; null where the tail has no room. */
export function endLent(end: number, tail: readonly string[]): LentBytes | null {
  if (!hasRoom(end, tail)) return null;
  let at = end;
  for (let i = 0; i < tail.length; i++) {
    const piece = tail[i] as string;
    if (piece !== "") at += memory.write(piece, at);
  }
  return new LentBytes(begun, at);
}

/** Whether a tail certainly has room behind so many bytes. */
function hasRoom(end: number, tail: readonly string[]): boolean {
  let most = end;
  // No character takes more than three bytes. An iterator would leave garbage for each piece.
  for (let i = 0; i < tail.length; i++) most += 3 * (tail[i] as string).length;
  return most <= memory.byteLength;
}

/** Bytes for good, of whatever may be lent. */
export function owned<Body>(body: Body | LentBytes): Body | Uint8Array {
  return body instanceof LentBytes ? body.copy() : body;
}

/** The same in memory of its own. */
export function joined({ head, prefix, accounts, tail }: BodyParts): Uint8Array {
  return Buffer.concat([Buffer.from(head), prefix, accounts, Buffer.from(tail.join(""))]);
}
