/**
 * The row record: one account on its way through the import, before it has a row id.
 * What comes in and goes out: byte offsets of the fixed part. `record.h` is the native twin.
 * Invariant: a record is self-contained, little endian, and its length is a multiple of 8.
 *
 *   0 u32 length of the whole record        44 i32 started_on, days since 1970-01-01
 *   4 u16 score  6 u16 contactable          48 i32 registration_status_date, days
 *   8 u16 newest 10 u16 established         52 u32 postal_code
 *  12 cnpj, 14 ASCII bytes                  56 i64 share capital in cents
 *  26 u8 registration_status                64 i64 phone_1, E.164 digits as a number
 *  27 u8 company size code                  72 i64 phone_2
 *  28 u8 uf code  29 u8 status reason code  80 u16 x 8 byte lengths of the strings
 *  30 u8 flags    31 u8 zero                96 u16 x n secondary activity codes, then the
 *  32 u16 legal nature  34 u16 tom             UTF-8 strings one after another in the order of
 *  36 u16 ibge    38 u16 country               RECORD_STRINGS, then zero padding
 *  40 u16 primary activity  42 u16 n, count of secondary activities
 */

/** Byte offsets of the fixed part of a row record. */
export const RECORD = {
  length: 0,
  score: 4,
  scoreContactable: 6,
  scoreNewest: 8,
  scoreEstablished: 10,
  cnpj: 12,
  status: 26,
  size: 27,
  uf: 28,
  reason: 29,
  flags: 30,
  legalNature: 32,
  tom: 34,
  ibge: 36,
  country: 38,
  cnaePrimary: 40,
  secondaryCount: 42,
  startedOn: 44,
  statusDate: 48,
  postalCode: 52,
  capitalCents: 56,
  phone1: 64,
  phone2: 72,
  stringLengths: 80,
  fixedLength: 96,
} as const;

/** Bits of the flags byte; `sanctionKnown` is set when a sanctions list was imported. */
export const RECORD_FLAGS = {
  headquarters: 1,
  simples: 2,
  mei: 4,
  sanctioned: 8,
  sanctionKnown: 16,
} as const;

/** What stands for null in the fixed part: u8, u16, u32, days (i32), and both i64 kinds. */
export const RECORD_NULL = {
  u8: 0xff,
  u16: 0xffff,
  u32: 0xffffffff,
  days: -0x80000000,
  /** -2^63: no share capital and no phone has it. */
  i64: -(2n ** 63n),
  /** A string length that says null. */
  stringLength: 0xffff,
} as const;

/** The strings of a record, in order. */
export const RECORD_STRINGS = [
  "legal_name",
  "trade_name",
  "district",
  "street",
  "street_number",
  "address_complement",
  "foreign_city",
  "email",
] as const;
