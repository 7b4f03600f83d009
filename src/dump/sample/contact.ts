/**
 * Writes an establishment's address and contacts: the columns from street type to municipality, and
 * from first area code to e-mail. They depend on its city, status, representative, and random
 * numbers.
 * Invariant: city, state, and postal code agree. Oddities of the registry's address fields (runs of
 * blanks, `;`, `S/N`, accents) occur with their real shares. Phone numbers have up to 8 digits, so
 * mobiles lack their leading 9, as in the registry. The status determines how often each contact is
 * present. An office, or an owner of several companies, has the same e-mail and usually the same
 * first phone for all of them.
 */
import type { SampleCity } from "./cities.ts";
import { IS_OFFICE } from "./company.ts";
import { any, brand, surname } from "./names.ts";
import type { EstablishmentQuirk } from "./quirks.ts";
import { hash, type Random, Weighted } from "./random.ts";
import {
  DISTRICTS,
  FREE_MAIL,
  GIVEN_NAMES,
  MAIL_JUNK,
  STREET_TYPES,
  STREETS,
  SURNAMES,
  writeCityDistrict,
  writeOfficeWord,
} from "./words.ts";
import { latin1, type RowBytes, words } from "./zip/bytes.ts";

const TYPE_WORDS = STREET_TYPES.map(([word]) => latin1(word));
const TYPE_SHARES = new Weighted(STREET_TYPES.map(([, share]) => share));
const NO_NUMBER = words("S/N S/N S/N SN SN S_N");
const ROOMS = words("SALA LOJA APT CASA BOX SALA CASA APT");
const PLACES = words("FUNDOS TERREO SOBRELOJA CASA_A ANDAR_1 BLOCO_B GALPAO SUBSOLO PARTE CASA");
/** Percentage of districts with a name that several cities use. */
const COMMON_DISTRICTS = 55;
const FOREIGN_CITIES = words("LISBOA MIAMI BUENOS_AIRES MONTEVIDEO LONDRES PARIS MADRI PANAMA");
const BLOCK = latin1("QUADRA ");
const LOT = latin1("LOTE ");
const ACCENTED_TYPE = latin1("PRA\u00c7A");
const ACCENTED_STREET = latin1("S\u00c3O JO\u00c3O DO PARA\u00cdSO");
const ACCENTED_DISTRICT = latin1("JOS\u00c9 BONIF\u00c1CIO");
const FLOOR = latin1("ANDAR ");
const ROOM = latin1(" CONJ ");
const BUILDING = latin1(" EDIF ");

/** Writes the eight columns from street type to municipality, with separators. */
export function writeAddress(
  row: RowBytes,
  random: Random,
  city: SampleCity,
  quirk: EstablishmentQuirk | null,
): void {
  writeStreet(row, random, quirk);
  row.next();
  writeHouseNumber(row, random);
  row.next();
  writeComplement(row, random, quirk);
  row.next();
  if (quirk === "accents") row.word(ACCENTED_DISTRICT);
  else if (city.uf === "EX" && random.chance(0.3)) row.word(any(random, FOREIGN_CITIES));
  else writeDistrict(row, random, city);
  row.next();
  writePostalCode(row, random, city, quirk);
  row.next();
  row.word(city.ufBytes);
  row.next();
  row.digits(city.tom, 4);
}

/** Writes the city of an establishment abroad, which may also be in another column. */
export function writeForeignCity(row: RowBytes, random: Random): void {
  if (random.chance(0.6)) row.word(any(random, FOREIGN_CITIES));
}

function writeStreet(row: RowBytes, random: Random, quirk: EstablishmentQuirk | null): void {
  if (quirk === "accents") {
    row.word(ACCENTED_TYPE);
    row.next();
    row.word(ACCENTED_STREET);
    return;
  }
  row.word(TYPE_WORDS[TYPE_SHARES.pick(random)] as Uint8Array);
  row.next();
  row.word(any(random, STREETS));
  if (quirk === "nul_byte") row.byte(0);
  if (random.chance(0.2)) {
    row.byte(32);
    if (random.chance(0.3)) row.byte(32);
    row.word(any(random, STREETS));
  }
}

function writeHouseNumber(row: RowBytes, random: Random): void {
  const u = random.unit();
  if (u < 0.14) row.word(any(random, NO_NUMBER));
  else {
    row.integer(1 + Math.floor(random.unit() ** 2 * 4000));
    if (u > 0.97) row.byte(65 + random.below(4));
  }
}

function writeComplement(row: RowBytes, random: Random, quirk: EstablishmentQuirk | null): void {
  if (quirk === "only_spaces") {
    for (let i = 0; i < 3; i++) row.byte(32);
    return;
  }
  const isSpaced = quirk === "spaces";
  const u = quirk === "semicolon_in_field" ? 0 : random.unit();
  if (u > 0.414 && !isSpaced) return;
  if (isSpaced || random.chance(0.05)) row.byte(32);
  if (u < 0.05) {
    row.word(BLOCK);
    row.integer(1 + random.below(200));
    row.byte(59);
    row.word(LOT);
    row.integer(1 + random.below(60));
  } else if (u < 0.28) {
    row.word(any(random, ROOMS));
    row.byte(32);
    if (isSpaced || random.chance(0.3)) row.byte(32);
    row.integer(1 + random.below(1500));
  } else if (u < 0.35) row.word(any(random, PLACES));
  else {
    row.word(FLOOR);
    row.integer(1 + random.below(30));
    row.word(ROOM);
    row.integer(1 + random.below(400));
    if (u > 0.37) row.word(BUILDING);
    if (u > 0.37) row.word(any(random, DISTRICTS));
  }
  if (isSpaced || random.chance(0.03)) row.byte(32);
}

/** Writes a district: a common name, or one of the city's own. */
function writeDistrict(row: RowBytes, random: Random, city: SampleCity): void {
  if (random.peek(100) < COMMON_DISTRICTS) row.word(any(random, DISTRICTS));
  else writeCityDistrict(row, random, city.tom);
}

function writePostalCode(
  row: RowBytes,
  random: Random,
  city: SampleCity,
  quirk: EstablishmentQuirk | null,
): void {
  const suffix = random.below(1000);
  if (quirk === "postal_code_blank") return;
  if (quirk === "postal_code_7_digits") row.digits(1_000_000 + random.below(9_000_000), 7);
  else if (quirk === "postal_code_junk") {
    row.quoted(suffix < 300 ? "0" : suffix < 600 ? "       0" : "1234-56");
  } else if (city.uf === "EX") {
    if (suffix < 500) row.digits(0, 8);
  } else row.digits(city.postalPrefix * 1000 + suffix, 8);
}

const FREE_DOMAINS = FREE_MAIL.map(([domain]) => latin1(domain));
const FREE_SHARES = new Weighted(FREE_MAIL.map(([, share]) => share));
/** Share of free providers among the e-mails of companies without an office or owner. */
const FREE_TOTAL = 0.9;
/** Percentage of offices whose e-mail is at a free provider. */
const FREE_OFFICES = 60;
/** Percentages of offices whose clients have the office's e-mail, and the office's phone. */
const OFFICE_EMAILS = 85;
const OFFICE_PHONES = 70;
const OFFICE_LANDLINES = 60;
const COM_BR = latin1(".COM.BR");
const ACCOUNTANT = latin1("FISCAL@");
const ACCOUNTANT_FREE = latin1("CONT");
const OFFICES = ["CONTATO", "FINANCEIRO", "FISCAL", "COMERCIAL", "ADM", "VENDAS"].map(latin1);

interface ContactSource {
  readonly city: SampleCity;
  readonly isActive: boolean;
  /** Opened before 1996: such rows have faxes and short numbers. */
  readonly isOld: boolean;
  readonly quirk: EstablishmentQuirk | null;
  /** The representing office or owner; 0 for none. */
  readonly office: number;
}

/** Writes seven columns: area code and number of both phones and of the fax, and the e-mail. */
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

/** Writes eight digits. 60% of active establishments have mobiles, without their leading 9. */
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
    // Draws as many random numbers as for an own phone, so that later columns stay the same.
    for (let i = 0; i < NUMBER_DRAWS; i++) random.next();
  } else writeNumber(row, random, source.isActive);
}

/** Writes the phone of an office or an owner. Owners have mobiles. */
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
    // Most addresses are unique.
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

/** Removes blanks that come from word lists. Writes a quarter of the e-mails in lower case. */
function finishEmail(row: RowBytes, start: number, isLower: boolean): void {
  const { bytes } = row;
  let write = start;
  for (let read = start; read < row.length; read++) {
    const byte = bytes[read] as number;
    if (byte !== 32) bytes[write++] = isLower && byte >= 65 && byte <= 90 ? byte + 32 : byte;
  }
  row.length = write;
}
