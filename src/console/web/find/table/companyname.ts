/**
 * Names of companies as people write them. What comes in: a name as the registry has it, all in
 * capitals and without accents. What goes out: the same letters with capitals where words begin.
 * Invariant: nothing but the case of letters changes; a name that has small letters already is left
 * as it is, as are forms of companies, initials, numbers and words that nobody could say. Apart
 * because it knows Portuguese and no accounts.
 */

/** Forms of companies and usual abbreviations. */
const KEPT = new Set(
  (
    "LTDA ME EPP EIRELI MEI SS SPE SCP TI RH TV CFC APAE APM EMEI EMEF UTI USA LED EPI SUS " +
    "SESI SENAI SESC SENAC SEBRAE OAB UNIMED"
  ).split(" "),
);
/** Small within a name. */
const SMALL = new Set(
  "a ao aos as com da das de do dos e em na nas no nos o os para por pela pelo sem".split(" "),
);
/** A company limited by shares ends so; behind a particle it is a family's name. */
const IS_FORM = /(?<!\bD[AE]) SA$/;
const ROMAN = /^[IVX]{2,}$/;
const SAYABLE = /[AEIOUYÀÁÂÃÉÊÍÓÔÕÚÜ]/;

/** The name. */
export function companyName(name: string): string {
  if (/\p{Ll}/u.test(name)) return name;
  return name.replace(/[\p{L}\p{M}\p{N}]+/gu, (word, at: number) => {
    const isAlone = alone(name[at - 1]) && alone(name[at + word.length]);
    const small = word.toLocaleLowerCase("pt-BR");
    if (at > 0 && isAlone && SMALL.has(small)) return small;
    if (word === "SA" && IS_FORM.test(name)) return word;
    if (KEPT.has(word) || ROMAN.test(word) || !SAYABLE.test(word) || /\p{N}/u.test(word)) {
      return word;
    }
    return word.charAt(0) + small.slice(1);
  });
}

/** Whether nothing but a blank stands there. */
function alone(character: string | undefined): boolean {
  return character === undefined || character === " ";
}
