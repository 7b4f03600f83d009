/**
 * What comes in: status, city, who answers for it and the random numbers of one establishment.
 * What goes out: the columns from first area code to e-mail.
 * Invariant: numbers have at most 8 digits, so mobiles have lost their leading 9, as in the
 * registry; how often each contact is there depends on the status. Whoever answers for several
 * companies gives the same e-mail and, mostly, the same first phone for all of them.
 */

import type { SampleCity } from "./cities.ts";
import { any, brand, surname } from "./names.ts";
import { IS_OFFICE } from "./offices.ts";
import type { EstablishmentQuirk } from "./quirks.ts";
import { hash, type Random, Weighted } from "./random.ts";
import { writeOfficeWord } from "./vocabulary.ts";
import { FREE_MAIL, GIVEN_NAMES, MAIL_JUNK, SURNAMES } from "./words.ts";
import type { RowBytes } from "./zip/bytes.ts";
import { latin1 } from "./zip/bytes.ts";

const FREE_DOMAINS = FREE_MAIL.map(([domain]) => latin1(domain));
const FREE_SHARES = new Weighted(FREE_MAIL.map(([, share]) => share));
/** Of the e-mails that a company has for itself so many are of a free provider. */
const FREE_TOTAL = 0.9;
/** The same of a hundred offices. */
const FREE_OFFICES = 60;
/** Of a hundred offices so many give their own e-mail, and so many their own phone. */
const OFFICE_EMAILS = 85;
const OFFICE_PHONES = 70;
const OFFICE_LANDLINES = 60;
const COM_BR = latin1(".COM.BR");
const ACCOUNTANT = latin1("FISCAL@");
const ACCOUNTANT_FREE = latin1("CONT");
const OFFICES = ["CONTATO", "FINANCEIRO", "FISCAL", "COMERCIAL", "ADM", "VENDAS"].map(latin1);

/** What the contact columns depend on. */
interface ContactSource {
  readonly city: SampleCity;
  readonly isActive: boolean;
  /** Opened before 1996: such rows have faxes and short numbers. */
  readonly isOld: boolean;
  readonly quirk: EstablishmentQuirk | null;
  /** Who answers for the company, of offices.ts; 0 for itself. */
  readonly office: number;
}

/** Writes area code and number of both phones and the fax, and the e-mail: seven columns. */
export function writeContact(row: RowBytes, random: Random, source: ContactSource): void {
  const { isActive, isOld, quirk } = source;
  const hasEmail = random.chance(isActive ? 0.871 : 0.6) || quirk === "email_junk";
  const phoneShare = isActive ? (hasEmail ? 0.997 : 0.74) : hasEmail ? 0.93 : 0.42;
  const hasPhone = random.chance(phoneShare) || (quirk !== null && PHONE_QUIRKS.has(quirk));
  if (hasPhone) writePhone(row, random, source);
  else if (random.chance(0.28)) writeZeroPhone(row);
  else row.next();
  row.next();
  const hasSecond = random.chance(0.082);
  if (hasSecond) writePlainPhone(row, random, source);
  else row.next();
  row.next();
  if (random.chance(isOld ? 0.3 : 0.085)) writePlainPhone(row, random, source);
  else row.next();
  row.next();
  if (hasEmail) writeEmail(row, random, source);
}

const PHONE_QUIRKS: ReadonlySet<EstablishmentQuirk> = new Set<EstablishmentQuirk>([
  "area_leading_zeros",
  "area_zero",
  "phone_zero",
  "phone_5_digits",
  "phone_7_digits",
]);

function writeZeroPhone(row: RowBytes): void {
  row.byte(48);
  row.next();
  row.byte(48);
}

function writePlainPhone(row: RowBytes, random: Random, { city, isActive }: ContactSource): void {
  writeArea(row, city);
  row.next();
  writeNumber(row, random, isActive);
}

function writeArea(row: RowBytes, city: SampleCity): void {
  row.digits(city.areaCode || 11, 2);
}

const NUMBER_DRAWS = 3;

/** Eight digits: 60 % of active ones are mobiles without their leading 9. */
function writeNumber(row: RowBytes, random: Random, isActive: boolean): void {
  const isMobile = random.chance(isActive ? 0.6 : 0.45);
  row.byte(isMobile ? 56 + random.below(2) : 50 + random.below(4));
  row.digits(random.below(10_000_000), 7);
}

function writePhone(row: RowBytes, random: Random, source: ContactSource): void {
  const { quirk } = source;
  if (quirk === "phone_zero") {
    writeZeroPhone(row);
    return;
  }
  if (quirk === "area_zero") row.byte(48);
  else {
    if (quirk === "area_leading_zeros") row.byte(48);
    if (quirk === "area_leading_zeros" && random.chance(0.5)) row.byte(48);
    writeArea(row, source.city);
  }
  row.next();
  if (quirk === "phone_5_digits") row.digits(20_000 + random.below(70_000), 5);
  else if (quirk === "phone_7_digits" || (source.isOld && random.chance(0.05))) {
    row.digits(2_000_000 + random.below(7_000_000), 7);
  } else if (source.office !== 0 && random.peek(100) < OFFICE_PHONES) {
    writeSharedNumber(row, source.office);
    // As many numbers as one of its own takes, so that what stands behind it is the same.
    for (let i = 0; i < NUMBER_DRAWS; i++) random.next();
  } else writeNumber(row, random, source.isActive);
}

/** The number of an office or an owner: that of an owner is a mobile. */
function writeSharedNumber(row: RowBytes, office: number): void {
  const bits = hash(office, 1, 0);
  const isLandline = (office & IS_OFFICE) !== 0 && bits % 100 < OFFICE_LANDLINES;
  row.byte(isLandline ? 50 + ((bits >>> 8) & 3) : 56 + ((bits >>> 8) & 1));
  row.digits(hash(office, 2, 0) % 10_000_000, 7);
}

function writeEmail(row: RowBytes, random: Random, { quirk, office }: ContactSource): void {
  if (quirk === "email_junk" || random.chance(0.0008)) {
    row.quoted(any(random, MAIL_JUNK));
    return;
  }
  const start = row.length;
  const u = random.unit();
  if (office !== 0 && random.peek(100) < OFFICE_EMAILS) writeSharedEmail(row, office);
  else if (u < FREE_TOTAL) {
    if (random.chance(0.7)) row.word(any(random, GIVEN_NAMES));
    else brand(row, random);
    const isFull = random.chance(0.6);
    if (isFull) surname(row, random);
    // Nearly everybody has an address that nobody else has.
    row.integer(random.below(isFull && random.chance(0.5) ? 10_000 : 1_000_000));
    row.byte(64);
    row.word(FREE_DOMAINS[FREE_SHARES.pick(random)] as Uint8Array);
  } else {
    row.word(any(random, OFFICES));
    row.byte(64);
    brand(row, random);
    surname(row, random);
    row.word(COM_BR);
  }
  finishEmail(row, start, random.chance(0.23));
}

/** The e-mail of an office or an owner. */
function writeSharedEmail(row: RowBytes, office: number): void {
  const bits = hash(office, 3, 0);
  const free = FREE_DOMAINS[FREE_SHARES.at(hash(office, 4, 0) * 2 ** -32)] as Uint8Array;
  if ((office & IS_OFFICE) === 0) {
    row.word(GIVEN_NAMES[bits % GIVEN_NAMES.length] as Uint8Array);
    row.word(SURNAMES[(bits >>> 8) % SURNAMES.length] as Uint8Array);
    row.integer(hash(office, 5, 0) % 1_000_000);
  } else {
    const isFree = bits % 100 < FREE_OFFICES;
    row.word(isFree ? ACCOUNTANT_FREE : ACCOUNTANT);
    writeOfficeWord(row, office >>> 8);
    if (!isFree) {
      row.word(COM_BR);
      return;
    }
  }
  row.byte(64);
  row.word(free);
}

/** Word lists hold blanks, which an address cannot have; about a quarter is in lower case. */
function finishEmail(row: RowBytes, start: number, isLower: boolean): void {
  const { bytes } = row;
  let write = start;
  for (let read = start; read < row.length; read++) {
    const byte = bytes[read] as number;
    if (byte !== 32) bytes[write++] = isLower && byte >= 65 && byte <= 90 ? byte + 32 : byte;
  }
  row.length = write;
}
