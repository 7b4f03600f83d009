/**
 * The reference implementation of the join (src/ingest/join.ts), in plain TypeScript. It joins the
 * establishments of one partition with their companies and scores them.
 * Input: the temporary files that the scan has written, and the tables that map provisional numbers
 * to dictionary codes.
 * Output: finished row records, written to a file for each range of the rank order.
 * Invariant: files are read in the order of parts. If a CNPJ has several rows, the first by part
 * and line is kept. If a company has several rows, the first that has a name is kept.
 */
import {
  LIST_FLAGS,
  RECORD,
  RECORD_FLAGS,
  RECORD_NULL,
  SLOTS,
  stringLengthAt,
} from "../../../native-index/builder/record.ts";
import { readBase36, writeCnpj } from "../../../src/dump/cnpj.ts";
import { DEBT_BYTES } from "../../../src/ingest/debts.ts";
import type { AllRemaps } from "../../../src/ingest/dictionaries.ts";
import type { JoinContext, JoinFile, JoinResult, JoinTask } from "../../../src/ingest/join.ts";
import { type RankKeys, rangeOf } from "../../../src/ingest/rank.ts";
import type { RowPlace } from "../../../src/ingest/shared-values.ts";
import { bucketBytes, readBucket, type SpillFile, SpillWriter } from "../../../src/ingest/spill.ts";
import { Tally } from "../../../src/ingest/tally.ts";
import { scoreAccount } from "../../../src/search/score.ts";
import { COMPANY, readWhole, SIZES } from "./companies.ts";
import { CompanyTable } from "./company-table.ts";
import { KeyTable } from "./keytable.ts";
import { type CountedRow, hasPhone, RowCounts } from "./row-counts.ts";

/** Slots of a row record that the join fills: a company's values, and the scores. */
export type JoinedSlot =
  | "legal_nature"
  | "company_size_code"
  | "share_capital_cents"
  | "score"
  | "score_contactable"
  | "score_newest"
  | "score_established"
  | "email_shared"
  | "phone_1_shared"
  | "phone_2_shared"
  | "establishments"
  | "simples_excluded_on"
  | "mei_excluded_on"
  | "federal_debt_cents";

/** A company. Its record begins at `at`, which is -1 if it has no company row. */
interface Company {
  bytes: Buffer;
  view: DataView;
  at: number;
  flags: number;
}

/** Joins one partition. */
export function joinHere(context: JoinContext, task: JoinTask): JoinResult {
  const ranges = task.splits.scores.length + 1;
  const writer = new SpillWriter(task.spillPath, ranges, context.slotBytes);
  const values = new SpillWriter(task.valuesPath, task.valueBuckets, context.slotBytes);
  const written = new Float64Array(ranges);
  const join = new PartitionJoin(context, task.partition);
  const rows = join.run((row) => {
    const range = rangeOf(task.splits, row.scores[0] as number, row.root, row.rest);
    const offset = written[range] as number;
    written[range] = offset + row.write(writer, range);
    row.spillValues(values, task.valueBuckets, { range, offset });
  }, 1);
  Atomics.add(task.progress, 0, join.bytesRead >> 10);
  return {
    spill: writer.close(),
    values: values.close(),
    establishments: join.establishments(),
    rows,
    companies: join.companyCount,
    tally: join.tally.result(),
  };
}

/** Collects the sort keys of every `stride`-th row of a partition. */
export function samplePartition(context: JoinContext, partition: number, stride: number): RankKeys {
  const keys: [number, number, number][] = [];
  new PartitionJoin(context, partition).run((row) => {
    keys.push([row.scores[0] as number, row.root, row.rest]);
  }, stride);
  return {
    scores: Uint16Array.from(keys, ([score]) => score),
    roots: Float64Array.from(keys, ([, root]) => root),
    rests: Uint32Array.from(keys, ([, , rest]) => rest),
  };
}

/** Initial facts for computing a score, replaced as they become known. */
const NO_FACTS = {
  ...{ status: 0, size: 0, mei: false, headquarters: false, hasEmail: false, phones: 0 },
  ...{ activityKnown: false, ageDays: -1, capitalCents: -1, sanctioned: false },
};

/** Reads a partition's establishments, and calls a function for each row with its score. */
class PartitionJoin {
  readonly tally = new Tally("");
  bytesRead = 0;
  companyCount = 0;
  readonly scores = new Uint16Array(4);
  root = 0;
  rest = 0;
  private readonly context: JoinContext;
  private readonly partition: number;
  private readonly facts = { ...NO_FACTS };
  private readonly company: Company;
  private bytes = Buffer.alloc(0);
  private view: DataView = new DataView(new ArrayBuffer(0));
  private at = 0;
  private readonly counts: RowCounts;
  private readonly debts: ReadonlyMap<string, TwinDebt> | null;

  constructor(context: JoinContext, partition: number) {
    this.context = context;
    this.partition = partition;
    this.counts = new RowCounts(context.providers);
    this.debts = context.debts === null ? null : debtsOf(context.debts, partition);
    this.company = { bytes: this.bytes, view: this.view, at: -1, flags: 0 };
  }

  run(show: (row: this) => void, stride: number): number {
    const { context, partition } = this;
    const sizes = context.establishments.map(({ spill }) => bucketBytes(spill, partition));
    const companies = this.readCompanies();
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const seen = new KeyTable(Math.ceil(total / RECORD.fixedLength));
    this.bytes = Buffer.alloc(Math.max(0, ...sizes));
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    const retained: boolean[] = [];
    this.eachRecord(() => {
      retained.push(retained.length % stride === 0 && this.isNew(seen));
      if (retained.at(-1)) this.counts.see(this.root, this.view, this.at);
    });
    let next = 0;
    this.eachRecord(({ remaps }) => {
      if (!retained[next++]) return;
      this.readKey();
      this.remap(remaps);
      if (companies !== null) this.fill(companies);
      this.addLists();
      this.score();
      this.counts.fill(this.row(), this.root);
      show(this);
    });
    for (const size of sizes) this.bytesRead += size;
    companies?.countOrphans();
    return seen.size;
  }

  private eachRecord(take: (file: JoinFile) => void): void {
    for (const file of this.context.establishments) {
      const end = readBucket(file.spill, this.partition, this.bytes, 0);
      for (this.at = 0; this.at < end; this.at += this.view.getUint32(this.at, true)) take(file);
    }
  }

  /** Returns the different numbers of active establishments per company so far, ascending. */
  establishments(): Uint32Array {
    return this.counts.met();
  }

  /** Writes the row's e-mail and phones to the spill file, with the row's position. */
  spillValues(writer: SpillWriter, buckets: number, place: RowPlace): void {
    this.counts.spill(this.row(), writer, { ...place, root: this.root, buckets });
  }

  /** Returns the current row, with the bytes of its e-mail, which is the last of its strings. */
  private row(): CountedRow {
    const { view, bytes, at } = this;
    const length = view.getUint16(at + EMAIL_LENGTH, true);
    const has = length !== RECORD_NULL.stringLength;
    const count = view.getUint16(at + RECORD.secondaryCount, true);
    const end = at + RECORD.fixedLength + 2 * count + this.textBytes();
    return { view, bytes, at, email: bytes.subarray(has ? end - length : end, end) };
  }

  private readCompanies(): CompanyTable | null {
    const { companies, simples } = this.context;
    if (companies === null) return null;
    const table = new CompanyTable(companies, simples, this.partition, this.tally);
    this.company.bytes = table.bytes;
    this.company.view = table.view;
    this.companyCount = table.rows;
    return table;
  }

  private readKey(): void {
    const at = this.at + SLOTS.cnpj;
    const { bytes } = this;
    this.root = readBase36(bytes, at, at + 8);
    const check = ((bytes[at + 12] as number) - 48) * 10 + (bytes[at + 13] as number) - 48;
    this.rest = readBase36(bytes, at + 8, at + 12) * 100 + check;
  }

  private isNew(seen: KeyTable): boolean {
    const at = this.at + SLOTS.cnpj;
    const { bytes } = this;
    this.readKey();
    const before = seen.size;
    seen.add(this.root, this.rest);
    if (seen.size > before) return true;
    this.tally.add("cnpj_duplicate", 0, () => bytes.toString("latin1", at, at + 14));
    return false;
  }

  /** Replaces provisional numbers in the row by dictionary codes. */
  private remap(remaps: AllRemaps): void {
    const { view, at, bytes } = this;
    remap16(view, at + SLOTS.municipality_tom, remaps.tom);
    remap16(view, at + SLOTS.country_code, remaps.country);
    remap16(view, at + SLOTS.cnae_primary, remaps.cnae);
    remap16(view, at + SLOTS.legal_nature, remaps.nature);
    remap16(view, at + SLOTS.municipality_ibge, remaps.ibge);
    const reasonAt = at + SLOTS.registration_status_reason;
    const reason = bytes[reasonAt] as number;
    if (reason !== RECORD_NULL.u8) bytes[reasonAt] = remaps.reason[reason] as number;
    const count = view.getUint16(at + RECORD.secondaryCount, true);
    for (let i = 0; i < count; i++) {
      remap16(view, at + RECORD.fixedLength + 2 * i, remaps.cnae);
    }
  }

  /** Fills in the values of the company, the municipality's IBGE code, and the sanction flag. */
  private fill(companies: CompanyTable): void {
    const { view, at, company, context } = this;
    const index = companies.meet(this.root);
    company.at = index < 0 ? -1 : companies.offset(index);
    company.flags = index < 0 ? 0 : companies.flags(index);
    const has = company.at >= 0;
    if (!has) {
      const { bytes } = this;
      const cnpjAt = at + SLOTS.cnpj;
      this.tally.add("company_missing", 0, () => bytes.toString("latin1", cnpjAt, cnpjAt + 14));
    }
    const nature = has ? company.view.getUint16(company.at + COMPANY.nature, true) : -1;
    view.setUint16(at + SLOTS.legal_nature, has ? nature : RECORD_NULL.u16, true);
    view.setUint8(
      at + SLOTS.company_size_code,
      has ? company.view.getUint8(company.at + COMPANY.size) : 0,
    );
    view.setUint32(at + SLOTS.share_capital_cents, 0, true);
    view.setUint32(at + SLOTS.share_capital_cents + 4, 0x80000000, true);
    if (has) {
      const capital = company.at + COMPANY.capital;
      const { view: source } = company;
      view.setUint32(at + SLOTS.share_capital_cents, source.getUint32(capital, true), true);
      view.setUint32(at + SLOTS.share_capital_cents + 4, source.getUint32(capital + 4, true), true);
    }
    const flags = view.getUint8(at + RECORD.flags) | company.flags | this.sanctionFlags();
    view.setUint8(at + RECORD.flags, flags);
    view.setUint16(at + SLOTS.municipality_ibge, this.ibgeOrdinal(context), true);
    const none = [RECORD_NULL.days, RECORD_NULL.days] as const;
    const [simples, mei] = index < 0 ? none : companies.excluded(index);
    view.setInt32(at + SLOTS.simples_excluded_on, simples, true);
    view.setInt32(at + SLOTS.mei_excluded_on, mei, true);
    view.setBigInt64(at + SLOTS.federal_debt_cents, RECORD_NULL.i64, true);
  }

  /** Sets the row's columns that come from imported lists. */
  private addLists(): void {
    const { view, bytes, context } = this;
    const at = this.at + SLOTS.cnpj;
    const cnpj = bytes.toString("latin1", at, at + 14);
    let flags = view.getUint8(this.at + RECORD.listFlags);
    const { cnep, cepim } = context;
    if (cnep !== null) {
      flags = (flags & ~LIST_FLAGS.cnep) | LIST_FLAGS.cnepKnown;
      if (cnep.has(cnpj)) flags |= LIST_FLAGS.cnep;
    }
    if (cepim !== null) {
      flags = (flags & ~LIST_FLAGS.cepim) | LIST_FLAGS.cepimKnown;
      if (cepim.has(cnpj)) flags |= LIST_FLAGS.cepim;
    }
    if (this.debts !== null) {
      const debt = this.debts.get(cnpj);
      flags = (flags & ~DEBT_KINDS) | LIST_FLAGS.debtKnown | (debt?.kinds ?? 0);
      const cents = debt?.cents ?? RECORD_NULL.i64;
      view.setBigInt64(this.at + SLOTS.federal_debt_cents, cents, true);
    }
    view.setUint8(this.at + RECORD.listFlags, flags);
  }

  private sanctionFlags(): number {
    const { sanctioned } = this.context;
    if (sanctioned === null) return 0;
    const at = this.at + SLOTS.cnpj;
    const isListed = sanctioned.has(this.bytes.toString("latin1", at, at + 14));
    return RECORD_FLAGS.sanctionKnown | (isListed ? RECORD_FLAGS.sanctioned : 0);
  }

  private ibgeOrdinal({ ibge, tomCount, tomAbroad, ufAbroad }: JoinContext): number {
    const { view, at } = this;
    const uf = view.getUint8(at + SLOTS.uf);
    const tom = view.getUint16(at + SLOTS.municipality_tom, true);
    if (tom === RECORD_NULL.u16 || tom === tomAbroad || uf === ufAbroad) return RECORD_NULL.u16;
    const ordinal = uf === RECORD_NULL.u8 ? RECORD_NULL.u16 : (ibge[uf * tomCount + tom] as number);
    if (ordinal === RECORD_NULL.u16) {
      const { bytes } = this;
      const cnpjAt = at + SLOTS.cnpj;
      this.tally.add("municipality_unknown", 0, () =>
        bytes.toString("latin1", cnpjAt, cnpjAt + 14),
      );
    }
    return ordinal;
  }

  private score(): void {
    const { view, at, facts, context } = this;
    const flags = view.getUint8(at + RECORD.flags);
    const status = view.getUint8(at + SLOTS.registration_status);
    const size = view.getUint8(at + SLOTS.company_size_code);
    const started = view.getInt32(at + SLOTS.started_on, true);
    const cnae = view.getUint16(at + SLOTS.cnae_primary, true);
    const phones =
      (hasPhone(view, at + SLOTS.phone_1) ? 1 : 0) + (hasPhone(view, at + SLOTS.phone_2) ? 1 : 0);
    facts.status = status === RECORD_NULL.u8 ? 0 : status;
    facts.size = size === RECORD_NULL.u8 ? -1 : (SIZES[size] as number);
    facts.mei = (flags & RECORD_FLAGS.mei) !== 0;
    facts.headquarters = (flags & RECORD_FLAGS.headquarters) !== 0;
    facts.hasEmail = view.getUint16(at + EMAIL_LENGTH, true) !== RECORD_NULL.stringLength;
    facts.phones = phones;
    facts.activityKnown = cnae !== RECORD_NULL.u16 && cnae !== context.cnaeNotInformed;
    facts.ageDays = started === RECORD_NULL.days ? -1 : context.snapshotDay - started;
    facts.capitalCents = readWhole(view, at + SLOTS.share_capital_cents);
    facts.sanctioned = (flags & RECORD_FLAGS.sanctioned) !== 0;
    scoreAccount(facts, this.scores);
    for (let i = 0; i < 4; i++) {
      view.setUint16(at + SLOTS.score + 2 * i, this.scores[i] as number, true);
    }
  }

  /**
   * Writes the finished record and returns its length. In the record, the company's name precedes
   * the strings of the establishment.
   */
  write(writer: SpillWriter, range: number): number {
    const { view, at, bytes, company } = this;
    const count = view.getUint16(at + RECORD.secondaryCount, true);
    const head = RECORD.fixedLength + 2 * count;
    const nameLength =
      company.at < 0
        ? RECORD_NULL.stringLength
        : company.view.getUint16(company.at + COMPANY.nameLength, true);
    const name = nameLength === RECORD_NULL.stringLength ? 0 : nameLength;
    const texts = this.textBytes();
    const used = head + name + texts;
    const length = (used + 7) & ~7;
    const to = writer.reserve(range, length);
    // Copies 4 bytes at a time, because a call of `copy` would take longer than these copies. The
    // last copy may include two bytes too many, which are overwritten later.
    for (let p = 0; p < head; p += 4) {
      writer.view.setInt32(to + p, view.getInt32(at + p, true), true);
    }
    if (name > 0) {
      const from = company.at + COMPANY.name;
      company.bytes.copy(writer.bytes, to + head, from, from + name);
    }
    bytes.copy(writer.bytes, to + head + name, at + head, at + head + texts);
    for (let p = used; p < length; p++) writer.bytes[to + p] = 0;
    writer.view.setUint32(to + RECORD.length, length, true);
    if (this.context.companies !== null) {
      writer.view.setUint16(to + NAME_LENGTH, nameLength, true);
    }
    return length;
  }

  /** Returns the number of bytes of all strings in the source record. */
  private textBytes(): number {
    let sum = 0;
    for (let at = this.at + RECORD.stringLengths; at < this.at + RECORD.fixedLength; at += 2) {
      const length = this.view.getUint16(at, true);
      if (length !== RECORD_NULL.stringLength) sum += length;
    }
    return sum;
  }
}

const DEBT_KINDS = LIST_FLAGS.debtFgts | LIST_FLAGS.debtSocialSecurity | LIST_FLAGS.debtOther;

interface TwinDebt {
  readonly cents: bigint;
  readonly kinds: number;
}

/** Returns the debts of a partition (src/ingest/debts.ts), summed for each CNPJ. */
function debtsOf(spill: SpillFile, partition: number): Map<string, TwinDebt> {
  const bytes = Buffer.alloc(bucketBytes(spill, partition));
  readBucket(spill, partition, bytes, 0);
  const debts = new Map<string, TwinDebt>();
  const cnpj = Buffer.alloc(14);
  for (let at = 0; at < bytes.length; at += DEBT_BYTES) {
    writeCnpj(cnpj, 0, bytes.readDoubleLE(at), bytes.readUInt32LE(at + 8));
    const key = cnpj.toString("latin1");
    const { cents, kinds } = debts.get(key) ?? { cents: 0n, kinds: 0 };
    const sum = cents + bytes.readBigInt64LE(at + 16);
    debts.set(key, { cents: sum, kinds: kinds | bytes.readUInt32LE(at + 12) });
  }
  return debts;
}

/** Offset of the legal name's length; it is the first string. */
const NAME_LENGTH = stringLengthAt("legal_name");
/** Offset of the e-mail's length. */
const EMAIL_LENGTH = stringLengthAt("email");

function remap16(view: DataView, at: number, table: Uint16Array): void {
  const number = view.getUint16(at, true);
  if (number !== RECORD_NULL.u16) view.setUint16(at, table[number] as number, true);
}
