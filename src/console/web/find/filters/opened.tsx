/**
 * The opening dates. What comes in: the query. What goes out: from and to, both days included, or
 * one of the usual spans, reckoned from the day of the snapshot.
 * Invariant: the spec's end is the first day that is not included; a month or a year is its first
 * or last day, shown once the field is left; a date that is not possible is shown at its field and
 * changes nothing.
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

/** From, to, and usual spans. */
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
  /** Which day of a month or year that is typed is meant. */
  end: "first" | "last";
  /** The day may not be before this one. */
  after?: string;
}

/**
 * One date; what is typed and cannot be is kept in the box. The browser's own field would follow
 * the language of the browser and not that of the page.
 */
function Day({ label, day, onDay, error, end, after = "" }: DayProps): VNode {
  const { find } = words.value;
  const [text, setText] = useState(dayTyped(day));
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    // What somebody types is not written anew under the cursor.
    setText((typed) => (readDay(typed) === day ? typed : dayTyped(day)));
    setWrong(null);
  }, [day]);
  const read = (typed: string) => {
    setText(typed);
    const found = typed.trim() === "" ? "" : readDay(typed);
    if (found === null) {
      // Half a date is no mistake while it is typed.
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

/** Usual spans; the one that is asked for is marked. */
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
