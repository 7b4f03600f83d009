/**
 * Sends expensive requests as clients do: facets of everything, large pages, long sentences, ten
 * thousand postal codes, uploads of lists, exports. A test counts the work of the thread that
 * answers (contract/http/turns). A benchmark measures other requests meanwhile
 * (`bench/interference.bench.ts`).
 * Invariant: every round sends a new query, so that no cache answers it. Every answer is a
 * success that is read completely.
 */
import { UFS } from "../../../src/spec/fields.ts";

/** Sends a request, which is a GET if the body is null. @throws if the answer is no success. */
export type Send = (
  path: string,
  body: object | string | null,
  headers?: object,
) => Promise<string>;

/** Sends an expensive request of one kind. The number of the round makes the query new. */
export type ExpensiveCall = (send: Send, round: number) => Promise<unknown>;

/** Length in characters of the longest sentence that the server translates. */
const SENTENCE_LENGTH = 2_000;
/** All Brazilian states without foreign countries, so that the search is narrow enough to run. */
const STATES = UFS.filter((uf) => uf !== "EX");
const SENTENCE = "padarias e restaurantes em Minas Gerais com e-mail abertas desde 2020, ";
const POSTAL_CODES = Array.from({ length: 10_001 }, (_, i) => String(1_000_000 + i * 97));
const FACETS = [
  "uf",
  "cnae_division",
  "company_size",
  "mei",
  "municipality",
  "registration_status",
];
const LINES = Array.from({ length: 50_000 }, (_, i) => `${10_000_000 + i * 13};x`).join("\n");

/**
 * Returns a search for this many postal codes. The round determines which of the available codes is
 * left out.
 */
export function postalCodes(count: number, round: number): object {
  const codes = POSTAL_CODES.slice(0, count + 1).toSpliced(round % count, 1);
  return { spec: { filters: { geo: { postal_code_prefix_any_of: codes } } } };
}

/** Expensive requests by name. */
export const EXPENSIVE: Readonly<Record<string, ExpensiveCall>> = {
  "facets of everything": (send, round) => {
    const started_after = `20${10 + (round % 9)}-03-0${1 + (round % 8)}`;
    const spec = { filters: { geo: { uf_any_of: STATES }, company: { started_after } } };
    return send("/v1/accounts/count", { spec, facets: FACETS });
  },
  "pages of 50,000": (send, round) =>
    send("/v1/accounts/search", {
      spec: { filters: { geo: { uf_any_of: STATES } } },
      limit: 50_000 - (round % 100),
    }),
  "sentences of 2,000 characters": (send, round) => {
    const query_text = `${SENTENCE.repeat(40)}${round}`.slice(-SENTENCE_LENGTH);
    return send("/v1/leads/translate", { query_text });
  },
  "10,000 postal codes": (send, round) => send("/v1/accounts/count", postalCodes(10_000, round)),
  "uploads of lists": async (send, round) => {
    const made = JSON.parse(await send("/v1/lists", { name: `l${round}`, kind: "accounts" }));
    const headers = { "content-type": "text/csv" };
    await send(`/v1/lists/${made.list.id}/entries`, `cnpj;name\n${LINES}`, headers);
  },
  exports: async (send, round) => {
    const body = { spec: { filters: { geo: { uf_any_of: ["SP"] } } }, output: { format: "csv" } };
    const headers = { "idempotency-key": `k${round}` };
    const made = JSON.parse(await send("/v1/exports", body, headers));
    await send(`/v1/exports/${made.export.export_id}?wait=60`, null);
  },
};

/** Returns a function that sends requests to a server with a key. */
export function senderOf(base: string, key: string): Send {
  return async (path, body, headers = {}) => {
    const all = {
      authorization: `Bearer ${key}`,
      ...(body === null ? {} : { "content-type": "application/json" }),
      ...headers,
    };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const sent = body === null ? {} : { method: "POST", body: text };
    const answer = await fetch(base + path, { ...sent, headers: all });
    const content = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${content.slice(0, 500)}`);
    return content;
  };
}
