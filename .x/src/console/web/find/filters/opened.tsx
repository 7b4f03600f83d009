/**
 * The filter on opening dates: from and to, both inclusive, or a preset span, relative to the
 * snapshot's date.
 * Invariant: the spec's end is exclusive. A month or year becomes its first or last day, shown when
 * the field loses focus. An impossible date is reported at its field and changes nothing.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { TextInput } from "../../parts/field.tsx";
import { change, exploration, query } from "../query.ts";
import { dayTyped, readDay, readSpan, shiftDays, shiftMonths } from "./days.ts";
import { mistakeAt } from "./fielderrors.tsx";

/** Length of `01/01/2020`. */
const WHOLE_LENGTH = 10;

/** From, to, and presets. */
export function FilterOpened(): VNode {
  const { find } = words.value;
  const { started_after: after, started_before: before } = query.value.filters.company;
  const from = after ?? "";
  const to = before === null ? "" : shiftDays(before, -1);
  const setFrom = (day: string) =>
    change(
      ({ filters }) => {
        filters.company.started_after = day === "" ? null : day;
      },
      { typing: "opened from" },
    );
  const setTo = (day: string) =>
    change(
      ({ filters }) => {
        filters.company.started_before = day === "" ? null : shiftDays(day, 1);
      },
      { typing: "opened to" },
    );
  return (
    <>
      <div class="pair">
        <Day
          label={find.openedFrom}
          day={from}
          onDay={setFrom}
          end="first"
          error={mistakeAt("company/started_after")}
        />
        <Day
          label={find.openedTo}
          day={to}
          onDay={setTo}
          end="last"
          after={from}
          error={mistakeAt("company/started_before")}
        />
      </div>
      <Presets from={from} to={to} />
    </>
  );
}

interface DayProps {
  label: string;
  day: string;
  onDay: (day: string) => void;
  error: string | null;
  /** Day to use for a typed month or year. */
  end: "first" | "last";
  /** Earliest allowed day. */
  after?: string;
}

/**
 * A field for a date; an invalid text stays in the box. The browser's own date field would use the
 * browser's language, not the page's.
 */
function Day({ label, day, onDay, error, end, after = "" }: DayProps): VNode {
  const { find } = words.value;
  const [text, setText] = useState(dayTyped(day));
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    // A text being typed is not reformatted.
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

/** Presets; the current one is marked. */
function Presets({ from, to }: { from: string; to: string }): VNode | null {
  const { find } = words.value;
  const today = exploration.value.answer?.snapshot_date;
  if (today === undefined) return null;
  const spans: [label: string, from: string, to: string][] = [
    [find.openedLastMonths(3), shiftMonths(today, -3), ""],
    [find.openedLastMonths(12), shiftMonths(today, -12), ""],
    [find.openedLastYears(5), shiftMonths(today, -60), ""],
    [find.openedOlder(10), "", shiftMonths(today, -120)],
  ];
  return (
    <fieldset class="presets">
      <legend class="visually-hidden">{find.openedPresets}</legend>
      {spans.map(([label, begin, end]) => {
        const chosen = from === begin && to === end;
        return (
          <Button
            key={label}
            small
            aria-pressed={chosen}
            class="preset"
            onClick={() =>
              change(({ filters: { company } }) => {
                company.started_after = chosen || begin === "" ? null : begin;
                company.started_before = chosen || end === "" ? null : shiftDays(end, 1);
              })
            }
          >
            {label}
          </Button>
        );
      })}
    </fieldset>
  );
}
