/**
 * The two bodies of an e-mail: HTML and plain text. Input: its content. Output: both, with the same
 * facts.
 * Invariant: every value is escaped. Opening the e-mail fetches nothing, so its reading cannot be
 * tracked. Without the style sheet, which some programs drop, a readable light page remains.
 */
import { html, Markup } from "../text/markup.ts";
import type { EmailCompany, EmailContact, EmailContent } from "./emailwords.ts";

/** Replaces the colors in dark mode. All other styles are inline. */
const STYLE = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){.pad{padding:20px 16px!important}.num{font-size:22px!important}}
@media (prefers-color-scheme:dark){
.page{background:#121815!important}
.card{background:#1b2420!important;border-color:#33413a!important}
.ink{color:#e7eeea!important}.soft{color:#a9b8b0!important}
.tile{background:#24302a!important}.line{border-color:#33413a!important}
.button{background:#6fd6b0!important;color:#0c1a14!important}.link{color:#6fd6b0!important}
}`;

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Returns the HTML of an e-mail. */
export function htmlOf(content: EmailContent): string {
  const { language, title, lead, counts, companies, more, button, file, reason } = content;
  const { problem, unsubscribe } = content;
  const preview = companies.slice(0, 3).map(({ name }) => name);
  const page = html`<html lang="${language === "pt" ? "pt-BR" : "en"}"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no">
<title>${title}</title><style>${new Markup(STYLE)}</style></head>
<body class="page" style="margin:0;padding:0;background:#eef3f0;${FONT}">
<div style="display:none;max-height:0;overflow:hidden">${preview.join(" · ")}</div>
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="background:#eef3f0"><tr><td align="center" style="padding:24px 12px">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="max-width:600px;background:#ffffff;border:1px solid #d9e2dd;border-radius:10px">
<tr><td class="pad" style="padding:28px 32px">
<p class="soft" style="margin:0 0 4px;font-size:13px;line-height:18px;color:#5a6a62">Peneira</p>
<h1 class="ink" style="${HEAD}">${title}</h1>
<p class="soft" style="margin:0 0 20px;font-size:15px;line-height:22px;color:#4d5b54">${lead}</p>
${
  counts.length > 0 &&
  html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0"
 border="0"><tr>${counts.map(({ number, noun }, at) => tile(number, noun, at))}</tr></table>`
}
<p style="margin:22px 0 4px">
<a class="button" href="${button.href}" style="${BUTTON}">${button.label}</a></p>
${file !== null && fileLine(file)}${
  problem !== "" && html`<p class="soft" style="${AFTER}">${problem}</p>`
}${companies.map(companyBlock)}
${more !== "" && html`<p class="soft" style="${AFTER}">${more}</p>`}
</td></tr></table>
<p class="soft" style="${FOOT}">${reason}${
    unsubscribe !== null &&
    html`<br>
<a class="link" href="${unsubscribe.href}" style="color:#0b6b4f">${unsubscribe.label}</a>`
  }</p>
</td></tr></table></body></html>`;
  return `<!doctype html>\n${page.text}\n`;
}

const HEAD =
  "margin:0 0 6px;font-size:22px;line-height:28px;font-weight:700;color:#1b2420;" +
  "overflow-wrap:anywhere";
const BUTTON =
  "display:inline-block;padding:12px 22px;border-radius:8px;background:#0b6b4f;color:#ffffff;" +
  "font-size:16px;line-height:20px;font-weight:600;text-decoration:none";
const AFTER = "margin:16px 0 0;font-size:14px;line-height:20px;color:#4d5b54";
const FOOT =
  "max-width:600px;margin:18px auto 0;padding:0 8px;font-size:12px;line-height:18px;" +
  "color:#5a6a62;overflow-wrap:anywhere";

/** Max characters that fit a line on a phone. */
const UNBROKEN_MAX = 30;

function tile(number: string, noun: string, at: number): Markup {
  return html`
<td width="33%" style="padding:0 ${at === 2 ? 0 : 4}px 0 ${at === 0 ? 0 : 4}px">
<div class="tile" style="background:#f2f7f4;border-radius:8px;padding:12px 6px;text-align:center">
<div class="ink num" style="font-size:26px;line-height:30px;font-weight:700;color:#1b2420">${
    number
  }</div>
<div class="soft" style="font-size:13px;line-height:18px;color:#4d5b54">${noun}</div>
</div></td>`;
}

function fileLine({ label, href, until }: NonNullable<EmailContent["file"]>): Markup {
  return html`
<p class="soft" style="margin:10px 0 0;font-size:14px;line-height:20px;color:#4d5b54">
<a class="link" href="${href}" style="color:#0b6b4f">${label}</a>${within(until)}</p>`;
}

function companyBlock({ name, about, note, contacts }: EmailCompany): Markup {
  const small = "margin:2px 0 0;font-size:14px;line-height:20px;color:#4d5b54";
  return html`
<div class="line" style="margin:16px 0 0;padding:14px 0 0;border-top:1px solid #e3eae6">
<p class="ink" style="margin:0;font-size:16px;line-height:22px;font-weight:600;color:#1b2420">${
    name
  }</p>
<p class="soft" style="${small}">${about.map(unbroken).join("\u00a0· ")}</p>
${note !== "" && html`<p class="ink" style="${small}">${note}</p>`}
${contacts.length > 0 && html`<p class="soft" style="${small}">${contacts.map(contactLink)}</p>`}
</div>`;
}

/** Returns a short text without line breaks, so that `CNPJ` stays next to its number. */
function unbroken(text: string): string {
  return text.length > UNBROKEN_MAX ? text : text.replaceAll(" ", "\u00a0");
}

function contactLink({ text, href }: EmailContact, at: number): Markup {
  const between = at === 0 ? "" : " · ";
  return html`${between}<a class="link" href="${href}" style="color:#0b6b4f">${text}</a>`;
}

/** Returns the plain text of an e-mail. */
export function textOf(content: EmailContent): string {
  const { title, lead, counts, companies, more, button, file, reason, unsubscribe } = content;
  const { problem } = content;
  const blocks = [
    `${title}\n${lead}`,
    ...(counts.length === 0
      ? []
      : [counts.map(({ number, noun }) => `${number} ${noun}`).join(" · ")]),
    `${button.label}:\n${button.href}`,
    ...(file === null ? [] : [`${file.label}${within(file.until)}:\n${file.href}`]),
    ...(problem === "" ? [] : [problem]),
    ...companies.map(({ name, about, note, contacts }) =>
      [name, about.join(" · "), note, contacts.map(({ text }) => text).join(" · ")]
        .filter((line) => line !== "")
        .join("\n"),
    ),
    ...(more === "" ? [] : [more]),
    [
      "-- ",
      reason,
      ...(unsubscribe === null ? [] : [`${unsubscribe.label}:`, unsubscribe.href]),
    ].join("\n"),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function within(until: string): string {
  return until === "" ? "" : ` (${until})`;
}
