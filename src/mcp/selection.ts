/**
 * Arguments of tools that become parts of a spec: filters, order, and for both tools named
 * `create_export` the output. Input: the arguments of a tool, or a normalized spec. Output: the
 * members of a spec that select and order, the body of an export with the mistakes so far, or the
 * shortest arguments that mean the same.
 * Invariant: members of the shortest form are left out only if normalization adds them; a list of
 * activities is written as the prefixes that it fills, so that both normalize to the same spec. The
 * members of an export are those of the body of POST /v1/exports, and mean the same.
 */

import type { TSchema } from "typebox";
import type { Mistake } from "../errors.ts";
import { SCHEMAS } from "../http/api/schemas.ts";
import { type Catalog, catalogLookup, cnaeDigits, sectionOfCnae } from "../spec/catalog.ts";
import { EXPORT_FORMATS } from "../spec/fields.ts";
import type { JsonObject } from "../spec/reader.ts";
import { type AccountQuerySpec, OUTPUT_INPUT_SCHEMA } from "../spec/schema.ts";
import { unknownArguments } from "./mistakes.ts";
import { SELECTION } from "./tool.ts";

/** The members of a spec that select and order; filters have to be there. */
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

/** A normalized spec as arguments: without what is the default, and as short as can be. */
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

/** Whether an order is the one where none is named. */
function isUsual(sort: AccountQuerySpec["sort"]): boolean {
  return sort.every(({ field, direction }) => field === "score" && direction === "desc");
}

/** The filters of a group that are used. False is a filter where null is none. */
function worded(group: object): JsonObject {
  const used = Object.entries(group).filter(([name, value]) => {
    if (Array.isArray(value)) return value.length > 0;
    return name.endsWith("_opt_in") ? value !== null : value !== null && value !== false;
  });
  return Object.fromEntries(used);
}

/** Subclasses as section letters, prefixes of 2 to 5 digits, and the rest as they are. */
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

/** What an export is made of. */
export const EXPORT_ARGUMENTS = {
  ...SELECTION,
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

/** The arguments that are members of the output. */
const OF_OUTPUT = ["format", "fields", "bom", "delimiter", "labels", "preset", "compression"];

/** The format of an export, as a schema of answers. */
export const FORMAT = { type: "string", enum: [...EXPORT_FORMATS] } as unknown as TSchema;

/** What is wanted, as the body of an export. */
export interface ExportArguments {
  readonly body: {
    readonly spec: JsonObject;
    readonly output: JsonObject;
    readonly limit?: unknown;
  };
  readonly mistakes: Mistake[];
}

/** Reads what both tools know; `others` are the names of the arguments of one of them. */
export function readExport(sent: JsonObject, others: readonly string[]): ExportArguments {
  const mistakes = unknownArguments(sent, [...Object.keys(EXPORT_ARGUMENTS), ...others]);
  const spec = selectionOf(sent, mistakes);
  const named = OF_OUTPUT.filter((name) => sent[name] !== undefined);
  const output = Object.fromEntries(named.map((name) => [name, sent[name]]));
  const { limit } = sent;
  return { body: { spec, output, ...(limit === undefined ? {} : { limit }) }, mistakes };
}
