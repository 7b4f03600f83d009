/**
 * Finds accounts by the start of a name, a CNPJ, a phone, an e-mail, or the root of a company (the
 * first eight characters of its CNPJ).
 * Invariant: only text, state, and snapshot determine the matching accounts and their order
 * (native-index/query/find/suggest.h has the rules). Searches by name or root run off the main
 * thread, in a queue separate from other queries. A text in the form of a CNPJ is looked up as a
 * CNPJ, never as a name. A phone or an e-mail finds the accounts that have it, if there are any.
 */

import type { Clause } from "../../native-index/napi/engine.ts";
import type { NativeSuggestions } from "../../native-index/napi/handles.ts";
import { FairQueue } from "../scheduling/fairqueue.ts";
import { analyzeWords } from "../spec/analyzer.ts";
import type { Cnpj } from "../spec/cnpj/cnpj.ts";
import {
  type CnpjReading,
  type CnpjRefusal,
  readCnpjText,
  readRootText,
} from "../spec/cnpj/cnpjspelling.ts";
import { type RefusedContact, readContact } from "../spec/contacts/contactrefusal.ts";
import { wordFor } from "../text/amounts.ts";
import { ownershipOf } from "./owners.ts";
import { emailRows, phoneRows } from "./rowlists.ts";
import {
  ASYNC_QUEUE_BOUNDS,
  account,
  countMatches,
  counts,
  page,
  type RenderedAccount,
} from "./searcher.ts";
import { guarded, type Segment } from "./segment.ts";

/** The ways in which an account can match a text, best first. */
export const FITS = [
  "cnpj",
  "phone",
  "email",
  "name_start",
  "whole_words",
  "word_starts",
  "one_edit",
  "two_edits",
] as const;

/** Index in `FITS` of the first kind of name match, which the addon numbers from 0. */
const NAME_FITS = FITS.indexOf("name_start");

type Fit = (typeof FITS)[number];

/**
 * Maximum number of characters and of words of a text, and the maximum and default number of
 * accounts.
 */
export const SUGGEST_LIMITS = { characters: 200, words: 32, limit: 20, limitDefault: 10 } as const;

/** The typed text, and the accounts and fields to return. */
export interface SuggestRequest {
  readonly text: string;
  /**
   * State in two upper-case letters, or null for all states. It limits searches for names and
   * contacts, but not for a CNPJ.
   */
  readonly uf: string | null;
  readonly limit: number;
  readonly fields: readonly string[];
  /** True for the kinds of contact that the caller may see. Only these are looked up. */
  readonly contacts: Readonly<Record<"phone" | "email", boolean>>;
}

interface NamedAccount {
  readonly match: Fit;
  readonly account: RenderedAccount;
}

interface TypedNumber {
  readonly kind: "cnpj" | "root";
  /** The number in upper case, without punctuation. */
  readonly value: string;
  /** True if the check digits of a CNPJ are right; null for a root. */
  readonly check_digits_right: boolean | null;
}

/** A text that looks like a number but is not a CNPJ. */
interface RefusedNumber {
  readonly reason: CnpjRefusal;
  /** The valid CNPJ that results if zeros lost at the beginning are restored. */
  readonly offered?: string;
}

interface TypedContact {
  readonly kind: "phone" | "email";
  /** The value as `phone_any_of` or `email_any_of` of a spec writes it. */
  readonly value: string;
  /** Number of accounts in all states that have the phone or e-mail. */
  readonly total: number;
  /** Number of those accounts in the requested state; absent if all states are requested. */
  readonly total_in_uf?: number;
}

/** The accounts that match a text, best first, and how the text was read. */
export interface Suggestions {
  readonly suggestions: readonly NamedAccount[];
  /** The phone or e-mail in the text; null if it has none or was not looked up. */
  readonly contact: TypedContact | null;
  /**
   * Reason why the text was not looked up as a phone or an e-mail. Null if the text is a CNPJ, the
   * root of a company with accounts, or a CNPJ that lost zeros.
   */
  readonly contact_refused: RefusedContact | null;
  /** The CNPJ or root that the text was read as. Null if the text was read as neither. */
  readonly number: TypedNumber | null;
  /** Reason why the text is not a CNPJ although it looks like one, else null. */
  readonly refused: RefusedNumber | null;
}

const NOTHING: Suggestions = {
  suggestions: [],
  number: null,
  refused: null,
  contact: null,
  contact_refused: null,
};

/** The company whose establishments are requested, and the page of them. */
export interface CompanyRequest {
  readonly root: string;
  /** Row that precedes the page; -1 for the first page. */
  readonly afterRow: number;
  readonly limit: number;
  readonly fields: readonly string[];
}

/** Establishments of a company. */
export interface CompanyPage {
  readonly accounts: readonly RenderedAccount[];
  /** Total number of establishments; 0 if there is no such company. */
  readonly total: number;
  readonly more: boolean;
  /** Row that precedes the next page; -1 for an empty page. */
  readonly lastRow: number;
}

const queue = new FairQueue(ASYNC_QUEUE_BOUNDS);

/** Returns the accounts that match a typed text. */
export async function suggest(
  segment: Segment,
  request: SuggestRequest,
  tenantId = "",
): Promise<Suggestions> {
  const { limit, fields } = request;
  const text = request.text.trim();
  const reading = readCnpjText(text);
  if (reading.kind === "cnpj") return suggestCnpj(segment, reading, fields);
  const typed = contactIn(segment, { ...request, text });
  const contact = typed !== null && "value" in typed ? typed : null;
  if (contact !== null && contact.total > 0) return suggestContact(segment, contact, request);
  const refused = refusedNumber(reading, text);
  // Some mobile numbers have the check digits of a CPF, so the answer contains both readings.
  if (refused?.reason === "cpf") return { ...NOTHING, refused, contact };
  const root = readRootText(text);
  const company =
    root === null ? [] : (await companyRows(segment, { root, afterRow: -1, limit }, tenantId)).rows;
  const found = new Map<number, Fit>();
  for (const row of company) found.set(row, FITS[0]);
  if (found.size < limit) {
    const { rows, fits } = await namedRows(segment, request, tenantId);
    for (const [i, row] of rows.entries()) {
      if (!found.has(row)) found.set(row, FITS[NAME_FITS + (fits[i] as number)] as Fit);
    }
  }
  const rows = [...found].slice(0, limit);
  const accounts = rendered(
    segment,
    Uint32Array.from(rows, ([row]) => row),
    fields,
  );
  return {
    suggestions: rows.map(([, match], i) => ({ match, account: accounts[i] as RenderedAccount })),
    number: numberOf(root, company.length > 0),
    refused,
    contact,
    // If the text is the root of a company with accounts or a CNPJ that lost zeros, it is not
    // reported as a mistyped phone.
    contact_refused:
      typed === null || "value" in typed || company.length > 0 || refused?.offered !== undefined
        ? null
        : typed,
  };
}

/** Returns the phone or e-mail in a text, or why it is not looked up; null without one. */
function contactIn(
  segment: Segment,
  { text, uf, contacts }: SuggestRequest,
): TypedContact | RefusedContact | null {
  const isLacking = segment.catalog.lacksContacts === true;
  const read = readContact(text, { ...contacts, isLacking });
  if (read === null || "reason" in read) return read;
  const rows = (read.kind === "phone" ? phoneRows : emailRows)(segment, [read.value]);
  const found = { ...read, total: rows.size };
  if (uf === null) return found;
  const own: Clause = { kind: "rows", lists: [rows], negated: false };
  const clauses = [own, stateClause(segment, uf)];
  return { ...found, total_in_uf: guarded(() => segment.native.count(clauses)) };
}

/** Returns the number of accounts that have a phone or an e-mail, as a phrase. */
export function contactCount({ value, total, total_in_uf: own }: TypedContact): string {
  const all = `${total} ${wordFor(total, "account has", "accounts have")} ${value}`;
  return own === undefined ? all : `${all}, ${own} of them in the state`;
}

/** Returns the accounts that have a phone or an e-mail, in rank order, only those in `uf`. */
function suggestContact(
  segment: Segment,
  contact: TypedContact,
  { uf, limit, fields }: SuggestRequest,
): Suggestions {
  const { kind, value } = contact;
  const list = (kind === "phone" ? phoneRows : emailRows)(segment, [value]);
  const own: Clause = { kind: "rows", lists: [list], negated: false };
  const { rows } = guarded(() =>
    segment.native.select({
      clauses: uf === null ? [own] : [own, stateClause(segment, uf)],
      order: [{ key: "score", descending: true }],
      method: "rank",
      seed: 0n,
      afterRow: -1,
      limit,
    }),
  );
  const accounts = rendered(segment, rows, fields);
  return {
    ...NOTHING,
    suggestions: accounts.map((account) => ({ match: kind, account })),
    contact,
  };
}

function suggestCnpj(segment: Segment, read: Cnpj, fields: readonly string[]): Suggestions {
  const row = segment.native.findCnpj(read.cnpj);
  const accounts = row < 0 ? [] : rendered(segment, Uint32Array.of(row), fields);
  return {
    ...NOTHING,
    suggestions: accounts.map((account) => ({ match: FITS[0], account })),
    number: { kind: "cnpj", value: read.cnpj, check_digits_right: read.checked },
  };
}

/** Minimum letters and digits of a number that is too short. Less may be a name. */
const SIGNS_MIN = 9;

/** Returns why a text that looks like a number is no CNPJ. Null if it may be a name. */
function refusedNumber(reading: CnpjReading, text: string): RefusedNumber | null {
  if (reading.kind !== "refused") return null;
  const { reason, offered } = reading;
  const isShort = reason === "too_short" && text.replace(/[^0-9A-Z]/gi, "").length < SIGNS_MIN;
  if (isShort || reason === "not_a_number" || reason === "not_a_cnpj") return null;
  return offered === undefined ? { reason } : { reason, offered };
}

/** Returns a root. Eight letters are a root only if a company has it, otherwise a word. */
function numberOf(root: string | null, isKnown: boolean): TypedNumber | null {
  if (root === null || !(isKnown || /\d/.test(root))) return null;
  return { kind: "root", value: root, check_digits_right: null };
}

/**
 * Returns the accounts whose names match the words of a text. If there are none, searches again
 * without the words in `JOINING`, which names often write as "&".
 */
async function namedRows(
  segment: Segment,
  { text, uf, limit }: SuggestRequest,
  tenantId: string,
): Promise<NativeSuggestions> {
  const clauses = uf === null ? [] : [stateClause(segment, uf)];
  const search = (words: string[]) =>
    queue.run(tenantId, 1, () => segment.native.suggestAsync({ words, clauses, limit }));
  const words = analyzeWords(text);
  const found = await search(words);
  // The last word stays, because it may be the beginning of a longer one.
  const others = words.filter((word, at) => at === words.length - 1 || !JOINING.has(word));
  return found.rows.length > 0 || others.length === words.length ? found : search(others);
}

/** Words that mean "and". Names often write them as "&", which is not indexed. */
const JOINING = new Set(["e", "and", "y"]);

function stateClause(segment: Segment, uf: string): Clause {
  const code = segment.codeOf("uf", uf);
  const codes = Uint32Array.from(code < 0 ? [] : [code]);
  return { kind: "posting", any: [{ dimension: "uf", codes }], negated: false };
}

/** Returns a sentence that says why a text cannot be looked up; null if it can. */
export function mistakeIn(text: string): string | null {
  const { characters, words } = SUGGEST_LIMITS;
  if (text.length > characters) return `Type at most ${characters} characters.`;
  const count = analyzeWords(text).length;
  if (count === 0) return "Type at least one letter or digit.";
  return count > words ? `Type at most ${words} words.` : null;
}

/** Returns a page of a company's establishments, head offices first, then by CNPJ. */
export async function establishments(
  segment: Segment,
  { root, afterRow, limit, fields }: CompanyRequest,
  tenantId = "",
): Promise<CompanyPage> {
  // Requests one row more than needed, to find out whether another page follows.
  const { rows, total } = await companyRows(
    segment,
    { root, afterRow, limit: limit + 1 },
    tenantId,
  );
  const wanted = rows.subarray(0, limit);
  return {
    accounts: rendered(segment, wanted, fields),
    total,
    more: rows.length > limit,
    lastRow: wanted.at(-1) ?? -1,
  };
}

function companyRows(
  segment: Segment,
  page: Pick<CompanyRequest, "root" | "afterRow" | "limit">,
  tenantId: string,
) {
  return queue.run(tenantId, 1, () => segment.native.companyAsync(page));
}

function rendered(segment: Segment, rows: Uint32Array, fields: readonly string[]) {
  if (rows.length === 0) return [];
  const bytes = segment.native.renderJson(rows, fields);
  return JSON.parse(Buffer.from(bytes).toString()) as readonly RenderedAccount[];
}

/** The functions of the engine that servers and agents use. */
export const ENGINE = {
  ...{ page, counts, countMatches, account, suggest, establishments, ownershipOf },
};
