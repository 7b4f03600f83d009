/**
 * What comes in: a normalized spec. What goes out: the bytes and the hashes that identify it, for
 * cursors, entity tags and idempotency keys.
 * Invariant: member order and `explain` never count; everything else does. A cursor leaves `limit`
 * out as well: the page size does not change which accounts follow a row, so a walk may change it.
 */
import { strict as assert } from "node:assert";
import { sha256Hex } from "../sha256.ts";
import { inOrder } from "./filters/members.ts";
import type { AccountQuerySpec } from "./schema.ts";

/** The spec without `explain` and `limit`, its members in one fixed order. */
function walkOf(spec: AccountQuerySpec) {
  const { kind, spec_version, entity, filters, scoring, output } = spec;
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
      labels: output.labels,
      preset: output.preset,
      title: output.title,
    },
  };
}

/** UTF-8 bytes that identify a request: the spec without `explain`, `limit` first. */
export function canonicalBytes(spec: AccountQuerySpec): Uint8Array {
  return Buffer.from(specText(spec, spec.limit), "utf8");
}

/** The spec without `explain` as JSON that can be asked again, with a limit unless it is null. */
export function specText(spec: AccountQuerySpec, limit: number | null): string {
  return JSON.stringify({ ...(limit === null ? {} : { limit }), ...walkOf(spec) });
}

/** SHA-256 (hex) of `canonicalBytes`: for entity tags and idempotency, limit included. */
export function specHash(spec: AccountQuerySpec): string {
  return sha256Hex(canonicalBytes(spec));
}

/** SHA-256 (hex) of the spec without `explain` and `limit`: what a cursor is bound to. */
export function resultHash(spec: AccountQuerySpec): string {
  return sha256Hex(JSON.stringify(walkOf(spec)));
}

/** How the JSON of every normalized spec begins. */
const TEXT_START = Buffer.from('{"kind":"account_query","spec_version":"2.0","entity":"company",');
/** What ends its members, and it. */
const [COMMA, BRACE] = [0x2c, 0x7d];

/** Where the text is put together that is hashed. */
let room = Buffer.allocUnsafeSlow(8_192);

/**
 * `resultHash` of a spec whose JSON is there already, as bytes, and that of its `explain`:
 * normalization gives the members in that one order, so what does not count is left out of them,
 * and nothing is written again.
 */
export function resultHashOfText(spec: AccountQuerySpec, text: Buffer, explain: string): string {
  const from = TEXT_START.byteLength + `"limit":${spec.limit},`.length;
  const end = text.byteLength - `,"explain":}`.length - Buffer.byteLength(explain);
  assert(text[from - 1] === COMMA && text[end] === COMMA, "the text is that of a normalized spec");
  if (text.byteLength > room.byteLength) room = Buffer.allocUnsafeSlow(text.byteLength);
  room.set(TEXT_START);
  text.copy(room, TEXT_START.byteLength, from, end);
  const length = TEXT_START.byteLength + end - from;
  room[length] = BRACE;
  return sha256Hex(room.subarray(0, length + 1));
}

/** SHA-256 (hex) of what a cursor of leads is bound to: `resultHash`, and how companies come. */
export function leadResultHash(spec: AccountQuerySpec, onePerCompany: boolean): string {
  return sha256Hex(JSON.stringify({ one_per_company: onePerCompany, ...walkOf(spec) }));
}

/** What of a question about changes decides which accounts follow a position, and how they look. */
interface ChangesOptions {
  readonly kinds: readonly string[];
  readonly watch: readonly string[];
  readonly fields: readonly string[];
}

/** SHA-256 (hex) of what a cursor of changes is bound to: filters and options, no order. */
export function changesHash(
  spec: AccountQuerySpec,
  { kinds, watch, fields }: ChangesOptions,
): string {
  const { filters } = walkOf(spec);
  return sha256Hex(JSON.stringify({ filters, kinds, watch, fields }));
}

/** SHA-256 (hex) of the fields a plan allows, whatever their order. Compute it once per plan. */
export function fieldsHash(allowedFields: readonly string[]): string {
  return sha256Hex([...allowedFields].sort().join("\n"));
}
