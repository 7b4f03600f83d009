/**
 * Makes the Estabelecimentos row of a company's establishment, with the row's quirk.
 * Invariant: all values are drawn from the random stream of (company, establishment), so a row does
 * not depend on other rows.
 */
import { writeCnpjColumns } from "./cnpj.ts";
import { type Company, Offices, type SampleContext, STREAMS } from "./company.ts";
import { writeAddress, writeContact, writeForeignCity } from "./contact.ts";
import { any, type Names } from "./names.ts";
import type { EstablishmentQuirk } from "./quirks.ts";
import { Random, Weighted } from "./random.ts";
import { COUNTRY_CODES } from "./tables.ts";
import { latin1, type RowBytes } from "./zip/bytes.ts";

const BRAZIL = 105;
const SPECIAL = ["FALIDO", "ESPOLIO", "EM LIQUIDACAO", "RECUPERACAO JUDICIAL"].map(latin1);
const CLOSED_REASONS = [1, 71, 67, 73, 54, 2, 18, 15] as const;
const CLOSED_SHARES = new Weighted([76.6, 7.9, 5.3, 3.0, 1.3, 1.5, 3.4, 1.0]);
/** Shares of establishments with 1 to 6 secondary activities, and with more. */
const SECONDARY_SHARES = new Weighted([35.5, 19.2, 11.7, 8.0, 7.3, 4.3, 14.0]);
const SECONDARY_MAX = 97;

/** Makes rows of Estabelecimentos. */
export class EstablishmentMaker {
  private readonly context: SampleContext;
  private readonly names: Names;
  private readonly random: Random;
  private readonly offices: Offices;
  private readonly secondary = new Int32Array(SECONDARY_MAX + 1);
  private city = 0;
  private activity = 0;
  private status = 2;
  private start = 0;
  private quirk: EstablishmentQuirk | null = null;

  constructor(context: SampleContext, names: Names) {
    this.context = context;
    this.names = names;
    this.random = new Random(context.seed);
    this.offices = new Offices(context);
  }

  /** Appends the row of establishment `branch` (0 is the head office) of a company. */
  write(row: RowBytes, company: Company, branch: number, quirk: EstablishmentQuirk | null): void {
    this.quirk = quirk;
    const start = row.length;
    this.writeRow(row, company, branch);
    if (quirk === "row_twice") row.repeat(start, row.length);
    if (quirk === "blank_line_after") row.byte(10);
    if (quirk === "cnpj_twice") {
      this.quirk = "special_status";
      this.writeRow(row, company, branch);
    }
  }

  private writeRow(row: RowBytes, company: Company, branch: number): void {
    this.random.place(STREAMS.establishment, company.index, branch);
    this.draw(company, branch);
    row.open();
    this.writeIdentity(row, company, branch);
    this.writeTradeName(row);
    this.writeStatus(row);
    this.writeOrigin(row);
    this.writeActivities(row);
    const { cities } = this.context;
    const city = cities.list[this.city] as (typeof cities.list)[number];
    writeAddress(row, this.random, city, this.quirk);
    row.next();
    writeContact(row, this.random, {
      city,
      isActive: this.status === 2,
      isOld: this.start < 9496,
      quirk: this.quirk,
      office: this.offices.of(company.index, company.city),
    });
    row.next();
    if (this.quirk === "special_status") {
      row.word(any(this.random, SPECIAL));
      row.next();
      row.date(Math.min(this.start + 400, this.context.snapshot));
    } else row.next();
    row.close();
  }

  private draw(company: Company, branch: number): void {
    const { random, context, quirk } = this;
    this.city = company.city;
    this.activity = company.activity;
    this.status = company.status;
    this.start = company.start;
    if (branch > 0) {
      const isFar = random.chance(0.4);
      if (isFar) this.city = context.cities.spread.pick(random);
      if (random.chance(0.2)) this.activity = context.activities.pick(random, this.city, true);
      if (company.status === 2 && random.chance(0.35)) this.status = 8;
      this.start += Math.floor(random.unit() * (context.snapshot - company.start));
    }
    const { current, list } = context.activities;
    if (quirk === "municipality_foreign") this.city = context.cities.foreign;
    if (quirk === "municipality_newest") this.city = context.cities.newest;
    if (quirk === "cnae_not_informed") this.activity = list.length - 1;
    if (quirk === "cnae_discontinued") {
      this.activity = current + random.below(list.length - 1 - current);
    }
  }

  private writeIdentity(row: RowBytes, company: Company, branch: number): void {
    const { quirk } = this;
    writeCnpjColumns(row, company.root, branch, quirk);
    row.next();
    const isHead = (branch === 0) !== (quirk === "flag_disagrees");
    row.byte(isHead ? 49 : 50);
    row.next();
  }

  private writeTradeName(row: RowBytes): void {
    const { random, quirk } = this;
    const share = this.status === 2 ? 0.275 : this.status === 8 ? 0.451 : 0.4;
    const needsName =
      quirk === "doubled_quotes" ||
      quirk === "backslash_before_quote" ||
      quirk === "newline_in_field";
    if (random.chance(share) || needsName) {
      this.names.trade(row, random, this.activity);
      if (quirk === "doubled_quotes") row.quoted(' "C" -BECO');
      if (quirk === "newline_in_field") row.quoted("\nLOJA 2");
      if (quirk === "backslash_before_quote") row.byte(92);
    }
    row.next();
  }

  private writeStatus(row: RowBytes): void {
    const { random, quirk, status } = this;
    row.digits(status, 2);
    row.next();
    const u = random.unit();
    if (quirk === "status_date_zero" || u < 0.002) row.byte(48);
    else if (status === 2 && u < 0.86) row.date(this.start);
    else row.date(this.start + Math.floor(random.unit() * (this.context.snapshot - this.start)));
    row.next();
    row.digits(quirk === "reason_unknown" ? 32 : this.drawReason(), 2);
    row.next();
  }

  private drawReason(): number {
    const { random, status } = this;
    if (status === 2) return 0;
    if (status === 8) return CLOSED_REASONS[CLOSED_SHARES.pick(random)] as number;
    if (status === 4) return random.chance(0.95) ? 63 : 15;
    return status === 3 ? 21 : 18;
  }

  /** Writes the city abroad, the country, and the opening date. */
  private writeOrigin(row: RowBytes): void {
    const { random, quirk, context } = this;
    const isForeign = this.city === context.cities.foreign;
    if (isForeign) writeForeignCity(row, random);
    row.next();
    if (quirk === "country_unknown") row.digits(8, 3);
    else if (isForeign) row.digits(any(random, COUNTRY_CODES), 3);
    else if (random.chance(0.05)) row.digits(BRAZIL, 3);
    row.next();
    if (quirk === "date_invalid") row.digits(2021221, 7);
    else if (quirk === "date_far_future") row.digits(20991231, 8);
    else if (quirk === "date_before_1800") row.digits(17500101, 8);
    else row.date(quirk === "date_one_day_late" ? context.snapshot + 1 : this.start);
    row.next();
  }

  private writeActivities(row: RowBytes): void {
    const { list } = this.context.activities;
    row.digits((list[this.activity] as (typeof list)[number]).code, 7);
    row.next();
    const count = this.drawSecondary();
    for (let i = 0; i < count; i++) {
      if (i > 0) row.byte(44);
      row.digits((list[this.secondary[i] as number] as (typeof list)[number]).code, 7);
    }
    row.next();
  }

  /** Draws distinct activities other than the primary. 70% of rows are sorted. */
  private drawSecondary(): number {
    const { random, secondary, quirk } = this;
    const { activities } = this.context;
    const wanted = quirk === "cnae_97_secondary" ? SECONDARY_MAX : this.drawSecondaryCount();
    const isSorted = random.chance(0.7);
    let count = 0;
    for (let tries = 0; count < wanted && tries < 400; tries++) {
      // A long list exhausts the frequent activities and continues with arbitrary ones.
      const next =
        tries < 2 * wanted || wanted < 8
          ? activities.pick(random, this.city, true)
          : random.below(activities.current);
      let at = count;
      let isKnown = next === this.activity;
      for (let i = 0; i < count && !isKnown; i++) isKnown = secondary[i] === next;
      if (isKnown) continue;
      while (isSorted && at > 0 && this.codeAt(at - 1) > this.codeOf(next)) {
        secondary[at] = secondary[at - 1] as number;
        at--;
      }
      secondary[at] = next;
      count++;
    }
    return count;
  }

  private drawSecondaryCount(): number {
    const { random } = this;
    if (!random.chance(this.status === 2 ? 0.588 : 0.427)) return 0;
    const count = 1 + SECONDARY_SHARES.pick(random);
    if (count < 7) return count;
    return Math.min(SECONDARY_MAX, 7 + Math.floor(-4.5 * Math.log(1 - random.unit())));
  }

  private codeAt(place: number): number {
    return this.codeOf(this.secondary[place] as number);
  }

  private codeOf(activity: number): number {
    const { list } = this.context.activities;
    return (list[activity] as (typeof list)[number]).code;
  }
}
