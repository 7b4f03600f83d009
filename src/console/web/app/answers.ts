/**
 * Types of the console's requests and answers as the browser sees them; members are spelled as in
 * JSON.
 * Invariant: answers shared with the public interface use its schemas. Other answers are described
 * here, and the handlers (src/console) compile against these types. End-to-end tests read every
 * answer. Paths are below /v1/console; failures are problem documents.
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
import type { OptionalData } from "../../../spec/catalog.ts";
import type { RefusedContact } from "../../../spec/contacts/contactrefusal.ts";
import type { FilterGroup, PartMember } from "../../../spec/filters/table.ts";
import type { PresetName } from "../../../spec/presets.ts";
import type { AccountQuerySpec } from "../../../spec/schema.ts";
import type { AuditAction, Facts } from "../../../store/auditactions.ts";
import type { Notice } from "./recordanswers.ts";

type SpecFilters = AccountQuerySpec["filters"];

/** A schema of the public interface, with more precise types for some members. */
type Described<Schema extends TSchema, Known = object> = Omit<Type.Static<Schema>, keyof Known> &
  Known;

/** Type of a value that a user may enter. A code may be unknown to the server. */
type Edited<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends (infer Element)[]
      ? Edited<Element>[]
      : Value;

/** The filters that the console edits; the server normalizes them. */
export type Filters = {
  [Group in Exclude<FilterGroup, "lists">]: {
    [Member in keyof SpecFilters[Group] as Extract<Member, PartMember>]: Edited<
      SpecFilters[Group][Member]
    >;
  };
} & { lists?: { any_of?: string[]; exclude?: string[] } };

/** A sort key. */
export interface SortKeySent {
  field: string;
  direction: "asc" | "desc";
}

/** A normalized spec from the server. */
export interface Spec {
  kind: "account_query";
  spec_version: "2.0";
  entity: "company";
  limit: number;
  filters: Filters;
  sort: SortKeySent[];
  scoring: { strategy: string; random_seed: number | null };
  output: {
    format: string;
    include_explain: boolean;
    fields: string[];
    title?: string;
    preset?: PresetName;
  };
  explain: Explain;
}

/** A translator's remarks. */
interface Explain {
  assumptions: TranslationNote[];
  warnings: (TranslationNote | string)[];
  unmapped_constraints: TranslationNote[];
  confidence: number;
}

/** A remark on words of a sentence, with their position in UTF-16 units. See notes.ts. */
export interface TranslationNote {
  code?: string;
  detail: string;
  words?: string;
  start?: number;
  end?: number;
  [more: string]: unknown;
}

/** A span of the sentence and its meaning. */
export type TranslationPart = TranslateAnswer["parts"][number];

/** The data's source; in every answer about data. */
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

/** Counts of the matches by value of a field. With `other` and `missing`, they sum to the total. */
export type FacetAnswer = Described<typeof ACCOUNT_SCHEMAS.Facet>;

/**
 * `POST /explore` with `{spec, facets?: string[], beside?: ("uf")[]}`: counts for a spec of any
 * breadth. Each facet in `beside` is counted without the filters on its own dimension (for `uf`,
 * all places), so that users can choose other values. It is null if no such filter is set.
 */
export interface ExploreAnswer extends Source {
  spec: Spec;
  total: number;
  /** True if a search would refuse the spec; `missing` names the filters that it needs. */
  too_broad: boolean;
  missing: string[];
  facets: Record<string, FacetAnswer>;
  beside: Record<string, FacetAnswer | null>;
  /**
   * If the total is 0: for each filter, the total without it, largest first. `pointers` name the
   * members of the spec to clear, such as `/filters/geo/uf_any_of`.
   */
  drops: { filter: string; pointers: string[]; total: number }[];
  warnings: string[];
  took_ms: number;
}

/** The requested fields of one account. */
export type AccountFields = Record<string, unknown>;

/** An account with its CNPJ, which is always requested. */
export type Account = { cnpj: string } & AccountFields;

/** `POST /accounts/search`, as POST /v1/accounts/search. */
export type SearchPage = Described<
  typeof SEARCH_SCHEMAS.SearchAnswer,
  { spec: Spec; accounts: Account[] }
>;

/** `GET /accounts/{cnpj}`: every field of the plan. */
export type AccountAnswer = Described<
  typeof SEARCH_SCHEMAS.AccountAnswer,
  { account: Account; provenance: Record<string, string> }
>;

/**
 * `GET /accounts/suggest?q&limit`, as GET /v1/accounts/suggest. Only the members that the console
 * reads are listed. The public schema cannot be imported here, because it depends on the engine.
 */
export interface SuggestAnswer extends Source {
  suggestions: { match: string; account: Account }[];
  /** Reason why a phone or an e-mail was not looked up, or null. */
  contact_refused: RefusedContact | null;
}

/** `GET /companies/{root}?limit&cursor`, as GET /v1/companies/{root}, in the members read here. */
export interface CompanyAnswer extends Source {
  /** Establishments of the company, head offices first, then by CNPJ. */
  accounts: Account[];
  next_cursor: string | null;
  has_more: boolean;
  total: number;
}

/** Explains why an account is listed: its score with parts, and the fact for each filter. */
interface AccountExplain {
  score: number;
  parts: Record<string, number>;
  matched: Record<string, unknown>;
  [more: string]: unknown;
}

/** `POST /accounts/explain` with `{spec, cnpj}`: the whole account and its reasons. */
export interface ExplainAnswer extends Source {
  /** All fields that the plan includes. */
  account: AccountFields;
  /** True if the account meets the spec; see `explain.matched`. */
  listed: boolean;
  explain: AccountExplain;
}

/** `GET /catalog`: choices of pickers and names of chips. Cached by ETag. */
export interface CatalogAnswer {
  snapshot: string;
  /** Subclasses in code order, with the lexicon's everyday words for them. */
  activities: {
    code: string;
    description: string;
    /** Short name, or null. */
    short: { pt: string; en: string } | null;
    terms: string[];
    accounts: number;
  }[];
  /** Sections, divisions, groups, and classes (`A`, `47`, `472`, `4721-1`), named if known. */
  prefixes: { code: string; description: string | null; accounts: number }[];
  municipalities: { ibge: string; tom: string; name: string; uf: string; accounts: number }[];
  states: { uf: string; name: string; accounts: number }[];
  legal_natures: { code: string; description: string; accounts: number }[];
  /** Names of status reasons, by code. */
  status_reasons: Readonly<Record<"pt" | "en", Readonly<Record<string, string>>>>;
  /** Codes of the status reasons that occur in the snapshot. */
  used_reasons: string[];
  /** Data for filters that this snapshot lacks. */
  lacks: OptionalData[];
  /** Three sentences per language that match something in this snapshot. */
  examples: { pt: string[]; en: string[] };
}

/** `GET /status`, as GET /v1/status. */
export type Status = Described<
  typeof STATUS_SCHEMAS.Status,
  { provenance: Record<string, string> | null }
> & {
  /** Number of saved searches that were last viewed before the served month. */
  unseen_searches: number;
  /** True if the operator has set a mail server. */
  sends_emails: boolean;
  /** Layouts of other products whose fields the plan allows. */
  presets: PresetName[];
};

/** The current user. */
export interface SignedInUser {
  id: string;
  email: string;
  role: "owner" | "member";
  tenant: string;
  plan: string;
}

/**
 * Answer of `GET /session`, `POST /session` with `{email, password, keep?}`, and `POST /password`
 * with `{current_password, new_password}`. If no user is signed in, `GET /session` answers with
 * `user` null and without the other members.
 */
export interface SessionAnswer {
  user: SignedInUser | null;
  /** The token that requests send as X-CSRF-Token with all methods but GET. */
  csrf_token?: string;
  /** The session ends after this many seconds without a request, or at `expires_at`. */
  idle_seconds?: number;
  expires_at?: string;
  /** From `GET` only: how long users can choose to stay signed in; 0 if they cannot. */
  keep_seconds?: number;
  /** From `GET` only: contact for sign-in trouble, or null. */
  contact?: string | null;
}

/** `GET /sessions`: the user's sessions. */
export interface SessionList {
  sessions: { id: string; created_at: string; seen_at: string; current: boolean }[];
}

/** An export: the public record and additional members of the console. */
export type ExportView = Described<
  typeof EXPORT_SCHEMAS.ExportRecord,
  {
    /** Path below /v1/console; null once expired. */
    download_url: string | null;
  }
> & {
  expired: boolean;
  created_at: string;
  /** E-mail of the user, or name of the key; null if deleted. */
  created_by: string | null;
  /** Slug of the content, in a-z, digits, and hyphens. */
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
 * the current snapshot), both with Idempotency-Key. `GET /exports/{id}?wait=` returns the record.
 */
export interface CreatedExport extends Source {
  spec: Spec;
  export: ExportView;
}

/** `POST /exports/estimate` with `{spec, output, limit?}`: size of the export. */
export interface ExportEstimate {
  request_id: string;
  /** Exact number of rows, within the limits of plan and format. */
  rows: number;
  /** Number of matches before the limits of plan and format. */
  matches: number;
  /** Size of the file, estimated from rendered rows. It is exact only for small exports. */
  bytes: number;
  /** The maximum rows of the format if the export exceeds it, else null. */
  rows_max: number | null;
  /** Headings of the layout's columns; empty without a layout. */
  columns: string[];
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

/** A saved search in the list. */
export interface SavedSearch {
  id: string;
  name: string;
  /** The original sentence, or null. */
  text: string | null;
  created_at: string;
  created_by: string | null;
  /**
   * Count when the search was saved or last refreshed (`POST /searches/{id}` `{refresh: true}`).
   */
  saved: { snapshot: string; total: number };
  /** Count now; null if there is no snapshot, or if the spec is invalid for it. */
  now: { snapshot: string; total: number } | null;
  /** True if a newer month does not cause a notice. */
  paused: boolean;
  /** The newest notice that was counted. */
  last_notice: Notice | null;
}

/** `POST /changes` with `{since, spec, kinds, output, limit, cursor?}`, as POST /v1/changes. */
export type ChangesAnswer = Described<
  typeof CHANGE_SCHEMAS.ChangesAnswer,
  { spec: Spec; changes: ChangeAnswer[] }
>;

/** A change: an account before and after, with requested or changed fields. */
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
  /** Only for a rotation: the key that was replaced, and when it ends. */
  replaces?: string;
  old_expires_at?: string;
}

/** `GET /keys`: oldest first. Routes that change a key return the changed key. */
export interface KeyList {
  keys: ApiKey[];
}

/** Id of the sender that stands for all others. Members see only the total use of other senders. */
export const OTHER_SENDERS = "others";

/** `GET /usage?days=30`: one number per day and sender, oldest day first (UTC). */
export interface UsageAnswer {
  days: string[];
  senders: {
    id: string;
    /** Name of the key, or e-mail of the user; empty if unknown. */
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

/** `GET /plans`: the plans of the server, smallest first, and the user's plan. */
export interface PlansAnswer {
  current: string;
  plans: {
    name: string;
    limits: Record<string, number | boolean>;
    /** Built-in values of the limits that the operator has changed. */
    defaults: Record<string, number>;
    /** Number of output fields. */
    fields: number;
  }[];
}

/** `GET /places?uf=SP`: the municipalities of a state. */
export interface PlacesAnswer {
  /** Year of the populations; empty if there are none. */
  year: string;
  places: {
    ibge: string;
    name: string;
    /** Latitude and longitude of the seat, in hundredths of a degree; null if unknown. */
    at: [number, number] | null;
    population: number | null;
  }[];
}

/** Actor or subject of a change; `name` is null if it has none. */
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

/** Numbers of rows by outcome: accounts, blank cells, and invalid CNPJs by reason. */
interface EnrichmentOutcomes {
  found?: number;
  head_office?: number;
  not_in_snapshot?: number;
  blank?: number;
  lost_zeros?: number;
  [reason: string]: number | undefined;
}

/** `POST /enrich/preview?labels&column&lost_zeros` with a spreadsheet: a preview of the result. */
export interface EnrichmentPreview {
  request_id: string;
  format: "csv" | "xlsx";
  /** Encoding and delimiter of a CSV file; null for XLSX. */
  encoding: string | null;
  delimiter: string | null;
  sheet: string | null;
  /** Why this sheet, and numbers of visible and of hidden sheets that are not read. */
  sheet_reason:
    | "first_with_cnpjs"
    | "after_cover"
    | "most_cnpjs"
    | "only_with_data"
    | "named"
    | null;
  other_sheets: number;
  hidden_sheets: number;
  /** Headings, or letters. */
  columns: string[];
  /** Number of all columns, including those not shown. */
  width: number;
  /** Position of the column of CNPJs, from 0. */
  column: number;
  /** Row of the header, from 1; null if there is none. */
  header: number | null;
  rows: number;
  /** Rows by outcome. */
  outcomes: EnrichmentOutcomes;
  /** The first rows whose CNPJ was refused. */
  refused: { row: number; text: string; reason: string; offered?: string }[];
  /** Maps each field to its heading in a file with labels. */
  headings: Record<string, string>;
  first: {
    row: number;
    cells: string[];
    outcome: string;
    /** The outcome in words. */
    status: string;
    account: Record<string, unknown> | null;
  }[];
}

/** `POST /enrich/files` with a spreadsheet, as POST /v1/enrich/files. */
export interface CreatedEnrichment {
  rows: number;
  export: { export_id: string };
}
