/**
 * Shows the server's errors about a query: texts for the field with the mistake, and a message
 * below a control that has no place for texts.
 * Invariant: a mistake with a known code is described in the current language, any other in the
 * server's words. No mistake is hidden. The message looks like that of a single field.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { VNode } from "preact";
import type { ApiMistake } from "../../app/api.ts";
import { mistakeText } from "../../app/errortext.ts";
import { words } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { exploration } from "../query.ts";

/** Mistakes in the last query. Each has a JSON pointer such as `/spec/filters/geo/uf_any_of/0`. */
const mistakes: ReadonlySignal<readonly ApiMistake[]> = computed(
  () => exploration.value.error?.errors ?? [],
);

/** Returns the texts of all mistakes that the server found in the last query. */
export function allMistakes(): string[] {
  return texts(mistakes.value);
}

/**
 * Returns the texts of the mistakes in a filter ("company/started_after") or in one of its values,
 * or null if there are none.
 */
export function mistakeAt(member: string): string | null {
  const pointer = `/spec/filters/${member}`;
  return found((one) => one === pointer || one.startsWith(`${pointer}/`));
}

/**
 * Returns the texts of the mistakes in `sort` and `scoring`, which order the results, or null if
 * there are none.
 */
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
