/**
 * What comes in: the last row of a page and what it belongs to, or a cursor that a client sent
 * back. What goes out: the opaque text, or the row after which the next page begins.
 * Invariant: stateless and authenticated: only a text made here, with one of the given secrets,
 * for the same tenant and endpoint, is ever accepted, in exactly one spelling. Bytes, big-endian:
 *
 *   0        1          7               23           39             55              87
 *   | version | last row | snapshot hash | spec hash  | fields hash  | HMAC-SHA-256 |
 *
 * 87 bytes are 116 base64url characters without spare bits. The hashes are truncated SHA-256.
 */
import { strict as assert } from "node:assert";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../errors.ts";

const VERSION = 1;
const ROW_AT = 1;
const ROW_BYTES = 6;
const SNAPSHOT_AT = ROW_AT + ROW_BYTES;
const HASH_BYTES = 16;
const SPEC_AT = SNAPSHOT_AT + HASH_BYTES;
const FIELDS_AT = SPEC_AT + HASH_BYTES;
const MAC_AT = FIELDS_AT + HASH_BYTES;
const CURSOR_BYTES = MAC_AT + 32;
const SHA256_HEX = /^[0-9a-f]{64}$/;
const CURSOR_SHAPE = /^[A-Za-z0-9_-]{116}$/;

/** What a cursor is bound to. */
export interface CursorScope {
  /** Identifies the snapshot's contents, not only its month; any text. */
  readonly snapshotId: string;
  /** `resultHash` of the spec: SHA-256 in hex. */
  readonly specHash: string;
  /** `fieldsHash` of what the plan allows: SHA-256 in hex. */
  readonly fieldsHash: string;
  /** Further strings it must be used with: tenant, endpoint. Not shown in the cursor. */
  readonly binding: readonly string[];
}

/** The secrets of cursors: the first signs, all of them verify (a previous one stays valid). */
export type CursorSecrets = readonly [Uint8Array, ...Uint8Array[]];

/** Makes the cursor that continues after a row (0 to 2^48-1). */
export function encodeCursor(
  cursor: CursorScope & { readonly lastRow: number },
  secrets: CursorSecrets,
): string {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUIntBE(cursor.lastRow, ROW_AT, ROW_BYTES);
  bytes.write(snapshotHash(cursor.snapshotId), SNAPSHOT_AT, "hex");
  bytes.write(half(cursor.specHash), SPEC_AT, "hex");
  bytes.write(half(cursor.fieldsHash), FIELDS_AT, "hex");
  authenticate(bytes.subarray(0, MAC_AT), cursor.binding, secrets[0]).copy(bytes, MAC_AT);
  return bytes.toString("base64url");
}

/**
 * Reads a cursor back and gives the row after which the next page begins.
 * @throws AppError `invalid_cursor` (not ours, altered, of another tenant or endpoint), then
 *   `cursor_expired` (of another snapshot), then `cursor_mismatch` (of another spec or fields).
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

/** Whether a cursor says that it is of a snapshot; `decodeCursor` finds out whether it is. */
export function claimsSnapshot(text: string, snapshotId: string): boolean {
  if (!CURSOR_SHAPE.test(text)) return false;
  return hashAt(Buffer.from(text, "base64url"), SNAPSHOT_AT) === snapshotHash(snapshotId);
}

/** Decodes the text and checks its authenticity, before anything in it is believed. */
function openCursor(text: string, binding: readonly string[], secrets: CursorSecrets): Buffer {
  const detail = "Send next_cursor of the previous response unchanged, or no cursor.";
  if (!CURSOR_SHAPE.test(text)) refuse("invalid_cursor", detail);
  const bytes = Buffer.from(text, "base64url");
  const mac = bytes.subarray(MAC_AT);
  const payload = bytes.subarray(0, MAC_AT);
  const genuine = secrets.some((secret) =>
    timingSafeEqual(mac, authenticate(payload, binding, secret)),
  );
  if (!genuine || bytes[0] !== VERSION) refuse("invalid_cursor", detail);
  return bytes;
}

/** HMAC over the payload (of fixed length) and the binding, each part with its length before it. */
function authenticate(payload: Buffer, binding: readonly string[], secret: Uint8Array): Buffer {
  const parts = binding.map((part) => `${Buffer.byteLength(part)}:${part}`);
  return createHmac("sha256", secret).update(payload).update(parts.join("")).digest();
}

/** The half of a SHA-256 that a cursor carries: enough to tell scopes apart, the MAC guards it. */
function half(hash: string): string {
  assert(SHA256_HEX.test(hash), "a cursor is bound to SHA-256 hashes in hex");
  return hash.slice(0, 2 * HASH_BYTES);
}

/** The hash in a cursor's payload, hex. */
function hashAt(bytes: Buffer, at: number): string {
  return bytes.toString("hex", at, at + HASH_BYTES);
}

let lastSnapshot = { id: "", hash: "" };

/** Half of a snapshot's hash; the last one is kept, as nearly all calls ask for the same. */
function snapshotHash(id: string): string {
  if (lastSnapshot.id !== id || lastSnapshot.hash === "") {
    lastSnapshot = { id, hash: half(createHash("sha256").update(id).digest("hex")) };
  }
  return lastSnapshot.hash;
}

/** Throws with the cursor's pointer. */
function refuse(
  code: "invalid_cursor" | "cursor_expired" | "cursor_mismatch",
  detail: string,
): never {
  throw new AppError(code, detail, { errors: [{ pointer: "/cursor", code, detail }] });
}
