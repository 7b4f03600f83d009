/**
 * Parts of the OpenAPI examples: the request specs, and parts of answers about an invented company.
 * Invariant: the spec in answers is the normalized spec of the requests. Tests and the linter check
 * every example against its schema.
 */
import { DEFAULT_FIELDS } from "../../spec/fields.ts";
import { normalizeSpec } from "../../spec/normalize.ts";

/** Restaurants in Minas Gerais since 2020 with an e-mail address, not MEI. */
export const EXAMPLE_SPEC = {
  filters: {
    industry: { cnae_any_of: ["5611-2/01"] },
    geo: { uf_any_of: ["MG"] },
    company: { registration_status_any_of: [2], mei_opt_in: false, started_after: "2020" },
    contact: { require_email: true },
  },
};

/** Facets in the examples. */
export const EXAMPLE_FACETS = ["uf", "cnae_subclass"];

/** Request id in answers. */
export const EXAMPLE_REQUEST = { request_id: "req_0123456789ab0000001" };

/** Snapshot in answers. */
export const EXAMPLE_SOURCE = { snapshot: "2026-10", snapshot_date: "2026-10-10" };

/** Provenance in answers. */
export const EXAMPLE_PROVENANCE = {
  rfb_snapshot: "2026-10",
  ibge_population_year: "2025",
  ceis_as_of_date: "not_available",
};

/** First members of an answer about data. */
export const EXAMPLE_HEAD = {
  ...EXAMPLE_REQUEST,
  ...EXAMPLE_SOURCE,
  provenance: EXAMPLE_PROVENANCE,
};

/** The invented company. */
export const EXAMPLE_ACCOUNT = {
  cnpj: "11222333000181",
  legal_name: "CANTINA INVENTADA LTDA",
  uf: "MG",
  municipality_ibge: "3106200",
  cnae_primary: "5611201",
};

/** Last members of a list. */
export const EXAMPLE_END = { next_cursor: null, has_more: false };

/** Returns the normalized example spec of a search or an export. */
export function exampleNormalized(mode: "search" | "export") {
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
