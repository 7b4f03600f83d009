/**
 * The buttons that add to a list. What comes in: what is added, and how many that is. What goes
 * out: the dialog that asks for the list, whose code is loaded when it is first wanted.
 * Invariant: where there is nothing to add the button says so.
 */
import type { ComponentChildren, ComponentType, VNode } from "preact";
import { useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { exploration, isEmpty, query, specOf } from "../find/query.ts";
import { Button } from "../parts/button.tsx";
import { toast } from "../parts/toast.tsx";
import type { Added } from "./target.tsx";

interface DialogProps {
  what: Added;
  count: number;
  onClose: () => void;
}

interface AddButtonProps {
  /** What is added when the button is pressed; null where there is nothing. */
  what: () => { readonly what: Added; readonly count: number } | null;
  small?: boolean;
  dimmed?: boolean;
  children: ComponentChildren;
}

/** Adds to a list that the dialog asks for. */
export function AddButton({ what, small, dimmed, children }: AddButtonProps): VNode {
  const [Form, setForm] = useState<ComponentType<DialogProps> | null>(null);
  const [given, setGiven] = useState<ReturnType<typeof what>>(null);
  const [busy, setBusy] = useState(false);
  const open = async () => {
    const now = what();
    if (now === null) return toast(words.peek().lists.nothing, { kind: "error" });
    setBusy(true);
    try {
      const { AddToList } = await import("./target.tsx");
      setForm(() => AddToList);
      setGiven(now);
    } catch {
      toast(words.peek().shell.viewFailed, { kind: "error" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        icon="list"
        small={small}
        busy={busy}
        aria-disabled={dimmed}
        title={words.value.lists.addToList}
        onClick={() => void open()}
      >
        {children}
      </Button>
      {given !== null && Form !== null && <Form {...given} onClose={() => setGiven(null)} />}
    </>
  );
}

/** Adds all that the present query finds. */
export function AddSearchButton(): VNode {
  const { answer } = exploration.value;
  const none = answer === null || answer.too_broad || answer.total === 0 || isEmpty(query.value);
  const what = () => {
    return none ? null : { what: { spec: specOf(query.peek()) }, count: answer.total };
  };
  return (
    <AddButton what={what} dimmed={none}>
      {words.value.lists.button}
    </AddButton>
  );
}
