/**
 * The button that shows the query as code.
 * Invariant: the code finds the same accounts as the table. Separate because few users need it, and
 * the first page does not load its dialog.
 */
import type { ComponentProps, FunctionComponent, VNode } from "preact";
import { useState } from "preact/hooks";
import { status } from "../../app/status.ts";
import { words } from "../../app/words.ts";
import { IconButton } from "../../parts/button.tsx";
import { toast } from "../../parts/toast.tsx";
import { exploration } from "../query.ts";
import { choice } from "./choice.ts";
import type { CodeDialog } from "./codedialog.tsx";
import { drawnColumns } from "./columnset.ts";

/** Shows the button, which is disabled before the first exploration. */
export function CodeButton(): VNode {
  const [Shown, setShown] = useState<FunctionComponent<ComponentProps<typeof CodeDialog>> | null>(
    null,
  );
  const { answer } = exploration.value;
  const open = () =>
    import("../../app/later.ts").then(
      (part) => setShown(() => part.CodeDialog),
      () => toast(words.peek().shell.viewFailed, { kind: "error" }),
    );
  return (
    <>
      <IconButton
        icon="code"
        class="found-code"
        label={words.value.table.code.button}
        disabled={answer === null}
        onClick={() => void open()}
      />
      {Shown !== null && answer !== null && (
        <Shown
          query={{
            spec: answer.spec,
            origin: location.origin,
            snapshot: answer.snapshot,
            fields: shownFields(),
          }}
          onClose={() => setShown(null)}
        />
      )}
    </>
  );
}

function shownFields(): string[] {
  const allowed = new Set<string>(status.value?.field_allowlist);
  const columns = drawnColumns(choice.value, allowed);
  const fields = columns.flatMap((column) => column.fields.filter((field) => allowed.has(field)));
  return [...new Set(["cnpj", ...fields])];
}
