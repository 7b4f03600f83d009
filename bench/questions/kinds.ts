/**
 * One question of each kind, to ask a server that was just started. What comes in: a running
 * server. What goes out: milliseconds and bytes read of the first answer of each kind.
 * Invariant: the questions and their order are the same in every run.
 */

import type { RunningServer } from "../load/server.ts";
import { readBy } from "../pagecache.ts";

const search = (filters: object, rest: object = {}) => ({ spec: { filters, ...rest }, limit: 50 });
/** A question that is answered from tables of totals and one list. */
export const FIRST = search({
  industry: { cnae_any_of: ["5611-2/01"] },
  geo: { uf_any_of: ["MG"] },
  company: { registration_status_any_of: [2] },
});
const by = (field: string, direction: string) => ({ sort: [{ field, direction }] });
const shuffled = { scoring: { strategy: "random", random_seed: 7 } };
const RJ = { geo: { uf_any_of: ["RJ"] } };

/** One question of each kind, in this order. */
export const KINDS: readonly (readonly [name: string, path: string, body: object])[] = [
  ["state", "accounts/search", search(RJ)],
  [
    "city, size",
    "accounts/search",
    search({
      geo: { municipality_ibge_any_of: ["3550308"] },
      company: { company_size_code_any_of: ["01"] },
    }),
  ],
  [
    "state, since",
    "accounts/search",
    search({ geo: { uf_any_of: ["SP"] }, company: { started_after: "2021" } }),
  ],
  [
    "state, e-mail",
    "accounts/search",
    search({ geo: { uf_any_of: ["RS"] }, contact: { require_email: true } }),
  ],
  ["a word", "accounts/search", search({ industry: { text_hints: ["mercado"] } })],
  ["by name", "accounts/search", search({ geo: { uf_any_of: ["PR"] } }, by("legal_name", "asc"))],
  [
    "by capital",
    "accounts/search",
    search({ geo: { uf_any_of: ["BA"] } }, by("share_capital", "desc")),
  ],
  ["shuffled", "accounts/search", search({ geo: { uf_any_of: ["SC"] } }, shuffled)],
  ["postal code", "accounts/search", search({ geo: { postal_code_prefix_any_of: ["01"] } })],
  [
    "facet of cities",
    "accounts/search",
    { ...search({ ...RJ, contact: { require_email: true } }), facets: ["municipality"] },
  ],
  ["a sentence", "leads/translate", { query_text: "padarias em BH abertas desde 2020" }],
];

/** What the first answer of a kind took. */
export interface FirstAnswer {
  readonly ms: number;
  readonly bytes: number;
}

/** Asks one question of each kind. @throws Error where one is not answered. */
export async function askEachKind(server: RunningServer): Promise<FirstAnswer[]> {
  const found: FirstAnswer[] = [];
  for (const [name, path, body] of KINDS) {
    const before = readBy(server.pid).bytes;
    const began = performance.now();
    const answer = await post(server, path, body);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${name}: ${text}`);
    found.push({ ms: performance.now() - began, bytes: readBy(server.pid).bytes - before });
  }
  return found;
}

/** Posts a body to a route below /v1. */
export function post({ port, key }: RunningServer, path: string, body: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
