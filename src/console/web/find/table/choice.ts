/**
 * The user's columns as a signal, stored in the browser.
 * Invariant: a choice is stored immediately and applies to every query.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { keep, read } from "../../app/preferences.ts";
import { boundedWidth, type ColumnChoice, readChoice, type TableColumn } from "./columnset.ts";

const KEY = "peneira.columns";
const current = signal<ColumnChoice>(readChoice(read(KEY)));

/** The columns chosen. */
export const choice: ReadonlySignal<ColumnChoice> = current;

/** Sets and stores a choice. */
export function choose(next: ColumnChoice): void {
  current.value = next;
  keep(KEY, JSON.stringify(next));
}

/** Restores the default columns. */
export function chooseUsual(): void {
  choose(readChoice(null));
}

/** Sets the width of a column. */
export function chooseWidth(column: TableColumn, width: number): void {
  const { shown, widths } = current.peek();
  choose({ shown, widths: { ...widths, [column.id]: boundedWidth(width) } });
}
