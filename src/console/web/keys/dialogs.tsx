/**
 * The dialogs of API keys. What comes in: a key, and what to do when it has changed. What goes
 * out: a new key, shown once with a line that uses it.
 * Invariant: a dialog that shows a new key closes by its own button only, so that nobody loses it
 * by a slip; the key is nowhere but in that dialog.
 */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { ApiKey, CreatedKeyAnswer } from "../app/answers.ts";
import { ApiError, post } from "../app/api.ts";
import { laterWords } from "../app/laterwords.ts";
import { mistakeText } from "../app/said.ts";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { focusInvalid, Select, TextInput } from "../parts/field.tsx";
import { ErrorNotice, Notice } from "../parts/notice.tsx";
import { SecretOnce } from "../parts/password.tsx";
import { toast } from "../parts/toast.tsx";

/** What each dialog takes. */
interface KeyDialogProps {
  close: () => void;
  /** The list is out of date. */
  done: () => void;
}

/** What a dialog about a key that exists takes. */
type RowDialogProps = KeyDialogProps & { row: ApiKey };

const LIFETIMES = { never: undefined, d30: 30, d90: 90, d365: 365 } as const;
const OVERLAPS = { s0: 0, h1: 3_600, d1: 86_400, d7: 604_800, d30: 2_592_000 } as const;

/** Makes a key and shows it. */
export function CreateKey({ close, done }: KeyDialogProps): VNode {
  const text = laterWords.value.keys;
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<keyof typeof LIFETIMES>("never");
  const { send, busy, error, answer, checked } = useSent<CreatedKeyAnswer>(done);
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
      error={errorBeside(error, ["/name"])}
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

/** Gives a key another name. */
export function RenameKey({ row, close, done }: RowDialogProps): VNode {
  const text = laterWords.value.keys;
  const [name, setName] = useState(row.name);
  const { send, busy, error, checked } = useSent<ApiKey>(() => {
    toast(text.renamed);
    done();
    close();
  });
  return (
    <FormDialog
      title={text.renameTitle}
      submit={words.value.shell.save}
      busy={busy}
      error={errorBeside(error, ["/name"])}
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

/** Makes a key that replaces another one. */
export function RotateKey({ row, close, done }: RowDialogProps): VNode {
  const text = laterWords.value.keys;
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>("d1");
  const { send, busy, error, answer } = useSent<CreatedKeyAnswer>(done);
  if (answer !== null) return <ShownOnce created={answer} close={close} />;
  const body = { overlap_seconds: OVERLAPS[overlap] };
  return (
    <FormDialog
      title={text.rotateTitle(row.name || row.key_id)}
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

/** A new key, this once. */
function ShownOnce({ created, close }: { created: CreatedKeyAnswer; close: () => void }): VNode {
  const text = laterWords.value.keys;
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

/** What a dialog with a form takes. */
interface FormDialogProps {
  title: string;
  submit: string;
  busy: boolean;
  error: unknown;
  onSubmit: () => void;
  close: () => void;
  children: ComponentChildren;
}

/** A dialog whose form is sent by Enter and by its button. */
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

/** Sends a form once it is complete; keeps the answer or why there is none. */
export function useSent<T>(done: () => void) {
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

/** What the server says about one member of what was sent. */
export function mistakeAt(error: unknown, pointer: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const found = error.errors.find((one) => one.pointer === pointer);
  return found === undefined ? null : mistakeText(found);
}

/** A failure unless everything it says stands at the members that are named. */
export function errorBeside(error: unknown, pointers: readonly string[]): unknown {
  if (!(error instanceof ApiError) || error.errors.length === 0) return error;
  return error.errors.every((one) => pointers.includes(one.pointer)) ? null : error;
}

function choices(labels: Record<string, string>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

function pathOf(row: ApiKey): string {
  return `/keys/${encodeURIComponent(row.key_id)}`;
}
