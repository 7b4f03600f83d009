/**
 * An export as an Excel workbook. What comes in: row ids in batches. What goes out: a ZIP package
 * with the rows on the first sheet and what they are on the second.
 * Invariant: text stays text (a CNPJ keeps its zeros) and no cell is a formula; memory does not
 * grow with the rows; the same snapshot and spec give the same bytes, whoever helped: every piece
 * of the sheet is packed without those before it, and ends on a whole byte.
 * Why a sheet writer of our own: the libraries for workbooks either hold all of one in memory or
 * write the time of day into it, and none takes finished UTF-8 from the addon.
 */
import { deflate, deflateAside } from "../../../../native-index/napi/engine.ts";
import { crc32 } from "../../../dump/crc32.ts";
import { guarded } from "../../../search/segment.ts";
import { explainCells, explainColumns } from "../explained.ts";
import { headerCells } from "../labels.ts";
import {
  type OpenRenderer,
  type RenderContext,
  type Renderer,
  RowSlices,
  type Slices,
  WrittenInTurn,
} from "../renderer.ts";
import { aboutRows } from "../source.ts";
import { partsOf, ROWS_PATH, sheetEnd, sheetStart, type Workbook } from "./workbook.ts";
import { type PackedPiece, ZipPackage } from "./zippackage.ts";

/** Rows of a piece: one to two megabytes of XML, packed on its own. */
export const ROWS_AT_ONCE = 2_048;

/** Number of the first row behind the header. */
const FIRST_ROW = 2;

/** Renders a workbook. */
export const openXlsxRenderer: OpenRenderer = (context, write) => {
  const { segment, spec } = context;
  const columns = [...spec.output.fields, ...explainColumns(spec).map(({ name }) => name)];
  const slices = new RowSlices(ROWS_AT_ONCE);
  const request = (rows: Uint32Array, firstNumber: number) => {
    const { fields, labels } = spec.output;
    const extra = explainCells(segment, spec, rows);
    return { format: "xlsx", fields, extra, labels, delimiter: ",", firstNumber } as const;
  };
  const xml = (rows: Uint32Array, number: number) => [
    guarded(() => segment.native.renderRows(rows, request(rows, number))),
  ];
  const xmlAside = (rows: Uint32Array, number: number) =>
    segment.native.renderRowsAside(rows, request(rows, number));
  return new XlsxRenderer({ context, columns, slices, xml, xmlAside }, write);
};

/** What a workbook is made of, whatever its rows are. */
interface SheetSource<Batch> {
  readonly context: RenderContext;
  readonly columns: readonly string[];
  readonly slices: Slices<Batch>;
  /** The XML of rows, of which the first has this number. */
  readonly xml: (rows: Batch, firstNumber: number) => readonly Uint8Array[];
  /** The same, made by another processor; never asked for where not given. */
  readonly xmlAside?: (rows: Batch, firstNumber: number) => Promise<Uint8Array>;
}

/** Rows of a workbook; they can be copied. */
interface Copied<Batch> {
  readonly length: number;
  slice(): Batch;
}

/** Renders a workbook of any rows; see `openXlsxRenderer`. */
export class XlsxRenderer<Batch extends Copied<Batch>> implements Renderer<Batch> {
  readonly #source: SheetSource<Batch>;
  readonly #workbook: Workbook;
  readonly #package: ZipPackage;
  readonly #pieces: WrittenInTurn<PackedPiece>;
  /** Rows that wait for the next ones, because only the last piece ends the sheet. */
  #held: Batch | undefined;
  #number = FIRST_ROW;
  #aborted = false;

  constructor(source: SheetSource<Batch>, write: (bytes: Uint8Array) => void) {
    this.#source = source;
    this.#workbook = workbookOf(source);
    this.#package = new ZipPackage((bytes) => {
      if (!this.#aborted) write(bytes);
    });
    this.#pieces = new WrittenInTurn((piece) => this.#package.piece(piece));
  }

  begin(): void {
    for (const { path, xml } of partsOf(this.#workbook)) this.#package.part(path, Buffer.from(xml));
    this.#package.begin(ROWS_PATH);
  }

  async rows(batch: Batch): Promise<void> {
    for (const slice of this.#source.slices.add(batch)) await this.#add(slice);
  }

  async end(): Promise<void> {
    const rest = this.#source.slices.rest();
    if (rest.length > 0) await this.#add(rest);
    await this.#pack(this.#held, true);
    await this.#pieces.rest();
    this.#package.endPart();
    this.#package.end();
  }

  abort(): void {
    this.#aborted = true;
  }

  async #add(rows: Batch): Promise<void> {
    const before = this.#held;
    this.#held = rows.slice();
    if (before !== undefined) await this.#pack(before, false);
  }

  /** Packs the next piece of the sheet; no rows are only in the last one of a sheet without any. */
  #pack(rows: Batch | undefined, isLast: boolean): void | Promise<void> {
    const { context, xml, xmlAside } = this.#source;
    const number = this.#number;
    this.#number += rows?.length ?? 0;
    const whole = (parts: readonly Uint8Array[]) =>
      joined([
        ...(number === FIRST_ROW ? [Buffer.from(sheetStart(this.#workbook))] : []),
        ...parts,
        ...(isLast ? [Buffer.from(sheetEnd(this.#workbook))] : []),
      ]);
    if (rows !== undefined && xmlAside !== undefined && context.spare?.() === true) {
      const aside = async () => {
        const text = whole([await xmlAside(rows, number)]);
        return pieceOf(text, await deflateAside(text, isLast));
      };
      return this.#pieces.later(aside());
    }
    return this.#pieces.now(() => {
      const text = whole(rows === undefined ? [] : xml(rows, number));
      return pieceOf(text, deflate(text, isLast));
    });
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

function pieceOf(text: Uint8Array, packed: Uint8Array): PackedPiece {
  return { packed, bytes: text.length, crc: crc32(text) };
}

function workbookOf<Batch>({ context, columns }: SheetSource<Batch>): Workbook {
  const { segment, spec, rowCount } = context;
  const { labels } = spec.output;
  return {
    ...{ columns, labels, rowCount },
    headings: headerCells(columns, spec.output),
    date: segment.snapshotDate,
    about: aboutRows(context, columns),
  };
}
