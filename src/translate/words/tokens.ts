/**
 * Splits a sentence into tokens, and derives forms of Portuguese words.
 * Input: any text, or a folded word. Output: words, numbers, and punctuation marks with their
 * UTF-16 positions, folded, and reduced so that singular and plural match. Also possible base words
 * and other genders of a word.
 * Invariant: tokens are in order and do not overlap. Only white space, hyphens, apostrophes, and
 * invisible characters separate them. The cost is linear in the text. Reduction needs no
 * dictionary, so its result may not be a real word. A caller uses a base word or other gender only
 * if the word is unknown and this form is known.
 */
import { foldCodePoint } from "../../spec/analyzer.ts";
import { cnpjEnd } from "../../spec/cnpj/cnpjcandidates.ts";

/** Maximum length of a word whose ending is reduced. Real words are shorter. */
const REDUCED_MAX = 40;

/** Words that only look like plurals or derived words. */
const UNREDUCED = new Set(
  (
    "mais menos depois apos dois tres seis pois pais gas mes onibus tenis lapis atras atraves " +
    "ingles frances portugues japones chines holandes libanes fregues gratis cais care sale"
  ).split(" "),
);

/** Plurals for which the endings below give a wrong result, with their singulars. */
const IRREGULAR = new Map(
  (
    "paes:pao caes:cao maes:mae sais:sal leis:lei reis:rei bois:boi herois:heroi " +
    "fosseis:fossil texteis:textil repteis:reptil projeteis:projetil faceis:facil uteis:util " +
    "dificeis:dificil inuteis:inutil frageis:fragil ferteis:fertil estereis:esteril ageis:agil " +
    "doceis:docil misseis:missil versateis:versatil volateis:volatil portateis:portatil " +
    "taxis:taxi acais:acai sushis:sushi temakis:temaki biquinis:biquini abacaxis:abacaxi " +
    "caquis:caqui kiwis:kiwi siris:siri javalis:javali colibris:colibri esquis:esqui " +
    "safaris:safari bisturis:bisturi croquis:croqui juris:juri kombis:kombi bonsais:bonsai " +
    "acucares:acucar polens:polen hifens:hifen boxes:box faxes:fax caracteres:carater"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** Plural endings with their replacements; the first match applies. */
const PLURALS: readonly (readonly [ending: string, instead: string])[] = [
  ["oes", "ao"],
  ["aes", "ao"],
  ["aos", "ao"],
  ["ais", "al"],
  ["eis", "el"],
  ["ois", "ol"],
  ["uis", "ul"],
  ["is", "il"],
  ["ns", "m"],
  ["s", ""],
];

/**
 * Returns the same form of a folded word for singular and plural. The result may not be a word.
 * Words that end in a consonant and e (bares, luzes) also lose the e.
 */
export function reduce(folded: string): string {
  if (folded.length < 4 || folded.length > REDUCED_MAX || UNREDUCED.has(folded)) return folded;
  const ends = folded.charCodeAt(folded.length - 1) === S;
  const word = ends && folded.charCodeAt(folded.length - 2) !== S ? singular(folded) : folded;
  if (word.length < 4 || word.charCodeAt(word.length - 1) !== E) return word;
  return "rzsl".includes(word.charAt(word.length - 2)) ? word.slice(0, -1) : word;
}

const [S, E] = [0x73, 0x65];

function singular(folded: string): string {
  const irregular = IRREGULAR.get(folded);
  if (irregular !== undefined) return irregular;
  for (const [ending, instead] of PLURALS) {
    if (folded.endsWith(ending) && folded.length - ending.length >= 2) {
      return folded.slice(0, -ending.length) + instead;
    }
  }
  return folded;
}

/** Words that only look like diminutives. */
const NO_DIMINUTIVES = new Set(
  (
    "caminho caminha marinho marinha galinha farinha sardinha andorinha rainha bainha tainha " +
    "espinho espinha toucinho sobrinho sobrinha padrinho madrinha carinho focinho golfinho " +
    "campainha cominho cadinho ancinho sozinho sozinha vizinho vizinha cozinha calcinha " +
    "camisinha carrinho figurinha quadrinho sombrinha armarinho moinho redemoinho pergaminho " +
    "burburinho colarinho escaninho desalinho alinho estorninho pelourinho remoinho torvelinho " +
    "adivinho adivinha daninho daninha comezinho mesquinho ladainha ventoinha doninha joaninha " +
    "picuinha murrinha varinha bolinha linhaca caipirinha quentinha salsinha pombinha " +
    "campinha ribeirinho marquinha engatinho encaminho encarrinho definha"
  ).split(" "),
);

/** Minimum length of a diminutive's stem: "bar" in "barzinho". */
const STEM_MIN = 3;

/** Returns the possible base words of a diminutive, none for words that only look like one. */
export function plainForms(folded: string): readonly string[] {
  const word = folded.endsWith("s") ? folded.slice(0, -1) : folded;
  // Fast path: this check is cheap and rejects most words.
  if (!word.endsWith("inh", word.length - 1) && !word.endsWith("zit", word.length - 1)) return [];
  if (word.length > REDUCED_MAX || NO_DIMINUTIVES.has(word)) return [];
  if (/z(inh|it)[oa]$/.test(word)) return ofStemBeforeZ(word.slice(0, word.search(/z\w{3,4}$/)));
  if (!/inh[oa]$/.test(word)) return [];
  const vowel = word.endsWith("a") ? "a" : "o";
  const stem = hardened(word.slice(0, -4));
  if (stem.length < STEM_MIN) return [];
  // The i of "farmácia" is lost in "farmacinha", so it is restored.
  return [stem + vowel, `${stem}i${vowel}`, `${stem}e`, stem];
}

/**
 * Returns the possible base words of a diminutive, given the letters before the z of its ending:
 * "bar" of "barzinho", "salão" of "salãozinho", "arro" of "arrozinho". In "pãezinhos", these
 * letters ("pãe") are a plural without its s.
 */
function ofStemBeforeZ(stem: string): readonly string[] {
  if (stem.length < STEM_MIN) return stem === "pa" ? ["pa"] : [];
  return [stem, reduce(`${stem}s`), `${stem}z`];
}

/**
 * Restores the last letter c or g of a stem: "botec" for "botequ" in "botequinho". Before i, these
 * letters are spelled qu and gu.
 */
function hardened(stem: string): string {
  if (stem.endsWith("qu")) return `${stem.slice(0, -2)}c`;
  return stem.endsWith("gu") ? `${stem.slice(0, -2)}g` : stem;
}

/** Masculine endings of professions with the feminine endings. */
const GENDERS: readonly (readonly [ending: string, other: string])[] = [
  ["eiro", "eira"],
  ["ario", "aria"],
  ["ologo", "ologa"],
  ["ografo", "ografa"],
  ["tor", "tora"],
  ["dor", "dora"],
  ["sor", "sora"],
  ["vogado", "vogada"],
  ["edico", "edica"],
  ["ecnico", "ecnica"],
  ["uimico", "uimica"],
  ["ecanico", "ecanica"],
  ["uiteto", "uiteta"],
  ["agogo", "agoga"],
];

/** Returns the other gender of a profession; none for other words. */
export function otherGenders(folded: string): readonly string[] {
  const word = folded.endsWith("es") && /[dts]ores$/.test(folded) ? folded.slice(0, -2) : folded;
  const single = word.endsWith("s") ? word.slice(0, -1) : word;
  // Fast path: all endings end with one of these letters.
  if (!"oar".includes(single.charAt(single.length - 1))) return [];
  const forms: string[] = [];
  for (const [his, hers] of GENDERS) {
    if (single.endsWith(his)) forms.push(single.slice(0, -his.length) + hers);
    else if (single.endsWith(hers)) forms.push(single.slice(0, -hers.length) + his);
  }
  return forms;
}

/**
 * Returns the singular of an English plural whose ending is not Portuguese: "bakery" for
 * "bakeries", "church" for "churches".
 */
export function englishSingulars(folded: string): readonly string[] {
  if (!folded.endsWith("es")) return [];
  if (folded.length > 5 && folded.endsWith("ies")) return [`${folded.slice(0, -3)}y`];
  return folded.length > 5 && /(ch|sh|x|ss)es$/.test(folded) ? [folded.slice(0, -2)] : [];
}

/** A word, number, or mark of a text. */
export interface Token {
  /**
   * Kind of the token. An address is one word, and so is a CNPJ with letters. `&` is also a word
   * and is read as "e".
   */
  readonly kind: "word" | "number" | "mark";
  readonly start: number;
  readonly end: number;
  /** The word as written, but "S.P." is stored without its periods. */
  readonly text: string;
  /** Lower case without accents. */
  readonly folded: string;
  /** `folded` in its reduced form, which is equal for singular and plural. */
  readonly key: string;
}

/** Splits a text into tokens. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  // Most texts contain none of these, so the search for addresses can be skipped.
  const addresses = text.includes(".") || text.includes("@") || text.includes("://");
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    if (kind === "silent" || kind === "inside") {
      at += widthAt(text, at);
      continue;
    }
    const address =
      kind === "mark" ? null : ((addresses ? addressEnd(text, at) : null) ?? letteredEnd(text, at));
    const token = address === null ? tokenAt(text, at, kind) : addressToken(text, at, address);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** Classes of characters. A character of class "inside" may continue a word but not begin one. */
type Kind = "letter" | "digit" | "silent" | "inside" | "mark";

function tokenAt(text: string, start: number, kind: "letter" | "digit" | "mark"): Token {
  if (kind === "letter") return wordToken(text, start, wordEnd(text, start));
  const end = kind === "digit" ? numberEnd(text, start) : start + widthAt(text, start);
  const part = text.slice(start, end);
  if (part === "&") return { kind: "word", start, end, text: part, folded: "e", key: "e" };
  const type = kind === "digit" ? "number" : "mark";
  return { kind: type, start, end, text: part, folded: part, key: part };
}

/** Matches text that is one word although it contains separators: "S/A", "M&A", "T.I.", "E.P.P". */
const ONE_WORD = /(?:s\/a|m&a|[a-z](?:\.[a-z])+)(?!\.?[\p{L}\p{N}\p{M}])/iuy;
/** Abbreviations with a period that does not end a sentence. */
const SHORTENED = new Set("ltda ltd cia tel cel fone min max cap aprox".split(" "));
/** Matches white space and a capital letter, or a new line, after a period that ends a sentence. */
const NEW_SENTENCE = /\s*(?:\n|\s\p{Lu})/uy;

function wordToken(text: string, start: number, end: number): Token {
  const whole = end - start === 1 ? dotted(text, start) : null;
  if (whole !== null) return whole;
  const part = text.slice(start, end);
  // "nº" would otherwise fold to "no", which is a preposition.
  const folded = end - start === 2 && /^n[ºª]$/i.test(part) ? "numero" : foldWord(part);
  const shortened = SHORTENED.has(folded) && text[end] === ".";
  const to = shortened ? pointEnd(text, end) : end;
  return { kind: "word", start, end: to, text: part, folded, key: reduce(folded) };
}

/** Returns the word for single letters with periods: "ti" for "T.I."; null for one letter. */
function dotted(text: string, start: number): Token | null {
  ONE_WORD.lastIndex = start;
  const whole = ONE_WORD.exec(text)?.[0];
  if (whole === undefined) return null;
  const letters = whole.replace(/[/.]/g, "");
  const end = pointEnd(text, start + whole.length);
  const folded = foldWord(letters);
  return { kind: "word", start, end, text: letters, folded, key: reduce(folded) };
}

/**
 * Returns the position after the period of an abbreviation. If the period also ends a sentence,
 * returns the position before it.
 */
function pointEnd(text: string, at: number): number {
  if (text[at] !== ".") return at;
  NEW_SENTENCE.lastIndex = at + 1;
  return NEW_SENTENCE.test(text) ? at : at + 1;
}

function addressToken(text: string, start: number, end: number): Token {
  const part = text.slice(start, end);
  const folded = part.toLowerCase();
  return { kind: "word", start, end, text: part, folded, key: folded };
}

/** Returns the end of a word: letters, combining accents, and invisible characters. */
function wordEnd(text: string, start: number): number {
  let end = start;
  for (let at = start; at < text.length; ) {
    const kind = kindAt(text, at);
    if (kind !== "letter" && kind !== "inside") break;
    at += widthAt(text, at);
    if (kind === "letter" || isAccent(text.charCodeAt(at - 1))) end = at;
  }
  return end;
}

/** Returns the end of a number. Punctuation or an e may join its digits: 5611-2/01, 1e6. */
function numberEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    if (isDigit(text, at)) at++;
    else if (".,/-eE".includes(text[at] as string) && isDigit(text, at + 1)) at += 2;
    else break;
  }
  return at;
}

/**
 * Returns the end of a web or mail address that begins at `start`, or null. An address may begin
 * only after white space or an opening mark, so that no character is read twice.
 */
function addressEnd(text: string, start: number): number | null {
  if (start > 0 && !/[\s("'<[“”„«»‘’]/.test(text[start - 1] as string)) return null;
  let end = start;
  while (end < text.length && !/[\s<>"“”„«»‘’]/.test(text[end] as string)) end++;
  while (end > start && ".,;:!?)]}'".includes(text[end - 1] as string)) end--;
  const run = text.slice(start, end);
  const at = run.indexOf("@");
  const mail = at > 0 && run.indexOf(".", at + 2) > 0;
  const isLink = run.includes("://") || /^(?:www\.|wa\.me\/|api\.whatsapp\.com\/)/i.test(run);
  const web = isLink || /\.(com\.br|br|net|org)$/i.test(run);
  return mail || web ? end : null;
}

/**
 * Returns the end of a CNPJ that contains letters or looks like a number with an exponent, or null.
 * Without this, its parts would become several tokens.
 */
function letteredEnd(text: string, start: number): number | null {
  return start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1] as string) ? null : cnpjEnd(text, start);
}

/** Matches words of plain letters, which are the majority and need only lower case. */
const PLAIN_LETTERS = /^[a-zA-Z]*$/;

/** Returns a word in lower case without accents and invisible characters. */
export function foldWord(word: string): string {
  if (PLAIN_LETTERS.test(word)) return word.toLowerCase();
  let folded = "";
  for (let at = 0; at < word.length; ) {
    const code = word.charCodeAt(at);
    if (code < LOW_END) {
      folded += FOLDED_LOW[code];
      at++;
      continue;
    }
    const codePoint = word.codePointAt(at) as number;
    folded += foldStyled(codePoint) ?? foldCodePoint(codePoint) ?? "";
    at += codePoint > 0xffff ? 2 : 1;
  }
  return folded;
}

/** Characters below this code are classified by a table, all others one by one. */
const LOW_END = 0x250;
const KINDS_LOW: readonly Kind[] = Array.from({ length: LOW_END }, (_, code) => kindOf(code));
const FOLDED_LOW = Array.from({ length: LOW_END }, (_, code) => foldCodePoint(code) ?? "");

function kindAt(text: string, at: number): Kind {
  const code = text.charCodeAt(at);
  return code < LOW_END ? (KINDS_LOW[code] as Kind) : kindOf(text.codePointAt(at) as number);
}

function kindOf(codePoint: number): Kind {
  if (codePoint >= 0x30 && codePoint <= 0x39) return "digit";
  const character = String.fromCodePoint(codePoint);
  if (isAccent(codePoint) || isUnseen(character)) return "inside";
  if (/[\s\p{Cc}\-\u2010\u2011'’‘`´]/u.test(character)) return "silent";
  const letter = foldCodePoint(codePoint) !== null || foldStyled(codePoint) !== null;
  return letter ? "letter" : "mark";
}

/** True for invisible characters: soft hyphens, joiners, direction marks, variation selectors. */
function isUnseen(character: string): boolean {
  return /\p{Cf}/u.test(character) || (character >= "\ufe00" && character <= "\ufe0f");
}

/** Combining accents of Latin letters. */
function isAccent(code: number): boolean {
  return code >= 0x300 && code <= 0x36f;
}

/** Returns plain letters for styled Unicode letters (full width, bold, in circles), or null. */
function foldStyled(codePoint: number): string | null {
  if (codePoint < 0x2100) return null;
  const character = String.fromCodePoint(codePoint);
  const plain = character.normalize("NFKC");
  return plain !== character && /^[a-z0-9]+$/i.test(plain) ? plain.toLowerCase() : null;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
}
