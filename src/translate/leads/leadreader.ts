/**
 * Reads the lists and words of a lead query.
 * Invariant: errors are collected as in `SpecReader`. Only the first errors suggest names, because
 * finding the nearest names is expensive. Words are lowercase without accents, in both languages
 * and genders. An ambiguous word stands for all of its codes.
 * Input: one value or a list of values, as sent. Output: texts with their JSON pointers, and
 * errors that suggest a name. For a size, status, region, or order, the output is the codes and
 * keys of a spec.
 */
import type { COMPANY_SIZE_CODES, REGISTRATION_STATUSES } from "../../spec/fields.ts";
import { LEAD_LIMITS } from "../../spec/leadschema.ts";
import { SpecReader } from "../../spec/reader.ts";
import type { SortKey } from "../../spec/schema.ts";

const SUGGESTED_MISTAKES_MAX = 20;

/** A text of a list and where it stands. */
export interface LeadText {
  readonly text: string;
  /** JSON pointer to the text. */
  readonly place: string;
}

/** Reads a lead query. */
export class LeadReader extends SpecReader {
  #unknown = 0;

  /** Returns the values of a list, or a single value, with JSON pointers. Reports other types. */
  elements(
    value: unknown,
    pointer: string,
    max: number = LEAD_LIMITS.listMax,
  ): readonly { readonly element: unknown; readonly place: string }[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [{ element: value, place: pointer }];
    return this.array(value, pointer, max).map((element, at) => ({
      element,
      place: `${pointer}/${at}`,
    }));
  }

  /** Passes each distinct text to `read`. With `numbers`, whole numbers count as texts. */
  eachText(value: unknown, pointer: string, read: (text: LeadText) => void, numbers = false): void {
    const seen = new Set<string>();
    for (const { element, place } of this.elements(value, pointer)) {
      const whole = numbers && Number.isSafeInteger(element) && (element as number) >= 0;
      const text = this.string(whole ? String(element) : element, place);
      if (text === undefined || seen.has(text)) continue;
      seen.add(text);
      read({ text, place });
    }
  }

  /** Reports an unknown name. Only for the first errors, `detail` searches the nearest names. */
  unknown(place: string, code: string, detail: () => string): void {
    const isListed = this.#unknown++ < SUGGESTED_MISTAKES_MAX;
    this.mistake(place, code, isListed ? detail : "This is not known either.");
  }
}

/** Returns a question that offers the names, or `otherwise` if there are none. */
export function suggestion(names: readonly string[], otherwise: string): string {
  if (names.length === 0) return otherwise;
  const last = names[names.length - 1];
  const list = names.length === 1 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
  return `did you mean ${list}?`;
}

type Size = (typeof COMPANY_SIZE_CODES)[number];
type Status = (typeof REGISTRATION_STATUSES)[number];

/** Returns a table of words. Each line is a value and its synonyms, separated by "|". */
function wordTable<Value>(
  lines: readonly (readonly [Value, string])[],
): ReadonlyMap<string, Value> {
  return new Map(
    lines.flatMap(([value, words]) => words.split("|").map((word) => [word, value] as const)),
  );
}

/** Sizes by word. */
export const SIZE_WORDS: ReadonlyMap<string, Size> = wordTable<Size>([
  ["00", "00|0|nao informado|nao informada|not informed|sem porte"],
  ["01", "01|1|micro|microempresa|microempresas|me|micro empresa|micro company|micro companies"],
  [
    "03",
    "03|3|pequena|pequeno|pequenas|pequenos|pequeno porte|empresa de pequeno porte|epp|" +
      "pequena empresa|small|small company|small companies",
  ],
  [
    "05",
    "05|5|outras|outros|demais|demais portes|media|medio|medias|grande|grandes|medio porte|" +
      "grande porte|media e grande|medium|large|other|others|medium and large",
  ],
]);

/** Statuses by word. */
export const STATUS_WORDS: ReadonlyMap<string, Status> = wordTable<Status>([
  [1, "1|01|nula|nulo|nulas|null|void"],
  [2, "2|02|ativa|ativo|ativas|ativos|active|open|aberta|abertas"],
  [3, "3|03|suspensa|suspenso|suspensas|suspended"],
  [4, "4|04|inapta|inapto|inaptas|unfit|irregular"],
  [8, "8|08|baixada|baixado|baixadas|fechada|fechadas|encerrada|encerradas|closed"],
]);

/** Maps the name of a region to its states. */
export const REGION_WORDS: ReadonlyMap<string, string> = wordTable([
  ["AC AM AP PA RO RR TO", "norte|regiao norte|north"],
  ["AL BA CE MA PB PE PI RN SE", "nordeste|regiao nordeste|northeast"],
  [
    "DF GO MS MT",
    "centro oeste|centrooeste|regiao centro oeste|midwest|central west|center west|centre west",
  ],
  ["ES MG RJ SP", "sudeste|regiao sudeste|southeast"],
  ["PR RS SC", "sul|regiao sul|south"],
]);

const key = (field: SortKey["field"], direction: SortKey["direction"]): SortKey => ({
  field,
  direction,
});

/**
 * Maps words to sort orders. A word for a field uses the direction in which the account spec
 * usually sorts it.
 */
export const SORT_WORDS: ReadonlyMap<string, SortKey> = wordTable([
  [key("score", "desc"), "score|best|melhores|relevancia|relevance|pontuacao"],
  [
    key("started_on", "desc"),
    "started on|newest|mais novas|mais recentes|recentes|novas|most recent|latest",
  ],
  [key("started_on", "asc"), "oldest|mais antigas|antigas|mais velhas|earliest"],
  [key("company_size", "desc"), "company size|largest|maiores|biggest|porte|size"],
  [key("company_size", "asc"), "smallest|menores"],
  [
    key("share_capital", "desc"),
    "share capital|highest capital|maior capital|capital|capital social",
  ],
  [key("share_capital", "asc"), "lowest capital|menor capital"],
  [
    key("legal_name", "asc"),
    "legal name|name|nome|razao social|alfabetica|ordem alfabetica|alphabetical",
  ],
  [key("cnpj", "asc"), "cnpj"],
  [
    key("municipality_population", "desc"),
    "municipality population|population|populacao|largest cities|maiores cidades",
  ],
]);
