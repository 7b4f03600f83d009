/**
 * Makes damaged cursors: from a base64url text, one text for every bit of its bytes, with that bit
 * flipped.
 */

/** Yields every text whose bytes differ in one bit. */
export function* bitsFlipped(text: string): Generator<string> {
  const bytes = Buffer.from(text, "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
    yield copy.toString("base64url");
  }
}
