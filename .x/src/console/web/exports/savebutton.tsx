/**
 * The button that saves the current query under a name, and its name dialog.
 * Invariant: it saves the query at that moment, with its original sentence. Suggested names are
 * shorter than a line.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { post } from "../app/api.ts";
import { go } from "../app/router.ts";
import { words } from "../app/words.ts";
import { catalog } from "../find/catalog.ts";
import { exploration, isEmpty, query, sentence, specOf } from "../find/query.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextInput } from "../parts/field.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { toast } from "../parts/toast.tsx";
import { summaryOf } from "./summary.ts";

/** Maximum name length; a test checks the server's. */
const NAME_LENGTH_MAX = 100;
/** Maximum length of suggestions: one line of a list. */
const SUGGESTED_MAX = 60;

/** Saves the current query under a name. */
export function SaveButton(): VNode {
  const [open, setOpen] = useState(false);
  const { commands } = words.value;
  const nothing = isEmpty(query.value) || exploration.value.answer === null;
  const first = () => {
    const { answer } = exploration.peek();
    const text = sentence.peek() || (answer ? summaryOf(answer.spec, catalog.peek()) : "");
    return shortened(text);
  };
  const save = async (name: string) => {
    const text = sentence.peek() === "" ? null : sentence.peek();
    const body = { name, ...(text === null ? {} : { text }), spec: specOf(query.peek()) };
    await post("/searches", body);
    const action = { label: commands.savedOpenList, onClick: () => go("saved") };
    toast(commands.savedToast(name), { action });
  };
  return (
    <>
      <Button
        icon="bookmark"
        aria-disabled={nothing}
        title={nothing ? commands.saveNothing : undefined}
        onClick={() => (nothing ? toast(commands.saveNothing, { kind: "error" }) : setOpen(true))}
      >
        {commands.saveButton}
      </Button>
      {open && (
        <NameDialog
          title={commands.saveTitle}
          hint={commands.saveHint}
          first={first()}
          onName={save}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Cuts a text after a whole word, to fit a suggestion. */
function shortened(text: string): string {
  if (text.length <= SUGGESTED_MAX) return text;
  const whole = text.slice(0, SUGGESTED_MAX).replace(/[\s,;·]+\S*$/, "");
  return `${whole || text.slice(0, SUGGESTED_MAX - 1)}…`;
}

/** Props of the dialog. */
interface NameProps {
  title: string;
  hint?: string;
  first: string;
  onName: (name: string) => Promise<void>;
  onClose: () => void;
}

/** Requests a name; stays open if it is refused. */
export function NameDialog({ title, hint, first, onName, onClose }: NameProps): VNode {
  const [name, setName] = useState(first);
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const form = useId();
  const { commands } = words.value;
  const submit = async () => {
    if (name.trim() === "") return setMissing(true);
    setBusy(true);
    setError(null);
    try {
      await onName(name.trim());
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>{commands.cancel}</Button>
      <Button variant="primary" type="submit" form={form} busy={busy}>
        {commands.save}
      </Button>
    </>
  );
  return (
    <Dialog open size="small" title={title} onClose={onClose} footer={footer}>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextInput
          label={commands.saveName}
          hint={hint}
          data-autofocus
          autocomplete="off"
          maxLength={NAME_LENGTH_MAX}
          value={name}
          error={missing ? commands.saveNameMissing : null}
          onValue={(text) => {
            setMissing(false);
            setName(text);
          }}
        />
        {error !== null && <ErrorNotice error={error} />}
      </form>
    </Dialog>
  );
}
