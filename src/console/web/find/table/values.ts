/**
 * Converts values of an account to text for cells and facts, in the current language. Company names
 * are converted from capitals to normal case ("Padaria Silva LTDA").
 * Invariant: an absent value is an empty string, never "null". A value of an unknown form is shown
 * unchanged. Copied text equals the cell's text, except that names are as in the registry. Names
 * with lowercase letters stay as they are, and so do company forms, initials, numbers, and words
 * without vowels. Until the catalog is loaded, reasons are shown as codes.
 */

import { punctuateCnae } from "../../../../spec/catalog.ts";
import type { FIELD_TYPES } from "../../../../spec/fields/table.ts";
import { fieldRow, type OutputField } from "../../../../spec/fields.ts";
import type { Account, AccountFields } from "../../app/answers.ts";
import { cnpj, cnpjRoot, dayShort, money, number, phone } from "../../app/format.ts";
import { language } from "../../app/language.ts";
import { words } from "../../app/words.ts";
import { catalog, loadCatalog } from "../catalog.ts";
import type { ColumnId, NamedColumn } from "./columnset.ts";

/** Returns a value as text; empty if absent. */
export function textOf(account: AccountFields, field: string): string {
  const value = account[field];
  return value === null || value === undefined ? "" : String(value);
}

/** Returns an account's display name, as in the registry. */
function registeredName(account: Account): string {
  const name = textOf(account, "legal_name") || textOf(account, "trade_name");
  return name || words.value.table.values.nameless;
}

/** Returns an account's display name, in normal case. */
export function nameOf(account: Account): string {
  return companyName(registeredName(account));
}

/** Returns the trade name in normal case, or "" if there is none or `nameOf` is the same. */
export function otherNameOf(account: Account): string {
  const trade = companyName(textOf(account, "trade_name"));
  return trade === nameOf(account) ? "" : trade;
}

/** Punctuates an activity code. */
export function cnaeText(code: string): string {
  return /^\d{7}$/.test(code) ? punctuateCnae(code) : code;
}

/** Hyphenates a postal code. */
export function postalText(code: string): string {
  return code.replace(/^(\d{5})(\d{3})$/, "$1-$2");
}

/** Returns the size. A MEI is shown as MEI. */
export function sizeText(account: Account): string {
  const { values } = words.value.table;
  if (account.mei_opt_in === true) return values.mei;
  return named(words.value.codes.sizes, textOf(account, "company_size_code"));
}

/** Returns yes, no, or an empty text. */
export function yesNo(value: unknown): string {
  const { yes, no } = words.value.table.values;
  return value === true ? yes : value === false ? no : "";
}

/** Returns a code's name, else the code. */
export function named(names: Record<string, string>, code: string): string {
  return Object.hasOwn(names, code) ? (names[code] as string) : code;
}

/** Joins street, number, and complement. */
export function streetText(account: Account): string {
  const { street, street_number: at, address_complement: more } = account;
  return [street, at, more].filter((part) => part !== null && part !== undefined).join(", ");
}

/** Returns city and state, or the city abroad. */
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

/** Formats values by the type of their field. */
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

/** Functions that return the texts of cells. Other columns show their field unformatted. */
const TEXTS: Readonly<
  Record<Exclude<NamedColumn, OutputField>, CellText> & Partial<Record<OutputField, CellText>>
> = {
  name: registeredName,
  cnpj: (account) => cnpj(account.cnpj),
  cnpj_root: (account) => formatted(account, "cnpj_root", cnpjRoot),
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

/** Formats a cell. */
export function cellText(id: ColumnId, account: Account): string {
  const text = TEXTS[id];
  if (text !== undefined) return text(account);
  const field = id as OutputField;
  return PLAIN[fieldRow(field).stored.type](account, field);
}

/** Names a column. */
export function columnName(id: ColumnId): string {
  const { columns, fields } = words.value.table;
  return columns[id as NamedColumn] ?? fields[id as OutputField];
}

/** Company forms and common abbreviations, which keep their case. */
const UNCHANGED = new Set(
  (
    "LTDA ME EPP EIRELI MEI SS SPE SCP TI RH TV CFC APAE APM EMEI EMEF UTI USA LED EPI SUS " +
    "SESI SENAI SESC SENAC SEBRAE OAB UNIMED"
  ).split(" "),
);
/** Lowercase in names. */
const SMALL = new Set(
  "a ao aos as com da das de do dos e em na nas no nos o os para por pela pelo sem".split(" "),
);
/** Matches the company form SA at the end of a name. In "DA SA" and "DE SA", it is the name Sá. */
const IS_FORM = /(?<!\bD[AE]) SA$/;
const ROMAN = /^[IVX]{2,}$/;
const SAYABLE = /[AEIOUYÀÁÂÃÉÊÍÓÔÕÚÜ]/;

/** In normal case. */
export function companyName(name: string): string {
  if (/\p{Ll}/u.test(name)) return name;
  return name.replace(/[\p{L}\p{M}\p{N}]+/gu, (word, at: number) => {
    const isAlone = alone(name[at - 1]) && alone(name[at + word.length]);
    const small = word.toLocaleLowerCase("pt-BR");
    if (at > 0 && isAlone && SMALL.has(small)) return small;
    if (word === "SA" && IS_FORM.test(name)) return word;
    if (UNCHANGED.has(word) || ROMAN.test(word) || !SAYABLE.test(word) || /\p{N}/u.test(word)) {
      return word;
    }
    return word.charAt(0) + small.slice(1);
  });
}

function alone(character: string | undefined): boolean {
  return character === undefined || character === " ";
}

const NONE: Readonly<Record<string, string>> = {};

/** Returns names of reasons by code. The first call loads the catalog, which has them. */
export function reasonNames(): Readonly<Record<string, string>> {
  const loaded = catalog.value?.catalog.status_reasons;
  // If loading failed, the next cell retries. Until then codes are shown.
  if (loaded === undefined) loadCatalog().catch(() => {});
  return loaded?.[language.value] ?? NONE;
}
