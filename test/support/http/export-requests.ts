/**
 * Sends requests about exports to a test server, and checks the answers against the OpenAPI
 * document.
 * Invariant: each creation of an export has a new Idempotency-Key unless a suite gives one.
 */
import assert from "node:assert/strict";
import { fetchDocumented } from "./documented.ts";
import type { FakeServer } from "./fake.ts";

/** A filter that matches 250 accounts of the simulated engine, which the suites export. */
export const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
/** A simulated rendered file. */
export const FILE = Buffer.from("cnpj\r\n10000000000100\r\n");

/** The answer to the creation of an export, or its error. */
export interface Created {
  readonly export: Readonly<Record<string, unknown>> & { readonly export_id: string };
  readonly spec: object;
  readonly code?: string;
}

let keys = 0;
/** An unused Idempotency-Key. */
export const freshKey = () => `test-${keys++}`;

/** The sender. */
export interface ExportRequestOptions {
  readonly plan?: "free" | "scale" | "enterprise";
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request without a body and does not follow redirects. */
export function send(
  server: FakeServer,
  path: string,
  request: ExportRequestOptions = {},
): Promise<Response> {
  const { plan = "enterprise", method = "GET", headers = {} } = request;
  const authorization = `Bearer ${server.keys[plan]}`;
  const options = { method, headers: { authorization, ...headers }, redirect: "manual" } as const;
  return fetchDocumented(server.base + path, options);
}

/** Sends a creation. */
export function post(
  server: FakeServer,
  body: object,
  key = freshKey(),
  plan: ExportRequestOptions["plan"] = "enterprise",
) {
  return fetchDocumented(`${server.base}/v1/exports`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      "idempotency-key": key,
      authorization: `Bearer ${server.keys[plan]}`,
    },
  });
}

/** Creates an export, returns its id. */
export async function make(server: FakeServer, format = "csv"): Promise<string> {
  const answer = await post(server, { spec: SP, output: { format } });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as Created).export.export_id;
}

/** Returns the id of a tenant in the test server, whose tenants are named after their plans. */
export function tenantOf({ keyring }: Pick<FakeServer, "keyring">, tenant = "enterprise"): string {
  return keyring.list().find((row) => row.tenant === tenant)?.tenantId as string;
}
