/**
 * Validates Brazilian phone numbers as an import does, and reads them in the spellings that people
 * use.
 * Invariant: the same code reads typed numbers and the area codes and numbers of an import. Other
 * text is refused with the reason, never guessed. An import accepts any two digits from 11 to 99 as
 * an area code; in a typed number, the area code must exist. The normal form of an imported number
 * is always read as that number, so that answers and saved specs stay valid.
 */
import { cleaned } from "../cnpj/cnpjcandidates.ts";

/** Results of `phoneOf` for digits that are not a phone: the number or the area code is wrong. */
export const NO_PHONE = { number: -1, area: -2 } as const;

/**
 * Returns the E.164 digits of a phone as a number, such as 5511987654321. The input is an area code
 * from 11 to 99 and a number of `length` digits (7 to 9) without leading zeros. A number of 8
 * digits that begins with 6 to 9 is a mobile that lacks its leading 9, which is added.
 */
export function phoneOf(area: number, number: number, length: number): number {
  if (number < 0 || length < 7 || length > 9) return NO_PHONE.number;
  if (area < 11 || area > 99) return NO_PHONE.area;
  if (length === 7) return (5500 + area) * 1e7 + number;
  if (length === 8 && number >= 60_000_000) return (5500 + area) * 1e9 + 900_000_000 + number;
  return (5500 + area) * (length === 8 ? 1e8 : 1e9) + number;
}

/** The reasons why a text is not a phone number. They are also codes of mistakes. */
export type PhoneFault =
  | "wrong_format"
  | "too_short"
  | "too_long"
  | "missing_area_code"
  | "unknown_area_code"
  | "foreign_number"
  | "looks_like_cpf";

/** A number in normal form, such as +5511987654321, or the reason why the text is none. */
type TypedPhone = { readonly phone: string } | { readonly fault: PhoneFault };

/** The part of a link that precedes the number. */
const LINK = new RegExp(
  "^(?:tel:|callto:|sms:|whatsapp:(?://send/?\\?phone=)?|" +
    "(?:https?://)?(?:www\\.)?(?:wa\\.me/|api\\.whatsapp\\.com/send/?\\?phone=))",
  "i",
);
/** Matches a prefix with a placeholder for the code of a carrier, as in 0xx11. */
const CARRIER_SIGN = /^(\(?)0\s?(?:xx|\*\*|--)\s?/i;
/**
 * Matches a label before a number. Does not match "tel:" without a blank, because this begins a
 * link in which more text may follow the number.
 */
const LABEL =
  /^(?:tel(?:efone)?|fone|cel(?:ular)?|phone|whatsapp)(?:\.\s*:?\s*|\s*:\s+|\s+)(?=[(+\d])/i;
/** Numbers of services, which have no area code: 0800, 0300, 0500, 0900. */
const WITHOUT_AREA = /^\(?0[3589]00/;
const WRITTEN = /^\(?\+?[\d\s().\-/]+$/;
const FROM_ABROAD = /^\(?(?:\+|00)/;
const CPF_WRITTEN = /^\d{3}\.\d{3}\.\d{3}-\d{2}$/;
/** Matches an area code that is separated from the digits after it. */
const AREA_APART = /^\(?0?\d{2}[\s)./-]/;

/** The 67 area codes of Brazil. The list is closed, and no code contains a 0. */
const AREA_CODES: ReadonlySet<string> = new Set(
  (
    "11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 " +
    "51 53 54 55 61 62 63 64 65 66 67 68 69 71 73 74 75 77 79 81 82 83 84 85 86 87 88 89 " +
    "91 92 93 94 95 96 97 98 99"
  ).split(" "),
);
/** Matches zeros in brackets in place of an area code, but not before a country code. */
const AREA_OF_ZEROS = /^\(00+\)(?:\D*\d){8,9}\D*$/;

/** Matches a phone without area code in two groups of digits, as no CNPJ is written. */
const WITHOUT_AREA_CODE = /^(?:9\s?)?\d{4}[-\s]\d{4}$/;

/** True for a phone that lacks its area code, such as 3333-4444 or 98765-4321. */
export function lacksArea(typed: string): boolean {
  return WITHOUT_AREA_CODE.test(bareText(typed));
}

/** True for the normal form of a mobile with nine digits or a landline with eight digits. */
export function isCurrent(phone: string): boolean {
  return /^\+55\d\d(?:9\d{8}|[2-5]\d{7})$/.test(phone);
}

/**
 * Forms of numbers that lack digits, as lengths of their groups of digits. `LACKING_MOBILE` applies
 * to mobiles ("98765-432" is 5-3), `LACKING_ANY` to all numbers ("3333-444" is 4-3).
 */
const LACKING_MOBILE: ReadonlySet<string> = new Set(["5-3", "1-4-3", "5-2", "1-4-2"]);
const LACKING_ANY: ReadonlySet<string> = new Set(["4-3"]);

/**
 * True if the groups of digits show that a number of 7 or 8 digits lacks digits, as in "3333-444".
 */
function lacksDigits(written: string, number: string): boolean {
  const [[first = "", ...rest]] = nationalGroups(written);
  const groups = first.length === 2 ? rest : [first.slice(2), ...rest];
  if (groups.join("") !== number) return false;
  const shape = groups.map(({ length }) => length).join("-");
  return LACKING_ANY.has(shape) || (number.startsWith("9") && LACKING_MOBILE.has(shape));
}

/** Reads a number as people write it: with +55, 0, 0xx, or no prefix, or in a link. */
export function readPhone(typed: string): TypedPhone {
  const text = withoutLink(bareText(typed)).trim();
  if (isNormal(text)) return { phone: text };
  const written = text.replace(CARRIER_SIGN, "$1");
  if (!WRITTEN.test(written) || !/\d/.test(written)) return { fault: "wrong_format" };
  if (CPF_WRITTEN.test(written)) return { fault: "looks_like_cpf" };
  if (WITHOUT_AREA.test(written)) return { fault: "unknown_area_code" };
  if (AREA_OF_ZEROS.test(written)) return { fault: "unknown_area_code" };
  const digits = written.replace(/\D/g, "");
  const isAbroad = FROM_ABROAD.test(written);
  if (isAbroad && !/^0*55/.test(digits)) return { fault: "foreign_number" };
  const fault = areaFault(written);
  if (fault !== null) return { fault };
  if (isAbroad) return abroad(written, digits.replace(/^0+/, ""));
  const national = bareNational(withoutPrefix(digits, written.startsWith("(")));
  if (national.length < 7) return { fault: "too_short" };
  if (national.length > 11) return { fault: "too_long" };
  const isArea = text !== written || digits.startsWith("0") || AREA_APART.test(written);
  if (national.length < 9) return { fault: "missing_area_code" };
  if (national.length === 9 && !isArea && national.startsWith("9")) {
    return { fault: "missing_area_code" };
  }
  if (!isArea && national[2] !== "9" && isCpf(national)) return { fault: "looks_like_cpf" };
  return fromNational(written, national);
}

/** True for the normal form of an imported number, even if its area does not exist. */
function isNormal(text: string): boolean {
  const [, area, number] = /^\+55(\d{2})([1-9]\d{6,8})$/.exec(text) ?? [];
  if (area === undefined || number === undefined) return false;
  return text === `+${phoneOf(Number(area), Number(number), number.length)}`;
}

/**
 * Returns a fault if the groups of digits show that the area code is missing or wrong, otherwise
 * null. Without this check, "01 98765-4321" would be read with the area code 19, and "+55
 * 98765-4321" with 98.
 */
function areaFault(written: string): PhoneFault | null {
  const [groups, isPrefixed] = nationalGroups(written);
  const sizes = groups.map(({ length }) => length);
  const national = groups.join("");
  const [first = 0, second = 0] = sizes;
  const isMobile = national.length === 9 && national.startsWith("9");
  // A single group of nine digits after a prefix may also be an area code with seven digits.
  if (isMobile && (first === 1 || first > 3) && (isPrefixed || sizes.length > 1)) {
    return "missing_area_code";
  }
  if (national.length < 9 || sizes.length < 2) return null;
  if (sizes.join("-") === "1-3-3-4" && national.startsWith("1")) return "foreign_number";
  const isOdd = first === 1 ? second > 2 : first === 2 && national.startsWith("0");
  const isBracketed = /^\([1-9]\d{2}\)/.test(written);
  return isOdd || isBracketed || sizes.join("-") === "3-3-4" ? "unknown_area_code" : null;
}

/**
 * Returns the groups of digits without the country code and one leading zero. The second value is
 * true if the country code or the zero stood apart from the other digits.
 */
function nationalGroups(written: string): [groups: string[], isPrefixed: boolean] {
  const [head = "", ...rest] = written.match(/\d+/g) ?? [];
  const isAbroad = FROM_ABROAD.test(written);
  const country = isAbroad ? head.replace(/^00+/, "") : head;
  const digits = country.length + rest.join("").length;
  let groups = [country, ...rest].filter((group) => group !== "");
  let isPrefixed = false;
  const isArea = written.startsWith("(") && rest[0]?.startsWith("0") === true;
  if (groups[0] === "55" && (isAbroad || (digits > 11 && !isArea))) {
    groups = groups.slice(1);
    isPrefixed = true;
  } else if (isAbroad && country.startsWith("55")) groups = [country.slice(2), ...rest];
  const [first = "", ...others] = groups;
  if (!first.startsWith("0")) return [groups, isPrefixed];
  return [first === "0" ? others : [first.slice(1), ...others], true];
}

/**
 * Returns a number without the text around it. This removes invisible characters, quotes of
 * spreadsheets, a label, punctuation after the number, and a fraction that a program added.
 */
function bareText(typed: string): string {
  return cleaned(typed)
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(LABEL, "")
    .replace(/[\s;,]+$/, "")
    .replace(/^(\d{8,})\.0+$/, "$1");
}

/** True for a link to a number, such as https://wa.me/5511987654321. */
export function isPhoneLink(text: string): boolean {
  return /\d{8}/.test(text) && LINK.test(text);
}

function withoutLink(text: string): string {
  const rest = text.replace(LINK, "");
  // After the number, a link may contain a message or parameters.
  return rest === text ? text : (rest.replace(/^%2B/i, "+").split(/[?&#;/]/, 1)[0] as string);
}

/** Reads digits that follow a plus sign or 00 and begin with Brazil's country code, 55. */
function abroad(written: string, digits: string): TypedPhone {
  const national = bareNational(digits.slice(2).replace(/^0+/, ""));
  if (national.length < 7) return { fault: "too_short" };
  if (national.length < 9) return { fault: "missing_area_code" };
  return national.length > 11 ? { fault: "too_long" } : fromNational(written, national);
}

/**
 * Returns area code and number without a prefix: 0, the two digits of a carrier, or 55. Because 55
 * is also an area code, it is the country code only if an area code follows.
 */
function withoutPrefix(digits: string, isBracketed: boolean): string {
  const national = digits.replace(/^0+/, "");
  const { length } = national;
  if (length < 12 || length > 14) return national;
  const isCountry = national.startsWith("55") && !(isBracketed && national[2] === "0");
  if (isCountry) return national.slice(2).replace(/^0+/, "");
  return digits === national || length === 14 ? national : national.slice(2);
}

/** Removes zeros between the area code and the number, as an import does. */
function bareNational(national: string): string {
  return national.slice(0, 2) + national.slice(2).replace(/^0+/, "");
}

function fromNational(written: string, national: string): TypedPhone {
  const number = national.slice(2);
  if (lacksDigits(written, number)) return { fault: "too_short" };
  if (!AREA_CODES.has(national.slice(0, 2))) return { fault: "unknown_area_code" };
  const phone = phoneOf(Number(national.slice(0, 2)), Number(number), number.length);
  return phone === NO_PHONE.number ? { fault: "too_short" } : { phone: `+${phone}` };
}

function isCpf(digits: string): boolean {
  if (digits.length !== 11) return false;
  return [9, 10].every((count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += Number(digits[i]) * (count + 1 - i);
    return ((sum * 10) % 11) % 10 === Number(digits[count]);
  });
}
