/**
 * The arguments that both tools named `create_export` share, that of a server and that of a folder.
 * What comes in: arguments. What goes out: the body of an export, and the mistakes so far.
 * Invariant: the members are those of the body of POST /v1/exports, and mean the same.
 */
import type { TSchema } from "typebox";
import type { Mistake } from "../errors.ts";
import { SCHEMAS } from "../http/api/schemas.ts";
import { EXPORT_FORMATS } from "../spec/fields.ts";
import type { JsonObject } from "../spec/reader.ts";
import { OUTPUT_INPUT_SCHEMA } from "../spec/schema.ts";
import { unknownArguments } from "./mistakes.ts";
import { selectionOf } from "./selection.ts";
import { SELECTION } from "./tool.ts";

const { fields, bom, delimiter, labels, preset } = OUTPUT_INPUT_SCHEMA.properties;

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
};

/** The arguments that are members of the output. */
const OF_OUTPUT = ["format", "fields", "bom", "delimiter", "labels", "preset"];

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
