/**
 * Finds CPFs, the numbers of persons, in text that a client sends.
 * Invariant: nothing here returns a CPF. Callers only learn if a text contains one, or get the text
 * without it. So no answer, list, or log repeats a person's number.
 */

/** The spellings of a CPF: with all its punctuation, without any, or with only a hyphen. */
const FORMS = ["\\d{3}\\.\\d{3}\\.\\d{3}[-/]\\d{2}", "\\d{11}", "\\d{9}-\\d{2}"];
const CPF = new RegExp(
  `(?<![\\p{L}\\p{N}./-])(?:${FORMS.join("|")})(?![\\p{L}\\p{N}]|[./-]\\d)`,
  "gu",
);
/** Text that replaces a CPF. */
const HIDDEN = "***.***.***-**";
const DIGITS = 11;

/** True for eleven digits with the check digits of a CPF, unless all digits are equal. */
export function isCpf(digits: string): boolean {
  if (!/^[0-9]{11}$/.test(digits) || /^(.)\1+$/.test(digits)) return false;
  return [DIGITS - 2, DIGITS - 1].every((at) => checkDigit(digits, at) === digits[at]);
}

/** Returns true if a text contains a CPF. */
export function holdsCpf(text: string): boolean {
  return withoutCpfs(text) !== text;
}

/** Replaces every CPF of a text. */
export function withoutCpfs(text: string): string {
  return text.replace(CPF, (found) =>
    found.includes(".") || isCpf(found.replace("-", "")) ? HIDDEN : found,
  );
}

/** Returns a text without its CPF, or only asterisks if the notation is not recognized. */
export function hideCpf(text: string): string {
  const hidden = withoutCpfs(text);
  return hidden === text ? HIDDEN : hidden;
}

/** Returns the check digit that follows the first `count` digits. */
function checkDigit(digits: string, count: number): string {
  let sum = 0;
  for (let at = 0; at < count; at++) sum += Number(digits[at]) * (count + 1 - at);
  return String(((sum * 10) % DIGITS) % 10);
}
