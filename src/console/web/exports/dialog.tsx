/**
 * Shows the button that exports the results. The code of the dialog is loaded on first use.
 * Invariant: if nothing can be exported, a click shows the reason.
 */
import type { ComponentType, VNode } from "preact";
import { useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { exploration } from "../find/query.ts";
import { Button } from "../parts/button.tsx";
import { toast } from "../parts/toast.tsx";

interface ExportFormProps {
  readonly onClose: () => void;
}

/** Opens the export dialog for the current query. */
export function ExportButton(): VNode {
  const [Form, setForm] = useState<ComponentType<ExportFormProps> | null>(null);
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const { commands, shell } = words.value;
  const obstacle = obstacleNow();
  const show = async () => {
    if (obstacle !== null) return toast(obstacle, { kind: "error" });
    setBusy(true);
    try {
      const { ExportForm } = await import("../app/later.ts");
      setForm(() => ExportForm);
      setOpen(true);
    } catch {
      toast(shell.viewFailed, { kind: "error" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        variant="primary"
        icon="download"
        busy={busy}
        aria-disabled={obstacle !== null}
        title={obstacle ?? undefined}
        onClick={() => void show()}
      >
        {commands.button}
      </Button>
      {open && Form !== null && <Form onClose={() => setOpen(false)} />}
    </>
  );
}

/** Returns the reason why nothing can be exported; null if something can. */
function obstacleNow(): string | null {
  const { commands } = words.value;
  const { answer } = exploration.value;
  if (answer === null) return commands.buttonNothing;
  if (answer.too_broad) return commands.buttonBroad;
  return answer.total === 0 ? commands.buttonEmpty : null;
}
