/**
 * An export as a page for people. Input: the context of an export with labels. Output: the text
 * before its first row and after its last row, in the language of the labels.
 * Invariant: the rows come first. Source and filters follow. Nothing is fetched, and the only
 * script is the search in the page, which the policy allows. Without scripts the page is complete
 * and has no search field.
 */
import { createHash } from "node:crypto";
import type { LabelLanguage } from "../../../spec/fields/words.ts";
import { html, Markup } from "../../../text/markup.ts";
import { type DescriptionItem, formatCount } from "../describe.ts";
import { describeWords } from "../describewords.ts";
import type { ColumnLabel } from "../labels.ts";
import type { RenderContext } from "../renderer.ts";
import { describeRequest, describeSource, titleOf } from "../source.ts";
import { pageStyle } from "./pagestyle.ts";

const LABELS = {
  pt: {
    lang: "pt-BR",
    rows: (count: string, one: boolean) => `${count} estabelecimento${one ? "" : "s"}`,
    of: (total: string) => `de ${total} encontrados`,
    changed: (from: string, to: string) => `mudanças de ${from} a ${to}`,
    asOf: (day: string) => `dados de ${day}`,
    skip: "Ir para a lista",
    find: "Buscar nesta página",
    found: "encontrados",
    list: "Estabelecimentos",
    source: "Origem",
    conditions: "Filtros e ordem",
    columns: "O que as colunas significam",
  },
  en: {
    lang: "en",
    rows: (count: string, one: boolean) => `${count} establishment${one ? "" : "s"}`,
    of: (total: string) => `of ${total} that match`,
    changed: (from: string, to: string) => `changes from ${from} to ${to}`,
    asOf: (day: string) => `data of ${day}`,
    skip: "Skip to the list",
    find: "Search in this page",
    found: "found",
    list: "Establishments",
    source: "Source",
    conditions: "Filters and order",
    columns: "What the columns mean",
  },
} as const;

const STYLE = `
a{color:var(--accent)}
.find{margin:1rem 0 0;display:flex;flex-wrap:wrap;align-items:center;gap:.6rem}
.find input{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);
border-radius:.4rem;padding:.4rem .7rem;width:22rem;max-width:100%}
[hidden],tbody tr[hidden]{display:none!important}
.about{margin-top:2rem;border-top:1px solid var(--line)}
@media screen and (min-width:640.02px){.about dd{grid-column:2}}
@media print{.find{display:none}a{color:inherit;text-decoration:none}}
`;

/** Finds rows that contain all words, ignoring accents, case, and punctuation. */
const SCRIPT = `(()=>{const MARKS=/[\\u0300-\\u036f./()+-]/g;
const fold=text=>text.normalize("NFD").replace(MARKS,"").toLowerCase();
const field=document.getElementById("q"),told=document.getElementById("n");
const rows=[...document.querySelectorAll("tbody tr")],texts=[];let timer;
const find=()=>{const words=fold(field.value).split(/\\s+/).filter(Boolean);let count=0;
rows.forEach((row,i)=>{texts[i]??=fold([...row.cells].map(cell=>cell.textContent).join(" "));
row.hidden=!words.every(word=>texts[i].includes(word));if(!row.hidden)count++});
const total=count.toLocaleString(document.documentElement.lang);
told.textContent=words.length?total+" "+told.dataset.found:""};
field.oninput=()=>{clearTimeout(timer);timer=setTimeout(find,150)};
document.querySelector(".find").hidden=false})()`;

/** Returns the text before and after the rows; `many` as in `pageStyle`. */
export function peopleFrame(
  context: RenderContext,
  labels: readonly ColumnLabel[],
  { language, many }: { readonly language: LabelLanguage; readonly many: boolean },
): { readonly head: string; readonly tail: string } {
  return {
    head: headOf(context, labels, pageStyle(labels, many) + STYLE, language),
    tail: tailOf(context, labels, language),
  };
}

function headOf(
  context: RenderContext,
  labels: readonly ColumnLabel[],
  style: string,
  language: LabelLanguage,
): string {
  const captions = LABELS[language];
  const title = titleOf(context.spec, context.segment);
  return html`<!doctype html>
<html lang="${captions.lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#accounts">${captions.skip}</a>
<main>
<header>
<h1>${title}</h1>
<p class="lead">${leadOf(context, language)}</p>
<p class="find" role="search" hidden="hidden"><label for="q">${captions.find}</label>
<input id="q" type="search" autocomplete="off">
<span id="n" role="status" data-found="${captions.found}"></span></p>
</header>
<section aria-labelledby="accounts">
<h2 id="accounts">${captions.list}</h2>
<div class="scroll" role="region" aria-labelledby="accounts" tabindex="0">
<table>
<thead>
<tr>${labels.map(({ heading }) => html`<th scope="col">${heading}</th>`)}</tr>
</thead>
<tbody lang="pt-BR">
`.text;
}

/** Returns the counts of rows and matches, and the date. */
function leadOf({ segment, rowCount, matches, changes }: RenderContext, language: LabelLanguage) {
  const labels = LABELS[language];
  const { day } = describeWords(language);
  const more = matches > rowCount ? ` ${labels.of(formatCount(matches, language))}` : "";
  const rows = `${labels.rows(formatCount(rowCount, language), rowCount === 1)}${more}`;
  const since = changes && labels.changed(changes.older.label, segment.label);
  return [rows, ...(since ? [since] : []), labels.asOf(day(segment.snapshotDate))].join(" · ");
}

function tailOf(
  context: RenderContext,
  labels: readonly ColumnLabel[],
  language: LabelLanguage,
): string {
  const captions = LABELS[language];
  const meanings = labels.map(({ heading, sentence }) => ({ label: heading, values: [sentence] }));
  const counted = (count: number) => formatCount(count, language);
  return html`</tbody>
</table>
</div>
</section>
<div class="about">
${section("source", captions.source, describeSource(context, counted))}
${section("filters", captions.conditions, describeRequest(context))}
${section("columns", captions.columns, meanings)}
</div>
</main>
<script>${new Markup(SCRIPT)}</script>
</body>
</html>
`.text;
}

function section(id: string, title: string, items: readonly DescriptionItem[]): Markup {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<dl>
${items.map(({ label, values }) => html`<dt>${label}</dt>${valuesOf(values)}\n`)}</dl>
</section>`;
}

function valuesOf(values: readonly string[]): Markup {
  return html`${values.map((value) => html`<dd>${value}</dd>`)}`;
}

/** Returns a content policy that allows only the style and the script of this page. */
function policyOf(style: string): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return (
    `default-src 'none'; style-src ${hash(style)}; script-src ${hash(SCRIPT)}; ` +
    "base-uri 'none'; form-action 'none'"
  );
}
