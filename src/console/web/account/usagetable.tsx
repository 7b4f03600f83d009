/**
 * Usage as a table, and the names that table and charts use for senders, measures and days. Input:
 * days and the layers that are shown. Output: one row per day, newest first, with the sum of each
 * measure, and one row per sender below.
 * Invariant: the last row of each part is the sum of those above it. Nothing is without a name;
 * days are days in UTC, as the server counts them.
 */

import { OTHER_SENDERS } from "../app/answers.ts";
import { language, number } from "../app/format.ts";
import { laterWords } from "../app/laterwords.ts";
import { type Layer, MEASURES, type Measure, sum, valuesOf } from "./layers.ts";

/** The numbers of the charts. */
export function UsageTable({
  days,
  layers,
}: {
  days: readonly string[];
  layers: readonly Layer[];
}) {
  const { usage } = laterWords.value;
  const perDay = new Map(
    MEASURES.map((measure) => [measure, dailySums(days.length, layers, measure)]),
  );
  const newest = days.map((day, at) => ({ day, at })).toReversed();
  return (
    <div class="usage-tables">
      <Numbers
        head={usage.senders}
        rows={layers.map((layer) => ({
          name: senderName(layer),
          numbers: MEASURES.map((measure) => sum(valuesOf(layer, measure))),
        }))}
      />
      <Numbers
        head={usage.day}
        rows={newest.map(({ day, at }) => ({
          name: dayName(day, true),
          numbers: MEASURES.map((measure) => perDay.get(measure)?.[at] ?? 0),
        }))}
      />
    </div>
  );
}

interface NumbersProps {
  readonly head: string;
  readonly rows: readonly { readonly name: string; readonly numbers: readonly number[] }[];
}

function Numbers({ head, rows }: NumbersProps) {
  const { usage } = laterWords.value;
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="chart-scroll" tabIndex={0} aria-label={head}>
      <table class="chart-table">
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {MEASURES.map((measure) => (
              <th key={measure} scope="col">
                {measureName(measure)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, numbers }, row) => (
            // Two keys may have the same name.
            <tr key={row}>
              <th scope="row">{name}</th>
              {numbers.map((value, at) => (
                <td key={MEASURES[at]}>{number(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{usage.sum}</th>
            {MEASURES.map((measure, at) => (
              <td key={measure}>{number(sum(rows.map(({ numbers }) => numbers[at] ?? 0)))}</td>
            ))}
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function dailySums(days: number, layers: readonly Layer[], measure: Measure): number[] {
  const all = layers.map((layer) => valuesOf(layer, measure));
  return Array.from({ length: days }, (_, day) => sum(all.map((values) => values[day] ?? 0)));
}

/** What a layer is called; senders without a name say what they are. */
export function senderName(layer: Layer): string {
  const { usage } = laterWords.value;
  const [first] = layer.senders;
  if (layer.senders.length > 1) return usage.othersOf(number(layer.senders.length));
  if (first?.id === OTHER_SENDERS) return usage.others;
  if (first === undefined || first.name !== "") return first?.name ?? "";
  return first.kind === "key" ? usage.unnamedKey : usage.goneUser;
}

/** A measure as people call it. */
export function measureName(measure: Measure): string {
  const { usage } = laterWords.value;
  return { requests: usage.requests, accounts: usage.accounts, export_rows: usage.exportRows }[
    measure
  ];
}

/** A day in short; with its year where that is asked for. */
export function dayName(iso: string, withYear = false): string {
  const instant = new Date(`${iso}T00:00:00Z`);
  if (Number.isNaN(instant.getTime())) return iso;
  const year = withYear ? ({ year: "numeric" } as const) : {};
  const options = { day: "numeric", month: "short", timeZone: "UTC", ...year } as const;
  return new Intl.DateTimeFormat(language.value === "pt" ? "pt-BR" : "en-GB", options).format(
    instant,
  );
}
