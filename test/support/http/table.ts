/**
 * The table of API scenarios: requests with the status, the required content, and the forbidden
 * content of their answers. contract/http/api/scenarios.test.ts runs them. Invariant: the accounts
 * are those of the simulated engine in fake.ts.
 */
import { DISTRICT_SCENARIOS } from "./table-districts.ts";
import { LEAD_SCENARIOS } from "./table-leads.ts";

/**
 * A request, the status of its answer, and texts that the answer must contain (`contains`) or must
 * not contain (`lacks`).
 */
export interface Scenario {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  /** Plan whose key is sent. With null, no key is sent. */
  readonly plan?: "free" | "enterprise" | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, and any other value as JSON. */
  readonly body?: unknown;
  readonly status: number;
  readonly contains?: readonly string[];
  readonly lacks?: readonly string[];
  readonly answerHeaders?: Readonly<Record<string, string>>;
}

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

const SEARCHES: readonly Scenario[] = [
  {
    name: "a search answers with everything the contract names",
    body: { spec: SP, limit: 2 },
    status: 200,
    contains: [
      '"request_id":"req_',
      '"snapshot":"2026-10"',
      '"snapshot_date":"2026-10-10"',
      '"provenance":{"rfb_snapshot":"2026-10","ibge_population_year":"not_available"',
      '"kind":"account_query"',
      '"limit":2',
      '"accounts":[{"cnpj":"10000000000100","legal_name":"Empresa Inventada 0 \\"Á\\"","uf":"SP"',
      '"has_more":true',
      '"total":250',
      '"took_ms":',
    ],
    lacks: ["@example.com", '"next_cursor":null', '"RJ"'],
  },
  {
    name: "the last page has no cursor",
    body: { spec: SP, limit: 250 },
    status: 200,
    contains: ['"next_cursor":null,"has_more":false,"total":250'],
  },
  {
    name: "without a limit a page has 100 accounts",
    body: { spec: SP },
    status: 200,
    contains: ['"limit":100', '"has_more":true'],
  },
  {
    name: "a limit above the plan's cap is lowered with a warning",
    plan: "free",
    body: { spec: SP, limit: 50_000 },
    status: 200,
    contains: ['"limit":100', "lowered from 50000 to 100"],
  },
  {
    name: "chosen fields come in their order and no others",
    body: { spec: SP, limit: 1, output: { format: "json", fields: ["email", "cnpj"] } },
    status: 200,
    contains: ['"accounts":[{"email":"empresa0@example.com","cnpj":"10000000000100"}]'],
  },
  {
    name: "fields outside the plan are refused one by one",
    plan: "free",
    body: { spec: SP, output: { fields: ["cnpj", "email", "phone_1"] } },
    status: 422,
    contains: ['"code":"field_not_allowed"', "/output/fields/1", "/output/fields/2"],
    lacks: ["/output/fields/0", "accounts"],
  },
  {
    name: "every mistake of body and spec comes at once",
    body: {
      spec: { filters: { geo: { uf_any_of: ["SP", "XX"] }, company: { mei_opt_in: 1 } }, nope: 1 },
      limit: 0,
      columns: ["uf"],
    },
    status: 422,
    contains: [
      '"code":"invalid_request"',
      '"pointer":"/columns"',
      '"pointer":"/limit"',
      '"pointer":"/spec/nope"',
      '"pointer":"/spec/filters/geo/uf_any_of/1"',
      '"pointer":"/spec/filters/company/mei_opt_in"',
    ],
    lacks: ["uf_any_of/0", "accounts"],
  },
  {
    name: "a mistake in the spec alone is invalid_spec",
    body: { spec: { filters: { geo: { uf_any_of: ["XX"] } } } },
    status: 422,
    contains: ['"code":"invalid_spec"', '"type":"/docs/errors#invalid_spec"', "unknown_uf"],
  },
  {
    name: "a missing spec is invalid_request",
    body: { limit: 5 },
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/spec"', '"code":"missing"'],
  },
  {
    name: "a limit above 50000 is refused, not lowered",
    body: { spec: SP, limit: 50_001 },
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/limit"'],
  },
  {
    name: "an output format other than json is refused",
    body: { spec: SP, output: { format: "csv" } },
    status: 422,
    contains: ['"pointer":"/output/format"'],
  },
  {
    name: "secondary_cnae_mode fallback is refused on a search",
    body: { spec: { filters: { ...SP.filters, industry: { secondary_cnae_mode: "fallback" } } } },
    status: 422,
    contains: ['"code":"secondary_cnae_mode_not_allowed"', "secondary_cnae_mode"],
  },
  {
    name: "a query without industry and place says what is missing and what it matched",
    body: { spec: { filters: { company: { registration_status_any_of: [2] } } } },
    status: 422,
    contains: [
      '"code":"query_too_broad"',
      '"matches":500',
      "industry.cnae_any_of",
      "geo.uf_any_of",
      '"pointer":"/spec/filters/geo/uf_any_of"',
    ],
    lacks: ["accounts"],
  },
  {
    name: "with a cursor limit and output are refused",
    body: { spec: SP, cursor: "x", limit: 5, output: { fields: ["cnpj"] } },
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/limit"', '"pointer":"/output"'],
  },
  {
    name: "a cursor that is not ours is refused",
    body: { spec: SP, cursor: "bm90IG91cnM" },
    status: 422,
    contains: ['"code":"invalid_cursor"', '"pointer":"/cursor"'],
  },
  {
    name: "a cursor of another type is refused",
    body: { spec: SP, cursor: 7 },
    status: 422,
    contains: ['"code":"invalid_cursor"', '"pointer":"/cursor"'],
  },
];

const BODIES: readonly Scenario[] = [
  { name: "no JSON", body: "{", status: 422, contains: ['"code":"invalid_request"', "line 1"] },
  { name: "an empty body", body: "", status: 422, contains: ['"code":"invalid_request"'] },
  { name: "an array", body: [], status: 422, contains: ["must be a JSON object, not an array"] },
  { name: "null", body: "null", status: 422, contains: ["must be a JSON object, not null"] },
  { name: "a duplicate key", body: '{"spec":{},"spec":{}}', status: 422, contains: ["twice"] },
  {
    name: "a __proto__ key",
    body: '{"spec":{"__proto__":{"a":1}}}',
    status: 422,
    contains: ['"code":"invalid_request"', "is not allowed"],
  },
  { name: "32 levels", body: `{"spec":${nested(31)}}`, status: 422, contains: ["/spec"] },
  { name: "33 levels", body: `{"spec":${nested(32)}}`, status: 422, contains: ["32 levels deep"] },
  { name: "a million levels", body: nested(500_000), status: 422, contains: ["32 levels deep"] },
  {
    name: "a body of exactly the limit",
    body: `{"spec":{"kind":"account_query"}}`.padEnd(1_048_576, " "),
    status: 422,
    contains: ["query_too_broad"],
  },
  {
    name: "a body one byte over the limit",
    body: "{}".padEnd(1_048_577, " "),
    status: 413,
    contains: ['"code":"payload_too_large"', "1048576"],
  },
  {
    name: "no content type",
    headers: { "content-type": "" },
    body: "{}",
    status: 415,
    contains: ['"code":"unsupported_media_type"'],
  },
  {
    name: "a form",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "a=1",
    status: 415,
  },
  {
    name: "JSON in another charset",
    headers: { "content-type": "application/json; charset=latin1" },
    body: "{}",
    status: 415,
  },
  {
    name: "JSON with its charset named",
    headers: { "content-type": 'Application/JSON; Charset="UTF-8"' },
    body: { spec: SP },
    status: 200,
  },
  {
    name: "a compressed body",
    headers: { "content-encoding": "gzip" },
    body: "{}",
    status: 415,
    contains: ["Content-Encoding"],
  },
];

const ROUTING: readonly Scenario[] = [
  {
    name: "an unknown path",
    method: "GET",
    path: "/v1/nope",
    status: 404,
    contains: ["not_found"],
  },
  { name: "an unknown open path", method: "GET", path: "/x", plan: null, status: 404 },
  { name: "no path traversal", method: "GET", path: "/v1/%2e%2e%2fhealthz", status: 404 },
  { name: "bad percent-encoding", method: "GET", path: "/v1/%zz", status: 404 },
  { name: "an encoded path", method: "GET", path: "/v1/%73tatus", status: 200, contains: ["plan"] },
  {
    name: "a method that the path has not",
    method: "DELETE",
    path: "/v1/status",
    status: 405,
    contains: ['"code":"method_not_allowed"'],
    answerHeaders: { allow: "GET, HEAD, OPTIONS" },
  },
  {
    name: "GET of a search",
    method: "GET",
    path: "/v1/accounts/search",
    status: 405,
    answerHeaders: { allow: "POST, OPTIONS" },
  },
  {
    name: "a query where none is known",
    method: "GET",
    path: "/v1/status?verbose=1",
    status: 422,
    contains: ['"code":"invalid_request"', "query"],
  },
  { name: "HEAD where GET exists", method: "HEAD", path: "/v1/status", status: 200 },
  {
    name: "liveness needs no key",
    method: "GET",
    path: "/healthz",
    plan: null,
    status: 200,
    contains: ['"status":"ok"'],
  },
  {
    name: "readiness names the snapshot",
    method: "GET",
    path: "/readyz?probe=1",
    plan: null,
    status: 200,
    contains: ['"status":"ready"', "2026-10"],
  },
  {
    name: "the client's request id is kept",
    method: "GET",
    path: "/v1/status",
    headers: { "x-request-id": "Trace-1.2_3" },
    status: 200,
    contains: ['"request_id":"Trace-1.2_3"'],
    answerHeaders: { "x-request-id": "Trace-1.2_3" },
  },
  {
    name: "a request id of 65 characters is replaced",
    method: "GET",
    path: "/v1/nope",
    headers: { "x-request-id": "a".repeat(65) },
    status: 404,
    contains: ['"request_id":"req_'],
    lacks: ["aaaa"],
  },
  {
    name: "a request id with other characters is replaced",
    method: "GET",
    path: "/v1/nope",
    headers: { "x-request-id": '"><script>' },
    status: 404,
    lacks: ["script"],
  },
];

const normalizing = { path: "/v1/spec/normalize" };
const OTHERS: readonly Scenario[] = [
  {
    ...normalizing,
    name: "normalization gives spec, changes and count",
    body: { spec: { filters: { geo: { uf_any_of: ["sp", "SP"] } } } },
    status: 200,
    contains: [
      '"valid":true',
      '"uf_any_of":["SP"]',
      '"pointer":"/spec/filters/geo/uf_any_of"',
      '"warnings":[]',
      '"matches":250',
      '"too_broad":false',
    ],
    lacks: ["accounts", "cnpj_"],
  },
  {
    ...normalizing,
    name: "normalization says that a spec is too broad",
    body: { spec: {} },
    status: 200,
    contains: ['"too_broad":true', '"matches":500'],
  },
  {
    ...normalizing,
    name: "normalization takes an export's spec",
    body: {
      spec: {
        limit: 200_000,
        filters: { industry: { secondary_cnae_mode: "fallback" } },
        output: { format: "csv" },
      },
    },
    status: 200,
    contains: ['"limit":200000', '"format":"csv"', '"secondary_cnae_mode":"fallback"'],
  },
  {
    ...normalizing,
    name: "full is refused while it is switched off",
    body: { spec: { filters: { industry: { secondary_cnae_mode: "full" } } } },
    status: 422,
    contains: ['"code":"secondary_cnae_mode_not_allowed"'],
  },
  {
    ...normalizing,
    name: "members that normalization does not know are refused",
    body: { spec: {}, limit: 5 },
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/limit"', "unknown_member"],
  },
  {
    name: "the status of the largest plan",
    method: "GET",
    path: "/v1/status",
    status: 200,
    contains: [
      '"status":"ok"',
      '"version":"0.0.0-test"',
      '"accounts":500',
      '"plan":"enterprise"',
      '"search_limit":50000',
      '"field_allowlist":["cnpj"',
      '"field_allowlist_by_plan":{"free":[',
      '"allowed_sort_fields":["score","started_on"',
      '"scoring_strategies":["balanced"',
      '"export_formats":["csv","html"',
      '"secondary_cnae_modes":["off","fallback","full"]',
      '"weights":{"balanced"',
      '"usage":{"today":{"requests":',
      '"export_rows_left":null,"export_bytes_kept":0,"export_bytes_left":500000000000}',
    ],
  },
  {
    name: "the status of the smallest plan",
    method: "GET",
    path: "/v1/status",
    plan: "free",
    status: 200,
    contains: ['"plan":"free"', '"search_limit":100', '"secondary_cnae_full":false'],
  },
];

/** Every scenario; each runs against both transports. */
export const SCENARIOS: readonly Scenario[] = [
  ...[...SEARCHES, ...BODIES, ...ROUTING, ...OTHERS],
  ...[...LEAD_SCENARIOS, ...DISTRICT_SCENARIOS],
];
