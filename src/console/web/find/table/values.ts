/**
 * Values of an account as text. Input: an account as the server answers it. Output: what a cell or
 * a fact shows, in the present language; names of companies as people write them.
 * Invariant: what is absent is an empty text, never "null"; a value of an unknown form is shown as
 * it is. The text of a cell is what is copied out of it: names as the registry writes them. A name
 * as people write it differs in nothing but the case of letters: a name with small letters is left
 * as it is, as are forms of companies, initials, numbers and words that cannot be spoken. Until
 * the later words are loaded, codes of reasons stand for themselves.
 */

import { punctuateCnae } from "../../../../spec/catalog.ts";
import type { FIELD_TYPES } from "../../../../spec/fields/table.ts";
import { fieldRow, type OutputField } from "../../../../spec/fields.ts";
import type { Account, AccountFields } from "../../app/answers.ts";
import { cnpj, dayShort, money, number, phone } from "../../app/format.ts";
import { laterTable, loadLaterWords, words } from "../../app/words.ts";
import type { ColumnId, NamedColumn } from "./columnset.ts";

/** A value as text; empty where it is absent. */
export function textOf(account: AccountFields, field: string): string {
  const value = account[field];
  return value === null || value === undefined ? "" : String(value);
}

/** The name that an account goes by, as the registry writes it. */
function registeredName(account: Account): string {
  const name = textOf(account, "legal_name") || textOf(account, "trade_name");
  return name || words.value.table.values.nameless;
}

/** The name that an account goes by, as people write it. */
export function nameOf(account: Account): string {
  return companyName(registeredName(account));
}

/** The other name of an account as people write it; empty where it has none, or the same. */
export function otherNameOf(account: Account): string {
  const trade = companyName(textOf(account, "trade_name"));
  return trade === nameOf(account) ? "" : trade;
}

/** An activity code with its punctuation. */
export function cnaeText(code: string): string {
  return /^\d{7}$/.test(code) ? punctuateCnae(code) : code;
}

/** A postal code with its hyphen. */
export function postalText(code: string): string {
  return code.replace(/^(\d{5})(\d{3})$/, "$1-$2");
}

/** The text of a size, a MEI being named as such. */
export function sizeText(account: Account): string {
  const { values } = words.value.table;
  if (account.mei_opt_in === true) return values.mei;
  return named(words.value.codes.sizes, textOf(account, "company_size_code"));
}

/** Yes, no or nothing. */
export function yesNo(value: unknown): string {
  const { yes, no } = words.value.table.values;
  return value === true ? yes : value === false ? no : "";
}

/** The name of a code; the code where it has none. */
export function named(names: Record<string, string>, code: string): string {
  return Object.hasOwn(names, code) ? (names[code] as string) : code;
}

/** The street with number and complement. */
export function streetText(account: Account): string {
  const { street, street_number: at, address_complement: more } = account;
  return [street, at, more].filter((part) => part !== null && part !== undefined).join(", ");
}

/** City and state, or the city abroad. */
export function cityText(account: Account): string {
  const city = textOf(account, "foreign_city") || textOf(account, "municipality_name");
  return [city, textOf(account, "uf")].filter((part) => part !== "").join(", ");
}

function formatted(account: Account, field: string, format: (value: never) => string): string {
  const value = account[field];
  return value === null || value === undefined ? "" : format(value as never);
}

function codesText(account: Account, field: OutputField): string {
  const codes = account[field];
  if (!Array.isArray(codes) || codes.length === 0) return "";
  const first = cnaeText(String(codes[0]));
  return codes.length === 1 ? first : words.value.table.values.others(first, codes.length - 1);
}

function headquartersText({ headquarters }: Account): string {
  const { headOffice, branch } = words.value.table.values;
  return headquarters === true ? headOffice : headquarters === false ? branch : "";
}

function phoneKindText(account: Account, field: OutputField): string {
  const { mobile, landline } = words.value.table.values;
  const kind = account[field];
  return kind === "mobile" ? mobile : kind === "landline" ? landline : "";
}

/** A field as it is, by the type of its values. */
const PLAIN: Readonly<
  Record<keyof typeof FIELD_TYPES, (account: Account, field: OutputField) => string>
> = {
  text: textOf,
  flag: (account, field) => yesNo(account[field]),
  number: (account, field) => formatted(account, field, number),
  date: (account, field) => formatted(account, field, dayShort),
  cents: (account, field) => formatted(account, field, money),
  postal_code: (account, field) => postalText(textOf(account, field)),
  phone: (account, field) => formatted(account, field, phone),
  phone_kind: phoneKindText,
  whatsapp: textOf,
  codes: codesText,
};

type CellText = (account: Account) => string;

/** What cells say; a column that is not here has the name of a field, and shows it as it is. */
const TEXTS: Readonly<
  Record<Exclude<NamedColumn, OutputField>, CellText> & Partial<Record<OutputField, CellText>>
> = {
  name: registeredName,
  cnpj: (account) => cnpj(account.cnpj),
  headquarters: headquartersText,
  opened: (account) => formatted(account, "started_on", dayShort),
  size: sizeText,
  capital: (account) => formatted(account, "share_capital", money),
  activity: (account) => textOf(account, "cnae_primary_description"),
  cnae: (account) => cnaeText(textOf(account, "cnae_primary")),
  secondary: (account) => codesText(account, "cnae_secondary"),
  city: cityText,
  population: (account) => formatted(account, "municipality_population", number),
  street: streetText,
  ibge: (account) => textOf(account, "municipality_ibge"),
  tom: (account) => textOf(account, "municipality_tom"),
  country: (account) => textOf(account, "country_code"),
  phone: (account) => formatted(account, "phone_1", phone),
  second_phone: (account) => formatted(account, "phone_2", phone),
  status: (account) => named(words.value.codes.statuses, textOf(account, "registration_status")),
  status_since: (account) => formatted(account, "registration_status_date", dayShort),
  status_reason: (account) => named(reasonNames(), textOf(account, "registration_status_reason")),
  legal_nature: (account) =>
    textOf(account, "legal_nature_description") || textOf(account, "legal_nature"),
  simples: (account) => yesNo(account.simples_opt_in),
  mei: (account) => yesNo(account.mei_opt_in),
};

/** The text of a cell. */
export function cellText(id: ColumnId, account: Account): string {
  const text = TEXTS[id];
  if (text !== undefined) return text(account);
  const field = id as OutputField;
  return PLAIN[fieldRow(field).stored.type](account, field);
}

/** The heading of a column. */
export function columnName(id: ColumnId): string {
  const { columns, fields } = words.value.table;
  return columns[id as NamedColumn] ?? fields[id as OutputField];
}

/** Forms of companies and usual abbreviations. */
const KEPT = new Set(
  (
    "LTDA ME EPP EIRELI MEI SS SPE SCP TI RH TV CFC APAE APM EMEI EMEF UTI USA LED EPI SUS " +
    "SESI SENAI SESC SENAC SEBRAE OAB UNIMED"
  ).split(" "),
);
/** Small within a name. */
const SMALL = new Set(
  "a ao aos as com da das de do dos e em na nas no nos o os para por pela pelo sem".split(" "),
);
/** A company limited by shares ends so; behind a particle it is a family's name. */
const IS_FORM = /(?<!\bD[AE]) SA$/;
const ROMAN = /^[IVX]{2,}$/;
const SAYABLE = /[AEIOUYÀÁÂÃÉÊÍÓÔÕÚÜ]/;

/** The name. */
export function companyName(name: string): string {
  if (/\p{Ll}/u.test(name)) return name;
  return name.replace(/[\p{L}\p{M}\p{N}]+/gu, (word, at: number) => {
    const isAlone = alone(name[at - 1]) && alone(name[at + word.length]);
    const small = word.toLocaleLowerCase("pt-BR");
    if (at > 0 && isAlone && SMALL.has(small)) return small;
    if (word === "SA" && IS_FORM.test(name)) return word;
    if (KEPT.has(word) || ROMAN.test(word) || !SAYABLE.test(word) || /\p{N}/u.test(word)) {
      return word;
    }
    return word.charAt(0) + small.slice(1);
  });
}

/** Whether nothing but a blank stands there. */
function alone(character: string | undefined): boolean {
  return character === undefined || character === " ";
}

const NONE: Readonly<Record<string, string>> = {};

/** Names of reasons by code; the first one to ask has them loaded. */
export function reasonNames(): Readonly<Record<string, string>> {
  // What cannot be loaded is asked for again by the next cell; until then the code is shown.
  if (laterTable.value === null) loadLaterWords().catch(() => {});
  return laterTable.value?.reasons ?? NONE;
}
