/**
 * The server's mistakes at their fields: texts by pointer into the spec, and a message below
 * controls that cannot show a text.
 * Invariant: a mistake with a known code is shown in the current language, others in the server's
 * words. No mistake is hidden. The message looks like that of a single field.
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

/** Returns the texts of all mistakes in the last exploration. */
export function allMistakes(): string[] {
  return texts(mistakes.value);
}

/** Returns the mistakes at or below a member (`company/started_after`); null if none. */
export function mistakeAt(member: string): string | null {
  const pointer = `/spec/filters/${member}`;
  return found((one) => one === pointer || one.startsWith(`${pointer}/`));
}

/**
 * Returns the mistakes in the order of results (members `sort` and `scoring`); null if there are
 * none.
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
