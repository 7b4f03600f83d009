/**
 * Signed links to files, which work without an API key: for five minutes, or, in a notice, as long
 * as the file exists.
 * Invariant: links are stateless and authenticated. Only links made here with one of the given
 * secrets are accepted, in exactly one spelling. The signature is HMAC-SHA-256 over purpose, path,
 * and expiry, each prefixed with its length, so that their boundaries are unambiguous.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../../errors.ts";
import type { SecretRing } from "../../store/secrets.ts";
import { type ExportKind, extensionOf } from "../formats/format.ts";
import type { ExportRecord } from "../record.ts";

/** Lifetime of a link, in seconds. */
export const LINK_SECONDS = 300;

/** Max accepted clock skew at the time a link was made, in seconds. */
const SKEW_SECONDS = 60;

/** Purpose included in the signature, so that it is valid for nothing else. */
const PURPOSE = "peneira file 1";
/** Purpose of links in notices, which are read days later and live as long as the file. */
const NOTICE_PURPOSE = "peneira notice file 1";
/**
 * Matches the query of a link. The signature is 32 bytes, which are 43 base64url characters. Ten
 * digits are sufficient for the expiry (in seconds) from 2001 to 2286.
 */
const QUERY = /^expires=([1-9]\d{9})&signature=([A-Za-z0-9_-]{43})$/;

interface LinkContext {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly secrets: SecretRing;
}

/** Path of an export's file. */
export function filePathOf(record: Pick<ExportRecord, "id"> & ExportKind): string {
  return `/files/${record.id}.${extensionOf(record)}`;
}

/** Returns the path and query of a link to an export's file. It never outlives the export. */
export function signLink(
  record: Pick<ExportRecord, "id" | "expiresAtMs"> & ExportKind,
  { nowMs, secrets }: LinkContext,
): string {
  const path = filePathOf(record);
  const wanted = Math.ceil(nowMs / 1000) + LINK_SECONDS;
  const last = record.expiresAtMs === null ? wanted : Math.floor(record.expiresAtMs / 1000);
  const expires = String(Math.min(wanted, last));
  const signature = authenticate(path, expires, secrets[0]).toString("base64url");
  return `${path}?expires=${expires}&signature=${signature}`;
}

/**
 * Returns a link to a done export's file that works as long as the file exists. The link is always
 * the same, so that every delivery attempt sends the same bytes.
 */
export function signNoticeLink(
  record: Pick<ExportRecord, "id" | "expiresAtMs"> & ExportKind,
  secrets: SecretRing,
): string {
  const path = filePathOf(record);
  const expires = String(Math.floor((record.expiresAtMs ?? 0) / 1000));
  const signature = authenticate(path, expires, secrets[0], NOTICE_PURPOSE).toString("base64url");
  return `${path}?expires=${expires}&signature=${signature}`;
}

/**
 * Checks the path and query of a link as they were sent.
 * @throws AppError `link_invalid` (not made here, altered, or not in canonical spelling), then
 * `link_expired` (expired, or made while the clock was ahead).
 */
export function checkLink(path: string, rawQuery: string, { nowMs, secrets }: LinkContext): void {
  const [, expires, signature] = QUERY.exec(rawQuery) ?? [];
  if (expires === undefined || signature === undefined) throw invalid();
  const sent = Buffer.from(signature, "base64url");
  // Unused bits of the last character must be zero, so that a link has only one spelling.
  if (sent.toString("base64url") !== signature) throw invalid();
  const isMadeFor = (purpose: string) =>
    secrets.some((secret) => timingSafeEqual(sent, authenticate(path, expires, secret, purpose)));
  const isNotice = isMadeFor(NOTICE_PURPOSE);
  if (!isNotice && !isMadeFor(PURPOSE)) throw invalid();
  const leftMs = Number(expires) * 1000 - nowMs;
  // A link made while the clock was ahead must not live for days after a correction.
  const isNear = isNotice || leftMs <= (LINK_SECONDS + SKEW_SECONDS) * 1000;
  if (leftMs > 0 && isNear) return;
  const detail = isNotice
    ? "The file of this notice is gone: exports are deleted after the days of the plan."
    : "Ask for the download again: its link works for five minutes.";
  throw new AppError("link_expired", detail);
}

function authenticate(
  path: string,
  expires: string,
  secret: Uint8Array,
  purpose = PURPOSE,
): Buffer {
  const parts = [purpose, path, expires].map((part) => `${Buffer.byteLength(part)}:${part}`);
  return createHmac("sha256", secret).update(parts.join("")).digest();
}

function invalid(): AppError {
  return new AppError(
    "link_invalid",
    "Use the link of the download unchanged, or request a new one.",
  );
}
