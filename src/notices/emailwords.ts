/**
 * Wording and content of the e-mails about notices, in both languages. Input: a counted notice and
 * options of its receiver. Output: the content for both text and HTML.
 * Invariant: values of the registry, and names typed by people, are one line without control and
 * direction characters. Phones and e-mails of companies are included only if the receiver wants
 * them.
 */

import { HEADINGS_PT } from "../spec/fields/headings.ts";
import { HEADINGS_EN } from "../spec/fields/headings-en.ts";
import type { NoticeRow } from "../store/noticestore.ts";
import type { EmailLanguage } from "../store/webhookstore.ts";
import { plainAddress } from "./addresses.ts";
import {
  countsOf,
  exportProblem,
  type FirstAccount,
  linksOf,
  type NoticeCounts,
} from "./payload.ts";

/** A company in an e-mail. Empty texts are omitted. */
export interface EmailCompany {
  readonly name: string;
  /** City and state, activity, and day of opening. */
  readonly about: readonly string[];
  /** Text about the change: changed fields, or that the company left. Empty if it entered. */
  readonly note: string;
  readonly contacts: readonly EmailContact[];
}

/** A phone or an e-mail of a company, and its link. */
export interface EmailContact {
  readonly text: string;
  readonly href: string;
}

/** A number of an e-mail, with its noun. */
interface EmailCount {
  readonly number: string;
  readonly noun: string;
}

/** Content of an e-mail. */
export interface EmailContent {
  readonly language: EmailLanguage;
  readonly subject: string;
  readonly title: string;
  readonly lead: string;
  readonly counts: readonly EmailCount[];
  readonly companies: readonly EmailCompany[];
  /** Sentence about companies that are not listed, or empty. */
  readonly more: string;
  readonly button: { readonly label: string; readonly href: string };
  /** The file that was made for the notice; null if there is none. */
  readonly file: { readonly label: string; readonly href: string; readonly until: string } | null;
  /** Sentence that says why the file is missing; empty if it is not. */
  readonly problem: string;
  readonly reason: string;
  /** Null in an e-mail from which readers cannot unsubscribe. */
  readonly unsubscribe: { readonly label: string; readonly href: string } | null;
}

/** Options of a receiver, and the addresses that links need. */
export interface EmailOptions {
  readonly language: EmailLanguage;
  readonly contacts: boolean;
  /** Public address of the server. */
  readonly base: string;
  readonly unsubscribe: string;
}

/** Max characters of the subject, and of other texts. */
const SUBJECT_MAX = 110;
const TEXT_MAX = 120;
/** Max changed fields that an e-mail names. */
const FIELDS_MAX = 6;

type Counts = Pick<NoticeCounts, "entered" | "left" | "changed">;

interface Words {
  readonly locale: string;
  readonly subject: (counts: Counts, name: string, month: string) => string;
  readonly lead: (month: string, since: string) => string;
  /** Returns the first sentence of an e-mail if nothing changed. */
  readonly quiet: (month: string, since: string) => string;
  readonly nouns: (counts: Counts) => readonly [entered: string, left: string, changed: string];
  readonly dates: Intl.DateTimeFormatOptions;
  readonly opened: (day: string) => string;
  readonly left: string;
  readonly changed: (fields: string) => string;
  /** Returns the text that says how many more fields changed. */
  readonly moreFields: (count: number) => string;
  readonly more: (count: number, shown: string) => string;
  readonly button: string;
  readonly file: string;
  readonly until: (day: string) => string;
  readonly noFile: string;
  readonly failed: (name: string, month: string) => string;
  readonly failedLead: (month: string, since: string) => string;
  readonly reason: (name: string) => string;
  readonly unsubscribe: string;
  readonly test: string;
  readonly testLead: string;
  readonly testReason: string;
}

const one = (count: number, single: string, several: string) => (count === 1 ? single : several);

const PT: Words = {
  locale: "pt-BR",
  subject({ entered, left, changed }, name, month) {
    const number = (count: number) => count.toLocaleString("pt-BR");
    if (entered > 0) {
      const noun = one(entered, "empresa nova", "empresas novas");
      return `${number(entered)} ${noun} em ${month}: ${name}`;
    }
    if (changed > 0) {
      return `${number(changed)} ${one(changed, "mudança", "mudanças")} em ${month}: ${name}`;
    }
    if (left > 0) {
      return `${number(left)} ${one(left, "empresa saiu", "empresas saíram")} em ${month}: ${name}`;
    }
    return `Nada de novo em ${month}: ${name}`;
  },
  lead: (month, since) => `O que mudou em ${month}, em comparação com ${since}.`,
  quiet: (month, since) => `Nada mudou em ${month}, em comparação com ${since}.`,
  nouns: ({ entered, left, changed }) => [
    one(entered, "nova", "novas"),
    one(left, "saiu", "saíram"),
    one(changed, "mudou", "mudaram"),
  ],
  dates: {},
  opened: (day) => `aberta em ${day}`,
  left: "Saiu da busca",
  changed: (fields) => (fields === "" ? "Mudou" : `Mudou: ${fields}`),
  moreFields: (count) => (count === 1 ? "e mais 1 campo" : `e mais ${count} campos`),
  more: (count, shown) =>
    count === 1 ? "E mais 1 empresa no Peneira." : `E mais ${shown} empresas no Peneira.`,
  button: "Ver no Peneira",
  file: "Baixar a planilha",
  until: (day) => `disponível até ${day}`,
  noFile: "A planilha não pôde ser feita. O motivo está na página deste aviso.",
  failed: (name, month) => `O aviso de ${month} falhou: ${name}`,
  failedLead: (month, since) =>
    `O que mudou em ${month}, em comparação com ${since}, não pôde ser contado. O motivo está na ` +
    "página da busca, onde o aviso pode ser enviado de novo. Sem isso, o próximo aviso traz " +
    "também essas mudanças.",
  reason: (name) => `Você recebe este e-mail porque a busca “${name}” está salva no Peneira.`,
  unsubscribe: "Cancelar estes e-mails",
  test: "Teste de e-mail do Peneira",
  testLead: "Os avisos das buscas salvas chegarão a este endereço, como este teste.",
  testReason: "Você recebe este teste porque alguém da equipe o enviou pelo Peneira.",
};

const EN: Words = {
  locale: "en-GB",
  subject({ entered, left, changed }, name, month) {
    const number = (count: number) => count.toLocaleString("en-GB");
    if (entered > 0) {
      return `${number(entered)} new ${one(entered, "company", "companies")} in ${month}: ${name}`;
    }
    if (changed > 0) {
      return `${number(changed)} ${one(changed, "change", "changes")} in ${month}: ${name}`;
    }
    if (left > 0) {
      return `${number(left)} ${one(left, "company", "companies")} left in ${month}: ${name}`;
    }
    return `Nothing new in ${month}: ${name}`;
  },
  lead: (month, since) => `Changes in ${month}, compared with ${since}.`,
  quiet: (month, since) => `Nothing changed in ${month}, compared with ${since}.`,
  nouns: () => ["new", "gone", "changed"],
  dates: { dateStyle: "medium" },
  opened: (day) => `opened ${day}`,
  left: "No longer in the search",
  changed: (fields) => (fields === "" ? "Changed" : `Changed: ${fields}`),
  moreFields: (count) => (count === 1 ? "and 1 more field" : `and ${count} more fields`),
  more: (count, shown) =>
    count === 1 ? "And 1 more company in Peneira." : `And ${shown} more companies in Peneira.`,
  button: "View in Peneira",
  file: "Download the sheet",
  until: (day) => `available until ${day}`,
  noFile: "The sheet could not be made. The page of this notice says why.",
  failed: (name, month) => `The notice of ${month} failed: ${name}`,
  failedLead: (month, since) =>
    `The changes in ${month}, compared with ${since}, could not be counted. The page of the ` +
    "search says why, and can send the notice again. Otherwise, the next notice holds these " +
    "changes too.",
  reason: (name) => `You get this e-mail because the search “${name}” is saved in Peneira.`,
  unsubscribe: "Stop these e-mails",
  test: "Test e-mail of Peneira",
  testLead: "The notices of saved searches will reach this address as this test did.",
  testReason: "You get this test because a member of the team sent it from Peneira.",
};

const WORDS: Readonly<Record<EmailLanguage, Words>> = { pt: PT, en: EN };
const HEADINGS = { pt: HEADINGS_PT, en: HEADINGS_EN } as const;

/** Returns the content of the e-mail about a notice that is counted or has failed. */
export function emailContent(row: NoticeRow, options: EmailOptions): EmailContent {
  const counts = countsOf(row);
  if (row.state === "failed") return failureContent(row, options);
  if (counts === null) throw new Error("a notice is sent after it is counted");
  const { language, contacts, base, unsubscribe } = options;
  const words = WORDS[language];
  const title = line(row.searchName, TEXT_MAX);
  const [month, since] = [monthOf(row.snapshot, words), monthOf(row.since, words)];
  const { entered, left, changed, cards = counts.first } = counts;
  const all = entered + left + changed;
  const rest = all - cards.length;
  const [forEntered, forLeft, forChanged] = words.nouns(counts);
  const number = (count: number) => count.toLocaleString(words.locale);
  const links = linksOf(row, base);
  const dayOf = (iso: string) => day(iso.slice(0, 10), words);
  const until = counts.file_until === undefined ? "" : words.until(dayOf(counts.file_until));
  return {
    ...{ language, title, lead: (all === 0 ? words.quiet : words.lead)(month, since) },
    subject: line(words.subject(counts, title, month), SUBJECT_MAX),
    counts: [
      { number: number(entered), noun: forEntered },
      { number: number(left), noun: forLeft },
      { number: number(changed), noun: forChanged },
    ],
    companies: cards.map((card) => company(card, { words, language, contacts })),
    more: rest > 0 ? words.more(rest, number(rest)) : "",
    button: { label: words.button, href: links.console },
    file: links.export === null ? null : { label: words.file, href: links.export, until },
    problem: exportProblem(counts) === null ? "" : words.noFile,
    reason: words.reason(title),
    unsubscribe: { label: words.unsubscribe, href: unsubscribe },
  };
}

function failureContent(
  row: NoticeRow,
  { language, base, unsubscribe }: EmailOptions,
): EmailContent {
  const words = WORDS[language];
  const title = line(row.searchName, TEXT_MAX);
  const [month, since] = [monthOf(row.snapshot, words), monthOf(row.since, words)];
  return {
    ...{ language, title, lead: words.failedLead(month, since) },
    subject: line(words.failed(title, month), SUBJECT_MAX),
    ...{ counts: [], companies: [], more: "", file: null, problem: "" },
    button: { label: words.button, href: linksOf(row, base).console },
    reason: words.reason(title),
    unsubscribe: { label: words.unsubscribe, href: unsubscribe },
  };
}

/** Returns the content of a test e-mail, which resembles a real one but has no notice. */
export function testContent({ language, base, unsubscribe }: EmailOptions): EmailContent {
  const words = WORDS[language];
  return {
    ...{ language, title: words.test, subject: words.test, lead: words.testLead },
    ...{ counts: [], companies: [], more: "", file: null, problem: "", reason: words.testReason },
    button: { label: words.button, href: `${base}/app/news` },
    unsubscribe: { label: words.unsubscribe, href: unsubscribe },
  };
}

interface CompanyOptions extends Pick<EmailOptions, "language" | "contacts"> {
  readonly words: Words;
}

function company(account: FirstAccount, options: CompanyOptions): EmailCompany {
  const { words, language, contacts } = options;
  const text = (name: string) => {
    const value = account[name];
    return typeof value === "string" ? line(value, TEXT_MAX) : "";
  };
  const place = [text("municipality_name"), text("uf")].filter((part) => part !== "").join("/");
  const opened = text("started_on");
  const about = [
    place,
    text("cnae_primary_description"),
    opened === "" ? "" : words.opened(day(opened, words)),
    `CNPJ ${cnpjText(text("cnpj"))}`,
  ];
  const names = [text("trade_name"), text("legal_name"), cnpjText(text("cnpj"))];
  const headings: Readonly<Record<string, string>> = HEADINGS[language];
  const all = account.changed_fields.map((name) => headings[name] ?? name);
  const rest = all.length - FIELDS_MAX;
  const fields =
    all.slice(0, FIELDS_MAX).join(", ") + (rest > 0 ? ` ${words.moreFields(rest)}` : "");
  const notes: Readonly<Record<string, string>> = {
    changed: words.changed(fields),
    left: words.left,
  };
  return {
    name: names.find((name) => name !== "") ?? "",
    about: about.filter((part) => part !== ""),
    note: notes[account.change] ?? "",
    contacts: contacts ? contactsOf(text("phone_1"), text("email")) : [],
  };
}

function contactsOf(phone: string, email: string): EmailContact[] {
  const found: EmailContact[] = [];
  if (/^\+\d{8,15}$/.test(phone)) found.push({ text: phoneText(phone), href: `tel:${phone}` });
  if (plainAddress(email) !== null) found.push({ text: email, href: linkTo(email) });
  return found;
}

/**
 * Returns the link to an address. Both parts are escaped, because a `?` in the local part would
 * begin the link's parameters.
 */
function linkTo(email: string): string {
  return `mailto:${email.split("@").map(encodeURIComponent).join("@")}`;
}

/** Returns a Brazilian phone in its usual format, and any other phone unchanged. */
function phoneText(phone: string): string {
  return phone.replace(/^\+55(\d{2})(\d{4,5})(\d{4})$/, "($1) $2-$3");
}

/** Control characters, direction characters, private-use characters, and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Co}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]+/gu;

/** Returns a text as one visible line of up to `most` characters. */
function line(text: string, most: number): string {
  const characters = [...text.replaceAll(UNSEEN, " ").replaceAll(/\s+/g, " ").trim()];
  return characters.length <= most
    ? characters.join("")
    : `${characters.slice(0, most - 1).join("")}…`;
}

/** Returns `novembro de 2026` for `2026-11`, and any other label as it is. */
function monthOf(label: string, { locale }: Words): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(label)) return line(label, TEXT_MAX);
  const options = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Date(`${label}-15T00:00:00Z`).toLocaleDateString(locale, options);
}

/** Returns an ISO date in the usual format of the language. */
function day(iso: string, { locale, dates }: Words): string {
  const at = Date.parse(`${iso}T00:00:00Z`);
  if (Number.isNaN(at)) return iso;
  return new Date(at).toLocaleDateString(locale, { timeZone: "UTC", ...dates });
}

function cnpjText(cnpj: string): string {
  return cnpj.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, "$1.$2.$3/$4-$5");
}
