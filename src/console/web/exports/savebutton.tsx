/**
 * Saving a search. What comes in: the present query. What goes out: the button that saves it under
 * a name, and the dialog that asks for one.
 * Invariant: what is saved is the query as it is then, with the sentence that it began with; a name
 * that is suggested is shorter than a line.
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

/** Longest name; held equal to the server's by a test. */
const NAME_LENGTH_MAX = 100;
/** Longest name that is suggested: as much as a list shows in one line. */
const SUGGESTED_MAX = 60;

/** Saves the present query under a name. */
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

/** The whole words at the beginning of a text that a suggestion has room for. */
function shortened(text: string): string {
  if (text.length <= SUGGESTED_MAX) return text;
  const whole = text.slice(0, SUGGESTED_MAX).replace(/[\s,;·]+\S*$/, "");
  return `${whole || text.slice(0, SUGGESTED_MAX - 1)}…`;
}

/** What asks for a name. */
interface NameProps {
  title: string;
  hint?: string;
  first: string;
  onName: (name: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for a name, and stays open where it is refused. */
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
