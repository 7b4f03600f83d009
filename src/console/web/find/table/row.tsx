/**
 * One row of the table. What comes in: an account, its index, the columns. What goes out: a row of
 * the grid at its place.
 * Invariant: a row is drawn again only when one of its props or the language changes, since it
 * reads the words as a signal (the binding of signals compares props then); its place never
 * changes, so scrolling moves no row that is there.
 */
import type { ComponentChildren, VNode } from "preact";
import type { Account } from "../../app/answers.ts";
import { words } from "../../app/words.ts";
import { cellContent, compactContent } from "./cells.tsx";
import type { TableColumn } from "./columnset.ts";
import { cellText } from "./values.ts";

/** What a row takes. */
interface RowProps {
  account: Account;
  index: number;
  /** Null on phones, where a row is one cell of two lines. */
  columns: readonly TableColumn[] | null;
  /** The cell that takes the focus when the grid does; null where it is in another row. */
  tabbed: number | null;
  /** Whether the drawer shows this account. */
  open: boolean;
  picked: boolean;
  /** Ids of the lists that it is in. */
  lists: readonly string[];
  height: number;
}

/** One row; the header is the first row for readers, so rows count from two. */
export function Row(props: RowProps): VNode {
  const { account, index, columns, tabbed, open, picked, lists, height } = props;
  // Reading the words makes the row follow the language, and nothing but it and the props.
  words.value;
  return (
    <tr
      // biome-ignore lint/a11y/noRedundantRoles: as a block it would be no row for some readers
      role="row"
      class={`table-row${open ? " table-open" : ""}`}
      aria-rowindex={index + 2}
      aria-selected={picked}
      data-row={index}
      style={{ transform: `translateY(${index * height}px)` }}
    >
      {columns === null
        ? cell(
            { id: "compact", at: 0, tabbed, look: "table-compact" },
            compactContent(account, lists),
          )
        : columns.map(({ id, numeric }, at) => {
            const look = numeric ? "table-cell table-number" : "table-cell";
            const title = cellText(id, account);
            return cell({ id, at, tabbed, look, title }, cellContent(id, account, lists));
          })}
    </tr>
  );
}

interface CellTraits {
  id: string;
  at: number;
  tabbed: number | null;
  look: string;
  title?: string;
}

/** A cell; a function and no component, for hundreds of them come and go in a frame. */
function cell({ id, at, tabbed, look, title }: CellTraits, content: ComponentChildren): VNode {
  return (
    <td
      key={id}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: cells are moved between
      role="gridcell"
      class={look}
      aria-colindex={at + 1}
      data-column={at}
      tabIndex={tabbed === at ? 0 : -1}
      title={title}
    >
      {content}
    </td>
  );
}
