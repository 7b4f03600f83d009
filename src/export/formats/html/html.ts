/**
 * An export as one page. Input: row ids in batches. Output: a page that states its snapshot,
 * filters, and number of rows, and opens without a network.
 * Invariant: no script, no external address, and a policy that forbids both. Everything is escaped.
 * The page has no creation time, so its bytes are reproducible. A page for people (peoplepage.ts)
 * has one script.
 */
import { createHash } from "node:crypto";
import { wordFor } from "../../../text/amounts.ts";
import { html, Markup } from "../../../text/markup.ts";
import { type DescriptionItem, formatCount } from "../describe.ts";
import { explainColumns } from "../explained.ts";
import { type ColumnLabel, columnLabel } from "../labels.ts";
import type { RenderContext, Renderer } from "../renderer.ts";
import { describeRequest, describeSource } from "../source.ts";
import { renderFramed } from "../text.ts";
import { pageStyle } from "./pagestyle.ts";
import { peopleFrame } from "./peoplepage.ts";

/** Max rows of a single table. A larger one would keep a browser busy. */
export const SMALL_TABLE_ROWS_MAX = 5_000;

/** Max number of values without a scroll bar. */
const VALUES_SHOWN = 12;

/** Renders a page. */
export const openHtmlRenderer = (
  context: RenderContext,
  write: (bytes: Uint8Array) => void,
): Renderer => {
  const { output } = context.spec;
  const names = [...output.fields, ...explainColumns(context.spec).map(({ name }) => name)];
  return renderFramed(context, { format: "html", ...htmlFrame(context, names) }, write);
};

/** Returns the text before the first and after the last row, for columns with these names. */
export function htmlFrame(
  context: RenderContext,
  names: readonly string[],
): { readonly head: string; readonly tail: string } {
  const labels = names.map((name) => columnLabel(name, context.spec.output));
  const { labels: language } = context.spec.output;
  if (language !== undefined) {
    return peopleFrame(context, labels, {
      language,
      many: context.rowCount > SMALL_TABLE_ROWS_MAX,
    });
  }
  return { head: headOf(context, labels), tail: tailOf(labels) };
}

function headOf(context: RenderContext, labels: readonly ColumnLabel[]): string {
  const { segment, rowCount, matches } = context;
  const style = pageStyle(labels, rowCount > SMALL_TABLE_ROWS_MAX);
  const { changes } = context;
  const what = changes === undefined ? "matches" : "changes";
  const title =
    changes === undefined
      ? `Company accounts, snapshot ${segment.label}`
      : `Company accounts that changed, ${changes.older.label} to ${segment.label}`;
  const accounts = `${formatCount(rowCount)} ${wordFor(rowCount, "account")}`;
  const cut = matches > rowCount;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#accounts">Skip to the accounts</a>
<main>
<header>
<h1>${title}</h1>
<p class="lead">${accounts}, of ${formatCount(matches)} that ${changes ? "changed" : "match"}.</p>
${cut && html`<p class="note">The limit of the export left the other ${what} out.</p>`}
</header>
<section aria-labelledby="source">
<h2 id="source">Source</h2>
${definitions(describeSource(context, formatCount))}
</section>
<section aria-labelledby="filters">
<h2 id="filters">Filters and order</h2>
${definitions(describeRequest(context))}
</section>
<section aria-labelledby="accounts">
<h2 id="accounts">Accounts</h2>
<div class="scroll" role="region" aria-labelledby="accounts" tabindex="0">
<table>
<caption>${accounts} of snapshot ${segment.label} (${segment.snapshotDate})</caption>
<thead>
<tr>${labels.map(({ heading }) => html`<th scope="col">${heading}</th>`)}</tr>
</thead>
<tbody lang="pt-BR">
`.text;
}

function tailOf(labels: readonly ColumnLabel[]): string {
  const meanings = labels.map(({ heading, sentence }) => ({ label: heading, values: [sentence] }));
  return html`</tbody>
</table>
</div>
</section>
<section aria-labelledby="columns">
<h2 id="columns">What the columns mean</h2>
${definitions(meanings)}
</section>
</main>
</body>
</html>
`.text;
}

/** Returns a content policy that allows only the style of this page. */
function policyOf(style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

function definitions(items: readonly DescriptionItem[]): Markup {
  const entry = ({ label, values }: DescriptionItem) =>
    html`<dt>${label}</dt><dd>${valuesOf(label, values)}</dd>\n`;
  return html`<dl>\n${items.map(entry)}</dl>`;
}

/** Formats values. Long lists can be focused and scrolled with the keyboard. */
function valuesOf(label: string, values: readonly string[]): Markup {
  if (values.length === 1) return html`${values[0]}`;
  const list = html`<ul>${values.map((value) => html`<li>${value}</li>`)}</ul>`;
  if (values.length <= VALUES_SHOWN) return list;
  return html`<div class="long" role="region" aria-label="${label}" tabindex="0">${list}</div>`;
}
