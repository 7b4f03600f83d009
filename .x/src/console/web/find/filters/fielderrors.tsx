/**
 * The server's mistakes at their fields: texts by pointer into the spec, and a message below
 * controls that cannot show one.
 * Invariant: a mistake with a known code is shown in the current language, else in the server's
 * words. None is lost. The message looks like a single field's mistake.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { VNode } from "preact";
import type { ApiMistake } from "../../app/api.ts";
import { mistakeText } from "../../app/errortext.ts";
import { words } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { exploration } from "../query.ts";

/** Mistakes by pointer below `/spec`, such as `/filters/geo/uf_any_of/0`. */
const mistakes: ReadonlySignal<readonly ApiMistake[]> = computed(
  () => exploration.value.error?.errors ?? [],
);

/** Returns all texts for the last exploration; empty if it has no mistakes. */
export function allMistakes(): string[] {
  return texts(mistakes.value);
}

/** Returns mistakes at or below a member (`company/started_after`); else null. */
export function mistakeAt(member: string): string | null {
  const pointer = `/spec/filters/${member}`;
  return found((one) => one === pointer || one.startsWith(`${pointer}/`));
}

/** Returns the order's mistakes; else null. */
export function orderMistake(): string | null {
  return found((one) => one.startsWith("/spec/sort") || one.startsWith("/spec/scoring"));
}

function found(here: (pointer: string) => boolean): string | null {
  const list = mistakes.value.filter(({ pointer }) => here(pointer));
  return list.length === 0 ? null : texts(list).join(" ");
}

function texts(list: readonly ApiMistake[]): string[] {
  const known = words.value.find.mistakes;
  return [...new Set(list.map((mistake) => known[mistake.code] ?? mistakeText(mistake)))];
}

/** The message. */
export function FieldMistake({ text }: { text: string | null }): VNode | null {
  if (text === null) return null;
  return (
    <p class="field-error" role="alert">
      <Icon name="error" />
      {text}
    </p>
  );
}
