/**
 * Reads the `output` of a spec and the `output` of a request body, whose members override those of
 * the spec. Output: the effective format, explain switch, fields in order, and CSV members that are
 * not the default.
 * Invariant: the fields are known, allowed by the plan, and without repeats. An empty list becomes
 * the plan's default set. CSV members are a mistake with any other format. Only text files can be
 * compressed. A layout (preset) always has a language. Formats for programs allow a title but no
 * other member for people. In normal form, a csv file with labels states its delimiter and
 * byte-order mark, because their defaults depend on the language.
 */
import { unseenIn } from "../text/givenname.ts";
import { type Catalog, catalogLookup, notInSnapshot } from "./catalog.ts";
import { LABEL_LANGUAGES, type LabelLanguage } from "./fields/words.ts";
import {
  COMPRESSIONS,
  CSV_DELIMITERS,
  EXPORT_FORMATS,
  fieldRow,
  OUTPUT_FIELD_NAMES,
  type OutputField,
  type Packing,
  TEXT_FORMATS,
} from "./fields.ts";
import { SPEC_LIMITS } from "./limits.ts";
import { PRESET_NAMES, PRESETS, type PresetName, presetFields } from "./presets.ts";
import { type JsonObject, type SpecReader, shown } from "./reader.ts";
import type { AccountQuerySpec } from "./schema.ts";

type Output = AccountQuerySpec["output"];

/** Members that only matter for files that people read. */
const PEOPLE_MEMBERS = ["labels", "preset", "title"] as const;

const MEMBERS = [
  ...["format", "include_explain", "fields", "bom", "delimiter", "compression"],
  ...PEOPLE_MEMBERS,
];
const ALL_FORMATS = ["json", ...EXPORT_FORMATS] as const;
const KNOWN_FIELDS: ReadonlySet<string> = new Set(OUTPUT_FIELD_NAMES);

/** The output options that a plan and an endpoint allow. */
export interface OutputRules {
  readonly allowedFields: readonly string[];
  readonly defaultFields: readonly string[];
  /** A search returns JSON, an export writes files, and a normalization accepts both. */
  readonly mode: "search" | "export" | "either";
  /** The catalog of the snapshot. Snapshots of earlier versions lack some fields. */
  readonly catalog?: Catalog;
}

interface OutputSource {
  readonly value: unknown;
  readonly pointer: string;
}

/** Reads both `output` objects. Mistakes go to the log of `reader`. */
export function readOutput(
  fromSpec: OutputSource,
  fromBody: OutputSource,
  rules: OutputRules,
  reader: SpecReader,
): Output {
  if (fromSpec.value === undefined && fromBody.value === undefined && rules.mode === "search") {
    return {
      format: "json",
      include_explain: false,
      fields: checkFields(undefined, rules, reader),
    };
  }
  const lower = readMembers(fromSpec, reader);
  const upper = readMembers(fromBody, reader);
  const format = checkFormat(upper.format ?? lower.format, rules.mode, reader);
  const replaced = lower.format !== undefined && lower.format.value !== format;
  const people = joinPeople(lower.people ?? {}, upper.people ?? {}, {
    format,
    replaced,
    fieldsReplaced: (upper.fields?.length ?? 0) > 0,
  });
  // If the body names a layout, the layout replaces the fields of the spec.
  const given = upper.fields ?? (upper.people?.preset ? undefined : lower.fields);
  const fields = people.preset ? fieldsOfPreset(people.preset, given, reader) : given;
  const forPeople = checkPeople(people, format, reader);
  // If the body names another format, the file options of the spec do not apply.
  const csv = { ...(replaced && lower.format?.value === "csv" ? {} : lower.csv), ...upper.csv };
  const unpacked = replaced && !TEXT_FORMATS.includes(format);
  const compression = upper.compression ?? (unpacked ? undefined : lower.compression);
  return {
    format,
    include_explain: upper.includeExplain ?? lower.includeExplain ?? false,
    fields: checkFields(fields, rules, reader),
    ...checkCsv(csv, format, csvForPeople(forPeople), reader),
    ...forPeople,
    ...checkCompression(compression, format, reader),
  };
}

interface CsvMembers {
  bom?: Placed<boolean>;
  delimiter?: Placed<NonNullable<Output["delimiter"]>>;
}

interface Members {
  format?: Placed<Output["format"]>;
  includeExplain?: boolean;
  fields?: readonly Placed<OutputField>[];
  csv?: CsvMembers;
  people?: PeopleMembers;
  compression?: Placed<Packing>;
}

/** Reads the members that one `output` object contains. Does not check them against the plan. */
function readMembers(source: OutputSource, reader: SpecReader): Members {
  if (source.value === undefined) return {};
  const { pointer } = source;
  const given = reader.object(source.value, pointer, MEMBERS);
  const members: Members = {};
  if (given.format !== undefined) {
    const place = `${pointer}/format`;
    const value = reader.oneOf(given.format, place, ALL_FORMATS);
    if (value === given.format) members.format = { value, pointer: place };
  }
  if (given.include_explain !== undefined) {
    const place = `${pointer}/include_explain`;
    members.includeExplain = reader.boolean(given.include_explain, place);
  }
  if (given.fields !== undefined) {
    members.fields = readFields(given.fields, `${pointer}/fields`, reader);
  }
  members.csv = readCsvMembers(given, pointer, reader);
  members.people = readPeopleMembers(given, pointer, reader);
  if (given.compression !== undefined) {
    const place = `${pointer}/compression`;
    const value = reader.oneOf(given.compression, place, COMPRESSIONS);
    if (value === given.compression) members.compression = { value, pointer: place };
  }
  return members;
}

function readCsvMembers(given: JsonObject, pointer: string, reader: SpecReader): CsvMembers {
  const members: CsvMembers = {};
  if (given.bom !== undefined) {
    const place = `${pointer}/bom`;
    members.bom = { value: reader.boolean(given.bom, place), pointer: place };
  }
  if (given.delimiter !== undefined) {
    const place = `${pointer}/delimiter`;
    const found = CSV_DELIMITERS.find((delimiter) => delimiter === given.delimiter);
    const wanted = CSV_DELIMITERS.map(shown).join(" or ");
    if (found !== undefined) members.delimiter = { value: found, pointer: place };
    else
      reader.mistake(place, "unknown_value", `Must be ${wanted}, not ${shown(given.delimiter)}.`);
  }
  return members;
}

/** Reads the list of fields and removes duplicates. */
function readFields(value: unknown, pointer: string, reader: SpecReader): Placed<OutputField>[] {
  const fields: Placed<OutputField>[] = [];
  const elements = reader.array(value, pointer, SPEC_LIMITS.arrayLengthMax);
  for (let position = 0; position < elements.length; position++) {
    const place = `${pointer}/${position}`;
    const name = reader.string(elements[position], place);
    if (name === undefined) continue;
    if (!isOutputField(name)) {
      const detail = `There is no field ${shown(name)}. GET /v1/status lists the fields.`;
      reader.mistake(place, "unknown_field", detail);
    } else if (!fields.some((field) => field.value === name)) {
      fields.push({ value: name, pointer: place });
    }
  }
  return fields;
}

/** Checks the format that applies against the endpoint. The default of an export is csv. */
function checkFormat(
  format: Placed<Output["format"]> | undefined,
  mode: OutputRules["mode"],
  reader: SpecReader,
): Output["format"] {
  if (format === undefined) return mode === "export" ? "csv" : "json";
  const { value, pointer } = format;
  const wrong = mode === "search" ? value !== "json" : mode === "export" && value === "json";
  if (!wrong) return value;
  const wanted = mode === "search" ? "json on a search" : `one of ${EXPORT_FORMATS.join(", ")}`;
  reader.mistake(pointer, "unknown_value", `Must be ${wanted}, not ${shown(value)}.`);
  return value;
}

/**
 * Returns the members for csv files that differ from the default. For a file with labels, whose
 * defaults differ, returns all of them. With any other format, these members are a mistake.
 */
function checkCsv(
  { bom, delimiter }: CsvMembers,
  format: Output["format"],
  usual: Required<Pick<Output, "bom" | "delimiter">> | null,
  reader: SpecReader,
): Pick<Output, "bom" | "delimiter"> {
  const chosen = {
    ...(bom?.value === true ? { bom } : {}),
    ...(delimiter !== undefined && delimiter.value !== CSV_DELIMITERS[0] ? { delimiter } : {}),
  };
  const csv: Pick<Output, "bom" | "delimiter"> = {};
  if (format === "csv" && usual !== null) {
    return { bom: bom?.value ?? usual.bom, delimiter: delimiter?.value ?? usual.delimiter };
  }
  if (format === "csv") {
    if (chosen.bom) csv.bom = chosen.bom.value;
    if (chosen.delimiter) csv.delimiter = chosen.delimiter.value;
    return csv;
  }
  for (const [name, { pointer }] of Object.entries(chosen)) {
    const detail = `${name} is for the format csv, not for ${format}; leave it out.`;
    reader.mistake(pointer, "csv_only", detail);
  }
  return csv;
}

/** Returns the compression unless it is the default. Only text formats can be compressed. */
function checkCompression(
  compression: Placed<Packing> | undefined,
  format: Output["format"],
  reader: SpecReader,
): Pick<Output, "compression"> {
  if (compression === undefined || compression.value === "none") return {};
  const { value, pointer } = compression;
  if (TEXT_FORMATS.includes(format)) return { compression: value };
  if (!isExportFormat(format)) {
    reader.mistake(pointer, "export_only", "Only a file is compressed; leave it out.");
    return {};
  }
  const detail =
    `compression is for ${TEXT_FORMATS.join(", ")}: a file of the format ${format} is compressed ` +
    'inside already. Leave it out, or send "none".';
  reader.mistake(pointer, "text_only", detail);
  return {};
}

/** Checks the fields that apply against the plan. An empty list means the plan's default set. */
function checkFields(
  fields: readonly Placed<OutputField>[] | undefined,
  rules: OutputRules,
  reader: SpecReader,
): OutputField[] {
  if (fields === undefined || fields.length === 0) return rules.defaultFields.filter(isOutputField);
  for (const { value, pointer } of fields) {
    if (!rules.allowedFields.includes(value)) {
      reader.mistake(pointer, "field_not_allowed", `The plan does not offer the field ${value}.`);
      continue;
    }
    const { needs } = fieldRow(value);
    if (needs === undefined || rules.catalog === undefined) continue;
    if (!catalogLookup(rules.catalog).lacks(needs)) continue;
    reader.mistake(pointer, "not_in_snapshot", notInSnapshot(value, needs));
  }
  return fields.map(({ value }) => value);
}

function isOutputField(name: string): name is OutputField {
  return KNOWN_FIELDS.has(name);
}

/** Formats that people open. */
const PEOPLE_FORMATS: readonly Output["format"][] = ["csv", "xlsx", "html"];

/** Default language of a layout, which is the language of the registry. */
const LANGUAGE_DEFAULT: LabelLanguage = "pt";

interface Placed<Value> {
  readonly value: Value;
  readonly pointer: string;
}

/** The members of one `output` object. `labels` is null if the client switched labels off. */
interface PeopleMembers {
  labels?: Placed<LabelLanguage | null>;
  preset?: Placed<PresetName>;
  title?: Placed<string>;
}

function readPeopleMembers(given: JsonObject, pointer: string, reader: SpecReader): PeopleMembers {
  const members: PeopleMembers = {};
  if (given.labels === null) {
    members.labels = { value: null, pointer: `${pointer}/labels` };
  } else if (given.labels !== undefined) {
    const place = `${pointer}/labels`;
    const value = reader.oneOf(given.labels, place, LABEL_LANGUAGES);
    if (value === given.labels) members.labels = { value, pointer: place };
  }
  if (given.preset !== undefined) {
    const place = `${pointer}/preset`;
    const value = reader.oneOf(given.preset, place, PRESET_NAMES);
    if (value === given.preset) members.preset = { value, pointer: place };
  }
  if (given.title !== undefined) readTitle(given.title, `${pointer}/title`, members, reader);
  return members;
}

function readTitle(
  given: unknown,
  pointer: string,
  members: PeopleMembers,
  reader: SpecReader,
): void {
  const value = reader.string(given, pointer);
  if (value === undefined) return;
  const title = value.replace(/\s+/gu, " ").trim();
  const unseen = unseenIn(title);
  if (title === "" || title.length > SPEC_LIMITS.titleLengthMax) {
    const detail = `Must be a line of 1 to ${SPEC_LIMITS.titleLengthMax} characters.`;
    reader.mistake(pointer, "unknown_value", detail);
  } else if (unseen !== null) {
    reader.mistake(pointer, "unknown_value", `The title has ${unseen}. Remove it.`);
  } else {
    members.title = { value: title, pointer };
  }
}

/** Merges the members of a spec with those of a body. The members of the body take precedence. */
function joinPeople(
  lower: PeopleMembers,
  upper: PeopleMembers,
  { format, replaced, fieldsReplaced }: JoinRules,
): PeopleMembers {
  const isGone = replaced && !PEOPLE_FORMATS.includes(format);
  const { labels, preset, title } = lower;
  const members: PeopleMembers = {
    ...(isGone || labels === undefined ? {} : { labels }),
    ...(isGone || fieldsReplaced || preset === undefined ? {} : { preset }),
    ...(title === undefined ? {} : { title }),
  };
  return { ...members, ...upper };
}

/** Facts about the body that decide which members of the spec still apply. */
interface JoinRules {
  readonly format: Output["format"];
  /** True if the body names a format and it differs from the spec's format. */
  readonly replaced: boolean;
  /** True if the body names its own fields. */
  readonly fieldsReplaced: boolean;
}

/** Returns the members that apply. Logs mistakes if the format is not one for people. */
function checkPeople(
  { labels, preset, title }: PeopleMembers,
  format: Output["format"],
  reader: SpecReader,
): Pick<Output, (typeof PEOPLE_MEMBERS)[number]> {
  const wanted = [preset, ...(labels?.value ? [labels] : [])].filter((one) => one !== undefined);
  if (wanted.length > 0 && !PEOPLE_FORMATS.includes(format)) {
    for (const { pointer } of wanted) {
      const detail = `Only ${PEOPLE_FORMATS.join(", ")} have it, not ${format}; leave it out.`;
      reader.mistake(pointer, "labels_only", detail);
    }
    return {};
  }
  if (title !== undefined && !isExportFormat(format)) {
    reader.mistake(title.pointer, "export_only", "Only a file has a title; leave it out.");
  }
  const language = labels?.value ?? (preset === undefined ? undefined : LANGUAGE_DEFAULT);
  return {
    ...(language === undefined ? {} : { labels: language }),
    ...(preset === undefined ? {} : { preset: preset.value }),
    ...(title === undefined ? {} : { title: title.value }),
  };
}

/** Returns the defaults of a csv file with labels, or null if the file has no labels. */
function csvForPeople({
  labels,
  preset,
}: Pick<Output, "labels" | "preset">): Required<Pick<Output, "bom" | "delimiter">> | null {
  if (labels === undefined) return null;
  const usual = labels === "pt" ? ";" : ",";
  return {
    bom: true,
    delimiter: (preset === undefined ? null : PRESETS[preset].delimiter) ?? usual,
  };
}

/** Returns the fields of a layout. Logs a mistake if the request also names other fields. */
function fieldsOfPreset(
  { value: preset, pointer }: Placed<PresetName>,
  fields: readonly Placed<OutputField>[] | undefined,
  reader: SpecReader,
): readonly Placed<OutputField>[] {
  const own = presetFields(preset);
  const named = fields?.map(({ value }) => value) ?? [];
  if (named.length > 0 && named.join() !== own.join()) {
    const detail = `The preset ${shown(preset)} has its own fields; leave out fields or preset.`;
    reader.mistake(pointer, "preset_fields", detail);
  }
  return own.map((value) => ({ value, pointer }));
}

function isExportFormat(format: Output["format"]): boolean {
  return EXPORT_FORMATS.some((one) => one === format);
}
