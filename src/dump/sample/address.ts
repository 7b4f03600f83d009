/**
 * What comes in: the city and the random numbers of one establishment.
 * What goes out: the columns from street type to municipality.
 * Invariant: city, state and postal code belong together; oddities of the registry's own address
 * fields (runs of blanks, `;`, `S/N`, accents) occur with the shares counted there.
 */

import type { SampleCity } from "./cities.ts";
import { any } from "./names.ts";
import type { EstablishmentQuirk } from "./quirks.ts";
import { type Random, Weighted } from "./random.ts";
import { writeCityDistrict } from "./vocabulary.ts";
import { DISTRICTS, STREET_TYPES, STREETS } from "./words.ts";
import type { RowBytes } from "./zip/bytes.ts";
import { latin1, words } from "./zip/bytes.ts";

const TYPE_WORDS = STREET_TYPES.map(([word]) => latin1(word));
const TYPE_SHARES = new Weighted(STREET_TYPES.map(([, share]) => share));
const NO_NUMBER = words("S/N S/N S/N SN SN S_N");
const ROOMS = words("SALA LOJA APT CASA BOX SALA CASA APT");
const PLACES = words("FUNDOS TERREO SOBRELOJA CASA_A ANDAR_1 BLOCO_B GALPAO SUBSOLO PARTE CASA");
/** Of a hundred districts so many have a name that other cities have too. */
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

/** Writes street type to municipality: eight columns with the separators between them. */
export function writeAddress(
  row: RowBytes,
  random: Random,
  city: SampleCity,
  quirk: EstablishmentQuirk | null,
): void {
  writeStreet(row, random, quirk);
  row.next();
  writeNumber(row, random);
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

/** Writes the city of an establishment abroad, which may also stand in another column. */
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

function writeNumber(row: RowBytes, random: Random): void {
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

/** A name that many cities have, or one of the city's own. */
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
