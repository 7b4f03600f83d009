/**
 * Two forms: one renames a list, and the other asks for the name and kind of a new list.
 * Invariant: if the server refuses the name, the dialog stays open. A list's kind (establishments
 * or companies) is chosen at its creation and never changes.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { LIST_NAME_MAX } from "../../../spec/listids.ts";
import { post } from "../app/api.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { AccountList } from "../app/listanswers.ts";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segmented, TextInput } from "../parts/field.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { noteList } from "./all.ts";

interface NamingProps {
  /** The list to rename. */
  list: AccountList;
  onClose: () => void;
}

/** Renames a list. */
export function NameList({ list, onClose }: NamingProps): VNode {
  const text = lazyWords.value.listViews;
  const [name, setName] = useState(list.name);
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useId();
  const submit = async () => {
    if (name.trim() === "") return setMissing(true);
    setBusy(true);
    setError(null);
    try {
      await rename(list, name);
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
        {words.value.shell.save}
      </Button>
    </>
  );
  return (
    <Dialog open size="small" title={text.rename} onClose={onClose} footer={footer}>
      <form
        id={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <NameInput
          name={name}
          missing={missing}
          onName={(value) => {
            setMissing(false);
            setName(value);
          }}
        />
        {error !== null && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}

interface NameProps {
  name: string;
  missing: boolean;
  onName: (name: string) => void;
}

function NameInput({ name, missing, onName }: NameProps): VNode {
  const text = lazyWords.value.listViews;
  return (
    <TextInput
      label={text.name}
      hint={text.nameHint}
      data-autofocus
      autocomplete="off"
      maxLength={LIST_NAME_MAX}
      value={name}
      error={missing ? text.nameMissing : null}
      onValue={onName}
    />
  );
}

interface KindProps {
  kind: AccountList["kind"];
  onKind: (kind: AccountList["kind"]) => void;
}

/** Fields for a new list's name and kind of entry. */
export function NewList({ kind, onKind, ...name }: NameProps & KindProps): VNode {
  return (
    <>
      <NameInput {...name} />
      <KindChoice kind={kind} onKind={onKind} />
    </>
  );
}

/** Chooses establishments or companies as entries. */
function KindChoice({ kind, onKind }: KindProps): VNode {
  const text = lazyWords.value.listViews;
  return (
    <div class="field">
      <Segmented
        legend={text.kind}
        value={kind}
        onValue={onKind}
        options={[
          { value: "accounts", label: text.kinds.accounts },
          { value: "companies", label: text.kinds.companies },
        ]}
      />
      <p class="field-hint">{text.kindHints[kind]}</p>
    </div>
  );
}

/** Makes a list. */
export async function makeList(name: string, kind: AccountList["kind"]): Promise<AccountList> {
  const { list } = await post<{ list: AccountList }>("/lists", { name: name.trim(), kind });
  noteList(list);
  return list;
}

async function rename({ id }: AccountList, name: string): Promise<void> {
  const { list } = await post<{ list: AccountList }>(`/lists/${id}`, { name: name.trim() });
  noteList(list);
}
