/**
 * Why a phone or an e-mail that is looked up finds no account, for the API, agents and commands.
 * Invariant: a text gets a reason only if it is an e-mail, or has as many digits as a phone; the
 * reason never repeats the text, which may be the number of a person.
 */
import { readEmail } from "./emails.ts";
import { readPhone } from "./phones.ts";

/** Reasons why a phone or an e-mail is not looked up, by the machine's name. */
const CONTACT_REFUSALS = [
  "field_not_allowed",
  "not_in_snapshot",
  "missing_area_code",
  "unknown_area_code",
  "foreign_number",
] as const;

/** Machine's names of the reasons. */
export const CONTACT_REASONS: readonly string[] = CONTACT_REFUSALS;

/** A phone or an e-mail that was not looked up. */
export interface RefusedContact {
  readonly kind: "phone" | "email";
  readonly reason: (typeof CONTACT_REFUSALS)[number];
}

/** The phone or e-mail that a text is, in the normal form of a spec. */
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

/** Shorter numbers of an unknown area, or from abroad, may be any number. */
const DIGITS_MIN = 8;

/** Reads a text that may be a phone or an e-mail; null for any other text. */
export function readContact(text: string, offered: Offered): ReadContact | RefusedContact | null {
  const email = readEmail(text);
  if (email !== null) return allowed({ kind: "email", value: email }, offered);
  const read = readPhone(text);
  if ("phone" in read) return allowed({ kind: "phone", value: read.phone }, offered);
  const reason = CONTACT_REFUSALS.find((one) => one === read.fault);
  if (reason === undefined || text.replace(/\D/g, "").length < DIGITS_MIN) return null;
  return offered.phone ? { kind: "phone", reason } : { kind: "phone", reason: "field_not_allowed" };
}

function allowed(read: ReadContact, offered: Offered): ReadContact | RefusedContact {
  const { kind } = read;
  if (!offered[kind]) return { kind, reason: "field_not_allowed" };
  return offered.isLacking ? { kind, reason: "not_in_snapshot" } : read;
}

/** Returns the reason as sentences that name the fix. */
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
  }[reason];
}

const PHONE_SPELLING = "Write area code and number, such as 11 98765-4321.";
