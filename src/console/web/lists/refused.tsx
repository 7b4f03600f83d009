/**
 * The table of texts that are not CNPJs. Each row has the text, its position in the input, and the
 * reason.
 * Invariant: the texts come from the server, which never returns a CPF (personal tax number). A
 * CNPJ that lost its leading zeros is shown with the zeros. Views of lists and of spreadsheets
 * share this table.
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
  /** The first refused lines. `all` is the number of all refused lines. */
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
