/**
 * Shows usage per day and sender, from `GET /usage`: three charts with one legend, or the same
 * numbers as a table. Each entry of the legend is a button that hides its sender.
 * Invariant: the history begins with the first day of use, or a week ago if that is earlier.
 * Charts, sums, and table omit hidden senders. The last row of each table contains the sums of the
 * rows above it. All senders have a name. Days are UTC days, as on the server.
 */
import { type Signal, useSignal } from "@preact/signals";
import { OTHER_SENDERS, type UsageAnswer } from "../app/answers.ts";
import { hourOf, number } from "../app/format.ts";
import { language } from "../app/language.ts";
import { lazyWords } from "../app/lazywords.ts";
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

/** The history of a tenant's usage. */
export function UsageHistory({ answer: whole }: { answer: UsageAnswer }) {
  const answer = sinceFirstUse(whole);
  const hidden = useSignal<readonly string[]>([]);
  const asTable = useSignal(false);
  const { usage } = lazyWords.value;
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
  const { usage } = lazyWords.value;
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
  const { usage } = lazyWords.value;
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
  const { usage } = lazyWords.value;
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

/** Shows the sum of all days, or of the day under the pointer with each sender's share. */
function Reading({ days, layers, measure, day }: ReadingProps) {
  const { usage } = lazyWords.value;
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

function UsageTable({ days, layers }: { days: readonly string[]; layers: readonly Layer[] }) {
  const { usage } = lazyWords.value;
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
  const { usage } = lazyWords.value;
  return (
    // A scrolling region must be reachable by keyboard.
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
            // Rows are identified by number, because two API keys may have the same name.
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

/** Returns the name of a layer's sender, or the sender's kind if it has no name. */
function senderName(layer: Layer): string {
  const { usage } = lazyWords.value;
  const [first] = layer.senders;
  if (layer.senders.length > 1) return usage.othersOf(number(layer.senders.length));
  if (first?.id === OTHER_SENDERS) return usage.others;
  if (first === undefined || first.name !== "") return first?.name ?? "";
  return first.kind === "key" ? usage.unnamedKey : usage.goneUser;
}

/** Names a measure. */
function measureName(measure: Measure): string {
  const { usage } = lazyWords.value;
  return { requests: usage.requests, accounts: usage.accounts, export_rows: usage.exportRows }[
    measure
  ];
}

/** Formats a day, optionally with its year. */
function dayName(iso: string, withYear = false): string {
  const instant = new Date(`${iso}T00:00:00Z`);
  if (Number.isNaN(instant.getTime())) return iso;
  const year = withYear ? ({ year: "numeric" } as const) : {};
  const options = { day: "numeric", month: "short", timeZone: "UTC", ...year } as const;
  return new Intl.DateTimeFormat(language.value === "pt" ? "pt-BR" : "en-GB", options).format(
    instant,
  );
}
