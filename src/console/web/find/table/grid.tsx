/**
 * The table as an ARIA grid, in which one cell can have the focus. Only the rows near the visible
 * ones are in the document.
 * Invariant: the document has at most about sixty rows, always including the row with the focus.
 * The focus stays in its row while other rows load.
 */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Account } from "../../app/answers.ts";
import { cnpj } from "../../app/format.ts";
import { isCoarsePointer, narrow } from "../../app/media.ts";
import { words } from "../../app/words.ts";
import { allLists, listChanges } from "../../lists/all.ts";
import { markedLists, requestMarks } from "../../lists/marks.ts";
import { copyText } from "../../parts/button.tsx";
import { choice, chooseWidth } from "./choice.ts";
import { COLUMN_WIDTH, leastOf, type TableColumn, widthOf } from "./columnset.ts";
import { Head } from "./head.tsx";
import {
  clearSelection,
  opened,
  pick,
  place,
  type ShownList,
  savedScroll,
  selection,
} from "./list.ts";
import { Row } from "./row.tsx";
import { cellText } from "./values.ts";
import { type ScrollStage, scrolledOf, showCell, showRow, useRowWindow } from "./viewport.ts";
import { type CellPlace, cellAfterKey } from "./window.ts";

/** Row heights in pixels for mouse, touch, and two-line rows on phones; as in the style sheet. */
const ROW_HEIGHT = { fine: 36, coarse: 44, compact: 64 } as const;

/** A constant array for accounts in no list, so that their rows do not rerender. */
const NO_LISTS: readonly string[] = [];

/** True if the focus must move to `place` after rendering. */
const focusWanted = signal(false);

/** Focuses a cell, scrolling if needed. */
export function focusCell(to: CellPlace): void {
  place.value = to;
  focusWanted.value = true;
}

interface GridProps {
  list: ShownList;
  columns: readonly TableColumn[];
  sortable: ReadonlySet<string>;
  helpId: string;
  /** Content below the rows that scrolls with them. */
  tail: VNode;
}

/** The grid. */
export function Grid({ list, columns, sortable, helpId, tail }: GridProps): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const { rows } = list;
  const { length: count } = rows.accounts;
  const page = narrow.value;
  const rowHeight = page
    ? ROW_HEIGHT.compact
    : isCoarsePointer.value
      ? ROW_HEIGHT.coarse
      : ROW_HEIGHT.fine;
  const stage: ScrollStage = { scroller, body, page, rowHeight, count };
  const drawn = useRowWindow(stage, (row) => rows.want(row));
  useScrollRestored(stage, list);
  useOpenedShown(stage);
  useFocus(stage);
  const at = clampedPlace(count, page ? 1 : columns.length, page);
  const indexes = drawnIndexes(drawn.first, Math.min(drawn.end, count), at.row);
  useMarks(rows.accounts, indexes);
  return (
    <div class="table-scroll" ref={scroller}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: keys move between cells
        role="grid"
        class={`table-grid${page ? " table-phone" : ""}`}
        aria-label={words.value.table.grid.label}
        aria-describedby={helpId}
        aria-rowcount={(rows.total ?? count) + 1}
        aria-colcount={page ? 1 : columns.length}
        aria-multiselectable={true}
        aria-busy={list.stale || rows.phase === "reading"}
        style={page ? {} : gridStyle(columns)}
        onKeyDown={(event) => onKey(event, { stage, list, columns })}
        onFocusIn={({ target }) => follow(target)}
        onClick={(event) => onClick(event, list)}
        onCopy={(event) => onCopy(event, list, columns)}
      >
        {!page && (
          <Head columns={columns} tabbed={at.row === -1 ? at.column : null} sortable={sortable} />
        )}
        <tbody
          // biome-ignore lint/a11y/noRedundantRoles: display: block hides it from readers
          role="rowgroup"
          class="table-body"
          ref={body}
          style={{ height: `${count * rowHeight}px` }}
        >
          {indexes.map((index) => (
            <Row
              key={index}
              index={index}
              account={rows.accounts[index] as ShownList["rows"]["accounts"][number]}
              columns={page ? null : columns}
              tabbed={at.row === index ? at.column : null}
              open={opened.value === index}
              picked={selection.value.has(rows.accounts[index]?.cnpj ?? "")}
              lists={markedLists.value.get(rows.accounts[index]?.cnpj ?? "") ?? NO_LISTS}
              height={rowHeight}
            />
          ))}
        </tbody>
      </table>
      {tail}
    </div>
  );
}

/** Requests the lists that contain the drawn rows, now and whenever a list changes. */
function useMarks(accounts: readonly Account[], indexes: readonly number[]): void {
  const [first, last] = [indexes[0], indexes.at(-1)];
  const changes = listChanges.value;
  const known = allLists.value !== null;
  useEffect(() => {
    requestMarks(indexes.flatMap((index) => accounts[index]?.cnpj ?? []));
  }, [accounts, first, last, accounts.length, changes, known]);
}

function clampedPlace(rows: number, columns: number, page: boolean): CellPlace {
  const { row, column } = place.value;
  return {
    row: Math.max(page ? 0 : -1, Math.min(row, rows - 1)),
    column: Math.max(0, Math.min(column, columns - 1)),
  };
}

/** Returns the rows in the window, plus the focused row even if it is outside. */
function drawnIndexes(first: number, end: number, focused: number): number[] {
  const indexes = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  if (focused >= 0 && focused < first) indexes.unshift(focused);
  else if (focused >= end) indexes.push(focused);
  return indexes;
}

/**
 * Returns the widths of a row's columns as style properties. The first column takes the remaining
 * width. In a narrow window, columns shrink to their min width before any is cut off.
 */
function gridStyle(columns: readonly TableColumn[]): Record<string, string> {
  const least = columns.map((column) => leastOf(column, choice.value));
  const total = least.reduce((sum, width) => sum + width, 0);
  const tracks = columns.map((column, at) => {
    return `minmax(${least[at]}px, ${at === 0 ? "1fr" : `${widthOf(column, choice.value)}px`})`;
  });
  return { "--columns": tracks.join(" "), "--columns-width": `${total}px` };
}

/** Restores the scroll position when the view returns. A new list starts at its top. */
function useScrollRestored({ scroller, page }: ScrollStage, { rows }: ShownList): void {
  useLayoutEffect(() => {
    if (scroller.current !== null && !page) scroller.current.scrollTop = savedScroll.scrollTop;
  }, [rows.accounts, page]);
  useEffect(() => {
    const box = scroller.current;
    const keep = () => {
      savedScroll.scrollTop = box?.scrollTop ?? 0;
    };
    box?.addEventListener("scroll", keep, { passive: true });
    return () => box?.removeEventListener("scroll", keep);
  }, [scroller]);
}

/** Keeps the open account's row visible, even while the user moves on in the drawer. */
function useOpenedShown(stage: ScrollStage): void {
  const { value: row } = opened;
  useLayoutEffect(() => {
    if (row !== null) showRow(stage, row);
  }, [row]);
}

/** Focuses the cell at `place` once it is drawn. */
function useFocus(stage: ScrollStage): void {
  const wanted = focusWanted.value;
  const { row, column } = place.value;
  useLayoutEffect(() => {
    if (!wanted) return;
    focusWanted.value = false;
    showRow(stage, row);
    const { body, scroller } = stage;
    const root = row < 0 ? scroller.current : body.current;
    const cell = root?.querySelector(`[data-row="${row}"] [data-column="${column}"]`);
    if (!(cell instanceof HTMLElement)) return;
    // A sortable heading contains a button, which takes the focus instead.
    const inside = cell.querySelector<HTMLElement>("button");
    (inside ?? cell).focus({ preventScroll: true });
    showCell(stage, cell);
    // Within the table, the cell is already visible. The table itself may be partly off screen.
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [wanted, row, column]);
}

/** Returns the position of the cell around an element, or null if there is none. */
function placeOf(element: EventTarget | null): CellPlace | null {
  if (!(element instanceof Element)) return null;
  const cell = element.closest<HTMLElement>("[data-column]");
  const row = element.closest<HTMLElement>("[data-row]");
  if (cell === null || row === null) return null;
  return { row: Number(row.dataset.row), column: Number(cell.dataset.column) };
}

/** Updates `place`, because clicks and screen readers may move the focus. */
function follow(target: EventTarget | null): void {
  const at = placeOf(target);
  const { row, column } = place.peek();
  if (at !== null && (at.row !== row || at.column !== column)) place.value = at;
}

/** Selects a row if its checkbox is clicked. Other clicks open the row, unless they select text. */
function onClick(event: MouseEvent, { rows }: ShownList): void {
  const at = placeOf(event.target);
  if (at === null || at.row < 0) return;
  if (event.target instanceof Element && event.target.closest(".table-pick") !== null) {
    pick(rows.accounts, at.row, event.shiftKey);
    getSelection()?.removeAllRanges();
    return;
  }
  if (getSelection()?.isCollapsed === false) return;
  opened.value = at.row;
}

interface KeyContext {
  readonly stage: ScrollStage;
  readonly list: ShownList;
  readonly columns: readonly TableColumn[];
}

function onKey(event: KeyboardEvent, context: KeyContext): void {
  const at = placeOf(event.target);
  if (at === null || event.metaKey) return;
  if (event.altKey) {
    if (resized(event, at, context.columns)) event.preventDefault();
    return;
  }
  const to = cellAfterKey(at, { key: event.key, ctrl: event.ctrlKey }, sizeOf(context));
  if (to !== null) focusCell(to);
  else if (!acted(event, at, context.list)) return;
  event.preventDefault();
}

function sizeOf({ stage, columns }: KeyContext) {
  const scrolled = scrolledOf(stage);
  const seen = Math.floor((scrolled?.height ?? 0) / stage.rowHeight);
  const { page, count } = stage;
  const size = { rows: count, columns: page ? 1 : columns.length };
  return { ...size, page: Math.max(1, seen - 1), header: !page };
}

/** Handles a key in a row. Returns false if the key has no effect. */
function acted(event: KeyboardEvent, { row }: CellPlace, { rows }: ShownList): boolean {
  const account = rows.accounts[row];
  if (event.ctrlKey) return false;
  if (event.key === "Escape" && opened.peek() !== null) opened.value = null;
  else if (event.key === "Escape" && selection.peek().size > 0) clearSelection();
  else if (account === undefined) return false;
  else if (event.key === "Enter") opened.value = row;
  else if (event.key === " ") pick(rows.accounts, row, event.shiftKey);
  else if (event.key === "c" || event.key === "C") void copyText(cnpj(account.cnpj));
  else return false;
  return true;
}

/** Handles Alt with an arrow key, which resizes a heading's column. */
function resized(event: KeyboardEvent, at: CellPlace, columns: readonly TableColumn[]): boolean {
  const column = columns[at.column];
  const sign = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
  if (at.row !== -1 || column === undefined || sign === 0) return false;
  // Starts from the drawn width, which is smaller in a narrow window.
  const heading = (event.target as HTMLElement).closest<HTMLElement>("[data-column]");
  const width = heading?.offsetWidth ?? widthOf(column, choice.peek());
  chooseWidth(column, width + sign * COLUMN_WIDTH.step);
  return true;
}

/** Copies the cell's text if no text is selected. */
function onCopy(event: ClipboardEvent, { rows }: ShownList, columns: readonly TableColumn[]): void {
  const at = placeOf(document.activeElement);
  const account = at === null ? undefined : rows.accounts[at.row];
  if (at === null || account === undefined || getSelection()?.isCollapsed === false) return;
  const column = columns[narrow.peek() ? 0 : at.column];
  if (column === undefined) return;
  event.clipboardData?.setData("text/plain", cellText(column.id, account));
  event.preventDefault();
}
