/**
 * Amounts in reais as people type them. What comes in: text of the present language, or a number.
 * What goes out: the number to the cent, or the text.
 * Invariant: a text that can be read in two ways is none; reading what was written gives the same
 * number.
 * Apart because it reads and writes text, which tests run without a browser.
 */
import { number } from "../../app/format.ts";
import { language } from "../../app/language.ts";

const FORMS = {
  pt: /^(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?$/,
  en: /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/,
} as const;

/** Reads an amount; null where the text is none. */
export function readAmount(text: string): number | null {
  const match = FORMS[language.value].exec(text.replace(/r\$|\s/gi, ""));
  if (match === null) return null;
  const [, whole = "", cents = ""] = match;
  return Number(`${whole.replace(/\D/g, "")}.${cents || "0"}`);
}

/** An amount as it is typed; empty for none. */
export function amountText(amount: number | undefined): string {
  return amount === undefined ? "" : number(amount, 2);
}
