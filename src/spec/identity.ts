/**
 * What comes in: a normalized spec. What goes out: the bytes and the hashes that identify it, for
 * cursors, entity tags and idempotency keys.
 * Invariant: member order and `explain` never count; everything else does. A cursor leaves `limit`
 * out as well: the page size does not change which accounts follow a row, so a walk may change it.
 */
import { createHash } from "node:crypto";
import { inOrder } from "./filters/members.ts";
import type { AccountQuerySpec } from "./schema.ts";

/** The spec without `explain` and `limit`, its members in one fixed order. */
function walkOf({ kind, spec_version, entity, ...spec }: AccountQuerySpec) {
  const { filters, scoring, output } = spec;
  // JSON.stringify leaves out the members of the output that are undefined.
  return {
    kind,
    spec_version,
    entity,
    filters: inOrder(filters),
    sort: spec.sort.map(({ field, direction }) => ({ field, direction })),
    scoring: { strategy: scoring.strategy, random_seed: scoring.random_seed },
    output: {
      format: output.format,
      include_explain: output.include_explain,
      fields: output.fields,
      bom: output.bom,
      delimiter: output.delimiter,
    },
  };
}

/** SHA-256 of a text, hex. */
function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** UTF-8 bytes that identify a request: the spec without `explain`, `limit` first. */
export function canonicalBytes(spec: AccountQuerySpec): Uint8Array {
  return Buffer.from(JSON.stringify({ limit: spec.limit, ...walkOf(spec) }), "utf8");
}

/** SHA-256 (hex) of `canonicalBytes`: for entity tags and idempotency, limit included. */
export function specHash(spec: AccountQuerySpec): string {
  return sha256(canonicalBytes(spec));
}

/** SHA-256 (hex) of the spec without `explain` and `limit`: what a cursor is bound to. */
export function resultHash(spec: AccountQuerySpec): string {
  return sha256(JSON.stringify(walkOf(spec)));
}

/** SHA-256 (hex) of what a cursor of leads is bound to: `resultHash`, and how companies come. */
export function leadResultHash(spec: AccountQuerySpec, onePerCompany: boolean): string {
  return sha256(JSON.stringify({ one_per_company: onePerCompany, ...walkOf(spec) }));
}

/** What of a question about changes decides which accounts follow a position, and how they look. */
interface ChangesOptions {
  readonly kinds: readonly string[];
  readonly watch: readonly string[];
  readonly fields: readonly string[];
}

/** SHA-256 (hex) of what a cursor of changes is bound to: the filters and the wish, no order. */
export function changesHash(
  spec: AccountQuerySpec,
  { kinds, watch, fields }: ChangesOptions,
): string {
  const { filters } = walkOf(spec);
  return sha256(JSON.stringify({ filters, kinds, watch, fields }));
}

/** SHA-256 (hex) of the fields a plan allows, whatever their order. Compute it once per plan. */
export function fieldsHash(allowedFields: readonly string[]): string {
  return sha256([...allowedFields].sort().join("\n"));
}
