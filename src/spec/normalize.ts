/**
 * Computes the normal form of a spec, and its identity. Input: a spec as a client sent it, the
 * snapshot's catalog, and the rules of plan and endpoint. Output: the normalized spec, its
 * warnings, the altered members on demand, and the bytes and hashes for cursors, entity tags, and
 * idempotency keys.
 * Invariant: every input results in a normalized spec or an error, and the same input always has
 * the same result. Normalizing a normalized spec returns the same bytes, without alterations. Two
 * spellings of the same codes, dates, and defaults have the same bytes. A refusal lists every
 * mistake. `null` is a mistake unless its meaning is documented. A spec with a narrowing filter
 * (filters/table.ts) is never too broad, however many accounts match. The identity ignores only
 * member order and `explain`. A cursor also ignores `limit`, because the page size does not
 * affect which accounts follow a row.
 */
import { strict as assert } from "node:assert";
import { sha256Hex } from "../sha256.ts";
import { type Catalog, type CatalogMunicipality, catalogLookup } from "./catalog.ts";
import { SCORING_STRATEGIES, SORT_DIRECTIONS, SORT_FIELDS } from "./fields.ts";
import { type AnyRow, inOrder, isSet } from "./filters/members.ts";
import { readFilters } from "./filters/read.ts";
import { FILTERS } from "./filters/table.ts";
import { SPEC_LIMITS } from "./limits.ts";
import { type OutputRules, readOutput } from "./output.ts";
import { isJsonObject, type JsonObject, pointerToken, SpecReader } from "./reader.ts";
import type { AccountQuerySpec, SortKey, SpecInput } from "./schema.ts";

/** Rules for reading a spec. */
export interface NormalizeContext extends OutputRules {
  readonly catalog: Catalog;
  /** The limit if the client sends none. */
  readonly limitDefault: number;
  /** The plan's cap. A higher limit in the spec is lowered to it, with a warning. */
  readonly limitCap: number;
  /** True if plan and configuration allow `secondary_cnae_mode: full`; always false in a search. */
  readonly fullAllowed: boolean;
  /** True if the caller has lists, which a spec may then name. */
  readonly listsKnown?: boolean;
  /**
   * The `limit` next to the spec in the request body, which overrides the spec's limit. Undefined
   * if it was not sent.
   */
  readonly bodyLimit?: unknown;
  /**
   * The `output` next to the spec in the request body. Each of its members overrides that of the
   * spec. Undefined if it was not sent.
   */
  readonly bodyOutput?: unknown;
  /** Pointer to the spec in the request body. The default is `/spec`. */
  readonly pointer?: string;
}

/** Result of a normalization. */
export interface NormalizedSpec {
  readonly spec: AccountQuerySpec;
  /** Warnings of this normalization. `spec.explain.warnings` contains them too. */
  readonly warnings: readonly string[];
  /** Differences from the input. They are computed on first access. */
  readonly changes: readonly NormalizationNote[];
}

const MEMBERS = [
  "kind",
  "spec_version",
  "entity",
  "limit",
  "filters",
  "sort",
  "scoring",
  "output",
  "explain",
];

const NO_LISTS =
  "A server keeps lists for its tenants, and here are none. Leave them out, or ask over HTTP.";

/** Maximum number of municipalities that a warning names as outside the requested states. */
const WARNING_NAMES_MAX = 5;

/**
 * Normalizes an account query spec.
 * @throws AppError `invalid_spec` with every mistake, or `field_not_allowed` or
 * `secondary_cnae_mode_not_allowed` if all mistakes are of that kind.
 */
export function normalizeSpec(input: SpecInput, context: NormalizeContext): NormalizedSpec {
  const reader = new SpecReader();
  const pointer = context.pointer ?? "/spec";
  if (input === undefined) reader.mistake(pointer, "missing", "A spec is required.");
  const root = reader.object(input, pointer, MEMBERS);
  const read = readFilters(root.filters, `${pointer}/filters`, reader, {
    lookup: catalogLookup(context.catalog),
    allowedFields: context.allowedFields,
  });
  checkSecondaryMode(read.filters.industry, context, reader);
  if (read.filters.lists !== undefined && context.listsKnown !== true) {
    reader.mistake(`${pointer}/filters/lists`, "not_here", NO_LISTS);
  }
  const limit = readLimit(root.limit, context, reader);
  const warnings = [...limit.warnings, ...placeWarnings(read.filters.geo, read.municipalities)];
  const explain = readExplain(root.explain, `${pointer}/explain`, reader);
  const spec: AccountQuerySpec = {
    kind: readFixed(root.kind, `${pointer}/kind`, "account_query", reader),
    spec_version: readFixed(root.spec_version, `${pointer}/spec_version`, "2.0", reader),
    entity: readFixed(root.entity, `${pointer}/entity`, "company", reader),
    limit: limit.effective,
    filters: read.filters,
    sort: readSort(root.sort, `${pointer}/sort`, reader),
    scoring: readScoring(root.scoring, `${pointer}/scoring`, reader),
    output: readOutput(
      { value: root.output, pointer: `${pointer}/output` },
      { value: context.bodyOutput, pointer: "/output" },
      context,
      reader,
    ),
    explain: appendWarnings(explain, warnings, `${pointer}/explain`, reader),
  };
  reader.refuse();
  return new Normalized(spec, warnings, { input, pointer });
}

/** A class with getters, so that a search does not compute the values that it never reads. */
class Normalized implements NormalizedSpec {
  readonly spec: AccountQuerySpec;
  readonly warnings: readonly string[];
  readonly #origin: { readonly input: SpecInput; readonly pointer: string };

  constructor(
    spec: AccountQuerySpec,
    warnings: readonly string[],
    origin: { readonly input: SpecInput; readonly pointer: string },
  ) {
    this.spec = spec;
    this.warnings = warnings;
    this.#origin = origin;
  }

  get changes(): readonly NormalizationNote[] {
    return describeChanges(this.#origin.input, this.spec, this.#origin.pointer);
  }
}

/** Reads an optional member for which only one value is valid. */
function readFixed<const Value extends string>(
  value: unknown,
  pointer: string,
  fixed: Value,
  reader: SpecReader,
): Value {
  return value === undefined ? fixed : reader.oneOf(value, pointer, [fixed]);
}

/** Returns the limit that applies. Lowers it to the plan's cap, with a warning. */
function readLimit(
  value: unknown,
  context: NormalizeContext,
  reader: SpecReader,
): { readonly effective: number; readonly warnings: readonly string[] } {
  const pointer = `${context.pointer ?? "/spec"}/limit`;
  const { searchLimitMax, exportLimitMax } = SPEC_LIMITS;
  const max = context.mode === "search" ? searchLimitMax : exportLimitMax;
  const overridden = context.bodyLimit !== undefined;
  let wanted = context.limitDefault;
  if (value !== undefined) {
    // A search may override the limit of a spec that was written for a large export.
    wanted = reader.integer(value, pointer, [1, overridden ? exportLimitMax : max]);
  }
  if (overridden) wanted = reader.integer(context.bodyLimit, "/limit", [1, max]);
  if (wanted <= context.limitCap) return { effective: wanted, warnings: [] };
  const warning = `limit was lowered from ${wanted} to ${context.limitCap}, the plan's cap.`;
  const isGiven = overridden || value !== undefined;
  return { effective: context.limitCap, warnings: isGiven ? [warning] : [] };
}

function checkSecondaryMode(
  industry: AccountQuerySpec["filters"]["industry"],
  context: NormalizeContext,
  reader: SpecReader,
): void {
  const mode = industry.secondary_cnae_mode;
  const refusal =
    context.mode === "search" && mode !== "off"
      ? `${mode} is for exports; a search takes off only.`
      : mode === "full" && !context.fullAllowed
        ? "full needs the plan scale or enterprise, and exports.secondary_cnae_full switched on."
        : null;
  if (refusal === null) return;
  const pointer = `${context.pointer ?? "/spec"}/filters/industry/secondary_cnae_mode`;
  reader.mistake(pointer, "secondary_cnae_mode_not_allowed", refusal);
}

/** Reads the sort keys. Without any, the highest score comes first. */
function readSort(value: unknown, pointer: string, reader: SpecReader): SortKey[] {
  const keys: SortKey[] = [];
  const elements = reader.array(value, pointer, SPEC_LIMITS.sortKeysMax);
  for (const [position, element] of elements.entries()) {
    const place = `${pointer}/${position}`;
    if (!isJsonObject(element)) {
      reader.wrongType(place, element, "an object with field and direction");
      continue;
    }
    const members = reader.object(element, place, ["field", "direction"]);
    const field = reader.oneOf(members.field, `${place}/field`, SORT_FIELDS);
    const direction = reader.oneOf(members.direction, `${place}/direction`, SORT_DIRECTIONS);
    if (members.field === field && keys.some((key) => key.field === field)) {
      reader.mistake(`${place}/field`, "duplicate", `${field} is a sort key already.`);
    }
    keys.push({ field, direction });
  }
  return keys.length > 0 ? keys : [{ field: "score", direction: "desc" }];
}

/** Reads the strategy and the seed. The strategy `random` requires a seed. */
function readScoring(
  value: unknown,
  pointer: string,
  reader: SpecReader,
): AccountQuerySpec["scoring"] {
  const members = reader.object(value, pointer, ["strategy", "random_seed"]);
  const strategy =
    members.strategy === undefined
      ? "balanced"
      : reader.oneOf(members.strategy, `${pointer}/strategy`, SCORING_STRATEGIES);
  const given = members.random_seed ?? null;
  const place = `${pointer}/random_seed`;
  const seed = given === null ? null : reader.integer(given, place, [0, Number.MAX_SAFE_INTEGER]);
  if (strategy === "random" && seed === null) {
    reader.mistake(place, "missing", "The strategy random needs a seed: an integer from 0 on.");
  }
  return { strategy, random_seed: seed };
}

/** Warns about municipalities that the state filter excludes. */
function placeWarnings(
  geo: AccountQuerySpec["filters"]["geo"],
  municipalities: readonly CatalogMunicipality[],
): string[] {
  if (geo.uf_any_of.length === 0 || municipalities.length === 0) return [];
  const outside = new Set<string>();
  for (const { tom, name, uf } of municipalities) {
    if (uf === null || geo.uf_any_of.includes(uf)) continue;
    outside.add(`${name}/${uf} (TOM ${tom})`);
  }
  if (outside.size === 0) return [];
  const names = [...outside].sort();
  const rest = names.length - WARNING_NAMES_MAX;
  const more = rest > 0 ? ` and ${rest} more` : "";
  const places = names.slice(0, WARNING_NAMES_MAX).join(", ") + more;
  const states = geo.uf_any_of.join(", ");
  return [`uf_any_of (${states}) excludes these municipalities: ${places}.`];
}

type Explain = AccountQuerySpec["explain"];

const EXPLAIN_MEMBERS = ["assumptions", "warnings", "unmapped_constraints", "confidence"];

function readExplain(value: unknown, pointer: string, reader: SpecReader): Explain {
  const members = reader.object(value, pointer, EXPLAIN_MEMBERS);
  const items = (name: string) => readItems(members[name], `${pointer}/${name}`, reader);
  return {
    assumptions: items("assumptions"),
    warnings: items("warnings"),
    unmapped_constraints: items("unmapped_constraints"),
    confidence: readConfidence(members.confidence, `${pointer}/confidence`, reader),
  };
}

/** Appends those warnings that `explain` does not contain yet, in order. */
export function appendWarnings(
  explain: Explain,
  warnings: readonly string[],
  pointer: string,
  reader: SpecReader,
): Explain {
  const missing = warnings.filter((warning) => !explain.warnings.includes(warning));
  const all = missing.length === 0 ? explain.warnings : [...explain.warnings, ...missing];
  const whole = { ...explain, warnings: all };
  refuseLarge(whole, pointer, reader);
  if (all.length > SPEC_LIMITS.explainItemsMax) {
    const detail = `Leaves no room for ${missing.length} warnings of this spec; send fewer.`;
    reader.mistake(`${pointer}/warnings`, "too_many", detail);
  }
  return whole;
}

/** Logs a mistake if the JSON, with the added warnings, has too many bytes. */
function refuseLarge(explain: Explain, pointer: string, reader: SpecReader): void {
  const { assumptions, warnings, unmapped_constraints: unmapped } = explain;
  if (assumptions.length + warnings.length + unmapped.length === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(explain));
  const most = SPEC_LIMITS.explainBytesMax;
  if (bytes <= most) return;
  const detail = `May be ${most} bytes of JSON, not ${bytes}; send less of it, or leave it out.`;
  reader.mistake(pointer, "too_long", detail);
}

/** Reads one of the arrays of `explain`. Its sentences or objects are kept as they are. */
function readItems(value: unknown, pointer: string, reader: SpecReader): Explain["warnings"] {
  const elements = reader.array(value, pointer, SPEC_LIMITS.explainItemsMax);
  const items: Explain["warnings"] = [];
  for (const [position, element] of elements.entries()) {
    const place = `${pointer}/${position}`;
    if (typeof element === "string") {
      if (element.length > SPEC_LIMITS.explainStringMax) {
        const detail = `May be ${SPEC_LIMITS.explainStringMax} characters long.`;
        reader.mistake(place, "too_long", detail);
      }
      items.push(element);
    } else if (isJsonObject(element)) {
      items.push(element);
    } else {
      reader.wrongType(place, element, "a string or an object");
    }
  }
  return items;
}

/** Reads the confidence. The default is 1, for a spec that no translator made. */
function readConfidence(value: unknown, pointer: string, reader: SpecReader): number {
  if (value === undefined) return 1;
  if (typeof value === "number" && value >= 0 && value <= 1) return value === 0 ? 0 : value;
  reader.wrongType(pointer, value, "a number from 0 to 1");
  return 0;
}

/** The filters that narrow a search. A spec needs at least one of them. */
export const NARROWING: readonly AnyRow[] = FILTERS.filter((row) => "narrows" in row);

/** Returns the filters of which a too broad spec needs at least one, or null for other specs. */
export function tooBroad({ filters }: AccountQuerySpec): { readonly missing: string[] } | null {
  if (NARROWING.some((row) => isSet(filters, row))) return null;
  return { missing: NARROWING.map(({ group, member }) => `filters.${group}.${member}`) };
}

/** Returns the spec without `explain` and `limit`. Its members are in a fixed order. */
function walkOf(spec: AccountQuerySpec) {
  const { kind, spec_version, entity, filters, scoring, output } = spec;
  // `JSON.stringify` omits the members of the output that are undefined.
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
      compression: output.compression,
    },
  };
}

/** Returns the UTF-8 bytes that identify a request: `limit`, then the spec without `explain`. */
export function canonicalBytes(spec: AccountQuerySpec): Uint8Array {
  return Buffer.from(specText(spec, spec.limit), "utf8");
}

/**
 * Returns the spec without `explain` as JSON that a client can send again. A null limit is omitted.
 */
export function specText(spec: AccountQuerySpec, limit: number | null): string {
  return JSON.stringify({ ...(limit === null ? {} : { limit }), ...walkOf(spec) });
}

/** Returns the SHA-256 (hex) of `canonicalBytes`, for entity tags and idempotency keys. */
export function specHash(spec: AccountQuerySpec): string {
  return sha256Hex(canonicalBytes(spec));
}

/**
 * Returns the SHA-256 (hex) of the spec without `explain` and `limit`, to which a cursor is bound.
 */
export function resultHash(spec: AccountQuerySpec): string {
  return sha256Hex(JSON.stringify(walkOf(spec)));
}

/** The beginning of the JSON of every normalized spec. */
const TEXT_START = Buffer.from('{"kind":"account_query","spec_version":"2.0","entity":"company",');
const [COMMA, BRACE] = [0x2c, 0x7d];

/** Buffer for the text that is hashed. */
let buffer = Buffer.allocUnsafeSlow(8_192);

/**
 * Returns the `resultHash` of a spec, from its JSON bytes and the JSON of its `explain`.
 * Normalization writes members in one order, so ignored members can be cut out without serializing
 * again.
 */
export function resultHashOfText(spec: AccountQuerySpec, text: Buffer, explain: string): string {
  const from = TEXT_START.byteLength + `"limit":${spec.limit},`.length;
  const end = text.byteLength - `,"explain":}`.length - Buffer.byteLength(explain);
  assert(text[from - 1] === COMMA && text[end] === COMMA, "the text is that of a normalized spec");
  if (text.byteLength > buffer.byteLength) buffer = Buffer.allocUnsafeSlow(text.byteLength);
  buffer.set(TEXT_START);
  text.copy(buffer, TEXT_START.byteLength, from, end);
  const length = TEXT_START.byteLength + end - from;
  buffer[length] = BRACE;
  return sha256Hex(buffer.subarray(0, length + 1));
}

/**
 * Returns the SHA-256 (hex) to which a cursor of leads is bound. It covers everything that
 * `resultHash` covers, and the option to list only one account per company.
 */
export function leadResultHash(spec: AccountQuerySpec, onePerCompany: boolean): string {
  return sha256Hex(JSON.stringify({ one_per_company: onePerCompany, ...walkOf(spec) }));
}

/**
 * Options of a change query. They affect which changes follow a position in the list, or the form
 * of the changes.
 */
interface ChangesOptions {
  readonly kinds: readonly string[];
  readonly watch: readonly string[];
  readonly fields: readonly string[];
}

/**
 * Returns the SHA-256 (hex) to which a cursor of changes is bound. It covers the filters and these
 * options, but not the order of their elements.
 */
export function changesHash(
  spec: AccountQuerySpec,
  { kinds, watch, fields }: ChangesOptions,
): string {
  const { filters } = walkOf(spec);
  return sha256Hex(JSON.stringify({ filters, kinds, watch, fields }));
}

/** Returns the SHA-256 (hex) of the fields of a plan, in any order. Computed once per plan. */
export function fieldsHash(allowedFields: readonly string[]): string {
  return sha256Hex([...allowedFields].sort().join("\n"));
}

/** A change that normalization made. */
export interface NormalizationNote {
  /** RFC 6901 pointer into the request body. */
  readonly pointer: string;
  /** The value that was sent; absent if there was none. */
  readonly from?: unknown;
  /**
   * The new value; absent if the member was removed, because it was an extension that is not used.
   */
  readonly to?: unknown;
  /** A sentence about the change. */
  readonly detail: string;
}

/** Lists the differences between an accepted input and its normalized form. */
export function describeChanges(
  input: unknown,
  spec: unknown,
  pointer: string,
): NormalizationNote[] {
  const changes: NormalizationNote[] = [];
  compare(input, spec, pointer, changes);
  return changes;
}

/** Compares a value with its normalized form: objects by member, other values as a whole. */
function compare(from: unknown, to: unknown, pointer: string, changes: NormalizationNote[]): void {
  if (from === undefined) {
    changes.push({ pointer, to, detail: `${pointer} was missing and got its default.` });
  } else if (to === undefined) {
    changes.push({ pointer, from, detail: `${pointer} changes nothing and was left out.` });
  } else if (isJsonObject(from) && isJsonObject(to)) {
    compareMembers(from, to, pointer, changes);
  } else if (JSON.stringify(from) !== JSON.stringify(to)) {
    changes.push({ pointer, from, to, detail: `${pointer} was rewritten in normal form.` });
  }
}

/** Compares the members of two objects; those of the normalized object come first. */
function compareMembers(
  from: JsonObject,
  to: JsonObject,
  pointer: string,
  changes: NormalizationNote[],
): void {
  const names = new Set([...Object.keys(to), ...Object.keys(from)]);
  for (const name of names) {
    compare(from[name], to[name], `${pointer}/${pointerToken(name)}`, changes);
  }
}
