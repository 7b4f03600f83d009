/**
 * Finds CNPJs and roots (the first 8 characters of a CNPJ) in the text of the search box, and
 * establishments with a similar name.
 * Invariant: a text counts as a number only if nothing else is in it. Eight letters are a word, not
 * a root.
 */
import { type CnpjRefusal, readLoneCnpj } from "../../../spec/cnpj/cnpjspelling.ts";
import { isCurrent, lacksArea, readPhone } from "../../../spec/contacts/phones.ts";
import type { Account, AccountAnswer, CompanyAnswer, SuggestAnswer } from "../app/answers.ts";
import { ApiError, get } from "../app/api.ts";

/** A typed number. */
export interface TypedNumber {
  readonly kind: "cnpj" | "root";
  /** 14 or 8 characters, upper case. */
  readonly value: string;
  /** True if the check digits are wrong. False for a root, which has no check digits. */
  readonly isMistyped: boolean;
}

/** A number too short for a CNPJ. */
export interface ShortNumber {
  /** The CNPJ after restoring leading zeros, or null if there is none. */
  readonly filled: string | null;
  /** Missing digits. */
  readonly lacks: number;
}

/** Characters of a CNPJ. */
const CNPJ_LENGTH = 14;
const ROOT_LENGTH = 8;
/** Branch number of head offices. A number with these digits is a CNPJ rather than a phone. */
const HEAD_OFFICE = "0001";
/** Maximum suggestions while typing. */
const OFFERED = 6;
/** Max length of a name, as on the server. */
const NAME_MAX = 200;

/** Returns the number in a text, with or without a label ("CNPJ: ..."), or null. */
export function numberIn(text: string): TypedNumber | null {
  const read = readLoneCnpj(text);
  if (read.kind === "cnpj") return { kind: "cnpj", value: read.cnpj, isMistyped: !read.checked };
  return read.kind === "root" ? { kind: "root", value: read.root, isMistyped: false } : null;
}

/**
 * Returns the number if the text is a CNPJ that lost its leading zeros in a spreadsheet, or that
 * lacks one digit. Otherwise returns null. Zeros are restored only if the check digits are then
 * right.
 */
export function shortNumberIn(text: string): ShortNumber | null {
  // Phones may have the same number of digits.
  if (/^[+(]|\d{4}-\d{4}$/.test(text.trim())) return null;
  const read = readLoneCnpj(text);
  if (read.kind !== "refused") return null;
  const { reason, offered } = read;
  const isOther = isPhone(text) && offered?.slice(ROOT_LENGTH, -2) !== HEAD_OFFICE;
  if (offered !== undefined && !isOther) {
    return { filled: offered, lacks: offered.length - offered.replace(/^0+/, "").length };
  }
  const digits = text.replace(/[^0-9]/g, "");
  const lacks = CNPJ_LENGTH - digits.length;
  const isMobile = /^55\d\d9/.test(digits);
  const isMissing = offered === undefined && reason === "too_short" && lacks === 1;
  return isMissing && !isMobile ? { filled: null, lacks } : null;
}

/** True for a mobile number with area code, unless it has the hyphen of a CPF (tax number). */
function isMobileNumber(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  return /^\d\d9\d{8}$/.test(digits) && !/\d{9}-\d\d/.test(text) && isPhone(text);
}

/** True for a current phone with all digits written. */
function isPhone(text: string): boolean {
  const read = readPhone(text);
  if (!("phone" in read) || !isCurrent(read.phone)) return false;
  return text.replace(/\D/g, "").endsWith(read.phone.slice("+55".length));
}

/**
 * Reasons that the box reports when it refuses a number. A text refused for another reason may be a
 * sentence.
 */
const SHOWN_REASONS = ["too_long", "rounded", "all_zeros", "cpf"] as const;

/** Returns why the number in a text is not a CNPJ. Returns null for any other text. */
export function refusalIn(text: string): (typeof SHOWN_REASONS)[number] | null {
  const read = readLoneCnpj(text);
  const reason: CnpjRefusal | null = read.kind === "refused" ? read.reason : null;
  const isSentence = reason === "cpf" && /\p{L}{2}/u.test(text.replace(/^cpf\b/i, ""));
  // One in a hundred mobile numbers would also be a valid CPF, so a mobile number is not refused as
  // a CPF.
  const isMobile = reason === "cpf" && isMobileNumber(text);
  return isSentence || isMobile ? null : (SHOWN_REASONS.find((shown) => shown === reason) ?? null);
}

/** True if a text looks like a phone without an area code. It may also be something else. */
export function isPhoneWithoutArea(text: string): boolean {
  return lacksArea(text);
}

/** Returns the CNPJ of the establishment with this number, or null if there is none. */
export async function establishmentOf({ kind, value }: TypedNumber): Promise<string | null> {
  try {
    if (kind === "cnpj") return (await get<AccountAnswer>(`/accounts/${value}`)).account.cnpj;
    const { accounts } = await get<CompanyAnswer>(`/companies/${value}?limit=1`);
    return accounts[0]?.cnpj ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Suggestions for the text so far. */
interface Fitting {
  readonly accounts: readonly Account[];
  /** Why the server refused to look up a phone or e-mail, or null for other texts. */
  readonly refused: SuggestAnswer["contact_refused"];
}

/** No suggestions and no reason. */
export const NOTHING_FITS: Fitting = { accounts: [], refused: null };

/** Finds establishments by the name or number typed so far, best first. */
export async function establishmentsLike(
  text: string,
  signal: AbortSignal,
  most = OFFERED,
): Promise<Fitting> {
  // A CPF identifies a person, so it is never sent.
  if (refusalIn(text) === "cpf") return NOTHING_FITS;
  const typed = numberIn(text)?.value ?? shortNumberIn(text)?.filled ?? text.trim();
  if (typed.length < 3 || typed.length > NAME_MAX || !/[\p{L}\d]/u.test(typed)) {
    return NOTHING_FITS;
  }
  const path = `/accounts/suggest?limit=${most}&q=${encodeURIComponent(typed)}`;
  const { suggestions, contact_refused } = await get<SuggestAnswer>(path, { signal });
  return { accounts: suggestions.map(({ account }) => account), refused: contact_refused };
}
