/**
 * Removes CPFs (personal tax numbers) from names. Input: a clean name at the end of a buffer of
 * texts. Output: the name without CPFs at its end. It may become empty.
 * Invariant: a number inside a name stays. Punctuation, a bracket, and a company form (ME, MEI) may
 * follow the last CPF, and the form stays. Equals `native-index/scan/texts.cc`.
 */
import type { TextSink } from "./registrytext.ts";

const DIGITS = 11;
const [SPACE, DOT, HYPHEN, SLASH, OPEN, CLOSE] = [32, 46, 45, 47, 40, 41] as const;

const bytesOf = (text: string): readonly number[] => [...Buffer.from(text, "latin1")];

/** Characters allowed between a name and its number, and after the number. */
const BEFORE = bytesOf(" ,-:;/([");
const AFTER = bytesOf(" ,-:;/()[].");
/** Company forms that may follow a person's number. */
const FORMS = ["ME", "MEI", "EPP", "EI", "EIRELI", "LTDA"].map(bytesOf);
const LABELS = ["CPF"].map(bytesOf);

/**
 * Removes CPFs at the end of the sink's last `length` bytes, shortens the sink, and returns the new
 * length. A CPF has eleven digits, bare or as `123.456.789-01`, and is not part of a longer number.
 * It may be in brackets, occur twice, or precede a company form. Its check digits must be right,
 * with one exception. If `isChecked` is false (for sole traders' names), eleven digits at the very
 * end are removed in any case. In trade names, which are checked, eleven digits may be a telephone.
 */
export function removeCpf(sink: TextSink, length: number, isChecked: boolean): number {
  const start = sink.length - length;
  const name = { bytes: sink.bytes, start, end: sink.length };
  let last = "";
  for (;;) {
    const ending = endingOf(name);
    const number = readNumber(name, ending.at);
    if (number === null) break;
    const text = NUMBER.join("");
    const isPlain = !isChecked && last === "" && !number.spaced && ending.size === 0;
    if (!isPlain && text !== last && !isCpf(NUMBER)) break;
    last = text;
    name.end = closeUp(name, number.at, ending);
  }
  sink.length = name.end;
  return name.end - start;
}

interface Name {
  readonly bytes: Uint8Array;
  readonly start: number;
  end: number;
}

/** The text after a name's last number. */
interface Ending {
  /** End of the number. */
  readonly at: number;
  /** Offset and length of the company form; length 0 if there is none. */
  readonly form: number;
  readonly size: number;
  /** True if the number is in a bracket. */
  readonly closed: boolean;
}

function endingOf(name: Name): Ending {
  let at = trimmed(name, name.end, AFTER);
  const size = wordAt(name, at, FORMS);
  const form = at - size;
  if (size > 0) at = trimmed(name, form, AFTER);
  return { at, form, size, closed: name.bytes.subarray(at, name.end).includes(CLOSE) };
}

/** Returns the end of a name without trailing `noise`. */
function trimmed({ bytes, start }: Name, end: number, noise: readonly number[]): number {
  let at = end;
  while (at > start && noise.includes(bytes[at - 1] as number)) at--;
  return at;
}

/** If a name ends with one of `words`, returns the length of that word. Otherwise returns 0. */
function wordAt(
  { bytes, start }: Name,
  end: number,
  words: readonly (readonly number[])[],
): number {
  const word = words.find((letters) => {
    const from = end - letters.length;
    if (from < start || (from > start && isLetter(bytes[from - 1] as number))) return false;
    return letters.every((letter, i) => capital(bytes[from + i] as number) === letter);
  });
  return word?.length ?? 0;
}

/** Digits of the current number. */
const NUMBER = new Uint8Array(DIGITS);

/**
 * Reads the number that ends at `end` into `NUMBER`. Returns null unless it has eleven digits.
 * Blanks may only separate the groups of a CPF: 123 456 789 09.
 */
function readNumber(
  { bytes, start }: Name,
  end: number,
): { readonly at: number; readonly spaced: boolean } | null {
  let count = 0;
  let spaced = false;
  let at = end;
  for (; at > start && count < DIGITS; at--) {
    const byte = bytes[at - 1] as number;
    if (isDigit(byte)) NUMBER[DIGITS - ++count] = byte - 48;
    else if (byte === SPACE && count % 3 === 2) spaced = true;
    else if (count === 0 || !isSeparator(byte)) return null;
  }
  const goesOn =
    at > start &&
    (isDigit(bytes[at - 1] as number) ||
      (isSeparator(bytes[at - 1] as number) && at - start > 1 && isDigit(bytes[at - 2] as number)));
  return count < DIGITS || goesOn ? null : { at, spaced };
}

/** Closes the gap after a number was removed. Returns the name's new end. */
function closeUp(name: Name, at: number, { form, size, closed }: Ending): number {
  const { bytes } = name;
  let left = trimmed(name, at, BEFORE);
  const label = wordAt(name, left, LABELS);
  if (label > 0) left = trimmed(name, left - label, BEFORE);
  if (closed && isOpen(name, left)) bytes[left++] = CLOSE;
  if (size === 0) return left;
  if (left > name.start) bytes[left++] = SPACE;
  bytes.copyWithin(left, form, form + size);
  return left + size;
}

/** True if a bracket is open. */
function isOpen({ bytes, start }: Name, end: number): boolean {
  const text = bytes.subarray(start, end);
  return text.lastIndexOf(OPEN) > text.lastIndexOf(CLOSE);
}

/** True if eleven digits form a CPF: the check digits are right, and not all digits are equal. */
function isCpf(digits: Uint8Array): boolean {
  const isVaried = digits.some((digit) => digit !== digits[0]);
  return isVaried && checkDigit(digits, 9) === digits[9] && checkDigit(digits, 10) === digits[10];
}

/** Returns the check digit after the first `count` digits of a CPF. */
function checkDigit(digits: Uint8Array, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += (digits[i] as number) * (count + 1 - i);
  return ((sum * 10) % 11) % 10;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function isSeparator(byte: number): boolean {
  return byte === HYPHEN || byte === DOT || byte === SLASH;
}

function capital(byte: number): number {
  return byte >= 97 && byte <= 122 ? byte & ~32 : byte;
}

function isLetter(byte: number): boolean {
  return byte >= 0x80 || (capital(byte) >= 65 && capital(byte) <= 90);
}
