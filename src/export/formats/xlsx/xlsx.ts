/**
 * An export as an Excel workbook. Input: row ids in batches. Output: a ZIP package with the rows on
 * the first sheet and their description on the second.
 * Invariant: text stays text (a CNPJ keeps its zeros), and only links are formulas. Memory does not
 * grow with the rows. The same snapshot and spec give the same bytes on any thread: chunks of the
 * sheet are compressed independently, and end on a whole byte.
 * Workbook libraries either hold a whole workbook in memory or write the time of day into it, and
 * none accepts finished UTF-8 from the addon.
 */
import { deflate, deflateAsync } from "../../../../native-index/napi/engine.ts";
import { crc32 } from "../../../dump/crc32.ts";
import { guarded } from "../../../search/segment.ts";
import { explainCells, explainColumns } from "../explained.ts";
import { headerCells } from "../labels.ts";
import {
  type OpenRenderer,
  OrderedWriter,
  type RenderContext,
  type Renderer,
  RowSlices,
  type Slices,
} from "../renderer.ts";
import { aboutRows } from "../source.ts";
import { partsOf, ROWS_PATH, sheetEnd, sheetStart, type Workbook } from "./workbook.ts";
import { type PackedChunk, ZipPackage } from "./zippackage.ts";

/** Rows of a chunk: one to two megabytes of XML, compressed independently. */
export const ROWS_PER_CALL = 2_048;

const FIRST_ROW = 2;

/** Renders a workbook. */
export const openXlsxRenderer: OpenRenderer = (context, write) => {
  const { segment, spec } = context;
  const columns = [...spec.output.fields, ...explainColumns(spec).map(({ name }) => name)];
  const slices = new RowSlices(ROWS_PER_CALL);
  const request = (rows: Uint32Array, firstNumber: number) => {
    const { fields, labels } = spec.output;
    const extra = explainCells(segment, spec, rows);
    return { format: "xlsx", fields, extra, labels, delimiter: ",", firstNumber } as const;
  };
  const xml = (rows: Uint32Array, number: number) => [
    guarded(() => segment.native.renderRows(rows, request(rows, number))),
  ];
  const xmlAsync = (rows: Uint32Array, number: number) =>
    segment.native.renderRowsAsync(rows, request(rows, number));
  return new XlsxRenderer({ context, columns, slices, xml, xmlAsync }, write);
};

interface SheetSource<Batch> {
  readonly context: RenderContext;
  readonly columns: readonly string[];
  readonly slices: Slices<Batch>;
  /** Returns the XML of rows. The first has number `firstNumber`. */
  readonly xml: (rows: Batch, firstNumber: number) => readonly Uint8Array[];
  /** Like `xml`, but on another processor. Missing if this is not possible. */
  readonly xmlAsync?: (rows: Batch, firstNumber: number) => Promise<Uint8Array>;
}

interface Copied<Batch> {
  readonly length: number;
  slice(): Batch;
}

/** Renders a workbook of rows of any type. See `openXlsxRenderer`. */
export class XlsxRenderer<Batch extends Copied<Batch>> implements Renderer<Batch> {
  readonly #source: SheetSource<Batch>;
  readonly #workbook: Workbook;
  readonly #package: ZipPackage;
  readonly #pieces: OrderedWriter<PackedChunk>;
  /** Rows held back until the next batch, because only the last chunk ends the sheet. */
  #held: Batch | undefined;
  #number = FIRST_ROW;
  #aborted = false;

  constructor(source: SheetSource<Batch>, write: (bytes: Uint8Array) => void) {
    this.#source = source;
    this.#workbook = workbookOf(source);
    this.#package = new ZipPackage((bytes) => {
      if (!this.#aborted) write(bytes);
    });
    this.#pieces = new OrderedWriter((piece) => this.#package.piece(piece));
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

  /** Compresses the next chunk of the sheet; `rows` is undefined only for a sheet without rows. */
  #pack(rows: Batch | undefined, isLast: boolean): void | Promise<void> {
    const { context, xml, xmlAsync } = this.#source;
    const number = this.#number;
    this.#number += rows?.length ?? 0;
    const whole = (parts: readonly Uint8Array[]) =>
      joined([
        ...(number === FIRST_ROW ? [Buffer.from(sheetStart(this.#workbook))] : []),
        ...parts,
        ...(isLast ? [Buffer.from(sheetEnd(this.#workbook))] : []),
      ]);
    if (rows !== undefined && xmlAsync !== undefined && context.spare?.() === true) {
      const packLater = async () => {
        const text = whole([await xmlAsync(rows, number)]);
        return pieceOf(text, await deflateAsync(text, isLast));
      };
      return this.#pieces.later(packLater());
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

function pieceOf(text: Uint8Array, packed: Uint8Array): PackedChunk {
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
