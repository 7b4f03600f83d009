/**
 * What an API key looks like. What comes in: random bytes, or the text a client sent. What goes
 * out: a key to show once, or its id and the hash of its secret.
 * Invariant: `pnr_<id>_<secret><check>`, all hexadecimal: 12 digits of id, 48 of secret (192
 * random bits) and 8 of CRC-32 over everything before them, so that a mistyped key is refused
 * before anything is looked up. Secrets are never stored: a fast hash is enough for 192 bits.
 */
import { randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";
import { SHA256_BYTES, sha256, sha256Into } from "../sha256.ts";

const ID_BYTES = 6;
const SECRET_BYTES = 24;
const KEY_PATTERN = /^pnr_([0-9a-f]{12})_[0-9a-f]{56}$/;

/** Where the parts of a key begin. */
const ID_AT = 4;
const SECRET_AT = ID_AT + 2 * ID_BYTES + 1;
const CHECK_AT = SECRET_AT + 2 * SECRET_BYTES;
const KEY_LENGTH = CHECK_AT + 8;

/** A key at the moment of its making; `key` is shown once and then forgotten. */
interface FreshKey {
  readonly key: string;
  readonly id: string;
  /** SHA-256 of the secret, 32 bytes. */
  readonly hash: Buffer;
}

/** What a key that a client sent says. */
interface ParsedKey {
  readonly id: string;
  /** SHA-256 of the secret, 32 bytes, until the next key is read. */
  readonly hash: Buffer;
}

/** The hash of the key that was read last: memory of its own for each would be garbage at once. */
const lastHash = Buffer.alloc(SHA256_BYTES);

/** Makes a key of random bytes. */
export function makeKey(): FreshKey {
  const id = randomBytes(ID_BYTES).toString("hex");
  const secret = randomBytes(SECRET_BYTES).toString("hex");
  const body = `pnr_${id}_${secret}`;
  return { key: `${body}${checksum(body)}`, id, hash: sha256(secret) };
}

/** Reads a key; null when it does not have the form or its checksum is wrong. */
export function parseKey(text: string): ParsedKey | null {
  if (!KEY_PATTERN.test(text)) return null;
  if (crcOf(text, CHECK_AT) !== Number.parseInt(text.slice(CHECK_AT), 16)) return null;
  sha256Into(text.slice(SECRET_AT, CHECK_AT), lastHash);
  return { id: text.slice(ID_AT, SECRET_AT - 1), hash: lastHash };
}

/** The id in a key or in an id as a person would paste it; null for anything else. */
export function keyIdOf(text: string): string | null {
  if (/^[0-9a-f]{12}$/.test(text)) return text;
  return KEY_PATTERN.exec(text)?.[1] ?? null;
}

/** The CRC of ASCII text, as 8 hexadecimal digits. */
function checksum(text: string): string {
  return crcOf(text, text.length).toString(16).padStart(8, "0");
}

/** CRC-32 (IEEE 802.3, reflected) of the first `length` characters of ASCII text. */
function crcOf(text: string, length: number): number {
  let crc = 0xffffffff;
  for (let at = 0; at < length; at++) {
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(at)) & 0xff] as number) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

const BEARER = "Bearer ";
const USUAL_START = `${BEARER}pnr_`;
const USUAL_LENGTH = BEARER.length + KEY_LENGTH;

/** The token of a Bearer header; throws 401 when there is none. */
export function bearerToken(authorization: string | undefined): string {
  // As clients write it, where blanks at the end would make another length of it.
  if (authorization?.length === USUAL_LENGTH && authorization.startsWith(USUAL_START)) {
    return authorization.slice(BEARER.length);
  }
  const match = /^bearer +(\S.*)$/i.exec(authorization?.trim() ?? "");
  if (match !== null) return match[1] as string;
  throw new AppError(
    "authentication_required",
    "Send the API key in the header: Authorization: Bearer <API key>.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}
