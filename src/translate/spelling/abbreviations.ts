/**
 * Reads abbreviated typing: "c/ email", "q abriram dps de 2021", and "para" where it means the
 * state of Pará.
 * Input: a sentence. Output: the same sentence; abbreviations are read as the words that they stand
 * for.
 * Invariant: an abbreviation has the same meaning in every context. A letter with a slash counts
 * only before a word, so that "S/A" and "PE/PB" stay. "Pará" with its accent is always the state;
 * "para" is the state only where no preposition is possible.
 * Separate from the other stages because it runs before all of them.
 */
import { isNegatorWord } from "../negators.ts";
import type { Gazetteer } from "../places/gazetteer.ts";
import { PARA_STATE } from "../places/states.ts";
import type { Sentence } from "../words/sentence.ts";

/** Abbreviated words, folded. */
const SHORT = new Map(
  (
    "q:que qq:qualquer qlqr:qualquer dps:depois vc:voce vcs:voces tbm:tambem " +
    "tb:tambem hj:hoje pfv:favor pfvr:favor " +
    "obg:obrigado blz:oi qdo:quando qnt:quantas qtos:quantos qtas:quantas msm:mesmo " +
    "qro:quero kero:quero kro:quero cm:com desd:desde dsd:desde apartir:partir naum:nao nn:nao " +
    "tds:todos tdas:todas eai:oi vlw:obrigado tks:obrigado thx:obrigado pf:favor fvr:favor " +
    "mto:muito mta:muita cap:capital lj:loja ljs:lojas emp:empresas aprox:aproximadamente " +
    "blza:oi td:tudo kd:cade pras:para pros:para"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
/** Verbs before which "n" means "não": "q n sejam mei". */
const VERBS = new Set(
  (
    "sejam seja sao e eh tenham tenha tem possuam possuem possui quero queremos precisa precisam " +
    "pode podem estejam esteja inclua incluir usem"
  ).split(" "),
);
/** Words before which "c" and "s" mean "com" and "sem". */
const CONTACTS = new Set(
  (
    "tel telefone telefones fone email emails e mail celular celulares cel whats whatsapp zap " +
    "wpp contato contatos site fixo instagram"
  ).split(" "),
);
/** Letters that are abbreviations if a slash follows. */
const SLASHED = new Map([
  ["c", "com"],
  ["s", "sem"],
  ["p", "para"],
  ["w", "with"],
]);

/** Adjectives after "rede" that say who owns the companies. */
const SECTOR = /^(?:privad|particular|public|municip|estadua|federa)/;

/** Reads abbreviations as full words. */
export function readAbbreviations(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const { kind, folded } = sentence.tokens[at] ?? { kind: "mark", folded: "" };
    if (folded === "+" && isMore(sentence, at)) sentence.readAs(at, "mais");
    if (folded === "+" && isJoining(sentence, at)) sentence.readAs(at, "e");
    if (kind !== "word" || folded.length > 4) continue;
    // "hospitais da rede privada": the word for a chain adds nothing.
    if (folded === "rede" && SECTOR.test(sentence.folded(at + 1)) && at > 0) {
      sentence.claim(/^d[ae]$/.test(sentence.folded(at - 1)) ? at - 1 : at, at + 1, "filler");
    }
    const long = SHORT.get(folded);
    // "cap" means the share capital only before "social" or a comparison sign.
    if (long !== undefined && (folded !== "cap" || isAmountAhead(sentence, at + 1))) {
      sentence.readAs(at, long);
    }
    if (folded === "n" && isNot(sentence, at)) sentence.readAs(at, "nao");
    if (folded === "d" && isOfShort(sentence, at)) sentence.readAs(at, "de");
    if (folded === "mt" && /^(preciso|quero|precisando)$/.test(sentence.folded(at - 1))) {
      sentence.readAs(at, "muito");
    }
    const slashed = SLASHED.get(folded);
    // "igrejas c telefone"
    const apart = !/\S/.test(sentence.text.charAt((sentence.tokens[at]?.start ?? 0) - 1));
    const isBefore =
      CONTACTS.has(sentence.folded(at + 1)) || /^(mais|menos|ate)$/.test(sentence.folded(at + 1));
    if (apart && folded !== "p" && slashed !== undefined && isBefore) {
      sentence.readAs(at, slashed);
    }
    if (slashed === undefined || !isSlashed(sentence, at)) continue;
    // Marks the slash as filler, so that "com" stands directly before the word that it belongs to.
    sentence.claim(at, at + 1, "filler");
    sentence.readAs(at + 1, slashed);
  }
}

/** True if the letter "n" or "ñ" stands for "não": "ñ mei", "q n sejam mei", "n mei". */
function isNot(sentence: Sentence, at: number): boolean {
  if (/ñ/iu.test(sentence.tokens[at]?.text.normalize("NFC") ?? "")) return true;
  const next = sentence.folded(at + 1);
  return VERBS.has(next) || /^(mei|meis|simples|filial|filiais|matriz)$/.test(next);
}

/** True if "d" means "de", as in "loja d tinta". False for "D. Pedro" and "vitamina D". */
function isOfShort({ tokens, text }: Sentence, at: number): boolean {
  const [own, next] = [tokens[at], tokens[at + 1]];
  if (at === 0 || own?.text !== "d" || next === undefined || next.kind === "mark") return false;
  return text.charAt(own.end) === " " && text.charAt(own.start - 1) === " ";
}

function isAmountAhead({ tokens }: Sentence, at: number): boolean {
  return tokens[at]?.folded === "social" || /^[<>+=≥≤]$/.test(tokens[at]?.text ?? "");
}

/** True for a plus before a number that means "more": "+ de 2 lojas", "+ 5 anos". */
function isMore({ tokens }: Sentence, at: number): boolean {
  const [before, next, number] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  if (before?.kind === "number") return false;
  if (/^de?$/.test(next?.folded ?? "") && number?.kind === "number") return true;
  return next?.kind === "number" && MEASURED.test(number?.folded ?? "");
}

/** Units after a number that show that "+" before it means "more". */
const MEASURED =
  /^(anos?|mes|meses|years?|months?|mil|milhao|milhoes|k|mi|lojas|filiais|unidades)$/;

const YEAR = /^(?:18|19|20)\d\d$/;
/** The words for each comparison sign, before a year and before any other number. */
const COMPARED: Readonly<Record<string, readonly [year: string, other: string]>> = {
  ">": ["apos", "mais"],
  ">=": ["desde", "minimo"],
  "≥": ["desde", "minimo"],
  "<": ["antes", "abaixo"],
  "<=": ["ate", "ate"],
  "≤": ["ate", "ate"],
};

/** Reads comparison signs before a number as words: ">= 2021", "> 5 anos", "<= 50 mil". */
export function readSigns(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const { tokens } = sentence;
    const sign = tokens[at]?.text ?? "";
    if (!/^[<>≥≤]$/.test(sign)) {
      readShortBound(sentence, at);
      continue;
    }
    const isEqual = tokens[at + 1]?.text === "=";
    let number = isEqual ? at + 2 : at + 1;
    while (/^(r|rs|\$)$/.test(tokens[number]?.folded ?? "") && number < at + 5) number++;
    if (tokens[number]?.kind !== "number") continue;
    const [year, other] = COMPARED[isEqual ? `${sign}=` : sign] ?? ["", ""];
    const unit = tokens[number + 1]?.folded ?? "";
    const isYear = YEAR.test(tokens[number]?.text ?? "") && !MEASURED.test(unit) && number < at + 3;
    sentence.readAs(at, isYear ? year : other);
    if (isEqual) sentence.readAs(at + 1, isYear ? "ano" : "de");
  }
}

/** Reads shortened bounds as full words: "min 5 anos", "max. 3 anos", "up to 3 years". */
function readShortBound(sentence: Sentence, at: number): void {
  const number = sentence.tokens[at + 1]?.kind === "number";
  const word = sentence.folded(at);
  if (number && word === "min") sentence.readAs(at, "minimo");
  if (number && word === "max") sentence.readAs(at, "maximo");
  if (word !== "up" || sentence.folded(at + 1) !== "to") return;
  if (sentence.tokens[at + 2]?.kind !== "number") return;
  if (!/^(years?|months?|weeks?|days?)$/.test(sentence.folded(at + 3))) return;
  sentence.readAs(at, "ate");
  sentence.readAs(at + 1, "de");
}

/** Reads "tanto telefone quanto e-mail" as both and "either phone or e-mail" as one of the two. */
export function readPairs(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const word = sentence.folded(at);
    if (word === "either" && CONTACTS.has(sentence.folded(at + 1))) {
      sentence.claim(at, at + 1, "filler");
      sentence.readAs(at, "com");
    }
    if (word !== "tanto") continue;
    for (let second = at + 2; second < at + PAIR_MAX; second++) {
      if (!/^(quanto|como)$/.test(sentence.folded(second))) continue;
      // Replaces "tanto" by "os", which adds nothing. In a Spanish sentence, "o" would be read as
      // "ou".
      sentence.readAs(at, "os");
      sentence.readAs(second, "e");
      break;
    }
  }
}

/** Maximum number of words from "tanto" to "quanto". */
const PAIR_MAX = 6;

/** True if a plus joins a contact to a request: "em Recife + celular". False for "3+ lojas". */
function isJoining({ tokens, text }: Sentence, at: number): boolean {
  const start = tokens[at]?.start ?? 0;
  const apart = at > 0 && /\s/.test(text.charAt(start - 1));
  return apart && CONTACTS.has(tokens[at + 1]?.folded ?? "");
}

/** True if a letter and a slash mean "com" or "sem": "c/ email". False for "C / D" and "s/a". */
function isSlashed(sentence: Sentence, at: number): boolean {
  const [letter, slash, next] = [0, 1, 2].map((step) => sentence.tokens[at + step]);
  if (slash?.text !== "/" || letter?.end !== slash.start) return false;
  const isMail = next?.folded === "e" && sentence.folded(at + 3) === "mail";
  const more = next?.folded === "mais" || next?.folded === "+" || isMail;
  return more || (next?.kind === "word" && next.text.length > 2);
}

/** Maximum number of words of a name before its word "Pará": "São Domingos do Pará". */
const NAME_REACH = 5;

/** Replaces "para" by `PARA_STATE` where it means the state, before other stages read it. */
export function readPara(sentence: Sentence, { places }: Gazetteer): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    if (sentence.folded(at) !== "para" || !isParaState(sentence, places, at)) continue;
    let isInName = isNut(sentence, at);
    for (let from = Math.max(0, at - NAME_REACH); from <= at && !isInName; from++) {
      const match = places.longest(sentence.tokens, from);
      isInName = match !== null && match.words > 1 && match.to > at;
    }
    if (!isInName) sentence.readAs(at, PARA_STATE);
  }
}

/** True for "castanha-do-pará", which also grows in other states. */
function isNut(sentence: Sentence, at: number): boolean {
  for (let before = at - 1; before >= at - NUT_REACH; before--) {
    if (/^(?:castanh?as?|nuez|nueces)$/.test(sentence.folded(before))) return true;
    if (!/^(?:-|de|do|del)$/.test(sentence.tokens[before]?.folded ?? "")) return false;
  }
  return false;
}

/** Maximum tokens between "castanha" and "Pará", including hyphens. */
const NUT_REACH = 4;

function isParaState(sentence: Sentence, places: Gazetteer["places"], at: number): boolean {
  const text = sentence.tokens[at]?.text ?? "";
  if (/[áÁ]/u.test(text.normalize("NFC"))) return true;
  const before = sentence.folded(at - 1);
  if (/^(no|do)$/.test(before) || isNameOfState(sentence, at)) return true;
  if (!endsThere(sentence, places, at + 1)) return false;
  if (/^(em|in|from|en)$/.test(before) || isNegatorWord(before)) return true;
  if (/^[oe]$/.test(before) && isNegatorWord(sentence.folded(at - 2))) return true;
  return isStateBefore(sentence, places, at);
}

/** True if a word for a state precedes "para": "estado do para", "state of para". */
function isNameOfState(sentence: Sentence, at: number): boolean {
  const of = /^(de|do|of)$/.test(sentence.folded(at - 1)) ? at - 2 : at - 1;
  return /^(estados?|state)$/.test(sentence.folded(of));
}

/**
 * True if no preposition can stand before the token. This holds at the end, before punctuation,
 * before words such as "com", and before "e" with another state.
 */
function endsThere(sentence: Sentence, places: Gazetteer["places"], at: number): boolean {
  const token = sentence.tokens[at];
  if (token === undefined || token.kind === "mark") return true;
  if (/^(com|sem|with|que|abert[ao]s)$/.test(token.folded)) return true;
  if (!/^(e|ou|and|y|or)$/.test(token.folded)) return false;
  return (places.longest(sentence.tokens, at + 1)?.place.states.length ?? 0) > 0;
}

/** True if "para" continues a list of states: "Acre e para", "acre, para e amapá". */
function isStateBefore(sentence: Sentence, places: Gazetteer["places"], at: number): boolean {
  const joint = sentence.tokens[at - 1];
  if (joint?.text !== "," && !/^(e|ou|and|y|or)$/.test(joint?.folded ?? "")) return false;
  for (let from = Math.max(0, at - 1 - NAME_REACH); from < at - 1; from++) {
    const match = places.longest(sentence.tokens, from);
    if (match !== null && match.to === at - 1) return match.place.states.length > 0;
  }
  return false;
}
