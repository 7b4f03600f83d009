/**
 * What the console's routes take and answer, as the browser sees it. What comes in: nothing. What
 * goes out: types; their members are spelled as in JSON.
 * Invariant: what the public interface answers too is described by its schemas; what only the
 * console answers is described here, and its handlers (src/console) compile against it. End-to-end
 * tests read every one of them. Paths are below /v1/console; failures are problem documents.
 */
import type Type from "typebox";
import type { TSchema } from "typebox";
import type {
  ACCOUNT_SCHEMAS,
  SEARCH_SCHEMAS,
} from "../../../http/api/accounts/accounts-schemas.ts";
import type { CHANGE_SCHEMAS } from "../../../http/api/changes/changes-schemas.ts";
import type { EXPORT_SCHEMAS } from "../../../http/api/exports/exports-schemas.ts";
import type { STATUS_SCHEMAS } from "../../../http/api/service/status-schemas.ts";
import type { TRANSLATE_SCHEMAS } from "../../../http/api/spec/spec-schemas.ts";
import type { RefusedContact } from "../../../spec/contacts/contactrefusal.ts";
import type { FilterGroup, PartMember } from "../../../spec/filters/table.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { AuditAction, Facts } from "../../../store/auditactions.ts";

type SpecFilters = AccountQuerySpec["filters"];

/** What a schema of the public interface says; of some members the console knows more. */
type Described<Schema extends TSchema, Known = object> = Omit<Type.Static<Schema>, keyof Known> &
  Known;

/** A value as people may set it: any code, whether or not the server knows it. */
type Edited<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends (infer Element)[]
      ? Edited<Element>[]
      : Value;

/** The filters of a spec as far as the console edits them; the server normalizes them. */
export type Filters = {
  [Group in Exclude<FilterGroup, "lists">]: {
    [Member in keyof SpecFilters[Group] as Extract<Member, PartMember>]: Edited<
      SpecFilters[Group][Member]
    >;
  };
} & { lists?: { any_of?: string[]; exclude?: string[] } };

/** One key of the order. */
export interface SortKeySent {
  field: string;
  direction: "asc" | "desc";
}

/** A normalized spec as the server answers it. */
export interface Spec {
  kind: "account_query";
  spec_version: "2.0";
  entity: "company";
  limit: number;
  filters: Filters;
  sort: SortKeySent[];
  scoring: { strategy: string; random_seed: number | null };
  output: { format: string; include_explain: boolean; fields: string[]; title?: string };
  explain: Explain;
}

/** What a translator has to say. */
interface Explain {
  assumptions: TranslationNote[];
  warnings: (TranslationNote | string)[];
  unmapped_constraints: TranslationNote[];
  confidence: number;
}

/** One remark with the words it stems from (UTF-16 units of the sentence); see notes.ts. */
export interface TranslationNote {
  code?: string;
  detail: string;
  words?: string;
  start?: number;
  end?: number;
  [more: string]: unknown;
}

/** A stretch of the sentence and what it became. */
export type TranslationPart = TranslateAnswer["parts"][number];

/** Where data is from; in every answer about data. */
interface Source {
  request_id: string;
  snapshot: string;
  snapshot_date: string;
}

/** `POST /translate` with `{query_text}`. */
export type TranslateAnswer = Described<
  typeof TRANSLATE_SCHEMAS.TranslateAnswer,
  { spec: Spec; explain: Explain }
>;

/** How matches spread over the values of a field; sums to the total with `other` and `missing`. */
export type FacetAnswer = Described<typeof ACCOUNT_SCHEMAS.Facet>;

/**
 * `POST /explore` with `{spec, facets?: string[], beside?: ("uf")[]}`: counts, however broad. For
 * each name in `beside` the facet is counted without the filters of the same thing (for `uf` those
 * of the place), so that other values can be chosen; each is null where there is no such filter.
 */
export interface ExploreAnswer extends Source {
  spec: Spec;
  total: number;
  /** Whether a search would refuse the spec, and which filters it lacks (pointers). */
  too_broad: boolean;
  missing: string[];
  facets: Record<string, FacetAnswer>;
  beside: Record<string, FacetAnswer | null>;
  /**
   * Where the total is 0: what it would be without one filter, the most helpful first. `pointers`
   * are those of the spec that are to be cleared, such as `/filters/geo/uf_any_of`.
   */
  drops: { filter: string; pointers: string[]; total: number }[];
  warnings: string[];
  took_ms: number;
}

/** Of one account the fields that were asked for. */
export type AccountFields = Record<string, unknown>;

/** One account of a list, which always asks for its number. */
export type Account = { cnpj: string } & AccountFields;

/** `POST /accounts/search`, as POST /v1/accounts/search. */
export type SearchPage = Described<
  typeof SEARCH_SCHEMAS.SearchAnswer,
  { spec: Spec; accounts: Account[] }
>;

/** `GET /accounts/{cnpj}`: every field of the plan. */
export type AccountAnswer = Described<typeof SEARCH_SCHEMAS.AccountAnswer, { account: Account }>;

/**
 * `GET /accounts/suggest?q&limit`, as GET /v1/accounts/suggest, as far as it is read here. (Its
 * schema knows the engine, which no browser has.)
 */
export interface SuggestAnswer extends Source {
  suggestions: { match: string; account: Account }[];
  /** Why a phone or an e-mail was not looked up. */
  contact_refused: RefusedContact | null;
}

/** `GET /companies/{root}?limit&cursor`, as GET /v1/companies/{root}, as far as it is read here. */
export interface CompanyAnswer extends Source {
  /** Head offices first, then by CNPJ. */
  accounts: Account[];
  next_cursor: string | null;
  has_more: boolean;
  total: number;
}

/** Why an account is listed: the score's parts sum to it; `matched` by filter. */
interface AccountExplain {
  score: number;
  parts: Record<string, number>;
  matched: Record<string, unknown>;
  [more: string]: unknown;
}

/** `POST /accounts/explain` with `{spec, cnpj}`: the whole account, and why it is listed. */
export interface ExplainAnswer extends Source {
  /** All fields of the plan. */
  account: AccountFields;
  /** Whether the account meets the spec; `explain.matched` says how. */
  listed: boolean;
  explain: AccountExplain;
}

/** `GET /catalog`: what pickers choose among and chips are called. Cached by ETag. */
export interface CatalogAnswer {
  snapshot: string;
  /** Subclasses in order of code, with the words of the lexicon that people use for them. */
  activities: {
    code: string;
    description: string;
    /** What it is called where there is little room; null where it has no such name. */
    short: { pt: string; en: string } | null;
    terms: string[];
    accounts: number;
  }[];
  /** Sections, divisions, groups, classes (`A`, `47`, `472`, `4721-1`): names where known. */
  prefixes: { code: string; description: string | null; accounts: number }[];
  municipalities: { ibge: string; tom: string; name: string; uf: string; accounts: number }[];
  states: { uf: string; name: string; accounts: number }[];
  legal_natures: { code: string; description: string; accounts: number }[];
  /** Three sentences of each language that find something in this snapshot. */
  examples: { pt: string[]; en: string[] };
}

/** `GET /status`, as GET /v1/status. */
export type Status = Described<
  typeof STATUS_SCHEMAS.Status,
  { provenance: Record<string, string> | null }
> & {
  /** Saved searches whose last look was at an older month than the one served. */
  unseen_searches: number;
};

/** Who is signed in. */
export interface SignedInUser {
  id: string;
  email: string;
  role: "owner" | "member";
  tenant: string;
  plan: string;
}

/**
 * `GET /session` (user null when nobody is signed in, and then without the rest), `POST /session`
 * with `{email, password}` and perhaps `keep`, `POST /password` with `{current_password,
 * new_password}`.
 */
export interface SessionAnswer {
  user: SignedInUser | null;
  /** To be sent as X-CSRF-Token with everything but GET. */
  csrf_token?: string;
  /** The session ends after this many seconds without a request, and at `expires_at` anyway. */
  idle_seconds?: number;
  expires_at?: string;
  /** Told by `GET` alone: how long somebody stays signed in who wishes to; 0 where nobody can. */
  keep_seconds?: number;
  /** Told by `GET` alone: whom to ask who cannot sign in, or null. */
  contact?: string | null;
}

/** `GET /sessions`: where the user is signed in. */
export interface SessionList {
  sessions: { id: string; created_at: string; seen_at: string; current: boolean }[];
}

/** One export with what the console tells beside the public record. */
export type ExportView = Described<
  typeof EXPORT_SCHEMAS.ExportRecord,
  {
    /** Below /v1/console here; null once expired. */
    download_url: string | null;
  }
> & {
  expired: boolean;
  created_at: string;
  /** E-mail of the user, or name of the key; null for what is gone. */
  created_by: string | null;
  /** What it holds, in letters, digits and hyphens. */
  slug: string;
  spec: Spec;
};

/** `GET /exports?limit&cursor`. */
export interface ExportList {
  exports: ExportView[];
  next_cursor: string | null;
  has_more: boolean;
}

/**
 * `POST /exports` with `{spec, output, limit?}` and `POST /exports/{id}/again` (the same spec on
 * the present snapshot), both with Idempotency-Key; `GET /exports/{id}?wait=` gives the record
 * alone.
 */
export interface CreatedExport extends Source {
  spec: Spec;
  export: ExportView;
}

/** `POST /exports/estimate` with `{spec, output, limit?}`: what an export would be. */
export interface ExportEstimate {
  request_id: string;
  /** Exact number of rows, after the plan's and the format's bounds. */
  rows: number;
  /** Matches before those bounds. */
  matches: number;
  /** From rows that were rendered for it; exact only for small ones. */
  bytes: number;
  /** The format cannot hold that many rows; null where it can. */
  rows_max: number | null;
}

/** `GET /searches?limit&cursor`: a page, newest first, without the specs. */
export interface SearchList {
  searches: SavedSearch[];
  next_cursor: string | null;
  has_more: boolean;
}

/** `GET /searches/{id}`, and `POST /searches` with `{name, text?, spec}`, answer `{search}`. */
export interface OpenedSearch extends SavedSearch {
  spec: Spec;
}

/** One of the list of saved searches. */
export interface SavedSearch {
  id: string;
  name: string;
  /** The sentence it began with, or null. */
  text: string | null;
  created_at: string;
  created_by: string | null;
  /** As counted when it was saved or last refreshed (`POST /searches/{id}` `{refresh: true}`). */
  saved: { snapshot: string; total: number };
  /** As counted now; null where there is no snapshot or the spec means nothing to it. */
  now: { snapshot: string; total: number } | null;
}

/** `POST /changes` with `{since, spec, kinds, output, limit, cursor?}`, as POST /v1/changes. */
export type ChangesAnswer = Described<
  typeof CHANGE_SCHEMAS.ChangesAnswer,
  { spec: Spec; changes: ChangeAnswer[] }
>;

/** One change; what an account was and is, as far as it was asked for or differs. */
export type ChangeAnswer = Described<
  typeof CHANGE_SCHEMAS.Change,
  { before: Account | null; after: Account | null }
>;

/** An API key. */
export interface ApiKey {
  key_id: string;
  name: string;
  plan: string;
  state: "active" | "disabled" | "expired" | "tenant_disabled";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

/** `POST /keys` `{name, expires_in_days?}`, `POST /keys/{id}/rotate` `{overlap_seconds?}`. */
export interface CreatedKeyAnswer extends ApiKey {
  /** Shown once. */
  key: string;
  /** Of a rotation: the key that it replaces and when that ends. */
  replaces?: string;
  old_expires_at?: string;
}

/** `GET /keys`: oldest first. What changes a key answers it as it is then. */
export interface KeyList {
  keys: ApiKey[];
}

/** Id under which members see what all others of their tenant used. */
export const OTHER_SENDERS = "others";

/** `GET /usage?days=30`: one number per day and sender, oldest day first (UTC). */
export interface UsageAnswer {
  days: string[];
  senders: {
    id: string;
    /** Name of the key, or e-mail of the user; empty where it has none. */
    name: string;
    kind: "key" | "console";
    requests: number[];
    accounts: number[];
    export_rows: number[];
  }[];
  today: { requests: number; accounts: number; export_rows: number };
  plan: string;
  limits: Record<string, number | boolean>;
  export_rows_left: number | null;
}

/** Who made a change, or what it was made to; `name` is null where there is none to show. */
export interface AuditParty {
  kind: string;
  id: string | null;
  name: string | null;
}

/** A line of the audit trail. */
export interface AuditLine {
  at: string;
  action: AuditAction;
  actor: AuditParty & { you: boolean };
  subject: AuditParty;
  facts: Facts;
}

/** `GET /audit?limit=50&cursor=…`, for owners: newest first. */
export interface AuditPage {
  lines: AuditLine[];
  next_cursor: string | null;
  has_more: boolean;
}
