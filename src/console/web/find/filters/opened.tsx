/**
 * The filters on the day of opening and on days of other events. Users type the first and the last
 * day, or press a button for a span that ends at the snapshot's date.
 * Invariant: the last day is inclusive in the form and exclusive in the spec. When a field loses
 * focus, a typed month or year becomes its first day (first field) or its last day (second field).
 * An impossible date is reported at its field and changes nothing.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Filters } from "../../app/answers.ts";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { TextInput } from "../../parts/field.tsx";
import { change, exploration, query } from "../query.ts";
import { dayTyped, readDay, readSpan, shiftDays, shiftMonths } from "./days.ts";
import { mistakeAt } from "./fielderrors.tsx";

/** Length of `01/01/2020`. */
const WHOLE_LENGTH = 10;

/** A filter on opening dates. */
export function FilterOpened(): VNode {
  return <DaySpan since="started_after" before="started_before" presets={[3, 12, 60, -120]} />;
}

/** Members of the query for the start and the end of each range of days. The end is exclusive. */
const ENDS = [
  "started_after",
  "started_before",
  "status_since",
  "status_before",
  "simples_excluded_since",
  "simples_excluded_before",
  "mei_excluded_since",
  "mei_excluded_before",
] as const;
type End = (typeof ENDS)[number];

interface DaySpanProps {
  since: End;
  before: End;
  /** Preset ranges in months: 3 means the last three months, and -3 means all days before them. */
  presets: readonly number[];
}

/** Shows fields for the first and last day, and buttons for preset spans. */
export function DaySpan({ since, before, presets }: DaySpanProps): VNode {
  const { find } = words.value;
  const { company } = query.value.filters;
  const from = company[since] ?? "";
  const end = company[before] ?? "";
  const to = end === "" ? "" : shiftDays(end, -1);
  const set = (days: Partial<Record<End, string>>, typing?: string) =>
    change(({ filters }) => setDays(filters.company, days), typing ? { typing } : {});
  const after = (day: string) => (day === "" ? "" : shiftDays(day, 1));
  return (
    <>
      <div class="pair">
        <Day
          label={find.openedFrom}
          day={from}
          onDay={(day) => set({ [since]: day }, since)}
          end="first"
          error={mistakeAt(`company/${since}`)}
        />
        <Day
          label={find.openedTo}
          day={to}
          onDay={(day) => set({ [before]: after(day) }, before)}
          end="last"
          after={from}
          error={mistakeAt(`company/${before}`)}
        />
      </div>
      <Presets
        months={presets}
        from={from}
        to={to}
        onSpan={(begin, last) => set({ [since]: begin, [before]: after(last) })}
      />
    </>
  );
}

/**
 * Sets days, or clears those with an empty text. A cleared opening day becomes null, as in the
 * first version of specs. Other cleared days are removed from the query.
 */
function setDays(company: Filters["company"], days: Partial<Record<End, string>>): void {
  for (const end of ENDS) {
    const day = days[end];
    if (day === undefined) continue;
    if (day !== "") company[end] = day;
    else if (end === "started_after" || end === "started_before") company[end] = null;
    else delete company[end];
  }
}

interface DayProps {
  label: string;
  day: string;
  onDay: (day: string) => void;
  error: string | null;
  /** Says whether a typed month or year means its first or its last day. */
  end: "first" | "last";
  /** Earliest allowed day. */
  after?: string;
}

/**
 * A field for a date. An invalid text stays in the box. The browser's own date field would use the
 * browser's language, not the page's.
 */
function Day({ label, day, onDay, error, end, after = "" }: DayProps): VNode {
  const { find } = words.value;
  const [text, setText] = useState(dayTyped(day));
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    // A text is not reformatted while the user types it.
    setText((typed) => (readDay(typed) === day ? typed : dayTyped(day)));
    setWrong(null);
  }, [day]);
  const read = (typed: string) => {
    setText(typed);
    const found = typed.trim() === "" ? "" : readDay(typed);
    if (found === null) {
      // An incomplete date is no mistake yet.
      return setWrong(typed.trim().length < WHOLE_LENGTH ? null : find.openedWrong);
    }
    if (found !== "" && found < after) return setWrong(find.openedOrder);
    setWrong(null);
    onDay(found);
  };
  const leave = () => {
    const found = text.trim() === "" ? "" : readSpan(text, end);
    if (found === null) setWrong(find.openedWrong);
    else if (found !== "" && found < after) setWrong(find.openedOrder);
    else {
      setWrong(null);
      setText(dayTyped(found));
      onDay(found);
    }
  };
  return (
    <TextInput
      label={label}
      placeholder={find.dayForm}
      inputMode="numeric"
      autocomplete="off"
      value={text}
      error={wrong ?? error}
      onValue={read}
      onBlur={leave}
      onKeyDown={({ key }) => key === "Enter" && leave()}
    />
  );
}

interface PresetsProps {
  months: readonly number[];
  from: string;
  to: string;
  onSpan: (from: string, to: string) => void;
}

function Presets({ months, from, to, onSpan }: PresetsProps): VNode | null {
  const { find } = words.value;
  const today = exploration.value.answer?.snapshot_date;
  if (today === undefined) return null;
  return (
    <fieldset class="presets">
      <legend class="visually-hidden">{find.openedPresets}</legend>
      {months.map((by) => {
        const day = shiftMonths(today, -Math.abs(by));
        const [begin, end] = by > 0 ? [day, ""] : ["", day];
        const chosen = from === begin && to === end;
        return (
          <Button
            key={by}
            small
            aria-pressed={chosen}
            class="preset"
            onClick={() => (chosen ? onSpan("", "") : onSpan(begin, end))}
          >
            {presetName(by)}
          </Button>
        );
      })}
    </fieldset>
  );
}

function presetName(months: number): string {
  const { find } = words.value;
  if (months < 0) return find.openedOlder(-months / 12);
  return months > 12 ? find.openedLastYears(months / 12) : find.openedLastMonths(months);
}
