/**
 * Cells of the table. What comes in: a column and an account. What goes out: what stands in the
 * cell, or in the two lines of a phone's row.
 * Invariant: every value is a text node, whatever it holds; nothing in a cell takes the focus, so
 * the keyboard meets cells alone; what colour tells stands in words as well.
 */
import type { ComponentChildren, VNode } from "preact";
import type { Account } from "../../app/answers.ts";
import { list } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { listName } from "../../lists/all.ts";
import { Icon } from "../../parts/icon.tsx";
import { shortActivity } from "../catalog.ts";
import type { ColumnId } from "./columnset.ts";
import { cellText, cityText, nameOf, textOf } from "./values.ts";

/** Points of the best score. */
const SCORE_MAX = 1000;

/** What stands in a cell. */
export function cellContent(
  id: ColumnId,
  account: Account,
  lists: readonly string[],
): ComponentChildren {
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

/** The activity in short; the cell's title and what is copied have its official name. */
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

/** The two lines of a row on a phone. */
export function compactContent(account: Account, lists: readonly string[]): VNode {
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
