/**
 * Numbers as programs write them: with a fraction of zeros, an exponent or thousands in groups.
 * Input: a text. Output: the digits of the whole number that it stands for, exactly.
 * Invariant: digits are moved as text, never as a floating-point number, so that none is rounded
 * here; how many the notation lacks is reported.
 */

/** A number in one of these notations. */
interface WrittenNumber {
  /** Digits of the whole number, without zeros in front unless the notation wrote them. */
  readonly digits: string;
  /** Digits at the end that the notation did not write and that count as zeros in `digits`. */
  readonly lost: number;
  /** False if something other than zeros is behind the decimal sign. */
  readonly isWhole: boolean;
}

/** Words that people and programs write before a number. */
export const LABEL = /^cnpj\b[\s:.#nº°-]*(?=[0-9])/i;

/** 99938275000138.0; of up to three digits a fraction of three zeros may be thousands. */
const ZERO_FRACTION = /^(?:([0-9]{4,})[.,]0+|([0-9]{1,3})[.,]0{1,2})$/;
/** 9.9938275000138e+13. Without a fraction it may be a CNPJ with the letter E: look there first. */
const EXPONENT = /^([0-9]+)(?:[.,]([0-9]*))?E\+?([0-9]+)$/i;
/** 99.938.275.000.138, with a fraction of zeros or none. */
const THOUSANDS = /^[0-9]{1,3}([.,' ])[0-9]{3}(?:\1[0-9]{3})+(?:(?!\1)[.,]0{1,2})?$/;
/** Exponents from here on make no number of 14 digits. */
const EXPONENT_MAX = 99;

/** The number that a text is in one of these notations; null if it is in none. */
export function numberIn(text: string): WrittenNumber | null {
  const [, long, short] = ZERO_FRACTION.exec(text) ?? [];
  const digits = long ?? short;
  if (digits !== undefined) return { digits, lost: 0, isWhole: true };
  if (THOUSANDS.test(text)) {
    const whole = text.replace(/[.,]0{1,2}$/, "").replace(/[^0-9]/g, "");
    return { digits: whole, lost: 0, isWhole: true };
  }
  const match = EXPONENT.exec(text);
  return match === null ? null : shifted(match);
}

/** Moves the decimal sign. */
function shifted([, whole = "", fraction = "", power = ""]: RegExpExecArray): WrittenNumber {
  const written = whole + fraction;
  const exponent = Math.min(Number(power), EXPONENT_MAX);
  const rest = fraction.slice(exponent);
  const lost = Math.max(0, exponent - fraction.length);
  const moved = written.slice(0, written.length - rest.length) + "0".repeat(lost);
  const digits = moved.replace(/^0+(?=[0-9])/, "");
  return { digits, lost: digits === "0" ? 0 : lost, isWhole: /^0*$/.test(rest) };
}
