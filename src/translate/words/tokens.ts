/**
 * A sentence as tokens, and forms of Portuguese words. Input: any text; a folded word. Output:
 * words, numbers and marks with their places in it (UTF-16), folded, and reduced so that singular
 * and plural are the same; the words that a word may be a diminutive or the other gender of.
 * Invariant: tokens are in order and do not overlap; between them is nothing but white space,
 * hyphens, apostrophes and invisible characters; linear in the length of the text. Reducing needs
 * no dictionary and may give what is no word; the other forms are only proposals, for the caller to
 * take where the word itself is unknown and the form is known.
 */
import { foldCodePoint } from "../../spec/analyzer.ts";
import { cnpjEnd } from "../../spec/cnpj/cnpjpieces.ts";

/** Longest word whose ending is reduced; nobody writes longer ones. */
const REDUCED_MAX = 40;

/** Words that look like plurals, or like words with an ending, and are none. */
const KEPT = new Set(
  (
    "mais menos depois apos dois tres seis pois pais gas mes onibus tenis lapis atras atraves " +
    "ingles frances portugues japones chines holandes libanes fregues gratis cais care sale"
  ).split(" "),
);

/** Plurals that the endings below get wrong, with their singulars. */
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

/** Endings of plurals with what stands for them; the first that fits is taken. */
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
 * Takes the plural off a folded word. It need not give a word that exists, only the same one for
 * both numbers; what ends in a consonant and e (bares, luzes) loses the e as well.
 */
export function reduce(folded: string): string {
  if (folded.length < 4 || folded.length > REDUCED_MAX || KEPT.has(folded)) return folded;
  const ends = folded.charCodeAt(folded.length - 1) === S;
  const word = ends && folded.charCodeAt(folded.length - 2) !== S ? singular(folded) : folded;
  if (word.length < 4 || word.charCodeAt(word.length - 1) !== E) return word;
  return "rzsl".includes(word.charAt(word.length - 2)) ? word.slice(0, -1) : word;
}

/** The letters s and e. */
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

/** Words that end like diminutives and are something else than a small one. */
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

/** Shortest stem that a diminutive leaves: "bar" of "barzinho". */
const STEM_MIN = 3;

/** Words that a folded one may be the diminutive of; none for words that only look so. */
export function plainForms(folded: string): readonly string[] {
  const word = folded.endsWith("s") ? folded.slice(0, -1) : folded;
  // First, because it is cheap and most words fail it.
  if (!word.endsWith("inh", word.length - 1) && !word.endsWith("zit", word.length - 1)) return [];
  if (word.length > REDUCED_MAX || NO_DIMINUTIVES.has(word)) return [];
  if (/z(inh|it)[oa]$/.test(word)) return ofStemBeforeZ(word.slice(0, word.search(/z\w{3,4}$/)));
  if (!/inh[oa]$/.test(word)) return [];
  const vowel = word.endsWith("a") ? "a" : "o";
  const stem = hardened(word.slice(0, -4));
  if (stem.length < STEM_MIN) return [];
  // "Farmacinha" has lost the i of "farmácia".
  return [stem + vowel, `${stem}i${vowel}`, `${stem}e`, stem];
}

/** "bar|zinho", "salão|zinho", "pãe|zinhos" (a plural inside), and "arro|zinho" for arroz. */
function ofStemBeforeZ(stem: string): readonly string[] {
  if (stem.length < STEM_MIN) return stem === "pa" ? ["pa"] : [];
  return [stem, reduce(`${stem}s`), `${stem}z`];
}

/** Before i the sounds of c and g are written qu and gu: "botequinho" of "boteco". */
function hardened(stem: string): string {
  if (stem.endsWith("qu")) return `${stem.slice(0, -2)}c`;
  return stem.endsWith("gu") ? `${stem.slice(0, -2)}g` : stem;
}

/** Endings of professions: of men with those of women. */
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

/** The word for the other gender of a profession; none for other words. */
export function otherGenders(folded: string): readonly string[] {
  const word = folded.endsWith("es") && /[dts]ores$/.test(folded) ? folded.slice(0, -2) : folded;
  const single = word.endsWith("s") ? word.slice(0, -1) : word;
  // The last letters of all endings.
  if (!"oar".includes(single.charAt(single.length - 1))) return [];
  const forms: string[] = [];
  for (const [his, hers] of GENDERS) {
    if (single.endsWith(his)) forms.push(single.slice(0, -his.length) + hers);
    else if (single.endsWith(hers)) forms.push(single.slice(0, -hers.length) + his);
  }
  return forms;
}

/** The singular of an English plural that Portuguese endings do not explain: bakeries, churches. */
export function englishSingulars(folded: string): readonly string[] {
  if (!folded.endsWith("es")) return [];
  if (folded.length > 5 && folded.endsWith("ies")) return [`${folded.slice(0, -3)}y`];
  return folded.length > 5 && /(ch|sh|x|ss)es$/.test(folded) ? [folded.slice(0, -2)] : [];
}

/** One token. */
export interface Token {
  /** An address or a CNPJ with letters is one word; so is `&`, which is read as "e". */
  readonly kind: "word" | "number" | "mark";
  readonly start: number;
  readonly end: number;
  /** As written; "S.P." without its points. */
  readonly text: string;
  /** Lower case without accents. */
  readonly folded: string;
  /** `folded`, reduced; equal for the singular and the plural. */
  readonly key: string;
}

/** Cuts a text into tokens. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  // Without one of these there is no address, which most texts are spared to be searched for.
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

/** What a character is to a word; `inside` are those that words may hold but not begin with. */
type Kind = "letter" | "digit" | "silent" | "inside" | "mark";

function tokenAt(text: string, start: number, kind: "letter" | "digit" | "mark"): Token {
  if (kind === "letter") return wordToken(text, start, wordEnd(text, start));
  const end = kind === "digit" ? numberEnd(text, start) : start + widthAt(text, start);
  const part = text.slice(start, end);
  if (part === "&") return { kind: "word", start, end, text: part, folded: "e", key: "e" };
  const type = kind === "digit" ? "number" : "mark";
  return { kind: type, start, end, text: part, folded: part, key: part };
}

/** "S/A", "M&A", "T.I.", "E.P.P": one word, whatever stands between its letters. */
const ONE_WORD = /(?:s\/a|m&a|[a-z](?:\.[a-z])+)(?!\.?[\p{L}\p{N}\p{M}])/iuy;
/** Words that are written short, with a point that ends no sentence. */
const SHORTENED = new Set("ltda ltd cia tel cel fone min max cap aprox".split(" "));
/** What follows a point that ends a sentence: white space and a capital, or a line. */
const NEW_SENTENCE = /\s*(?:\n|\s\p{Lu})/uy;

function wordToken(text: string, start: number, end: number): Token {
  const whole = end - start === 1 ? dotted(text, start) : null;
  if (whole !== null) return whole;
  const part = text.slice(start, end);
  // "nº" folds to "no", which is a preposition.
  const folded = end - start === 2 && /^n[ºª]$/i.test(part) ? "numero" : foldWord(part);
  const shortened = SHORTENED.has(folded) && text[end] === ".";
  const to = shortened ? pointEnd(text, end) : end;
  return { kind: "word", start, end: to, text: part, folded, key: reduce(folded) };
}

/** The word that begins with a single letter: "T.I." is "ti"; null where the letter is alone. */
function dotted(text: string, start: number): Token | null {
  ONE_WORD.lastIndex = start;
  const whole = ONE_WORD.exec(text)?.[0];
  if (whole === undefined) return null;
  const letters = whole.replace(/[/.]/g, "");
  const end = pointEnd(text, start + whole.length);
  const folded = foldWord(letters);
  return { kind: "word", start, end, text: letters, folded, key: reduce(folded) };
}

/** Behind the point of an abbreviation, unless the point ends a sentence as well. */
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

/** Letters, with accents that are characters of their own and with what nobody sees. */
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

/** Digits with single points, commas, slashes, hyphens between them, or one e: 5611-2/01, 1e6. */
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
 * End of an address of the web or of mail that begins here, null where none does. Only what follows
 * white space or an opening mark is looked at, so that each character is read once for this.
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

/** End of a CNPJ with letters or an exponent that begins here; its parts would be other words. */
function letteredEnd(text: string, start: number): number | null {
  return start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1] as string) ? null : cnpjEnd(text, start);
}

/** Words of plain letters, which are most, are only written small. */
const PLAIN_LETTERS = /^[a-zA-Z]*$/;

/** Lower case without accents; what nobody sees is left out. */
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

/** Below this characters are looked up in tables, from it on one by one. */
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

/** Characters without a shape: soft hyphens, joiners, direction marks, variation selectors. */
function isUnseen(character: string): boolean {
  return /\p{Cf}/u.test(character) || (character >= "\ufe00" && character <= "\ufe0f");
}

/** Combining accents of Latin letters. */
function isAccent(code: number): boolean {
  return code >= 0x300 && code <= 0x36f;
}

/** Letters in the styles that Unicode has for them (full width, bold, in circles), else null. */
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
