/**
 * One row of the table: its cells, or on phones a single cell with two lines.
 * Invariant: a row rerenders only if a prop or the language changes. A row's position in the list
 * never changes, so scrolling moves no row. Every value is a text node. Cells contain no focusable
 * elements, so keys move only between cells. Everything shown by color is also shown in words.
 */
import type { ComponentChildren, VNode } from "preact";
import type { Account } from "../../app/answers.ts";
import { list } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { listName } from "../../lists/all.ts";
import { Icon } from "../../parts/icon.tsx";
import { shortActivity } from "../catalog.ts";
import type { ColumnId, TableColumn } from "./columnset.ts";
import { cellText, cityText, nameOf, textOf } from "./values.ts";

/** Props of a row. */
interface RowProps {
  account: Account;
  index: number;
  /** Columns, or null on phones, where a row is one two-line cell. */
  columns: readonly TableColumn[] | null;
  /** Column of the focusable cell, or null if it is in another row. */
  tabbed: number | null;
  /** True if the drawer shows this account. */
  open: boolean;
  picked: boolean;
  /** Ids of the lists that contain the account. */
  lists: readonly string[];
  height: number;
}

/** A row. Screen readers count the header as the first row, so rows start at two. */
export function Row(props: RowProps): VNode {
  const { account, index, columns, tabbed, open, picked, lists, height } = props;
  // Reads a signal. The row thus rerenders if the language changes, and otherwise only if a prop
  // changes.
  words.value;
  return (
    <tr
      // biome-ignore lint/a11y/noRedundantRoles: display: block hides the row from some readers
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

/** Renders a cell. A component would be too slow for hundreds of cells per frame. */
function cell({ id, at, tabbed, look, title }: CellTraits, content: ComponentChildren): VNode {
  return (
    <td
      key={id}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: keys move between cells
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

/** The best score. */
const SCORE_MAX = 1000;

/** Content of a cell. */
function cellContent(id: ColumnId, account: Account, lists: readonly string[]): ComponentChildren {
  if (id === "name") return nameCell(account, lists);
  if (id === "score") return scoreCell(account);
  if (id === "activity") return activityText(account);
  if (id === "status" && account.registration_status !== 2) {
    return <span class="table-off">{cellText(id, account)}</span>;
  }
  return cellText(id, account);
}

function nameCell(account: Account, lists: readonly string[]): ComponentChildren {
  const { sanctioned } = words.value.table.values;
  const inLists = lists.length === 0 ? "" : words.value.lists.inLists(list(lists.map(listName)));
  return (
    <>
      <span class="table-pick" aria-hidden="true" />
      {inLists !== "" && (
        <span class="table-listed" title={inLists}>
          <Icon name="bookmark" size={14} label={inLists} />
        </span>
      )}
      {account.sanctioned === true && (
        <span class="table-flag">
          <Icon name="warning" size={14} label={sanctioned} />
        </span>
      )}
      {nameOf(account)}
    </>
  );
}

/** Returns the activity's short name. The cell's title and copies use the official one. */
function activityText(account: Account): string {
  return shortActivity(textOf(account, "cnae_primary"), cellText("activity", account));
}

function scoreCell(account: Account): ComponentChildren {
  const { score } = account;
  if (typeof score !== "number") return "";
  const share = Math.max(0, Math.min(1, score / SCORE_MAX));
  return (
    <span class="score" style={{ "--share": share } as Record<string, number>}>
      {cellText("score", account)}
    </span>
  );
}

function compactContent(account: Account, lists: readonly string[]): VNode {
  const { values } = words.value.table;
  const about = [cityText(account), activityText(account)];
  return (
    <>
      <span class="compact-name">{nameCell(account, lists)}</span>
      <span class="compact-more">
        <span class="compact-about">{about.filter((part) => part !== "").join(" · ")}</span>
        {account.email ? <Icon name="contact" size={14} label={values.email} /> : null}
        {account.phone_1 ? <Icon name="phone" size={14} label={values.phone} /> : null}
      </span>
    </>
  );
}
