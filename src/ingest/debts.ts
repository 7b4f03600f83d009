/**
 * Reads PGFN's list of debts to the Union (dívida ativa). Input: a folder with three zips (FGTS,
 * social security, and others), or their CSVs. A CSV has a header, the separator `;`, and one row
 * per inscription and debtor. Output: the month of the list, and spill records in buckets by
 * company root. The join adds them up. A record has 24 bytes: the root (f64 at byte 0), the rest of
 * the CNPJ (u32 at 8), the kind (`LIST_FLAGS`, u8 at 12), and the cents (i64 at 16).
 * Invariant: only rows with a complete CNPJ are used, and nothing of a person's row is stored. An
 * inscription repeats its amount in the row of every debtor, so only its main debtor's row counts.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { LIST_FLAGS } from "../../native-index/builder/record.ts";
import { readMember } from "../dump/archive.ts";
import { checkDigits, partitionOf, readBase36, restOf } from "../dump/cnpj.ts";
import { isOwnEntry, type PackedFile, readPlain, readZipMembers } from "../dump/directory.ts";
import { decodeText } from "../dump/registrytext.ts";
import { CommandError } from "../errors.ts";
import { wordFor } from "../text/amounts.ts";
import { type SpillFile, SpillWriter } from "./spill.ts";

/** The kinds of debt. Each has a flag and the name of its published zip. */
const KINDS = {
  fgts: { flag: LIST_FLAGS.debtFgts, zip: "Dados_abertos_FGTS.zip" },
  socialSecurity: {
    flag: LIST_FLAGS.debtSocialSecurity,
    zip: "Dados_abertos_Previdenciario.zip",
  },
  other: { flag: LIST_FLAGS.debtOther, zip: "Dados_abertos_Nao_Previdenciario.zip" },
} as const;

type Kind = keyof typeof KINDS;

/** The debts of a list, spilled. */
export interface Debts {
  readonly spill: SpillFile;
  /** Month (`YYYY-MM`) of the list, taken from the names of its files. */
  readonly asOf: string;
  readonly warnings: readonly string[];
}

/** Inputs of `spillDebts`. */
interface DebtSource {
  /** A folder, a zip, or a CSV. */
  readonly path: string;
  readonly spillPath: string;
  readonly partitions: number;
  readonly slotBytes: number;
  /** Accepts a list that lacks some kinds of debt. */
  readonly partial: boolean;
}

/** Reads and spills a list. @throws CommandError that names file, line, and reason. */
export async function spillDebts(source: DebtSource): Promise<Debts> {
  const members = await membersOf(source.path);
  const asOf = monthOf(source.path, members);
  const kinds = members.map((member) => kindByName(member));
  const warnings: string[] = [];
  const writer = new SpillWriter(source.spillPath, source.partitions, source.slotBytes);
  const rows = new DebtRows(writer, source.partitions);
  try {
    const seen = new Set<Kind>();
    for (const [at, member] of members.entries()) {
      seen.add(await rows.read(member, kinds[at] ?? null));
    }
    checkKinds(source, seen, warnings);
    warnings.push(...rows.warnings());
    return { spill: writer.close(), asOf, warnings };
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** Returns the name by which messages refer to a member. */
function placeOf({ file, member, packing }: PackedFile): string {
  return packing === "plain" ? basename(file) : `${basename(file)} (${member})`;
}

async function membersOf(path: string): Promise<PackedFile[]> {
  const isFolder = statSync(path).isDirectory();
  const files = isFolder ? readdirSync(path).map((name) => join(path, name)) : [path];
  const members: PackedFile[] = [];
  for (const file of files.filter((name) => /\.(?:zip|csv)$/i.test(name)).sort()) {
    try {
      if (/\.csv$/i.test(file)) members.push(readPlain(file, statSync(file).size));
      else members.push(...(await readZipMembers(file, isCsv)));
    } catch (error) {
      throw new CommandError(`${basename(file)} cannot be read: ${(error as Error).message}`);
    }
  }
  if (members.length > 0) return members;
  throw new CommandError(
    `${path} holds no list of debts: give the folder with ${Object.values(KINDS)
      .map(({ zip }) => zip)
      .join(", ")}`,
  );
}

function isCsv(name: string): boolean {
  return isOwnEntry(name) && /\.csv$/i.test(name);
}

/**
 * Returns the month in the members' names, such as `arquivo_lai_SIDA_1_202606.csv`. All members
 * must name the same month.
 */
function monthOf(path: string, members: readonly PackedFile[]): string {
  const months = new Set<string>();
  for (const packed of members) {
    const match = /(?:^|\D)(20\d\d)(0[1-9]|1[0-2])\.csv$/i.exec(packed.member);
    if (match === null) {
      throw new CommandError(
        `${placeOf(packed)}: the name must end with the list's month, as ` +
          "arquivo_lai_SIDA_1_202606.csv; keep the published names",
      );
    }
    months.add(`${match[1]}-${match[2]}`);
  }
  const [month, ...others] = [...months].sort();
  if (month !== undefined && others.length === 0) return month;
  throw new CommandError(
    `${path} mixes lists of ${[...months].sort().join(" and ")}; keep one quarter there`,
  );
}

function kindByName({ file, member }: PackedFile): Kind | null {
  for (const name of [basename(member), basename(file)]) {
    if (/FGTS/i.test(name)) return "fgts";
    if (/SIDA|N[aã]o_?Prev/i.test(name)) return "other";
    if (/PREV/i.test(name)) return "socialSecurity";
  }
  return null;
}

function checkKinds({ path, partial }: DebtSource, seen: ReadonlySet<Kind>, warnings: string[]) {
  const lacking = (Object.keys(KINDS) as Kind[]).filter((kind) => !seen.has(kind));
  if (lacking.length === 0) return;
  const zips = lacking.map((kind) => KINDS[kind].zip).join(" and ");
  const text = `the list of debts in ${path} lacks ${zips}`;
  if (!partial) throw new CommandError(`${text}; put all three zips of the quarter there`);
  warnings.push(`${text}. Imported with --partial.`);
}

const LF = 10;
const CR = 13;
const QUOTE = 34;
const SEMICOLON = 59;
/** Max cells of a line; every layout has fewer. */
const CELLS_MAX = 64;
/** Max bytes of a line; a longer line is not a row of the list. */
const LINE_BYTES_MAX = 1 << 16;

/** Byte ranges of a line's cells. Cell i extends from `starts[i]` up to `ends[i]`. */
interface CellPlaces {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Positions of the used columns. */
interface Columns {
  readonly count: number;
  readonly document: number;
  /** Index of the column with the debtor's role; -1 if there is none. */
  readonly role: number;
  readonly name: number;
  readonly amount: number;
}

/** Processes the rows of all members. */
class DebtRows {
  readonly #writer: SpillWriter;
  readonly #partitions: number;
  readonly #cells = { starts: new Int32Array(CELLS_MAX), ends: new Int32Array(CELLS_MAX) };
  readonly #cnpj = Buffer.alloc(14);
  #oddAmounts = 0;

  constructor(writer: SpillWriter, partitions: number) {
    this.#writer = writer;
    this.#partitions = partitions;
  }

  /** Reads a member; returns the kind of its debts. */
  async read(packed: PackedFile, named: Kind | null): Promise<Kind> {
    const place = placeOf(packed);
    let kind = named;
    let columns: Columns | null = null;
    let line = 0;
    const take = (bytes: Buffer, start: number, end: number): void => {
      line++;
      const stop = end > start && bytes[end - 1] === CR ? end - 1 : end;
      if (stop === start) return;
      if (columns === null) {
        const cells = headerCells(bytes.subarray(start, stop));
        columns = columnsOf(place, cells);
        kind ??= kindByHeader(place, cells);
      } else this.#row(bytes, [start, stop], columns, { kind: kind as Kind, place, line });
    };
    await eachLine(packed, take);
    if (columns === null || kind === null) throw new CommandError(`${place} holds no rows`);
    return kind;
  }

  warnings(): string[] {
    const odd = this.#oddAmounts;
    if (odd === 0) return [];
    const what = wordFor(odd, "debt has an amount", "debts have amounts");
    return [`${odd} ${what} that cannot be read; counted without it`];
  }

  #row(
    bytes: Buffer,
    [start, end]: readonly [number, number],
    columns: Columns,
    { kind, place, line }: { kind: Kind; place: string; line: number },
  ): void {
    const count = splitCells(bytes, start, end, this.#cells);
    if (count < columns.count) {
      throw new CommandError(
        `${place}, line ${line}: ${count} columns where ${columns.count} belong`,
      );
    }
    // A name may contain semicolons, so the cells after it are counted from the end.
    const more = count - columns.count;
    const at = (column: number): number => (column > columns.name ? column + more : column);
    // Skips rows of persons, whose document number is masked or shorter.
    if (!this.#readCnpj(bytes, at(columns.document))) return;
    const role =
      columns.role < 0 ? 80 : (bytes[this.#cells.starts[at(columns.role)] as number] ?? 80);
    const isMain = (role & ~32) === 80;
    this.#write(kind, isMain ? this.#cents(bytes, at(columns.amount)) : 0);
  }

  /**
   * Copies a complete CNPJ with right check digits to the buffer; returns false if there is none.
   */
  #readCnpj(bytes: Buffer, cell: number): boolean {
    let length = 0;
    for (
      let at = this.#cells.starts[cell] as number;
      at < (this.#cells.ends[cell] as number);
      at++
    ) {
      const byte = bytes[at] as number;
      if (byte === 46 || byte === 47 || byte === 45 || byte === 32) continue;
      const isDigit = byte >= 48 && byte <= 57;
      if (length === 14 || !(isDigit || (length < 12 && byte >= 65 && byte <= 90))) return false;
      this.#cnpj[length++] = byte;
    }
    if (length !== 14) return false;
    const root = readBase36(this.#cnpj, 0, 8);
    const check = checkDigits(root, readBase36(this.#cnpj, 8, 12));
    return check === ((this.#cnpj[12] as number) - 48) * 10 + (this.#cnpj[13] as number) - 48;
  }

  #cents(bytes: Buffer, cell: number): number {
    const start = this.#cells.starts[cell] as number;
    const amount = bytes.subarray(start, this.#cells.ends[cell] as number);
    const cents = centsOf(decodeText(amount, "windows-1252").trim());
    if (cents !== null) return cents;
    this.#oddAmounts++;
    return 0;
  }

  #write(kind: Kind, cents: number): void {
    const root = readBase36(this.#cnpj, 0, 8);
    const check = ((this.#cnpj[12] as number) - 48) * 10 + (this.#cnpj[13] as number) - 48;
    const at = this.#writer.reserve(partitionOf(root, this.#partitions), DEBT_BYTES);
    const { view } = this.#writer;
    view.setFloat64(at, root, true);
    view.setUint32(at + 8, restOf(readBase36(this.#cnpj, 8, 12), check), true);
    view.setUint32(at + 12, KINDS[kind].flag, true);
    view.setUint32(at + 16, cents >>> 0, true);
    view.setUint32(at + 20, Math.floor(cents / 2 ** 32), true);
  }
}

/** Bytes of a spill record. */
export const DEBT_BYTES = 24;

/** Calls `take` with each line of a member. */
async function eachLine(
  packed: PackedFile,
  take: (bytes: Buffer, start: number, end: number) => void,
): Promise<void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of readMember(packed)) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      take(bytes, start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > LINE_BYTES_MAX) {
      throw new CommandError(`${placeOf(packed)}: a line of more than ${LINE_BYTES_MAX} bytes`);
    }
  }
  if (rest.length > 0) take(rest, 0, rest.length);
}

/** Splits a line into cells and returns their number; a quoted cell may contain semicolons. */
function splitCells(
  bytes: Buffer,
  start: number,
  end: number,
  { starts, ends }: CellPlaces,
): number {
  let count = 0;
  let at = start;
  while (count < CELLS_MAX) {
    const closing = bytes[at] === QUOTE ? closingQuote(bytes, at + 1, end) : -1;
    let stop = closing < 0 ? at : closing + 1;
    while (stop < end && bytes[stop] !== SEMICOLON) stop++;
    starts[count] = closing < 0 ? at : at + 1;
    ends[count++] = closing < 0 ? stop : closing;
    if (stop >= end) break;
    at = stop + 1;
  }
  return count;
}

/** Returns the position of the quote that ends a cell; -1 if none does. */
function closingQuote(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    if (bytes[at] === QUOTE && (at + 1 === end || bytes[at + 1] === SEMICOLON)) return at;
  }
  return -1;
}

function headerCells(line: Buffer): string[] {
  const isMarked = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
  const text = decodeText(isMarked ? line.subarray(3) : line, "windows-1252");
  return text.split(";").map((cell) => cell.replaceAll('"', "").trim().toUpperCase());
}

function columnsOf(place: string, cells: readonly string[]): Columns {
  const needed = ["CPF_CNPJ", "VALOR_CONSOLIDADO"];
  const missing = needed.filter((name) => !cells.includes(name));
  if (missing.length > 0) {
    throw new CommandError(`${place}, line 1: no header of PGFN; it lacks ${missing.join(", ")}`);
  }
  return {
    count: cells.length,
    document: cells.indexOf("CPF_CNPJ"),
    role: cells.indexOf("TIPO_DEVEDOR"),
    name: cells.indexOf("NOME_DEVEDOR"),
    amount: cells.indexOf("VALOR_CONSOLIDADO"),
  };
}

/** Returns the kind of debts in a list, recognized by a column that no other kind has. */
function kindByHeader(place: string, cells: readonly string[]): Kind {
  if (cells.includes("ENTIDADE_RESPONSAVEL")) return "fgts";
  if (cells.includes("TIPO_CREDITO")) return "socialSecurity";
  if (cells.includes("RECEITA_PRINCIPAL")) return "other";
  throw new CommandError(
    `${place}: neither its name nor its header tells which debts it lists; keep the published name`,
  );
}

/**
 * Returns an amount in cents. Its text may have a decimal point or comma. Returns null if the text
 * is not an amount.
 */
export function centsOf(text: string): number | null {
  const plain = text.includes(",") ? text.replaceAll(".", "").replace(",", ".") : text;
  const match = /^(\d{1,13})(?:\.(\d+))?$/.exec(plain);
  if (match === null) return null;
  const decimals = (match[2] ?? "").padEnd(3, "0");
  const cents = Number(match[1]) * 100 + Number(decimals.slice(0, 2));
  return cents + (Number(decimals[2]) >= 5 ? 1 : 0);
}
