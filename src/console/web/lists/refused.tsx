/**
 * The table of texts that are not CNPJs: each with its place, and the reason.
 * Invariant: texts come from the server, which repeats no CPF. A CNPJ that has lost its zeros is
 * shown with the zeros. Lists and spreadsheets show the same table.
 */
import type { VNode } from "preact";
import { cnpj, number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";

/** A refused text. */
interface RefusedLine {
  /** Line, row, or name of the cell that contains the text. */
  readonly place: number | string;
  readonly text: string;
  readonly reason: string;
  readonly offered?: string | undefined;
}

interface RefusedProps {
  /** The first refused lines, and the number of all refused lines. */
  lines: readonly RefusedLine[];
  all: number;
}

/** The table. */
export function RefusedTable({ lines, all }: RefusedProps): VNode {
  const text = lazyWords.value.listViews;
  const reasons: Readonly<Record<string, string>> = text.reasons;
  return (
    <>
      {all > lines.length && (
        <p class="field-hint">{text.refusedFirst(number(lines.length), number(all))}</p>
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
          {lines.map(({ place, text: sent, reason, offered }) => (
            <tr key={place}>
              <td>{typeof place === "number" ? number(place) : place}</td>
              <td class="mono lists-sent">{sent}</td>
              <td>
                {reasons[reason] ?? reason}
                {offered !== undefined && ` ${text.meant(cnpj(offered))}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
