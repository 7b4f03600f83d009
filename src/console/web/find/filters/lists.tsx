/**
 * The list filters: lists that results must be in, or must not be in.
 * Invariant: deleted lists can still be removed from the query. Members without a chosen list are
 * absent. Exported accounts are excluded by a checkbox, which is easier to find, so their list is
 * not also offered by name.
 * Separate because the form has one file per group of filters.
 */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { Filters } from "../../app/answers.ts";
import { number } from "../../app/format.ts";
import { lazyWords } from "../../app/lazywords.ts";
import { allLists, EXPORTED, listName, loadLists } from "../../lists/all.ts";
import { Combobox, type ComboOption } from "../../parts/combobox.tsx";
import { Checkbox } from "../../parts/field.tsx";
import { change, query } from "../query.ts";

type Member = keyof NonNullable<Filters["lists"]>;

/** Pickers for lists to include and lists to exclude. */
export function FilterLists(): VNode {
  const { listViews: text } = lazyWords.value;
  const excluded = query.value.filters.lists?.exclude ?? [];
  useEffect(() => {
    // If loading fails, the form offers no lists, and the search reports the cause.
    if (allLists.peek() === null) loadLists().catch(() => undefined);
  }, []);
  return (
    <>
      <Checkbox
        label={text.hideExported}
        checked={excluded.includes(EXPORTED)}
        onChecked={(wanted) => {
          const others = excluded.filter((id) => id !== EXPORTED);
          change((draft) => setLists(draft, "exclude", wanted ? [...others, EXPORTED] : others));
        }}
      />
      <ListPicker member="any_of" label={text.any} />
      <ListPicker member="exclude" label={text.exclude} />
    </>
  );
}

function ListPicker({ member, label }: { member: Member; label: string }): VNode {
  const { listViews: text } = lazyWords.value;
  const chosen = query.value.filters.lists?.[member] ?? [];
  // The list of exports is excluded by a checkbox, not here.
  const isOffered = (id: string) => member === "any_of" || id !== EXPORTED;
  const options: ComboOption[] = (allLists.value ?? [])
    .filter(({ id }) => isOffered(id))
    .map(({ id, name, entries }) => ({ value: id, label: name, count: number(entries) }));
  return (
    <Combobox
      label={label}
      placeholder={text.choose}
      options={options}
      empty={text.none}
      selected={chosen.filter(isOffered).map((id) => ({ value: id, label: listName(id) }))}
      onSelect={({ value }) => change((draft) => setLists(draft, member, [...chosen, value]))}
      onRemove={(gone) =>
        change((draft) =>
          setLists(
            draft,
            member,
            chosen.filter((id) => id !== gone),
          ),
        )
      }
    />
  );
}

/** Sets a list filter; removes the member if empty. */
function setLists({ filters }: { filters: Filters }, member: Member, ids: string[]): void {
  const { [member]: _, ...other } = filters.lists ?? {};
  const lists = ids.length === 0 ? other : { ...other, [member]: ids };
  if (Object.keys(lists).length === 0) delete filters.lists;
  else filters.lists = lists;
}
