/**
 * Reads Spanish verb forms and phrases as Portuguese: "muéstreme", "me armas una lista",
 * "venderles", "se abrieron", "en adelante", "correo o si no teléfono".
 * Input: a Spanish sentence whose words are still Spanish. Output: the same sentence. Every
 * replacement has as many words as the phrase.
 * Invariant: only grammar is replaced. A verb with a pronoun is read as the same verb without it,
 * so that a request stays one. A form is recognized by its neighbors or from a closed list,
 * because its words also occur in names ("Armas", "Se").
 * Separate from foreignwords.ts, which replaces single words without their neighbors.
 */
import { isFillerWord } from "../fillers.ts";
import { kindAt } from "../items.ts";
import type { Sentence } from "../words/sentence.ts";
import type { Token } from "../words/tokens.ts";

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Phrases with their readings, word by word. */
const PHRASES = new Map(
  (
    "en adelante=em diante|para adelante=para frente|para delante=para frente|" +
    "hacia adelante=para frente|para aca=para ca|hacia aca=para ca|pa aca=para ca|" +
    "o si no=ou tambem tambem|o sino=ou tambem|o bien=ou tambem|" +
    "nada mas que=somente somente somente|nada mas=somente somente|" +
    "cuenten con=tenham com|cuentan con=tem com|cuente con=tenha com|cuenta con=tem com|" +
    "y si no=ou tambem tambem|" +
    "al por mayor=por de atacado|al por menor=por de varejo"
  )
    .split("|")
    .map((row): [string, string[]] => {
      const [phrase = "", reading = ""] = row.split("=");
      return [phrase, reading.split(" ")];
    }),
);
/** Maximum words of a phrase of `PHRASES`. */
const PHRASE_MAX = 3;
const PHRASE_FIRSTS = new Set([...PHRASES.keys()].map((phrase) => phrase.split(" ")[0]));

/** Stems of verbs of asking for a list. No word lists, because stems are no words. */
const ASKING_STEM = [
  /muestr|mostr|mir|consegu|envi|mand|pase?|busqu|busc|arm|list|traig|tra|consig|consigu|conseg/,
  /prepar|gener|entregu?|sac|saqu|d|hag|hac|haz|indiqu|indic|facilit|proporcion|compart/,
  /extrai?g|selec[ct]?cion|filtr|encuentr|recomiend|recomend|dig|deci|export/,
]
  .map(({ source }) => source)
  .join("|");
/** Matches an imperative or infinitive of asking with a pronoun: "muéstreme", "pasarnos". */
const ASKING = new RegExp(`^(?:${ASKING_STEM})(?:[aei]n?|[aei]r)?(?:me|nos)(?:l[oa]s?)?$`);
/** Matches the second word of "me armas un listado" and "me podrías dar los hoteles". */
const ASKED = new RegExp(`^(?:${ASKING_STEM})(?:[aei]s?|[aei]n|[aei]r|[ai]ri?as?|[ai]rian)$`);
const MAY = /^(?:podri?as?|podrian|podriais|puedes?|pueden|podes|podras?)$/;
/** Words that may precede a request: "hola, me armas una lista", "necesito que me armes …". */
const BEFORE_ASKING = /^(?:que|q|favor|hola|buenas|buenos|dias|tardes|noches|si|y|quien|alguien)$/;
/** Words that may follow a verb of requesting. */
const AFTER_ASKING =
  /^(?:el|la|los|las|un|una|unos|unas|todos|todas|todo|toda|cada|tod|lista|listado|por|a)$/;

/** Verbs whose infinitives are read without their pronoun: "venderles", "contactarlos". */
const INFINITIVES = wordSet(
  "vender ofrecer presentar proponer promover anunciar contactar contratar llamar escribir " +
    "visitar comprar alquilar importar proveer entregar hablar encontrar ubicar conocer",
);
const WITH_PRONOUN = /^(.+[aei]r)(?:les?|l[oa]s?)$/;

/** Matches a verb after the pronoun "se": "se abrieron", "se dedican", "se fundó". */
const REFLEXIVE = /^[a-z]{2,}(?:[aeo]n|[aeio])$/;
const NOT_VERBS = wordSet(
  "con sin en para como sobre desde entre ante que o e a ni no solo sea este de segun hacia bajo",
);

/** Reads the phrases and verb forms of a Spanish sentence. */
export function readSpanishPhrases(sentence: Sentence): void {
  for (let at = 0; at < sentence.tokens.length; at++) {
    const token = sentence.tokens[at] as Token;
    if (token.kind !== "word" || !sentence.free(at)) continue;
    if (PHRASE_FIRSTS.has(token.folded)) at += Math.max(0, readPhrase(sentence, at) - 1);
    readAsking(sentence, at);
    readPronoun(sentence, at);
    readSmall(sentence, at);
  }
}

/** Reads the longest phrase at a token. Returns the number of its words. */
function readPhrase(sentence: Sentence, at: number): number {
  for (let words = PHRASE_MAX; words > 1; words--) {
    const all = Array.from({ length: words }, (_, step) => sentence.folded(at + step));
    const reading = PHRASES.get(all.join(" "));
    if (reading === undefined) continue;
    for (const [step, word] of reading.entries()) sentence.readAs(at + step, word);
    return words;
  }
  return 0;
}

/** Reads "muéstreme", "me armas una lista", and "me podrías dar los hoteles" as "mostre". */
function readAsking(sentence: Sentence, at: number): void {
  const word = sentence.folded(at);
  if (ASKING.test(word)) {
    sentence.readAs(at, "mostre");
    if (MAY.test(sentence.folded(at - 1))) sentence.readAs(at - 1, "pode");
    return;
  }
  if (word !== "me" && word !== "nos") return;
  const before = sentence.tokens[at - 1];
  const isLed = before === undefined || before.kind === "mark" || BEFORE_ASKING.test(before.folded);
  if (!isLed) return;
  const isMay = MAY.test(sentence.folded(at + 1));
  const verb = isMay ? at + 2 : at + 1;
  const isAsked = ASKED.test(sentence.folded(verb));
  const isList = AFTER_ASKING.test(sentence.folded(verb + 1)) || isNumber(sentence, verb + 1);
  // "me podrías dar psicólogos" needs no article, because "podrías" already asks.
  const isWished = /^(?:que|q)$/.test(before?.folded ?? "");
  if (!isAsked || !(isList || isMay || isWished)) return;
  if (isMay) sentence.readAs(at + 1, "pode");
  sentence.readAs(verb, "mostre");
}

function isNumber({ tokens }: Sentence, at: number): boolean {
  return tokens[at]?.kind === "number";
}

/** Reads "venderles" as "vender", and marks the "se" of "se abrieron" as read. */
function readPronoun(sentence: Sentence, at: number): void {
  const word = sentence.folded(at);
  const [, infinitive = ""] = WITH_PRONOUN.exec(word) ?? [];
  if (INFINITIVES.has(infinitive)) sentence.readAs(at, infinitive);
  // "Se" is also the abbreviation of Sergipe, but not before a verb.
  if (word !== "se") return;
  const next = sentence.folded(at + 1);
  const isVerb = REFLEXIVE.test(next) && !NOT_VERBS.has(next);
  const isPlace = sentence.tokens[at - 1]?.text === "," || sentence.folded(at - 1) === "en";
  if (isVerb && !isPlace && kindAt(sentence, at + 1) !== "activity") {
    sentence.claim(at, at + 1, "filler");
    sentence.name(at, at + 1);
  }
}

/** Reads small words whose meaning depends on their neighbors. */
function readSmall(sentence: Sentence, at: number): void {
  const [before, word, next] = [-1, 0, 1].map((step) => sentence.folded(at + step));
  // "las más antiguas arriba", "arriba de 10 millones"
  if (word === "arriba") sentence.readAs(at, next === "de" ? "acima" : "primeiro");
  // "capital sobre 10 millones"
  if (word === "sobre" && /^(?:capital|social)$/.test(before ?? "")) sentence.readAs(at, "acima");
  if (word === "web" && !/^(?:sitios?|paginas?)$/.test(before ?? "")) {
    if (/^(?:con|com|sin|tengan?|tienen?|poseen?|posean?|una|y|o)$/.test(before ?? "")) {
      sentence.readAs(at, "site");
    }
  }
  // "es" is the verb, "ES" a state.
  // After punctuation, it begins a clause about the speaker: ", es para mi tesis".
  const isVerb = sentence.tokens[at]?.text === "es" && !isLast(sentence, at);
  const isBegun = before === "" || before === "en" || before === "si";
  if (word === "es" && isVerb && !isBegun) sentence.readAs(at, "seja");
  // ", o sea cerradas" explains what precedes it.
  const isSaid = word === "o" && /^sean?$/.test(next ?? "");
  if (isSaid && sentence.tokens[at - 1]?.kind === "mark") sentence.claim(at, at + 2, "filler");
}

function isLast({ tokens }: Sentence, at: number): boolean {
  return tokens.slice(at + 1).every((token) => token.kind === "mark" || isFillerWord(token));
}
