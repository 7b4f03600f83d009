/**
 * Builds the catalog of a snapshot: activities with everyday words, their prefixes, municipalities,
 * states, and legal natures, each with its number of accounts. The catalog also contains names of
 * status reasons, and the data that the snapshot lacks. Each file in data/shortnames lists short
 * names of the most frequent activities: code, Portuguese, English.
 * Invariant: counts cover all accounts of the snapshot. Names come from the snapshot and the
 * lexicon. A prefix without a name in either has no description.
 */

import shortCommerce from "../../data/shortnames/commerce.json" with { type: "json" };
import shortIndustry from "../../data/shortnames/industry.json" with { type: "json" };
import shortServices from "../../data/shortnames/services.json" with { type: "json" };
import { TABLES, type TableName } from "../../native-index/format/columns.ts";
import type { NativeFacet } from "../../native-index/napi/engine.ts";
import type { Computation } from "../http/server/body.ts";
import { packageOf } from "../process/latepackage.ts";
import { guarded, type Segment } from "../search/segment.ts";
import { analyzeWords } from "../spec/analyzer.ts";
import {
  absenceMark,
  CNAE_NOT_INFORMED,
  OPTIONAL_DATA,
  punctuateCnae,
  sectionOfCnae,
} from "../spec/catalog.ts";
import { REASONS_PT } from "../spec/fields/reasons.ts";
import { REASONS_EN } from "../spec/fields/reasons-en.ts";
import { UFS } from "../spec/fields.ts";
import { STATE_NAMES } from "../spec/states.ts";
import type { CalledBy } from "../translate/activities/lexiconentries.ts";
import { wordsOf } from "../translate/words/phrases.ts";
import { exampleSentences } from "./examples.ts";
import type { TypedAnswer } from "./typedanswer.ts";
import type { CatalogAnswer } from "./web/app/answers.ts";

/** Maximum lexicon words per activity. */
const TERMS_MAX = 25;

/** Maps seven-digit codes to short names in both languages. */
const SHORT_NAMES = new Map(
  [...shortIndustry, ...shortCommerce, ...shortServices].map(([code, pt, en]) => {
    return [code as string, { pt: pt as string, en: en as string }];
  }),
);

/** An activity and its names. */
interface Activity {
  readonly code: string;
  readonly description: string;
  readonly short: { readonly pt: string; readonly en: string } | null;
  readonly terms: readonly string[];
  readonly accounts: number;
}

/** Builds the whole catalog; see `CatalogAnswer` in web/app/answers.ts. */
async function catalogParts(segment: Segment): Promise<TypedAnswer<CatalogAnswer>> {
  // Loaded on demand: translating does not need the original spelling of names.
  const { namesByCode } = await import("../translate/activities/lexicon.ts");
  const lexicon = namesByCode();
  const written = await namesWithAccents();
  const cnae = countsOf(segment, "cnae", "cnae_primary");
  const activities = activitiesOf(segment, cnae, lexicon);
  const municipalities = municipalitiesOf(segment, written);
  const states = statesOf(segment);
  return {
    snapshot: segment.label,
    activities,
    prefixes: prefixesOf(activities, lexicon),
    municipalities,
    states,
    legal_natures: naturesOf(segment),
    status_reasons: { pt: REASONS_PT, en: REASONS_EN },
    used_reasons: [...(segment.catalog.statusReasons ?? [])],
    lacks: OPTIONAL_DATA.filter((what) => segment.catalog[absenceMark(what)] === true),
    examples: exampleSentences(segment, { municipalities, states }),
  };
}

/** Builds the JSON catalog of a snapshot, which takes a few tenths of a second. */
export const CATALOG: Computation<null, Uint8Array> = {
  name: "catalog",
  run: async (_, segment) => Buffer.from(JSON.stringify(await catalogParts(segment))),
};

function table(segment: Segment, name: TableName): readonly string[] {
  return guarded(() => segment.native.table(TABLES.indexOf(name)));
}

/** Returns the accounts of each value. A code is the index of its value in the table. */
function countsOf(
  segment: Segment,
  facet: NativeFacet,
  name: TableName,
): ReadonlyMap<string, number> {
  const [counts] = guarded(() => segment.native.facets([], [facet]));
  return new Map(table(segment, name).map((value, code) => [value, counts?.[code] ?? 0]));
}

function activitiesOf(
  segment: Segment,
  accounts: ReadonlyMap<string, number>,
  lexicon: ReadonlyMap<string, CalledBy>,
): Activity[] {
  const descriptions = table(segment, "cnae_description");
  const codes = segment.catalog.cnaeCodes;
  return codes.map((code, i) => {
    const description = descriptions[i] ?? "";
    return {
      code: punctuateCnae(code),
      description,
      short: SHORT_NAMES.get(code) ?? null,
      terms: termsOf(lexicon.get(code), description),
      accounts: accounts.get(code) ?? 0,
    };
  });
}

/** Returns those everyday words for an activity that its description lacks, without repeats. */
function termsOf(called: CalledBy | undefined, description: string): string[] {
  const words = ` ${wordsOf(description).join(" ")} `;
  const seen = new Set<string>();
  const terms: string[] = [];
  for (const name of [...(called?.trades ?? []), ...(called?.others ?? [])]) {
    const folded = wordsOf(name).join(" ");
    if (seen.has(folded) || words.includes(` ${folded} `)) continue;
    seen.add(folded);
    terms.push(name);
    if (terms.length === TERMS_MAX) break;
  }
  return terms;
}

/** Names of sections for which the lexicon has no word or only a vague one. */
const OTHER_SECTIONS: Readonly<Record<string, string>> = {
  S: "outros serviços",
  T: "serviços domésticos",
  U: "organismos internacionais",
};

/** Names each prefix as in the lexicon, or after the only activity below it. */
function prefixesOf(
  activities: readonly Activity[],
  lexicon: ReadonlyMap<string, CalledBy>,
): TypedAnswer<CatalogAnswer>["prefixes"] {
  const below = new Map<string, Activity[]>();
  for (const activity of activities) {
    for (const prefix of prefixesAbove(activity.code)) {
      const list = below.get(prefix) ?? [];
      list.push(activity);
      below.set(prefix, list);
    }
  }
  return [...below].sort(byPrefix).map(([code, list]) => {
    const only = list.length === 1 ? list[0]?.description : undefined;
    const called = lexicon.get(code.replace("-", ""))?.trades[0];
    const name = OTHER_SECTIONS[code] ?? called ?? only;
    const accounts = list.reduce((sum, one) => sum + one.accounts, 0);
    return { code, description: name ? capitalized(name) : null, accounts };
  });
}

/** Orders prefixes by length (sections, divisions, groups, classes), then by code. */
function byPrefix([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

function prefixesAbove(punctuated: string): string[] {
  const digits = punctuated.replace(/\D/g, "");
  if (digits === CNAE_NOT_INFORMED) return [];
  const section = sectionOfCnae(digits);
  const prefixes = [digits.slice(0, 2), digits.slice(0, 3), punctuated.slice(0, 6)];
  return section === null ? prefixes : [section, ...prefixes];
}

function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** Returns municipality names by IBGE code. Loaded lazily: the table is large. */
async function namesWithAccents(): Promise<ReadonlyMap<string, string>> {
  const { getMunicipalities } = packageOf(await import("@brazilian-utils/brazilian-utils"));
  return new Map(getMunicipalities().map(({ code, name }) => [String(code), name]));
}

/** Returns the municipalities, with the accents of the package where the name is the same. */
function municipalitiesOf(
  segment: Segment,
  written: ReadonlyMap<string, string>,
): TypedAnswer<CatalogAnswer>["municipalities"] {
  const accounts = countsOf(segment, "municipality", "municipality_ibge");
  return segment.catalog.municipalities.map(({ ibge, tom, name, uf }) => {
    const known = ibge === null ? undefined : written.get(ibge);
    const same = known !== undefined && folded(known) === folded(name);
    return {
      ibge: ibge ?? "",
      tom,
      name: same ? known : name,
      uf: uf ?? "",
      accounts: ibge === null ? 0 : (accounts.get(ibge) ?? 0),
    };
  });
}

function folded(name: string): string {
  return analyzeWords(name).join("");
}

function statesOf(segment: Segment): TypedAnswer<CatalogAnswer>["states"] {
  const accounts = countsOf(segment, "uf", "uf");
  return UFS.map((uf) => {
    return { uf, name: STATE_NAMES[uf] ?? "Exterior", accounts: accounts.get(uf) ?? 0 };
  });
}

function naturesOf(segment: Segment): TypedAnswer<CatalogAnswer>["legal_natures"] {
  const accounts = countsOf(segment, "legal_nature", "legal_nature");
  const descriptions = table(segment, "legal_nature_description");
  return segment.catalog.legalNatures.map((code, i) => {
    return { code, description: descriptions[i] ?? "", accounts: accounts.get(code) ?? 0 };
  });
}
