/**
 * The Atom feed of a saved search. Input: the search and its notices, newest first. Output: the
 * feed as text.
 * Invariant: each notice that is counted or has failed has an entry, with its event id, so feed
 * readers show it once. An entry holds counts and the names of the first companies, never an
 * e-mail, a phone, or a secret. No value of the registry can end an element or add one.
 */
import { Feed } from "feed";
import type { NoticeRow } from "../store/noticestore.ts";
import { countsOf, eventIdOf, type FirstAccount, type NoticeCounts } from "./payload.ts";

/** Languages of feeds; the first is the default. */
export const FEED_LANGUAGES = ["pt", "en"] as const;

/** A language of a feed. */
export type FeedLanguage = (typeof FEED_LANGUAGES)[number];

interface FeedSearch {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  /** The secret part of the feed's address; null if it has none. */
  readonly feed: string | null;
}

interface FeedWords {
  readonly title: (name: string) => string;
  readonly counts: (counts: NoticeCounts, since: string) => string;
  readonly kinds: Readonly<Record<string, string>>;
  readonly failed: string;
}

const WORDS: Readonly<Record<FeedLanguage, FeedWords>> = {
  pt: {
    title: (name) => `Novidades de ${name}`,
    counts: ({ entered, left, changed }, since) =>
      `Desde ${since}: ${entered} novas, ${left} saíram, ${changed} mudaram.`,
    kinds: { entered: "nova", left: "saiu", changed: "mudou" },
    failed: "As novidades deste mês não puderam ser contadas.",
  },
  en: {
    title: (name) => `News of ${name}`,
    counts: ({ entered, left, changed }, since) =>
      `Since ${since}: ${entered} new, ${left} gone, ${changed} changed.`,
    kinds: { entered: "new", left: "gone", changed: "changed" },
    failed: "The changes of this month could not be counted.",
  },
};

/** Characters that XML 1.0 does not allow, and other controls. */
const NOT_XML = /(?![\t\n\r])[\p{Cc}\p{Cs}]|[\ufffe\uffff]/gu;

/** Returns the feed of a search. `base`: the server's public address, or empty. */
export function feedOf(
  search: FeedSearch,
  notices: readonly NoticeRow[],
  { base, language }: { readonly base: string; readonly language: FeedLanguage },
): string {
  const words = WORDS[language];
  const [newest] = notices;
  const own = `urn:peneira:${search.id}`;
  // A link must be absolute, so it needs the server's address. Only the setting notices.base_url
  // has this address.
  const link = base === "" ? own : `${base}/app/news#${search.id}`;
  const feed = new Feed({
    id: own,
    title: plain(words.title(search.name)),
    link,
    language,
    author: { name: "Peneira" },
    ...(base === "" || search.feed === null
      ? {}
      : { feedLinks: { atom: `${base}/feeds/${search.feed}.atom?lang=${language}` } }),
    generator: "Peneira",
    updated: new Date(newest?.countedAt ?? search.createdAt),
    copyright: "",
  });
  for (const row of notices) {
    const counts = countsOf(row);
    if (row.state === "failed") feed.addItem(failureOf(row, words, link));
    if (counts === null) continue;
    const about = words.counts(counts, row.since);
    const companies = counts.first.map((one) => `<li>${companyText(one, words)}</li>`);
    feed.addItem({
      id: `urn:peneira:${row.id}`,
      title: plain(`${row.snapshot}: ${about}`),
      link,
      date: new Date(row.countedAt ?? row.createdAt),
      content: `<p>${escaped(about)}</p><ul>${companies.join("")}</ul>`,
    });
  }
  return feed.atom1();
}

function failureOf(row: NoticeRow, { failed }: FeedWords, link: string) {
  const id = `urn:peneira:${eventIdOf(row)}`;
  const title = plain(`${row.snapshot}: ${failed}`);
  return { id, title, link, date: new Date(row.createdAt), content: `<p>${failed}</p>` };
}

function companyText(account: FirstAccount, { kinds }: FeedWords): string {
  const { trade_name, legal_name, municipality_name, uf, cnpj, change } = account;
  const name = [trade_name, legal_name, cnpj].find((one) => typeof one === "string" && one !== "");
  const place = [municipality_name, uf].filter((one) => typeof one === "string").join("/");
  const text = `${String(name)}${place === "" ? "" : `, ${place}`} (${kinds[change] ?? change})`;
  return escaped(text);
}

function plain(text: string): string {
  return text.replaceAll(NOT_XML, "");
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return plain(text).replaceAll(/[&<>]/g, (one) => entities[one] as string);
}
