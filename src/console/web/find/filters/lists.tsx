/**
 * The list filters: lists in which results must be, and lists in which they must not be.
 * Invariant: a deleted list can still be removed from the query. A filter without lists is absent
 * from the query. A checkbox excludes the accounts that were exported before. So the list of these
 * accounts is not among the lists to exclude.
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
  // A checkbox excludes the list of exported accounts, so it is not also offered here.
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

function setLists({ filters }: { filters: Filters }, member: Member, ids: string[]): void {
  const { [member]: _, ...other } = filters.lists ?? {};
  const lists = ids.length === 0 ? other : { ...other, [member]: ids };
  if (Object.keys(lists).length === 0) delete filters.lists;
  else filters.lists = lists;
}
