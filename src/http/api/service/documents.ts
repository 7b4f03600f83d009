/**
 * Public pages without a key: the OpenAPI document, the reference, llms.txt, and security.txt. Each
 * is built once.
 * Invariant: pages depend neither on the client nor on the loaded data; browsers cache and
 * revalidate them.
 */
import { AppError } from "../../../errors.ts";
import { openApiDocument } from "../../openapi/document.ts";
import { DOCS_POLICY, errorsPage, PAGE_TYPE, referencePage } from "../../openapi/reference.ts";
import {
  type HttpAnswer,
  JSON_TYPE,
  redirectTo,
  unchanged,
  weakTag,
} from "../../server/respond.ts";
import type { Call, Service, ServicePart } from "../../server/service.ts";
import { NOTICE_WEBHOOKS } from "../notices/notices.ts";
import { type ApiRoute, type ListedRoute, listed, type UnlistedRoute } from "../route.ts";
import { SCHEMAS } from "../schemas.ts";

const TEXT_TYPE = "text/plain; charset=utf-8";
/** A new version may change the text: cache for an hour, then revalidate. */
const CACHE = "public, max-age=3600, must-revalidate";

/** Validity of security.txt in days (RFC 9116 requires less than a year). */
const SECURITY_DAYS = 180;
const DAY_MS = 86_400_000;

interface Text {
  readonly type: string;
  readonly text: string;
  readonly policy?: string;
}

/** Returns the OpenAPI document of the listed routes, without pages and alternative paths. */
export function publicDocument(routes: readonly ApiRoute[], version: string): unknown {
  return openApiDocument(listed(routes), SCHEMAS, { version, webhooks: NOTICE_WEBHOOKS });
}

/** Returns the routes of the documents. Calls `routes` on the first request. */
export function documentRoutes(routes: () => readonly ApiRoute[]): readonly UnlistedRoute[] {
  const openapi = once(({ version }) => ({
    type: JSON_TYPE,
    text: JSON.stringify(publicDocument(routes(), version)),
  }));
  const reference = once(({ version }) => ({
    type: PAGE_TYPE,
    text: referencePage(listed(routes()), SCHEMAS, version),
    policy: DOCS_POLICY,
  }));
  const errors = once(() => ({ type: PAGE_TYPE, text: errorsPage(), policy: DOCS_POLICY }));
  const llms = once(() => ({ type: TEXT_TYPE, text: llmsText(listed(routes())) }));
  return [
    page("/openapi.json", openapi),
    leads("/", "/docs", 302),
    leads("/docs/", "/docs", 308),
    page("/docs", reference),
    page("/docs/errors", errors),
    page("/llms.txt", llms),
    page("/.well-known/security.txt", securityText),
  ];
}

function page(path: string, handle: (call: Call<ServicePart>) => HttpAnswer): UnlistedRoute {
  return { method: "GET", path, access: "open", sheds: "first", handle, unlisted: "page" };
}

/** A route that redirects to another address. */
function leads(path: string, to: string, status: 302 | 308): UnlistedRoute {
  const handle = redirectTo(to, status);
  return { method: "GET", path, access: "open", query: "any", handle, unlisted: "page" };
}

/** Returns a handler that builds its page once. */
function once(make: (service: Pick<Service, "version">) => Text) {
  let cached: (Omit<Text, "text"> & { readonly bytes: Buffer; readonly tag: string }) | null = null;
  return (call: Call<"version">): HttpAnswer => {
    if (cached === null) {
      const made = make(call.service);
      // The page is stored as bytes, because encoding it takes ten times as long as the rest.
      cached = { ...made, bytes: Buffer.from(made.text), tag: weakTag([made.text]) };
    }
    const { type, bytes, policy, tag } = cached;
    const known = unchanged(call, tag);
    if (known !== null) return known;
    const headers = { ETag: tag, "Cache-Control": CACHE };
    const extra = policy === undefined ? {} : { "Content-Security-Policy": policy };
    return { status: 200, type, body: bytes, headers: { ...headers, ...extra } };
  };
}

/** Returns instructions for language models (https://llmstxt.org). */
function llmsText(routes: readonly ListedRoute[]): string {
  const lines = routes.map(
    ({ method, path, summary, description }) =>
      `- \`${method} ${path}\`: ${summary}. ${description}`,
  );
  return `# Peneira

> Exact search over the public registry of all Brazilian companies (CNPJ), and exports of it. Every
> answer states its snapshot, its exact total and the normalized filters; the same question on the
> same snapshot has the same answer.

Send \`Authorization: Bearer <key>\` to everything under /v1/, and to /mcp. Errors are problem
documents with a stable \`code\` and every mistake in \`errors\`. A spec needs at least an activity
or a place.

## Documents

- [OpenAPI 3.1](/openapi.json): every operation, schema, error and header
- [Reference](/docs): the same for people
- [Errors](/docs/errors): what each code means and how to fix it
- [Console](/app): the same for people who sign in, in a browser

## Operations

${lines.join("\n")}
`;
}

/** Returns the security contact (RFC 9116). Throws if the operator set none. */
function securityText({ service }: Call<"clock" | "securityContact">): HttpAnswer {
  const { securityContact, clock } = service;
  if (securityContact === null) {
    throw new AppError("not_found", "The operator of this server named no contact.");
  }
  // Rounding to days keeps the text stable for a day.
  const dayMs = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
  const expires = new Date(dayMs + SECURITY_DAYS * DAY_MS).toISOString();
  const text = `Contact: ${securityContact}\nExpires: ${expires}\nPreferred-Languages: en, pt\n`;
  return { status: 200, type: TEXT_TYPE, body: text, headers: { "Cache-Control": CACHE } };
}
