/**
 * The printed results: the query, the count, the charts, and the first rows with untruncated cells.
 * Invariant: if not all rows are printed, the sheet states the total. The usual columns fit the
 * paper, because long e-mail addresses and links are broken. The sheet exists only while printing.
 * If an account is open in the drawer, the account is printed instead.
 */
import { signal, useComputed } from "@preact/signals";
import { options, type VNode } from "preact";
import { useEffect } from "preact/hooks";
import { dayShort, month, number } from "../app/format.ts";
import { status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { summaryOf } from "../exports/summary.ts";
import { catalog } from "./catalog.ts";
import { CHARTS_FROM, Charts } from "./charts/charts.tsx";
import { exploration, sentence } from "./query.ts";
import { choice } from "./table/choice.ts";
import { drawnColumns } from "./table/columnset.ts";
import { choiceFor } from "./table/forquery.ts";
import { opened, shownList } from "./table/list.ts";
import { cellText, columnName } from "./table/values.ts";

/** Max number of printed rows. An export has all rows. */
const ROWS_MAX = 200;
/** Max length of a text that is printed on one line. */
const SHORT_MAX = 18;
/** Min length of a text that needs a wide column. */
const LONG_MIN = 40;
/** From this number of columns on, the print is smaller. */
const MANY_COLUMNS = 8;

const printing = signal(false);

/** Shows the printed sheet while the page is printed. */
export function Printed(): VNode | null {
  useEffect(() => {
    const begin = () => drawNow(true);
    const end = () => drawNow(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  const { answer } = exploration.value;
  if (!printing.value || answer === null || opened.value !== null) return null;
  return (
    <section class="printed">
      <PrintedQuery />
      {answer.total >= CHARTS_FROM && <Charts />}
      <Rows total={answer.total} />
    </section>
  );
}

/** Draws synchronously, because the browser lays out the paper right after the event. */
function drawNow(shown: boolean): void {
  const { debounceRendering } = options;
  options.debounceRendering = (render) => render();
  printing.value = shown;
  options.debounceRendering = debounceRendering;
}

/** The query as a sentence and as filters, its month, and the date. */
function PrintedQuery(): VNode | null {
  const { answer } = exploration.value;
  if (answer === null) return null;
  const { printed } = words.value.table;
  const { find } = words.value;
  const lines: readonly (readonly [name: string, value: string])[] = [
    [printed.sentence, sentence.value],
    [printed.filters, summaryOf(answer.spec, catalog.value)],
    [printed.data, `${month(answer.snapshot)} (${dayShort(answer.snapshot_date)})`],
    [printed.at, dayShort(new Date().toISOString().slice(0, 10))],
  ];
  return (
    <>
      <h2>
        {number(answer.total)} {find.total(answer.total)}
      </h2>
      <dl>
        {lines
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}

/** The first rows with the screen's columns, and the total. */
function Rows({ total }: { total: number }): VNode | null {
  const allowed = useComputed(() => new Set(status.value?.field_allowlist ?? [])).value;
  const list = shownList.value;
  if (list === null || list.stale) return null;
  const { printed } = words.value.table;
  const chosen = choiceFor(choice.value, list.spec.filters);
  const columns = drawnColumns(chosen, allowed).filter(({ id }) => id !== "score");
  const accounts = list.rows.accounts.slice(0, ROWS_MAX);
  return (
    <>
      <table data-many={columns.length >= MANY_COLUMNS}>
        <thead>
          <tr>
            {columns.map(({ id }) => (
              <th key={id} scope="col">
                {columnName(id)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <tr key={account.cnpj}>
              {columns.map(({ id }) => {
                const text = cellText(id, account);
                return (
                  <td
                    key={id}
                    data-short={text.length <= SHORT_MAX}
                    data-long={text.length >= LONG_MIN}
                    data-word={text.length > SHORT_MAX && !text.includes(" ")}
                  >
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {accounts.length < total
          ? printed.some(number(accounts.length), number(total))
          : printed.all(number(total))}
      </p>
    </>
  );
}
