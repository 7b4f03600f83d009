/**
 * Mistakes that the server found, at their fields. Input: the failure of an exploration. Output:
 * for pointers of the spec what is wrong there, and the message below controls that have no place
 * for it.
 * Invariant: a mistake is shown in the present language if its code is known, else as the server
 * put it; none is lost. The message looks like the mistake of a single field.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { VNode } from "preact";
import type { ApiMistake } from "../../app/api.ts";
import { mistakeText } from "../../app/said.ts";
import { words } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { exploration } from "../query.ts";

/** Mistakes by pointer below `/spec`, such as `/filters/geo/uf_any_of/0`. */
const mistakes: ReadonlySignal<readonly ApiMistake[]> = computed(
  () => exploration.value.error?.errors ?? [],
);

/** All mistakes of the last exploration, in words; empty where there are none. */
export function allMistakes(): string[] {
  return texts(mistakes.value);
}

/** What is wrong with a member of the spec (`company/started_after`) or below it; else null. */
export function mistakeAt(member: string): string | null {
  const pointer = `/spec/filters/${member}`;
  return found((one) => one === pointer || one.startsWith(`${pointer}/`));
}

/** What is wrong with the order; else null. */
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
