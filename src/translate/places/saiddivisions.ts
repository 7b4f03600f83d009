/**
 * Regions of the statistics in a sentence: "microrregião de Campinas". What comes in: a sentence at
 * the word that names the kind of such a region. What goes out: a mention of its municipalities.
 * Invariant: only a region of the kind that is named is meant, never a city or another region of
 * that name; what is not known, or not given, is said and widens nothing.
 */
import type { Sentence } from "../words/sentence.ts";
import { foldWord } from "../words/tokens.ts";
import type { DivisionKind } from "./divisions.ts";
import type { Mention, PlaceContext } from "./mention.ts";
import type { City, MeantRegion, PlaceMatch, PlaceNames, Region } from "./placenames.ts";
import { isOf } from "./placewords.ts";
import { mentionOfRegions, regionsBeside } from "./regions.ts";

/** Words that name a kind of region. */
const WORDS: readonly (readonly [kind: DivisionKind, words: RegExp])[] = [
  ["meso", /^mes(orr?|o r)egi(ao|oes|on|ons|ones)$/],
  ["micro", /^micr(orr?|o r)egi(ao|oes|on|ons|ones)$/],
  [
    "immediate",
    /^(regi(ao|oes|on|ones)( geograficas?)? in?mediatas?|immediate( geographic)? regions?)$/,
  ],
  [
    "intermediate",
    /^(regi(ao|oes|on|ones)( geograficas?)? intermediarias?|intermediate( geographic)? regions?)$/,
  ],
];
const WORDS_MAX = 3;
const PLURAL = /(oes|ons|ones)\b/;
/** Words that join the names of several regions. */
const JOINING = /^(,|e|y|ou|and|or)$/;

interface Head {
  readonly kind: DivisionKind;
  readonly to: number;
  readonly several: boolean;
}

/** The kind of region that is named at a token. */
export function divisionHead(sentence: Sentence, at: number): Head | null {
  if (!/^(mes|micr|regi|imm|inter)/.test(sentence.folded(at))) return null;
  let words = sentence.folded(at);
  for (let to = at + 1; to <= at + WORDS_MAX && sentence.free(to - 1); to++) {
    const found = WORDS.find(([, pattern]) => pattern.test(words));
    if (found !== undefined) return { kind: found[0], to, several: PLURAL.test(words) };
    words += ` ${sentence.folded(to)}`;
  }
  return null;
}

/** The mention of regions of the statistics that begins at a token, or null. */
export function divisionAt(context: PlaceContext, at: number): Mention | null {
  const { sentence, gazetteer } = context;
  const head = divisionHead(sentence, at);
  if (head === null || gazetteer.divisions === null) return null;
  const names = gazetteer.divisions.named(head.kind);
  const named: (readonly MeantRegion[])[] = [];
  let to = head.to;
  for (let next = head.to; ; next = to + 1) {
    while (isOf(sentence.folded(next)) && sentence.free(next)) next++;
    const match = nameAt(sentence, names, next);
    if (match === null) break;
    const beside = regionsBeside(context, match);
    if (beside.length === 0) break;
    named.push(beside);
    to = match.to;
    const half = sentence.tokens[to]?.text === "/" ? nameAt(sentence, names, to + 1) : null;
    if (half !== null && shareOne(match, half)) to = half.to;
    if (!head.several || !JOINING.test(sentence.folded(to))) break;
  }
  return named.length === 0 ? null : mentionOfRegions(context, [at, to], togetherOf(named));
}

/** Regions that are named one after the other are all meant; those of one name may be either. */
function togetherOf(named: readonly (readonly MeantRegion[])[]): readonly MeantRegion[] {
  if (named.length === 1 || named.some((one) => one.length > 1)) return named.flat();
  const regions = named.flat().map(({ region }) => region);
  let cities: readonly City[] | undefined;
  const region: Region = {
    name: regions.map(({ name }) => name).join(", "),
    part: false,
    members(source) {
      cities ??= [...new Set(regions.flatMap((one) => one.members(source)))];
      return cities;
    },
  };
  return [{ region, usual: false }];
}

/** Most tokens of a name. */
const NAME_MAX = 9;

/** The name that begins at a token, though a part of it was read as the firm name of a city. */
function nameAt(sentence: Sentence, names: PlaceNames, at: number): PlaceMatch | null {
  const tokens = sentence.tokens.slice(at, at + NAME_MAX).map((token) => {
    return token.kind === "word" ? { ...token, folded: foldWord(token.text) } : token;
  });
  const match = names.longest(tokens, 0, (index) => sentence.free(at + index));
  return match === null ? null : { ...match, from: at, to: at + match.to };
}

function shareOne({ place: one }: PlaceMatch, { place: other }: PlaceMatch): boolean {
  return one.regions.some(({ region }) => other.regions.some((each) => each.region === region));
}

/** What is said of a region of the statistics that is not known. */
export function unknownDivision({ gazetteer }: PlaceContext) {
  return gazetteer.divisions === null ? NOT_GIVEN : UNKNOWN;
}

const NOT_GIVEN = {
  pt:
    "O snapshot não tem as regiões do IBGE: rode peneira download --places --to PASTA e importe " +
    "de novo com peneira import --places PASTA/places.csv.",
  en:
    "The snapshot lacks the regions of the statistics: run peneira download --places --to DIR, " +
    "then import again with peneira import --places DIR/places.csv.",
};
const UNKNOWN = {
  pt: "Não há região do IBGE com esse nome; a busca não foi ampliada.",
  en: "There is no region of the statistics with this name; the search was not widened.",
};
