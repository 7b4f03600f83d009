/**
 * Tags of answers. What comes in: what an answer depends on. What goes out: an entity tag, and the
 * answer 304 for whoever has it already (RFC 9110, sections 8.8.3 and 13.1.2).
 * Invariant: two answers of one tag hold the same data; the tag is weak, because request id and
 * time are not part of it.
 */
import { createHash } from "node:crypto";
import type { HttpAnswer } from "./respond.ts";
import type { Call } from "./service.ts";

/** Bytes of the hash that stand in a tag: enough that no two answers ever share one. */
const TAG_BYTES = 18;

/** Makes the tag of an answer from all that it depends on. */
export function weakTag(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    // Lengths keep two lists apart whose joined texts are the same.
    hash.update(`${typeof part === "string" ? Buffer.byteLength(part) : part.byteLength}:`);
    hash.update(part);
  }
  return `W/"${hash.digest().subarray(0, TAG_BYTES).toString("base64url")}"`;
}

/** The answer for a client that has this tag already, or null. */
export function unchanged({ header }: Pick<Call, "header">, tag: string): HttpAnswer | null {
  const sent = header("if-none-match");
  if (sent === undefined || !hasTag(sent, tag)) return null;
  return { status: 304, type: "", body: "", headers: { ETag: tag } };
}

/** Whether a list of tags, or `*`, has this one; the comparison is the weak one. */
export function hasTag(list: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, "");
  const tags: readonly string[] = list.match(/"[^"]*"/g) ?? [];
  return list.trim() === "*" || tags.includes(opaque);
}
