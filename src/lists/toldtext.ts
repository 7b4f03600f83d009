/**
 * A text of somebody's as it is told back. What comes in: any text. What goes out: its beginning.
 * Invariant: what goes out is whole characters that every encoding has, at most `TOLD_MAX` of them,
 * and no CPF.
 */
import { withoutCpfs } from "../spec/cnpj/cpf.ts";

/** Longest part that is told, in characters. */
const TOLD_MAX = 64;
/** Half of a character that has two, without the other. */
const HALF = /[\ud800-\udfff]/gu;

/** The beginning of a text. */
export function toldText(text: string): string {
  const characters = [...withoutCpfs(text.slice(0, 2 * TOLD_MAX))].slice(0, TOLD_MAX);
  return characters.join("").replace(HALF, "\ufffd");
}
