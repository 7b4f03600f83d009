/**
 * Finds the activities that a sentence names. Input: a sentence, the lexicon, and the official
 * names. Output: required and excluded codes, with how each was found.
 * Invariant: the longest known phrase wins, and at equal length a trade wins over goods. Codes in
 * the text are used as they are. An unknown requested activity gets no codes and certainty 0, so no
 * other activity is searched instead. Franchises are unknown to the registry. They are read first,
 * because a negation before them would otherwise apply to the next activity. An exclusion of a
 * requested activity's main code is dropped with a note.
 */
import type { Segment } from "../../search/segment.ts";
import { catalogLookup, cnaeDigits } from "../../spec/catalog.ts";
import { AUDIENCE } from "../filters/phrase.ts";
import { isInTrade, kindAt } from "../items.ts";
import { negatorOf } from "../negation.ts";
import { claimNegation } from "../negators.ts";
import type { Notes } from "../notes.ts";
import { contradict } from "../numbers/bounds.ts";
import { joins, wordsOf } from "../words/phrases.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Token } from "../words/tokens.ts";
import type { ActivityContext, FoundActivity } from "./activity.ts";
import { findByName } from "./byname.ts";
import { spelled } from "./cnaecodes.ts";
import { leaveGloss } from "./glosses.ts";
import {
  type GoodsReading,
  readGoods,
  readGoodsAfterRole,
  readGoodsOfJoined,
  readProductOfJoined,
  readProducts,
  roleAgainEnd,
} from "./goods.ts";
import { noteKinds } from "./kinds.ts";
import { lexicon } from "./lexicon.ts";
import { readOfficial } from "./officialtexts.ts";
import { readElidedPurpose, withPurpose } from "./purposes.ts";
import { ROLE_DIVISIONS, ROLES_AFTER, ROLES_BEFORE, type TradeRole } from "./roles.ts";
import { isBeforeMark, markSecondary, type SecondaryMark } from "./secondary.ts";
import {
  type Before,
  isFeature,
  isInside,
  isServed,
  readElidedTrade,
  readSharedHead,
  readSharedTail,
  readTrade,
  readTurned,
  servedFrom,
  tradeAfterShop,
  withGoods,
} from "./trades.ts";

const OF = new Set(["de", "do", "da", "dos", "das", "of"]);

/** Returns the end of the trade or goods that begin at token `at`, or `at` if none begin there. */
export function tradeEnd(sentence: Sentence, at: number): number {
  const { trades, goods } = lexicon();
  const trade = trades.longest(sentence.tokens, at);
  const good = goods.longest(sentence.tokens, at);
  return Math.max(trade?.to ?? at, good?.to ?? at);
}

/**
 * Finds every activity and marks its tokens as read. `codes` are the activities already read from
 * CNAE codes in the text. `marks` locate words such as "como atividade secundária".
 */
export function findActivities(
  context: ActivityContext,
  codes: readonly FoundActivity[] = [],
  marks: readonly SecondaryMark[] = [],
): FoundActivity[] {
  leaveFranchises(context);
  leaveGenericHeads(context.sentence);
  const known = findKnown(context, (at) => isBeforeMark(marks, at));
  const wanted = [...codes, ...known].some(({ excluded }) => !excluded);
  const named = findByName(context, wanted);
  const all = [...codes, ...known, ...named].sort((a, b) => a.start - b.start);
  const marked = markSecondary(context, marks, narrowed(context.sentence, all));
  leaveRolesAgain(context.sentence, all);
  const main = marked.filter(({ secondary }) => secondary !== true);
  return [
    ...dropUntellable(context, main),
    ...marked.filter(({ secondary }) => secondary === true),
  ];
}

/** Words for places of work, such as "laboratórios" in "laboratórios que fabricam medicamentos". */
const PLACES_OF_WORK = new Set(
  (
    "estudio estudios laboratorio laboratorios fabrica fabricas industria industrias usina " +
    "usinas planta plantas oficina oficinas taller talleres bodega bodegas vinicola vinicolas " +
    "produtor produtores productores producers growers loja lojas tienda tiendas studio " +
    "studios shops stores plants labs factories"
  ).split(" "),
);
const THAT = new Set(["que", "that", "which"]);

/** Marks "laboratórios que" as filler if the words after it name the trade. */
function leaveGenericHeads(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const [noun, that] = [sentence.tokens[at], sentence.tokens[at + 1]];
    if (!PLACES_OF_WORK.has(noun?.folded ?? "") || !THAT.has(that?.folded ?? "")) continue;
    if (!sentence.free(at) || !sentence.free(at + 1)) continue;
    const isTrade = tradeEnd(sentence, at + 2) > at + 2;
    if (isTrade || readGoodsAfterRole(sentence, at + 2) !== null) {
      sentence.claim(at, at + 2, "filler");
    }
  }
}

/** Ignores "no varejo" (retail) if the codes of all requested activities already have the role. */
function leaveRolesAgain(sentence: Sentence, all: readonly FoundActivity[]): void {
  const codes = all.filter(({ excluded }) => !excluded).flatMap((one) => one.codes);
  if (codes.length === 0) return;
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (!sentence.free(at) || ROLES_AFTER.written(sentence.tokens[at]?.key ?? "") === undefined)
      continue;
    const role = ROLES_AFTER.longest(sentence.tokens, at, (index) => sentence.free(index));
    if (role === null) continue;
    const own = ROLE_DIVISIONS[role.value];
    const isNamed = codes.every((code) => own.some((first) => cnaeDigits(code).startsWith(first)));
    if (isNamed) sentence.claim(at, role.to, "activity");
    at = role.to - 1;
  }
}

/** Matches the text between two activities of one phrase, such as "de" in "lojas de roupas". */
const PHRASE =
  /^((d[eoa]s?|n[oa])? ?(setor|ramo|segmento|[áa]rea) ?)?(d[eoa]s?|of|que|that|which|who|\()?$/i;
/** Codes with fewer digits are divisions and sections. */
const WIDE_DIGITS = 3;

/** Drops the wider of two activities in one phrase: "factories" in "textile factories". */
function narrowed(sentence: Sentence, all: readonly FoundActivity[]): FoundActivity[] {
  const digits = ({ codes }: FoundActivity) => Math.min(...codes.map(({ length }) => length));
  const found = [...all];
  for (let i = 0; i < found.length - 1; ) {
    const [one, other] = [found[i], found[i + 1]] as [FoundActivity, FoundActivity];
    const between = sentence.text.slice(one.end, other.start).trim();
    const phrase = one.excluded === other.excluded && PHRASE.test(between);
    const [narrow, general] =
      digits(one) < digits(other) || covers(one, other) ? [other, one] : [one, other];
    const wide =
      covers(general, narrow) ||
      (digits(general) < WIDE_DIGITS && digits(general) < digits(narrow));
    if (!phrase || !wide || narrow.codes.length === 0) {
      i++;
      continue;
    }
    const also = [...narrow.also, ...general.codes.filter((code) => !narrow.codes.includes(code))];
    found.splice(i, 2, { ...narrow, ...sentence.quote(one.start, other.end), also });
  }
  return found;
}

/** True if `wide` has all codes of `narrow` and more, as "schools" has those of "preschools". */
function covers(wide: FoundActivity, narrow: FoundActivity): boolean {
  const all = [...wide.codes, ...wide.also].map(cnaeDigits);
  const within = (code: string) => all.some((each) => cnaeDigits(code).startsWith(each));
  const more = wide.codes.some((code) => !narrow.codes.includes(code));
  return more && narrow.codes.length > 0 && narrow.codes.every(within);
}

/** Finds the activities that the lexicon and the official texts name. */
function findKnown(
  context: ActivityContext,
  isSecondary: (at: number) => boolean,
): FoundActivity[] {
  const { sentence } = context;
  const found: FoundActivity[] = [];
  let before: Before | null = null;
  let served = -1;
  let last = -1;
  for (let at = 0; at < sentence.tokens.length; at++) {
    const token = sentence.tokens[at] as Token;
    if (token.text === "(" && last === at) {
      at = Math.max(at, leaveGloss(context, at, codesOfLast(found)) - 1);
      continue;
    }
    if (!sentence.free(at) || token.kind === "mark" || joins(token)) continue;
    const isFeatureHere: boolean = !isSecondary(at) && isFeature(sentence, at);
    const inside: boolean = !isSecondary(at) && isInside(sentence, at, before);
    const isSkipped = inside || (isFeatureHere && !isSibling(context, at, found));
    const plain: GoodsReading | null = isSkipped
      ? null
      : (elidedPurpose(sentence, at, found) ?? read(context, at, before));
    const bare: GoodsReading | null =
      plain === null ? null : withPurpose(sentence, withGoods(sentence, at, plain));
    if (last === at && bare?.to === at + 1 && isAdjective(token.folded)) {
      sentence.claim(at, at + 1, "activity");
      continue;
    }
    if (bare === null) {
      at = Math.max(at, sameGoods(context, at, { before, found }) - 1);
      continue;
    }
    const listed = served >= 0 && isListed(sentence, served, at);
    if (before !== null && (listed || isServed(sentence, at))) {
      served = bare.to;
      const { code, ...detail } = AUDIENCE;
      context.notes.addUnmapped(
        code,
        detail,
        sentence.claim(servedFrom(sentence, at), served, "unmapped"),
      );
      at = served - 1;
      continue;
    }
    const verb = before === null ? -1 : unknownVerb(sentence, at);
    if (verb >= 0) {
      context.notes.addUnmapped(
        UNKNOWN_VERB.code,
        UNKNOWN_VERB,
        sentence.claim(verb, bare.to, "unmapped"),
      );
      at = bare.to - 1;
      continue;
    }
    if (isQuestion(sentence, at)) {
      found.push(notASearch(context, at, bare.to));
      at = bare.to - 1;
      continue;
    }
    const end = noteKinds(context, at, bare.to);
    const reading: GoodsReading = { ...bare, to: roleAgainEnd(sentence, end) };
    found.push(inSnapshot(context, claim(context, at, reading)));
    const own = ROLES_BEFORE.longest(sentence.tokens, at)?.value ?? null;
    const role: TradeRole | null = own ?? roleBefore(sentence, before, at);
    before = { from: at, to: reading.to, role, implied: roleOfCodes(reading.codes) };
    last = reading.to;
    at = reading.to - 1;
  }
  return found;
}

const UNKNOWN_VERB = {
  code: "unknown_condition",
  pt: "Nenhum filtro diz isso das empresas.",
  en: "No filter says this of companies.",
};
/** Portuguese and Spanish endings of verbs in a relative clause. */
const VERB = /(?:[aeo]m|[ae]n|[ae])$/;

/**
 * Returns the position of an unknown verb whose object begins at a token: "parcelem" in "que
 * parcelem o pagamento". Returns -1 if there is none. Such an object does not name an activity.
 */
function unknownVerb(sentence: Sentence, at: number): number {
  let verb = at - 1;
  while (
    verb > at - 3 &&
    /^(?:[oa]s?|um|uma|el|las?|los|un|una|the)$/.test(sentence.folded(verb))
  ) {
    verb--;
  }
  const isLed = /^(?:que|that|which|who)$/.test(sentence.folded(verb - 1));
  if (!isLed || !sentence.free(verb) || kindAt(sentence, verb) !== "other") return -1;
  if (ROLES_BEFORE.longest(sentence.tokens, verb) !== null) return -1;
  return VERB.test(sentence.folded(verb)) ? verb : -1;
}

/** Words for facts. "qual a previsão do tempo em Cuiabá?" is no search for companies. */
const FACTS = new Set(
  (
    "previsao cotacao resultado placar horario hora temperatura clima cambio significado preco " +
    "forecast weather score price meaning pronostico precio"
  ).split(" "),
);

const ASKING = /^(?:qual|cual|what|quais|me|diga|fala|sabe)$/;
const BETWEEN = /^(?:is|e|es|sera|foi|a|o|the|el|la|)$/;

/**
 * True if the token is a word for a fact and only words such as "qual é o" precede it. Otherwise
 * "câmbio" is a trade (currency exchange).
 */
function isQuestion(sentence: Sentence, at: number): boolean {
  if (!FACTS.has(sentence.folded(at))) return false;
  let asks = false;
  for (let before = at - 1; before >= 0; before--) {
    const word = sentence.folded(before);
    if (ASKING.test(word)) asks = true;
    else if (!BETWEEN.test(word)) return false;
  }
  return asks;
}

/** Adds a note that the text is no search. Returns its words as an unknown activity. */
function notASearch({ sentence, notes }: ActivityContext, from: number, to: number): FoundActivity {
  const words = sentence.claim(from, to, "unmapped");
  const detail = {
    pt: "Isto não é uma busca de empresas.",
    en: "This is no search for companies.",
  };
  notes.addUnmapped("unknown_activity", detail, words);
  return { ...words, codes: [], also: [], certainty: 0, excluded: false };
}

const ADJECTIVES =
  /^(?:eletrica|hidraulica|mecanica|quimica|grafica|veterinaria|odontologica|estetica)$/;

/** True for an adjective inside the name of a trade: "elétrica" in "redes de energia elétrica". */
function isAdjective(word: string): boolean {
  return ADJECTIVES.test(word);
}

/** True if an exclusion is in the division of a requested trade: "hotéis, sem motéis". */
function isSibling(
  { sentence }: ActivityContext,
  at: number,
  found: readonly FoundActivity[],
): boolean {
  if (!/^(?:sem|without)$/.test(sentence.folded(at - 1)) || found.length === 0) return false;
  const trade = readTrade(sentence, at);
  const divisions = found.flatMap(({ codes }) => codes.map((code) => code.slice(0, 2)));
  return trade?.codes.some((code) => divisions.includes(code.slice(0, 2))) ?? false;
}

/** Reads "exceto as de uso veterinário", where "as" stands for the previous goods ("remédios"). */
function elidedPurpose(
  sentence: Sentence,
  at: number,
  found: readonly FoundActivity[],
): GoodsReading | null {
  const isOther = /^(?:as|os|those|las|los)$/.test(sentence.folded(at - 2));
  if (!isOther || !/^(?:de|para|for)$/.test(sentence.folded(at - 1))) return null;
  if (negatorBefore(sentence, at) < 0) return null;
  return readElidedPurpose(sentence, at, codesOfLast(found));
}

function codesOfLast(found: readonly FoundActivity[]): readonly string[] {
  return (found.at(-1)?.codes ?? []).map(cnaeDigits);
}

/**
 * Returns the role that all codes share, such as making: in "cerâmicas de tijolo e telha", the
 * makers of bricks also make the tiles.
 */
function roleOfCodes(codes: readonly string[]): TradeRole | null {
  const isAll = (form: RegExp) => codes.length > 0 && codes.every((code) => form.test(code));
  if (isAll(/^(?:1|2|3[0-2])/)) return "make";
  return isAll(/^46/) ? "wholesale" : null;
}

/**
 * Returns the end of goods that the trade before them already sells or makes: "bebidas" in "adega
 * de bebidas". Returns `at` if no such goods are there.
 */
function sameGoods(
  context: ActivityContext,
  at: number,
  { before, found }: { readonly before: Before | null; readonly found: readonly FoundActivity[] },
): number {
  const { sentence } = context;
  if (before?.to !== at - 1 || !OF.has(sentence.folded(at - 1))) return at;
  const goods = lexicon().goods.longest(sentence.tokens, at, (index) => sentence.free(index));
  const own = found.at(-1)?.codes ?? [];
  const codes = Object.values(goods?.value ?? {}).flatMap((role) => role.codes);
  if (goods === null || !codes.map(spelled).some((code) => own.includes(code))) return at;
  sentence.claim(at, goods.to, "activity");
  return noteKinds(context, at, goods.to);
}

/**
 * Reads the words at a token as a trade, an official text, or goods with or without a role. Returns
 * the longest reading, or null if there is none.
 */
function read(
  { segment, sentence }: ActivityContext,
  at: number,
  before: Before | null,
): GoodsReading | null {
  const role = roleBefore(sentence, before, at);
  const follows = before !== null && !isListed(sentence, before.to, at);
  const joined = readGoodsOfJoined(sentence, at) ?? readProductOfJoined(sentence, at);
  if (joined !== null) return joined;
  const isEnclosed = before?.to === at - 1 && sentence.tokens[at - 1]?.text === "(";
  const isJoined = before !== null && (isEnclosed || isListed(sentence, before.to, at));
  const implied = role ?? (isJoined ? (before?.implied ?? null) : null);
  const bare = bareGoods(sentence, at, { role: implied, follows });
  const readings = [
    before === null ? null : readElidedTrade(sentence, at, before, negatorBefore(sentence, at)),
    // In "indústrias, menos têxtil e calçados", "têxtil" and "calçados" are industries because of
    // the role before them, although shops have the same names.
    role === null || bare?.assumed === true ? null : bare,
    readSharedTail(sentence, at),
    readTrade(sentence, at),
    readTurned(sentence, at),
    readSharedHead(sentence, at),
    readOfficial(segment, sentence, at),
    readProducts(sentence, at),
    tradeAfterShop(sentence, at),
    readGoodsAfterRole(sentence, at),
    bare,
  ];
  return readings.reduce((one, other) =>
    other !== null && (one === null || other.to > one.to) ? other : one,
  );
}

/**
 * Reads goods without a word for their role, such as "telefones". Returns null right after another
 * activity, unless the goods are listed with it or excluded. Also returns null before "de" and a
 * trade ("telefones de oficinas").
 */
function bareGoods(
  sentence: Sentence,
  at: number,
  { role, follows }: { readonly role: TradeRole | null; readonly follows: boolean },
): GoodsReading | null {
  const reading = readGoods(sentence, at, role);
  if (reading === null || !reading.assumed) return reading;
  const excluded = negatorBefore(sentence, at) >= 0;
  if (follows && !excluded) return null;
  if (!OF.has(sentence.folded(reading.to))) return reading;
  const trade = lexicon().trades.longest(sentence.tokens, reading.to + 1, (i) => sentence.free(i));
  return trade === null ? reading : null;
}

/** True if only punctuation and list words ("e", "ou", "de") stand between two positions. */
function isListed(sentence: Sentence, from: number, to: number): boolean {
  if (from >= to) return false;
  for (let at = from; at < to; at++) {
    const word = sentence.tokens[at]?.folded ?? "";
    if (![",", ";", "/", "e", "ou", "and", "or", "&", "de", "do", "da"].includes(word))
      return false;
  }
  return sentence.tokens[from]?.folded !== "de";
}

/** Returns the role of the previous goods if their list continues at `at`; null otherwise. */
function roleBefore(sentence: Sentence, before: Before | null, at: number): TradeRole | null {
  if (before === null) return null;
  const related = isListed(sentence, before.to, at) || negatorBefore(sentence, at) >= 0;
  return related ? before.role : null;
}

/**
 * Returns the position of the negator before an activity, or -1. A word of the activity itself is
 * not a negator: "tire" in "tire shops" is also Portuguese for "leave out".
 */
function negatorBefore(sentence: Sentence, from: number): number {
  const negator = negatorOf(sentence, from);
  return negator < from && !isSpent(sentence, negator) ? negator : -1;
}

/**
 * Returns the position of a "não" after its activity, as in "(viveiros de muda não)", or -1.
 * Punctuation or the end of the sentence must follow the "não".
 */
function negatorBehind(sentence: Sentence, from: number, to: number): number {
  const negator = negatorOf(sentence, from);
  const next = sentence.tokens[negator + 1];
  return negator >= to && (next === undefined || next.kind === "mark") ? negator : -1;
}

/** Drops codes missing from the snapshot's table. */
function inSnapshot({ segment, notes }: ActivityContext, activity: FoundActivity): FoundActivity {
  const lookup = catalogLookup(segment.catalog);
  const codes = activity.codes.filter((code) => lookup.cnae(code).length > 0);
  const also = activity.also.filter((code) => lookup.cnae(code).length > 0);
  if (codes.length > 0) return { ...activity, codes, also };
  notes.addUnmapped(
    "unknown_activity",
    { pt: "O snapshot não tem essa atividade.", en: "The snapshot has no such activity." },
    { words: activity.words, start: activity.start, end: activity.end },
  );
  return { ...activity, codes, also, certainty: 0 };
}

/** Nouns such as "agência" that add nothing to the trade after "de": "agências de tradução". */
const HEADS = new Set(
  (
    "agencia agencias operadora operadoras operador operadores instituto institutos escritorio " +
    "escritorios sala salas salon salones salao saloes centro centros corredor corredores " +
    "corredora corredoras correduria corredurias organizador organizadores organizadora " +
    "organizadoras desarrollador desarrolladores desarrollo desenvolvedora desenvolvedoras " +
    "fornecedor fornecedores proveedor proveedores prestador prestadores prestadora " +
    "prestadoras consultora consultoras produtor produtores promotor promotores " +
    "servicio servicios cuidados pista pistas cuartel cuarteles produtora produtoras promotora " +
    "mantenedora mantenedoras promotoras planta plantas unidade unidades"
  ).split(" "),
);

function claim(context: ActivityContext, at: number, reading: GoodsReading): FoundActivity {
  const { sentence, notes } = context;
  const isHeaded =
    OF.has(sentence.folded(at - 1)) && HEADS.has(sentence.folded(at - 2)) && sentence.free(at - 2);
  const from = isHeaded ? at - 2 : at;
  const behind = negatorBehind(sentence, from, reading.to);
  const negator = Math.max(behind, negatorBefore(sentence, from));
  if (behind >= 0) sentence.claim(behind, behind + 1, "negation");
  else if (negator >= 0) claimNegation(sentence, negator, from);
  const words = sentence.claim(from, reading.to, "activity");
  const codes = reading.codes.map(spelled);
  if (reading.assumed && negator < 0) {
    notes.assume(
      "usual_trade",
      {
        pt: `Quem costuma trabalhar com isso: ${codes.join(", ")}.`,
        en: `Those who usually deal with it: ${codes.join(", ")}.`,
      },
      words,
    );
  }
  const { certainty } = reading;
  return { ...words, codes, also: reading.also.map(spelled), certainty, excluded: negator >= 0 };
}

const FRANCHISES = new Set(
  "franquia franquias franqueada franqueadas franchise franchises franchised".split(" "),
);

/** For each sentence, the positions of negators that apply only to franchises. */
const SPENT = new WeakMap<Sentence, Set<number>>();

function isSpent(sentence: Sentence, negator: number): boolean {
  return SPENT.get(sentence)?.has(negator) ?? false;
}

/** Adds a note for "franquias", which no filter can find, if it is excluded or not alone. */
function leaveFranchises({ sentence, notes }: ActivityContext): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    if (!FRANCHISES.has(word) || !sentence.free(at)) continue;
    if (isInTrade(sentence, at, at + 1)) continue;
    const negator = negatorOf(sentence, at);
    if (negator < 0 && !isOtherSought(sentence, at)) continue;
    if (negator >= 0) claimNegation(sentence, negator, at);
    if (negator >= 0 && sentence.tokens[at + 1]?.text === ",") {
      SPENT.set(sentence, (SPENT.get(sentence) ?? new Set()).add(negator));
    }
    notes.addUnmapped(
      "franchises",
      {
        pt: "A Receita não separa franquias de lojas próprias.",
        en: "The registry does not tell franchises from other companies.",
      },
      sentence.claim(at, at + 1, "unmapped"),
    );
  }
}

function isOtherSought(sentence: Sentence, at: number): boolean {
  return sentence.tokens.some(
    (_, other) => other !== at && sentence.free(other) && tradeEnd(sentence, other) > other,
  );
}

/** Removes from each exclusion the codes that a requested activity needs, and adds a note. */
function dropUntellable(
  { segment, notes }: { readonly segment: Segment; readonly notes: Notes },
  activities: readonly FoundActivity[],
): FoundActivity[] {
  if (!activities.some(({ excluded }) => excluded)) return [...activities];
  const lookup = catalogLookup(segment.catalog);
  const wanted = activities.filter(({ excluded }) => !excluded);
  return activities.flatMap((one) => {
    if (!one.excluded || one.codes.length === 0) return [one];
    const below = new Set(one.codes.flatMap((code) => lookup.cnae(code)));
    const named = (code: string) => {
      const all = lookup.cnae(code);
      return all.length > 0 && all.every((each) => below.has(each));
    };
    // The first code of a requested name is its main meaning. The other codes of the name may be
    // excluded.
    const mains = wanted.filter(({ codes }) => {
      // An exclusion typed as a code is exact. It contradicts a requested name only if it excludes
      // all codes of the name.
      const certain = one.certainty === 1 ? codes : codes.slice(0, 1);
      return certain.length > 0 && certain.every(named);
    });
    const [other] = mains;
    if (other === undefined) return [one];
    if (wordsOf(one.words).join(" ") === wordsOf(other.words).join(" ")) {
      contradict(notes, { words: one.words, start: one.start, end: one.end });
      return [];
    }
    const mainCodes = new Set(mains.flatMap(({ codes: [main = ""] }) => lookup.cnae(main)));
    const left = one.codes.filter((code) =>
      lookup.cnae(code).every((each) => !mainCodes.has(each)),
    );
    notes.addUnmapped(
      "not_told_apart",
      {
        pt: `A Receita não diferencia “${one.words}” de “${other.words}”.`,
        en: `The registry does not tell "${one.words}" from "${other.words}".`,
      },
      { words: one.words, start: one.start, end: one.end },
    );
    return left.length === 0 ? [] : [{ ...one, codes: left }];
  });
}
