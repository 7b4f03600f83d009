/**
 * Makes and reads the opaque cursors of pages. A cursor contains the last row of a page, and hashes
 * of the snapshot, the spec, and the fields.
 * Invariant: stateless and authenticated. A text is accepted only if it was made here with one of
 * the given secrets, for the same tenant and endpoint, and in exactly one spelling. Bytes,
 * big-endian:
 *
 *   0        1          7               23           39             55              87
 *   | version | last row | snapshot hash | spec hash  | fields hash  | HMAC-SHA-256 |
 *
 * 87 bytes are 116 base64url characters without spare bits. The hashes are truncated SHA-256.
 */
import { strict as assert } from "node:assert";
import { timingSafeEqual } from "node:crypto";
import { AppError } from "../errors.ts";
import { HmacKey, SHA256_BYTES, sha256 } from "../sha256.ts";

const VERSION = 1;
const ROW_AT = 1;
const ROW_BYTES = 6;
const SNAPSHOT_AT = ROW_AT + ROW_BYTES;
const HASH_BYTES = 16;
const SPEC_AT = SNAPSHOT_AT + HASH_BYTES;
const FIELDS_AT = SPEC_AT + HASH_BYTES;
const MAC_AT = FIELDS_AT + HASH_BYTES;
const CURSOR_BYTES = MAC_AT + SHA256_BYTES;
const SHA256_HEX = /^[0-9a-f]{64}$/;
const CURSOR_SHAPE = /^[A-Za-z0-9_-]{116}$/;

/** Values that all pages of a search share; each cursor contains them. */
export interface PagesScope {
  /** Identifies the snapshot's content, not only its month; any text. */
  readonly snapshotId: string;
  /** `resultHash` of the spec: SHA-256 in hex. */
  readonly specHash: string;
  /** `fieldsHash` of the fields that the plan allows: SHA-256 in hex. */
  readonly fieldsHash: string;
}

/** Everything that a cursor is bound to. */
export interface CursorScope extends PagesScope {
  /** Further signed strings, such as tenant and endpoint. The cursor does not contain them. */
  readonly binding: readonly string[];
}

/** The last row of a page, and the strings that its cursor is bound to. */
interface PageEnd extends Pick<CursorScope, "binding"> {
  /** From 0 to 2^48-1. */
  readonly lastRow: number;
}

/** Secrets of cursors. The first one signs, and any of them verifies, such as a previous one. */
export type CursorSecrets = readonly [Uint8Array, ...Uint8Array[]];

const made = Buffer.alloc(CURSOR_BYTES);
const madePayload = made.subarray(0, MAC_AT);
const madeMac = made.subarray(MAC_AT);

/** Makes the cursor of the page that follows a row. */
export function encodeCursor(
  { snapshotId, specHash, fieldsHash, lastRow, binding }: CursorScope & PageEnd,
  [secret]: CursorSecrets,
): string {
  made.writeUInt8(VERSION, 0);
  made.write(snapshotHash(snapshotId), SNAPSHOT_AT, "hex");
  made.write(half(specHash), SPEC_AT, "hex");
  made.write(half(fieldsHash), FIELDS_AT, "hex");
  made.writeUIntBE(lastRow, ROW_AT, ROW_BYTES);
  keyOf(secret).sign(madePayload, bindingText(binding), madeMac);
  return made.toString("base64url");
}

/**
 * Reads a cursor; returns the row that precedes the next page.
 * @throws AppError `invalid_cursor` (not ours, altered, or of another tenant or endpoint), else
 * `cursor_expired` (of another snapshot), else `cursor_mismatch` (of another spec or other fields).
 */
export function decodeCursor(text: string, expected: CursorScope, secrets: CursorSecrets): number {
  const bytes = openCursor(text, expected.binding, secrets);
  if (hashAt(bytes, SNAPSHOT_AT) !== snapshotHash(expected.snapshotId)) {
    refuse("cursor_expired", "Start again without a cursor: the snapshot has changed since.");
  }
  const sameSpec = hashAt(bytes, SPEC_AT) === half(expected.specHash);
  if (!sameSpec || hashAt(bytes, FIELDS_AT) !== half(expected.fieldsHash)) {
    refuse("cursor_mismatch", "Send the spec of the response that this cursor came with.");
  }
  return bytes.readUIntBE(ROW_AT, ROW_BYTES);
}

/** True if a cursor names the snapshot. Only `decodeCursor` verifies the cursor. */
export function claimsSnapshot(text: string, snapshotId: string): boolean {
  if (!CURSOR_SHAPE.test(text)) return false;
  return hashAt(Buffer.from(text, "base64url"), SNAPSHOT_AT) === snapshotHash(snapshotId);
}

/** Decodes the text and verifies it before anything in it is used. */
function openCursor(text: string, binding: readonly string[], secrets: CursorSecrets): Buffer {
  const detail = "Send next_cursor of the previous response unchanged, or no cursor.";
  if (!CURSOR_SHAPE.test(text)) refuse("invalid_cursor", detail);
  const bytes = Buffer.from(text, "base64url");
  const mac = bytes.subarray(MAC_AT);
  const payload = bytes.subarray(0, MAC_AT);
  const bound = bindingText(binding);
  const expected = Buffer.alloc(SHA256_BYTES);
  const genuine = secrets.some((secret) => {
    keyOf(secret).sign(payload, bound, expected);
    return timingSafeEqual(mac, expected);
  });
  if (!genuine || bytes[0] !== VERSION) refuse("invalid_cursor", detail);
  return bytes;
}

/**
 * Returns the text that is signed after the payload. The length of the payload is fixed. In the
 * text, the length of each part precedes the part.
 */
function bindingText(binding: readonly string[]): string {
  let text = "";
  for (const part of binding) text += `${Buffer.byteLength(part)}:${part}`;
  return text;
}

const keys = new WeakMap<Uint8Array, HmacKey>();

function keyOf(secret: Uint8Array): HmacKey {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = new HmacKey(secret);
  keys.set(secret, key);
  return key;
}

/** Returns the first half of a SHA-256 hash. Half is safe, because the MAC protects it. */
function half(hash: string): string {
  assert(SHA256_HEX.test(hash), "a cursor is bound to SHA-256 hashes in hex");
  return hash.slice(0, 2 * HASH_BYTES);
}

function hashAt(bytes: Buffer, at: number): string {
  return bytes.toString("hex", at, at + HASH_BYTES);
}

let lastSnapshot = { id: "", hash: "" };

/** Returns half of the hash of a snapshot id. Caches the last one, which most calls use. */
function snapshotHash(id: string): string {
  if (lastSnapshot.id !== id || lastSnapshot.hash === "") {
    lastSnapshot = { id, hash: half(sha256(id).toString("hex")) };
  }
  return lastSnapshot.hash;
}

function refuse(
  code: "invalid_cursor" | "cursor_expired" | "cursor_mismatch",
  detail: string,
): never {
  throw new AppError(code, detail, { errors: [{ pointer: "/cursor", code, detail }] });
}
