/**
 * Cursors of lists by sequence.
 * Invariant: cursors are stateless and authenticated. Only a text made here, with one of the given
 * secrets, for the same list and tenant, is accepted, in exactly one spelling. Bytes, big-endian:
 *
 *   0         1       2          10             42
 *   | version | limit | sequence | HMAC-SHA-256 |
 *
 * 42 bytes are 56 base64url characters without spare bits; no search cursor has that length.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../errors.ts";
import type { CursorSecrets } from "../spec/cursor.ts";

const VERSION = 1;
const LIMIT_AT = 1;
const SEQUENCE_AT = 2;
const MAC_AT = 10;
const CURSOR_BYTES = MAC_AT + 32;
const CURSOR_SHAPE = /^[A-Za-z0-9_-]{56}$/;

/** Max items of a page. It must fit in the cursor's byte for the limit. */
export const LIST_LIMIT_MAX = 200;

/** One of a tenant's lists of resources, or the entries of a saved list. */
type ListName =
  | "exports"
  | "audit"
  | "lists"
  | "webhooks"
  | "emails"
  | "notices"
  | `entries ${string}`;

/** Position at which the next page of a list begins. */
export interface ListPosition {
  /** Sequence of the previous page's last item. The next page has smaller sequences. */
  readonly before: number;
  /** Limit of the previous page, which the next page must not exceed. */
  readonly limit: number;
}

/** Makes the cursor that continues a tenant's list. */
export function encodeListCursor(
  { before, limit }: { readonly before: number | bigint; readonly limit: number },
  tenantId: string,
  secrets: CursorSecrets,
  list: ListName = "exports",
): string {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(limit, LIMIT_AT);
  bytes.writeBigUInt64BE(BigInt(before), SEQUENCE_AT);
  const binding = bindingOf(list, tenantId);
  authenticate(bytes.subarray(0, MAC_AT), binding, secrets[0]).copy(bytes, MAC_AT);
  return bytes.toString("base64url");
}

/** Decodes a cursor. @throws AppError `invalid_cursor` if it is altered or another tenant's */
export function decodeListCursor(
  text: string,
  tenantId: string,
  secrets: CursorSecrets,
  list: ListName = "exports",
): ListPosition {
  const bytes = opened(text, tenantId, secrets, list);
  return { before: Number(bytes.readBigUInt64BE(SEQUENCE_AT)), limit: bytes.readUInt8(LIMIT_AT) };
}

/** Makes the cursor that continues after an entry of a list. */
export function encodeEntryCursor(
  entry: bigint,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
  secrets: CursorSecrets,
): string {
  return encodeListCursor({ before: entry, limit: 0 }, tenantId, secrets, `entries ${id}`);
}

/** Decodes a cursor like `decodeListCursor`. Returns the entry after which the page begins. */
export function decodeEntryCursor(
  text: string,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
  secrets: CursorSecrets,
): bigint {
  return opened(text, tenantId, secrets, `entries ${id}`).readBigUInt64BE(SEQUENCE_AT);
}

/** Returns the bytes of a genuine cursor. Throws `invalid_cursor`. */
function opened(text: string, tenantId: string, secrets: CursorSecrets, list: ListName): Buffer {
  if (!CURSOR_SHAPE.test(text)) throw invalidCursor();
  const bytes = Buffer.from(text, "base64url");
  const payload = bytes.subarray(0, MAC_AT);
  const mac = bytes.subarray(MAC_AT);
  const binding = bindingOf(list, tenantId);
  const genuine = secrets.some((secret) =>
    timingSafeEqual(mac, authenticate(payload, binding, secret)),
  );
  if (!genuine || bytes[0] !== VERSION) throw invalidCursor();
  return bytes;
}

/** Returns the HMAC over the payload (of fixed length) and the binding (list and tenant). */
function authenticate(payload: Buffer, binding: string, secret: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(payload).update(binding).digest();
}

/** Returns the list's name, and the tenant prefixed with its length. */
function bindingOf(list: ListName, tenantId: string): string {
  return `${list}|${Buffer.byteLength(tenantId)}:${tenantId}`;
}

function invalidCursor(): AppError {
  const detail = "Send next_cursor of the previous response unchanged, or no cursor.";
  const errors = [{ pointer: "/query/cursor", code: "invalid_cursor", detail }];
  return new AppError("invalid_cursor", detail, { errors });
}
