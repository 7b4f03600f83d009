/**
 * The list of saved searches, page by page, with their old and current counts and links to their
 * news and results.
 * Invariant: changes compare exact counts, each shown with its snapshot. A spec is loaded when its
 * search is opened, and then runs on the snapshot served.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { OpenedSearch, SavedSearch, SearchList } from "../app/answers.ts";
import { get, post, remove } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { ago, dateTime, month, number, percent } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { go } from "../app/router.ts";
import { catalog, loadCatalog } from "../find/catalog.ts";
import { LastNotice } from "../notices/log.tsx";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/dialog.tsx";
import { Menu } from "../parts/menu.tsx";
import { EmptyState } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { type Pages, PagesEnd, usePages } from "../parts/pages.tsx";
import { toast } from "../parts/toast.tsx";
import { NameDialog } from "./naming.tsx";
import { addressOfSpec } from "./summary.ts";

// The news view is exported here because it shares most of this code. So one chunk contains both
// views.
export { NewsView } from "../news/news.tsx";

interface Saved {
  pages: Pages<SavedSearch>;
  change: (search: SavedSearch, body: { name?: string; refresh?: boolean }) => Promise<void>;
  drop: (search: SavedSearch) => Promise<void>;
}

function useSaved(): Saved {
  const pages = usePages("/searches", ({ searches }: SearchList) => searches);
  const change: Saved["change"] = async ({ id }, body) => {
    const { search } = await post<{ search: SavedSearch }>(`/searches/${id}`, body);
    pages.update((old) => old.map((one) => (one.id === id ? search : one)));
  };
  const drop: Saved["drop"] = async ({ id }) => {
    await remove(`/searches/${id}`);
    pages.update((old) => old.filter((one) => one.id !== id));
    toast(lazyWords.peek().exports.removedSearch);
  };
  return { pages, change, drop };
}

/** The list of saved searches. */
export function SavedView(): VNode {
  const { pages, change, drop } = useSaved();
  const { items: searches } = pages;
  const { exports } = lazyWords.value;
  const [renamed, setRenamed] = useState<SavedSearch | null>(null);
  const [doomed, setDoomed] = useState<SavedSearch | null>(null);
  useEffect(() => void loadCatalog().catch(() => {}), []);
  const hooks = (
    <Button icon="link" onClick={() => go("webhooks")}>
      {lazyWords.value.notices.hooks}
    </Button>
  );
  return (
    <Page title={exports.savedTitle} lead={exports.savedIntro} actions={hooks}>
      {searches === null && pages.error === null && <Skeleton lines={4} height={72} />}
      {searches !== null && (
        <Searches
          searches={searches}
          onRename={setRenamed}
          onDelete={setDoomed}
          onRefresh={(search) =>
            void change(search, { refresh: true }).then(
              () => toast(exports.refreshed),
              (failure: unknown) => toast(errorText(failure), { kind: "error" }),
            )
          }
        />
      )}
      <PagesEnd pages={pages} failed={exports.savedFailed} label={exports.more50} />
      {renamed !== null && (
        <NameDialog
          title={exports.renameTitle}
          first={renamed.name}
          onName={(name) => change(renamed, { name })}
          onClose={() => setRenamed(null)}
        />
      )}
      <ConfirmDialog
        open={doomed !== null}
        title={exports.removeSearchTitle}
        confirm={exports.remove}
        danger
        onConfirm={() => (doomed === null ? undefined : drop(doomed))}
        onClose={() => setDoomed(null)}
      >
        <p>{exports.removeSearchText}</p>
      </ConfirmDialog>
    </Page>
  );
}

interface Actions {
  onRename: (search: SavedSearch) => void;
  onDelete: (search: SavedSearch) => void;
  onRefresh: (search: SavedSearch) => void;
}

function Searches({ searches, ...actions }: Actions & { searches: SavedSearch[] }): VNode {
  const { exports } = lazyWords.value;
  if (searches.length === 0) {
    const find = <Button onClick={() => go("find")}>{exports.historyFind}</Button>;
    return (
      <EmptyState icon="bookmark" title={exports.savedEmpty} action={find}>
        <p>{exports.savedEmptyHint}</p>
      </EmptyState>
    );
  }
  return (
    <ul class="records">
      {searches.map((search) => (
        <Row key={search.id} search={search} {...actions} />
      ))}
    </ul>
  );
}

function Row({ search, onRename, onDelete, onRefresh }: Actions & { search: SavedSearch }): VNode {
  const { exports } = lazyWords.value;
  const { name, text, created_at: at } = search;
  const [opening, setOpening] = useState(false);
  const open = () => {
    setOpening(true);
    openSearch(search)
      .catch((failure: unknown) => toast(errorText(failure), { kind: "error" }))
      .finally(() => setOpening(false));
  };
  return (
    <li class="record record-saved">
      <div class="record-text">
        <h2 class="record-title">{name}</h2>
        <p class="record-facts">
          {text !== null && text !== name && <span>{exports.sentence(text)}</span>}
          <span>{search.created_by ?? exports.byGone}</span>
          {search.paused && <span>{lazyWords.value.notices.reasons.owner}</span>}
          <time dateTime={at} title={dateTime(at)}>
            {ago(at)}
          </time>
        </p>
      </div>
      <Counts search={search} />
      <div class="record-actions">
        <Button
          small
          variant={hasNews(search) ? "primary" : "secondary"}
          aria-label={`${lazyWords.value.news.title}: ${name}`}
          onClick={() => go("news", search.id)}
        >
          {lazyWords.value.news.title}
        </Button>
        <Button small busy={opening} aria-label={exports.openNamed(name)} onClick={open}>
          {exports.open}
        </Button>
        <Menu
          icon="more"
          small
          label={exports.menu(name)}
          items={[
            { label: exports.rename, icon: "edit", onSelect: () => onRename(search) },
            { label: exports.refresh, icon: "refresh", onSelect: () => onRefresh(search) },
            {
              label: exports.remove,
              icon: "trash",
              danger: true,
              onSelect: () => onDelete(search),
            },
          ]}
        />
      </div>
      {search.last_notice !== null && <LastNotice notice={search.last_notice} />}
    </li>
  );
}

/** True if a newer month is served than when the search was last viewed. */
function hasNews({ saved, now }: SavedSearch): boolean {
  return now !== null && saved.snapshot < now.snapshot;
}

/** Loads a search's spec and runs it. */
async function openSearch({ id, text }: SavedSearch): Promise<void> {
  const { search } = await get<{ search: OpenedSearch }>(`/searches/${id}`);
  go("find", `#${addressOfSpec(search.spec, text ?? "", catalog.peek())}`);
}

function Counts({ search: { saved, now } }: { search: SavedSearch }): VNode {
  const { exports } = lazyWords.value;
  return (
    <dl class="counts">
      <div>
        <dt>{exports.countThen}</dt>
        <dd>
          <b>{number(saved.total)}</b>
          <span>{month(saved.snapshot)}</span>
        </dd>
      </div>
      <div>
        <dt>{exports.countNow}</dt>
        <dd>
          <b>{now === null ? "–" : number(now.total)}</b>
          <span>{now === null ? exports.nowUnknown : month(now.snapshot)}</span>
        </dd>
      </div>
      <div class="counts-change">
        <dt>{exports.change}</dt>
        <dd>{now === null ? <b>–</b> : <Change from={saved.total} to={now.total} />}</dd>
      </div>
    </dl>
  );
}

function Change({ from, to }: { from: number; to: number }): VNode {
  const { exports } = lazyWords.value;
  const by = to - from;
  if (by === 0) return <b class="count-same">{exports.unchanged}</b>;
  const sign = by > 0 ? "+" : "−";
  return (
    <>
      <b class={by > 0 ? "count-up" : "count-down"}>{`${sign}${number(Math.abs(by))}`}</b>
      {from > 0 && <span>{`${sign}${percent(Math.abs(by) / from)}`}</span>}
    </>
  );
}
