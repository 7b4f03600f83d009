/**
 * Shows the server's errors about a query: as text at the field with the mistake, or as a message
 * below a control without such a place.
 * Invariant: a mistake with a known code is described in the current language, any other in the
 * server's words. No mistake is hidden.
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
 * Returns the texts of mistakes in a filter ("company/started_after"), or null without mistakes.
 */
export function mistakeAt(member: string): string | null {
  const pointer = `/spec/filters/${member}`;
  return found((one) => one === pointer || one.startsWith(`${pointer}/`));
}

/** Returns the texts of the mistakes in `sort` and `scoring`, or null if there are none. */
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
