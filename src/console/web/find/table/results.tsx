/**
 * The results of the query. What comes in: what was explored, what the plan allows, the columns
 * chosen. What goes out: the table with its chooser and its drawer.
 * Invariant: nothing is searched that was not explored, that is too broad or that matches nothing:
 * what to do then is said elsewhere. Only fields of the plan are asked for.
 */
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { Status } from "../../app/answers.ts";
import { month } from "../../app/format.ts";
import { narrow } from "../../app/media.ts";
import { loadStatus, status } from "../../app/status.ts";
import { words } from "../../app/words.ts";
import { ExportButton } from "../../exports/dialog.tsx";
import { allLists, loadLists } from "../../lists/all.ts";
import { Skeleton } from "../../parts/busy.tsx";
import { IconButton } from "../../parts/button.tsx";
import { ErrorNotice, Notice } from "../../parts/notice.tsx";
import { exploration } from "../query.ts";
import { choice } from "./choice.ts";
import { ColumnChooser } from "./columns.tsx";
import { drawnColumns, fieldsOf } from "./columnset.ts";
import { AccountDrawer } from "./drawer.tsx";
import { askedFor, choiceFor } from "./forquery.ts";
import { focusCell, Grid } from "./grid.tsx";
import { opened, place, type ShownList, showList, shownList } from "./list.ts";
import { useRoom } from "./room.ts";
import { SelectionBar } from "./selectionbar.tsx";
import { Tail } from "./tail.tsx";

/** Rows of the largest page that a plan may have to allow. */
const PAGE_MAX = 50_000;

/** The table of what the query matches; nothing where there is nothing to list. */
export function Results(): VNode | null {
  const { answer } = exploration.value;
  const plan = usePlan();
  const listed = answer !== null && !answer.too_broad && answer.total > 0;
  const allowed = useComputed(() => new Set(status.value?.field_allowlist ?? [])).value;
  const asked = answer === null ? choice.value : askedFor(choice.value, answer.spec.filters);
  const fields = fieldsOf(asked, allowed).join(",");
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

/** The plan, asked for once; with a way to ask again. */
function usePlan(): { answer: Status | null; error: unknown; load: () => void } {
  const [error, setError] = useState<unknown>(null);
  const load = () => {
    setError(null);
    loadStatus().catch(setError);
  };
  useEffect(load, []);
  useEffect(() => {
    // Without them rows have no marks.
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
  useRoom(frame, narrow.value);
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
      <SelectionBar />
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

/** Says that the list began anew because the data did. */
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

/** Bars in place of the first rows. */
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
