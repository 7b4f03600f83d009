/**
 * Lists the sheets of a workbook, chooses the one to read, and stores the shared texts. Input: the
 * package of the workbook, and the number of CNPJs in each sheet. Output: the sheets in tab order,
 * the paths of the parts with texts and styles, the sheet with the most CNPJs, and texts by number.
 * Invariant: hidden sheets, charts, and macros are not listed. A path that leads out of the package
 * is ignored. Among sheets with equally many CNPJs, the first is chosen. The number and bytes of
 * texts are bounded. Only the beginning of a long text is cached, unless the caller needs whole
 * texts. Phonetic text is ignored.
 */
import { posix } from "node:path";
import type { XmlAttributes } from "../../text/xmlreader.ts";
import { otherPackage } from "../otherfiles.ts";
import {
  attributeOf,
  PartReader,
  type PartTaker,
  SAVE_LESS,
  textOf,
  type XlsxPackage,
  XlsxRefusal,
} from "./package.ts";

const SHEETS_MAX = 1_024;

/** A visible sheet. */
export interface SheetPart {
  readonly name: string;
  readonly path: string;
  /** Position among all sheets of the workbook, counted from 0. */
  readonly index: number;
}

/** A hidden sheet; its path is null if it has no cells, such as a chart. */
export interface HiddenSheet {
  readonly name: string;
  readonly path: string | null;
  readonly index: number;
}

/** A workbook. */
interface Workbook {
  /** Path of the part that lists the sheets. */
  readonly path: string;
  readonly sheets: readonly SheetPart[];
  readonly hidden: readonly HiddenSheet[];
  /**
   * Paths of the parts with shared texts and with styles; null if the workbook has no such part.
   */
  readonly texts: string | null;
  readonly styles: string | null;
  readonly since1904: boolean;
}

/** A reference from one part to another. */
interface Relation {
  readonly id: string;
  /** The last word of the relation's type. */
  readonly type: string;
  readonly path: string;
}

/** Reads the parts that describe the workbook. Throws `XlsxRefusal`. */
export async function readWorkbook(file: XlsxPackage): Promise<Workbook> {
  const main = (await relationsOf(file, "")).find(({ type }) => type === "officeDocument");
  if (main === undefined || !main.path.toLowerCase().startsWith("xl/")) {
    const { name, fix } = otherPackage((part) => file.has(part));
    throw new XlsxRefusal("The file", `it is no XLSX workbook, but ${name}`, fix);
  }
  const book = new WorkbookTaker(main.path);
  if (main.path.toLowerCase().endsWith(".bin")) {
    const remedy = "Save it as XLSX, and send that.";
    throw new XlsxRefusal("The file", "it is a binary workbook (XLSB)", remedy);
  }
  await readPart(file, main.path, book);
  const relations = await relationsOf(file, main.path);
  const named = (type: string) => relations.find((one) => one.type === type)?.path ?? null;
  const sheets = book.sheets.flatMap(({ id, name, index }) => {
    const relation = relations.find((one) => one.id === id);
    if (relation === undefined) throw new XlsxRefusal(`Sheet “${name}”`, "it is missing");
    return relation.type === "worksheet" ? [{ name, path: relation.path, index }] : [];
  });
  const hidden = book.hidden.map(({ id, name, index }) => {
    const found = relations.find((one) => one.id === id && one.type === "worksheet");
    return { name, path: found?.path ?? null, index };
  });
  const parts = { texts: named("sharedStrings"), styles: named("styles") };
  return { path: main.path, sheets, hidden, ...parts, since1904: book.since1904 };
}

async function readPart(file: XlsxPackage, path: string, taker: PartTaker): Promise<void> {
  const reader = new PartReader(path, taker);
  for await (const piece of file.pieces(path)) reader.add(piece);
  reader.end();
}

/** Returns the references of a part. For "", returns those of the whole package. */
async function relationsOf(file: XlsxPackage, part: string): Promise<readonly Relation[]> {
  const folder = posix.dirname(part);
  const path = posix.join(folder, "_rels", `${posix.basename(part)}.rels`);
  const taker = new RelationsTaker(path, folder);
  if (file.has(path)) await readPart(file, path, taker);
  return taker.found;
}

class RelationsTaker implements PartTaker {
  readonly found: Relation[] = [];
  readonly #place: string;
  readonly #folder: string;

  constructor(place: string, folder: string) {
    this.#place = place;
    this.#folder = folder;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name !== "Relationship") return;
    const target = textOf(attributeOf(attributes, "Target") ?? "");
    if (attributeOf(attributes, "TargetMode") === "External") return;
    if (this.found.length >= SHEETS_MAX) {
      throw new XlsxRefusal(this.#place, "it names too many parts");
    }
    const type = (attributeOf(attributes, "Type") ?? "").split("/").at(-1) ?? "";
    const path = posix.join("/", this.#folder, target);
    const absolute = target.startsWith("/") ? posix.join("/", target) : path;
    this.found.push({ id: attributeOf(attributes, "Id") ?? "", type, path: absolute.slice(1) });
  }

  close(): void {
    // All data is in the opening tags.
  }

  text(): void {
    // As above.
  }
}

/** A sheet as the workbook lists it. */
interface ListedSheet extends Pick<SheetPart, "name" | "index"> {
  readonly id: string;
}

class WorkbookTaker implements PartTaker {
  readonly sheets: ListedSheet[] = [];
  readonly hidden: ListedSheet[] = [];
  since1904 = false;
  readonly #place: string;

  constructor(place: string) {
    this.#place = place;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "workbookPr") {
      const date1904 = attributeOf(attributes, "date1904") ?? "0";
      this.since1904 = date1904 === "1" || date1904 === "true";
    }
    if (name !== "sheet") return;
    const index = this.sheets.length + this.hidden.length;
    if (index >= SHEETS_MAX) {
      throw new XlsxRefusal(this.#place, "it has too many sheets");
    }
    const title = textOf(attributeOf(attributes, "name") ?? "").slice(0, 64);
    const isHidden = /hidden/i.test(attributeOf(attributes, "state") ?? "");
    const sheet = { id: attributeOf(attributes, "id") ?? "", name: title, index };
    if (isHidden) this.hidden.push(sheet);
    else this.sheets.push(sheet);
  }

  close(): void {
    // All data is in the opening tags.
  }

  text(): void {
    // As above.
  }
}

/** Number of CNPJs in a sheet. `isNamed` is true if a header names their column. */
export interface ShownCnpjs {
  readonly count: number;
  readonly isNamed: boolean;
}

/** A sheet without CNPJs, and the reason. */
export interface SkippedSheet {
  readonly sheet: SheetPart;
  readonly why: string;
}

/** A sheet with data. It has either CNPJs in its first rows or a reason why none were found. */
export interface SeenSheet {
  readonly sheet: SheetPart;
  readonly shown: ShownCnpjs | null;
  readonly why: string | null;
}

/** Max CNPJs on a cover sheet: those of the sender, an accountant, and a client. */
const COVER_MAX = 3;

/** True if the sheet may be a cover, so that its CNPJs are not the data. */
export function mayBeCover({ count, isNamed }: ShownCnpjs): boolean {
  return count <= (isNamed ? 1 : COVER_MAX);
}

/**
 * Reasons for the choice of a sheet. `first_with_cnpjs`: no later sheet has more CNPJs.
 * `after_cover`: it has the most, in a named column, after a cover with a single CNPJ.
 * `most_cnpjs`: it has the most for any other reason. `named`: the sender named it.
 */
export const SHEET_REASONS = [
  ...(["first_with_cnpjs", "after_cover", "most_cnpjs", "only_with_data", "named"] as const),
] as const;

/** A reason for the choice of a sheet. */
export type SheetReason = (typeof SHEET_REASONS)[number];

/** A sheet, and the reason for its choice. */
export interface Choice {
  readonly sheet: SheetPart;
  readonly reason: SheetReason;
}

/** Returns the sheet with the most CNPJs, the first of several; undefined if none has any. */
export function sheetOf(seen: readonly SeenSheet[]): Choice | undefined {
  const shown = seen.flatMap(({ sheet, shown: found }) =>
    found === null ? [] : [{ sheet, ...found }],
  );
  const [first] = shown;
  if (first === undefined) return undefined;
  const best = shown.reduce((most, one) => (one.count > most.count ? one : most), first);
  if (best === first) return { sheet: first.sheet, reason: "first_with_cnpjs" };
  const isCover = shown
    .slice(0, shown.indexOf(best))
    .every(({ count, isNamed }) => count <= 1 && !isNamed);
  return { sheet: best.sheet, reason: isCover && best.isNamed ? "after_cover" : "most_cnpjs" };
}

const TEXTS_MAX = 4_194_304;
const BYTES_MAX = 128 * 1024 * 1024;
const BLOCK_BYTES = 1_048_576;
/** Max cached characters of a text: enough for a header, and for reports about a cell. */
const TEXT_LENGTH = 256;
/** Maximum length of a cell's text: 32,767 characters, each as seven, such as `_x000D_`. */
const WHOLE_LENGTH = 7 * 32_767;

/** Gathers a text from parts. */
export class TextCollector {
  readonly #length: number;
  #text = "";

  /** If `isWhole` is true, keeps the whole text, otherwise only its beginning. */
  constructor(isWhole: boolean) {
    this.#length = isWhole ? WHOLE_LENGTH : TEXT_LENGTH;
  }

  /** Appends a part. */
  add(part: string): void {
    if (this.#text.length < this.#length) this.#text += part.slice(0, this.#length);
  }

  /** Returns the text, truncated to the maximum, and resets. */
  take(): string {
    const text = this.#text;
    this.#text = "";
    return text.length > this.#length ? text.slice(0, this.#length) : text;
  }
}

/** Texts by number. */
export class TextTable {
  readonly #blocks: Buffer[] = [];
  #used = BLOCK_BYTES;
  #ends = new Uint32Array(1 << 10);
  #starts = new Uint32Array(1 << 10);
  #count = 0;

  /** Number of texts. */
  get count(): number {
    return this.#count;
  }

  /** Adds a text. Throws `XlsxRefusal` if there are too many. */
  add(text: string): void {
    const length = Buffer.byteLength(text);
    const full = this.#blocks.length * BLOCK_BYTES >= BYTES_MAX;
    const fits = this.#used + length <= BLOCK_BYTES;
    if (this.#count >= TEXTS_MAX || (full && !fits)) {
      const wrong = `it has more than ${TEXTS_MAX.toLocaleString("en")} texts, or too long ones`;
      throw new XlsxRefusal("The workbook", wrong, SAVE_LESS);
    }
    if (!fits) {
      this.#blocks.push(Buffer.allocUnsafe(BLOCK_BYTES));
      this.#used = 0;
    }
    if (this.#count === this.#ends.length) {
      this.#ends = grown(this.#ends);
      this.#starts = grown(this.#starts);
    }
    const start = (this.#blocks.length - 1) * BLOCK_BYTES + this.#used;
    this.#blocks.at(-1)?.write(text, this.#used);
    this.#used += length;
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = start + length;
    this.#count++;
  }

  /** Returns the text with this number; undefined if there is none. */
  at(number: number): string | undefined {
    if (!(number < this.#count)) return undefined;
    const start = this.#starts[number] as number;
    const end = this.#ends[number] as number;
    const block = this.#blocks[Math.floor(start / BLOCK_BYTES)];
    const from = start % BLOCK_BYTES;
    return textOf(block?.toString("utf8", from, from + end - start) ?? "");
  }
}

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Reads the texts of a part, whole or their beginnings. Throws `XlsxRefusal`. */
export async function readTexts(
  workbook: XlsxPackage,
  path: string,
  isWhole = false,
): Promise<TextTable> {
  const table = new TextTable();
  const reader = new PartReader(path, new TextsTaker(table, isWhole));
  for await (const piece of workbook.pieces(path)) reader.add(piece);
  reader.end();
  return table;
}

class TextsTaker implements PartTaker {
  readonly #table: TextTable;
  readonly #text: TextCollector;
  /** Nesting depth in phonetic text. */
  #spoken = 0;
  #inText = false;

  constructor(table: TextTable, isWhole: boolean) {
    this.#table = table;
    this.#text = new TextCollector(isWhole);
  }

  open(name: string): void {
    if (name === "rPh") this.#spoken++;
    else if (name === "t") this.#inText = this.#spoken === 0;
  }

  close(name: string): void {
    if (name === "rPh") this.#spoken--;
    else if (name === "t") this.#inText = false;
    else if (name === "si") this.#table.add(this.#text.take());
  }

  text(text: string): void {
    if (this.#inText) this.#text.add(text);
  }
}
