/**
 * The results of the query: the table, the column chooser, the drawer, the bar for selected rows,
 * and the end of the list.
 * Invariant: rows are requested only for a query whose count is known, is not zero, and is not too
 * large. Otherwise, guidance is shown instead. Only fields that the tenant's plan includes are
 * requested. The bar and the end of the list have reserved space, so that nothing shifts. The bar
 * is below the table, or on wide screens below the view.
 */
import { useComputed } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { Status } from "../../app/answers.ts";
import { errorText } from "../../app/errortext.ts";
import { cnpj, month, number } from "../../app/format.ts";
import { hasFilterRail, narrow } from "../../app/media.ts";
import { loadStatus, status } from "../../app/status.ts";
import { words } from "../../app/words.ts";
import { ExportButton } from "../../exports/dialog.tsx";
import { allLists, loadLists } from "../../lists/all.ts";
import { AddButton } from "../../lists/button.tsx";
import { Busy, Skeleton } from "../../parts/busy.tsx";
import { Button, copyText, IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNotice, Notice } from "../../parts/notice.tsx";
import { exploration } from "../query.ts";
import { choice } from "./choice.ts";
import { ColumnChooser } from "./columns.tsx";
import { drawnColumns, fieldsOf } from "./columnset.ts";
import { AccountDrawer } from "./drawer.tsx";
import { useFitHeight } from "./fitheight.ts";
import { choiceFor, columnsToRequest } from "./forquery.ts";
import { focusCell, Grid } from "./grid.tsx";
import {
  clearSelection,
  opened,
  place,
  type ShownList,
  selection,
  showList,
  shownList,
} from "./list.ts";

/** The largest page that a plan can allow, in rows. */
const PAGE_MAX = 50_000;

/** Shows the table of the query's matches. Renders nothing if there are none. */
export function Results(): VNode | null {
  const { answer } = exploration.value;
  const plan = usePlan();
  const listed = answer !== null && !answer.too_broad && answer.total > 0;
  const allowed = useComputed(() => new Set(status.value?.field_allowlist ?? [])).value;
  const requested =
    answer === null ? choice.value : columnsToRequest(choice.value, answer.spec.filters);
  const fields = fieldsOf(requested, allowed).join(",");
  useEffect(() => {
    if (!listed || plan.answer === null) return;
    const { search_limit: limit } = plan.answer.limits;
    const pageMax = typeof limit === "number" ? limit : PAGE_MAX;
    const { spec, snapshot } = answer;
    showList({ spec, snapshot, fields: fields.split(","), pageMax });
  }, [listed, answer, plan.answer, fields]);
  if (!listed) return null;
  if (plan.error !== null) return <ErrorNotice error={plan.error} onRetry={plan.load} />;
  const list = shownList.value;
  if (plan.answer === null || list === null) return <Waiting />;
  return <Table list={list} plan={plan.answer} allowed={allowed} />;
}

/** Loads the plan; `load` retries. */
function usePlan(): { answer: Status | null; error: unknown; load: () => void } {
  const [error, setError] = useState<unknown>(null);
  const load = () => {
    setError(null);
    loadStatus().catch(setError);
  };
  useEffect(load, []);
  useEffect(() => {
    // If the tenant's lists cannot be loaded, rows do not show which lists contain them.
    if (allLists.peek() === null) loadLists().catch(() => undefined);
  }, []);
  return { answer: status.value, error, load };
}

interface TableProps {
  list: ShownList;
  plan: Status;
  allowed: ReadonlySet<string>;
}

function Table({ list, plan, allowed }: TableProps): VNode {
  const [choosing, setChoosing] = useState(false);
  const helpId = useId();
  const frame = useRef<HTMLDivElement>(null);
  useFitHeight(frame, narrow.value);
  const { table } = words.value;
  const { rows, spec } = list;
  const columns = useMemo(
    () => drawnColumns(choiceFor(choice.value, spec.filters), allowed),
    [choice.value, spec, allowed],
  );
  if (rows.accounts.length === 0) {
    if (rows.phase !== "failed") return <Waiting />;
    const { error } = rows;
    const { failedFirst: title } = table.grid;
    return <ErrorNotice title={title} error={error} onRetry={() => rows.retry()} />;
  }
  return (
    <section class={`table${list.stale ? " table-stale" : ""}`} aria-label={table.title}>
      <p class="visually-hidden" id={helpId}>
        {table.grid.help}
      </p>
      <Restarted list={list} />
      <div class="table-frame" ref={frame}>
        <Grid
          list={list}
          columns={columns}
          sortable={new Set(plan.allowed_sort_fields)}
          helpId={helpId}
          tail={<Tail list={list} action={<ExportButton />} />}
        />
        {!narrow.value && (
          <div class="table-chooser">
            <IconButton
              icon="columns"
              label={table.chooser.button}
              small
              onClick={() => setChoosing(true)}
            />
          </div>
        )}
      </div>
      {!hasFilterRail.value && <SelectionBar />}
      <ColumnChooser open={choosing} allowed={allowed} onClose={() => setChoosing(false)} />
      <AccountDrawer
        list={list}
        index={opened.value}
        allowed={allowed}
        onMove={(row) => {
          opened.value = row;
          place.value = { ...place.peek(), row };
        }}
        onClose={() => {
          opened.value = null;
          focusCell(place.peek());
        }}
      />
    </section>
  );
}

/** Reports that the list restarted with new data. */
function Restarted({ list: { rows } }: { list: ShownList }): VNode | null {
  const [seen, setSeen] = useState({ rows, restarts: 0 });
  const { grid } = words.value.table;
  const before = seen.rows === rows ? seen.restarts : 0;
  if (rows.restarts <= before) return null;
  const understood = () => setSeen({ rows, restarts: rows.restarts });
  return (
    <Notice action={{ label: grid.understood, onClick: understood }}>
      <p>{grid.restarted(month(rows.snapshot ?? ""))}</p>
    </Notice>
  );
}

/** Placeholder bars. */
function Waiting(): VNode {
  return (
    <section class="table" aria-busy="true" aria-label={words.value.table.title}>
      <p class="visually-hidden" role="status">
        {words.value.table.grid.loading}
      </p>
      <div class="table-frame table-waiting">
        <Skeleton lines={14} height={16} />
      </div>
    </section>
  );
}

/** The bar of the selected rows. It has its own space, so that it covers no control. */
export function SelectionBar(): VNode | null {
  const { lists } = words.value;
  const { value: picked } = selection;
  if (picked.size === 0) return null;
  const cnpjs = [...picked];
  return (
    <section class="table-picked" aria-label={lists.selection}>
      <p role="status">{lists.selected(cnpjs.length)}</p>
      <AddButton small what={() => ({ what: { cnpjs }, count: cnpjs.length })}>
        {lists.addToList}
      </AddButton>
      <Button small icon="copy" onClick={() => void copyText(cnpjs.map(cnpj).join("\n"))}>
        {lists.copyAll}
      </Button>
      <IconButton small icon="close" label={lists.clear} onClick={clearSelection} />
    </section>
  );
}

/** Props of the end of the list. `action` is shown if the list reached its max number of rows. */
interface TailProps {
  list: ShownList;
  action: ComponentChildren;
}

/** Shows the end of the list: progress, an error with a retry button, or the number of rows. */
function Tail({ list: { rows }, action }: TailProps): VNode {
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
