/**
 * Counts the work of a translation: how often the translator reads a token, looks up a name, or
 * goes through all names, and how many list elements it searches.
 * Invariant: the same text and code yield the same count on any machine.
 */
import { PlaceNames } from "../../../src/translate/places/placenames.ts";
import { PhraseBook } from "../../../src/translate/words/phrases.ts";
import { Sentence } from "../../../src/translate/words/sentence.ts";

const ARRAY_SEARCHES = ["filter", "some", "every", "find", "findIndex", "findLast"] as const;

/** Counts token reads and name look-ups, a measure that needs no clock. */
export function lookUpsOf(call: () => unknown): number {
  return workOf(call, () => [
    ...(["free", "owner", "claim", "folded"] as const).map((name) =>
      observed(Sentence.prototype, name),
    ),
    observed(PhraseBook.prototype as PhraseBook<unknown>, "longest"),
  ]);
}

/** Counts token reads, look-ups, comparisons with names, and searched list elements. */
export function allWorkOf(call: () => unknown): number {
  return workOf(call, () => [
    ...(["free", "owner", "claim", "folded", "words"] as const).map((name) =>
      observed(Sentence.prototype, name),
    ),
    ...(["longest", "walk"] as const).flatMap((name) => [
      observed(PhraseBook.prototype as PhraseBook<unknown>, name),
      observed(PlaceNames.prototype, name),
    ]),
    ...ARRAY_SEARCHES.map((name) => observed(Array.prototype as unknown[], name, lengthOf)),
  ]);
}

let steps = 0;

function workOf(call: () => unknown, observe: () => readonly (() => void)[]): number {
  steps = 0;
  const undo = observe();
  try {
    call();
  } finally {
    for (let i = undo.length - 1; i >= 0; i--) undo[i]?.();
  }
  return steps;
}

function lengthOf(list: readonly unknown[]): number {
  return list.length;
}

/** Counts the calls of a method until the returned function is called. */
function observed<Owner extends object>(
  owner: Owner,
  name: keyof Owner,
  weight: (self: Owner) => number = () => 1,
): () => void {
  const original = owner[name] as unknown as (...parameters: unknown[]) => unknown;
  owner[name] = function (this: Owner, ...parameters: unknown[]) {
    steps += weight(this);
    return original.apply(this, parameters);
  } as never;
  return () => {
    owner[name] = original as never;
  };
}
