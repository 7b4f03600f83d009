/**
 * The "not found" page for a person with a browser. Input: a request and its failure. Output: a
 * page in both languages with links back, or null for a program.
 * Invariant: paths of the API, and clients that do not name HTML in Accept, get problem documents.
 * The page shows no part of the address, needs no script, and fetches nothing.
 */
import { createHash } from "node:crypto";
import { AppError } from "../../errors.ts";
import { html, Markup } from "../../text/markup.ts";
import type { HttpAnswer } from "./respond.ts";
import type { Exchange } from "./transport/transport.ts";

const STYLE = `
:root{color-scheme:light dark;--ink:#1b2420;--soft:#4d5b54;--paper:#fff;--accent:#0b6b4f}
@media (prefers-color-scheme:dark){:root{--ink:#e7eeea;--soft:#a9b8b0;--paper:#121815;
--accent:#6fd6b0}}
body{margin:0;padding:12vh 1.5rem 2rem;font:1.05rem/1.55 system-ui,sans-serif;color:var(--ink);
background:var(--paper)}
main{max-width:34rem;margin:0 auto;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
section+section{margin-top:2.5rem;color:var(--soft)}
section+section h1{font-size:1.2rem}
p{margin:.5rem 0}
a{color:var(--accent)}
a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;

const POLICY =
  `default-src 'none'; style-src 'sha256-${hashOf(STYLE)}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'";

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** Paths that only programs read. */
const PROGRAMS =
  /^\/(?:v1|mcp|files|feeds|app\/assets|\.well-known|healthz|readyz|metrics)(?:\/|$)/;

/** Returns the page for a failed request, or null if its answer is a problem document. */
export function notFoundPage(
  exchange: Pick<Exchange, "method" | "path" | "header">,
  failure: unknown,
  hasConsole: boolean,
): HttpAnswer | null {
  const { method, path } = exchange;
  const isLost = failure instanceof AppError && failure.code === "not_found";
  if (!isLost || (method !== "GET" && method !== "HEAD") || PROGRAMS.test(path)) return null;
  if (!prefersPages(exchange.header("accept"))) return null;
  return {
    status: 404,
    type: "text/html; charset=utf-8",
    body: pageOf(hasConsole),
    headers: { "Content-Security-Policy": POLICY, Vary: "Accept" },
  };
}

/** True if Accept names HTML and prefers no other type, as in browsers but not in programs. */
export function prefersPages(accept: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const part of (accept ?? "").toLowerCase().split(",")) {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2) ?? "1";
    weights.set(type, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  const pages = weights.get("text/html") ?? 0;
  return pages > 0 && pages >= (weights.get("application/json") ?? 0);
}

interface PageWords {
  readonly title: string;
  readonly text: string;
  readonly console: string;
  readonly reference: string;
}

const PT: PageWords = {
  title: "Esta página não existe",
  text: "O endereço pode ter sido digitado errado, ou a página mudou de lugar.",
  console: "Ir para o Peneira",
  reference: "Ver a referência da API",
};
const EN: PageWords = {
  title: "This page does not exist",
  text: "The address may be mistyped, or the page has moved.",
  console: "Go to Peneira",
  reference: "See the API reference",
};

function pageOf(hasConsole: boolean): string {
  const part = (words: PageWords, language: string): Markup => html`
<section lang="${language}"><h1>${words.title}</h1>
<p>${words.text}</p>
<p>${hasConsole && html`<a href="/app">${words.console}</a> · `}
<a href="/docs">${words.reference}</a></p>
</section>`;
  return `<!doctype html>${
    html`
<html lang="pt-BR"><head><meta charset="utf-8"><title>${PT.title} · Peneira</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><style>${new Markup(STYLE)}</style></head>
<body><main>${part(PT, "pt-BR")}${part(EN, "en")}
</main></body></html>
`.text
  }`;
}
