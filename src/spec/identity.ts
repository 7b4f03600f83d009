/**
 * What comes in: a normalized spec. What goes out: the bytes and the hashes that identify it, for
 * cursors, entity tags and idempotency keys.
 * Invariant: member order and `explain` never count; everything else does. A cursor leaves `limit`
 * out as well: the page size does not change which accounts follow a row, so a walk may change it.
 */
import { createHash } from "node:crypto";
import type { AccountQuerySpec } from "./schema.ts";

/** JSON text of a value with the members of every object in ascending order. */
function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${stableJson(item)}`).join(",")}}`;
}

/** UTF-8 bytes that identify a request: the spec without `explain`. */
export function canonicalBytes(spec: AccountQuerySpec): Uint8Array {
  const { explain: _, ...identity } = spec;
  return Buffer.from(stableJson(identity), "utf8");
}

/** SHA-256 (hex) of `canonicalBytes`: for entity tags and idempotency, limit included. */
export function specHash(spec: AccountQuerySpec): string {
  return createHash("sha256").update(canonicalBytes(spec)).digest("hex");
}

/** SHA-256 (hex) of the spec without `explain` and `limit`: what a cursor is bound to. */
export function walkHash(spec: AccountQuerySpec): string {
  const { explain: _, limit: __, ...walk } = spec;
  return createHash("sha256").update(stableJson(walk)).digest("hex");
}

/** SHA-256 (hex) of the fields a plan allows, whatever their order. */
export function fieldsHash(allowedFields: readonly string[]): string {
  return createHash("sha256")
    .update([...allowedFields].sort().join("\n"))
    .digest("hex");
}
