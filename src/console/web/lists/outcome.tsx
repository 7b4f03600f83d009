/**
 * What became of what was sent to a list. What comes in: the answer of a change. What goes out: its
 * counts, the sheet and the column that were read, and a table of the refused lines.
 * Invariant: the counts sum to what was read; how many lines of the refused are not shown is said.
 */
import type { VNode } from "preact";
import { cnpj as cnpjText, number } from "../app/format.ts";
import { laterWords } from "../app/laterwords.ts";
import type { ListChange } from "../app/listanswers.ts";
import { Button } from "../parts/button.tsx";

/** What it takes. */
interface OutcomeProps {
  change: ListChange;
  busy: boolean;
  /** Sends the same once more, with zeros put back. */
  onFill: () => void;
}

/** Counts and refused lines. */
export function Outcome({ change, busy, onFill }: OutcomeProps): VNode {
  const text = laterWords.value.listViews;
  const { refused, refused_count: count, not_in_snapshot: absent } = change;
  const counts: [string, number][] = [
    [text.read, change.read],
    [text.added, change.added ?? 0],
    [text.alreadyThere, change.already_there ?? 0],
    [text.repeated, change.repeated],
    [text.refused, count],
    [text.notInSnapshot, absent ?? 0],
  ];
  const lost = refused.some(({ reason }) => reason === "lost_zeros");
  return (
    <div class="lists-outcome" role="status">
      <dl class="counts">
        {counts.map(([term, value], at) => (
          <div key={term} class={value === 0 && at > 1 ? "counts-none" : undefined}>
            <dt>{term}</dt>
            <dd>
              <b>{number(value)}</b>
            </dd>
          </div>
        ))}
      </dl>
      {change.sheet !== undefined && (
        <p class="field-hint">{text.sheet(change.sheet, change.other_sheets ?? 0)}</p>
      )}
      {change.hidden_sheets !== undefined && (
        <p class="field-hint">{text.hidden(change.hidden_sheets)}</p>
      )}
      {change.column !== undefined && <p class="field-hint">{text.column(change.column)}</p>}
      {(absent ?? 0) > 0 && <p class="field-hint">{text.notInSnapshotHint}</p>}
      {lost && (
        <Button busy={busy} onClick={onFill}>
          {text.fillZeros}
        </Button>
      )}
      {refused.length > 0 && <Refused change={change} />}
    </div>
  );
}

function Refused({ change: { refused, refused_count: count } }: { change: ListChange }): VNode {
  const text = laterWords.value.listViews;
  const reasons: Readonly<Record<string, string>> = text.reasons;
  return (
    <>
      {count > refused.length && (
        <p class="field-hint">{text.refusedFirst(number(refused.length), number(count))}</p>
      )}
      <table class="data-table lists-refused">
        <thead>
          <tr>
            <th scope="col">{text.line}</th>
            <th scope="col">{text.text}</th>
            <th scope="col">{text.reason}</th>
          </tr>
        </thead>
        <tbody>
          {refused.map(({ line, cell, text: sent, reason, offered }) => (
            <tr key={line}>
              <td>{cell ?? number(line)}</td>
              <td class="mono lists-sent">{sent}</td>
              <td>
                {reasons[reason] ?? reason}
                {offered !== undefined && ` ${text.meant(cnpjText(offered))}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
