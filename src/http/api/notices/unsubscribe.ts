/**
 * The unsubscribe page, which needs no account. Input: the signed address in an e-mail. Output: a
 * page that asks for confirmation, and one that reports the result.
 * Invariant: a GET changes nothing, because programs open the links of e-mails. A POST by a mail
 * program (RFC 8058) and one by the page do the same and may be repeated. The page needs no script,
 * fetches nothing, and shows only the beginning of the e-mail address.
 */
import { createHash } from "node:crypto";
import { addressOf } from "../../../notices/addresses.ts";
import type { EmailLanguage, WebhookRow } from "../../../store/webhookstore.ts";
import { html, Markup } from "../../../text/markup.ts";
import type { HttpAnswer } from "../../server/respond.ts";
import type { Call } from "../../server/service.ts";

const STYLE = `
:root{color-scheme:light dark;--ink:#1b2420;--soft:#4d5b54;--paper:#fff;--accent:#0b6b4f;--on:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e7eeea;--soft:#a9b8b0;--paper:#121815;
--accent:#6fd6b0;--on:#0c1a14}}
body{margin:0;padding:12vh 1.5rem 2rem;font:1.05rem/1.55 system-ui,sans-serif;color:var(--ink);
background:var(--paper)}
main{max-width:34rem;margin:0 auto;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
p{margin:.5rem 0 1.25rem;color:var(--soft)}
button{font:inherit;font-weight:600;padding:.7rem 1.3rem;border:0;border-radius:.5rem;
background:var(--accent);color:var(--on);cursor:pointer}
button:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");
const POLICY =
  `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

interface PageWords {
  readonly title: string;
  readonly text: string;
  readonly button: string;
}

type Page = "ask" | "ended" | "begun";

const WORDS: Readonly<Record<EmailLanguage, Readonly<Record<Page, PageWords>>>> = {
  pt: {
    ask: {
      title: "Cancelar os e-mails do Peneira?",
      text: "Os avisos de novidades deixam de ser enviados para",
      button: "Cancelar os e-mails",
    },
    ended: {
      title: "E-mails cancelados",
      text: "Nenhum aviso do Peneira será mais enviado para",
      button: "Foi engano: quero receber de novo",
    },
    begun: {
      title: "Tudo certo, os avisos continuam",
      text: "O próximo aviso será enviado para",
      button: "Cancelar os e-mails",
    },
  },
  en: {
    ask: {
      title: "Stop the e-mails of Peneira?",
      text: "Notices of what is new are no longer sent to",
      button: "Stop the e-mails",
    },
    ended: {
      title: "The e-mails are stopped",
      text: "No more notices of Peneira are sent to",
      button: "That was a mistake: send them again",
    },
    begun: {
      title: "Done: the notices continue",
      text: "The next notice is sent to",
      button: "Stop the e-mails",
    },
  },
};

/** `GET /unsubscribe/{token}`: asks for confirmation, or shows the current state. */
export function showUnsubscribe(call: Call<"notices">): HttpAnswer {
  const row = call.service.notices.emails.byToken(call.params.token ?? "");
  return pageOf(row, row.unsubscribedAt === null ? "ask" : "ended");
}

/**
 * `POST /unsubscribe/{token}`: ends the e-mails; with `again=1`, resumes them. Only resuming is
 * limited, because it must precede each further end.
 */
export function unsubscribe(call: Call<"audit" | "notices">): HttpAnswer {
  const { audit, notices } = call.service;
  const token = call.params.token ?? "";
  const again = call.query.get("again") === "1";
  if (again) audit.refuseTooMany(notices.emails.byToken(token).tenantId, "server");
  const row = notices.emails.unsubscribe(token, again);
  return pageOf(row, again ? "begun" : "ended");
}

function pageOf(row: WebhookRow, page: Page): HttpAnswer {
  const { language } = row;
  const { title, text, button } = WORDS[language][page];
  // The form posts to the current address, with the token. `?again=1` resumes the e-mails.
  const action = page === "ended" ? "?again=1" : "?";
  const body = html`
<html lang="${language === "pt" ? "pt-BR" : "en"}"><head><meta charset="utf-8">
<title>${title} · Peneira</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><style>${new Markup(STYLE)}</style></head>
<body><main><h1>${title}</h1><p>${text} <strong>${masked(addressOf(row))}</strong>.</p>
<form method="post" action="${action}"><button>${button}</button></form>
</main></body></html>
`;
  return {
    status: 200,
    type: "text/html; charset=utf-8",
    body: `<!doctype html>${body.text}`,
    headers: { "Content-Security-Policy": POLICY },
  };
}

/** Hides most of the local part: a forwarded e-mail must not reveal its original reader. */
function masked(address: string): string {
  const [local = "", host = ""] = address.split("@");
  return `${local.slice(0, 2)}…@${host}`;
}
