/**
 * The view of lists. It shows all lists, or page by page the entries of the list in the address.
 * Users can create, fill, rename, search, and delete lists.
 * Invariant: the entries are those of the server's last answer. Deletion requires confirmation. The
 * server-maintained list is first, and cannot be changed. Entries that the current data lacks are
 * shown too.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { remove } from "../app/api.ts";
import { ago, dateTime } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { AccountList } from "../app/listanswers.ts";
import { go, shownList } from "../app/router.ts";
import { words } from "../app/words.ts";
import { NoticeDialog } from "../notices/setup.tsx";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmDialog } from "../parts/dialog.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { EmptyState, ErrorNotice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { AddEntries } from "./adding.tsx";
import { allLists, forgetList, loadLists, ownLists } from "./all.ts";
import { Entries } from "./entries.tsx";
import { NameList } from "./naming.tsx";

type Open =
  | { readonly kind: "create" }
  | { readonly kind: "add" | "rename" | "remove" | "watch"; readonly list: AccountList };
type OpenDialog = (open: Open | null) => void;

/** The view. */
export function ListsView(): VNode {
  const [open, openDialog] = useState<Open | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [fills, setFills] = useState(0);
  const load = () => {
    setError(null);
    loadLists().catch(setError);
  };
  useEffect(load, []);
  const lists = allLists.value;
  const shown = lists?.find(({ id }) => id === shownList.value);
  const gone = lists !== null && shown === undefined && shownList.value !== "";
  useEffect(() => {
    if (gone) go("lists");
  }, [gone]);
  return (
    <>
      {shown === undefined ? (
        <All lists={lists} error={error} load={load} openDialog={openDialog} />
      ) : (
        <One key={`${shown.id} ${fills}`} list={shown} openDialog={openDialog} />
      )}
      <Dialogs open={open} openDialog={openDialog} onFilled={() => setFills(fills + 1)} />
    </>
  );
}

interface AllProps {
  lists: readonly AccountList[] | null;
  error: unknown;
  load: () => void;
  openDialog: OpenDialog;
}

function All({ lists, error, load, openDialog }: AllProps): VNode {
  const text = lazyWords.value.listViews;
  const create = (
    <Button variant="primary" icon="plus" onClick={() => openDialog({ kind: "create" })}>
      {text.create}
    </Button>
  );
  const own = ownLists.value ?? [];
  const readOnly = lists?.filter(({ read_only }) => read_only) ?? [];
  return (
    <Page title={words.value.lists.title} lead={text.intro} actions={create}>
      {error !== null && <ErrorNotice title={text.failed} error={error} onRetry={load} />}
      {lists === null && error === null && <Skeleton lines={4} height={56} />}
      {lists !== null && (
        <ul class="records">
          {[...readOnly, ...own].map((list) => (
            <Line key={list.id} list={list} openDialog={openDialog} />
          ))}
        </ul>
      )}
      {lists !== null && own.length === 0 && (
        <EmptyState icon="list" title={text.empty}>
          <p>{text.emptyHint}</p>
        </EmptyState>
      )}
    </Page>
  );
}

function Line({ list, openDialog }: { list: AccountList; openDialog: OpenDialog }): VNode {
  const text = lazyWords.value.listViews;
  const { id, name } = list;
  return (
    <li class="record lists-record">
      <div class="record-text">
        <h2 class="record-title">{name}</h2>
        <ListFacts list={list} />
      </div>
      <div class="record-actions">
        {!list.read_only && (
          <Button
            small
            onClick={() => openDialog({ kind: "add", list })}
            aria-label={text.addTo(name)}
          >
            {text.add}
          </Button>
        )}
        <Button small aria-label={text.openNamed(name)} onClick={() => go("lists", id)}>
          {text.open}
        </Button>
        <Menu icon="more" small label={text.menu(name)} items={itemsOf(list, openDialog)} />
      </div>
    </li>
  );
}

function ListFacts({ list }: { list: AccountList }): VNode {
  const text = lazyWords.value.listViews;
  return (
    <p class="record-facts">
      <span>{text.entries(list.entries)}</span>
      {list.read_only && <span>{text.exportedHint}</span>}
      {list.kind === "companies" && <span>{text.ofCompanies}</span>}
      {isUnused(list) || (
        <time dateTime={list.changed_at} title={dateTime(list.changed_at)}>
          {text.changed(ago(list.changed_at))}
        </time>
      )}
    </p>
  );
}

/** True if a list is server-maintained and empty. */
function isUnused({ read_only, entries }: AccountList): boolean {
  return read_only && entries === 0;
}

function itemsOf(list: AccountList, openDialog: OpenDialog): MenuItem[] {
  const text = lazyWords.value.listViews;
  const searches: MenuItem[] = [
    {
      label: words.value.commands.saveButton,
      icon: "bookmark",
      onSelect: () => openDialog({ kind: "watch", list }),
    },
    { label: text.searchIn, icon: "search", onSelect: () => go("find", `#in_lists=${list.id}`) },
    {
      label: text.searchWithout,
      icon: "ban",
      onSelect: () => go("find", `#not_in_lists=${list.id}`),
    },
  ];
  if (list.read_only) return searches;
  return [
    ...searches,
    { label: text.rename, icon: "edit", onSelect: () => openDialog({ kind: "rename", list }) },
    {
      label: text.remove,
      icon: "trash",
      danger: true,
      onSelect: () => openDialog({ kind: "remove", list }),
    },
  ];
}

function One({ list, openDialog }: { list: AccountList; openDialog: OpenDialog }): VNode {
  const text = lazyWords.value.listViews;
  const actions = (
    <>
      <Button icon="chevronLeft" onClick={() => go("lists")}>
        {text.back}
      </Button>
      <Button icon="bookmark" onClick={() => openDialog({ kind: "watch", list })}>
        {words.value.commands.saveButton}
      </Button>
      <Button icon="search" onClick={() => go("find", `#in_lists=${list.id}`)}>
        {text.searchIn}
      </Button>
      {!list.read_only && (
        <Button variant="primary" icon="plus" onClick={() => openDialog({ kind: "add", list })}>
          {text.add}
        </Button>
      )}
      <Menu icon="more" label={text.menu(list.name)} items={itemsOf(list, openDialog).slice(2)} />
    </>
  );
  return (
    <Page wide title={list.name} lead={<ListFacts list={list} />} actions={actions}>
      <Entries list={list} />
    </Page>
  );
}

/** The open dialog, if any. */
interface DialogsProps {
  open: Open | null;
  openDialog: OpenDialog;
  /** Called when a list may have got entries. */
  onFilled: () => void;
}

function Dialogs({ open, openDialog, onFilled }: DialogsProps): VNode | null {
  const text = lazyWords.value.listViews;
  const close = () => openDialog(null);
  if (open === null) return null;
  if (open.kind === "create") {
    return <AddEntries list={null} onClose={close} />;
  }
  const { kind, list } = open;
  if (kind === "add") {
    const filled = () => {
      close();
      onFilled();
    };
    return <AddEntries key={list.id} list={list} onClose={filled} />;
  }
  if (kind === "watch") {
    const name = lazyWords.value.notices.listName(list.name);
    const spec = { filters: { lists: { any_of: [list.id] } } };
    return <NoticeDialog subject={{ spec, text: null, name, watches: true }} onClose={close} />;
  }
  if (kind === "rename") return <NameList list={list} onClose={close} />;
  const drop = async () => {
    await remove(`/lists/${list.id}`);
    forgetList(list.id);
    toast(text.removed);
  };
  return (
    <ConfirmDialog
      open
      danger
      title={text.removeTitle(list.name)}
      confirm={text.remove}
      onConfirm={drop}
      onClose={close}
    >
      <p>{text.removeText}</p>
    </ConfirmDialog>
  );
}
