/**
 * Cursors of the list of saved searches. What comes in: the search that a page ended with, or a
 * cursor that was sent back. What goes out: the text, or that place.
 * Invariant: stateless and authenticated: only a text made here, with one of the given secrets, for
 * the same tenant, is ever accepted, in exactly one spelling: `<created_at>.<id>.<HMAC-SHA-256>`.
 * Apart because everything here is about secrets, which is judged line by line.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../errors.ts";
import type { CursorSecrets } from "../spec/cursor.ts";
import type { SearchPlace } from "../store/searchstore.ts";

const SHAPE = /^(0|[1-9]\d{0,15})\.(\w{1,64})\.([A-Za-z0-9_-]{43})$/;

/** Makes the cursor that continues a tenant's list behind a search. */
export function encodeSearchCursor(
  { createdAt, id }: SearchPlace,
  tenantId: string,
  secrets: CursorSecrets,
): string {
  const place = `${createdAt}.${id}`;
  return `${place}.${authenticate(place, tenantId, secrets[0]).toString("base64url")}`;
}

/**
 * Reads a cursor back.
 * @throws AppError `invalid_cursor` for what is not ours, was altered or is another tenant's.
 */
export function decodeSearchCursor(
  text: string,
  tenantId: string,
  secrets: CursorSecrets,
): SearchPlace {
  const [, createdAt = "", id = "", mac = ""] = SHAPE.exec(text) ?? [];
  const sent = Buffer.from(mac, "base64url");
  // Two bits of the last character mean nothing; only zeros are the usual spelling.
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

/** HMAC over what it is for, the tenant and the place, each behind its length. */
function authenticate(place: string, tenantId: string, secret: Uint8Array): Buffer {
  const parts = ["peneira searches 1", tenantId, place];
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join("");
  return createHmac("sha256", secret).update(text).digest();
}
