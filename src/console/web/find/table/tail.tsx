/**
 * What stands below the rows. What comes in: how far the list is. What goes out: that more are
 * coming, that it failed, that this is all, or that an export has the rest.
 * Invariant: the end of the list is always said, and always as high as a row, so nothing shifts.
 * Apart because it draws how far a list is, while results.tsx decides which list there is.
 */
import type { ComponentChildren, VNode } from "preact";
import { number } from "../../app/format.ts";
import { errorText } from "../../app/said.ts";
import { words } from "../../app/words.ts";
import { Busy } from "../../parts/busy.tsx";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { ShownList } from "./list.ts";

/** What the end takes; `action` stands where the list is full. */
interface TailProps {
  list: ShownList;
  action: ComponentChildren;
}

/** The end of the list. */
export function Tail({ list: { rows }, action }: TailProps): VNode {
  const { grid } = words.value.table;
  if (rows.phase === "failed") {
    return (
      <div class="table-tail table-tail-failed" role="alert">
        <Icon name="error" />
        <span>
          {grid.failed} {errorText(rows.error)}
        </span>
        <Button small icon="refresh" onClick={() => rows.retry()}>
          {grid.retry}
        </Button>
      </div>
    );
  }
  if (rows.end === "more") {
    return (
      <div class="table-tail">
        <Busy inline label={grid.loadingMore} />
      </div>
    );
  }
  const count = rows.accounts.length;
  const { total } = rows;
  return (
    <div class="table-tail" role="status">
      <span>
        {rows.end === "full"
          ? grid.full(number(count), number(total ?? count))
          : count === 1
            ? grid.one
            : grid.all(number(count))}
      </span>
      {rows.end === "full" && action}
    </div>
  );
}
