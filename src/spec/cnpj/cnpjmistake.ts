/**
 * Makes the error for a request that must name an account but contains no CNPJ.
 * Invariant: the error never repeats the sent text, which may be the tax number of a person.
 * Separate from the reader of CNPJs, cnpjspelling, because the console's pages read CNPJs but raise
 * no such errors.
 */
import type { Mistake } from "../../errors.ts";
import { CNPJ_REFUSALS, type CnpjReading, type RefusedCnpj } from "./cnpjspelling.ts";

const WANTED =
  "A CNPJ has 14 characters, digits and from 2026 on letters too, with or without punctuation, " +
  "such as 11.222.333/0001-81.";
const ROOT = "It is the root of a CNPJ, which names a company. Its accounts are found by it.";

/** Returns the mistake for a text that is not a CNPJ, at a place in the request. */
export function cnpjMistake(
  reading: Exclude<CnpjReading, { readonly kind: "cnpj" }>,
  pointer: string,
): Mistake {
  const code = "invalid_cnpj";
  if (reading.kind === "root") return { pointer, code, detail: `${ROOT} ${WANTED}` };
  const { reason, offered } = reading;
  const detail = refusalText(reading);
  if (offered === undefined) return { pointer, code, detail: `${detail} ${WANTED}`, reason };
  return { pointer, code, detail: detail, reason, offered };
}

/** Returns a sentence that says why a text is not a CNPJ. */
export function refusalText({ reason, offered }: Pick<RefusedCnpj, "reason" | "offered">): string {
  const text = CNPJ_REFUSALS[reason];
  return offered === undefined ? text : `${text} With them it is ${offered}.`;
}
