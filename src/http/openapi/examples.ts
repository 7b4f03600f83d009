/**
 * What the examples of the OpenAPI document are made of. What comes in: nothing. What goes out: the
 * questions that they send, and the parts of answers about an invented company.
 * Invariant: the spec of an answer is what normalization makes of the spec that the examples of
 * requests send; tests and the linter hold every example against its schema.
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

/** Facets that the examples ask for. */
export const EXAMPLE_FACETS = ["uf", "cnae_subclass"];

/** The id of the request in answers. */
export const EXAMPLE_REQUEST = { request_id: "req_0123456789ab0000001" };

/** The snapshot that answers are about. */
export const EXAMPLE_SOURCE = { snapshot: "2026-10", snapshot_date: "2026-10-10" };

/** Where its data is from. */
export const EXAMPLE_PROVENANCE = {
  rfb_snapshot: "2026-10",
  ibge_population_year: "2025",
  ceis_as_of_date: "not_available",
};

/** What an answer about data begins with. */
export const EXAMPLE_HEAD = {
  ...EXAMPLE_REQUEST,
  ...EXAMPLE_SOURCE,
  provenance: EXAMPLE_PROVENANCE,
};

/** The invented company, as far as the examples show it. */
export const EXAMPLE_ACCOUNT = {
  cnpj: "11222333000181",
  legal_name: "CANTINA INVENTADA LTDA",
  uf: "MG",
  municipality_ibge: "3106200",
  cnae_primary: "5611201",
};

/** The end of a list. */
export const EXAMPLE_END = { next_cursor: null, has_more: false };

/** The example's spec as a search or an export answers it. */
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
