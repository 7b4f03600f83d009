/**
 * Shows how a spreadsheet was understood, and its first rows filled in.
 * Invariant: all data is from the server's answer. Wide tables scroll, also by keyboard. A refused
 * row is shown with its number and the reason, never with a CPF.
 */
import type { VNode } from "preact";
import type { EnrichmentPreview } from "../app/answers.ts";
import { number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { RefusedTable } from "../lists/refused.tsx";
import { Checkbox, Select } from "../parts/field.tsx";
import { Card } from "../parts/page.tsx";
import { type FillChoice, labelsOf, type Reading } from "./choice.ts";

interface UnderstoodProps {
  preview: EnrichmentPreview;
  reading: Reading;
  read: (reading: Reading) => void;
}

/** Shows how the file was read, and lets the user correct it. */
export function Understood({ preview, reading, read }: UnderstoodProps): VNode {
  const { enrich, exports } = lazyWords.value;
  const { format, encoding, delimiter, header, columns } = preview;
  const facts = [
    exports.formats[format]?.[0] ?? format,
    ...(encoding === null ? [] : [encoding.toUpperCase()]),
    ...(delimiter === null ? [] : [enrich.delimiters[delimiter] ?? delimiter]),
    ...sheetFacts(preview),
    header === null ? enrich.noHeader : enrich.header(number(header)),
    exports.rows(preview.rows),
  ];
  const options = columns.map((label, at) => ({ value: String(at + 1), label }));
  const place = String(preview.column + 1);
  const others = preview.column < columns.length ? [] : [{ value: place, label: place }];
  const lost = preview.outcomes.lost_zeros ?? 0;
  return (
    <Card title={enrich.understood}>
      <p class="record-facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      <div class="enrich-reading">
        <Select
          label={enrich.column}
          value={place}
          options={[...options, ...others]}
          onValue={(column) => read({ ...reading, column })}
        />
        <Outcomes preview={preview} />
      </div>
      {(lost > 0 || reading.fillZeros) && (
        <Checkbox
          label={enrich.fillZeros(lost)}
          hint={enrich.fillZerosHint}
          checked={reading.fillZeros}
          onChecked={(fillZeros) => read({ ...reading, fillZeros })}
        />
      )}
      <Refused preview={preview} />
    </Card>
  );
}

/** Returns the sheet, and for several sheets why it is filled in, and how many are not. */
function sheetFacts(preview: EnrichmentPreview): string[] {
  const { enrich } = lazyWords.value;
  const { sheet, sheet_reason: reason, other_sheets: others, hidden_sheets: hidden } = preview;
  if (sheet === null || reason === null) return [];
  const name = enrich.sheet(sheet);
  if (others + hidden === 0) return [name];
  return [
    `${name}, ${enrich.sheetReasons[reason]}`,
    ...(others === 0 ? [] : [enrich.otherSheets(others)]),
    ...(hidden === 0 ? [] : [enrich.hiddenSheets(hidden)]),
  ];
}

/** Shows the number of CNPJs per outcome. */
function Outcomes({ preview }: { preview: EnrichmentPreview }): VNode {
  const { enrich } = lazyWords.value;
  const { outcomes } = preview;
  const { found = 0, head_office = 0, not_in_snapshot = 0, blank = 0 } = outcomes;
  const counts: [string, number][] = [
    [enrich.found, found + head_office],
    [enrich.absent, not_in_snapshot],
    [enrich.refused, refusedOf(preview)],
    [enrich.blank, blank],
  ];
  return (
    <div role="status">
      <dl class="counts enrich-counts">
        {counts.map(([term, count]) => (
          <div key={term} class={count === 0 ? "counts-none" : undefined}>
            <dt>{term}</dt>
            <dd>
              <b>{number(count)}</b>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Returns the number of rows whose cell is not a CNPJ. */
function refusedOf({ outcomes }: EnrichmentPreview): number {
  const read = ["found", "head_office", "not_in_snapshot", "blank"];
  const wrong = Object.entries(outcomes).filter(([outcome]) => !read.includes(outcome));
  return wrong.reduce((sum, [, count = 0]) => sum + count, 0);
}

function Refused({ preview }: { preview: EnrichmentPreview }): VNode | null {
  const { enrich } = lazyWords.value;
  const { refused } = preview;
  if (refused.length === 0) return null;
  const all = refusedOf(preview);
  return (
    <details class="export-more enrich-refused">
      <summary>{enrich.seeRefused(all)}</summary>
      <RefusedTable lines={refused.map(({ row, ...one }) => ({ place: row, ...one }))} all={all} />
    </details>
  );
}

/** Shows the first rows: the columns of the file, the outcome, and the chosen columns. */
export function FirstRows({
  preview,
  choice,
}: {
  preview: EnrichmentPreview;
  choice: FillChoice;
}): VNode {
  const { enrich } = lazyWords.value;
  const { first, columns, column, width, rows, headings } = preview;
  const labels = labelsOf(choice);
  return (
    <div class="enrich-first">
      <h2 id="enrich-first">{enrich.first(number(first.length), number(rows))}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section class="enrich-scroll" aria-labelledby="enrich-first" tabIndex={0}>
        <table class="data-table enrich-table">
          <thead>
            <tr>
              <th scope="col" class="enrich-row">
                {lazyWords.value.listViews.line}
              </th>
              {columns.map((name, at) => (
                <th key={`${at} ${name}`} scope="col" data-key={at === column}>
                  {name}
                </th>
              ))}
              <th scope="col" class="enrich-ours">
                {enrich.status[labels]}
              </th>
              {choice.fields.map((field) => (
                <th key={field} scope="col" class="enrich-ours">
                  {labels === "none" ? field : headings[field]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first.map(({ row, cells, outcome, status, account }) => (
              <tr key={row}>
                <td class="enrich-row">{number(row)}</td>
                {columns.map((name, at) => (
                  <td key={`${at} ${name}`}>{cells[at] ?? ""}</td>
                ))}
                <td class="enrich-ours" data-bad={account === null && outcome !== "blank"}>
                  {status}
                </td>
                {choice.fields.map((field) => (
                  <td key={field} class="enrich-ours">
                    {valueText(account?.[field])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {width > columns.length && (
        <p class="field-hint">{enrich.moreColumns(number(width - columns.length))}</p>
      )}
    </div>
  );
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return Array.isArray(value) ? value.join(", ") : String(value);
}
