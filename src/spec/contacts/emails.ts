/**
 * Validates e-mail addresses as an import does, and reads them in the spellings that people use.
 * Invariant: a typed address is valid only if an import would keep it. Both use the same code, so
 * equal addresses have equal bytes.
 */

import { cleaned } from "../cnpj/cnpjcandidates.ts";

/** Max bytes of an address in SMTP (RFC 5321: 256 with its angle brackets). */
export const EMAIL_BYTES_MAX = 254;
const LOCAL_BYTES_MAX = 64;

/** For each byte, 1 if it may stand before the @ of an address without quoting. */
const LOCAL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 32 && byte < 127 && !'"(),:;<>@[\\]'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** True if lower-case bytes with an @ at `at` have the form `local@domain.tld`. */
export function isEmail(bytes: Uint8Array, start: number, at: number, end: number): boolean {
  return isLocal(bytes, start, at) && isDomain(bytes, at + 1, end);
}

function isLocal(bytes: Uint8Array, start: number, end: number): boolean {
  if (end === start || end - start > LOCAL_BYTES_MAX) return false;
  for (let p = start; p < end; p++) if (LOCAL_BYTES[bytes[p] as number] === 0) return false;
  return true;
}

/** True for labels of letters, digits, and inner hyphens, the last one of letters only. */
function isDomain(bytes: Uint8Array, start: number, end: number): boolean {
  let labels = 0;
  let first = start;
  let lettersOnly = true;
  for (let p = start; p <= end; p++) {
    const byte = p < end ? (bytes[p] as number) : 46;
    if (byte === 46) {
      if (p === first || bytes[first] === 45 || bytes[p - 1] === 45) return false;
      labels++;
      if (p === end) return labels >= 2 && lettersOnly && p - first >= 2;
      first = p + 1;
      lettersOnly = true;
    } else if (byte < 97 || byte > 122) {
      if (byte !== 45 && (byte < 48 || byte > 57)) return false;
      lettersOnly = false;
    }
  }
  return false;
}

const UTF8 = new TextEncoder();

/** Maximum length of a text with an address: the search for its end takes quadratic time. */
const TYPED_MAX = 1_000;
/** Characters that end a sentence or a list item, but never an address. */
const TRAILING = /[\s.,;:!?)\]}>]+$/;
/** Matches a label before an address. Does not match "mailto:", which begins a link. */
const LABEL = /^(?:e-?mail|correo|mail)(?:\.?\s*:\s*|\s+)(?=\S+@)/i;

/** Matches an asterisk as the whole local part. Elsewhere it is an ordinary character. */
const PATTERN = /^\s*\*+@/;

/** True for an asterisk and a domain, which people write to mean all addresses of the domain. */
export function isEmailPattern(typed: string): boolean {
  return PATTERN.test(typed);
}

/**
 * Reads an address as people write it: in any case, as a link (`mailto:`), in angle brackets after
 * a name, after a label, before punctuation, or with invisible characters around it. A leading
 * apostrophe stays, because some addresses of the registry begin with one. Returns the address in
 * lower case; null for patterns and other text.
 */
export function readEmail(typed: string): string | null {
  if (typed.length > TYPED_MAX || isEmailPattern(typed)) return null;
  const apostrophe = /^\s*'/.test(typed) ? "'" : "";
  const text = apostrophe + cleaned(typed).replace(LABEL, "");
  const linked = (/<([^<>]*)>[\s.,;:!?]*$/.exec(text)?.[1] ?? text.replace(TRAILING, "")).trim();
  const address = /^mailto:/i.test(linked)
    ? (linked.slice("mailto:".length).split("?", 1)[0] as string)
    : linked;
  const lower = address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const bytes = UTF8.encode(lower);
  const at = bytes.indexOf(64);
  const isAddress = at >= 0 && bytes.length <= EMAIL_BYTES_MAX;
  return isAddress && isEmail(bytes, 0, at, bytes.length) ? lower : null;
}
