/**
 * The pages of the server that need no key: the OpenAPI document, the reference, llms.txt and
 * security.txt. What comes in: the routes and the service. What goes out: texts made once.
 * Invariant: nothing in them depends on who asks or on the data that is loaded; a browser may keep
 * them for a while and ask again with their tag.
 */
import { AppError } from "../../errors.ts";
import { type DocumentedRoute, openApiDocument } from "../openapi/document.ts";
import { OPERATIONS } from "../openapi/operations.ts";
import { DOCS_POLICY, errorsPage, PAGE_TYPE, referencePage } from "../openapi/reference.ts";
import { unchanged, weakTag } from "../server/etag.ts";
import { type Answer, JSON_TYPE } from "../server/respond.ts";
import type { Call, Service } from "../server/service.ts";

const TEXT_TYPE = "text/plain; charset=utf-8";
/** A new version of the program may say something else: an hour, then the tag is asked. */
const CACHE = "public, max-age=3600, must-revalidate";

/** How long security.txt says that it holds, in days (RFC 9116 wants less than a year). */
const SECURITY_DAYS = 180;
const DAY_MS = 86_400_000;

/** A text with what belongs to it. */
interface Page {
  readonly type: string;
  readonly text: string;
  readonly policy?: string;
}

/** The handlers of the documents of a table of routes. */
export interface Documents {
  openapi(call: Call): Answer;
  reference(call: Call): Answer;
  errors(call: Call): Answer;
  llms(call: Call): Answer;
  security(call: Call): Answer;
}

/** The OpenAPI document of the routes that are documented: all but pages and other spellings. */
export function publicDocument(routes: readonly DocumentedRoute[], version: string): unknown {
  return openApiDocument(documented(routes), version);
}

function documented(routes: readonly DocumentedRoute[]): readonly DocumentedRoute[] {
  return routes.filter(({ method, path }) => `${method} ${path}` in OPERATIONS);
}

/** Makes the handlers; `routes` is called when the first document is asked for. */
export function documents(routes: () => readonly DocumentedRoute[]): Documents {
  const listed = () => documented(routes());
  const names = () => listed().map(({ method, path }) => `${method} ${path}`);
  return {
    openapi: kept(({ version }) => ({
      type: JSON_TYPE,
      text: JSON.stringify(publicDocument(routes(), version)),
    })),
    reference: kept(({ version }) => ({
      type: PAGE_TYPE,
      text: referencePage(names(), version),
      policy: DOCS_POLICY,
    })),
    errors: kept(() => ({ type: PAGE_TYPE, text: errorsPage(), policy: DOCS_POLICY })),
    llms: kept(() => ({ type: TEXT_TYPE, text: llmsText(listed()) })),
    security: securityText,
  };
}

/** A handler that makes its page once. */
function kept(make: (service: Service) => Page): (call: Call) => Answer {
  let page: (Omit<Page, "text"> & { readonly bytes: Buffer; readonly tag: string }) | null = null;
  return (call) => {
    if (page === null) {
      const made = make(call.service);
      // As bytes: making them of the text costs ten times as much as all the rest of an answer.
      page = { ...made, bytes: Buffer.from(made.text), tag: weakTag([made.text]) };
    }
    const { type, bytes, policy, tag } = page;
    const known = unchanged(call, tag);
    if (known !== null) return known;
    const headers = { ETag: tag, "Cache-Control": CACHE };
    const extra = policy === undefined ? {} : { "Content-Security-Policy": policy };
    return { status: 200, type, body: bytes, headers: { ...headers, ...extra } };
  };
}

/** What a language model needs to know to use this server (https://llmstxt.org). */
function llmsText(routes: readonly DocumentedRoute[]): string {
  const lines = routes.map(({ method, path }) => {
    const { summary, description } = OPERATIONS[`${method} ${path}`] as (typeof OPERATIONS)[string];
    return `- \`${method} ${path}\`: ${summary}. ${description}`;
  });
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
- [Errors](/docs/errors): what each code means and what mends it
- [Console](/app): the same for people who sign in, in a browser

## Operations

${lines.join("\n")}
`;
}

/** Whom to tell of a weakness (RFC 9116); there is none where the operator named nobody. */
function securityText({ service }: Call): Answer {
  const { securityContact, clock } = service;
  if (securityContact === null) {
    throw new AppError("not_found", "The operator of this server named no contact.");
  }
  // The day is enough, and keeps the text the same for a day.
  const dayMs = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
  const expires = new Date(dayMs + SECURITY_DAYS * DAY_MS).toISOString();
  const text = `Contact: ${securityContact}\nExpires: ${expires}\nPreferred-Languages: en, pt\n`;
  return { status: 200, type: TEXT_TYPE, body: text, headers: { "Cache-Control": CACHE } };
}
