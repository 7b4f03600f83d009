/**
 * The list of the tenant's exports, page by page, with their content, progress, and actions.
 * Invariant: running exports update in place. Deletion requires confirmation. An export deleted
 * elsewhere is removed once this is detected.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CreatedExport, ExportList, ExportView } from "../app/answers.ts";
import { ApiError, post, remove } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { ago, bytes, dateTime, month } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { go } from "../app/router.ts";
import { catalog, loadCatalog } from "../find/catalog.ts";
import { loadLists } from "../lists/all.ts";
import { titleOfExport } from "../news/file.ts";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/dialog.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { EmptyState } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { type Pages, PagesEnd, usePages } from "../parts/pages.tsx";
import { Pill } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { freshKey } from "./draft.ts";
import { Bar, DownloadLink, failureText, stateText, writtenText } from "./progress.tsx";
import { addressOfSpec, summaryOf } from "./summary.ts";
import { follow, presentState, unfollow } from "./watch.ts";

/** The view. */
export function ExportsView(): VNode {
  const list = useExports();
  const { exports } = lazyWords.value;
  const [doomed, setDoomed] = useState<ExportView | null>(null);
  useEffect(() => {
    // The titles of exports show names instead of codes once the catalog is loaded, and names of
    // lists once the lists are.
    loadCatalog().catch(() => undefined);
    loadLists().catch(() => undefined);
  }, []);
  return (
    <Page title={exports.historyTitle} lead={exports.historyIntro}>
      <List list={list} onDelete={setDoomed} />
      <ConfirmDialog
        open={doomed !== null}
        title={exports.removeTitle}
        confirm={exports.remove}
        danger
        onConfirm={() => (doomed === null ? undefined : list.drop(doomed))}
        onClose={() => setDoomed(null)}
      >
        <p>{exports.removeText}</p>
      </ConfirmDialog>
    </Page>
  );
}

interface Exports {
  pages: Pages<ExportView>;
  again: (record: ExportView) => Promise<void>;
  drop: (record: ExportView) => Promise<void>;
}

function useExports(): Exports {
  const pages = usePages("/exports?limit=50", followed, merged);
  // Idempotency keys by export, reused until the request succeeds, so that a retry makes no second
  // export.
  const keys = useRef(new Map<string, string>());
  const again = async ({ export_id: id, kind }: ExportView) => {
    const idempotencyKey = keys.current.get(id) ?? freshKey();
    keys.current.set(id, idempotencyKey);
    const { exports, enrich } = lazyWords.peek();
    try {
      const created = await post<CreatedExport>(`/exports/${id}/again`, {}, { idempotencyKey });
      keys.current.delete(id);
      follow(created.export);
      pages.update((old) => merged([created.export], old));
      toast(exports.againSent);
    } catch (failure) {
      const code = failure instanceof ApiError ? failure.code : "";
      const isGone = kind === "enrichment" && code === "export_expired";
      const known = isGone ? enrich.sentGone : exports.errors[code];
      toast(known ?? errorText(failure), { kind: "error" });
    }
  };
  const drop = async ({ export_id: id }: ExportView) => {
    await remove(`/exports/${id}`).catch((failure: unknown) => {
      // If the export was already deleted elsewhere, nothing is left to do.
      if (!(failure instanceof ApiError && failure.status === 404)) throw failure;
    });
    unfollow(id);
    pages.update((old) => old.filter((one) => one.export_id !== id));
    toast(lazyWords.peek().exports.removed);
  };
  return { pages, again, drop };
}

/** Returns a page's exports and keeps them up to date. */
function followed({ exports }: ExportList): ExportView[] {
  for (const record of exports) follow(record);
  return exports;
}

/** Merges pages. If an export moved from one page to the next, the result contains it only once. */
function merged(first: readonly ExportView[], rest: readonly ExportView[]): ExportView[] {
  const known = new Set(first.map((one) => one.export_id));
  return [...first, ...rest.filter((one) => !known.has(one.export_id))];
}

interface ListProps {
  list: Exports;
  onDelete: (record: ExportView) => void;
}

function List({ list, onDelete }: ListProps): VNode {
  const { exports } = lazyWords.value;
  const { pages, again } = list;
  const { items: records, error } = pages;
  const end = <PagesEnd pages={pages} failed={exports.historyFailed} label={exports.more50} />;
  if (records === null) return error === null ? <Skeleton lines={6} height={64} /> : end;
  if (records.length === 0) {
    const find = <Button onClick={() => go("find")}>{exports.historyFind}</Button>;
    return (
      <EmptyState icon="file" title={exports.historyEmpty} action={find}>
        <p>{exports.historyEmptyHint}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <ul class="records">
        {records.map((record) => (
          <Row key={record.export_id} record={record} again={again} onDelete={onDelete} />
        ))}
      </ul>
      {end}
    </>
  );
}

interface RowProps {
  record: ExportView;
  again: (record: ExportView) => Promise<void>;
  onDelete: (record: ExportView) => void;
}

function Row({ record: begun, again, onDelete }: RowProps): VNode | null {
  const { record, trouble } = presentState(begun);
  const { exports } = lazyWords.value;
  if (trouble === "gone") return null;
  const title = titleOfExport(record, summaryOf(record.spec, catalog.value));
  const running = record.status === "running" || record.status === "queued";
  return (
    <li class="record">
      <div class="record-text">
        <h2 class="record-title">{title}</h2>
        <p class="record-facts">
          <Facts record={record} />
        </p>
        {record.status === "failed" && <p class="record-failure">{failureText(record)}</p>}
      </div>
      <div class="record-state">
        <StatePill record={record} />
        {running && <Bar record={record} />}
        {record.status === "done" && !record.expired && record.expires_at !== null && (
          <span class="record-note">{exports.expiresIn(ago(record.expires_at))}</span>
        )}
      </div>
      <div class="record-actions">
        {record.status === "done" && !record.expired && <DownloadLink record={record} />}
        <Menu
          icon="more"
          small
          label={exports.menu(title)}
          items={menuOf(record, again, onDelete)}
        />
      </div>
    </li>
  );
}

/** Shows what is known: format, rows, size, data, author, and time. */
function Facts({ record }: { record: ExportView }): VNode {
  const { exports } = lazyWords.value;
  const { row_count: rows, size_bytes: size, created_at: at } = record;
  const written = record.status === "running" ? writtenText(record) : null;
  const facts = [
    formatText(record),
    ...(rows === null ? [] : [lazyWords.value.exports.rows(rows)]),
    ...(written === null ? [] : [written]),
    ...(size === null ? [] : [bytes(size)]),
    exports.dataOf(month(record.snapshot)),
    record.created_by ?? exports.byGone,
  ];
  return (
    <>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      <time dateTime={at} title={dateTime(at)}>
        {ago(at)}
      </time>
    </>
  );
}

/** Returns a format such as "CSV" or "CSV (gzip)". */
function formatText({ format, compression }: ExportView): string {
  const name = lazyWords.value.exports.formats[format]?.[0] ?? format;
  return compression === undefined ? name : `${name} (${compression})`;
}

function StatePill({ record }: { record: ExportView }): VNode {
  const text = stateText(record);
  if (record.expired) return <Pill icon="clock">{text}</Pill>;
  if (record.status === "done") {
    return (
      <Pill kind="good" icon="check">
        {text}
      </Pill>
    );
  }
  if (record.status === "failed") {
    return (
      <Pill kind="bad" icon="error">
        {text}
      </Pill>
    );
  }
  return (
    <Pill kind="accent" icon="clock">
      {text}
    </Pill>
  );
}

function menuOf(
  record: ExportView,
  again: RowProps["again"],
  onDelete: RowProps["onDelete"],
): MenuItem[] {
  const { exports } = lazyWords.value;
  const search: MenuItem = {
    label: exports.useQuery,
    icon: "search",
    onSelect: () => openSpec(record),
  };
  return [
    { label: exports.again, icon: "refresh", onSelect: () => void again(record) },
    ...(record.kind === "enrichment" ? [] : [search]),
    { label: exports.remove, icon: "trash", danger: true, onSelect: () => onDelete(record) },
  ];
}

function openSpec({ spec }: ExportView): void {
  go("find", `#${addressOfSpec(spec, "", catalog.peek())}`);
}
