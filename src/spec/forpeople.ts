/**
 * What comes in: the members of an `output` that make a file for people: language of its labels,
 * layout, title. What goes out: those that hold, and what they mean for a csv file.
 * Invariant: a layout always has a language; formats that programs read have none of them but the
 * title, and saying otherwise is a mistake. In normal form a csv file with labels says its
 * delimiter and its mark, because what is usual for them depends on the language.
 */

import { unseenIn } from "../text/givenname.ts";
import { LABEL_LANGUAGES, type LabelLanguage } from "./fields/words.ts";
import { EXPORT_FORMATS, type OutputField } from "./fields.ts";
import { SPEC_LIMITS } from "./limits.ts";
import { PRESET_NAMES, PRESETS, type PresetName, presetFields } from "./presets.ts";
import { type JsonObject, type SpecReader, shown } from "./reader.ts";
import type { AccountQuerySpec } from "./schema.ts";

type Output = AccountQuerySpec["output"];

/** Names of the members. */
export const PEOPLE_MEMBERS = ["labels", "preset", "title"] as const;

/** Formats that people open. */
const PEOPLE_FORMATS: readonly Output["format"][] = ["csv", "xlsx", "html"];

/** Language where a layout is asked for and none is named: that of the registry. */
const LANGUAGE_DEFAULT: LabelLanguage = "pt";

/** A member of an output with the place it came from. */
export interface Placed<Value> {
  readonly value: Value;
  readonly pointer: string;
}

/** The members of one object; `labels` is null where it says that there are none. */
export interface PeopleMembers {
  labels?: Placed<LabelLanguage | null>;
  preset?: Placed<PresetName>;
  title?: Placed<string>;
}

/** Reads the members that are there. */
export function readPeopleMembers(
  given: JsonObject,
  pointer: string,
  reader: SpecReader,
): PeopleMembers {
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

/** Joins the members of a spec with those of a body, which win. */
export function joinPeople(
  lower: PeopleMembers,
  upper: PeopleMembers,
  { format, replaced, fieldsReplaced }: JoinRules,
): PeopleMembers {
  const gone = replaced && !PEOPLE_FORMATS.includes(format);
  const { labels, preset, title } = lower;
  const kept: PeopleMembers = {
    ...(gone || labels === undefined ? {} : { labels }),
    ...(gone || fieldsReplaced || preset === undefined ? {} : { preset }),
    ...(title === undefined ? {} : { title }),
  };
  return { ...kept, ...upper };
}

/** What of a body takes members of the spec away. */
interface JoinRules {
  readonly format: Output["format"];
  /** Whether the body names another format than the spec. */
  readonly replaced: boolean;
  /** Whether the body names fields of its own. */
  readonly fieldsReplaced: boolean;
}

/** The members that hold; a mistake is told where the format is not for people. */
export function checkPeople(
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

/** What a csv file with labels has where nobody says it. */
export function csvForPeople({
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

/** The fields of a layout; other ones beside it are a mistake. */
export function fieldsOfPreset(
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
