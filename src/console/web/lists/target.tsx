/**
 * The dialog that adds accounts (CNPJs, or all matches of a spec) to an existing or a new list.
 * Invariant: counts of added and existing entries are the server's. If adding fails, a new list
 * stays and is selected for the next try.
 */
import type { VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { post } from "../app/api.ts";
import { number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { AccountList, ListChange } from "../app/listanswers.ts";
import { go } from "../app/router.ts";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Select } from "../parts/field.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { toast } from "../parts/toast.tsx";
import { loadLists, noteList, ownLists } from "./all.ts";
import { makeList, NewList } from "./naming.tsx";

/** The accounts to add: listed, or all matches of a search. */
export type Added = { readonly cnpjs: readonly string[] } | { readonly spec: object };

interface AddToListProps {
  what: Added;
  /** Number of establishments. */
  count: number;
  onClose: () => void;
}

const FRESH = "";

/** The dialog. */
export function AddToList({ what, count, onClose }: AddToListProps): VNode {
  const text = lazyWords.value.listViews;
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [kind, setKind] = useState<AccountList["kind"]>("accounts");
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useId();
  useEffect(() => {
    loadLists().catch(setError);
  }, []);
  const lists = ownLists.value ?? [];
  const id = chosen ?? lists[0]?.id ?? FRESH;
  const submit = async () => {
    if (id === FRESH && name.trim() === "") return setMissing(true);
    setBusy(true);
    setError(null);
    try {
      const target = id === FRESH ? (await makeList(name, kind)).id : id;
      setChosen(target);
      notify(await add(target, what));
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>{words.value.shell.cancel}</Button>
      <Button variant="primary" type="submit" form={form} busy={busy}>
        {text.submit}
      </Button>
    </>
  );
  return (
    <Dialog open size="small" title={text.addAllTitle(count)} onClose={onClose} footer={footer}>
      <form
        id={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {lists.length > 0 && <Which lists={lists} id={id} onId={setChosen} />}
        {id === FRESH && (
          <NewList
            {...{ name, kind, missing }}
            onKind={setKind}
            onName={(value) => {
              setMissing(false);
              setName(value);
            }}
          />
        )}
        {error !== null && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}

interface WhichProps {
  lists: readonly AccountList[];
  id: string;
  onId: (id: string) => void;
}

function Which({ lists, id, onId }: WhichProps): VNode {
  const text = lazyWords.value.listViews;
  const options = lists.map((one) => ({ value: one.id, label: one.name }));
  return (
    <Select
      label={text.which}
      value={id}
      onValue={onId}
      options={[...options, { value: FRESH, label: text.fresh }]}
    />
  );
}

async function add(id: string, what: Added): Promise<ListChange> {
  const path = `/lists/${id}/entries`;
  const change =
    "spec" in what
      ? await post<ListChange>(`${path}/from-search`, { spec: what.spec })
      : await post<ListChange>(path, { cnpjs: what.cnpjs });
  noteList(change.list);
  return change;
}

function notify({ list: { id, name }, added = 0, already_there: there = 0 }: ListChange): void {
  const text = lazyWords.value.listViews;
  const action = { label: text.open, onClick: () => go("lists", id) };
  const message =
    there === 0
      ? text.addedToast(number(added), name)
      : text.thereToast(number(added), number(there), name);
  toast(message, { action });
}
