/**
 * Reads the number of establishments of a company.
 * Input: a sentence. Output: bounds of the number.
 * Invariant: a number counts establishments only if other words say that each company has this
 * number of them, as in "com 3 lojas". In "50 lojas de tintas" and "planilha com 100 lojas", the
 * number limits how many results the user wants. The number of establishments is one more than the
 * number of branches.
 */

import { BRANCH_COUNT, NOT_COUNTED } from "../filters/phrase.ts";
import { isInTrade } from "../items.ts";
import { reachOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import type { Sentence, Words } from "../words/sentence.ts";
import type { Bounds } from "./bounds.ts";
import { numberAt } from "./numbers.ts";

const wordSet = (words: string) => new Set(words.split(" "));

const UNITS = wordSet(
  "loja lojas unidade unidades filial filiais sucursal sucursais estabelecimento enderecos " +
    "estabelecimentos endereco ponto pontos sede sedes store stores shop shops unit units " +
    "local punto puntos campus campuses campi location locations branch branches outlet " +
    "outlets establishment establishments agencia agencias",
);
const BRANCHES = wordSet("filial filiais sucursal sucursais branch branches");
const HAVING = wordSet(
  "com tem tenha tenham ter possua possuam possui possuem possuir have has having with operam " +
    "opera operando operem mantem mantenham de who sejam",
);
/** Words for lists. A number after "planilha com" counts rows, not establishments. */
const LISTS = wordSet("lista listas planilha relacao arquivo base listagem list spreadsheet file");
/**
 * Words for chains. In a sentence with such a word, establishments may be counted without "com".
 */
const CHAINS = wordSet("rede redes cadeia cadeias chain chains franquia franquias");
const SMALL = wordSet("de do da que o a os as of than a the em no na ao pelo at um uma not");
const SINGLE = wordSet("unica unico so single sole sola");
const ONLY = wordSet("so apenas somente only just exatamente exactly unica unico single");
const ONLY_WORD = /^(so|solo)$/;
/** Maximum number of words between a verb of having and its number. */
const REACH = 6;

/** How a number bounds a count. Null if there are no comparing words. */
export type Side = "min" | "max" | "over" | "under" | "exact" | null;

const SIDES = new Map<string, Side>([
  ...pairs(
    "over",
    "mais acima superior superiores maior maiores more over above greater " +
      "supera superam supere superem ultrapassa ultrapassam ultrapasse ultrapassem exceed",
  ),
  ...pairs("under", "abaixo inferior inferiores menor menores under below less fewer"),
  ...pairs("min", "minimo minima partir least"),
  ...pairs("max", "ate maximo maxima most up"),
]);

function pairs(side: Side, words: string): [string, Side][] {
  return words.split(" ").map((word) => [word, side]);
}

interface CountContext {
  readonly sentence: Sentence;
  readonly notes: Notes;
  readonly bounds: Bounds;
  /** True if the snapshot contains the number of establishments of each company. */
  readonly counts: boolean;
}

interface Read {
  readonly from: number;
  readonly to: number;
  readonly min: number | null;
  readonly max: number | null;
  /** True if no comparing words belong to the number. */
  readonly bare: boolean;
  readonly unit: number;
}

/** Finds and claims every count of establishments. */
export function findCounts(context: CountContext): void {
  const { sentence } = context;
  const chain = sentence.tokens.findIndex(({ folded }) => CHAINS.has(folded));
  let found = false;
  let last = -1;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at)) continue;
    // After a first count, another bound may follow without a unit, as in "com mais de 5 lojas e
    // menos de 10".
    const known = chain >= 0 || (last >= 0 && at - last < REACH);
    const read =
      counted(sentence, at, known) ??
      numbered(sentence, at) ??
      alone(sentence, at) ??
      unchained(sentence, at);
    if (read === null) continue;
    found = apply(context, read) || found;
    last = read.to;
    at = read.to - 1;
  }
  if (found && chain >= 0) claimChains(sentence);
}

/** Reads "com mais de 5 lojas", "10 ou mais unidades", "entre 3 e 8 filiais", "uma unidade só". */
function counted(sentence: Sentence, at: number, known: boolean): Read | null {
  const first = numberAt(sentence, at);
  if (first === null || !Number.isInteger(first.value) || first.value < 1) return null;
  const following = sideAfter(sentence, first.to);
  const range = following.side === null ? secondOf(sentence, first.to) : null;
  const other = following.side === null && range === null ? otherBound(sentence, first.to) : null;
  let unit = range?.to ?? other?.to ?? following.to;
  // "no máximo 30 só filiais"
  const alike = !ONLY_WORD.test(sentence.folded(unit)) || first.value === 1;
  const single = SINGLE.has(sentence.folded(unit)) && alike;
  if (single) unit++;
  if (!isUnit(sentence, unit)) return null;
  let to = unit + 1;
  if (sentence.folded(to) === "de" && sentence.folded(to + 1) === "venda") to += 2;
  const after = sideAfter(sentence, to);
  const tail = after.side === null && SINGLE.has(sentence.folded(to)) ? to + 1 : after.to;
  const lead = leadOf(sentence, at);
  // "só uma loja" behind a comma, not "quero só uma loja"
  const before = sentence.tokens[at - 2]?.text ?? "";
  const isOnly =
    first.value === 1 &&
    ONLY.has(sentence.folded(at - 1)) &&
    (before === "," || HAVING.has(sentence.folded(at - 2)));
  const exact = single || tail > to || isOnly;
  const side =
    following.side ?? after.side ?? lead.side ?? (exact && first.value === 1 ? "exact" : null);
  // "com uma unidade em Campinas" means at least one establishment there and sets no bound.
  const article = first.value === 1 && sentence.tokens[at]?.kind === "word";
  // "between 2 and 5 stores"
  const between = range !== null && ["entre", "between"].includes(sentence.folded(at - 1));
  if (between)
    return { ...lead, to: tail, unit, bare: false, ...ordered(first.value, range.value) };
  // "mais de 3 filiais" counts without "com"; other units only as an item of a list.
  const compared = side === "over" || side === "min";
  const isItem =
    BRANCHES.has(sentence.folded(unit)) || sentence.tokens[lead.from - 1]?.text === ",";
  const stated = side !== null && (known || exact || (compared && isItem));
  if ((article && side === null) || !(lead.had || stated)) return null;
  const from = isOnly ? Math.min(lead.from, at - 1) : lead.from;
  const words = { from, to: tail, unit, bare: side === null };
  if (range !== null) return { ...words, bare: false, ...ordered(first.value, range.value) };
  if (other !== null) {
    const [one, two] = [boundsOf(lead.side, first.value), boundsOf(other.side, other.value)];
    const opposed = lead.side !== null && (one.min === null) === (two.max === null);
    return opposed ? { ...words, min: one.min ?? two.min, max: one.max ?? two.max } : null;
  }
  // "uma única filial" means one branch in addition to the head office.
  const own =
    first.value === 1 && (exact || side === "exact") && BRANCHES.has(sentence.folded(unit));
  return { ...words, ...(own ? { min: 1, max: 1 } : boundsOf(side, first.value)) };
}

/** Reads "com número de filiais acima de 3", in which the number follows its unit. */
function numbered(sentence: Sentence, at: number): Read | null {
  if (!/^(?:numero|quantidade|number|cantidad)$/.test(sentence.tokens[at]?.folded ?? ""))
    return null;
  const unit = at + 2;
  if (!/^(?:de|of)$/.test(sentence.folded(at + 1)) || !isUnit(sentence, unit)) return null;
  let side: Side = null;
  for (let i = unit + 1; i <= unit + REACH; i++) {
    side ??= sideAt(sentence, i);
    const bound = side === null ? null : numberAt(sentence, i);
    if (bound !== null && Number.isInteger(bound.value)) {
      const { from } = leadOf(sentence, at);
      return { from, to: bound.to, unit, bare: false, ...boundsOf(side, bound.value) };
    }
    if (sideAt(sentence, i) === null && !SMALL.has(sentence.folded(i))) return null;
  }
  return null;
}

function ordered(one: number, other: number) {
  return { min: Math.min(one, other), max: Math.max(one, other) };
}

/** Bounds of a count. */
export function boundsOf(side: Side, value: number): Pick<Read, "min" | "max"> {
  if (side === "over") return { min: value + 1, max: null };
  if (side === "under") return { min: null, max: value - 1 };
  if (side === "max") return { min: null, max: value };
  if (value === 1 && side !== "min") return { min: null, max: 1 };
  return { min: value, max: side === "exact" ? value : null };
}

/** Reads a request for a single establishment: "loja única", "único endereço". */
function alone(sentence: Sentence, at: number): Read | null {
  const unit = isUnit(sentence, at) ? at : at + 1;
  const mark = unit === at ? at + 1 : at;
  const isSingle = ["unica", "unico", "single", "sole"].includes(sentence.folded(mark));
  if (!isSingle || !isUnit(sentence, unit) || !sentence.free(mark)) return null;
  return { from: at, to: at + 2, unit, min: null, max: 1, bare: false };
}

/**
 * Reads "que não são de rede" and "that are not chains" as a request for a single establishment.
 */
function unchained(sentence: Sentence, at: number): Read | null {
  const word = sentence.folded(at);
  const ends = !/^(de|do|da|dos|das|of)$/.test(sentence.folded(at + 1));
  const chain = CHAINS.has(word) && !/^franq/.test(word) && ends;
  if (!chain || isInTrade(sentence, at, at + 1)) return null;
  const { polarity, negator } = reachOf(sentence, at);
  const not = /^(nao|not|aren|arent|isn|isnt|nem|never|nunca|sem)$/.test(sentence.folded(negator));
  if (polarity !== "negated" || !not || negator > at) return null;
  // A chain has two or more establishments. The negator before the word turns this into exactly
  // one.
  return { from: at, to: at + 1, unit: at, min: 2, max: null, bare: false };
}

function isUnit(sentence: Sentence, at: number): boolean {
  if (!UNITS.has(sentence.folded(at)) || !sentence.free(at)) return false;
  // In "mais de 3 lojas com celular", "celular" is a contact, so the words are not the trade of
  // mobile phone shops.
  return sentence.folded(at + 1) === "com" || !isInTrade(sentence, at, at + 1);
}

/** Reads comparing words after a number or its unit: "ou mais", "+", "or fewer". */
export function sideAfter(
  sentence: Sentence,
  at: number,
): { readonly side: Side; readonly to: number } {
  if (sentence.tokens[at]?.folded === "+") return { side: "min", to: at + 1 };
  const [join, word] = [sentence.folded(at), sentence.folded(at + 1)];
  if (["ou", "or", "o", "e"].includes(join) && ["mais", "more"].includes(word))
    return { side: "min", to: at + 2 };
  if (["ou", "or", "o"].includes(join) && ["menos", "less", "fewer"].includes(word))
    return { side: "max", to: at + 2 };
  if (join === "no" && ["minimo", "maximo"].includes(word))
    return { side: word === "minimo" ? "min" : "max", to: at + 2 };
  return { side: null, to: at };
}

function secondOf(sentence: Sentence, at: number) {
  const joined = ["a", "e", "ou", "ate", "to", "and", "or"].includes(sentence.folded(at));
  const dash = ["-", "–"].includes(sentence.tokens[at]?.text ?? "");
  return joined || dash ? numberAt(sentence, at + 1) : null;
}

/**
 * Reads a second bound if one unit follows both: "menos de 10" in "mais de 2 e menos de 10 lojas".
 */
function otherBound(sentence: Sentence, at: number) {
  if (!["e", "mas", "and", "but"].includes(sentence.folded(at))) return null;
  let side: Side = null;
  for (let i = at + 1; i <= at + REACH; i++) {
    const number = side === null ? null : numberAt(sentence, i);
    if (number !== null) return { side, ...number };
    const stated = sideAt(sentence, i);
    if (stated === null && !SMALL.has(sentence.folded(i))) return null;
    side ??= stated;
  }
  return null;
}

interface Lead {
  readonly from: number;
  readonly side: Side;
  /** True if words such as "com" or "que tenham" attribute the establishments to a company. */
  readonly had: boolean;
}

/** Reads the words before a number: "que tenham pelo menos". */
function leadOf(sentence: Sentence, at: number): Lead {
  let side: Side = null;
  let from = at;
  for (let i = at - 1; i >= Math.max(0, at - REACH) && sentence.free(i); i--) {
    const word = sentence.folded(i);
    const stated = sideAt(sentence, i);
    if (stated !== null) [side, from] = [side ?? stated, i];
    else if (HAVING.has(word) && (side !== null || word !== "de")) {
      // "que só têm uma loja"
      const isOnly = side === null && ONLY.has(sentence.folded(i - 1)) && sentence.free(i - 1);
      const led = isOnly ? ({ from: i - 1, side: "exact" } as const) : { from, side };
      return { ...led, had: !LISTS.has(sentence.folded(i - 1)) };
    } else if (["entre", "between", "from"].includes(word)) from = i;
    else if (!SMALL.has(word)) break;
    else if (side !== null && ["pelo", "ao", "no", "at", "a"].includes(word)) from = i;
  }
  return { from, side, had: false };
}

/** Returns how a comparing word bounds the number after it. */
export function sideAt(sentence: Sentence, at: number): Side {
  const word = sentence.folded(at);
  if (word === "menos") return ["pelo", "ao"].includes(sentence.folded(at - 1)) ? "min" : "under";
  if (ONLY.has(word)) return "exact";
  // "no more than 3"
  if (word === "more" && sentence.folded(at - 1) === "no") return "max";
  return SIDES.get(word) ?? null;
}

/** Sets the bounds of a count. Returns true if they were set. */
function apply({ sentence, notes, bounds, counts }: CountContext, read: Read): boolean {
  const reach = reachOf(sentence, read.from);
  const negated = reach.polarity === "negated" && reach.negator < read.from;
  if (!counts) {
    const words = sentence.claim(read.from, read.to, "unmapped");
    notes.addUnmapped(NOT_COUNTED.code, NOT_COUNTED, words);
    return false;
  }
  const { min, max } = negated ? turned(read) : read;
  if (negated) claimNegation(sentence, reach.negator, read.from);
  if (min !== null && max !== null && negated) return addUnmapped(sentence, notes, read);
  const words = sentence.claim(read.from, read.to, "headquarters");
  const more = BRANCHES.has(sentence.folded(read.unit)) ? 1 : 0;
  const set = bounds.establishments(
    min === null ? null : min + more,
    max === null ? null : max + more,
    words,
  );
  if (set) remark(notes, { bare: read.bare && max === null, more }, words);
  return set;
}

function remark(notes: Notes, { bare, more }: { bare: boolean; more: number }, words: Words): void {
  const least = { pt: "Entendido como pelo menos.", en: "Taken for at least." };
  if (bare) notes.assume("at_least", least, words);
  if (more > 0) notes.assume(BRANCH_COUNT.code, BRANCH_COUNT, words);
}

/** Inverts bounds: "que não tenham mais de 3 lojas" means at most three. */
function turned({ min, max }: Read): Pick<Read, "min" | "max"> {
  if (min !== null && max !== null) return { min, max };
  if (min !== null) return { min: null, max: min - 1 };
  return { min: (max ?? 0) + 1, max: null };
}

function addUnmapped(sentence: Sentence, notes: Notes, { from, to }: Read): boolean {
  const detail = { pt: "Não há filtro para isso.", en: "There is no filter for this." };
  notes.addUnmapped("no_filter", detail, sentence.claim(from, to, "unmapped"));
  return false;
}

/** Marks "redes de" as read, because the number of establishments already expresses it. */
function claimChains(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    if (!CHAINS.has(word) || /^franq/.test(word) || !sentence.free(at)) continue;
    if (!isInTrade(sentence, at, at + 1)) sentence.claim(at, at + 1, "headquarters");
  }
}
