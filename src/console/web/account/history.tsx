/**
 * Usage per day and sender. What comes in: the answer of `GET /usage`. What goes out: three charts
 * with one legend, whose buttons hide senders, and the same numbers as a table.
 * Invariant: it begins with the first day that was used, at least a week ago. A hidden sender is
 * left out of charts, sums and table alike.
 */
import { type Signal, useSignal } from "@preact/signals";
import type { UsageAnswer } from "../app/answers.ts";
import { hourOf, number } from "../app/format.ts";
import { laterWords } from "../app/laterwords.ts";
import { EmptyState } from "../parts/notice.tsx";
import {
  type Layer,
  layersOf,
  MEASURES,
  type Measure,
  sinceFirstUse,
  sum,
  valuesOf,
} from "./layers.ts";
import { Plot } from "./plot.tsx";
import { dayName, measureName, senderName } from "./usagenames.ts";
import { UsageTable } from "./usagetable.tsx";

/** The history of a tenant's usage. */
export function UsageHistory({ answer: whole }: { answer: UsageAnswer }) {
  const answer = sinceFirstUse(whole);
  const hidden = useSignal<readonly string[]>([]);
  const asTable = useSignal(false);
  const { usage } = laterWords.value;
  const layers = layersOf(answer.senders);
  if (layers.length === 0) {
    return (
      <EmptyState icon="info" title={usage.nothingTitle}>
        <p>{usage.nothing}</p>
      </EmptyState>
    );
  }
  const shown = layers.filter(({ id }) => !hidden.value.includes(id));
  const table = asTable.value;
  return (
    <section class="usage-history" aria-labelledby="usage-history">
      <header class="usage-head">
        <div>
          <h2 id="usage-history">{usage.whole(number(answer.days.length))}</h2>
          <p class="usage-note">{intro(answer.days)}</p>
        </div>
        <button
          type="button"
          class="button button-secondary button-small"
          aria-pressed={table}
          onClick={() => {
            asTable.value = !asTable.value;
          }}
        >
          {usage.asTable}
        </button>
      </header>
      <Legend layers={layers} hidden={hidden} />
      {table ? (
        <UsageTable days={answer.days} layers={shown} />
      ) : (
        <Plots days={answer.days} layers={shown} />
      )}
    </section>
  );
}

function intro(days: readonly string[]): string {
  const { usage } = laterWords.value;
  const [first = "", last = first] = [days[0], days.at(-1)];
  const begin = new Date(`${last}T00:00:00Z`);
  const isMidnight = begin.getHours() === 0 && begin.getMinutes() === 0;
  const span = usage.intro(dayName(first, true), dayName(last, true));
  return isMidnight
    ? span
    : `${span}. ${usage.daysBegin(hourOf(begin), begin.getTimezoneOffset() > 0)}`;
}

function Legend({
  layers,
  hidden,
}: {
  layers: readonly Layer[];
  hidden: Signal<readonly string[]>;
}) {
  const { usage } = laterWords.value;
  return (
    <fieldset class="usage-legend">
      <legend class="visually-hidden">{usage.sendersHint}</legend>
      {layers.map((layer) => {
        const off = hidden.value.includes(layer.id);
        return (
          <button
            key={layer.id}
            type="button"
            class="usage-sender"
            aria-pressed={!off}
            onClick={() => {
              hidden.value = off
                ? hidden.value.filter((id) => id !== layer.id)
                : [...hidden.value, layer.id];
            }}
          >
            <span class="usage-swatch" data-layer={layer.colour} />
            {senderName(layer)}
            {layer.senders.length === 1 && (
              <span class="usage-kind">
                {layer.senders[0]?.kind === "key" ? usage.kindKey : usage.kindConsole}
              </span>
            )}
          </button>
        );
      })}
    </fieldset>
  );
}

interface PlotsProps {
  readonly days: readonly string[];
  readonly layers: readonly Layer[];
}

function Plots({ days, layers }: PlotsProps) {
  const day = useSignal<number | null>(null);
  const { usage } = laterWords.value;
  return (
    <div class="usage-plots">
      {MEASURES.map((measure) => {
        const drawn = layers.map((layer) => ({
          colour: layer.colour,
          values: valuesOf(layer, measure),
        }));
        return (
          <section key={measure} class="usage-plot">
            <h3>{usage.perDay(measureName(measure))}</h3>
            <Reading {...{ days, layers, measure, day }} />
            <div class="plot-room">
              <Plot
                days={days.map((one) => dayName(one))}
                layers={drawn}
                label={usage.perDay(measureName(measure))}
                onDay={(at) => {
                  day.value = at;
                }}
              />
            </div>
          </section>
        );
      })}
    </div>
  );
}

interface ReadingProps {
  readonly days: readonly string[];
  readonly layers: readonly Layer[];
  readonly measure: Measure;
  readonly day: Signal<number | null>;
}

/** The sum of all days, or of the one under the pointer with what each sender has in it. */
function Reading({ days, layers, measure, day }: ReadingProps) {
  const { usage } = laterWords.value;
  const at = day.value;
  const values = layers.map((layer) => ({ layer, values: valuesOf(layer, measure) }));
  if (at === null || days[at] === undefined) {
    const total = sum(values.map((one) => sum(one.values)));
    return (
      <p class="plot-reading">
        {usage.sum} <strong>{number(total)}</strong>
      </p>
    );
  }
  return (
    <p class="plot-reading">
      {dayName(days[at])} <strong>{number(sum(values.map((one) => one.values[at] ?? 0)))}</strong>
      {values.map(({ layer, values: numbers }) => (
        <span key={layer.id} class="plot-part">
          <span class="usage-swatch" data-layer={layer.colour} />
          {number(numbers[at] ?? 0)}
        </span>
      ))}
    </p>
  );
}
