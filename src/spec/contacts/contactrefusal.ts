/**
 * Returns the reason why a phone or an e-mail cannot be looked up. The API, agents, and commands
 * show it.
 * Invariant: only a text that looks like an e-mail or a phone, or has as many digits as a phone,
 * gets a reason. The reason never repeats the text, which may be a person's number.
 */
import { readEmail } from "./emails.ts";
import { readPhone } from "./phones.ts";

/** Codes of the reasons why a phone or an e-mail is not looked up. */
const CONTACT_REFUSALS = [
  "field_not_allowed",
  "not_in_snapshot",
  "missing_area_code",
  "unknown_area_code",
  "foreign_number",
  "several_contacts",
  "too_short",
  "too_long",
  "email_blank",
  "email_character",
  "email_domain",
] as const;

/** The codes of the reasons. */
export const CONTACT_REASONS: readonly string[] = CONTACT_REFUSALS;

/** A phone or an e-mail that was not looked up. */
export interface RefusedContact {
  readonly kind: "phone" | "email";
  readonly reason: (typeof CONTACT_REFUSALS)[number];
}

/** The phone or e-mail that was read, in the normal form of a spec. */
interface ReadContact {
  readonly kind: "phone" | "email";
  readonly value: string;
}

/** The contact look-ups that a plan and a snapshot allow. */
interface Offered {
  readonly phone: boolean;
  readonly email: boolean;
  /** True if the snapshot has no index of phones and e-mails. */
  readonly isLacking: boolean;
}

/**
 * Minimum number of digits for the reasons about a missing or unknown area code or a foreign
 * number. A shorter number may be any number.
 */
const DIGITS_MIN = 8;

/** Reads a text that may be a phone or an e-mail; null for any other text. */
export function readContact(text: string, offered: Offered): ReadContact | RefusedContact | null {
  const one = contactOf(text);
  if (one !== null) return allowed(one, offered);
  const several = severalIn(text);
  if (several !== null) {
    const usable = allowed(several, offered);
    return "reason" in usable ? usable : { kind: several.kind, reason: "several_contacts" };
  }
  const broken = brokenEmail(text) ?? brokenPhone(text);
  if (broken === null || offered[broken.kind]) return broken;
  return { kind: broken.kind, reason: "field_not_allowed" };
}

/**
 * Matches a text that consists of a local part, an @, and a domain, possibly with common mistakes.
 */
const LIKE_EMAIL = /^[^\s@]+\s?@+\s?[^\s@]+(?:[@.,]\s?[^\s@]+)*$/u;

/** Returns the fault of a text that looks like an e-mail but is none, otherwise null. */
function brokenEmail(text: string): RefusedContact | null {
  const bare = text.trim();
  if (!LIKE_EMAIL.test(bare)) return null;
  const kind = "email";
  // The name of a company may contain an @ between blanks, but then no domain follows.
  if (/\s/.test(bare)) return /@.*\./.test(bare) ? { kind, reason: "email_blank" } : null;
  const [local = "", domain = "", ...more] = bare.split("@");
  const isPlain = more.length === 0 && readEmail(`${local}@example.com`) !== null;
  return { kind, reason: isPlain && /^[\w.-]*$/.test(domain) ? "email_domain" : "email_character" };
}

/**
 * Three notations that phones have and CNPJs never have: an area code in brackets, a plus sign, or
 * a hyphen before the last digits.
 */
const LIKE_PHONE = [/^[^/]*\(\s*0?\d{2}\s*\)[^/]*$/, /^\s*\+/, /(?:^|[\s)])9?\s?\d{4}-\d{2,}\s*$/];

/** Returns why a text that may be a phone cannot be looked up, or null for other text. */
function brokenPhone(text: string): RefusedContact | null {
  const read = readPhone(text);
  if (!("fault" in read)) return null;
  const { fault } = read;
  const reason = CONTACT_REFUSALS.find((one) => one === fault);
  if (reason === undefined) return null;
  const kind = "phone";
  // Many other numbers also have too few or too many digits. So these reasons apply only if the
  // text is written like a phone.
  if (reason === "too_short" || reason === "too_long") {
    return LIKE_PHONE.some((form) => form.test(text)) ? { kind, reason } : null;
  }
  return text.replace(/\D/g, "").length < DIGITS_MIN ? null : { kind, reason };
}

/** Separators and conjunctions between two contacts. */
const BETWEEN = /\s*[,;|]\s*|\s+(?:e|ou|y|o|and|or|\/)\s+/i;

/** Returns the first contact of a text that consists of two or more contacts, otherwise null. */
function severalIn(text: string): ReadContact | null {
  const parts = text.split(BETWEEN).filter((part) => part.trim() !== "");
  const all = parts.length > 1 ? parts : text.trim().split(/\s+/);
  if (all.length < 2) return null;
  const read = all.map((part) => contactOf(part));
  return read.includes(null) ? null : (read[0] ?? null);
}

function contactOf(text: string): ReadContact | null {
  const email = readEmail(text);
  if (email !== null) return { kind: "email", value: email };
  const read = readPhone(text);
  return "phone" in read ? { kind: "phone", value: read.phone } : null;
}

function allowed(read: ReadContact, offered: Offered): ReadContact | RefusedContact {
  const { kind } = read;
  if (!offered[kind]) return { kind, reason: "field_not_allowed" };
  return offered.isLacking ? { kind, reason: "not_in_snapshot" } : read;
}

/** Returns sentences that state the reason and how to fix it. */
export function contactRefusalText({ kind, reason }: RefusedContact): string {
  const name = kind === "phone" ? "phones" : "e-mails";
  return {
    field_not_allowed:
      `The plan of this key does not include ${name}, so it cannot look one up. ` +
      "Use a key whose plan includes them.",
    not_in_snapshot:
      `An earlier version imported this snapshot, and it cannot look up ${name}. ` +
      "Import the month again.",
    missing_area_code: `As a phone, it lacks its area code. ${PHONE_SPELLING}`,
    unknown_area_code: `As a phone, it has no area code of Brazil. ${PHONE_SPELLING}`,
    foreign_number:
      "As a phone, it is a number of another country. The registry has numbers of Brazil (+55) " +
      `only. ${PHONE_SPELLING}`,
    several_contacts:
      "It holds more than one phone or e-mail. Write one at a time, or search with " +
      "contact.phone_any_of or contact.email_any_of.",
    too_short: `As a phone, it has too few digits. ${PHONE_SPELLING}`,
    too_long: `As a phone, it has too many digits. ${PHONE_SPELLING}`,
    email_blank: `As an e-mail, it has a blank in it. ${EMAIL_SPELLING}`,
    email_character:
      "As an e-mail, it has a character that no address has, such as a comma, an accent, or a " +
      `second @. ${EMAIL_SPELLING}`,
    email_domain:
      "As an e-mail, it has no proper domain after the @, such as " +
      `example.com. ${EMAIL_SPELLING}`,
  }[reason];
}

const EMAIL_SPELLING = "Write it as name@example.com.";
const PHONE_SPELLING = "Write area code and number, such as 11 98765-4321.";
