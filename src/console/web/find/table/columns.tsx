/**
 * The column chooser: a dialog that selects and orders columns.
 * Invariant: a change applies to the table immediately and is stored. The first column is fixed.
 * Columns that the tenant's plan does not include are listed, not hidden.
 */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { list } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Checks } from "../../parts/field.tsx";
import { choice, choose, chooseUsual } from "./choice.ts";
import {
  COLUMN_GROUPS,
  COLUMNS,
  type ColumnId,
  columnOf,
  FIRST_COLUMN,
  isAllowed,
  movedColumn,
} from "./columnset.ts";
import { columnName } from "./values.ts";

interface ChooserProps {
  open: boolean;
  allowed: ReadonlySet<string>;
  onClose: () => void;
}

/** The chooser. */
export function ColumnChooser({ open, allowed, onClose }: ChooserProps): VNode {
  const { chooser } = words.value.table;
  const footer = (
    <>
      <Button variant="quiet" onClick={chooseUsual}>
        {chooser.reset}
      </Button>
      <Button variant="primary" onClick={onClose}>
        {chooser.done}
      </Button>
    </>
  );
  return (
    <Dialog open={open} title={chooser.title} onClose={onClose} footer={footer} size="large">
      <p class="chooser-intro">{chooser.intro}</p>
      <div class="chooser">
        <Available allowed={allowed} />
        <Order allowed={allowed} />
      </div>
      <Missing allowed={allowed} />
    </Dialog>
  );
}

/** Shows all columns by group. */
function Available({ allowed }: { allowed: ReadonlySet<string> }): VNode {
  const { groups, chooser } = words.value.table;
  const { shown, widths } = choice.value;
  const set = (group: string, ids: readonly string[]) => {
    const others = shown.filter((id) => columnOf(id).group !== group || ids.includes(id));
    const added = ids.filter((id) => !shown.includes(id as ColumnId)) as ColumnId[];
    const first = FIRST_COLUMN;
    const rest = [...others, ...added].filter((id) => id !== first);
    choose({ shown: [first, ...rest], widths });
  };
  return (
    <div class="chooser-groups">
      {COLUMN_GROUPS.map((group) => {
        const inside = COLUMNS.filter((one) => one.group === group && isAllowed(one, allowed));
        if (inside.length === 0) return null;
        const options = inside.map(({ id }) => ({
          value: id,
          label: columnName(id),
          ...(id === FIRST_COLUMN ? { disabled: true, hint: chooser.fixed } : {}),
        }));
        return (
          <Checks
            key={group}
            legend={groups[group]}
            options={options}
            values={shown}
            onValues={(ids) => set(group, ids)}
          />
        );
      })}
    </div>
  );
}

function Order({ allowed }: { allowed: ReadonlySet<string> }): VNode {
  const { chooser } = words.value.table;
  const [announcement, announce] = useState("");
  const items = useRef<HTMLOListElement>(null);
  const { shown, widths } = choice.value;
  const ids = shown.filter((id) => isAllowed(columnOf(id), allowed));
  const move = (id: ColumnId, by: number) => {
    const next = movedColumn(ids, id, by);
    const hidden = shown.filter((one) => !next.includes(one));
    choose({ shown: [...next, ...hidden], widths });
    announce(chooser.moved(columnName(id), next.indexOf(id) + 1, next.length));
  };
  const hide = (id: ColumnId) => {
    choose({ shown: shown.filter((one) => one !== id), widths });
    // The focused button is gone, so the next one gets the focus.
    const at = ids.indexOf(id);
    requestAnimationFrame(() => {
      const rest = items.current?.querySelectorAll<HTMLElement>("li button:last-child") ?? [];
      (rest[Math.min(at - 1, rest.length - 1)] ?? items.current)?.focus();
    });
  };
  return (
    <div class="chooser-order">
      <h3 class="chooser-heading">{chooser.shown}</h3>
      <ol ref={items} tabIndex={-1}>
        {ids.map((id, at) => (
          <li key={id} class="chooser-item">
            <span class="chooser-name">{columnName(id)}</span>
            {id === FIRST_COLUMN ? (
              <span class="chooser-fixed">{chooser.fixed}</span>
            ) : (
              <Moves id={id} first={at === 1} last={at === ids.length - 1} {...{ move, hide }} />
            )}
          </li>
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
    </div>
  );
}

interface MovesProps {
  id: ColumnId;
  first: boolean;
  last: boolean;
  move: (id: ColumnId, by: number) => void;
  hide: (id: ColumnId) => void;
}

/**
 * Shows the buttons that move or hide one column. At both ends of the list, the useless button is
 * marked as disabled but not removed, so that the focus is not lost.
 */
function Moves({ id, first, last, move, hide }: MovesProps): VNode {
  const { chooser } = words.value.table;
  const name = columnName(id);
  return (
    <span class="chooser-moves">
      <IconButton
        icon="arrowUp"
        small
        label={chooser.up(name)}
        aria-disabled={first}
        onClick={() => move(id, -1)}
      />
      <IconButton
        icon="arrowDown"
        small
        label={chooser.down(name)}
        aria-disabled={last}
        onClick={() => move(id, 1)}
      />
      <IconButton icon="close" small label={chooser.hide(name)} onClick={() => hide(id)} />
    </span>
  );
}

/** Lists the columns outside the plan. */
function Missing({ allowed }: { allowed: ReadonlySet<string> }): VNode | null {
  const { chooser } = words.value.table;
  const missing = COLUMNS.filter((column) => !isAllowed(column, allowed));
  if (missing.length === 0) return null;
  const contactOnly = missing.every(({ group }) => group === "contact");
  const names = list(missing.map(({ id }) => columnName(id)));
  return <p class="chooser-missing">{contactOnly ? chooser.noContact : chooser.noOthers(names)}</p>;
}
