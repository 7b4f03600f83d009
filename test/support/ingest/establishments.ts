/**
 * Writes establishments to spill files for the join.
 * Input: records of an Estabelecimentos file.
 * Output: row records (`native-index/builder/record.ts`). Their codes are provisional numbers that
 * the scan assigned, and the fields that the join fills (company, scores) are zero.
 * Invariant: every odd value becomes null and is counted. Only a row without a CNPJ is skipped.
 */
import {
  RECORD,
  RECORD_FLAGS,
  RECORD_NULL,
  RECORD_STRINGS,
  type RecordString,
  SLOTS,
  type SlotName,
} from "../../../native-index/builder/record.ts";
import {
  CNPJ_WIDTHS,
  checkDigits,
  cleanBranch,
  cleanCheckDigits,
  cleanCnaes,
  cleanRoot,
  isShortPart,
  newCnaeList,
  partitionOf,
  restOf,
  writeCnpj,
} from "../../../src/dump/cnpj.ts";
import { removeCpf } from "../../../src/dump/cpf.ts";
import { ESTAB } from "../../../src/dump/layout.ts";
import { type DumpRecord, RowRefusal } from "../../../src/dump/records.ts";
import { newTextSink, type TextSink } from "../../../src/dump/registrytext.ts";
import { isValue, oddCode, type Rule } from "../../../src/dump/rules.ts";
import {
  cleanCnae,
  cleanCode,
  cleanDate,
  cleanPhone,
  cleanPostalCode,
  cleanUf,
  fieldText,
} from "../../../src/dump/values.ts";
import type { AllCounters, CodeCounter } from "../../../src/ingest/dictionaries.ts";
import { TOM_CODES } from "../../../src/ingest/places/municipalities.ts";
import type { SpillWriter } from "../../../src/ingest/spill.ts";
import type { Tally } from "../../../src/ingest/tally.ts";
import { UFS } from "../../../src/spec/fields.ts";
import { countCode, writeWhole } from "./companies.ts";
import type { JoinedSlot } from "./join.ts";
import { cleanEmail, cleanText, clearTexts } from "./text.ts";

/** Registration statuses that exist. */
const STATUSES: readonly number[] = [1, 2, 3, 4, 8];

const ODD = {
  headquarters: oddCode("headquarters_invalid"),
  status: oddCode("status_invalid"),
  reason: oddCode("reason_invalid"),
  country: oddCode("country_invalid"),
  cnae: oddCode("cnae_invalid"),
  uf: oddCode("uf_invalid"),
  municipality: oddCode("municipality_invalid"),
  email: oddCode("email_invalid"),
};

/** The ordinal of each state, by its two letters. 255 means that there is no such state. */
const UF_ORDINALS = new Uint8Array(1 << 16).fill(RECORD_NULL.u8);
UFS.forEach((uf, ordinal) => {
  UF_ORDINALS[(uf.charCodeAt(0) << 8) | uf.charCodeAt(1)] = ordinal;
});

/** Inputs of an establishment scan. */
interface EstablishmentScan {
  readonly writer: SpillWriter;
  readonly partitions: number;
  readonly tally: Tally;
  readonly counters: AllCounters;
  /** Number of rows per state and TOM code; see `TOM_CODES` for the index. */
  readonly places: Uint32Array;
  /** Latest day that is accepted as a date. */
  readonly latestDay: number;
  /** If true, the CPF stays in trade names. */
  readonly keepCpf: boolean;
}

/** Scans establishments. `take` gets every record and keeps no reference to it. */
export class EstablishmentScanner {
  private readonly scan: EstablishmentScan;
  private readonly sink = newTextSink(1 << 21);
  private readonly cnaes = newCnaeList();
  private readonly lengths = new Uint16Array(RECORD_STRINGS.length);

  constructor(scan: EstablishmentScan) {
    this.scan = scan;
  }

  /** Spills a record. Returns false if the record has no CNPJ and is skipped. */
  take(record: DumpRecord): boolean {
    const root = cleanRoot(record, ESTAB.root);
    const branch = cleanBranch(record, ESTAB.branch);
    const check = cleanCheckDigits(record, ESTAB.check);
    const isWhole = isValue(root) && isValue(branch) && isValue(check);
    const isRight = isWhole && checkDigits(root, branch) === check;
    const isShort = isShortCnpj(record);
    if (!isWhole || (isShort && !isRight)) {
      this.scan.tally.add("cnpj_invalid", record.line, () => cnpjText(record));
      return false;
    }
    if (isShort) this.scan.tally.add("cnpj_zeros", record.line, () => cnpjText(record));
    else if (!isRight) {
      this.scan.tally.add("cnpj_check_digits", record.line, () => cnpjText(record));
    }
    this.readTexts(record);
    cleanCnaes(record, ESTAB.cnaeSecondary, this.cnaes);
    this.countCnaes(record);
    const { writer, partitions } = this.scan;
    const textAt = RECORD.fixedLength + 2 * this.cnaes.count;
    const length = (textAt + this.sink.length + 7) & ~7;
    const at = writer.reserve(partitionOf(root, partitions), length);
    const { bytes, view } = writer;
    bytes.fill(0, at, at + RECORD.fixedLength);
    view.setUint32(at + RECORD.length, length, true);
    writeCnpj(bytes, at + SLOTS.cnpj, root, restOf(branch, check));
    this.writeFlagsAndPlace(record, view, at, branch);
    for (const write of SLOT_WRITERS) write(record, this.scan, view, at);
    this.writeCnaes(view, at);
    for (let i = 0; i < this.lengths.length; i++) {
      view.setUint16(at + RECORD.stringLengths + 2 * i, this.lengths[i] as number, true);
    }
    bytes.set(this.sink.bytes.subarray(0, this.sink.length), at + textAt);
    bytes.fill(0, at + textAt + this.sink.length, at + length);
    return true;
  }

  /** Reads a record's texts into the sink in RECORD_STRINGS order, and stores the lengths. */
  private readTexts(record: DumpRecord): void {
    const { sink, scan } = this;
    clearTexts(sink);
    for (let i = 0; i < TEXT_READERS.length; i++) {
      this.setLength(record, i, (TEXT_READERS[i] as ReadText)(record, sink, scan));
    }
    scan.tally.texts(sink, record.line);
  }

  private setLength(record: DumpRecord, index: number, length: number): void {
    if (length >= RECORD_NULL.stringLength) {
      const reason = `a text of ${length} bytes; a closing quote is missing`;
      throw new RowRefusal(this.scan.tally.place, record.line, reason);
    }
    this.lengths[index] = length === 0 ? RECORD_NULL.stringLength : length;
  }

  private countCnaes(record: DumpRecord): void {
    const { odd, repeated, padded } = this.cnaes;
    const counts = { cnae_secondary_invalid: odd, cnae_secondary_repeated: repeated };
    const value = (): string => fieldText(record, ESTAB.cnaeSecondary);
    for (const [rule, times] of Object.entries({ ...counts, code_zeros: padded })) {
      if (times > 0) this.scan.tally.add(rule as Rule, record.line, value, times);
    }
  }

  private writeFlagsAndPlace(record: DumpRecord, view: DataView, at: number, branch: number): void {
    const { tally, counters, places } = this.scan;
    const flag = cleanCode(record, ESTAB.headquarters, 1, ODD.headquarters);
    const isOdd = flag !== 1 && flag !== 2;
    if (isOdd) tally.odd(ODD.headquarters, record, ESTAB.headquarters);
    const isHead = isOdd ? branch === 1 : flag === 1;
    const letters = cleanUf(record, ESTAB.uf);
    const uf = isValue(letters) ? (UF_ORDINALS[letters] as number) : RECORD_NULL.u8;
    const isUnknown = isValue(letters) && uf === RECORD_NULL.u8;
    tally.odd(isUnknown ? ODD.uf : letters, record, ESTAB.uf);
    const tom = cleanCode(record, ESTAB.municipality, 4, ODD.municipality);
    countCode(tom, record, [ESTAB.municipality, 4], tally);
    view.setUint8(at + SLOTS.uf, uf);
    view.setUint8(at + RECORD.flags, isHead ? RECORD_FLAGS.headquarters : 0);
    view.setUint8(at + RECORD.flags + 1, 0);
    view.setUint16(at + SLOTS.municipality_tom, numberOf(counters.tom, tom), true);
    view.setUint16(at + SLOTS.municipality_ibge, RECORD_NULL.u16, true);
    if (uf === RECORD_NULL.u8 || !isValue(tom)) return;
    const place = uf * TOM_CODES + tom;
    places[place] = (places[place] as number) + 1;
  }

  private writeCnaes(view: DataView, at: number): void {
    const { counters } = this.scan;
    const { codes, count } = this.cnaes;
    view.setUint16(at + RECORD.secondaryCount, count, true);
    for (let i = 0; i < count; i++) {
      const number = counters.cnae.numberOf(codes[i] as number);
      view.setUint16(at + RECORD.fixedLength + 2 * i, number, true);
    }
  }
}

/** Appends a text of a record to the sink and returns its length; 0 if there is none. */
type ReadText = (record: DumpRecord, sink: TextSink, scan: EstablishmentScan) => number;

/**
 * For every string of a row record, the function that reads it. A column without an entry does not
 * compile.
 */
const TEXTS: Readonly<Record<RecordString, ReadText>> = {
  /** The join adds the legal name. */
  legal_name: () => 0,
  trade_name(record, sink, { tally, keepCpf }) {
    const name = cleanText(record, ESTAB.tradeName, sink);
    const without = keepCpf ? name : removeCpf(sink, name, true);
    if (without !== name) tally.add("trade_name_cpf_removed", record.line);
    return without;
  },
  district: (record, sink) => cleanText(record, ESTAB.district, sink),
  street: readStreet,
  street_number: (record, sink) => cleanText(record, ESTAB.number, sink),
  address_complement: (record, sink) => cleanText(record, ESTAB.complement, sink),
  foreign_city: (record, sink) => cleanText(record, ESTAB.foreignCity, sink),
  email(record, sink, { tally }) {
    const length = cleanEmail(record, ESTAB.email, sink);
    tally.odd(length, record, ESTAB.email);
    return isValue(length) ? length : 0;
  },
};

const TEXT_READERS = RECORD_STRINGS.map((name) => TEXTS[name]);

/** Appends the street type and the street, with one blank between them. */
function readStreet(record: DumpRecord, sink: TextSink): number {
  const type = cleanText(record, ESTAB.streetType, sink);
  if (type === 0) return cleanText(record, ESTAB.street, sink);
  sink.bytes[sink.length++] = 32;
  const street = cleanText(record, ESTAB.street, sink);
  if (street > 0) return type + 1 + street;
  sink.length--;
  return type;
}

/** Slots of a row record that are filled together, from the CNPJ and the municipality. */
type PlaceSlot = "cnpj" | "uf" | "municipality_tom" | "municipality_ibge";

/** Writes one value of the row record that begins at `at`. */
type WriteSlot = (record: DumpRecord, scan: EstablishmentScan, view: DataView, at: number) => void;

/** For every other slot, the function that writes it. Every column must have an entry. */
const SLOT_VALUES: Readonly<Record<Exclude<SlotName, PlaceSlot | JoinedSlot>, WriteSlot>> = {
  registration_status(record, { tally }, view, at) {
    const status = cleanCode(record, ESTAB.status, 2, ODD.status);
    const isStatus = STATUSES.includes(status);
    const answer = isStatus || !isValue(status) ? status : ODD.status;
    countCode(answer, record, [ESTAB.status, 2], tally);
    view.setUint8(at + SLOTS.registration_status, isStatus ? status : RECORD_NULL.u8);
  },
  registration_status_reason(record, { tally, counters }, view, at) {
    const reason = cleanCode(record, ESTAB.reason, 2, ODD.reason);
    countCode(reason, record, [ESTAB.reason, 2], tally);
    view.setUint8(at + SLOTS.registration_status_reason, numberOf(counters.reason, reason));
  },
  country_code(record, { tally, counters }, view, at) {
    const country = cleanCode(record, ESTAB.country, 3, ODD.country);
    countCode(country, record, [ESTAB.country, 3], tally);
    view.setUint16(at + SLOTS.country_code, numberOf(counters.country, country), true);
  },
  postal_code(record, { tally }, view, at) {
    const postalCode = cleanPostalCode(record, ESTAB.postalCode);
    countCode(postalCode, record, [ESTAB.postalCode, 8], tally);
    const code = isValue(postalCode) ? postalCode : RECORD_NULL.u32;
    view.setUint32(at + SLOTS.postal_code, code, true);
  },
  started_on(record, scan, view, at) {
    view.setInt32(at + SLOTS.started_on, readDate(record, ESTAB.startedOn, scan), true);
  },
  registration_status_date(record, scan, view, at) {
    const day = readDate(record, ESTAB.statusDate, scan);
    view.setInt32(at + SLOTS.registration_status_date, day, true);
  },
  phone_1(record, scan, view, at) {
    writeWhole(view, at + SLOTS.phone_1, readPhone(record, ESTAB.area1, ESTAB.phone1, scan));
  },
  phone_2(record, scan, view, at) {
    writeWhole(view, at + SLOTS.phone_2, readPhone(record, ESTAB.area2, ESTAB.phone2, scan));
  },
  cnae_primary(record, { tally, counters }, view, at) {
    const primary = cleanCnae(record, ESTAB.cnaePrimary, ODD.cnae);
    countCode(primary, record, [ESTAB.cnaePrimary, 7], tally);
    view.setUint16(at + SLOTS.cnae_primary, numberOf(counters.cnae, primary), true);
  },
};

const SLOT_WRITERS = Object.values(SLOT_VALUES);

function isShortCnpj(record: DumpRecord): boolean {
  const { root, branch, check } = CNPJ_WIDTHS;
  return (
    isShortPart(record, ESTAB.root, root) ||
    isShortPart(record, ESTAB.branch, branch) ||
    isShortPart(record, ESTAB.check, check)
  );
}

function readDate(record: DumpRecord, column: number, scan: EstablishmentScan): number {
  const days = cleanDate(record, column, scan.latestDay);
  scan.tally.odd(days, record, column);
  return isValue(days) ? days : RECORD_NULL.days;
}

function readPhone(
  record: DumpRecord,
  area: number,
  column: number,
  { tally }: EstablishmentScan,
): number {
  const phone = cleanPhone(record, area, column);
  tally.odd(phone, record, column);
  return isValue(phone) ? phone : -1;
}

/**
 * Returns the provisional number of a code. Without a code, returns the 16-bit null, whose low byte
 * is also the 8-bit null.
 */
function numberOf(counter: CodeCounter, code: number): number {
  return isValue(code) ? counter.numberOf(code) : RECORD_NULL.u16;
}

function cnpjText(record: DumpRecord): string {
  return [ESTAB.root, ESTAB.branch, ESTAB.check].map((c) => fieldText(record, c)).join("/");
}
