/**
 * Sends one query of each kind to a freshly started server. Input: a running server. Output: for
 * each kind, the milliseconds and bytes read until the first answer, and the milliseconds of
 * repetitions.
 * Invariant: the queries and their order are the same in every run.
 */

import { readBy } from "../load/pagecache.ts";
import type { RunningServer } from "../load/server.ts";
import { median } from "../measure.ts";

const search = (filters: object, rest: object = {}) => ({ spec: { filters, ...rest }, limit: 50 });
/** A cheap query, whose total is precomputed and whose rows come from one posting list. */
export const FIRST = search({
  industry: { cnae_any_of: ["5611-2/01"] },
  geo: { uf_any_of: ["MG"] },
  company: { registration_status_any_of: [2] },
});
const by = (field: string, direction: string) => ({ sort: [{ field, direction }] });
const shuffled = { scoring: { strategy: "random", random_seed: 7 } };
const RJ = { geo: { uf_any_of: ["RJ"] } };
const SP = { geo: { uf_any_of: ["SP"] } };
const LARGE = { geo: { uf_any_of: ["MG", "PR", "RJ", "RS", "SP"] } };
const active = { registration_status_any_of: [2] };
const since = { ...active, started_after: "2026-07-12" };
const THREE_KEYS = ["company_size", "started_on", "legal_name"].map((field) => ({
  field,
  direction: field === "started_on" ? "desc" : "asc",
}));
const SIX_FACETS = ["uf", "municipality", "cnae_division", "company_size", "mei", "contact"];
const suggest = (q: string) => `accounts/suggest?q=${encodeURIComponent(q)}`;

/** A query: its name, path, and body. If the body is null, the parameters are in the path. */
type KindRequest = readonly [name: string, path: string, body: object | null];

const ofAccounts = (kinds: Readonly<Record<string, object>>): KindRequest[] =>
  Object.entries(kinds).map(([name, body]) => [name, "accounts/search", body]);

/** One query of each kind, in the order in which they are sent. */
export const KINDS: readonly KindRequest[] = [
  ...ofAccounts({
    state: search(RJ),
    "city, size": search({
      geo: { municipality_ibge_any_of: ["3550308"] },
      company: { company_size_code_any_of: ["01"] },
    }),
    "state, since": search({ ...SP, company: { started_after: "2021" } }),
    "activity, state, since a day": search({
      ...{ industry: { cnae_any_of: ["47"] }, geo: { uf_any_of: ["MG"] }, company: since },
    }),
    "state, since a day": search({ ...SP, company: since }),
    "city, since a day": search({
      ...{ geo: { municipality_ibge_any_of: ["3304557"] }, company: since },
    }),
    "six facets, since a day": { ...search({ ...LARGE, company: since }), facets: SIX_FACETS },
    "facets of a city, since a day": {
      ...search({ geo: { municipality_ibge_any_of: ["3106200"] }, company: since }),
      facets: ["cnae_class"],
    },
    "state, e-mail": search({ geo: { uf_any_of: ["RS"] }, contact: { require_email: true } }),
    "a word": search({ industry: { text_hints: ["mercado"] } }),
    "a word, city": search({
      ...{ industry: { text_hints: ["farmacia"] }, geo: { municipality_ibge_any_of: ["4106902"] } },
    }),
    "by name": search({ geo: { uf_any_of: ["PR"] } }, by("legal_name", "asc")),
    "by capital": search({ geo: { uf_any_of: ["BA"] } }, by("share_capital", "desc")),
    "by capital, narrow": search(
      { industry: { cnae_any_of: ["5611-2/01"] }, geo: { uf_any_of: ["SP"] }, company: active },
      by("share_capital", "desc"),
    ),
    "three sort keys": search(
      { industry: { cnae_any_of: ["47"] }, geo: { uf_any_of: ["RS"] } },
      { sort: THREE_KEYS },
    ),
    "capital range": search({
      geo: { uf_any_of: ["CE"] },
      company: { share_capital_min: 50_000, share_capital_max: 200_000 },
    }),
    "few share its phone, mobile": search({
      geo: { uf_any_of: ["GO"] },
      contact: { phone_shared_max: 2, require_mobile: true },
    }),
    shuffled: search({ geo: { uf_any_of: ["SC"] } }, shuffled),
    "postal code": search({ geo: { postal_code_prefix_any_of: ["01"] } }),
    "facet of cities": {
      ...search({ ...RJ, contact: { require_email: true } }),
      facets: ["municipality"],
    },
  }),
  ["a name of two common words", suggest("silva e souza"), null],
  ["another name of two words", suggest("brito conceicao"), null],
  ["a sentence", "leads/translate", { query_text: "padarias em BH abertas desde 2020" }],
  [
    "leads by a sentence",
    "leads",
    { query_text: "padarias em BH abertas nos últimos 90 dias com e-mail", limit: 50 },
  ],
  [
    "leads within a radius",
    "leads",
    { query_text: "padarias num raio de 60 km de Campinas com e-mail", limit: 50 },
  ],
];

/** Cost of the first answer to a query of a kind. */
export interface FirstAnswer {
  readonly ms: number;
  readonly bytes: number;
}

/** Repetitions of a query. */
const AGAIN_TIMES = 20;

/** Sends one query of each kind. @throws Error if one fails. */
export async function requestEachKind(server: RunningServer): Promise<FirstAnswer[]> {
  const found: FirstAnswer[] = [];
  for (const kind of KINDS) found.push(await runFirstQueries(server, kind));
  return found;
}

/** Sends the query of a kind. @throws Error if it fails. */
export async function runFirstQueries(
  server: RunningServer,
  kind: KindRequest,
): Promise<FirstAnswer> {
  const before = readBy(server.pid).bytes;
  const ms = await requestOnce(server, kind);
  return { ms, bytes: readBy(server.pid).bytes - before };
}

/** Repeats a query; returns the median in milliseconds. @throws Error if it fails. */
export async function repeatRequest(server: RunningServer, kind: KindRequest): Promise<number> {
  const found: number[] = [];
  for (let time = 0; time < AGAIN_TIMES; time++) found.push(await requestOnce(server, kind));
  return median(found);
}

async function requestOnce(
  server: RunningServer,
  [name, path, body]: KindRequest,
): Promise<number> {
  const began = performance.now();
  const answer = body === null ? await get(server, path) : await post(server, path, body);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${name}: ${text}`);
  return performance.now() - began;
}

function get({ port, key }: RunningServer, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`http://127.0.0.1:${port}/v1/${path}`, { headers });
}

/** Posts a body to a route below /v1. */
export function post({ port, key }: RunningServer, path: string, body: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
