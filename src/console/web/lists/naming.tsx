/**
 * The dialogs that name lists. What comes in: what a new list is, or one that gets another name.
 * What goes out: the list as the server has it then.
 * Invariant: a dialog stays open where the server refuses; whether a list holds establishments or
 * companies is asked once, when it is made.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { post } from "../app/api.ts";
import { laterWords } from "../app/laterwords.ts";
import type { AccountList } from "../app/listanswers.ts";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Segmented, TextInput } from "../parts/field.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { noteList } from "./all.ts";

/** Longest name of a list, as the server takes it (src/http/api/lists-schemas.ts). */
export const LIST_NAME_MAX = 120;

interface NamingProps {
  /** The list that gets another name; null makes one. */
  list: AccountList | null;
  onDone: (list: AccountList) => void;
  onClose: () => void;
}

/** Makes a list, or renames one. */
export function NameList({ list, onDone, onClose }: NamingProps): VNode {
  const text = laterWords.value.listViews;
  const [name, setName] = useState(list?.name ?? "");
  const [kind, setKind] = useState<AccountList["kind"]>("accounts");
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useId();
  const submit = async () => {
    if (name.trim() === "") return setMissing(true);
    setBusy(true);
    setError(null);
    try {
      onDone(list === null ? await makeList(name, kind) : await renamed(list, name));
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
    <Dialog
      open
      size="small"
      title={list === null ? text.create : text.rename}
      onClose={onClose}
      footer={footer}
    >
      <form
        id={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextInput
          label={text.name}
          hint={text.nameHint}
          data-autofocus
          autocomplete="off"
          maxLength={LIST_NAME_MAX}
          value={name}
          error={missing ? text.nameMissing : null}
          onValue={(value) => {
            setMissing(false);
            setName(value);
          }}
        />
        {list === null && <KindChoice kind={kind} onKind={setKind} />}
        {error !== null && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}

interface KindProps {
  kind: AccountList["kind"];
  onKind: (kind: AccountList["kind"]) => void;
}

/** Whether an entry is an establishment or all of a company. */
export function KindChoice({ kind, onKind }: KindProps): VNode {
  const text = laterWords.value.listViews;
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

async function renamed({ id }: AccountList, name: string): Promise<AccountList> {
  const { list } = await post<{ list: AccountList }>(`/lists/${id}`, { name: name.trim() });
  noteList(list);
  return list;
}
