/**
 * Converts rows of an Arrow or Parquet file for the join. Input: cells of the documented columns,
 * in any reasonable Arrow type. Output: row records (`native-index/builder/record.ts`), spilled by
 * company root. They have no scores yet, and contain provisional numbers instead of dictionary
 * codes.
 * Invariant: an irregular value becomes null and is counted, as in a dump import. Only rows without
 * a CNPJ are skipped.
 */

import {
  LIST_FLAGS,
  RECORD,
  RECORD_FLAGS,
  RECORD_NULL,
  RECORD_STRINGS,
  type RecordString,
  SLOT_ROWS,
  SLOTS,
} from "../../../native-index/builder/record.ts";
import type { Cell, ColumnBatch } from "../../../native-index/format/arrow/arrow-reader.ts";
import { COLUMNS, type ColumnName } from "../../../native-index/format/columns.ts";
import { isPrintable, printable } from "../../../native-index/format/printable.ts";
import { checkDigits, partitionOf, readBase36 } from "../../dump/cnpj.ts";
import { removeCpf } from "../../dump/cpf.ts";
import { newTextSink, type TextSink } from "../../dump/registrytext.ts";
import type { Rule } from "../../dump/rules.ts";
import { isStoredCnpj } from "../../spec/cnpj/cnpj.ts";
import { COMPANY_SIZE_CODES, UFS } from "../../spec/fields.ts";
import { type AllCounters, CODE_WIDTHS, type CodeKind } from "../dictionaries.ts";
import type { SpillWriter } from "../spill.ts";
import type { Tally } from "../tally.ts";

/** Inputs of `ColumnRows`. */
interface ColumnScan {
  readonly writer: SpillWriter;
  readonly partitions: number;
  readonly tally: Tally;
  readonly counters: AllCounters;
  /** The CNPJs of an imported list of sanctions. If null, the file's own column is used instead. */
  readonly sanctioned: ReadonlySet<string> | null;
  readonly keepCpf: boolean;
  /** Maps TOM codes of municipalities to IBGE codes. It is filled from rows that have both. */
  readonly places: Map<string, string>;
}

type Cells = Readonly<Record<ColumnName, (row: number) => Cell>>;

const SOLE_TRADER = 2135;

/** The name columns that may contain a CPF, each with the rule that counts removed CPFs. */
const CPF_RULES: Readonly<Partial<Record<RecordString, Rule>>> = {
  legal_name: "cpf_removed",
  trade_name: "trade_name_cpf_removed",
};

/** Columns whose cells are converted without special rules: dates and whole numbers. */
const DATES = SLOT_ROWS.filter(({ type }) => type === "date32");
const WHOLES = SLOT_ROWS.filter(({ type }) => type === "int64");

/** Converts the rows of batches and spills them. */
export class ColumnRows {
  private readonly scan: ColumnScan;
  private readonly sink: TextSink = newTextSink(1 << 20);
  private readonly lengths = new Uint16Array(RECORD_STRINGS.length);
  private line = 0;

  constructor(scan: ColumnScan) {
    this.scan = scan;
  }

  /** Converts a batch and returns the number of rows kept. Missing columns become null. */
  take(batch: ColumnBatch): number {
    const entries = COLUMNS.map(({ name }) => [name, batch.column(name) ?? (() => null)]);
    const cells = Object.fromEntries(entries) as Cells;
    let count = 0;
    for (let row = 0; row < batch.rows; row++) {
      this.line++;
      if (this.takeRow(cells, row)) count++;
    }
    return count;
  }

  private takeRow(cells: Cells, row: number): boolean {
    const { writer, partitions, tally } = this.scan;
    const given = String(cells.cnpj(row) ?? "").toUpperCase();
    const cnpj = withZeros(given);
    if (cnpj === null) {
      tally.add("cnpj_invalid", this.line, () => given);
      return false;
    }
    if (cnpj !== given) tally.add("cnpj_zeros", this.line, () => given);
    const nature = this.code("nature", cells.legal_nature(row), "nature_invalid");
    this.readTexts(cells, row, nature === SOLE_TRADER);
    const secondary = this.secondary(cells.cnae_secondary(row));
    const textAt = RECORD.fixedLength + 2 * secondary.length;
    const length = (textAt + this.sink.length + 7) & ~7;
    const root = readBase36(Buffer.from(cnpj), 0, 8);
    const at = writer.reserve(partitionOf(root, partitions), length);
    const { view, bytes } = writer;
    bytes.fill(0, at, at + RECORD.fixedLength);
    view.setUint32(at + RECORD.length, length, true);
    bytes.write(cnpj, at + SLOTS.cnpj, "latin1");
    view.setUint16(at + SLOTS.legal_nature, this.number("nature", nature), true);
    this.writeFlags(cells, row, view, at);
    this.writeCodes(cells, row, view, at);
    this.writeNumbers(cells, row, view, at);
    view.setUint16(at + RECORD.secondaryCount, secondary.length, true);
    secondary.forEach((code, i) => {
      const number = this.number("cnae", code);
      view.setUint16(at + RECORD.fixedLength + 2 * i, number, true);
    });
    this.lengths.forEach((bytesLong, i) => {
      view.setUint16(at + RECORD.stringLengths + 2 * i, bytesLong, true);
    });
    bytes.set(this.sink.bytes.subarray(0, this.sink.length), at + textAt);
    return true;
  }

  private readTexts(cells: Cells, row: number, isSoleTrader: boolean): void {
    const { sink, lengths } = this;
    sink.length = 0;
    RECORD_STRINGS.forEach((name, i) => {
      const value = cells[name](row);
      const given = value === null ? "" : String(value);
      const text = isPrintable(given) ? given : printable(given);
      if (text !== given) this.scan.tally.add("text_control", this.line);
      let length = Buffer.byteLength(text);
      if (length >= RECORD_NULL.stringLength) {
        this.scan.tally.add("text_long", this.line);
        length = 0;
      } else if (length > 0) Buffer.from(sink.bytes.buffer).write(text, sink.length);
      sink.length += length;
      const rule = CPF_RULES[name];
      const mayCarry = rule !== undefined && (name === "trade_name" || isSoleTrader);
      if (mayCarry && !this.scan.keepCpf) {
        const without = removeCpf(sink, length, name === "trade_name");
        if (without !== length) this.scan.tally.add(rule, this.line);
        length = without;
      }
      lengths[i] = length === 0 ? RECORD_NULL.stringLength : length;
    });
  }

  private writeFlags(cells: Cells, row: number, view: DataView, at: number): void {
    const { sanctioned } = this.scan;
    const cell = sanctioned === null ? cells.sanctioned(row) : sanctioned.has(cnpjAt(view, at));
    let flags = 0;
    if (cells.headquarters(row) === true) flags |= RECORD_FLAGS.headquarters;
    if (cells.simples_opt_in(row) === true) flags |= RECORD_FLAGS.simples;
    if (cells.mei_opt_in(row) === true) flags |= RECORD_FLAGS.mei;
    if (cell !== null) flags |= RECORD_FLAGS.sanctionKnown;
    if (cell === true) flags |= RECORD_FLAGS.sanctioned;
    view.setUint8(at + RECORD.flags, flags);
    view.setUint8(at + RECORD.listFlags, listFlags(cells, row));
  }

  private writeCodes(cells: Cells, row: number, view: DataView, at: number): void {
    const tom = this.code("tom", cells.municipality_tom(row), "municipality_invalid");
    const ibge = this.code("ibge", cells.municipality_ibge(row), "municipality_invalid");
    const cnae = this.code("cnae", cells.cnae_primary(row), "cnae_invalid");
    const country = this.code("country", cells.country_code(row), "country_invalid");
    const reason = this.code("reason", cells.registration_status_reason(row), "reason_invalid");
    if (tom >= 0 && ibge >= 0) {
      this.scan.places.set(String(tom).padStart(4, "0"), String(ibge).padStart(7, "0"));
    }
    view.setUint16(at + SLOTS.municipality_tom, this.number("tom", tom), true);
    view.setUint16(at + SLOTS.municipality_ibge, this.number("ibge", ibge), true);
    view.setUint16(at + SLOTS.cnae_primary, this.number("cnae", cnae), true);
    view.setUint16(at + SLOTS.country_code, this.number("country", country), true);
    view.setUint8(at + SLOTS.registration_status_reason, this.number("reason", reason));
    view.setUint8(at + SLOTS.uf, this.ordinal(UFS, cells.uf(row), "uf_invalid", 2));
    const size = this.ordinal(COMPANY_SIZE_CODES, cells.company_size_code(row), "size_invalid", 2);
    view.setUint8(at + SLOTS.company_size_code, size === RECORD_NULL.u8 ? 0 : size);
  }

  private writeNumbers(cells: Cells, row: number, view: DataView, at: number): void {
    const status = wholeOf(cells.registration_status(row));
    const isStatus = [1, 2, 3, 4, 8].includes(status);
    if (!isStatus && status >= 0) this.odd("status_invalid", status);
    const postalCode = wholeOf(cells.postal_code(row));
    const isPostalCode = postalCode >= 0 && postalCode <= 99_999_999;
    if (!isPostalCode && postalCode >= 0) this.odd("postal_code_invalid", postalCode);
    view.setUint8(at + SLOTS.registration_status, isStatus ? status : RECORD_NULL.u8);
    view.setUint32(at + SLOTS.postal_code, isPostalCode ? postalCode : RECORD_NULL.u32, true);
    for (const { name, slot } of DATES) {
      view.setInt32(at + slot, this.day(cells[name](row)), true);
    }
    for (const { name, slot } of WHOLES) writeWhole(view, at + slot, wholeOf(cells[name](row)));
  }

  /** Returns a code as a number; -1 if the cell is empty or invalid. */
  private code(kind: CodeKind, cell: Cell, rule: Rule): number {
    if (cell === null || cell === undefined || cell === "") return -1;
    const text = String(cell);
    if (/^\d+$/.test(text) && text.length <= CODE_WIDTHS[kind]) return Number(text);
    this.odd(rule, text);
    return -1;
  }

  private number(kind: CodeKind, code: number): number {
    return code < 0 ? RECORD_NULL.u16 : this.scan.counters[kind].numberOf(code);
  }

  private ordinal(list: readonly string[], cell: Cell, rule: Rule, width: number): number {
    if (cell === null || cell === undefined || cell === "") return RECORD_NULL.u8;
    const ordinal = list.indexOf(String(cell).padStart(width, "0"));
    if (ordinal >= 0) return ordinal;
    this.odd(rule, cell);
    return RECORD_NULL.u8;
  }

  private secondary(cell: Cell): number[] {
    if (cell === null || cell === undefined || cell === "") return [];
    // If the column is not of a list type, a cell holds comma-separated codes, or an irregular
    // value.
    const items = typeof cell === "string" ? cell.split(",") : isList(cell) ? [...cell] : [cell];
    const codes = items
      .map((item) => this.code("cnae", item, "cnae_secondary_invalid"))
      .filter((code) => code >= 0);
    const once = [...new Set(codes)];
    const repeated = codes.length - once.length;
    const { tally } = this.scan;
    if (repeated > 0) tally.add("cnae_secondary_repeated", this.line, () => String(cell), repeated);
    return once;
  }

  /** Returns the days since 1970-01-01 of a date cell, which holds milliseconds or ISO text. */
  private day(cell: Cell): number {
    if (cell === null || cell === undefined || cell === "") return RECORD_NULL.days;
    const ms =
      cell instanceof Date
        ? cell.getTime()
        : typeof cell === "string"
          ? Date.parse(cell)
          : Number(cell);
    if (Number.isFinite(ms)) return Math.floor(ms / 86_400_000);
    this.odd("date_invalid", cell);
    return RECORD_NULL.days;
  }

  private odd(rule: Rule, value: Cell): void {
    this.scan.tally.add(rule, this.line, () => String(value));
  }
}

/** Returns a CNPJ, or null. Adds missing leading zeros only if the check digits are then right. */
function withZeros(given: string): string | null {
  const cnpj = /^\d+$/.test(given) ? given.padStart(14, "0") : given;
  if (!isStoredCnpj(cnpj)) return null;
  const bytes = Buffer.from(cnpj);
  const isRight =
    checkDigits(readBase36(bytes, 0, 8), readBase36(bytes, 8, 12)) === Number(cnpj.slice(12));
  return cnpj === given || isRight ? cnpj : null;
}

/** Columns of public lists, each with its flags: "the list is known" and "the account is on it". */
const LISTED = [
  ["in_cnep", LIST_FLAGS.cnepKnown, LIST_FLAGS.cnep],
  ["in_cepim", LIST_FLAGS.cepimKnown, LIST_FLAGS.cepim],
  ["federal_debt", LIST_FLAGS.debtKnown, 0],
  ["federal_debt_fgts", LIST_FLAGS.debtKnown, LIST_FLAGS.debtFgts],
  ["federal_debt_social_security", LIST_FLAGS.debtKnown, LIST_FLAGS.debtSocialSecurity],
  ["federal_debt_other", LIST_FLAGS.debtKnown, LIST_FLAGS.debtOther],
] as const satisfies readonly (readonly [ColumnName, known: number, listed: number])[];

function listFlags(cells: Cells, row: number): number {
  let flags = 0;
  for (const [name, known, listed] of LISTED) {
    const cell = cells[name](row);
    if (cell === null || cell === undefined) continue;
    flags |= known | (cell === true ? listed : 0);
  }
  return flags;
}

function isList(cell: Cell): cell is Iterable<Cell> {
  return typeof cell === "object" && cell !== null && Symbol.iterator in cell;
}

/** Returns a whole number of at least 0; -1 for any other cell. */
function wholeOf(cell: Cell): number {
  if (cell === null || cell === undefined || cell === "") return -1;
  const value = Number(cell);
  return Number.isSafeInteger(value) && value >= 0 ? value : -1;
}

function cnpjAt(view: DataView, at: number): string {
  const start = view.byteOffset + at + SLOTS.cnpj;
  return Buffer.from(view.buffer, start, 14).toString("latin1");
}

/** Writes a whole number from 0 to 2^53 as i64; a negative one becomes null. */
function writeWhole(view: DataView, at: number, value: number): void {
  const isNull = value < 0;
  view.setUint32(at, isNull ? 0 : value >>> 0, true);
  view.setUint32(at + 4, isNull ? 0x80000000 : Math.floor(value / 4294967296), true);
}
