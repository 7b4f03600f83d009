/**
 * The line above the results, with the exact count, the month of the data, the order, and the
 * actions.
 * Invariant: while a new count loads, the old count is dimmed. If loading fails, no count is shown.
 * The space of the count is reserved from the first paint. A copied link names its snapshot,
 * so that later visitors learn of newer data. The user is warned of a link so long that some
 * programs cut it.
 */
import type { VNode } from "preact";
import { duration, number } from "../app/format.ts";
import { hasFilterRail } from "../app/media.ts";
import { go } from "../app/router.ts";
import { words } from "../app/words.ts";
import { ExportButton } from "../exports/dialog.tsx";
import { SaveButton } from "../exports/savebutton.tsx";
import { AddSearchButton } from "../lists/button.tsx";
import { Button, copyText, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { toast } from "../parts/toast.tsx";
import { encodeAddress } from "./address.ts";
import { countAll } from "./filters/groups.ts";
import { addressNow, exploration, query } from "./query.ts";
import { CodeButton } from "./table/code.tsx";

/** Length at which mail programs and chats may cut a link. */
const LONG = 2_000;

/** The button that opens the filters, if they do not fit next to the results. */
export function FiltersButton({ onFilters }: { onFilters: () => void }): VNode | null {
  if (hasFilterRail.value) return null;
  return (
    <Button class="found-filters" icon="filter" aria-haspopup="dialog" onClick={onFilters}>
      {words.value.find.filtersButton(countAll(query.value))}
    </Button>
  );
}

/** The line above the results. */
export function FindHeader({ onFilters }: { onFilters: () => void }): VNode {
  return (
    <div class="found">
      <Count />
      <div class="found-actions">
        <FiltersButton onFilters={onFilters} />
        <ExportButton />
        <AddSearchButton />
        <SaveButton />
        <CompareButton />
        <CodeButton />
        <ShareLink />
      </div>
    </div>
  );
}

function Count(): VNode {
  const { find } = words.value;
  const { state, answer } = exploration.value;
  const busy = state === "busy" || state === "idle";
  // After a failure, the old count would mislead, because it is for other filters.
  const total = state === "failed" ? null : (answer?.total ?? null);
  return (
    <div class={`count${busy ? " count-stale" : ""}`} aria-busy={busy}>
      {/* Remounted with the first count, so that nothing near it moves. */}
      <p key={answer === null ? "blank" : "counted"} class="count-total">
        <strong>{total === null ? "–" : number(total)}</strong>{" "}
        <span>{answer === null && busy ? find.counting : find.total(total ?? 2)}</span>
      </p>
      <p class="count-about">
        {answer !== null && total !== null && (
          <>
            <span title={find.took(duration(answer.took_ms / 1000))}>
              {find.snapshotOf(answer.snapshot)}
            </span>
            <span>
              <Icon name="sort" size={12} />
              {orderText()}
            </span>
          </>
        )}
      </p>
    </div>
  );
}

/** Describes the order. */
function orderText(): string {
  const { find } = words.value;
  const { sort, scoring } = query.value;
  const names = sort.map(({ field, direction }) => {
    const ranking = find.strategies[scoring.strategy] ?? scoring.strategy;
    const arrow = direction === "desc" ? "↓" : "↑";
    const ranked = find.ranked(ranking);
    if (field === "score") return direction === "desc" ? ranked : `${ranked} ${arrow}`;
    return `${find.sortFields[field] ?? field} ${arrow}`;
  });
  return names.join(", ");
}

/** Opens the comparison with the query as its first group. */
function CompareButton(): VNode {
  const hash = () => encodeAddress({ query: query.peek(), sentence: "", month: null }, null);
  return (
    <IconButton
      icon="chart"
      label={words.value.find.compare}
      onClick={() => go("compare", `#${hash()}`)}
    />
  );
}

/** Copies a link to the current screen. */
function ShareLink(): VNode {
  const { find } = words.value;
  const share = async () => {
    const hash = addressNow();
    const url = new URL(hash === "" ? "/app" : `/app#${hash}`, location.href).href;
    await copyText(url);
    toast(url.length > LONG ? find.shareLong(url.length) : find.shared);
  };
  return (
    <Button icon="link" onClick={() => void share()}>
      {find.share}
    </Button>
  );
}
