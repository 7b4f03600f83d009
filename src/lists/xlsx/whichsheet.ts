/**
 * Chooses the sheet of a workbook. Input: CNPJs in the first rows of its sheets. Output: the first
 * sheet with CNPJs, unless it is a cover with the sender's own CNPJ.
 * Apart because it decides, and its user reads.
 * Invariant: a single CNPJ without a header gives way to a column with the header CNPJ and more of
 * them; where few CNPJs may be a cover or the data, neither is guessed: both are named.
 */
import { XlsxRefusal } from "./package.ts";
import type { SheetPart } from "./workbook.ts";

/** CNPJs of the first rows, and if a header names their column. */
export interface ShownCnpjs {
  readonly count: number;
  readonly isNamed: boolean;
}

/** A sheet that shows no CNPJs, and what was wrong with it. */
export interface PassedSheet {
  readonly sheet: SheetPart;
  readonly why: string;
}

/** A sheet that has anything: what it shows, or why it shows no CNPJs. */
export interface SeenSheet {
  readonly sheet: SheetPart;
  readonly shown: ShownCnpjs | null;
  readonly why: string | null;
}

/** CNPJs that a cover may have: one's own, and those of an accountant or a client. */
const COVER_MAX = 3;

/** True if a later sheet may be meant instead. */
export function mayBeCover({ count, isNamed }: ShownCnpjs): boolean {
  return count <= (isNamed ? 1 : COVER_MAX);
}

/** Returns the sheet to read; undefined if none shows CNPJs. Throws `XlsxRefusal` if unclear. */
export function sheetOf(seen: readonly SeenSheet[]): SheetPart | undefined {
  const shown = seen.flatMap(({ sheet, shown: found }) =>
    found === null ? [] : [{ sheet, ...found }],
  );
  const [first, ...others] = shown;
  if (first === undefined) return undefined;
  if (!mayBeCover(first)) return first.sheet;
  const more = others.filter(({ count }) => count > Math.max(1, first.count));
  const named = more.find(({ isNamed }) => isNamed);
  const isLabel = first.count === 1 && !first.isNamed;
  if (isLabel && named !== undefined) return named.sheet;
  const rival = named ?? (isLabel ? more[0] : undefined);
  if (rival === undefined) return first.sheet;
  throw new XlsxRefusal(
    "The workbook",
    `both “${first.sheet.name}” and “${rival.sheet.name}” show CNPJs, and either may be meant`,
    "Hide the sheet that is not meant, or send the other one alone.",
  );
}
