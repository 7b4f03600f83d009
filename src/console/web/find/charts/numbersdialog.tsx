/**
 * The dialog that lists all values of a chart in a table, which users can search, copy, and save.
 * For opening and closing days, users choose between years, quarters, and months.
 * Invariant: the table, the copied text, and the saved files hold the same values. The dialog draws
 * the first 200 lines, and a button draws more. The copied text always has all lines.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { month, number, percent } from "../../app/format.ts";
import { lazyWords } from "../../app/lazywords.ts";
import { words } from "../../app/words.ts";
import { Busy } from "../../parts/busy.tsx";
import { Button, copyText } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Segmented, TextInput } from "../../parts/field.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { csvOf, type Lines, type NumbersQuestion, tabbed } from "./lines.ts";
import { factsOf, fetchLines, fileName, saveFile, saveNumbers } from "./numbers.ts";
import {
  type CalendarSpan,
  countedStatus,
  type Event,
  periodLines,
  periodQuestion,
} from "./periods.ts";

/** Number of lines drawn at first, and added by each press of the button that shows more. */
const DRAWN = 200;

interface NumbersDialogProps {
  readonly numbers: NumbersQuestion;
  readonly onClose: () => void;
}

/** The dialog. */
export function NumbersDialog({ numbers, onClose }: NumbersDialogProps): VNode {
  const { numbers: text } = lazyWords.value;
  const [period, setPeriod] = useState<CalendarSpan>("year");
  const [event, setEvent] = useState<Event>("opened");
  const dated = numbers.facets[0] === "started_year";
  const question = dated ? periodQuestion(numbers, event, period) : numbers;
  const { lines: fetched, error, retry } = useLines(question);
  const lines = fetched && dated ? periodLines(fetched, event) : fetched;
  const title = dated ? text.events[event] : numbers.title;
  const save = (format: "csv" | "xlsx") => () => {
    if (!dated || format === "xlsx")
      return void saveNumbers({ ...question, title: dated ? `${title} ${period}` : title }, format);
    if (lines === null) return;
    const facts = [...factsOf(title, question.spec), [countedStatus(numbers, event)]];
    saveFile(csvOf(lines, facts), fileName(`${title} ${period}`, "csv"));
  };
  const footer = (
    <>
      <Button icon="copy" disabled={!lines} onClick={() => lines && void copyText(tabbed(lines))}>
        {text.copy}
      </Button>
      <Button icon="file" disabled={!lines} onClick={save("csv")}>
        CSV
      </Button>
      <Button icon="table" disabled={!lines} onClick={save("xlsx")}>
        XLSX
      </Button>
    </>
  );
  return (
    <Dialog open size="large" title={title} onClose={onClose} footer={footer}>
      {dated && (
        <div class="numbers-choices">
          <Segmented
            legend={text.event}
            value={event}
            onValue={setEvent}
            options={choices(text.events)}
          />
          <Segmented
            legend={text.period}
            value={period}
            onValue={setPeriod}
            options={choices(text.periods)}
          />
        </div>
      )}
      {dated && <p class="field-hint">{countedStatus(numbers, event)}</p>}
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      {lines === null && error === null && <Busy />}
      {lines !== null && <NumbersTable lines={lines} title={title} searchable={!dated} />}
    </Dialog>
  );
}

function choices<Name extends string>(named: Readonly<Record<Name, string>>) {
  return (Object.keys(named) as Name[]).map((value) => ({ value, label: named[value] }));
}

function useLines(question: NumbersQuestion) {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ key: string; lines: Lines | null; error: unknown }>();
  const key = JSON.stringify(question);
  useEffect(() => {
    const abort = new AbortController();
    fetchLines(question, abort.signal).then(
      (lines) => setState({ key, lines, error: null }),
      (error: unknown) => !abort.signal.aborted && setState({ key, lines: null, error }),
    );
    return () => abort.abort();
  }, [key, turn]);
  const own = state?.key === key ? state : undefined;
  const retry = () => {
    setState(undefined);
    setTurn(turn + 1);
  };
  return { lines: own?.lines ?? null, error: own?.error ?? null, retry };
}

interface TableProps {
  readonly lines: Lines;
  readonly title: string;
  readonly searchable?: boolean;
}

/** Shows lines as a table. The last two cells of each line are a count and a share. */
function NumbersTable({ lines, title, searchable = false }: TableProps): VNode {
  const { numbers: text } = lazyWords.value;
  const [typed, setTyped] = useState("");
  const [drawn, setDrawn] = useState(DRAWN);
  const wanted = folded(typed);
  const cells = lines.head.length - 2;
  const found = lines.body.filter((line) =>
    line.slice(0, cells).some((cell) => folded(cell).includes(wanted)),
  );
  const short = isOneField(lines);
  const shown = (line: readonly string[], name: string) =>
    short ? [name, ...line.slice(cells)] : line;
  const head = shown(lines.head, title);
  const first = head.length - 2;
  return (
    <div class="numbers">
      {searchable && lines.body.length > 20 && (
        <TextInput label={text.search} value={typed} onValue={setTyped} type="search" />
      )}
      <p class="field-hint" role="status">
        {text.lines(found.length)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section class="numbers-scroll" aria-label={title} tabIndex={0}>
        <table class="data-table numbers-table">
          <thead>
            <tr>
              {head.map((name, at) => (
                <th key={name} scope="col" data-number={at >= first}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, drawn).map((line) => (
              <tr key={line.join(" ")}>
                {shown(line, line[2] || line[1] || String(line[0])).map((cell, at) => (
                  <td key={head[at]} data-number={at >= first}>
                    {shownCell(cell, at - first)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {found.length > drawn && (
        <Button onClick={() => setDrawn(drawn + DRAWN)}>
          {text.more(Math.min(DRAWN, found.length - drawn))}
        </Button>
      )}
      {found.length === 0 && <p>{words.value.charts.nothing}</p>}
    </div>
  );
}

/**
 * True if all lines, except the first with the total, list values of the same field. The table then
 * leaves out the column with the field's name.
 */
function isOneField({ head, body }: Lines): boolean {
  return head.length === 5 && new Set(body.slice(1).map(([field]) => field)).size === 1;
}

/**
 * Formats a cell. `at` is 0 for a count, 1 for a share, and negative for any other cell, in which a
 * month ("2024-05") is shown in words.
 */
function shownCell(cell: string, at: number): string {
  if (at < 0) return /^\d{4}-\d\d$/.test(cell) ? month(cell) : cell;
  const value = Number(cell.replace(",", "."));
  return at === 0 ? number(value) : percent(value);
}

function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
