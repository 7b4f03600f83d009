/**
 * Makes the most expensive requests of each kind from a snapshot. Some are allowed. Others are
 * refused, but only after expensive work.
 * Invariant: the same snapshot gives the same requests. Lists have their maximum length.
 */
import { TABLES } from "../../native-index/format/columns.ts";
import type { Segment } from "../../src/search/segment.ts";
import { FACETS } from "../../src/spec/facets.ts";
import { UFS } from "../../src/spec/fields.ts";
import { SPEC_LIMITS } from "../../src/spec/limits.ts";
import { TEXT_MAX } from "../../src/spec/schema.ts";
import { randomFrom, repeated, SHAPES } from "../../test/support/translate/shapes.ts";
import type { WorstRequest } from "./worst-service.ts";

/** A request with its name. */
export interface Worst extends WorstRequest {
  readonly name: string;
}

const SEARCH = "/v1/accounts/search";
const COUNT = "/v1/accounts/count";
const NORMALIZE = "/v1/spec/normalize";
const LEADS = "/v1/leads";
const TRANSLATE = "/v1/leads/translate";
/** Prefix that worst-service.ts puts before the routes of the console. */
const CONSOLE = "/v1/c";
const BATCHES = { "mcp-protocol-version": "2025-03-26" };

const LIST = SPEC_LIMITS.arrayLengthMax;
const STATES = UFS.filter((uf) => uf !== "EX");
const BROAD = { geo: { uf_any_of: STATES } };
const WORDS = (
  "silva comercio servicos santos oliveira souza maria jose ana joao transportes alimentos " +
  "roupas lima pereira ferreira costa rodrigues almeida carlos"
).split(" ");
const HINTS = WORDS.map((word, at) => `${word} ${WORDS[(at + 7) % 20]} ${WORDS[(at + 3) % 20]}`);

/** Values of which the requests are made. */
interface Parts {
  readonly ceps: readonly string[];
  readonly ibges: readonly string[];
  readonly toms: readonly string[];
  readonly cnaes: readonly string[];
  readonly cities: readonly string[];
  /** An unknown word, and a word from the descriptions of activities. */
  readonly unknown: () => string;
  readonly described: () => string;
}

function partsOf(segment: Segment): Parts {
  const random = randomFrom(11);
  const below = (count: number) => Math.floor(random() * count);
  const { municipalities, cnaeCodes } = segment.catalog;
  const descriptions = segment.native.table(TABLES.indexOf("cnae_description")).join(" ");
  const vocabulary = descriptions.split(/[^\p{L}]+/u).filter((word) => word.length > 2);
  const letters = "abcdefghijlmnopqrstuvxz";
  return {
    ceps: many(LIST, () => String(1_000_000 + below(98_999_999)).padStart(8, "0")),
    ibges: municipalities.flatMap(({ ibge }) => (ibge === null ? [] : [ibge])),
    toms: municipalities.map(({ tom }) => tom),
    cnaes: cnaeCodes,
    cities: municipalities.map(({ name }) => name),
    unknown: () => many(7 + below(4), () => letters[below(letters.length)]).join(""),
    described: () => vocabulary[below(vocabulary.length)] as string,
  };
}

/** The requests by kind. */
export function worstRequests(segment: Segment): Worst[] {
  const parts = partsOf(segment);
  return [
    ...listRequests(parts),
    ...broadRequests(),
    ...bodyRequests(),
    ...readingRequests(parts),
    ...translations(parts),
    ...leadRequests(parts),
    ...consoleRequests(parts),
    ...agentRequests(parts),
  ];
}

function listRequests({ ceps, ibges, toms, cnaes }: Parts): Worst[] {
  const postal = { geo: { postal_code_prefix_any_of: ceps, uf_any_of: STATES } };
  const fives = many(LIST, (at) => String(at * 10 + 1).padStart(5, "0"));
  const places = { geo: { municipality_ibge_any_of: ibges, municipality_tom_any_of: toms } };
  const all = {
    industry: { cnae_any_of: cnaes, cnae_exclude: cnaes.slice(0, 700), text_hints: HINTS },
    geo: { ...places.geo, postal_code_prefix_any_of: ceps },
  };
  const explained = {
    filters: {
      industry: { cnae_any_of: cnaes, text_hints: WORDS },
      geo: { municipality_ibge_any_of: ibges, postal_code_prefix_any_of: fives },
    },
    output: { include_explain: true },
  };
  return [
    post("10,000 postal codes, count", COUNT, { spec: { filters: postal } }),
    post("10,000 postal codes, search", SEARCH, { spec: { filters: postal }, limit: 50 }),
    post("10,000 postal codes, three keys", SEARCH, { spec: { filters: postal, sort: keys(0) } }),
    post("10,000 postal codes, all facets", COUNT, { spec: { filters: postal }, facets: FACETS }),
    post("10,000 prefixes of 5, limit 50,000", SEARCH, {
      spec: { filters: { geo: { ...BROAD.geo, postal_code_prefix_any_of: fives } } },
      limit: 50_000,
    }),
    post("all municipalities twice", SEARCH, { spec: { filters: places } }),
    post("all municipalities twice, all facets", COUNT, {
      spec: { filters: places },
      facets: FACETS,
    }),
    post("all activities", SEARCH, { spec: { filters: { industry: { cnae_any_of: cnaes } } } }),
    post("all lists at once", SEARCH, { spec: { filters: all } }),
    post("all lists at once, explained", SEARCH, { spec: explained, limit: 512 }),
  ];
}

function broadRequests(): Worst[] {
  const since = {
    ...BROAD,
    contact: { require_email: true },
    company: { mei_opt_in: false, started_after: "2001-02-03" },
  };
  const hints = (list: readonly string[]) => ({ ...BROAD, industry: { text_hints: list } });
  const sorts = [0, 1, 2, 3].map((first) =>
    post(`three keys, ${keys(first)[0]?.field} first`, SEARCH, {
      spec: { filters: BROAD, sort: keys(first) },
      limit: 50,
    }),
  );
  return [
    post("ordinary search", SEARCH, {
      spec: { filters: { geo: { uf_any_of: ["SP"] }, industry: { cnae_any_of: ["5611-2/01"] } } },
      limit: 50,
    }),
    post("20 hints of 3 common words", SEARCH, { spec: { filters: hints(HINTS) } }),
    post("all facets of everything, search", SEARCH, { spec: { filters: BROAD }, facets: FACETS }),
    post("all facets of everything, count", COUNT, { spec: { filters: BROAD }, facets: FACETS }),
    post("all facets of three filters", COUNT, { spec: { filters: since }, facets: FACETS }),
    ...sorts,
    post("three keys, common words, 50,000", SEARCH, {
      spec: { filters: hints(WORDS), sort: keys(3) },
      limit: 50_000,
    }),
    post("names backwards, 50,000", SEARCH, {
      spec: { filters: hints(WORDS), sort: [{ field: "legal_name", direction: "desc" }] },
      limit: 50_000,
    }),
    post("50,000 explained", SEARCH, {
      spec: { filters: BROAD, output: { include_explain: true } },
      limit: 50_000,
    }),
  ];
}

/** Returns three sort keys, beginning with the field at index `first`. */
function keys(first: number): { readonly field: string; readonly direction: string }[] {
  const fields = ["share_capital", "company_size", "municipality_population", "started_on"];
  const others = fields.filter((_, at) => at !== first).slice(0, 1);
  return [fields[first] as string, ...others, "legal_name"].map((field, at) => ({
    field,
    direction: at === 2 ? "desc" : "asc",
  }));
}

function bodyRequests(): Worst[] {
  const repeat = (text: string, count: number) => `{"spec":[${text.repeat(count)}0]}`;
  const members = many(1_000, (at) => `"${at.toString(36)}":1`).join();
  const names = many(990, (at) => `"${at.toString(36)}${"~".repeat(1_000)}":1`).join();
  return [
    post("340,000 empty arrays", SEARCH, repeat("[],", 340_000)),
    post("119,000 empty arrays", SEARCH, repeat("[],", 119_000)),
    post("119,000 empty objects", SEARCH, repeat("{},", 119_000)),
    post("29,000 objects of a member", SEARCH, repeat('{"":0},', 29_000)),
    post("29 objects of 1,000 members", SEARCH, repeat(`{${members}},`, 29)),
    post("arrays 32 deep", SEARCH, repeat(`${"[".repeat(30)}${"]".repeat(30)},`, 3_900)),
    post("arrays 500,000 deep", SEARCH, repeat("[", 500_000)),
    post("119,000 numbers", SEARCH, repeat("1e9,", 119_000)),
    post("119,000 numbers, no end", SEARCH, repeat("1e9,", 119_000).slice(0, -2)),
    post("a name twice at the end", SEARCH, repeat("{},", 118_000).replace(/}$/, ',"spec":1}')),
    post("a million line ends, then nonsense", SEARCH, `{"spec":${"\n".repeat(1_040_000)}x}`),
    post("a string of escapes", SEARCH, `{"spec":"${"\\u0041".repeat(174_000)}"}`),
    post("990 unknown members", SEARCH, `{"spec":{${names}}}`),
  ];
}

function readingRequests({ ceps, ibges, toms, cnaes }: Parts): Worst[] {
  const wrong = (name: string) =>
    post(`10,000 wrong values of ${name}`, SEARCH, {
      spec: { filters: { geo: { [name]: many(LIST, (at) => `x${at}${"y".repeat(80)}`) } } },
    });
  const filters = {
    industry: { cnae_any_of: cnaes, cnae_exclude: cnaes, text_hints: HINTS },
    geo: {
      municipality_ibge_any_of: ibges,
      municipality_tom_any_of: toms,
      postal_code_prefix_any_of: [...ceps].sort().reverse(),
    },
  };
  const postal = { geo: { postal_code_prefix_any_of: ceps, uf_any_of: STATES } };
  const wanted = post("export of 10,000 postal codes", "/v1/exports", {
    spec: { filters: postal },
    output: { format: "xlsx" },
  });
  const wrongs = (start: string) => many(LIST, (at) => `${start}${at}`);
  const sections = "ABCDEFGHIJKLMNOPQRSTU";
  return [
    wrong("postal_code_prefix_any_of"),
    wrong("municipality_ibge_any_of"),
    post("40,000 wrong values of four lists", SEARCH, {
      spec: {
        filters: {
          industry: { cnae_any_of: wrongs("9x1") },
          geo: {
            uf_any_of: wrongs("X1"),
            municipality_ibge_any_of: wrongs("9900001"),
            postal_code_prefix_any_of: wrongs("z1"),
          },
        },
      },
    }),
    post("normalize all lists", NORMALIZE, { spec: { filters } }),
    post("normalize one municipality 10,000 times", NORMALIZE, {
      spec: {
        filters: {
          industry: { cnae_any_of: many(8_400, (at) => sections[at % sections.length]) },
          geo: { municipality_ibge_any_of: many(LIST, () => ibges[0]), ...postal.geo },
        },
      },
    }),
    post("normalize 3,000 notes", NORMALIZE, {
      spec: {
        filters: BROAD,
        explain: {
          assumptions: many(1_000, () => "x".repeat(300)),
          warnings: many(1_000, () => ({ a: many(20, () => ({})) })),
          unmapped_constraints: many(1_000, () => "x".repeat(300)),
        },
      },
    }),
    { ...wanted, headers: { "idempotency-key": "worst" } },
  ];
}

function translations({ unknown, described }: Parts): Worst[] {
  const shapes = SHAPES.slice(4, 6).map((shape, at) =>
    post(`2,000 characters, shape ${at + 1}`, TRANSLATE, { query_text: repeated(shape, TEXT_MAX) }),
  );
  return [
    post("2,000 characters of unknown words", TRANSLATE, { query_text: sentence(unknown) }),
    post("2,000 characters of descriptions", TRANSLATE, { query_text: sentence(described) }),
    ...shapes,
  ];
}

function leadRequests({ unknown, described, cities }: Parts): Worst[] {
  const lead = (name: string, members: object, limit = 10) =>
    post(name, LEADS, { spec: { kind: "lead_query", ...members }, limit });
  const names = (word: () => string) => many(100, () => sentence(word).slice(0, 250));
  const trades = ["fabricação de moveis", "comercio de queijo artesanal", "loja de roupas usadas"];
  const numbered = (list: readonly string[], count: number) =>
    many(count, (at) => `${list[at % list.length]} ${at}`);
  const misspelt = cities.map((name) => `${name.slice(0, 3)}x${name.slice(3)}`);
  return [
    post("leads, 2,000 characters", LEADS, { query_text: sentence(described), limit: 10 }),
    lead("leads, all cities by name", { cities }),
    lead("leads, all cities misspelt", { cities: misspelt }),
    lead("leads, 10,000 unknown cities", { cities: many(LIST, unknown) }),
    lead("leads, long names of cities", {
      cities: many(3_900, (at) => `${"a b/".repeat(60)}${at}`),
    }),
    lead("leads, long names of states and regions", {
      states: many(3_900, (at) => `${"a b/".repeat(30)}${at}`),
      regions: many(3_900, (at) => `${"a b/".repeat(30)}${at}`),
    }),
    lead("leads, 200 names of activities", {
      activities: names(described),
      exclude_activities: names(unknown),
    }),
    post("normalize, 100 activities and 2,000 cities that are numbered", NORMALIZE, {
      spec: {
        kind: "lead_query",
        activities: numbered(trades, 100),
        cities: numbered(["São José", "Santo Antônio", "Bom Jesus"], 2_000),
      },
    }),
    lead("leads, 50,000 of all states", { states: STATES }, 50_000),
  ];
}

function consoleRequests({ ceps, ibges, cnaes }: Parts): Worst[] {
  const postal = { geo: { postal_code_prefix_any_of: ceps, uf_any_of: STATES } };
  const none = {
    industry: { cnae_any_of: cnaes, cnae_exclude: cnaes, text_hints: HINTS },
    geo: { ...postal.geo, municipality_ibge_any_of: ibges, area_code_any_of: ["11"] },
    company: { registration_status_any_of: [2], mei_opt_in: false, started_after: "2001-02-03" },
    contact: { require_email: true },
  };
  const spec = { filters: postal };
  return [
    post("explore, all facets", `${CONSOLE}/explore`, {
      spec: { filters: BROAD },
      facets: FACETS,
      beside: ["uf"],
    }),
    post("explore, 10,000 postal codes, all facets", `${CONSOLE}/explore`, {
      spec,
      facets: FACETS,
    }),
    post("explore, nothing matches", `${CONSOLE}/explore`, { spec: { filters: none } }),
    post("estimate, 10,000 postal codes", `${CONSOLE}/exports/estimate`, {
      spec,
      output: { format: "parquet" },
    }),
    post("explain, 10,000 postal codes", `${CONSOLE}/accounts/explain`, {
      cnpj: "00000000000191",
      spec,
    }),
    post("save, 10,000 postal codes", `${CONSOLE}/searches`, { name: "worst", spec }),
    { name: "list saved searches", path: `${CONSOLE}/searches`, method: "GET" },
  ];
}

function agentRequests({ ceps, described }: Parts): Worst[] {
  const call = (id: number, name: string, given: object) => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name, arguments: given },
  });
  const geo = { postal_code_prefix_any_of: ceps, uf_any_of: STATES };
  const counts = many(20, (id) =>
    call(id, "count_accounts", {
      filters: { ...BROAD, company: { started_after: `20${10 + id}-02-03` } },
      facets: FACETS.slice(0, 4),
    }),
  );
  const texts = many(20, (id) => call(id, "translate", { query_text: sentence(described) }));
  const lists = many(20, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" }));
  const search = call(1, "search_accounts", { filters: { geo }, limit: 50 });
  return [
    { ...post("agents, 20 counts with 4 facets", "/mcp", counts), headers: BATCHES },
    { ...post("agents, 20 translations", "/mcp", texts), headers: BATCHES },
    { ...post("agents, 20 lists of tools", "/mcp", lists), headers: BATCHES },
    post("agents, 10,000 postal codes", "/mcp", search),
  ];
}

function post(name: string, path: string, body: object | string): Worst {
  return { name, path, body: typeof body === "string" ? body : JSON.stringify(body) };
}

function sentence(word: () => string): string {
  let text = "";
  while (text.length < TEXT_MAX) text += `${word()} `;
  return text.slice(0, TEXT_MAX).trim();
}

function many<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
