/**
 * Cursors of a tenant's saved searches, and the maximum number of searches. The API and the console
 * use them.
 * Invariant: cursors are stateless and authenticated. A cursor is accepted only if it was made here
 * with one of the given secrets, for the same tenant, in exactly one spelling:
 * `<created_at>.<id>.<HMAC-SHA-256>`.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../../../errors.ts";
import type { CursorSecrets } from "../../../spec/cursor.ts";
import type { SearchPlace } from "../../../store/searchstore.ts";

/** Maximum saved searches per tenant. */
export const SEARCHES_MAX = 500;

/** Returns the error for one search too many. */
export function searchesFull(): AppError {
  const detail = `There are ${SEARCHES_MAX} saved searches, which is all. Delete one first.`;
  const errors = [{ pointer: "", code: "too_many", detail }];
  return new AppError("invalid_request", detail, { errors });
}

const SHAPE = /^(0|[1-9]\d{0,15})\.(\w{1,64})\.([A-Za-z0-9_-]{43})$/;

/** Makes the cursor that continues a tenant's list after a search. */
export function encodeSearchCursor(
  { createdAt, id }: SearchPlace,
  tenantId: string,
  secrets: CursorSecrets,
): string {
  const place = `${createdAt}.${id}`;
  return `${place}.${authenticate(place, tenantId, secrets[0]).toString("base64url")}`;
}

/** Decodes a cursor. @throws AppError `invalid_cursor` if it is altered or another tenant's */
export function decodeSearchCursor(
  text: string,
  tenantId: string,
  secrets: CursorSecrets,
): SearchPlace {
  const [, createdAt = "", id = "", mac = ""] = SHAPE.exec(text) ?? [];
  const sent = Buffer.from(mac, "base64url");
  // Unused bits of the last character must be zero, so that a cursor has only one spelling.
  const genuine =
    mac !== "" &&
    sent.toString("base64url") === mac &&
    secrets.some((secret) =>
      timingSafeEqual(sent, authenticate(`${createdAt}.${id}`, tenantId, secret)),
    );
  if (genuine) return { createdAt: Number(createdAt), id };
  const detail = "Send next_cursor of the page before unchanged, or no cursor.";
  const errors = [{ pointer: "/query/cursor", code: "invalid_cursor", detail }];
  throw new AppError("invalid_cursor", detail, { errors });
}

/** Returns an HMAC over purpose, tenant, and place, each prefixed by its length. */
function authenticate(place: string, tenantId: string, secret: Uint8Array): Buffer {
  const parts = ["peneira searches 1", tenantId, place];
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join("");
  return createHmac("sha256", secret).update(text).digest();
}
