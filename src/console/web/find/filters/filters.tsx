/**
 * The filter form, next to the results or in a sheet: groups, each with its number of set filters
 * and a clear button.
 * Invariant: the form shows the query. Every control reads it and changes it only to valid values.
 */
import type { ComponentType, VNode } from "preact";
import { number } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Sheet } from "../../parts/dialog.tsx";
import { clearAll, exploration, query } from "../query.ts";
import { FilterActivity } from "./activity.tsx";
import { FilterCompany } from "./company.tsx";
import { FilterContact } from "./contact.tsx";
import { FilterGroup, LazyGroup } from "./group.tsx";
import { countAll, GROUPS, type GroupName } from "./groups.ts";
import { FilterOpened } from "./opened.tsx";
import { FilterPlace } from "./place.tsx";

const BODIES: Readonly<Record<GroupName, ComponentType>> = {
  activity: FilterActivity,
  place: FilterPlace,
  company: FilterCompany,
  opened: FilterOpened,
  contact: FilterContact,
  record: () => <LazyGroup name="record" />,
  capital: () => <LazyGroup name="capital" />,
  name: () => <LazyGroup name="name" />,
  lists: () => <LazyGroup name="lists" />,
};

/** The whole form. */
export function Filters(): VNode {
  return (
    <div class="filters">
      <FiltersHead />
      <FilterGroups />
    </div>
  );
}

function FiltersHead(): VNode {
  const { find } = words.value;
  const count = countAll(query.value);
  return (
    <div class="filters-head">
      <h2>{find.filters}</h2>
      <span class="filters-count">{find.filtersActive(count)}</span>
      <Button small variant="quiet" aria-disabled={count === 0} onClick={clearAll}>
        {find.clearAll}
      </Button>
    </div>
  );
}

function FilterGroups(): VNode {
  return (
    <>
      {GROUPS.map((name) => {
        const Body = BODIES[name];
        return (
          <FilterGroup key={name} name={name}>
            <Body />
          </FilterGroup>
        );
      })}
      <FilterGroup name="order">
        <LazyGroup name="order" />
      </FilterGroup>
    </>
  );
}

/** The form in a sheet, whose close button shows the number of matches. */
export function FilterSheet({ open, onClose }: { open: boolean; onClose: () => void }): VNode {
  const { find } = words.value;
  const { answer } = exploration.value;
  const total = answer === null ? "…" : `${number(answer.total)} ${find.total(answer.total)}`;
  const footer = (
    <>
      <Button onClick={clearAll}>{find.clearAll}</Button>
      <Button variant="primary" onClick={onClose}>
        {find.filtersShow(total)}
      </Button>
    </>
  );
  return (
    <Sheet open={open} title={find.filters} onClose={onClose} footer={footer}>
      <div class="filters">
        <FilterGroups />
      </div>
    </Sheet>
  );
}
