/**
 * What comes in: the `output` object of a spec and the one beside it in a request body, which wins
 * member by member. What goes out: the effective output: format, explain switch, fields in order.
 * Invariant: the fields are known, allowed by the plan, and named once; an empty list has become
 * the plan's default set.
 */
import { EXPORT_FORMATS, OUTPUT_FIELD_NAMES, type OutputField } from "./fields.ts";
import { type SpecReader, shown } from "./reader.ts";
import { type AccountQuerySpec, SPEC_LIMITS } from "./schema.ts";

type Output = AccountQuerySpec["output"];

const MEMBERS = ["format", "include_explain", "fields"];
const ALL_FORMATS = ["json", ...EXPORT_FORMATS] as const;
const KNOWN_FIELDS: ReadonlySet<string> = new Set(OUTPUT_FIELD_NAMES);

/** What an output may ask for under a plan, on an endpoint. */
export interface OutputRules {
  readonly allowedFields: readonly string[];
  readonly defaultFields: readonly string[];
  /** A search answers JSON, an export writes files; a normalization takes either. */
  readonly mode: "search" | "export" | "either";
}

/** One `output` object and where it stands. */
export interface OutputSource {
  readonly value: unknown;
  readonly pointer: string;
}

/** Reads both `output` objects; mistakes go to the reader's log. */
export function readOutput(
  fromSpec: OutputSource,
  fromBody: OutputSource,
  rules: OutputRules,
  reader: SpecReader,
): Output {
  const lower = readMembers(fromSpec, reader);
  const upper = readMembers(fromBody, reader);
  const format = upper.format ?? lower.format;
  const fields = upper.fields ?? lower.fields;
  return {
    format: checkFormat(format, `${fromSpec.pointer}/format`, rules.mode, reader),
    include_explain: upper.includeExplain ?? lower.includeExplain ?? false,
    fields: checkFields(fields, rules, reader),
  };
}

/** A member of an output with the place it came from. */
interface Placed<Value> {
  readonly value: Value;
  readonly pointer: string;
}

interface Members {
  readonly format?: Placed<Output["format"]>;
  readonly includeExplain?: boolean;
  readonly fields?: readonly Placed<OutputField>[];
}

/** Reads the members of one object that are there, whatever the plan allows. */
function readMembers(source: OutputSource, reader: SpecReader): Members {
  const { pointer } = source;
  const members = reader.object(source.value, pointer, MEMBERS);
  const place = `${pointer}/format`;
  return {
    ...(members.format !== undefined && {
      format: { value: reader.oneOf(members.format, place, ALL_FORMATS), pointer: place },
    }),
    ...(members.include_explain !== undefined && {
      includeExplain: reader.boolean(members.include_explain, `${pointer}/include_explain`),
    }),
    ...(members.fields !== undefined && {
      fields: readFields(members.fields, `${pointer}/fields`, reader),
    }),
  };
}

/** Reads the list of fields; keeps the first of equal ones. */
function readFields(value: unknown, pointer: string, reader: SpecReader): Placed<OutputField>[] {
  const fields = new Map<OutputField, string>();
  const elements = reader.array(value, pointer, SPEC_LIMITS.arrayLengthMax);
  for (const [position, element] of elements.entries()) {
    const place = `${pointer}/${position}`;
    const name = reader.string(element, place);
    if (name === undefined) continue;
    if (!isOutputField(name)) {
      reader.mistake(place, "unknown_field", `There is no field ${shown(name)}.`);
    } else if (!fields.has(name)) {
      fields.set(name, place);
    }
  }
  return [...fields].map(([name, place]) => ({ value: name, pointer: place }));
}

/** Checks the effective format against the endpoint; an export must name one. */
function checkFormat(
  format: Placed<Output["format"]> | undefined,
  pointer: string,
  mode: OutputRules["mode"],
  reader: SpecReader,
): Output["format"] {
  const value = format?.value ?? "json";
  const wrong = mode === "search" ? value !== "json" : mode === "export" && value === "json";
  if (!wrong) return value;
  const wanted = mode === "search" ? "json on a search" : `one of ${EXPORT_FORMATS.join(", ")}`;
  const detail = `Must be ${wanted}, not ${format === undefined ? "missing" : shown(value)}.`;
  reader.mistake(format?.pointer ?? pointer, "unknown_value", detail);
  return value;
}

/** Checks the effective fields against the plan; none means the default set. */
function checkFields(
  fields: readonly Placed<OutputField>[] | undefined,
  rules: OutputRules,
  reader: SpecReader,
): OutputField[] {
  if (fields === undefined || fields.length === 0) return rules.defaultFields.filter(isOutputField);
  for (const { value, pointer } of fields) {
    if (rules.allowedFields.includes(value)) continue;
    reader.mistake(pointer, "field_not_allowed", `The plan does not offer the field ${value}.`);
  }
  return fields.map(({ value }) => value);
}

/** True for the name of an output field. */
function isOutputField(name: string): name is OutputField {
  return KNOWN_FIELDS.has(name);
}
