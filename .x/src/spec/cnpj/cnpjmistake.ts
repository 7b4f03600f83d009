/**
 * The error of a request that must name an account but sends no CNPJ.
 * Invariant: it never repeats the sent text, which may be the number of a person. Apart because the
 * console's own pages read CNPJs (cnpjspelling.ts) but raise no such errors.
 */
import type { Mistake } from "../../errors.ts";
import { CNPJ_REFUSALS, type CnpjReading, type RefusedCnpj } from "./cnpjspelling.ts";

const WANTED =
  "A CNPJ has 14 characters, digits and from 2026 on letters too, with or without punctuation, " +
  "such as 11.222.333/0001-81.";
const ROOT = "It is the root of a CNPJ, which names a company. Its accounts are found by it.";

/** The mistake of a text that is no CNPJ, at a place of the request. */
export function cnpjMistake(
  reading: Exclude<CnpjReading, { readonly kind: "cnpj" }>,
  pointer: string,
): Mistake {
  const code = "invalid_cnpj";
  if (reading.kind === "root") return { pointer, code, detail: `${ROOT} ${WANTED}` };
  const { reason, offered } = reading;
  const told = refusalText(reading);
  if (offered === undefined) return { pointer, code, detail: `${told} ${WANTED}`, reason };
  return { pointer, code, detail: told, reason, offered };
}

/** Returns why a text is no CNPJ, as a sentence. */
export function refusalText({ reason, offered }: Pick<RefusedCnpj, "reason" | "offered">): string {
  const told = CNPJ_REFUSALS[reason];
  return offered === undefined ? told : `${told} With them it is ${offered}.`;
}
