/**
 * What can be done with the rows that are picked. What comes in: which they are. What goes out: a
 * bar over the end of the table: how many, into a list, onto the clipboard, none.
 * Invariant: it lies over the table and moves nothing; without picked rows it is not there. Apart
 * because the table is drawn without it.
 */
import type { VNode } from "preact";
import { cnpj } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { AddButton } from "../../lists/button.tsx";
import { Button, copyText, IconButton } from "../../parts/button.tsx";
import { clearSelection, selection } from "./selection.ts";

/** The bar. */
export function SelectionBar(): VNode | null {
  const { lists } = words.value;
  const { value: picked } = selection;
  if (picked.size === 0) return null;
  const cnpjs = [...picked];
  return (
    <section class="table-picked" aria-label={lists.selection}>
      <p role="status">{lists.selected(cnpjs.length)}</p>
      <AddButton small what={() => ({ what: { cnpjs }, count: cnpjs.length })}>
        {lists.addToList}
      </AddButton>
      <Button small icon="copy" onClick={() => void copyText(cnpjs.map(cnpj).join("\n"))}>
        {lists.copyAll}
      </Button>
      <IconButton small icon="close" label={lists.clear} onClick={clearSelection} />
    </section>
  );
}
