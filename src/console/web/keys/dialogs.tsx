/**
 * The dialogs of API keys. A new key is shown once, with a command that uses it.
 * Invariant: a dialog with a new key closes only by its own button, so that users do not lose the
 * key by accident. The key is stored nowhere else in the page.
 */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { ApiKey, CreatedKeyAnswer } from "../app/answers.ts";
import { ApiError, post } from "../app/api.ts";
import { mistakeText } from "../app/errortext.ts";
import { lazyWords } from "../app/lazywords.ts";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { focusInvalid, Select, TextInput } from "../parts/field.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { SecretOnce } from "../parts/password.tsx";
import { toast } from "../parts/toast.tsx";

interface KeyDialogProps {
  close: () => void;
  /** Reloads the list. */
  done: () => void;
}

type RowDialogProps = KeyDialogProps & { row: ApiKey };

const LIFETIMES = { never: undefined, d30: 30, d90: 90, d365: 365 } as const;
const OVERLAPS = { s0: 0, h1: 3_600, d1: 86_400, d7: 604_800, d30: 2_592_000 } as const;

/** Makes a key and shows it. */
export function CreateKey({ close, done }: KeyDialogProps): VNode {
  const text = lazyWords.value.keys;
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<keyof typeof LIFETIMES>("never");
  const { send, busy, error, answer, checked } = useFormPost<CreatedKeyAnswer>(done);
  if (answer !== null) return <ShownOnce created={answer} close={close} />;
  const submit = () => {
    const days = LIFETIMES[lifetime];
    const body = { name: name.trim(), ...(days === undefined ? {} : { expires_in_days: days }) };
    void send(name.trim() !== "", "/keys", body);
  };
  return (
    <FormDialog
      title={text.createTitle}
      submit={text.createSubmit}
      busy={busy}
      error={errorNextTo(error, ["/name"])}
      onSubmit={submit}
      close={close}
    >
      <TextInput
        label={text.name}
        hint={text.nameHint}
        value={name}
        onValue={setName}
        maxLength={100}
        autofocus
        error={checked && name.trim() === "" ? text.nameNeeded : mistakeAt(error, "/name")}
      />
      <Select
        label={text.lifetime}
        value={lifetime}
        onValue={(value) => setLifetime(value as keyof typeof LIFETIMES)}
        options={choices(text.lifetimes)}
      />
    </FormDialog>
  );
}

/** Renames a key. */
export function RenameKey({ row, close, done }: RowDialogProps): VNode {
  const text = lazyWords.value.keys;
  const [name, setName] = useState(row.name);
  const { send, busy, error, checked } = useFormPost<ApiKey>(() => {
    toast(text.renamed);
    done();
    close();
  });
  return (
    <FormDialog
      title={text.renameTitle}
      submit={words.value.shell.save}
      busy={busy}
      error={errorNextTo(error, ["/name"])}
      close={close}
      onSubmit={() => void send(name.trim() !== "", pathOf(row), { name: name.trim() })}
    >
      <TextInput
        label={text.name}
        value={name}
        onValue={setName}
        maxLength={100}
        autofocus
        error={checked && name.trim() === "" ? text.nameNeeded : mistakeAt(error, "/name")}
      />
    </FormDialog>
  );
}

/** Makes a key that replaces another. */
export function RotateKey({ row, close, done }: RowDialogProps): VNode {
  const text = lazyWords.value.keys;
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>("d1");
  const { send, busy, error, answer } = useFormPost<CreatedKeyAnswer>(done);
  if (answer !== null) return <ShownOnce created={answer} close={close} />;
  const body = { overlap_seconds: OVERLAPS[overlap] };
  return (
    <FormDialog
      title={text.rotateTitle(row.name || text.unnamed)}
      submit={text.rotateSubmit}
      busy={busy}
      error={error}
      onSubmit={() => void send(true, `${pathOf(row)}/rotate`, body)}
      close={close}
    >
      <p>{text.rotateText}</p>
      <Select
        label={text.overlap}
        value={overlap}
        onValue={(value) => setOverlap(value as keyof typeof OVERLAPS)}
        options={choices(text.overlaps)}
        autofocus
      />
    </FormDialog>
  );
}

/** A new key, once. */
function ShownOnce({ created, close }: { created: CreatedKeyAnswer; close: () => void }): VNode {
  const text = lazyWords.value.keys;
  const line = `curl -H "Authorization: Bearer ${created.key}" ${location.origin}/v1/status`;
  const ends = created.old_expires_at;
  const footer = (
    <Button variant="primary" onClick={close}>
      {text.done}
    </Button>
  );
  return (
    <Dialog open locked title={text.onceTitle} onClose={close} footer={footer}>
      <div class="form">
        <Notice kind="warn">{text.once}</Notice>
        <SecretOnce label={text.key} secret={created.key} />
        <SecretOnce label={text.tryIt} secret={line} />
        {ends && <p>{text.replaced(ends, Math.round((Date.parse(ends) - Date.now()) / 1000))}</p>}
      </div>
    </Dialog>
  );
}

interface FormDialogProps {
  title: string;
  submit: string;
  busy: boolean;
  error: unknown;
  onSubmit: () => void;
  close: () => void;
  children: ComponentChildren;
}

/** A dialog with a form, which Enter or the button submits. */
export function FormDialog(props: FormDialogProps): VNode {
  const { title, submit, busy, error, onSubmit, close, children } = props;
  const footer = (
    <>
      <Button onClick={close}>{words.value.shell.cancel}</Button>
      <Button variant="primary" busy={busy} onClick={onSubmit}>
        {submit}
      </Button>
    </>
  );
  return (
    <Dialog open size="small" title={title} onClose={close} footer={footer}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) onSubmit();
        }}
      >
        {children}
        {error !== null && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}

/**
 * Returns `send`, which posts a form, and the state of the request (busy, error, answer). If the
 * form is incomplete, `send` only focuses its first mistake.
 */
export function useFormPost<T>(done: () => void) {
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [answer, setAnswer] = useState<T | null>(null);
  const send = async (complete: boolean, path: string, body: object) => {
    setChecked(true);
    if (!complete) focusInvalid(document.querySelector("dialog form"));
    if (!complete || busy) return;
    setBusy(true);
    setError(null);
    try {
      setAnswer(await post<T>(path, body));
      done();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return { send, busy, checked, error, answer };
}

/** Returns the server's message about one member, or null if there is none. */
export function mistakeAt(error: unknown, pointer: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const found = error.errors.find((one) => one.pointer === pointer);
  return found === undefined ? null : mistakeText(found);
}

/** Returns the error, or null if the fields for these members already show all of its mistakes. */
export function errorNextTo(error: unknown, pointers: readonly string[]): unknown {
  if (!(error instanceof ApiError) || error.errors.length === 0) return error;
  return error.errors.every((one) => pointers.includes(one.pointer)) ? null : error;
}

function choices(labels: Record<string, string>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

function pathOf(row: ApiKey): string {
  return `/keys/${encodeURIComponent(row.key_id)}`;
}
