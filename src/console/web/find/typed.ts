/**
 * What is typed in the box, where it is no sentence. What comes in: a text. What goes out: the
 * CNPJ or the root in it, and the establishments whose names fit it.
 * Invariant: a text is a number only if all of it is one; eight letters are a word.
 */
import { type CnpjRefusal, readLoneCnpj } from "../../../spec/cnpj/cnpjspelling.ts";
import { isCurrent, lacksArea, readPhone } from "../../../spec/contacts/phones.ts";
import type { Account, AccountAnswer, CompanyAnswer, SuggestAnswer } from "../app/answers.ts";
import { ApiError, get } from "../app/api.ts";

/** A number that was typed. */
export interface TypedNumber {
  readonly kind: "cnpj" | "root";
  /** 14 or 8 characters, upper case. */
  readonly value: string;
  /** Whether its check digits are wrong; never for a root, which has none. */
  readonly isMistyped: boolean;
}

/** A number that is too short for a CNPJ. */
export interface ShortNumber {
  /** The CNPJ that it is with its zeros in front; null where that is none. */
  readonly filled: string | null;
  /** Digits that it lacks. */
  readonly lacks: number;
}

/** Characters of a CNPJ. */
const CNPJ_LENGTH = 14;
const ROOT_LENGTH = 8;
/** The branch that most CNPJs have, and few phones in the same place. */
const HEAD_OFFICE = "0001";
/** Establishments that are offered while somebody types. */
const OFFERED = 6;
/** Longer texts are no names; the server takes no more of them. */
const NAME_MAX = 200;

/** The number that a text is, said as such or not; null for any other text. */
export function numberIn(text: string): TypedNumber | null {
  const read = readLoneCnpj(text);
  if (read.kind === "cnpj") return { kind: "cnpj", value: read.cnpj, isMistyped: !read.checked };
  return read.kind === "root" ? { kind: "root", value: read.root, isMistyped: false } : null;
}

/**
 * The CNPJ that a text is but for its first zeros, which spreadsheets take away, or but for one
 * digit; null for any other text. Zeros are put back only where the check digits then are right.
 */
export function shortNumberIn(text: string): ShortNumber | null {
  // A phone may have as many digits.
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

/** True for area code and number of a mobile, without the hyphen of a CPF. */
function isMobileNumber(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  return /^\d\d9\d{8}$/.test(digits) && !/\d{9}-\d\d/.test(text) && isPhone(text);
}

/** True for a phone of today, all digits of which are written. */
function isPhone(text: string): boolean {
  const read = readPhone(text);
  if (!("phone" in read) || !isCurrent(read.phone)) return false;
  return text.replace(/\D/g, "").endsWith(read.phone.slice("+55".length));
}

/** Reasons that are shown at the box; a text that is refused for another may be a sentence. */
const SHOWN_REASONS = ["too_long", "rounded", "all_zeros", "cpf"] as const;

/** Why a text that is a number is no CNPJ; null for any other text. */
export function refusalIn(text: string): (typeof SHOWN_REASONS)[number] | null {
  const read = readLoneCnpj(text);
  const reason: CnpjRefusal | null = read.kind === "refused" ? read.reason : null;
  const isSentence = reason === "cpf" && /\p{L}{2}/u.test(text.replace(/^cpf\b/i, ""));
  // One mobile in a hundred has the check digits of a CPF.
  const isMobile = reason === "cpf" && isMobileNumber(text);
  return isSentence || isMobile ? null : (SHOWN_REASONS.find((shown) => shown === reason) ?? null);
}

/** Returns true if a text is a phone without its area code. It may be something else too. */
export function isPhoneWithoutArea(text: string): boolean {
  return lacksArea(text);
}

/** The CNPJ of the establishment that a number names; null where there is none. */
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

/** Suggestions for the text that was typed so far. */
interface Fitting {
  readonly accounts: readonly Account[];
  /** Why it was not looked up as a phone or an e-mail; null where it was, or is none. */
  readonly refused: SuggestAnswer["contact_refused"];
}

/** Nothing, and nothing to say of it. */
export const NOTHING_FITS: Fitting = { accounts: [], refused: null };

/** Establishments whose names or numbers fit a text so far, best first. */
export async function establishmentsLike(
  text: string,
  signal: AbortSignal,
  most = OFFERED,
): Promise<Fitting> {
  // The number of a person is sent nowhere.
  if (refusalIn(text) === "cpf") return NOTHING_FITS;
  const typed = numberIn(text)?.value ?? shortNumberIn(text)?.filled ?? text.trim();
  if (typed.length < 3 || typed.length > NAME_MAX || !/[\p{L}\d]/u.test(typed)) {
    return NOTHING_FITS;
  }
  const path = `/accounts/suggest?limit=${most}&q=${encodeURIComponent(typed)}`;
  const { suggestions, contact_refused } = await get<SuggestAnswer>(path, { signal });
  return { accounts: suggestions.map(({ account }) => account), refused: contact_refused };
}
