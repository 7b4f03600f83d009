/**
 * Names of activities as the registry writes them. What comes in: a code. What goes out: its name.
 * Invariant: a name begins with a capital letter, and has no other but in the words below.
 * Why so: the package that knows the codes writes everything in capitals and without hyphens; the
 * registry's own table, which a dump has, does neither.
 */
import { getCnae } from "@brazilian-utils/brazilian-utils";

/** Abbreviations and proper names, as they are written. */
const KEPT = [
  ...["AIDS", "CDs", "DVDs", "ECG", "EEG", "GLP", "OSCIP", "OTM", "SCM", "SME", "SRTT", "STFC"],
  ...["T.R.R.", "UTI", "VOIP", "Banco Central", "Correio Nacional", "Defesa Civil"],
];

/** Words of one meaning that take hyphens. */
const HYPHENATED = [
  ...["acácia-negra", "apart-hotéis", "auxílio-funeral", "batata-inglesa", "bicho-da-seda"],
  ...["câmaras-de-ar", "cana-de-açúcar", "castanha-do-pará", "chá-da-índia", "coco-da-baía"],
  ...["erva-mate", "ferro-gusa", "guarda-chuvas", "guarda-móveis", "higiênico-sanitário"],
  ...["máquinas-ferramenta", "matérias-primas", "odonto-médico-hospitalar", "papel-cartão"],
  ...["pimenta-do-reino", "pós-colheita", "pós-graduação", "pós-produção", "pré-fabricadas"],
  ...["pré-impressão", "pré-moldadas", "pronto-socorro", "sal-gema", "semi-acabados"],
  ...["semi-reboques", "vales-alimentação", "vales-transporte"],
];

/** Written by the words as they stand in the package, in small letters. */
const WRITTEN = new Map([
  ["imobiliaria", "imobiliária"],
  ["odonto médico hospitalares", "odonto-médico-hospitalares"],
  ["préescola", "pré-escola"],
  ...KEPT.map((word): [string, string] => [lower(word), word]),
  ...HYPHENATED.map((word): [string, string] => [word.replaceAll("-", " "), word]),
]);

/** Any of these words, whole; the longer of two first. */
const WORDS = new RegExp(
  `(?<!\\p{L})(?:${[...WRITTEN.keys()]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.replaceAll(".", "\\."))
    .join("|")})(?!\\p{L})`,
  "gu",
);

/** The name of an activity of seven digits, or null where the package knows none of that code. */
export function activityName(code: string): string | null {
  const found = getCnae(code);
  return found === null ? null : asWritten(found.description);
}

/** A name in capitals as the registry would write it. */
export function asWritten(capitals: string): string {
  const small = lower(capitals).replaceAll("(", " (").replace(/\s+/g, " ").trim();
  const text = small.replace(WORDS, (word) => WRITTEN.get(word) ?? word);
  return text.charAt(0).toLocaleUpperCase("pt-BR") + text.slice(1);
}

function lower(text: string): string {
  return text.toLocaleLowerCase("pt-BR");
}
