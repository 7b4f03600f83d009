/**
 * `POST /v1/console/workbook` with `{labels, head, lines, facts}`: makes a workbook of a table that
 * the screen computed, such as counts per 10,000 inhabitants.
 * Invariant: the workbook has the table's cells unchanged, and no text becomes a formula. A
 * table that does not fit is refused, never cut. Nothing is stored. The compute thread makes the
 * workbook, because that may take 18 ms.
 */
import { type GridCell, gridXlsx } from "../export/formats/grid.ts";
import { answerWith } from "../http/api/search/search.ts";
import { CONTENT_TYPES } from "../http/api/search/search-request.ts";
import { type BodyObject, type Computation, computed, readBody } from "../http/server/body.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { Reply } from "../http/server/routetable.ts";
import type { SessionCall } from "../http/server/service.ts";
import { shareBytes } from "../process/tasks.ts";
import { currentSegment } from "../search/segment.ts";
import { LABEL_LANGUAGES } from "../spec/fields/words.ts";
import { readChoice, refuse, refuseMistakes } from "./bodymembers.ts";

/** Max columns of a table. These limits allow little more than the tables on screen. */
const COLUMNS_MAX = 12;
/** More than the largest state has municipalities (853). */
const LINES_MAX = 1_000;
const CELL_MAX = 1_000;
/** Cells that cost one unit of the rate limit. Writing them takes about 1.5 milliseconds. */
const CELLS_PER_UNIT = 1_000;
/** Number of cells in each line of `facts`: a label and its value. */
const FACT_CELLS = 2;

/** Reads and charges a request, and makes the workbook. */
export const WORKBOOK: Computation<{ readonly body: Uint8Array }, Uint8Array> = {
  name: "workbook",
  run({ body: sent }, segment, payer) {
    const body = readBody(sent, ["labels", "head", "lines", "facts"]);
    const labels = readChoice(body, "labels", LABEL_LANGUAGES) ?? "pt";
    const [headings = []] = readLines(body, "head", (value) => [value], COLUMNS_MAX);
    const lines = readLines(body, "lines", listOf, headings.length);
    const facts = readLines(body, "facts", listOf, FACT_CELLS);
    refuseMistakes(body);
    payer.spend(1 + Math.floor((lines.length * headings.length) / CELLS_PER_UNIT));
    const grid = { headings: headings.map(String), lines };
    const workbook = gridXlsx(grid, {
      labels,
      sheet: labels === "pt" ? "Tabela" : "Table",
      date: segment.snapshotDate,
      about: facts.map(([label = "", value = ""]) => [String(label), String(value)]),
    });
    return shareBytes(workbook);
  },
};

/** Answers with the workbook of a table. */
export function makeWorkbook(call: SessionCall<"compute" | "retain" | "segment">): Reply {
  const segment = currentSegment(call.service);
  const task = { body: new Uint8Array(call.body) };
  return answerWith(
    call,
    segment,
    computed(call, WORKBOOK, task, { segment }),
    (body): HttpAnswer => {
      return { status: 200, type: CONTENT_TYPES.xlsx, body };
    },
  );
}

function listOf(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** Reads the lines of a table. A line has up to `cells` texts and finite numbers. */
function readLines(
  body: BodyObject,
  member: string,
  lines: (value: unknown) => unknown[] | null,
  cells: number,
): readonly (readonly GridCell[])[] {
  const read = lines(body.members[member]);
  const fits = (line: unknown) =>
    Array.isArray(line) && line.length > 0 && line.length <= cells && line.every(isCell);
  if (read !== null && read.length <= LINES_MAX && read.every(fits)) {
    return read as readonly (readonly GridCell[])[];
  }
  const bounds = `with up to ${cells} texts or numbers, in up to ${LINES_MAX} lines`;
  refuse(body, member, `${member} must be a list ${bounds}.`);
  return [];
}

function isCell(value: unknown): value is GridCell {
  return typeof value === "string" ? value.length <= CELL_MAX : Number.isFinite(value);
}
