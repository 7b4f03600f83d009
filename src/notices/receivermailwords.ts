/**
 * The words of e-mails about receivers, in both languages: warnings to the owners of a failing
 * receiver, and the offer to an unsubscribed reader to subscribe again. Input: the receiver.
 * Output: the content, from which both the text and the HTML are rendered.
 * Invariant: for a webhook, only the host is shown, because its path may be a secret.
 */
import type { EmailLanguage, WebhookRow } from "../store/webhookstore.ts";
import { addressOf } from "./addresses.ts";
import type { EmailContent } from "./emailwords.ts";
import { WARNINGS } from "./schedule.ts";

interface ReceiverMail {
  readonly row: Pick<WebhookRow, "kind" | "url" | "disabledReason">;
  /**
   * Number of the warning; 0 if the receiver was disabled. Null if the e-mail offers its reader to
   * subscribe again.
   */
  readonly warning: number | null;
  /** Address on which a reader decides. */
  readonly href: string;
  /** Public address of the server. */
  readonly base: string;
  readonly language: EmailLanguage;
}

type MailText = Pick<EmailContent, "title" | "lead" | "reason"> & { readonly button: string };

interface Words {
  readonly warned: (name: string, warning: number) => MailText;
  readonly disabled: (name: string, isGone: boolean) => MailText;
  readonly question: () => MailText;
}

const PT: Words = {
  warned: (name, warning) => ({
    title: `Avisos não chegam a ${name} (alerta ${warning} de ${WARNINGS})`,
    lead:
      "As entregas falham repetidamente. Depois de cinco dias sem sucesso, este destino será " +
      "desativado; os avisos à espera são guardados.",
    button: "Ver os destinos",
    reason: "Você recebe este e-mail porque é proprietário de uma conta no Peneira.",
  }),
  disabled: (name, isGone) => ({
    title: `Avisos para ${name} foram desativados`,
    lead: isGone
      ? "O destino respondeu que não existe mais. Os avisos à espera são guardados."
      : "Nenhuma entrega teve sucesso por cinco dias. Os avisos à espera são guardados até que o " +
        "destino seja reativado.",
    button: "Ver os destinos",
    reason: "Você recebe este e-mail porque é proprietário de uma conta no Peneira.",
  }),
  question: () => ({
    title: "Quer receber de novo os avisos do Peneira?",
    lead:
      "Você cancelou estes e-mails, e alguém da equipe incluiu de novo o seu endereço. Só você " +
      "decide: sem a sua confirmação, nenhum aviso será enviado.",
    button: "Decidir",
    reason:
      "Se não quiser os avisos, não faça nada. Esta pergunta vem no máximo uma vez por semana.",
  }),
};

const EN: Words = {
  warned: (name, warning) => ({
    title: `Notices do not reach ${name} (warning ${warning} of ${WARNINGS})`,
    lead:
      "Deliveries keep failing. After five days without success, this receiver is disabled. Its " +
      "waiting notices are kept.",
    button: "See the receivers",
    reason: "You get this e-mail because you are an owner of an account in Peneira.",
  }),
  disabled: (name, isGone) => ({
    title: `Notices to ${name} are disabled`,
    lead: isGone
      ? "The receiver answered that it does not exist any more. Its waiting notices are kept."
      : "No delivery succeeded for five days. Its waiting notices are kept until the receiver is " +
        "enabled again.",
    button: "See the receivers",
    reason: "You get this e-mail because you are an owner of an account in Peneira.",
  }),
  question: () => ({
    title: "Do you want the notices of Peneira again?",
    lead:
      "You stopped these e-mails, and a member of the team has added your address again. You " +
      "decide: without your confirmation, no notice is sent.",
    button: "Decide",
    reason: "If you do not want the notices, do nothing. This question comes once a week at most.",
  }),
};

const WORDS: Readonly<Record<EmailLanguage, Words>> = { pt: PT, en: EN };

/** Returns the content of a mail about a receiver. */
export function receiverMailContent(mail: ReceiverMail): EmailContent {
  const { row, warning, href, base, language } = mail;
  const words = WORDS[language];
  const name = row.kind === "email" ? addressOf(row) : new URL(row.url).host;
  const text =
    warning === null
      ? words.question()
      : warning > 0
        ? words.warned(name, warning)
        : words.disabled(name, row.disabledReason === "gone");
  return {
    ...{ language, title: text.title, subject: text.title, lead: text.lead },
    ...{ counts: [], companies: [], more: "", file: null, problem: "" },
    button: { label: text.button, href: warning === null ? href : `${base}/app/webhooks` },
    ...{ reason: text.reason, unsubscribe: null },
  };
}
