/**
 * Quarters that bear the name of a town: "Boa Viagem, Recife". What comes in: the mentions of a
 * sentence, read as cities and states. What goes out: districts that are named; a name that is the
 * quarter of the city right behind it is no wish for the town of its name.
 * Invariant: only a name before its city, a comma or nothing between them, in no list of others; a
 * town of the same state is never taken for a quarter.
 */
import type { Mention, PlaceContext } from "./mention.ts";
import { linkOf } from "./readings.ts";

/** How many times the accounts of a town its city must have. */
const OUTWEIGHS = 10;

/**
 * Capitals (IBGE) with quarters that bear the names of large towns elsewhere, folded as written.
 */
const LARGE_NAMESAKES: Readonly<Record<string, string>> = {
  "3304557": "campo grande|santa cruz|botafogo|glória|vila velha",
  "3550308": "campo grande|santana|lapa|vitória|campo belo|boa vista|palmas",
  "2611606": "campo grande|boa vista|boa viagem|santo amaro|várzea|torre",
  "5208707": "campinas|vila nova|santa luzia",
  "4106902": "boa vista|campina grande|cascavel|água verde",
  "4314902": "boa vista|petrópolis|glória|camaquã",
  "2927408": "vitória|nazaré|são cristóvão|barra",
  "3106200": "santa luzia|palmares|santo andré|são bernardo",
  "2304400": "messejana|parangaba|barra do ceará",
};

const NAMESAKES = new Map(
  Object.entries(LARGE_NAMESAKES).map(([ibge, names]) => [ibge, new Set(names.split("|"))]),
);

/** Finds quarters among the mentions; they are districts of the city behind them. */
export function settleQuarters(context: PlaceContext, mentions: readonly Mention[]): void {
  for (const [i, town] of mentions.entries()) {
    const city = mentions[i + 1];
    if (city === undefined || !isOnlyCity(town) || !isOnlyCity(city)) continue;
    const apart = (one: Mention | undefined, other: Mention | undefined) =>
      one === undefined || other === undefined || link(context, one, other) === "apart";
    const near = link(context, town, city);
    if (near !== "comma" && near !== "direct") continue;
    if (!apart(mentions[i - 1], town) || (mentions[i + 2] && !endsWithState(mentions, i + 2)))
      continue;
    if (town.negated !== city.negated || !isQuarter(town, city)) continue;
    town.dropped = true;
    const { districts, sentence } = context;
    const name = sentence.words(town.at, town.to).words;
    const known = knownIn(context, city, name);
    const { words, negated } = town;
    districts.all.push({ words, name, negated, implied: true, known });
  }
}

/** How many times the accounts of a town the city before it has, where only its name is known. */
const DWARFS = 100;

/**
 * "em São Paulo, Maracanã": a small town of another state behind a city. It is the district of that
 * name where the city has one; else nobody knows which is meant, and it is lost.
 */
export function settleTowns(context: PlaceContext, mentions: readonly Mention[]): void {
  for (const [i, town] of mentions.entries()) {
    const city = mentions[i - 1];
    if (city === undefined || !isOnlyCity(town) || !isOnlyCity(city)) continue;
    const near = link(context, city, town);
    const alone = [mentions[i - 2], mentions[i + 1]].every((one, behind) => {
      if (one === undefined) return true;
      const [left, right] = behind === 1 ? [town, one] : [one, city];
      return link(context, left, right) === "apart";
    });
    if (near !== "comma" || !alone || town.negated || city.negated || !isDwarfed(town, city)) {
      continue;
    }
    const name = context.sentence.words(town.at, town.to).words;
    const known = knownIn(context, city, name);
    if (known.size > 0) {
      town.dropped = true;
      const { words, negated } = town;
      context.districts.all.push({ words, name, negated, implied: true, known });
      continue;
    }
    town.lost = true;
    context.notes.leave("place", WHICH_TOWN, town.words);
  }
}

/** How many times the accounts of a town a district of its name has in a capital. */
const NAMED_SO = 2;

/**
 * "na Moema", and nothing else of a place: a small town of whose name a capital has a district that
 * far more accounts are in. It is a district then, whose city is still to be found.
 */
export function settleLoneTown(context: PlaceContext, mentions: readonly Mention[]): void {
  const meant = mentions.filter(({ dropped }) => !dropped);
  const [town] = meant;
  if (town === undefined || meant.length > 1 || !isOnlyCity(town) || town.negated) return;
  // "em Pinheiros" is the town: names of towns have no article.
  if (!/^n[ao]s?$/.test(town.lead.word)) return;
  if (town.lead.city || town.lead.mark || town.cities.some(({ capital }) => capital)) return;
  const { gazetteer, districts, sentence } = context;
  if (districts.names.lacking) return;
  const { words: name } = sentence.words(town.at, town.to);
  const large = Math.max(...town.cities.map(({ accounts }) => accounts));
  const dwarfed = gazetteer.states.some((uf) => {
    const capital = gazetteer.capitalOf(uf);
    if (capital === undefined || capital.accounts <= NAMED_SO * large) return false;
    const known = districts.names.known(capital.ibge, [name])[0];
    return (known?.accounts ?? 0) > NAMED_SO * large;
  });
  if (!dwarfed) return;
  town.dropped = true;
  const { words, negated } = town;
  districts.all.push({ words, name, negated, implied: true, known: new Map() });
}

const WHICH_TOWN = {
  pt: "Pode ser um bairro da cidade ou um município de outro estado: diga bairro, ou o estado.",
  en: "This may be a district of the city or a town of another state: say district, or the state.",
};

/** Whether a town lies elsewhere and is hardly ever meant beside so large a city. */
function isDwarfed(town: Mention, { cities }: Mention): boolean {
  const city = cities.find(({ capital }) => capital) ?? cities[0];
  if (city === undefined || town.cities.some(({ uf, capital }) => uf === city.uf || capital)) {
    return false;
  }
  const large = Math.max(...town.cities.map(({ accounts }) => accounts));
  return city.accounts > DWARFS * large;
}

function knownIn({ districts }: PlaceContext, { cities }: Mention, name: string) {
  return new Map(
    cities.flatMap(({ ibge }) => {
      const one = districts.names.known(ibge, [name])[0] ?? null;
      return one === null ? [] : [[ibge, one] as const];
    }),
  );
}

function link({ sentence }: PlaceContext, one: Mention, other: Mention): string {
  return linkOf(sentence, one, other);
}

/** "Boa Viagem, Recife, PE" ends with the state of the city. */
function endsWithState(mentions: readonly Mention[], at: number): boolean {
  const state = mentions[at];
  return state !== undefined && state.states.length > 0 && state.cities.length === 0;
}

function isOnlyCity({
  states,
  cities,
  capital,
  adjective,
  dropped,
  part,
  every,
}: Mention): boolean {
  const named = !capital && !adjective && !dropped && !part && !every;
  return named && states.length === 0 && cities.length > 0;
}

function isQuarter(town: Mention, { cities }: Mention): boolean {
  const city = cities.find(({ capital }) => capital) ?? cities[0];
  if (city === undefined || town.cities.some(({ ibge }) => ibge === city.ibge)) return false;
  const known = town.cities.some(({ name }) => NAMESAKES.get(city.ibge)?.has(name.toLowerCase()));
  if (known) return true;
  const large = Math.max(...town.cities.map(({ accounts }) => accounts));
  const elsewhere = !town.cities.some(({ uf }) => uf === city.uf);
  return elsewhere && city.accounts > 0 && city.accounts >= OUTWEIGHS * large;
}
