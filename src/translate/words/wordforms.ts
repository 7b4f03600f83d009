/**
 * Forms of Portuguese words. What comes in: a folded word. What goes out: the same for its singular
 * and its plural; and the words it may be a diminutive or the other gender of.
 * Invariant: reducing needs no dictionary and may give what is no word; the other forms are only
 * proposals, for the caller to take where the word itself is unknown and the form is known.
 */

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
