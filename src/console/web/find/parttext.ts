/**
 * Assigns a color and a meaning to each part of a translated sentence.
 * Invariant: meanings come only from the server's answer. A part that added no filter is reported.
 */

import { isPartSet, PART_NAMES } from "../../../spec/filters/members.ts";
import { type FILTER_ROLES, PARTS, type PartName } from "../../../spec/filters/table.ts";
import type { TranslateAnswer, TranslationNote, TranslationPart } from "../app/answers.ts";
import { words } from "../app/words.ts";
import type { CatalogBook } from "./catalog.ts";
import { abbreviatedList, describeFilter } from "./filters/filterwords.ts";
import { queryOf } from "./question.ts";

/** The colors of a sentence. */
export type PartColour = "activity" | "place" | "time" | "company" | "contact" | "unmapped";

const FILTER_COLOURS: Readonly<Record<(typeof FILTER_ROLES)[number], PartColour>> = {
  activity: "activity",
  place: "place",
  date: "time",
  status: "company",
  size: "company",
  regime: "company",
  headquarters: "company",
  capital: "company",
  nature: "company",
  name: "company",
  list: "company",
  contact: "contact",
};

const COLOURS: Readonly<Record<string, PartColour>> = {
  ...FILTER_COLOURS,
  ...{ limit: "company", sort: "company", unmapped: "unmapped" },
};

/** A segment of the sentence; `colour` is null if it has no effect. */
export interface TextSpan {
  readonly text: string;
  readonly start: number;
  readonly colour: PartColour | null;
  /** Meaning of the segment. Empty if it has no effect. */
  readonly meanings: readonly string[];
}

/** Splits the whole sentence into segments, without gaps. */
export function spansOf(
  sentence: string,
  answer: TranslateAnswer,
  book: CatalogBook | null,
): TextSpan[] {
  const spans: TextSpan[] = [];
  let at = 0;
  const plain = (to: number) => {
    const text = sentence.slice(at, to);
    if (text !== "") spans.push({ text, start: at, colour: null, meanings: [] });
    at = Math.max(at, to);
  };
  for (const [index, part] of answer.parts.entries()) {
    const colour = colourOf(answer.parts, index);
    plain(part.start);
    if (colour === null) continue;
    const text = sentence.slice(part.start, part.end);
    spans.push({ text, start: part.start, colour, meanings: meaningsOf(part, answer, book) });
    at = part.end;
  }
  plain(sentence.length);
  return spans;
}

/** Returns the colors used in a sentence, in fixed order. */
export function coloursOf(spans: readonly TextSpan[]): PartColour[] {
  const order: PartColour[] = ["activity", "place", "time", "company", "contact", "unmapped"];
  return order.filter((colour) => spans.some((one) => one.colour === colour));
}

/** Returns a part's color. A negation has the color of the part that it negates. */
function colourOf(parts: readonly TranslationPart[], index: number): PartColour | null {
  const role = parts[index]?.role ?? "filler";
  if (role !== "negation") return COLOURS[role] ?? null;
  const next = parts.slice(index + 1).find((part) => part.role !== "filler");
  return next === undefined ? null : (COLOURS[next.role] ?? null);
}

/** Returns the filters of a role. */
function partsOf(role: string): readonly PartName[] {
  return PART_NAMES.filter((name) => PARTS[name].role === role);
}

function meaningsOf(
  part: TranslationPart,
  answer: TranslateAnswer,
  book: CatalogBook | null,
): string[] {
  const query = queryOf(answer.spec);
  const { explain } = answer;
  const own = special(part, answer);
  // A part with its own codes is described by these codes only. Other filters of the same role come
  // from other parts of the sentence.
  const became = (own.length > 0 ? [] : partsOf(part.role))
    .filter((name) => isPartSet(query.filters, name))
    .map((name) => describeFilter(name, query, book));
  const remarks = [...explain.assumptions, ...explain.warnings, ...explain.unmapped_constraints]
    .map(noteOf)
    .filter((note) => (note.start ?? -1) < part.end && (note.end ?? -1) > part.start)
    .map((note) => note.detail);
  const meanings = [...own, ...became, ...remarks];
  return meanings.length === 0 ? [words.value.find.becameNothing] : [...new Set(meanings)];
}

/** Returns meanings other than filters. */
function special(part: TranslationPart, { spec, suggestions }: TranslateAnswer): string[] {
  const { find } = words.value;
  if (part.role === "limit") return [find.becameRows(spec.limit)];
  if (part.role === "sort") {
    return [
      find.orderedBy(
        abbreviatedList(spec.sort.map(({ field }) => find.sortFields[field] ?? field)),
      ),
    ];
  }
  const own = suggestions.find(({ start, end }) => start < part.end && end > part.start);
  if (part.role !== "activity" || own === undefined || suggestions.length === 1) return [];
  const wanted = own.activities.filter(({ code }) =>
    spec.filters.industry.cnae_any_of.includes(code),
  );
  return wanted.length === 0 ? [] : [abbreviatedList(wanted.map(({ description }) => description))];
}

/** Converts a remark to an object. A spec that a client sent may contain remarks as strings. */
export function noteOf(note: TranslationNote | string): TranslationNote {
  return typeof note === "string" ? { detail: note } : note;
}

/** The remarks about a translation, by kind. */
interface RemarkTexts {
  /** Warnings to show. The warning about uncertainty is shown elsewhere. */
  readonly minded: readonly TranslationNote[];
  /** Parts of the sentence that resulted in no filter. */
  readonly unused: readonly TranslationNote[];
  readonly assumed: readonly TranslationNote[];
}

/** Returns the remarks on a translation. Omits an unused part if a warning has the same words. */
export function remarksOf({ explain }: Pick<TranslateAnswer, "explain">): RemarkTexts {
  const { assumptions, warnings, unmapped_constraints } = explain;
  const minded = warnings.map(noteOf).filter(({ code }) => code !== "uncertain");
  const isInPart = ({ start, end }: TranslationNote) =>
    start !== undefined && minded.some((one) => one.start === start && one.end === end);
  const unused = unmapped_constraints.filter((note) => !isInPart(note));
  return { minded, unused, assumed: assumptions };
}
