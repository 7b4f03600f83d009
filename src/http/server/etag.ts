/**
 * Tags of answers. What comes in: what an answer depends on. What goes out: an entity tag, and the
 * answer 304 for whoever has it already (RFC 9110, sections 8.8.3 and 13.1.2).
 * Invariant: two answers of one tag hold the same data; the tag is weak, because request id and
 * time are not part of it.
 */
import { SHA256_BYTES, sha256Into } from "../../sha256.ts";
import { type BareAnswer, bare } from "./respond.ts";
import type { Call } from "./service.ts";

/** Bytes of the hash that stand in a tag: enough that no two answers ever share one. */
const TAG_BYTES = 18;

/** Digits of a length, and what ends it. */
const LENGTH_BYTES_MAX = 17;

/** The hash that was made last. */
const hash = Buffer.alloc(SHA256_BYTES);
/** Where parts are joined; what needs more gets memory of its own. */
const room = Buffer.allocUnsafeSlow(16 * 1024);

/** Makes the tag of an answer from all that it depends on. */
export function weakTag(parts: readonly (string | Uint8Array)[]): string {
  sha256Into(joined(parts), hash);
  const opaque = hash.toString("base64url", 0, TAG_BYTES);
  // By way of bytes: texts that are joined are put together again by each who looks into them.
  return Buffer.from(`W/"${opaque}"`, "latin1").toString("latin1");
}

/** Parts with their lengths, which keep two lists apart whose joined texts are the same. */
function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  let most = 0;
  // No character takes more than three bytes.
  for (const part of parts) most += LENGTH_BYTES_MAX + 3 * part.length;
  const bytes = most > room.byteLength ? Buffer.allocUnsafe(most) : room;
  let at = 0;
  for (const part of parts) {
    const length = typeof part === "string" ? Buffer.byteLength(part) : part.byteLength;
    at += bytes.write(`${length}:`, at, "latin1");
    if (typeof part === "string") bytes.write(part, at);
    else bytes.set(part, at);
    at += length;
  }
  return bytes.subarray(0, at);
}

/** The answer for a client that has this tag already, or null. */
export function unchanged(call: Pick<Call, "header">, tag: string): BareAnswer | null {
  const sent = call.header("if-none-match");
  if (sent === undefined || !hasTag(sent, tag)) return null;
  return bare({ status: 304, headers: { ETag: tag } });
}

/** Whether a list of tags, or `*`, has this one; the comparison is the weak one. */
export function hasTag(list: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, "");
  const tags: readonly string[] = list.match(/"[^"]*"/g) ?? [];
  return list.trim() === "*" || tags.includes(opaque);
}
