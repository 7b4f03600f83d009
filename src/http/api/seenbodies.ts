/**
 * Which bodies came lately. What comes in: the bytes of a body and who sent it. What goes out:
 * whether the same sender sent the same bytes before, as far as is known.
 * Invariant: fixed memory, whatever comes; a body may be taken for one that came before only by a
 * collision of hashes, so nothing but what is worth keeping may depend on it. Senders are told
 * apart, because how quick an answer is must not tell what others ask.
 * Apart because requests are kept by search-request.ts, and this one only says which are worth it.
 */

/** Pairs of hashes; a pair forgets its older one. */
const PAIRS = 8192;
/** FNV-1a, of 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Remembers that bodies came, and nothing of what is in them. */
export class SeenBodies {
  readonly #hashes = new Int32Array(2 * PAIRS);

  /** Whether it came before; from now on it did. */
  cameBefore(body: Uint8Array, sender: string): boolean {
    const hash = hashOf(body, sender);
    const pair = 2 * (hash & (PAIRS - 1));
    if (this.#hashes[pair] === hash) return true;
    const isOlder = this.#hashes[pair + 1] === hash;
    this.#hashes[pair + 1] = this.#hashes[pair] as number;
    this.#hashes[pair] = hash;
    return isOlder;
  }
}

/** The hash of a sender and a body; never what an empty place holds. */
function hashOf(body: Uint8Array, sender: string): number {
  let hash = BASIS;
  for (let at = 0; at < sender.length; at++) {
    hash = Math.imul(hash ^ sender.charCodeAt(at), PRIME);
  }
  for (let at = 0; at < body.length; at++) hash = Math.imul(hash ^ (body[at] as number), PRIME);
  return hash === 0 ? 1 : hash;
}
