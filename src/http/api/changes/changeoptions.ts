/**
 * Options of a change query next to its spec. Input: the members `since`, `kinds`, `watch`,
 * `changed_any_of`, and the plan. Output: their normal form, and every mistake in them.
 * Invariant: searches and exports of changes read these members in the same way. Kinds and watched
 * fields are in the order of their tables, without duplicates. An empty list means the default.
 * Groups in `changed_any_of` are replaced by their fields, so cursors and records need not store
 * the groups.
 */
import type { Plan } from "../../../access/plans.ts";
import { CHANGE_KINDS, type ChangeKind } from "../../../changes/kinds.ts";
import type { ChangePair } from "../../../changes/lists.ts";
import { watchableFields, whyUnwatchable } from "../../../changes/query.ts";
import { CHANGE_GROUPS, type ChangeGroup, fieldsOfGroup } from "../../../spec/fields/groups.ts";
import { OUTPUT_FIELD_NAMES, type OutputField } from "../../../spec/fields.ts";
import { shown } from "../../../spec/reader.ts";
import type { BodyObject } from "../../server/body.ts";

/** If a body has one of these members, it requests changes. */
export const CHANGE_MEMBERS = ["since", "kinds", "watch", "changed_any_of"] as const;

const LABEL = /^\d{4}-(0[1-9]|1[0-2])$/;

/** Returns the label in `since`, or null if it is not a valid label. */
export function readSince({ members, mistakes }: BodyObject): string | null {
  const { since } = members;
  if (typeof since === "string" && LABEL.test(since)) return since;
  const code = since === undefined ? "missing" : "wrong_format";
  const detail =
    since === undefined
      ? "Say since which month, as YYYY-MM; GET /v1/status lists them in changes_since."
      : `Must be a month as YYYY-MM, not ${shown(since)}.`;
  mistakes.push({ pointer: "/since", code, detail });
  return null;
}

/**
 * Returns the requested kinds. The default is all kinds. If the body has `changed_any_of`, the
 * default is only the kind `changed`, because other kinds have no changed fields.
 */
export function readKinds(body: BodyObject): readonly ChangeKind[] {
  const named = readNames(body, "kinds", CHANGE_KINDS);
  const { changed_any_of: groups } = body.members;
  if (named.length > 0) return CHANGE_KINDS.filter((kind) => named.includes(kind));
  return Array.isArray(groups) && groups.length > 0 ? ["changed"] : CHANGE_KINDS;
}

/**
 * Returns the watched fields: those that the body names, or by default all that the plan and the
 * pair of snapshots allow. If the body has `changed_any_of` (groups of fields), returns only those
 * of the watched fields that are in one of these groups. If `pair` is null, the checks that need a
 * pair are skipped.
 */
export function readWatch(body: BodyObject, plan: Plan, pair: ChangePair | null): OutputField[] {
  const named = readNames(body, "watch", OUTPUT_FIELD_NAMES);
  const facts =
    pair === null
      ? OUTPUT_FIELD_NAMES
      : watchableFields(pair.older, pair.newer, OUTPUT_FIELD_NAMES);
  const { watch } = body.members;
  for (const [at, name] of (Array.isArray(watch) ? watch : []).entries()) {
    const place = `/watch/${at}`;
    const known = OUTPUT_FIELD_NAMES.find((field) => field === name);
    if (known === undefined) continue;
    if (!plan.fields.includes(known)) {
      const detail = `The plan does not offer the field ${known}.`;
      body.mistakes.push({ pointer: place, code: "field_not_allowed", detail });
    } else if (!facts.includes(known)) {
      body.mistakes.push({ pointer: place, code: "not_watchable", detail: whyNot(known) });
    }
  }
  const wanted = named.length === 0 ? facts : named;
  const watched = facts.filter((name) => wanted.includes(name) && plan.fields.includes(name));
  const grouped = readGroups(body, plan, facts);
  if (grouped === null) return watched;
  const both = watched.filter((name) => grouped.includes(name));
  if (both.length === 0 && named.length > 0 && body.mistakes.length === 0) {
    const detail = "No field of watch is in one of these groups. Leave watch out, or name others.";
    body.mistakes.push({ pointer: "/changed_any_of", code: "contradiction", detail });
  }
  return both;
}

/** Returns the fields of the groups in `changed_any_of`, or null if it names no group. */
function readGroups(
  body: BodyObject,
  plan: Plan,
  facts: readonly OutputField[],
): readonly OutputField[] | null {
  const named = readNames(body, "changed_any_of", CHANGE_GROUPS);
  if (named.length === 0) return null;
  const { changed_any_of: groups } = body.members;
  for (const [at, name] of (groups as readonly ChangeGroup[]).entries()) {
    if (!named.includes(name)) continue;
    const fields = fieldsOfGroup(name);
    const lacked = fields.filter((field) => !plan.fields.includes(field));
    const pointer = `/changed_any_of/${at}`;
    if (lacked.length > 0) {
      const detail = `The plan does not offer ${lacked.join(", ")}, which ${name} compares.`;
      body.mistakes.push({ pointer, code: "field_not_allowed", detail });
    } else if (!fields.some((field) => facts.includes(field))) {
      const detail = whyNot(fields[0] as OutputField);
      body.mistakes.push({ pointer, code: "not_watchable", detail });
    }
  }
  return named.flatMap(fieldsOfGroup);
}

function whyNot(name: OutputField): string {
  return name === "sanctioned"
    ? "sanctioned can be watched only where both snapshots were imported with the CEIS list."
    : `${name} cannot be watched: ${whyUnwatchable(name)}.`;
}

/** Reads names that must be in `known`. Other names are mistakes. */
function readNames<const Name extends string>(
  { members, mistakes }: BodyObject,
  member: "kinds" | "watch" | "changed_any_of",
  known: readonly Name[],
): readonly Name[] {
  const value = members[member];
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > OUTPUT_FIELD_NAMES.length) {
    const detail = `Must be a list of at most ${known.length} names, not ${shown(value)}.`;
    mistakes.push({ pointer: `/${member}`, code: "wrong_type", detail });
    return [];
  }
  const found: Name[] = [];
  for (const [at, element] of value.entries()) {
    const name = known.find((candidate) => candidate === element);
    if (name !== undefined) found.push(name);
    else mistakes.push({ pointer: `/${member}/${at}`, ...unknown(member, element, known) });
  }
  return found;
}

function unknown(member: string, element: unknown, known: readonly string[]) {
  return member === "watch"
    ? {
        code: "unknown_field",
        detail: `There is no field ${shown(element)}. GET /v1/status lists the fields.`,
      }
    : {
        code: "unknown_value",
        detail: `Must be one of ${known.join(", ")}, not ${shown(element)}.`,
      };
}
