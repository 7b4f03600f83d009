/**
 * Buttons that add accounts to a list. The dialog that selects the list loads on first use.
 * Invariant: if there is nothing to add, a toast reports it.
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
  /** Returns the accounts to add, or null if there are none. */
  what: () => { readonly what: Added; readonly count: number } | null;
  small?: boolean;
  dimmed?: boolean;
  children: ComponentChildren;
}

/** Opens the dialog that adds accounts to a list. */
export function AddButton({ what, small, dimmed, children }: AddButtonProps): VNode {
  const [Form, setForm] = useState<ComponentType<DialogProps> | null>(null);
  const [given, setGiven] = useState<ReturnType<typeof what>>(null);
  const [busy, setBusy] = useState(false);
  const open = async () => {
    const now = what();
    if (now === null) return toast(words.peek().lists.nothing, { kind: "error" });
    setBusy(true);
    try {
      const { AddToList } = await import("../app/later.ts");
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

/** Adds all matches of the current query. */
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
