/**
 * Options of a change query next to its spec. Input: the members `since`, `kinds`, `watch`, and the
 * plan. Output: their normal form, and every mistake in them.
 * Invariant: searches and exports of changes read these members alike. Kinds and watched fields
 * come in the order of their tables, each once; an empty list means the default.
 */
import type { Plan } from "../../../access/plans.ts";
import { CHANGE_KINDS, type ChangeKind } from "../../../changes/kinds.ts";
import type { ChangePair } from "../../../changes/lists.ts";
import { watchableFields } from "../../../changes/query.ts";
import { OUTPUT_FIELD_NAMES, type OutputField } from "../../../spec/fields.ts";
import { shown } from "../../../spec/reader.ts";
import type { BodyObject } from "../../server/body.ts";

/** Members of a body that request changes. */
export const CHANGE_MEMBERS = ["since", "kinds", "watch"] as const;

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

/** Returns the requested kinds, or all kinds if the request names none. */
export function readKinds(body: BodyObject): readonly ChangeKind[] {
  const named = readNames(body, "kinds", CHANGE_KINDS);
  return named.length === 0 ? CHANGE_KINDS : CHANGE_KINDS.filter((kind) => named.includes(kind));
}

/**
 * Returns the watched fields; by default all that the plan and the pair allow. Checks that need the
 * pair are skipped without one.
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
  return facts.filter((name) => wanted.includes(name) && plan.fields.includes(name));
}

function whyNot(name: OutputField): string {
  return name === "sanctioned"
    ? "sanctioned can be watched only where both snapshots were imported with the CEIS list."
    : `${name} cannot be watched: it follows from other fields. Watch those.`;
}

/** Reads a list of names from a closed list; other names are mistakes. */
function readNames<const Name extends string>(
  { members, mistakes }: BodyObject,
  member: "kinds" | "watch",
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

function unknown(member: "kinds" | "watch", element: unknown, known: readonly string[]) {
  return member === "watch"
    ? { code: "unknown_field", detail: `There is no field ${shown(element)}.` }
    : {
        code: "unknown_value",
        detail: `Must be one of ${known.join(", ")}, not ${shown(element)}.`,
      };
}
