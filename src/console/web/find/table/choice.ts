/**
 * Which columns somebody chose. What comes in: what this browser kept, new choices. What goes out:
 * the choice as a signal.
 * Invariant: a new choice is kept at once, and holds for every query.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { keep, read } from "../../app/preferences.ts";
import { boundedWidth, type ColumnChoice, readChoice, type TableColumn } from "./columnset.ts";

const KEY = "peneira.columns";
const kept = signal<ColumnChoice>(readChoice(read(KEY)));

/** The columns chosen. */
export const choice: ReadonlySignal<ColumnChoice> = kept;

/** Takes a new choice and keeps it. */
export function choose(next: ColumnChoice): void {
  kept.value = next;
  keep(KEY, JSON.stringify(next));
}

/** Goes back to the usual columns. */
export function chooseUsual(): void {
  choose(readChoice(null));
}

/** Sets the width of a column. */
export function chooseWidth(column: TableColumn, width: number): void {
  const { shown, widths } = kept.peek();
  choose({ shown, widths: { ...widths, [column.id]: boundedWidth(width) } });
}
