/**
 * Picks activities. What comes in: the codes that are chosen. What goes out: the codes chosen
 * next; whole groups ("47") stand for all of their subclasses.
 * Invariant: chips name the widest groups of which nothing is missing; taking a chip away takes
 * exactly what it stands for.
 */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import { compact } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Combobox, type ComboOption } from "../../parts/combobox.tsx";
import { compressActivities } from "../addressmembers.ts";
import { catalog, shortActivity } from "../catalog.ts";
import type { CatalogBook, PickerChoice } from "../catalogbook.ts";
import { ChipList } from "./chiplist.tsx";

/** Choices of one search. */
const FOUND_MAX = 60;

/** What the picker takes. */
interface ActivityPickerProps {
  label: string;
  codes: readonly string[];
  onCodes: (codes: string[]) => void;
}

/** A text box that finds activities by code, name and trade, and chips of what is chosen. */
export function ActivityPicker({ label, codes, onCodes }: ActivityPickerProps): VNode {
  const { find } = words.value;
  const book = catalog.value;
  const search = useCallback(
    (text: string) => book?.searchActivities(text, FOUND_MAX).map(optionOf) ?? [],
    [book],
  );
  const short = book === null ? codes : compressActivities(codes, book.lookup);
  const expand = (code: string) => book?.activities(code) ?? [code];
  const remove = (code: string) => {
    const gone = new Set(expand(code));
    onCodes(codes.filter((one) => !gone.has(one)));
  };
  const select = ({ value }: ComboOption) => {
    const below = expand(value);
    if (below.every((code) => codes.includes(code))) remove(value);
    else onCodes([...codes, ...below]);
  };
  return (
    <div class="picker">
      <Combobox
        label={label}
        placeholder={book === null ? find.catalogLoading : find.activitiesPlaceholder}
        search={search}
        // Single activities are marked as chosen also below a chosen group.
        selected={[...codes, ...short].map((value) => ({ value, label: value }))}
        onSelect={select}
        onRemove={remove}
        chips={false}
        empty={book === null ? find.catalogLoading : find.activitiesNothing}
      />
      <ChipList
        label={label}
        colour="activity"
        chips={short.map((code) => ({ code, label: chipText(code, book) }))}
        onRemove={remove}
      />
    </div>
  );
}

function optionOf({ code, name, accounts, codes, term }: PickerChoice): ComboOption {
  const { find } = words.value;
  const group = codes.length > 1;
  const detail = [
    name === "" ? "" : code,
    group ? find.activitiesOf(codes.length) : "",
    term ? find.term(term) : "",
  ];
  return {
    value: code,
    label: name === "" ? find.activitiesUnder(code) : name,
    detail: detail.filter(Boolean).join(" · "),
    count: compact(accounts),
  };
}

function chipText(code: string, book: CatalogBook | null): string {
  const { find } = words.value;
  const name = shortActivity(code, book?.activityName(code) ?? "");
  const below = book?.activities(code).length ?? 1;
  const several = below > 1 ? find.activitiesOf(below) : "";
  return [code, name, several].filter(Boolean).join(" · ");
}
