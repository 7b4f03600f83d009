/**
 * The row record: one account on its way through the import, before it has a row id. Slots are
 * those of the table of columns. `record_layout.h` is made from this file by `headers.mjs`.
 * Invariant: a record is self-contained, little endian, and its length is a multiple of 8.
 *
 *   0 u32 length of the whole record        44 i32 started_on, days since 1970-01-01
 *   4 u16 score  6 u16 contactable          48 i32 registration_status_date, days
 *   8 u16 newest 10 u16 established         52 u32 postal_code
 *  12 cnpj, 14 ASCII bytes                  56 i64 share capital in cents
 *  26 u8 registration_status                64 i64 phone_1, E.164 digits as a number
 *  27 u8 company size code                  72 i64 phone_2
 *  28 u8 uf code  29 u8 status reason code
 *  30 u8 flags    31 u8 list flags          80 u32 x 4 companies of the e-mail and the phones,
 *  32 u16 legal nature  34 u16 tom             active establishments of the company
 *  36 u16 ibge    38 u16 country            96 i32 x 2 days of exclusion from Simples and MEI
 *  40 u16 primary activity                 104 i64 federal debt in cents
 *  42 u16 n, count of secondary activities 112 u16 x 8 byte lengths of the strings
 *                                          128 u16 x n secondary activity codes, then the UTF-8
 *                                              strings one after another in the order of
 *                                              RECORD_STRINGS, then zero padding
 */
import { COLUMNS } from "../format/columns.ts";

type ColumnRow = (typeof COLUMNS)[number];

/** Name of a column with a field in the fixed part of a record. */
export type SlotName = Extract<ColumnRow, { readonly slot: number }>["name"];

/** Name of a column whose values are strings after the fixed part. */
export type RecordString = Exclude<Extract<ColumnRow, { readonly type: "utf8" }>["name"], SlotName>;

/** The columns with slots, in slot order. */
export const SLOT_ROWS = COLUMNS.flatMap((column) => ("slot" in column ? [column] : [])).sort(
  (one, other) => one.slot - other.slot,
);

/** Bytes of a value in the fixed part of a record, by column type. */
export const SLOT_BYTES = {
  uint8: 1,
  dictionary8: 1,
  uint16: 2,
  dictionary16: 2,
  uint32: 4,
  /** The number itself, because numbers get codes only after all rows have been read. */
  dictionary16_uint32: 4,
  date32: 4,
  int64: 8,
  /** The CNPJ. */
  utf8: 14,
} as const;

/** Byte offset of each slot. */
export const SLOTS = Object.fromEntries(SLOT_ROWS.map(({ name, slot }) => [name, slot])) as {
  readonly [Name in SlotName]: number;
};

/** The strings of a record, in order. */
export const RECORD_STRINGS: readonly RecordString[] = COLUMNS.flatMap((column) =>
  column.type === "utf8" && !("slot" in column) ? [column.name] : [],
);

const SLOTS_END = Math.max(...SLOT_ROWS.map(({ slot, type }) => slot + SLOT_BYTES[type]));

/** Byte offsets of fields that are not columns. */
export const RECORD = {
  length: 0,
  flags: 30,
  listFlags: 31,
  secondaryCount: 42,
  stringLengths: SLOTS_END,
  fixedLength: SLOTS_END + 2 * RECORD_STRINGS.length,
} as const;

/** Returns the byte offset at which the length of a string is stored. */
export function stringLengthAt(name: RecordString): number {
  return RECORD.stringLengths + 2 * RECORD_STRINGS.indexOf(name);
}

/** Bits of the flags byte; `sanctionKnown` is set if a sanctions list was imported. */
export const RECORD_FLAGS = {
  headquarters: 1,
  simples: 2,
  mei: 4,
  sanctioned: 8,
  sanctionKnown: 16,
  ownDomain: 32,
} as const;

/** Bits of the list flags byte; a `…Known` bit is set if that list was imported. */
export const LIST_FLAGS = {
  cnep: 1,
  cnepKnown: 2,
  cepim: 4,
  cepimKnown: 8,
  debtKnown: 16,
  debtFgts: 32,
  debtSocialSecurity: 64,
  debtOther: 128,
} as const;

/** Values of the fixed part that mean null: u8, u16, u32, days (i32), and both i64 kinds. */
export const RECORD_NULL = {
  u8: 0xff,
  u16: 0xffff,
  u32: 0xffffffff,
  days: -0x80000000,
  /** -2^63, which is no valid share capital or phone. */
  i64: -(2n ** 63n),
  /** String length that means null. */
  stringLength: 0xffff,
} as const;
