/**
 * Picks legal natures. What comes in: the codes that are chosen. What goes out: those chosen next.
 * Invariant: a chip shows code and name, and taking it away takes exactly that code.
 */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { compact } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Combobox } from "../../parts/combobox.tsx";
import { catalog } from "../catalog.ts";
import { change, query } from "../query.ts";
import { ChipList } from "./chiplist.tsx";

/** A text box that finds legal natures, and chips of those that are chosen. */
export function NaturePicker(): VNode {
  const { find } = words.value;
  const book = catalog.value;
  const codes = query.value.filters.company.legal_nature_any_of ?? [];
  const search = useCallback(
    (text: string) =>
      book?.searchNatures(text, 100).map(({ code, name, accounts }) => ({
        value: code,
        label: name,
        detail: code,
        count: compact(accounts),
      })) ?? [],
    [book],
  );
  const set = (next: string[]) =>
    change(({ filters }) => {
      filters.company.legal_nature_any_of = next;
    });
  const remove = (code: string) => set(codes.filter((one) => one !== code));
  return (
    <div class="picker">
      <Combobox
        label={find.nature}
        placeholder={book === null ? find.catalogLoading : find.naturePlaceholder}
        search={search}
        selected={codes.map((value) => ({ value, label: value }))}
        onSelect={({ value }) => set([...codes, value])}
        onRemove={remove}
        chips={false}
        empty={book === null ? find.catalogLoading : find.natureNothing}
      />
      <ChipList
        label={find.nature}
        colour="company"
        chips={codes.map((code) => ({
          code,
          label: [code, book?.natureName(code) ?? ""].filter(Boolean).join(" · "),
        }))}
        onRemove={remove}
      />
    </div>
  );
}
