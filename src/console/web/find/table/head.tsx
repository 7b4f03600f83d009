/**
 * The header of the table: headings sort on click and are resized by dragging or by Alt and arrows.
 * Invariant: at most one heading shows a direction; widths stay within their bounds.
 */
import type { VNode } from "preact";
import { words } from "../../app/words.ts";
import { Icon } from "../../parts/icon.tsx";
import { change, query } from "../query.ts";
import { choice, chooseWidth } from "./choice.ts";
import { nextSort, sortedBy, type TableColumn, widthOf } from "./columnset.ts";
import { columnName } from "./values.ts";

interface HeadProps {
  columns: readonly TableColumn[];
  /** Column of the focusable heading, or null if a row has the focus. */
  tabbed: number | null;
  sortable: ReadonlySet<string>;
}

/** The header row. */
export function Head({ columns, tabbed, sortable }: HeadProps): VNode {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: display: block hides the group from some readers
    <thead class="table-head" role="rowgroup">
      {/* biome-ignore lint/a11y/noRedundantRoles: as above */}
      <tr class="table-row" role="row" aria-rowindex={1} data-row={-1}>
        {columns.map((column, at) => (
          <Heading
            key={column.id}
            column={column}
            at={at}
            tabbed={tabbed === at}
            sortable={column.sort !== undefined && sortable.has(column.sort)}
          />
        ))}
      </tr>
    </thead>
  );
}

interface HeadingProps {
  column: TableColumn;
  at: number;
  tabbed: boolean;
  sortable: boolean;
}

const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

function Heading({ column, at, tabbed, sortable }: HeadingProps): VNode {
  const { grid } = words.value.table;
  const name = columnName(column.id);
  const sorted = sortable ? sortedBy(query.value.sort, column.sort as string) : null;
  const after = sortable ? nextSort(query.value.sort, column.sort as string) : [];
  const hint = after[0] === undefined ? grid.sortUsual : sortHint(after[0].direction);
  const tabIndex = tabbed ? 0 : -1;
  const look = `table-heading${column.numeric ? " table-number" : ""}`;
  return (
    <th
      // biome-ignore lint/a11y/noRedundantRoles: display: block hides the heading from some readers
      role="columnheader"
      scope="col"
      class={look}
      aria-colindex={at + 1}
      aria-sort={sorted === null ? undefined : ARIA_SORT[sorted]}
      data-column={at}
      tabIndex={sortable ? undefined : tabIndex}
    >
      {sortable ? (
        <button
          type="button"
          class="table-sort"
          tabIndex={tabIndex}
          title={hint(name)}
          onClick={() =>
            change((draft) => {
              draft.sort = after;
            })
          }
        >
          <span class="table-heading-text">{name}</span>
          {sorted !== null && <Icon name={sorted === "asc" ? "arrowUp" : "arrowDown"} size={12} />}
        </button>
      ) : (
        <span class="table-heading-text">{name}</span>
      )}
      <Grip column={column} />
    </th>
  );
}

function sortHint(direction: "asc" | "desc"): (column: string) => string {
  const { grid } = words.value.table;
  return direction === "asc" ? grid.sortUp : grid.sortDown;
}

/** Draws the handle that resizes a column. On the keyboard, Alt and the arrow keys resize. */
function Grip({ column }: { column: TableColumn }): VNode {
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    event.preventDefault();
    event.stopPropagation();
    const grip = event.currentTarget;
    const from = event.clientX;
    const width = grip.parentElement?.offsetWidth ?? widthOf(column, choice.peek());
    const move = ({ clientX }: PointerEvent) => chooseWidth(column, width + clientX - from);
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener("pointermove", move);
    grip.addEventListener(
      "lostpointercapture",
      () => grip.removeEventListener("pointermove", move),
      {
        once: true,
      },
    );
  };
  return <span class="table-grip" aria-hidden="true" onPointerDown={drag} />;
}
