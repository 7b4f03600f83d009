/**
 * The query as code. What comes in: what was explored, the columns chosen. What goes out: a button
 * with a dialog of commands to copy, whose code is loaded when it is first wanted.
 * Invariant: what is shown asks exactly what the table shows. Apart because few people want it, and
 * the first page does without what it opens.
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

/** The button; nothing can be written down before something was explored. */
export function CodeButton(): VNode {
  const [Shown, setShown] = useState<FunctionComponent<ComponentProps<typeof CodeDialog>> | null>(
    null,
  );
  const { answer } = exploration.value;
  const open = () =>
    import("./codedialog.tsx").then(
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

/** The fields of the columns on screen. */
function shownFields(): string[] {
  const allowed = new Set<string>(status.value?.field_allowlist);
  const columns = drawnColumns(choice.value, allowed);
  const fields = columns.flatMap((column) => column.fields.filter((field) => allowed.has(field)));
  return [...new Set(["cnpj", ...fields])];
}
