/**
 * Usage as a table. What comes in: days and the layers that are shown. What goes out: one row per
 * day, newest first, with the sum of each measure, and one row per sender below.
 * Invariant: the last row of each part is the sum of those above it.
 */
import { number } from "../app/format.ts";
import { laterWords } from "../app/laterwords.ts";
import { type Layer, MEASURES, type Measure, sum, valuesOf } from "./layers.ts";
import { dayName, measureName, senderName } from "./usagenames.ts";

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
