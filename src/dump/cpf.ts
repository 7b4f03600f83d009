/**
 * CPFs in names, the numbers of persons.
 * What comes in: a clean name at the end of a sink. What goes out: the name without the CPFs that
 * it is or ends in.
 * Invariant: a number inside a name stays. Behind the last one may stand punctuation, a bracket and
 * the form of a company (ME, MEI); the form stays. The twin of `native-index/scan/texts.cc`.
 */
import type { TextSink } from "./registrytext.ts";

const DIGITS = 11;
const [SPACE, DOT, HYPHEN, SLASH, OPEN, CLOSE] = [32, 46, 45, 47, 40, 41] as const;

const bytesOf = (text: string): readonly number[] => [...Buffer.from(text, "latin1")];

/** What linked a number to the name before it, or ended the name behind it. */
const BEFORE = bytesOf(" ,-:;/([");
const BEHIND = bytesOf(" ,-:;/()[].");
/** Forms of companies that stand behind a person's number. */
const FORMS = ["ME", "MEI", "EPP", "EI", "EIRELI", "LTDA"].map(bytesOf);
const LABELS = ["CPF"].map(bytesOf);

/**
 * Removes the CPFs that the last `length` bytes of the sink are or end in: eleven digits, bare or
 * as `123.456.789-01`, not part of a longer number, in brackets, twice, or before a form. With
 * `isChecked`, as for a trade name, in which eleven digits may be a telephone, only those go that
 * have the check digits of a CPF; without it, as for a sole trader's name, also any at the end.
 * Returns the new length; the sink is shortened with it.
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

/** What stands behind the last number that a name may end in. */
interface Ending {
  /** Where the number ends. */
  readonly at: number;
  /** Place and length of the form of the company; no length without one. */
  readonly form: number;
  readonly size: number;
  /** By a bracket. */
  readonly closed: boolean;
}

function endingOf(name: Name): Ending {
  let at = trimmed(name, name.end, BEHIND);
  const size = wordAt(name, at, FORMS);
  const form = at - size;
  if (size > 0) at = trimmed(name, form, BEHIND);
  return { at, form, size, closed: name.bytes.subarray(at, name.end).includes(CLOSE) };
}

/** The end of a name without what stands at it of `noise`. */
function trimmed({ bytes, start }: Name, end: number, noise: readonly number[]): number {
  let at = end;
  while (at > start && noise.includes(bytes[at - 1] as number)) at--;
  return at;
}

/** How long the word is, of these, that a name ends in; 0 for none of them. */
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

/** Digits of the number at hand. */
const NUMBER = new Uint8Array(DIGITS);

/**
 * Reads the number that ends at `end` into `NUMBER`; null where there is none of eleven digits.
 * Blanks stand only where a CPF is written in groups: 123 456 789 09.
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

/** Closes the gap that a number leaves; gives the end of the name. */
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

/** Whether a bracket was opened and is not closed yet. */
function isOpen({ bytes, start }: Name, end: number): boolean {
  const text = bytes.subarray(start, end);
  return text.lastIndexOf(OPEN) > text.lastIndexOf(CLOSE);
}

/** Whether eleven digits are a CPF: the check digits are right, and it is not one digit only. */
function isCpf(digits: Uint8Array): boolean {
  const isVaried = digits.some((digit) => digit !== digits[0]);
  return isVaried && checkDigit(digits, 9) === digits[9] && checkDigit(digits, 10) === digits[10];
}

/** The check digit behind the first `count` digits of a CPF. */
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
