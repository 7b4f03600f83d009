/**
 * SHA-256 of short values, many times a second. What comes in: bytes or a text, which stands for
 * its UTF-8. What goes out: the 32 bytes of the hash, or of the HMAC (RFC 2104) under a secret.
 * Invariant: the same bytes as by `createHash` and `createHmac` of Node. Those make objects that
 * live outside of the heap, which costs four times as much as the hash itself (measured), and Node
 * hashes without them since 20.12; before that this goes the old way.
 */
import crypto from "node:crypto";

/** Bytes of a hash. */
export const SHA256_BYTES = 32;

/** Gives the hash of what is given, a character for each byte. */
type Digest = (data: string | Uint8Array) => string;

/** How Node hashes in one call, where it does. */
type OneShot = typeof crypto.hash;

/** Hashes by the one call where there is one, else by an object of its own for each hash. */
export function digestBy(oneShot: OneShot | undefined): Digest {
  if (oneShot === undefined) {
    return (data) => crypto.createHash("sha256").update(data).digest("binary");
  }
  return (data) => oneShot("sha256", data, "binary");
}

// Asked of the module as a value: an import by name ends the program where there is no such name.
const digest = digestBy((crypto as { readonly hash?: OneShot }).hash);

/** The hash of a value in hexadecimal digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return sha256(data).toString("hex");
}

/** The hash of a value, in bytes of its own. */
export function sha256(data: string | Uint8Array): Buffer {
  return Buffer.from(digest(data), "latin1");
}

/** Writes the hash of a value to the first 32 bytes of `target`. */
export function sha256Into(data: string | Uint8Array, target: Buffer): void {
  target.write(digest(data), "latin1");
}

/** Bytes that SHA-256 works off at once; HMAC fills its secret up to these. */
const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Bytes of messages that there is room for from the start. */
const MESSAGE_BYTES = 256;

/** Signs messages with one secret. */
export class HmacKey {
  readonly #digest: Digest;
  /** The padded secret, and room for a message. */
  #inner: Buffer;
  /** The part of it that was hashed last: messages of one kind mostly have one length. */
  #hashed: Buffer;
  /** The padded secret, and room for the hash of the inner bytes. */
  readonly #outer: Buffer;

  /** The secret is copied; another `how` than the usual one is for tests. */
  constructor(secret: Uint8Array, how = digest) {
    this.#digest = how;
    const short = secret.byteLength > BLOCK_BYTES ? sha256(secret) : secret;
    this.#inner = padded(short, INNER_PAD, MESSAGE_BYTES);
    this.#hashed = this.#inner;
    this.#outer = padded(short, OUTER_PAD, SHA256_BYTES);
  }

  /** Writes the HMAC of a payload and of the text behind it to a place in `target`. */
  sign(payload: Uint8Array, text: string, target: Buffer, at = 0): void {
    const textAt = BLOCK_BYTES + payload.byteLength;
    // No character takes more than three bytes.
    this.#makeRoom(textAt + 3 * text.length);
    this.#inner.set(payload, BLOCK_BYTES);
    const end = textAt + this.#inner.write(text, textAt);
    if (this.#hashed.byteLength !== end) this.#hashed = this.#inner.subarray(0, end);
    this.#outer.write(this.#digest(this.#hashed), BLOCK_BYTES, "latin1");
    target.write(this.#digest(this.#outer), at, "latin1");
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#inner.byteLength) return;
    const larger = Buffer.alloc(bytes);
    larger.set(this.#inner.subarray(0, BLOCK_BYTES));
    this.#inner = larger;
    this.#hashed = larger;
  }
}

/** A secret, filled up to a block, with each byte changed by the pad; room follows it. */
function padded(secret: Uint8Array, pad: number, room: number): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES + room);
  for (let at = 0; at < BLOCK_BYTES; at++) bytes[at] = (secret[at] ?? 0) ^ pad;
  return bytes;
}
