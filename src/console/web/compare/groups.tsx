/**
 * Shows a group of a comparison: its description, and controls that change it. They are a sentence,
 * a saved search, the state, MEI, and the month of opening. Also suggests a second group.
 * Invariant: a control changes only its own filter. A sentence or a saved search replaces the
 * group. Other filters are edited in the find view, which opens with the group.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { UFS } from "../../../spec/fields.ts";
import type { OpenedSearch, SearchList, TranslateAnswer } from "../app/answers.ts";
import { get, post } from "../app/api.ts";
import { list, month } from "../app/format.ts";
import { language } from "../app/language.ts";
import { lazyWords } from "../app/lazywords.ts";
import { Link } from "../app/router.ts";
import { status } from "../app/status.ts";
import { summaryOf } from "../exports/summary.ts";
import { catalog } from "../find/catalog.ts";
import { stateName } from "../find/filters/filterwords.ts";
import { emptyQuery, type Query, queryOf } from "../find/question.ts";
import { Button } from "../parts/button.tsx";
import { Select, TextInput } from "../parts/field.tsx";
import { useAnswer } from "../parts/load.ts";
import { ErrorNotice } from "../parts/notice.tsx";
import { addressOfQuery, type Comparison } from "./address.ts";

/** Props of a group. */
interface GroupProps {
  readonly name: string;
  readonly query: Query;
  readonly set: (query: Query) => void;
  /** Month of the group, null for the served one. Missing if the month cannot be chosen. */
  readonly month?: string | null;
  readonly setMonth?: (month: string | null) => void;
}

/** Shows a group with its controls. */
export function Group({ name, query, set, month: counted = null, setMonth }: GroupProps): VNode {
  const { compare } = lazyWords.value;
  const book = catalog.value;
  const { snapshot = "", changes_since: older = [] } = status.value ?? {};
  const edit = (change: (draft: Query) => void) => {
    const draft = structuredClone(query);
    change(draft);
    set(draft);
  };
  return (
    <section class="card compare-group" aria-label={name}>
      <div class="card-head">
        <h2>{name}</h2>
        <Link view="find" hash={`#${addressOfQuery(query, book?.lookup ?? null)}`}>
          {compare.edit}
        </Link>
      </div>
      <p class="compare-summary">{summaryOf(query, book)}</p>
      <div class="compare-controls">
        <StateSelect query={query} edit={edit} />
        <Select
          label={compare.mei}
          value={String(query.filters.company.mei_opt_in)}
          onValue={(value) =>
            edit((draft) => {
              draft.filters.company.mei_opt_in = value === "null" ? null : value === "true";
            })
          }
          options={[
            { value: "null", label: compare.any },
            { value: "true", label: compare.onlyMei },
            { value: "false", label: compare.noMei },
          ]}
        />
        <MonthSelect query={query} edit={edit} />
        <SavedSelect set={set} />
        {setMonth && older.length > 0 && (
          <Select
            label={compare.presentIn}
            value={counted ?? ""}
            onValue={(label) => setMonth(label === "" ? null : label)}
            options={[
              { value: "", label: month(snapshot ?? "") },
              ...older.map((label) => ({ value: label, label: month(label) })),
            ]}
          />
        )}
      </div>
      <Sentence set={set} />
    </section>
  );
}

interface EditProps {
  readonly query: Query;
  readonly edit: (change: (draft: Query) => void) => void;
}

function StateSelect({ query, edit }: EditProps): VNode {
  const { compare } = lazyWords.value;
  const { uf_any_of: states } = query.filters.geo;
  const several =
    states.length > 1 ? [{ value: "several", label: list(states.map(stateName)) }] : [];
  return (
    <Select
      label={compare.state}
      value={states.length > 1 ? "several" : (states[0] ?? "")}
      onValue={(uf) => uf !== "several" && edit((draft) => moveTo(draft, uf))}
      options={[
        { value: "", label: compare.any },
        ...several,
        ...UFS.map((uf) => ({ value: uf, label: stateName(uf) })),
      ]}
    />
  );
}

/** Moves a group to a state; removes places in other states. */
function moveTo(draft: Query, uf: string): void {
  const { geo } = emptyQuery().filters;
  draft.filters.geo = { ...geo, uf_any_of: uf === "" ? [] : [uf] };
}

/** Returns the first days of months: the snapshot's month and earlier ones. */
function monthsBack(label: string, count: number): readonly (readonly [string, string])[] {
  const [year = 0, at = 0] = label.split("-").map(Number);
  const first = (back: number) =>
    new Date(Date.UTC(year, at - 1 - back, 1)).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, back) => [first(back), first(back - 1)] as const);
}

function MonthSelect({ query, edit }: EditProps): VNode {
  const { compare } = lazyWords.value;
  const { started_after: from, started_before: to } = query.filters.company;
  const months = monthsBack(status.value?.snapshot ?? "2026-01", 13);
  const known = months.findIndex((span) => span[0] === from && span[1] === to);
  const isOther = known < 0 && (from !== null || to !== null);
  return (
    <Select
      label={compare.opened}
      value={isOther ? "other" : String(known)}
      onValue={(value) =>
        edit(({ filters: { company } }) => {
          const [after = null, before = null] = months[Number(value)] ?? [];
          Object.assign(company, { started_after: after, started_before: before });
        })
      }
      options={[
        { value: "-1", label: compare.any },
        ...(isOther ? [{ value: "other", label: compare.otherDays }] : []),
        ...months.map(([day], at) => ({ value: String(at), label: month(day.slice(0, 7)) })),
      ]}
    />
  );
}

function SavedSelect({ set }: Pick<GroupProps, "set">): VNode | null {
  const { compare } = lazyWords.value;
  const { answer } = useAnswer<SearchList>("/searches?limit=100");
  const [error, setError] = useState<unknown>(null);
  if (answer === null || answer.searches.length === 0) return null;
  const open = (id: string) => {
    if (id === "") return;
    get<{ search: OpenedSearch }>(`/searches/${id}`).then(
      ({ search }) => set(queryOf(search.spec)),
      setError,
    );
  };
  return (
    <>
      <Select
        label={compare.saved}
        value=""
        onValue={open}
        options={[
          { value: "", label: compare.choose },
          ...answer.searches.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}

function Sentence({ set }: Pick<GroupProps, "set">): VNode {
  const { compare } = lazyWords.value;
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async () => {
    setBusy(true);
    setError(null);
    try {
      const question = { query_text: typed, language: language.peek() };
      set(queryOf((await post<TranslateAnswer>("/translate", question)).spec));
      setTyped("");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="compare-sentence"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== "") void send();
      }}
    >
      <TextInput label={compare.sentence} value={typed} onValue={setTyped} />
      <Button type="submit" busy={busy}>
        {compare.use}
      </Button>
      {error !== null && <ErrorNotice error={error} />}
    </form>
  );
}

interface SuggestionsProps {
  readonly first: Query;
  readonly set: (changes: Partial<Comparison>) => void;
}

/** Suggests groups to compare with the first one. */
export function Suggestions({ first, set }: SuggestionsProps): VNode {
  const { compare } = lazyWords.value;
  const { snapshot: served, changes_since: [before] = [] } = status.value ?? {};
  const copy = (change: (draft: Query) => void) => {
    const draft = structuredClone(first);
    change(draft);
    return draft;
  };
  const opened = (back: number) =>
    copy(({ filters: { company } }) => {
      const [after = null, before = null] = monthsBack(served ?? "", back + 1)[back] ?? [];
      Object.assign(company, { started_after: after, started_before: before });
    });
  const mei = (value: boolean) =>
    copy((draft) => {
      draft.filters.company.mei_opt_in = value;
    });
  return (
    <section class="card compare-group" aria-label={compare.groupNamed(2)}>
      <div class="card-head">
        <h2>{compare.groupNamed(2)}</h2>
      </div>
      <p>{compare.suggest}</p>
      <StateSelect
        query={emptyQuery()}
        edit={(change) => {
          const place = emptyQuery();
          change(place);
          const second = copy((draft) => {
            draft.filters.geo = place.filters.geo;
          });
          set({ second });
        }}
      />
      <div class="compare-suggestions">
        <Button onClick={() => set({ first: mei(true), second: mei(false) })}>
          {compare.meiAndNot}
        </Button>
        {served && before && (
          <Button onClick={() => set({ second: first, month: before })}>
            {compare.presentBefore(month(served), month(before))}
          </Button>
        )}
        {served && (
          <Button onClick={() => set({ first: opened(0), second: opened(1) })}>
            {compare.monthBefore}
          </Button>
        )}
        <Button onClick={() => set({ second: emptyQuery() })}>{compare.registry}</Button>
      </div>
      {served && !before && <p class="field-hint">{compare.oneMonth(month(served))}</p>}
      <SavedSelect set={(second) => set({ second })} />
      <Sentence set={(second) => set({ second })} />
    </section>
  );
}
