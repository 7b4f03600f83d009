/**
 * Renders the reference pages from the OpenAPI document: `/docs` with every operation and schema,
 * `/docs/errors` with every error code.
 * Invariant: the pages need no script and fetch nothing. All content is from the document and the
 * error table.
 */
import { createHash } from "node:crypto";
import type { TSchema } from "typebox";
import { ERROR_CODES, type ErrorCode } from "../../errors.ts";
import { html, Markup, type MarkupValue } from "../../text/markup.ts";
import { errorCodesOf } from "./answers.ts";
import { ERROR_NOTES } from "./error-notes.ts";
import type { Operation } from "./operation.ts";

/** The style sheet, whose hash is in the content policy of the pages. */
const DOCS_STYLE = `
:root{color-scheme:light dark;--ink:#1b2420;--soft:#4d5b54;--line:#d5ddd8;--paper:#fff;
--panel:#f4f7f5;--accent:#0b6b4f;--bad:#a3301f}
@media (prefers-color-scheme:dark){:root{--ink:#e7eeea;--soft:#a9b8b0;--line:#36423c;
--paper:#121815;--panel:#1a221e;--accent:#6fd6b0;--bad:#ff9d8a}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
.page{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:78rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:1.5rem 1rem}
nav ul{list-style:none;margin:.2rem 0 1rem;padding:0}
nav a{display:block;padding:.2rem .5rem;border-radius:.3rem;text-decoration:none;color:var(--ink)}
nav a:hover{background:var(--panel)}
nav h2{font-size:.8rem;margin:1rem .5rem .2rem;color:var(--soft);text-transform:uppercase;
letter-spacing:.06em;border:0;padding:0}
main{padding:1.5rem 1.5rem 4rem;min-width:0}
h1{font-size:2rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.35rem;margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h2{overflow-wrap:anywhere}
h3{font-size:1rem;margin:1.5rem 0 .4rem}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--accent);
outline-offset:2px}
code,pre{font:.9em/1.5 ui-monospace,monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.4rem;padding:.8rem;
overflow:auto;max-height:32rem}
.method{display:inline-block;min-width:4.2rem;font-weight:700;color:var(--accent)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}
td:first-child{white-space:nowrap}
.bad{color:var(--bad);font-weight:600}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}
@media (max-width:52rem){.page{grid-template-columns:1fr}nav{position:static;max-height:none}}
@media print{nav{display:none}.page{display:block}pre{max-height:none;white-space:pre-wrap}}
`;

/** Content policy of the pages: only their own style. */
export const DOCS_POLICY =
  `default-src 'none'; style-src 'sha256-${hashOf(DOCS_STYLE)}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'";

/** Media type of the pages. */
export const PAGE_TYPE = "text/html; charset=utf-8";

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** Renders the page of operations, in order, and of schemas. */
export function referencePage(
  operations: readonly Operation[],
  schemas: Readonly<Record<string, TSchema>>,
  version: string,
): string {
  const names = Object.keys(schemas);
  const contents = html`
    <h2>Operations</h2>
    <ul>${operations.map(({ id, summary }) => link(id, summary))}</ul>
    <h2>Schemas</h2>
    <ul>${names.map((name) => link(`schema-${name}`, name))}</ul>
    <h2>More</h2>
    <ul><li><a href="/docs/errors">Errors</a></li>
    <li><a href="/openapi.json">OpenAPI document</a></li></ul>`;
  const body = html`
    <h1>Peneira ${version}</h1>
    <p>Exact search over the registry of all Brazilian companies, and exports of it. Every request
    under <code>/v1/</code> needs <code>Authorization: Bearer &lt;key&gt;</code>. The same in a form
    for programs: <a href="/openapi.json">openapi.json</a>.</p>
    ${operations.map(sectionOf)}
    ${Object.entries(schemas).map(([name, schema]) => schemaOf(name, schema))}`;
  return page("Peneira API reference", contents, body);
}

/** Renders the page that every error's `type` points to. */
export function errorsPage(): string {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  const contents = html`
    <h2>Errors</h2>
    <ul>${codes.map((code) => link(code, code))}</ul>
    <h2>More</h2>
    <ul><li><a href="/docs">Operations</a></li></ul>`;
  const body = html`
    <h1>Errors</h1>
    <p>Every error is <code>application/problem+json</code> (RFC 9457). Programs read
    <code>code</code>, which never changes its meaning; people read <code>detail</code>;
    <code>errors</code> lists every mistake with its place in the request.</p>
    ${codes.map(
      (code) => html`
    <section aria-labelledby="${code}">
    <h2 id="${code}"><code>${code}</code></h2>
    <p><strong>${ERROR_CODES[code].status} · ${ERROR_CODES[code].title}.</strong>
    ${prose(ERROR_NOTES[code])}</p>
    </section>`,
    )}`;
  return page("Peneira errors", contents, body);
}

function page(title: string, contents: Markup, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(DOCS_STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="page">
<nav aria-label="Contents">${contents}</nav>
<main id="content">${body}</main>
</div>
</body>
</html>
`.text;
}

function link(id: string, text: string): Markup {
  return html`<li><a href="#${id}">${text}</a></li>`;
}

function sectionOf(operation: Operation): Markup {
  const { method, path, parameters = [], body } = operation;
  return html`
    <section aria-labelledby="${operation.id}">
    <h2 id="${operation.id}">${operation.summary}</h2>
    <p><code><span class="method">${method}</span> ${path}</code></p>
    <p>${prose(operation.description)}</p>
    ${parameters.length > 0 && parametersOf(parameters)}
    ${body !== undefined && bodyOf(body)}
    <h3>Answers</h3>
    ${table(["Status", "Meaning"], [...answersOf(operation), ...errorsOf(operation)])}
    </section>`;
}

/** Renders text between backticks as code. */
function prose(words: string): Markup {
  const parts = words.split("`");
  return html`${parts.map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

function parametersOf(parameters: NonNullable<Operation["parameters"]>): Markup {
  const rows = parameters.map(({ name, in: where, required, description }) => [
    html`<code>${name}</code>`,
    `${where}${required ? ", required" : ""}`,
    description,
  ]);
  return html`<h3>Parameters</h3>${table(["Name", "Where", "Meaning"], rows)}`;
}

function bodyOf({ schema, example, orTypes = {} }: NonNullable<Operation["body"]>): Markup {
  if (schema === null) {
    const types = Object.keys(orTypes).map((type) => html`<code>${type}</code> `);
    return html`<h3>Body</h3><p>A file: ${types}</p>`;
  }
  return html`<h3>Body</h3>
    <p><a href="#schema-${schema}">${schema}</a>, for example:</p>
    ${code(example)}`;
}

function answersOf({ answers }: Operation): MarkupValue[][] {
  return Object.entries(answers).map(([status, { description, schema }]) => [
    status,
    schema === null ? description : html`${description} <a href="#schema-${schema}">${schema}</a>`,
  ]);
}

function errorsOf(operation: Operation): MarkupValue[][] {
  const codes = errorCodesOf(operation, operation.path.startsWith("/v1/") ? "key" : "open");
  const sorted = [...codes].sort((a, b) => ERROR_CODES[a].status - ERROR_CODES[b].status);
  return sorted.map((name) => [
    html`<span class="bad">${ERROR_CODES[name].status}</span>`,
    html`<a href="/docs/errors#${name}"><code>${name}</code></a> ${ERROR_CODES[name].title}.`,
  ]);
}

function table(heads: readonly string[], rows: readonly (readonly MarkupValue[])[]): Markup {
  return html`<div class="scroll"><table>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

function schemaOf(name: string, schema: unknown): Markup {
  return html`
    <section aria-labelledby="schema-${name}">
    <h2 id="schema-${name}">${name}</h2>
    ${code(schema)}
    </section>`;
}

/** Renders scrolling JSON. A scrolling region must be reachable by keyboard. */
function code(value: unknown): Markup {
  // Addresses in examples are not links. Long ones may wrap after their scheme.
  const [first = "", ...rest] = JSON.stringify(value, null, 2).split("://");
  const broken = rest.map((part) => html`<wbr>://${part}`);
  return html`<pre tabindex="0"><code>${first}${broken}</code></pre>`;
}
