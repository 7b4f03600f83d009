/**
 * Shows the lists that contain one account, each with a remove button, and a button that adds the
 * account to another list.
 * Invariant: the lists are those of the server's last answer for this account. Entries of the
 * server-maintained list cannot be removed. If a list contains the whole company, a toast says so,
 * and nothing is removed. After a removal by keyboard, the focus moves to the next control.
 */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { post } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import type { ContainingListsAnswer, ListChange } from "../app/listanswers.ts";
import { go } from "../app/router.ts";
import { words } from "../app/words.ts";
import { Chip } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { EXPORTED, listChanges, nameIn, noteList } from "./all.ts";
import { AddButton } from "./button.tsx";

/** The lists and their controls. */
export function ListsOfAccount({ cnpj }: { cnpj: string }): VNode {
  const text = words.value.lists;
  const [held, setHeld] = useState<ContainingListsAnswer["lists"] | null>(null);
  const changes = listChanges.value;
  useEffect(() => {
    const abort = new AbortController();
    post<ContainingListsAnswer>(
      "/accounts/lists",
      { cnpjs: [cnpj] },
      { signal: abort.signal },
    ).then(
      ({ lists }) => setHeld(lists),
      // If the lists cannot be loaded, the facts stay visible without an error.
      () => undefined,
    );
    return () => abort.abort();
  }, [cnpj, changes]);
  const root = useRef<HTMLDivElement>(null);
  const wasTaken = useRef(false);
  useLayoutEffect(() => {
    if (!wasTaken.current) return;
    wasTaken.current = false;
    // The focused button vanished with its list.
    if (document.activeElement !== document.body) return;
    root.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [held]);
  const leave = (id: string, name: string) => {
    wasTaken.current = true;
    void takeOut(id, name, cnpj);
  };
  return (
    <div class="lists-of" ref={root}>
      {held?.length === 0 && <p class="account-none">{text.inNone}</p>}
      {held !== null && held.length > 0 && (
        <ul class="chips" aria-label={text.title}>
          {held.map(({ id, name }) => (
            <li key={id}>
              <Chip
                label={nameIn({ id, name })}
                onClick={() => go("lists", id)}
                {...(id !== EXPORTED && { onRemove: () => leave(id, name) })}
              />
            </li>
          ))}
        </ul>
      )}
      <AddButton small what={() => ({ what: { cnpjs: [cnpj] }, count: 1 })}>
        {text.addToList}
      </AddButton>
    </div>
  );
}

async function takeOut(id: string, name: string, cnpj: string): Promise<void> {
  const text = words.peek().lists;
  try {
    const change = await post<ListChange>(`/lists/${id}/entries/remove`, { cnpjs: [cnpj] });
    noteList(change.list);
    if (change.removed === 0) toast(text.throughCompany, { kind: "error" });
    else toast(text.takenOut(name));
  } catch (failure) {
    toast(errorText(failure), { kind: "error" });
  }
}
