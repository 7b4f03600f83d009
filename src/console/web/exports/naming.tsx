/**
 * A dialog that asks for a name.
 * Invariant: it stays open if the name is refused. Names have the server's maximum length.
 */
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextInput } from "../parts/field.tsx";
import { ErrorNotice } from "../parts/notice.tsx";

/** Max name length; a test compares it with the server's. */
export const NAME_LENGTH_MAX = 100;

interface NameProps {
  title: string;
  hint?: string;
  first: string;
  onName: (name: string) => Promise<void>;
  onClose: () => void;
}

/** Dialog that requests a name; stays open if the name is refused. */
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
