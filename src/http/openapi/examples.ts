/**
 * Examples of answers in the OpenAPI document. What comes in: the name of a schema or the code of
 * an error. What goes out: an answer of that kind, with an invented company.
 * Invariant: every example fits its schema, and the specs in them are what normalization makes of
 * the spec that the examples of requests send; tests and the linter hold both.
 */
import { loadPlans, PLAN_NAMES } from "../../access/plans.ts";
import { ERROR_CODES, type ErrorCode } from "../../errors.ts";
import { FACETS } from "../../search/facet.ts";
import { SCORE_VERSION, SCORE_WEIGHTS } from "../../search/score.ts";
import {
  DEFAULT_FIELDS,
  EXPORT_FORMATS,
  SCORING_STRATEGIES,
  SECONDARY_CNAE_MODES,
  SORT_FIELDS,
} from "../../spec/fields.ts";
import { normalizeSpec } from "../../spec/normalize.ts";
import type { SchemaName } from "../api/schemas.ts";
import { ERROR_NOTES } from "./error-notes.ts";

/** Restaurants in Minas Gerais since 2020 with an e-mail address, not MEI. */
export const EXAMPLE_SPEC = {
  filters: {
    industry: { cnae_any_of: ["5611-2/01"] },
    geo: { uf_any_of: ["MG"] },
    company: { registration_status_any_of: [2], mei_opt_in: false, started_after: "2020" },
    contact: { require_email: true },
  },
};

/** The same in the flat form. */
export const EXAMPLE_LEAD_QUERY = {
  kind: "lead_query",
  spec_version: "1.0",
  activities: ["restaurantes"],
  cities: ["Belo Horizonte", "Bom Jesus/PI"],
  sizes: ["micro", "pequena"],
  opened_after: "2020",
  has_email: true,
  mei: false,
};

/** Facets that the examples ask for. */
export const EXAMPLE_FACETS = ["uf", "cnae_subclass"];

/** An id of an export, and the record it has. */
const EXPORT_ID = "exp_0123456789abcdef0123456789abcdef";

const request = { request_id: "req_0123456789ab0000001" };
const source = { snapshot: "2026-10", snapshot_date: "2026-10-10" };
const provenance = {
  rfb_snapshot: "2026-10",
  ibge_population_year: "2025",
  ceis_as_of_date: "not_available",
};
const account = {
  cnpj: "11222333000181",
  legal_name: "CANTINA INVENTADA LTDA",
  uf: "MG",
  municipality_ibge: "3106200",
  cnae_primary: "5611201",
};
const earlier = { snapshot: "2026-09", snapshot_date: "2026-09-12" };
const change = {
  cnpj: account.cnpj,
  change: "changed",
  changed_fields: ["email"],
  before: { ...account, email: "cantina@velho.example" },
  after: { ...account, email: "contato@cantina-inventada.example" },
};
const lead = {
  ...account,
  cnpj_root: "11222333",
  trade_name: "CANTINA INVENTADA",
  headquarters: true,
  cnae_primary_description: "Restaurantes e similares",
  municipality_name: "Belo Horizonte",
  email: "contato@cantina-inventada.example",
  phones: ["+553130000000"],
  size: "microempresa",
  age: "6 anos e 2 meses",
  score: 812,
  score_reasons: ["situação cadastral: +420", "tem e-mail: +110", "tem telefone: +81"],
};
const facetValue = (value: string, label?: string) => ({
  values: [{ value, ...(label === undefined ? {} : { label }), count: 1 }],
  other: { values: 0, count: 0 },
  missing: 0,
});
const facets = {
  uf: facetValue("MG"),
  cnae_subclass: facetValue("5611-2/01", "Restaurantes e similares"),
};
const page = { next_cursor: null, has_more: false };
const record = {
  export_id: EXPORT_ID,
  status: "done",
  format: "csv",
  ...source,
  row_count: 1,
  size_bytes: 118,
  expires_at: "2026-11-22T12:00:00.000Z",
  download_url: `/v1/exports/${EXPORT_ID}/download`,
  sha256: "0123456789abcdef".repeat(4),
};
const queued = {
  ...record,
  status: "queued",
  row_count: null,
  size_bytes: null,
  object_key: null,
  expires_at: null,
  download_url: null,
  sha256: undefined,
};

/** The example's spec as a search or an export answers it. */
function normalized(mode: "search" | "export") {
  return normalizeSpec(EXAMPLE_SPEC, {
    catalog: { cnaeCodes: ["5611201"], legalNatures: [], municipalities: [] },
    limitDefault: mode === "search" ? 50 : 10_000,
    limitCap: 50_000,
    allowedFields: DEFAULT_FIELDS,
    defaultFields: DEFAULT_FIELDS,
    mode,
    fullAllowed: false,
  });
}

function statusExample() {
  const plans = loadPlans();
  const { limits, fields, secondaryCnaeFull } = plans.enterprise;
  return {
    ...{ ...request, status: "ok", version: "0.1.0", ...source, provenance, accounts: 71_000_000 },
    verification: {
      pass_seconds: 86_400,
      blocks: 312_500,
      checked_blocks: 140_625,
      passes: 11,
      last_pass_at: "2026-10-22T04:31:07.000Z",
    },
    changes_since: ["2026-09", "2026-08"],
    plan: "enterprise",
    limits: { ...limits, secondary_cnae_full: secondaryCnaeFull },
    field_allowlist: fields,
    field_allowlist_by_plan: Object.fromEntries(
      PLAN_NAMES.map((name) => [name, plans[name].fields]),
    ),
    allowed_sort_fields: SORT_FIELDS,
    scoring_strategies: SCORING_STRATEGIES,
    export_formats: EXPORT_FORMATS,
    secondary_cnae_modes: SECONDARY_CNAE_MODES,
    facets: FACETS,
    usage: {
      today: { requests: 812, accounts: 40_600, export_rows: 25_000 },
      export_rows_left: null,
      export_bytes_kept: 0,
      export_bytes_left: 500_000_000_000,
    },
    score: { version: SCORE_VERSION, weights: SCORE_WEIGHTS },
  };
}

const EXAMPLES: Readonly<Partial<Record<SchemaName, () => unknown>>> = {
  SearchAnswer: () => ({
    ...{ ...request, ...source, provenance, spec: normalized("search").spec },
    ...{ accounts: [account], ...page, total: 1, facets, took_ms: 0.213 },
  }),
  CountAnswer: () => ({
    ...{ ...request, ...source, provenance, spec: normalized("search").spec },
    ...{ total: 1, facets, took_ms: 0.118 },
  }),
  AccountAnswer: () => ({ ...request, ...source, provenance, account }),
  NormalizeAnswer: () => {
    const { spec, changes, warnings } = normalized("search");
    return { ...request, valid: true, spec, changes, warnings, matches: 1, too_broad: false };
  },
  LeadsAnswer: () => ({
    ...{ ...request, ...source, provenance, spec: normalized("search").spec },
    ...{ one_per_company: true, leads: [lead], ...page, total: 1, took_ms: 0.412 },
  }),
  TranslateAnswer: () => {
    const { spec } = normalized("search");
    const text = { words: "restaurantes", start: 0, end: 12 };
    return {
      ...{ ...request, ...source, spec, explain: spec.explain },
      parts: [{ ...text, role: "activity" }],
      ...{ matches: 1, suggestions: [] },
    };
  },
  ChangesAnswer: () => ({
    ...{ ...request, since: earlier, until: source, spec: normalized("search").spec },
    ...{ kinds: ["entered", "left", "changed"], watch: ["email"] },
    ...{ totals: { entered: 12, left: 5, changed: 1 }, count: 1, changes: [change], ...page },
    ...{ warnings: [], provenance, took_ms: 0.874 },
  }),
  ExportRecord: () => record,
  CreatedExport: () => ({
    ...{ ...request, ...source, spec: normalized("export").spec },
    ...{ preview_accounts: [], export: queued },
  }),
  ExportList: () => ({ exports: [record], ...page }),
  Status: statusExample,
  RpcAnswer: () => ({
    ...{ jsonrpc: "2.0", id: null },
    error: { code: -32600, message: 'jsonrpc must be "2.0", not missing.' },
  }),
  RpcAnswers: () => ({
    ...{ jsonrpc: "2.0", id: 1 },
    result: {
      content: [{ type: "text", text: "1 accounts match." }],
      structuredContent: { ...source, provenance, total: 1, warnings: [] },
    },
  }),
  Health: () => ({ status: "ok", version: "0.1.0", transport: "uws" }),
};

/** An answer of a schema; undefined for schemas that are parts of others. */
export function answerExample(name: SchemaName): unknown {
  const made = EXAMPLES[name]?.();
  // What is undefined is not there, as in every answer.
  return made === undefined ? undefined : JSON.parse(JSON.stringify(made));
}

/** An error of a code. */
export function problemExample(code: ErrorCode): unknown {
  const { status, title } = ERROR_CODES[code];
  const detail = ERROR_NOTES[code];
  const errors = status === 422 ? { errors: [{ pointer: "", code, detail }] } : {};
  return { type: `/docs/errors#${code}`, title, status, code, detail, ...request, ...errors };
}
