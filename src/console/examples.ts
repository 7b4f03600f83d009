/**
 * Example sentences: three per language that match something in the snapshot.
 * Invariant: a sentence is shown only after its matches were counted. Its cities and states are
 * those with the most accounts.
 */
import { countMatches } from "../search/searcher.ts";
import type { Segment } from "../search/segment.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES } from "../spec/fields.ts";
import { normalizeSpec } from "../spec/normalize.ts";
import { translate } from "../translate/translate.ts";
import type { TypedAnswer } from "./typedanswer.ts";
import type { CatalogAnswer } from "./web/app/answers.ts";

/** Sentences per language. */
const EXAMPLES = 3;

/** The places with the most accounts: cities of three states as `Name/UF`, and a state. */
interface Largest {
  readonly cities: readonly [string, string, string];
  readonly state: string;
}

type Places = TypedAnswer<Pick<CatalogAnswer, "municipalities" | "states">>;

/** Names of cities and states that take an article in Portuguese. Most names take none. */
const WITH_ARTICLE = {
  no:
    "Acre|Amapá|Amazonas|Ceará|Distrito Federal|Espírito Santo|Maranhão|Pará|Paraná|Piauí|" +
    "Rio de Janeiro|Rio Grande do Norte|Rio Grande do Sul|Tocantins",
  na: "Bahia|Paraíba",
} as const;

/** Puts the Portuguese "in" before the name of a place: "no Rio de Janeiro". */
function within(place: string): string {
  const [name = ""] = place.split("/");
  const article = (["no", "na"] as const).find((one) =>
    WITH_ARTICLE[one].split("|").includes(name),
  );
  return `${article ?? "em"} ${place}`;
}

/** Typical queries. The last ones are the likeliest to match. */
const SENTENCES: Readonly<Record<keyof CatalogAnswer["examples"], (where: Largest) => string[]>> = {
  pt: ({ cities: [first, second, third], state }) => [
    `padarias ${within(first)} abertas desde 2015, com e-mail`,
    `lojas de roupas ${within(second)} com telefone`,
    `salões de beleza ${within(third)} com e-mail`,
    `construtoras ${within(state)}, fora do MEI`,
    `restaurantes ${within(first)}`,
    `lojas de roupas ${within(state)}`,
    `comércio varejista ${within(first)}`,
    `empresas ${within(first)}`,
    `empresas ${within(second)}`,
    `empresas ${within(third)}`,
  ],
  en: ({ cities: [first, second, third], state }) => [
    `bakeries in ${first} opened since 2015, with e-mail`,
    `clothing stores in ${second} with phone`,
    `beauty salons in ${third} with e-mail`,
    `construction companies in ${state}, not MEI`,
    `restaurants in ${first}`,
    `clothing stores in ${state}`,
    `retail in ${first}`,
    `companies in ${first}`,
    `companies in ${second}`,
    `companies in ${third}`,
  ],
};

/** Finds each language's sentences. */
export function exampleSentences(segment: Segment, catalog: Places): CatalogAnswer["examples"] {
  const where = largestOf(catalog);
  if (where === null) return { pt: [], en: [] };
  return {
    pt: thatFind(segment, SENTENCES.pt(where)),
    en: thatFind(segment, SENTENCES.en(where)),
  };
}

/** Returns the first three sentences with matches. */
function thatFind(segment: Segment, sentences: readonly string[]): string[] {
  const found: string[] = [];
  for (const sentence of sentences) {
    const { spec } = translate(sentence, segment);
    if (matchesOf(segment, spec) > 0) found.push(sentence);
    if (found.length === EXAMPLES) break;
  }
  return found;
}

function matchesOf(segment: Segment, translated: object): number {
  const { spec } = normalizeSpec(translated, {
    catalog: segment.catalog,
    limitDefault: 1,
    limitCap: Number.MAX_SAFE_INTEGER,
    fullAllowed: false,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "search",
  });
  return countMatches(segment, spec);
}

/** Returns the places with the most accounts; null for a snapshot without a city. */
function largestOf({ municipalities, states }: Places): Largest | null {
  const cities = new Map<string, string>();
  const descending = [...municipalities].sort((a, b) => b.accounts - a.accounts);
  for (const { name, uf, accounts } of descending) {
    if (accounts > 0 && !cities.has(uf)) cities.set(uf, `${name}/${uf}`);
    if (cities.size === 3) break;
  }
  const [first, second = first, third = second] = cities.values();
  if (first === undefined || second === undefined || third === undefined) return null;
  const [state] = [...states].sort((a, b) => b.accounts - a.accounts);
  return { cities: [first, second, third], state: state?.name ?? first };
}
