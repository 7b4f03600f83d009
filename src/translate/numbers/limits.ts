/**
 * Reads the limit: the number of accounts that a sentence requests.
 * Input: a sentence. Output: the limit, or null.
 * Invariant: a number is a limit only if a word says so or if it counts companies. "posto 24 horas"
 * and "3 irmãos" have no limit. A limit outside a spec's range is reported and not applied.
 */
import { SPEC_LIMITS } from "../../spec/limits.ts";
import { isFillerWord } from "../fillers.ts";
import { kindAt } from "../items.ts";
import { negatorOf } from "../negation.ts";
import { atMostBefore, isNegatorWord } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence } from "../words/sentence.ts";
import { factorAt, numberAt, withHundreds } from "./numbers.ts";

const wordSet = (words: string) => new Set(words.split(" "));

/** Words directly before a number that make it a limit. */
const LED = wordSet(
  "most top primeiras primeiros primeira limite limit maximo first max quantidade qtd maxima " +
    "limitado limitada limita limited capped cap " +
    "limitar apenas somente so",
);
const SMALL = wordSet(
  "da de a as os o em no na muito uma um uns umas cerca aproximadamente lista com to of the " +
    "ao at most",
);
/** Words that request results. */
const REQUESTS = wordSet(
  "ver ve quero queria queremos queriamos procuro procuramos procura busco buscamos preciso " +
    "precisamos busque buscar traga trazer mostre mostrar mostra manda mande passa passe " +
    "envia envie liste " +
    "listar lista " +
    "relacao encontre encontrar ache me manda mande mandar envie gere gerar exporte exportar " +
    "passa passe passar envia enviar consiga consegue indique indica puxar extraia extrair dame " +
    "retorne traz gostaria tem cade quais urgente need want show find get give list up ate " +
    "selecione pegue puxe listagem listado planilha newest oldest largest biggest smallest",
);
/** Words for companies that a number may count. */
const COUNTED = wordSet(
  "empresa empresas companhia companhias firma firmas negocio negocios estabelecimento " +
    "estabelecimentos cnpjs lead leads contato contatos resultado resultados registro registros " +
    "prospect prospects cliente clientes linha linhas companies businesses results records rows " +
    "primeiras primeiros maiores menores melhores mais largest biggest smallest newest oldest",
);
/**
 * Words such as "mais" before a number, after which it is not a limit even if it counts companies.
 */
const COMPARED = wordSet("mais menos acima abaixo entre superior inferior over under than");
const DOZENS: Readonly<Record<string, number>> = {
  ...{ duzia: 12, duzias: 12, dozen: 12, centena: 100, centenas: 100, dezena: 10, dezenas: 10 },
  ...{ milhar: 1000 },
};

/** Units of places, which no limit counts: "nos três estados do Sul". */
const PLACES = wordSet(
  "estados cidades municipios capitais bairros regioes states cities towns regiones",
);

/** Returns the first valid limit and marks its tokens as read. */
export function findLimit(sentence: Sentence, notes: Notes): number | null {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    const count = countAt(sentence, at);
    if (count === null || PLACES.has(sentence.folded(count.to))) continue;
    const from = limitStart(sentence, at, count.to);
    if (from === null) continue;
    const counted = COUNTED.has(sentence.folded(count.to)) && sentence.folded(count.to) !== "mais";
    const led = ["primeiras", "primeiros"].includes(sentence.folded(count.to));
    const most = isMostBehind(sentence, count.to) ? count.to + 2 : 0;
    const to =
      most > 0
        ? most
        : counted && (led || sentence.free(count.to)) && !isSort(sentence, count.to)
          ? count.to + 1
          : count.to;
    if (
      Number.isInteger(count.value) &&
      count.value >= 1 &&
      count.value <= SPEC_LIMITS.searchLimitMax
    ) {
      sentence.claim(from, to, "limit");
      return count.value;
    }
    refuse(sentence, notes, [from, to]);
  }
  return null;
}

/** True if the words after a number make it a limit: "50 no máximo". */
function isMostBehind(sentence: Sentence, at: number): boolean {
  const phrase = `${sentence.folded(at)} ${sentence.folded(at + 1)}`;
  const ends = sentence.tokens[at + 2]?.kind !== "number";
  return /^(no maximo|at most|como maximo)$/.test(phrase) && sentence.free(at) && ends;
}

const RANKS = wordSet("maiores menores melhores largest biggest smallest newest oldest");

function isSort(sentence: Sentence, at: number): boolean {
  return RANKS.has(sentence.folded(at));
}

function refuse(sentence: Sentence, notes: Notes, [from, to]: [number, number]): void {
  const most = SPEC_LIMITS.searchLimitMax;
  const detail = {
    pt: `Um limite vai de 1 a ${most}; este não foi aplicado.`,
    en: `A limit is from 1 to ${most}; this one was not applied.`,
  };
  const words = sentence.claim(from, to, "unmapped");
  notes.warn("limit_range", detail, words);
  notes.addUnmapped("limit_range", detail, words);
}

interface Count {
  readonly value: number;
  readonly to: number;
}

/** Reads a number such as "50", "cinquenta", "2 mil", "uma dúzia", "meia dúzia". */
function countAt(sentence: Sentence, at: number): Count | null {
  const half = sentence.folded(at) === "meia";
  const number = half ? { value: 0.5, to: at + 1 } : numberAt(sentence, at);
  const dozenAt = number?.to ?? at;
  const dozen = Object.hasOwn(DOZENS, sentence.folded(dozenAt))
    ? DOZENS[sentence.folded(dozenAt)]
    : undefined;
  if (dozen !== undefined) {
    const to = ["de", "of"].includes(sentence.folded(dozenAt + 1)) ? dozenAt + 2 : dozenAt + 1;
    return { value: (number?.value ?? 1) * dozen, to };
  }
  if (number === null || half) {
    return sentence.folded(at) === "mil"
      ? withHundreds(sentence, { value: 1000, to: at + 1 })
      : null;
  }
  // "um" and "uma" are articles, not numbers.
  if (number.value === 1 && sentence.tokens[at]?.kind === "word") return null;
  const factor = factorAt(sentence, number.to);
  if (factor === 1) return number;
  return withHundreds(sentence, { value: number.value * factor, to: number.to + 1 });
}

/** Returns the start of the words of a limit, or null if the number is no limit. */
function limitStart(sentence: Sentence, at: number, to: number): number | null {
  const most = atMostBefore(sentence, at);
  if (most >= 0) return most;
  const few = noMoreThan(sentence, at);
  if (
    few >= 0 &&
    (sentence.folded(to) === "" || COUNTED.has(sentence.folded(to)) || isTrade(sentence, to))
  )
    return few;
  const before = sentence.folded(at - 1);
  const next = sentence.folded(to);
  const unit = sentence.tokens[to];
  if (COMPARED.has(before) || (before === "de" && COMPARED.has(sentence.folded(at - 2))))
    return null;
  if (unit?.kind === "mark" && "%ºª+".includes(unit.text)) return null;
  // "-5 padarias" is negative; "- 5 padarias" is a list item.
  const { start = 0 } = sentence.tokens[at] ?? {};
  if (/[-−]/.test(sentence.text.charAt(start - 1)) && sentence.tokens[at]?.kind === "number") {
    return null;
  }
  // A negated number is no limit: "menos as 10 maiores" excludes ten companies.
  if (negatorOf(sentence, at) >= 0) return null;
  if (isMostBehind(sentence, to)) return at;
  const lead = leadOf(sentence, at);
  // After an article and before a ranking, the number is a limit even without a noun: "as vinte de
  // maior capital".
  const isRanked = next === "de" && /^(?:maior|menor|mais)$/.test(sentence.folded(to + 1));
  if (isRanked && lead.article) return lead.limit;
  // "gas stations in Paraná, list 500"
  const isLast = next === "" && sentence.tokens[to] === undefined && at > 2;
  if (isLast && /^(?:list|lista|liste|show|mostre|traga|manda|mande)$/.test(before)) return at - 1;
  const counts = COUNTED.has(next) || isTrade(sentence, to);
  if (lead.led) return counts || next === "" || isNothingCounted(sentence, to) ? lead.from : null;
  // Punctuation before the number begins a new phrase, so the number is a limit: "em Recife, 50
  // dentistas".
  const mark = sentence.tokens[at - 1]?.text ?? "";
  const owner = sentence.owner(at - 1);
  const opens =
    at === 0 ||
    owner === "filler" ||
    owner === "unmapped" ||
    /^[,;:.!?"'(“«*_#>•·]$|^\p{Extended_Pictographic}/u.test(mark);
  // "me mostra 20, começando pelos mais antigos"
  const isListed = /^(?:mostr[ae]|traga|traz|list[ae]|list|show|mand[ae]|pass[ae]|dame)$/;
  if (isListed.test(before) && (next === "" || unit?.kind === "mark")) return at;
  const ranked = next !== "mais" || ["as", "os"].includes(before);
  if (counts && (lead.requested || opens || ranked)) {
    return lead.requested || opens || lead.article || COUNTED.has(next) ? lead.limit : null;
  }
  return null;
}

/** Returns the start of "no more than" if it stands directly before a number, otherwise -1. */
function noMoreThan(sentence: Sentence, at: number): number {
  const words = [3, 2, 1].map((back) => sentence.folded(at - back)).join(" ");
  const free = [3, 2, 1].every((back) => sentence.free(at - back));
  return free && /^(no|not|nao|sem|exceto) (more|mais) (than|de|que)$/.test(words) ? at - 3 : -1;
}

/** True if a trade or the beginning of another request follows the number. */
function isTrade(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind !== "word") return false;
  const owner = sentence.owner(at);
  if (owner === "activity" || owner === "unmapped") return true;
  const kind = kindAt(sentence, at);
  return !["small", "date", "contact", "other"].includes(kind) || isPlural(token.folded);
}

/** True for plural words, because "50 foguetarias" is a limit even if the trade is unknown. */
function isPlural(word: string): boolean {
  return word.length > 4 && word.endsWith("s") && !NOT_COMPANIES.has(word);
}

const NOT_COMPANIES = wordSet(
  "horas irmaos irmas rodas reais funcionarios empregados socios filiais unidades quilometros " +
    "metros minutos pessoas estrelas colaboradores vezes anos meses semanas andares quartos " +
    "leitos " +
    "lugares vagas hours employees brothers",
);

function isNothingCounted(sentence: Sentence, at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind !== "word") return false;
  if (/^(sort|order)ed$|^(orden|classific)ad[oa]s?$/.test(token.folded)) return true;
  return isFillerWord(token) || isNegatorWord(token.folded) || sentence.owner(at) !== null;
}

interface Lead {
  /** Start of the words that make the number a limit, such as "no máximo". */
  readonly from: number;
  /** Start of the limit, with words such as "cerca de", if no word such as "máximo" states it. */
  readonly limit: number;
  readonly led: boolean;
  readonly requested: boolean;
  readonly article: boolean;
}

function leadOf(sentence: Sentence, at: number): Lead {
  let from = at;
  let [led, requested, article] = [false, false, false];
  let limit = at;
  for (let i = at - 1; i >= Math.max(0, at - 4); i--) {
    const word = sentence.folded(i);
    if (LED.has(word) && sentence.free(i)) {
      led = true;
      from = i;
    } else if (REQUESTS.has(word)) {
      requested = true;
      if (word === "ate" && sentence.free(i)) limit = i;
      if (word === "up" && sentence.free(i)) limit = i;
    } else if (!SMALL.has(word) && !":.=".includes(sentence.tokens[i]?.text ?? "?")) break;
    if (["uns", "umas", "cerca", "aproximadamente"].includes(word) && sentence.free(i)) limit = i;
    if (limit < at) article = true;
    if (["as", "os"].includes(word) && i === at - 1) article = true;
    if (["no", "at", "em"].includes(word) && led && sentence.free(i)) from = i;
  }
  return { from, limit, led, requested, article };
}
