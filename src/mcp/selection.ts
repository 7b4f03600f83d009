/**
 * Converts tool arguments to parts of a spec, and back: filters, order, and (for both
 * `create_export` tools) the output. Input: the arguments of a tool, or a normalized spec. Output:
 * the spec members for filters and order, the body of an export with its mistakes so far, or the
 * shortest arguments for a spec.
 * Invariant: the shortest form omits only members that normalization adds. A list of activities is
 * written as prefixes that stand for the same codes, so both normalize to the same spec. The
 * members of an export mean the same as in the body of POST /v1/exports.
 */

import type { TSchema } from "typebox";
import type { Mistake } from "../errors.ts";
import { SCHEMAS } from "../http/api/schemas.ts";
import { type Catalog, catalogLookup, cnaeDigits, sectionOfCnae } from "../spec/catalog.ts";
import { EXPORT_FORMATS } from "../spec/fields.ts";
import type { JsonObject } from "../spec/reader.ts";
import { type AccountQuerySpec, OUTPUT_INPUT_SCHEMA } from "../spec/schema.ts";
import { unknownArguments } from "./mistakes.ts";
import { FILTERS_AGAIN, SELECTION } from "./tool.ts";

/** Returns the spec members for filters and order; filters are required. */
export function selectionOf(sent: JsonObject, mistakes: Mistake[]): JsonObject {
  if (sent.filters === undefined) {
    const detail = "Say which accounts, at least by an activity, words of a name or a place.";
    mistakes.push({ pointer: "/filters", code: "missing", detail });
  }
  const { filters, sort, scoring } = sent;
  return {
    ...(filters === undefined ? {} : { filters }),
    ...(sort === undefined ? {} : { sort }),
    ...(scoring === undefined ? {} : { scoring }),
  };
}

/** Returns a normalized spec as arguments, without defaults and as short as possible. */
export function shortSelection(spec: AccountQuerySpec, catalog: Catalog): JsonObject {
  const { industry, geo, company, contact, lists = {} } = spec.filters;
  const { secondary_cnae_mode: mode, cnae_any_of, cnae_exclude, ...names } = industry;
  const short = {
    industry: worded({
      cnae_any_of: shortCodes(cnae_any_of, catalog),
      cnae_exclude: shortCodes(cnae_exclude, catalog),
      ...(mode === "off" ? {} : { secondary_cnae_mode: mode }),
      ...names,
    }),
    geo: worded(geo),
    company: worded(company),
    contact: worded(contact),
    lists: worded(lists),
  };
  const groups = Object.entries(short).filter(([, group]) => Object.keys(group).length > 0);
  const { sort, scoring } = spec;
  const scored = scoring.strategy !== "balanced" || scoring.random_seed !== null;
  return {
    filters: Object.fromEntries(groups),
    ...(isUsual(sort) ? {} : { sort }),
    ...(scored ? { scoring } : {}),
  };
}

/** True for the default order. */
function isUsual(sort: AccountQuerySpec["sort"]): boolean {
  return sort.every(({ field, direction }) => field === "score" && direction === "desc");
}

/** Returns the set filters of a group. False counts as set only for filters with three states. */
function worded(group: object): JsonObject {
  const used = Object.entries(group).filter(([name, value]) => {
    if (Array.isArray(value)) return value.length > 0;
    const isEither = name.endsWith("_opt_in") || name === "has_federal_debt";
    return isEither ? value !== null : value !== null && value !== false;
  });
  return Object.fromEntries(used);
}

/** Returns subclasses as section letters, prefixes of 2 to 5 digits, and single codes. */
function shortCodes(codes: readonly string[], catalog: Catalog): readonly string[] {
  const lookup = catalogLookup(catalog);
  const left = new Set(codes);
  const prefixes: string[] = [];
  for (const digits of [0, 2, 3, 4, 5]) {
    for (const code of codes) {
      if (!left.has(code)) continue;
      const plain = cnaeDigits(code);
      const prefix = digits === 0 ? sectionOfCnae(plain) : plain.slice(0, digits);
      const below = prefix === null ? [] : lookup.cnae(prefix);
      if (below.length < 2 || !below.every((one) => left.has(one))) continue;
      prefixes.push(prefix as string);
      for (const one of below) left.delete(one);
    }
  }
  return [...prefixes, ...left].sort();
}

const { fields, bom, delimiter, labels, preset, compression } = OUTPUT_INPUT_SCHEMA.properties;

/** Arguments of an export. */
export const EXPORT_ARGUMENTS = {
  ...SELECTION,
  filters: FILTERS_AGAIN,
  format: {
    type: "string",
    enum: [...EXPORT_FORMATS],
    default: "csv",
    description: "html holds 100,000 rows, xlsx 1,048,575, the others any number.",
  } as unknown as TSchema,
  fields,
  limit: {
    ...SCHEMAS.ExportRequest.properties.limit,
    description: "Most rows; all matches if missing. The plan's cap may lower it.",
  } as TSchema,
  bom,
  delimiter,
  labels,
  preset,
  compression,
};

/** Names of the arguments that become members of the spec's output. */
const OF_OUTPUT = ["format", "fields", "bom", "delimiter", "labels", "preset", "compression"];

/** Schema of an export's format in answers. */
export const FORMAT = { type: "string", enum: [...EXPORT_FORMATS] } as unknown as TSchema;

/** Arguments as the body of an export. */
export interface ExportArguments {
  readonly body: {
    readonly spec: JsonObject;
    readonly output: JsonObject;
    readonly limit?: unknown;
  };
  readonly mistakes: Mistake[];
}

/** Reads the arguments that both tools share; `others` are the tool's other arguments. */
export function readExport(sent: JsonObject, others: readonly string[]): ExportArguments {
  const mistakes = unknownArguments(sent, [...Object.keys(EXPORT_ARGUMENTS), ...others]);
  const spec = selectionOf(sent, mistakes);
  const named = OF_OUTPUT.filter((name) => sent[name] !== undefined);
  const output = Object.fromEntries(named.map((name) => [name, sent[name]]));
  const { limit } = sent;
  return { body: { spec, output, ...(limit === undefined ? {} : { limit }) }, mistakes };
}
