/**
 * Names and texts of activities. Input: a code; or a file with IBGE's texts for subclasses, either
 * as this program's CSV or as the response of IBGE's service. Output: a name in the registry's
 * spelling; the texts of each subclass.
 * Invariant: names have only an initial capital letter, except for the words below. (The package
 * with the codes has names in capitals and without hyphens, unlike the registry.) A file is read
 * completely or refused with all its faults. The texts of a subclass are not joined, because each
 * describes a different activity.
 */
import { getCnae } from "@brazilian-utils/brazilian-utils";
import { CommandError } from "../errors.ts";
import { readTableText, TableFile, tableText } from "./tablefile.ts";

/** A subclass (7 digits) and the texts of its activities. */
export interface Descriptor {
  readonly code: string;
  readonly texts: readonly string[];
}

const CODE_COLUMN = "subclass";
const TEXT_COLUMN = "text";
/** Max characters of a text; IBGE's have up to 200. */
const TEXT_MAX = 1_000;
/** Max number of listed mistakes. Others are only counted. */
const MISTAKES_SHOWN = 20;
const FIX = "`peneira download --descriptors --to DIR` makes such a file.";

/** Reads a file of texts. @throws CommandError (exit 2) with every mistake and its place. */
export function readActivityTexts(path: string): readonly Descriptor[] {
  const text = readTableText(path);
  return /^\s*[[{]/.test(text) ? answered(path, text) : activityTextsOf(path, text);
}

/** Parses the CSV text of such a file; `path` is its name in messages. */
export function activityTextsOf(path: string, text: string): readonly Descriptor[] {
  const table = new TableFile(path, text, {
    ...{ needed: [CODE_COLUMN, TEXT_COLUMN], optional: [] },
    fix: `${FIX} docs/translate.md has its columns.`,
  });
  const texts = new Map<string, string[]>();
  for (const { line, cell } of table.rows) {
    const code = cell(CODE_COLUMN).replace(/[-/.]/g, "");
    const written = cell(TEXT_COLUMN);
    if (!/^\d{7}$/.test(code)) table.problem(line, `${CODE_COLUMN} must be a code of 7 digits`);
    if (written === "" || written.length > TEXT_MAX) {
      table.problem(line, `${TEXT_COLUMN} must have 1 to ${TEXT_MAX} characters`);
    }
    const known = texts.get(code);
    if (known === undefined) texts.set(code, [written]);
    else known.push(written);
  }
  table.check();
  return Array.from(texts, ([code, list]) => ({ code, texts: list }));
}

/** Formats texts as CSV, one per line. */
export function activityTextsText(descriptors: readonly Descriptor[]): string {
  const rows = descriptors.flatMap(({ code, texts }) => texts.map((text) => [code, text]));
  return tableText([[CODE_COLUMN, TEXT_COLUMN], ...rows]);
}

/** Parses the unchanged response of the service. */
function answered(path: string, text: string): readonly Descriptor[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message;
    throw new CommandError(`The descriptors ${path} cannot be read: ${reason}`, 2, error);
  }
  const mistakes: string[] = [];
  const descriptors = subclassesOf(content, mistakes);
  if (mistakes.length === 0) return descriptors;
  const shown = mistakes.slice(0, MISTAKES_SHOWN).map((mistake) => `\n- ${mistake}`);
  const more = mistakes.length - shown.length;
  throw new CommandError(
    `The descriptors ${path} are not as IBGE's subclasses are:${shown.join("")}` +
      `${more > 0 ? `\n- and ${more} more` : ""}\n${FIX}`,
    2,
  );
}

/** Converts the service's JSON to descriptors. Adds faults to `mistakes`. */
export function subclassesOf(content: unknown, mistakes: string[]): readonly Descriptor[] {
  if (!Array.isArray(content) || content.length === 0) {
    mistakes.push("the file must be a list of subclasses that is not empty");
    return [];
  }
  const seen = new Set<string>();
  return content.map((entry: unknown, at): Descriptor => {
    const { id, descricao, atividades } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const place = `entry ${at + 1}`;
    const code = String(id ?? "").replace(/[-/.]/g, "");
    if (!/^\d{7}$/.test(code)) mistakes.push(`${place}: id must be a subclass of 7 digits`);
    else if (seen.has(code)) mistakes.push(`${place}: ${code} stands there twice`);
    seen.add(code);
    if (typeof descricao !== "string" || descricao.trim() === "") {
      mistakes.push(`${place}: descricao must be a text`);
    }
    const list = Array.isArray(atividades) ? atividades : atividades == null ? [] : [null];
    if (!list.every((text): text is string => typeof text === "string")) {
      mistakes.push(`${place}: atividades must be a list of texts`);
    }
    return { code, texts: [descricao, ...list].map(String) };
  });
}

/** Abbreviations and proper names, correctly spelled. */
const PROPER = [
  ...["AIDS", "CDs", "DVDs", "ECG", "EEG", "GLP", "OSCIP", "OTM", "SCM", "SME", "SRTT", "STFC"],
  ...["T.R.R.", "UTI", "VOIP", "Banco Central", "Correio Nacional", "Defesa Civil"],
];

/** Hyphenated compounds. */
const HYPHENATED = [
  ...["acácia-negra", "apart-hotéis", "auxílio-funeral", "batata-inglesa", "bicho-da-seda"],
  ...["câmaras-de-ar", "cana-de-açúcar", "castanha-do-pará", "chá-da-índia", "coco-da-baía"],
  ...["erva-mate", "ferro-gusa", "guarda-chuvas", "guarda-móveis", "higiênico-sanitário"],
  ...["máquinas-ferramenta", "matérias-primas", "odonto-médico-hospitalar", "papel-cartão"],
  ...["pimenta-do-reino", "pós-colheita", "pós-graduação", "pós-produção", "pré-fabricadas"],
  ...["pré-impressão", "pré-moldadas", "pronto-socorro", "sal-gema", "semi-acabados"],
  ...["semi-reboques", "vales-alimentação", "vales-transporte"],
];

/** Correct spellings, by the package's words in lower case. */
const WRITTEN = new Map([
  ["imobiliaria", "imobiliária"],
  ["odonto médico hospitalares", "odonto-médico-hospitalares"],
  ["préescola", "pré-escola"],
  ...PROPER.map((word): [string, string] => [lower(word), word]),
  ...HYPHENATED.map((word): [string, string] => [word.replaceAll("-", " "), word]),
]);

/** Matches these words as whole words. Longer words come first, to precede their beginnings. */
const WORDS = new RegExp(
  `(?<!\\p{L})(?:${[...WRITTEN.keys()]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.replaceAll(".", "\\."))
    .join("|")})(?!\\p{L})`,
  "gu",
);

/** Returns the name of a seven-digit activity, or null if the package lacks the code. */
export function activityName(code: string): string | null {
  const found = getCnae(code);
  return found === null ? null : asWritten(found.description);
}

/** Converts a name in capitals to the registry's style. */
export function asWritten(capitals: string): string {
  const small = lower(capitals).replaceAll("(", " (").replace(/\s+/g, " ").trim();
  const text = small.replace(WORDS, (word) => WRITTEN.get(word) ?? word);
  return text.charAt(0).toLocaleUpperCase("pt-BR") + text.slice(1);
}

function lower(text: string): string {
  return text.toLocaleLowerCase("pt-BR");
}
