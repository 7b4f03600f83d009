/**
 * One group of filters: a collapsible section with its number of set filters and a clear button. A
 * placeholder stands for controls that are still loading, and an error for those that failed.
 * Invariant: a closed group is marked if the sentence or a chart set one of its filters. A
 * group that the user opened or closed stays so. The controls are fetched once for all groups.
 * After a failure, the user can retry.
 */
import { signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId } from "preact/hooks";
import { number } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Skeleton } from "../../parts/busy.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { change, query } from "../query.ts";
import { emptyQuery, sameQuery } from "../question.ts";
import { clearGroup, countSet, type GroupName } from "./groups.ts";

/** Groups that the user opened or closed. */
const chosen = signal<Partial<Record<GroupName | "order", boolean>>>({});

const OPEN_AT_FIRST: readonly string[] = ["activity", "place", "company", "opened", "contact"];

/** Props of a group. */
interface FilterGroupProps {
  name: GroupName | "order";
  children: ComponentChildren;
}

/** A section of the form. */
export function FilterGroup({ name, children }: FilterGroupProps): VNode {
  const { find } = words.value;
  const id = useId();
  const set = name === "order" ? Number(isOrdered()) : countSet(query.value, name);
  const open = chosen.value[name] ?? (OPEN_AT_FIRST.includes(name) || set > 0);
  const title = find.groups[name];
  const toggle = () => {
    chosen.value = { ...chosen.value, [name]: !open };
  };
  const clear = () =>
    change((draft) => (name === "order" ? unorder(draft) : clearGroup(draft, name)));
  return (
    <section class="group" aria-labelledby={`${id}-title`}>
      <div class="group-head">
        <h3>
          <button
            type="button"
            id={`${id}-title`}
            class="group-toggle"
            aria-expanded={open}
            aria-controls={id}
            onClick={toggle}
          >
            <Icon name={open ? "chevronDown" : "chevronRight"} />
            {title}
            {set > 0 && name !== "order" && <span class="group-count">{number(set)}</span>}
          </button>
        </h3>
        {set > 0 && (
          <IconButton small icon="close" label={find.clearGroup(title)} onClick={clear} />
        )}
      </div>
      <div class="group-body" id={id} hidden={!open}>
        {open && children}
      </div>
    </section>
  );
}

function isOrdered(): boolean {
  const { sort, scoring } = emptyQuery();
  return !sameQuery({ ...query.value, sort, scoring }, query.value);
}

function unorder(draft: ReturnType<typeof emptyQuery>): void {
  Object.assign(draft, { sort: emptyQuery().sort, scoring: emptyQuery().scoring });
}

type Closed = typeof import("./closed.tsx")["CLOSED"];

const part = signal<Closed | null>(null);
const failure = signal<unknown>(null);

async function load(): Promise<void> {
  if (part.peek() !== null) return;
  failure.value = null;
  try {
    part.value = (await import("../../app/later.ts")).CLOSED;
  } catch (error) {
    failure.value = error;
  }
}

/** Shows the controls of an initially closed group, which are loaded on demand. */
export function LazyGroup({ name }: { name: keyof Closed }): VNode {
  useEffect(() => void load(), []);
  const Body = part.value?.[name];
  if (Body !== undefined) return <Body />;
  if (failure.value === null) return <Skeleton lines={2} height={64} />;
  return <ErrorNotice error={failure.value} onRetry={() => void load()} />;
}
