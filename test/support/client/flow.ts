/**
 * Uses the API as an integrator would, with the types that are generated from its OpenAPI document.
 * Input: an address, a key, and the fetch function to use.
 * Invariant: this file neither casts nor asserts a type, so it compiles only while the document
 * names every used path, parameter, member, and code.
 */
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./typed-calls.ts";

/** The target. */
export interface Target {
  readonly base: string;
  readonly key: string;
  readonly fetch: (request: Request) => Promise<Response>;
}

const spec = { filters: { geo: { uf_any_of: ["SP"] } } };

/** Makes the client. */
export function clientOf({ base, key, fetch }: Target) {
  const headers = { authorization: `Bearer ${key}` };
  return createClient<paths>({ baseUrl: base, headers, fetch, redirect: "manual" });
}

type Client = ReturnType<typeof clientOf>;

/** Checks the server's state and the limits of the plan, and returns the number of accounts. */
export async function readStatus(client: Client): Promise<number> {
  const { data, error } = await client.GET("/v1/status", {});
  assert.ok(data, error?.detail);
  assert.equal(data.plan, "enterprise");
  assert.ok(data.field_allowlist.includes("email"));
  assert.ok(data.facets.includes("uf"));
  assert.ok(data.score.version >= 1);
  const { data: ready } = await client.GET("/readyz", {});
  assert.equal(ready?.status, "ready");
  return data.accounts ?? assert.fail("no snapshot");
}

/** Walks all pages of a search and returns the CNPJs. */
export async function walk(client: Client): Promise<string[]> {
  const seen: string[] = [];
  const first = { spec, limit: 40, output: { fields: ["cnpj" as const, "uf" as const] } };
  let { data, error } = await client.POST("/v1/accounts/search", { body: first });
  for (;;) {
    assert.ok(data, error?.detail);
    for (const account of data.accounts) {
      assert.equal(account.uf, "SP");
      seen.push(account.cnpj ?? assert.fail("an account without its CNPJ"));
    }
    assert.equal(data.next_cursor !== null, data.has_more);
    if (data.next_cursor === null) break;
    const body = { spec: data.spec, cursor: data.next_cursor };
    ({ data, error } = await client.POST("/v1/accounts/search", { body }));
  }
  assert.equal(seen.length, data.total);
  assert.equal(new Set(seen).size, seen.length);
  return seen;
}

/**
 * Counts the search, reads one account, and normalizes the spec. All results must agree with the
 * CNPJs in `seen`.
 */
export async function checkDetails(client: Client, seen: readonly string[]): Promise<void> {
  const counted = await client.POST("/v1/accounts/count", {
    body: { spec, facets: ["uf", "cnae_section"] },
  });
  assert.ok(counted.data, counted.error?.detail);
  assert.equal(counted.data.total, seen.length);
  const states = counted.data.facets?.uf;
  assert.equal(states?.values[0]?.value, "SP");
  assert.equal(states?.values[0]?.count, seen.length);
  const [cnpj = ""] = seen;
  const one = await client.GET("/v1/accounts/{cnpj}", { params: { path: { cnpj } } });
  assert.equal(one.data?.account.cnpj, cnpj);
  const tag = one.response.headers.get("etag") ?? "";
  const again = await client.GET("/v1/accounts/{cnpj}", {
    params: { path: { cnpj }, header: { "If-None-Match": tag } },
  });
  assert.equal(again.response.status, 304);
  const normal = await client.POST("/v1/spec/normalize", { body: { spec } });
  assert.ok(normal.data, normal.error?.detail);
  assert.equal(normal.data.matches, seen.length);
  assert.equal(normal.data.too_broad, false);
  assert.ok(normal.data.spec.kind === "account_query");
  assert.equal(normal.data.spec.filters.company.mei_opt_in, null);
}

/** Requests leads by a flat spec and by a sentence, page by page. */
export async function findLeads(client: Client): Promise<void> {
  const flat = { kind: "lead_query" as const, states: ["SP"], one_per_company: true };
  const first = await client.POST("/v1/leads", { body: { spec: flat, limit: 5 } });
  assert.ok(first.data, first.error?.detail);
  assert.equal(first.data.spec.filters.geo.uf_any_of[0], "SP");
  const roots = new Set<string>();
  for (const lead of first.data.leads) {
    assert.ok((lead.phones?.length ?? 0) <= 2 && (lead.score_reasons?.length ?? 0) > 0);
    roots.add(lead.cnpj_root ?? assert.fail("a lead without its company"));
  }
  assert.equal(roots.size, first.data.leads.length);
  const cursor = first.data.next_cursor ?? assert.fail("there is only one page");
  const next = await client.POST("/v1/leads", { body: { spec: flat, limit: 5, cursor } });
  for (const lead of next.data?.leads ?? assert.fail(next.error?.detail)) {
    assert.ok(!roots.has(lead.cnpj_root ?? ""));
  }
  const query_text = "empresas em São Paulo";
  const output = await client.POST("/v1/leads", { body: { query_text, limit: 1 } });
  if (output.data !== undefined) assert.ok(output.data.translation?.parts[0]?.role);
  else assert.ok(output.error.explain?.confidence !== undefined);
  const normal = await client.POST("/v1/spec/normalize", { body: { spec: flat } });
  assert.ok(normal.data?.spec.kind === "lead_query");
  assert.equal(normal.data.compiled?.filters.contact.require_any_contact, true);
}

/**
 * Requests changes from a server that has only one month. Returns the months that the error lists
 * as available.
 */
export async function requestChanges(client: Client): Promise<readonly string[]> {
  const { data } = await client.GET("/v1/status", {});
  assert.deepEqual(data?.changes_since, []);
  const body = {
    since: "2026-09",
    spec,
    kinds: ["entered" as const],
    watch: ["email" as const],
    output: { fields: ["cnpj" as const] },
  };
  const posted = await client.POST("/v1/changes", { body });
  for (const change of posted.data?.changes ?? []) {
    assert.ok(change.change === "entered" && change.after?.cnpj === change.cnpj);
  }
  assert.ok(posted.error?.code === "since_not_available");
  const query = { since: "2026-09", spec: "{}", kinds: "left", limit: 3 };
  const requested = await client.GET("/v1/changes", { params: { query } });
  assert.equal(requested.error?.errors?.[0]?.pointer, "/query/since");
  return posted.error.changes_since ?? assert.fail("it names no months");
}

/** Creates an export, waits, loads its file, lists it, deletes it. */
export async function exportAll(client: Client, seen: readonly string[]): Promise<void> {
  const header = { "Idempotency-Key": "typed-client" };
  const made = await client.POST("/v1/exports", {
    params: { header },
    body: { spec, output: { format: "csv", fields: ["cnpj"] } },
  });
  assert.ok(made.data, made.error?.detail);
  const { export_id: id } = made.data.export;
  const path = { id };
  const ended = await client.GET("/v1/exports/{id}", {
    params: { path, query: { wait: 60, require: "done" } },
  });
  assert.ok(ended.data, ended.error?.detail);
  assert.equal(ended.data.status, "done");
  assert.equal(ended.data.row_count, seen.length);
  const text = await load(client, id);
  assert.deepEqual(text.split("\r\n"), ["cnpj", ...seen, ""]);
  const listed = await client.GET("/v1/exports", { params: { query: { limit: 5 } } });
  assert.equal(listed.data?.exports[0]?.sha256, ended.data.sha256);
  const deleted = await client.DELETE("/v1/exports/{id}", { params: { path } });
  assert.equal(deleted.response.status, 204);
  const gone = await client.GET("/v1/exports/{id}", { params: { path } });
  assert.equal(gone.error?.code, "export_not_found");
}

async function load(client: Client, id: string): Promise<string> {
  const { response } = await client.GET("/v1/exports/{id}/download", { params: { path: { id } } });
  assert.equal(response.status, 303);
  const link = new URL(response.headers.get("location") ?? "", "http://localhost");
  const file = await client.GET("/files/{name}", {
    params: {
      path: { name: link.pathname.replace("/files/", "") },
      query: {
        expires: Number(link.searchParams.get("expires")),
        signature: link.searchParams.get("signature") ?? "",
      },
    },
    parseAs: "text",
  });
  return file.data ?? assert.fail(`the file was answered ${file.response.status}`);
}

/** Makes several mistakes. The types must distinguish their error codes. */
export async function makeMistakes(client: Client): Promise<void> {
  const broad = await client.POST("/v1/accounts/search", { body: { spec: {} } });
  assert.ok(broad.error?.code === "query_too_broad");
  assert.ok((broad.error.matches ?? 0) > 0);
  const wrong = await client.POST("/v1/spec/normalize", {
    body: { spec: { filters: { geo: { uf_any_of: ["XX"] } } } },
  });
  assert.equal(wrong.error?.errors?.[0]?.pointer, "/spec/filters/geo/uf_any_of/0");
}
