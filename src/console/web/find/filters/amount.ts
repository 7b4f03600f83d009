/**
 * Parses and formats amounts in reais, to the cent, in the current language.
 * Invariant: ambiguous input is refused, and parsing a formatted number returns the same number.
 * Separate because tests run it without a browser.
 */
import { number } from "../../app/format.ts";
import { language } from "../../app/language.ts";

const FORMS = {
  pt: /^(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?$/,
  en: /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/,
} as const;

/** Parses an amount. Returns null if the text is not an amount. */
export function readAmount(text: string): number | null {
  const match = FORMS[language.value].exec(text.replace(/r\$|\s/gi, ""));
  if (match === null) return null;
  const [, whole = "", cents = ""] = match;
  return Number(`${whole.replace(/\D/g, "")}.${cents || "0"}`);
}

/** Formats an amount for editing. Returns "" if it is undefined. */
export function amountText(amount: number | undefined): string {
  return amount === undefined ? "" : number(amount, 2);
}
