/**
 * Lists requests about exports, for contract/http/api/scenarios.test.ts. Each has the status, the
 * required content, and the forbidden content of its answer. None depends on an earlier request.
 * Requests whose answer depends on an export's state are in contract/http/api/exports.test.ts.
 * Invariant: as in table.ts. Each creation has a different key, also between the servers of the two
 * transports.
 */
import type { Scenario } from "./table.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const industry = (mode: string) => ({
  filters: { industry: { cnae_any_of: ["4721-1/02"], secondary_cnae_mode: mode } },
});
const CSV = { format: "csv" };
const UNKNOWN_ID = `exp_${"0".repeat(32)}`;
const UNKNOWN = `/v1/exports/${UNKNOWN_ID}`;
const WRONG_IDS = [UNKNOWN_ID, "x", `${UNKNOWN_ID}0`, `EXP_${"0".repeat(32)}`, "%20", "exp_"];

let keys = 0;
/** Adds a new Idempotency-Key to a creation, unless the scenario has its own headers. */
function creation(scenario: Scenario): Scenario {
  keys++;
  return { path: "/v1/exports", headers: { "idempotency-key": `key-${keys}` }, ...scenario };
}

const CREATED: readonly Scenario[] = [
  creation({
    name: "an export is created with everything the contract names",
    body: { spec: SP, output: CSV, limit: 200 },
    status: 201,
    contains: [
      '"request_id":"req_',
      '"snapshot":"2026-10","snapshot_date":"2026-10-10"',
      '"limit":200',
      '"format":"csv","include_explain":false,"fields":["cnpj","legal_name","uf",',
      '"preview_accounts":[],"export":{"export_id":"exp_',
      '"status":"queued","format":"csv","snapshot":"2026-10","snapshot_date":"2026-10-10",' +
        '"row_count":null,"size_bytes":null,"object_key":null,"expires_at":null,' +
        '"download_url":null}}',
    ],
    lacks: ["tenant", "sequence", "Empresa", "slug", "progress", "sha256", "error"],
  }),
  creation({
    name: "without a limit an export has the plan's cap",
    plan: "free",
    body: { spec: SP, output: CSV },
    status: 201,
    contains: ['"limit":1000', '"warnings":[]'],
  }),
  creation({
    name: "a limit above the plan's cap is lowered with a warning",
    plan: "free",
    body: { spec: { ...SP, limit: 5 }, output: CSV, limit: 999_999_999 },
    status: 201,
    contains: ['"limit":1000', "lowered from 999999999 to 1000"],
  }),
  ...["csv", "html", "xlsx", "parquet", "jsonl"].map((format) =>
    creation({
      name: `an export as ${format}`,
      body: { spec: SP, output: { format, include_explain: true, fields: ["email", "cnpj"] } },
      status: 201,
      contains: [`"format":"${format}","include_explain":true,"fields":["email","cnpj"]`],
    }),
  ),
  creation({
    name: "the format beside the spec wins over that of the spec",
    body: { spec: { ...SP, output: { format: "html", fields: ["uf"] } }, output: CSV },
    status: 201,
    contains: ['"format":"csv","include_explain":false,"fields":["uf"]'],
  }),
  creation({
    name: "the format may stand in the spec",
    body: { spec: { ...SP, output: { format: "html" } }, output: {} },
    status: 201,
    contains: ['"format":"html"'],
  }),
  creation({
    name: "an output without a format means csv",
    body: { spec: SP, output: { fields: ["cnpj"] } },
    status: 201,
    contains: ['"format":"csv"'],
  }),
  creation({
    name: "the cells of a csv file",
    body: { spec: SP, output: { format: "csv", bom: true, delimiter: ";" } },
    status: 201,
    contains: ['"bom":true,"delimiter":";"'],
  }),
  creation({
    name: "a file of text may be compressed",
    body: { spec: SP, output: { format: "csv", compression: "gzip" } },
    status: 201,
    contains: ['"compression":"gzip"}', '"format":"csv","compression":"gzip","snapshot"'],
  }),
  creation({
    name: "a file of text may be compressed with zstd",
    body: { spec: SP, output: { format: "jsonl", compression: "zstd" } },
    status: 201,
    contains: ['"compression":"zstd"}', '"format":"jsonl","compression":"zstd","snapshot"'],
  }),
  creation({
    name: "a format that is compressed inside is not compressed again",
    body: { spec: SP, output: { format: "parquet", compression: "gzip" } },
    status: 422,
    contains: ['"/output/compression","code":"text_only"', 'Leave it out, or send \\"none\\"'],
  }),
  creation({
    name: "fallback is for exports of every plan",
    plan: "free",
    body: { spec: industry("fallback"), output: CSV },
    status: 201,
    contains: ['"secondary_cnae_mode":"fallback"'],
  }),
  creation({
    name: "a key of 255 characters, and every visible one",
    headers: {
      "idempotency-key": String.fromCharCode(
        ...Array(94)
          .fill(0)
          .map((_, i) => 33 + i),
      ).padEnd(255, "x"),
    },
    body: { spec: SP, output: CSV },
    status: 201,
  }),
];

const REFUSED: readonly Scenario[] = [
  creation({
    name: "an export without an Idempotency-Key",
    headers: {},
    body: { spec: SP, output: CSV },
    status: 422,
    contains: ['"code":"idempotency_key_required"'],
  }),
  creation({
    name: "an export with an empty Idempotency-Key",
    headers: { "idempotency-key": "" },
    body: { spec: SP, output: CSV },
    status: 422,
    contains: ['"code":"idempotency_key_required"'],
  }),
  ...[
    ["256 characters", "k".repeat(256)],
    ["a blank", "two words"],
    ["a tab", "two\twords"],
    ["a letter beyond ASCII", "pre\u00e7o"],
    ["a control character above ASCII", "a\u0080b"],
  ].map(([what, key]) =>
    creation({
      name: `an Idempotency-Key with ${what}`,
      headers: { "idempotency-key": key as string },
      body: { spec: SP, output: CSV },
      status: 422,
      contains: ['"code":"invalid_request"', "Idempotency-Key"],
    }),
  ),
  creation({
    name: "an export without an output",
    body: { spec: { ...SP, output: CSV } },
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/output"', '"code":"missing"'],
  }),
  creation({
    name: "an export as JSON",
    body: { spec: SP, output: { format: "json" } },
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/output/format"'],
  }),
  creation({
    name: "an export without a spec",
    body: { output: CSV },
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/spec"'],
  }),
  creation({
    name: "every mistake of an export's body and spec comes at once",
    body: {
      spec: { filters: { geo: { uf_any_of: ["SP", "XX"] } }, nope: 1 },
      output: { format: "pdf", fields: ["cnpj", "shoe_size"], columns: [] },
      limit: 0,
      cursor: "x",
    },
    status: 422,
    contains: [
      '"code":"invalid_request"',
      '"pointer":"/cursor"',
      '"pointer":"/limit"',
      '"pointer":"/output/format"',
      '"pointer":"/output/fields/1"',
      '"pointer":"/output/columns"',
      '"pointer":"/spec/nope"',
      '"pointer":"/spec/filters/geo/uf_any_of/1"',
    ],
    lacks: ["export_id"],
  }),
  creation({
    name: "a limit above a thousand million",
    body: { spec: SP, output: CSV, limit: 1_000_000_001 },
    status: 422,
    contains: ['"pointer":"/limit"'],
  }),
  creation({
    name: "fields outside the plan are refused in exports too",
    plan: "free",
    body: { spec: SP, output: { format: "csv", fields: ["cnpj", "email", "phone_1"] } },
    status: 422,
    contains: ['"code":"field_not_allowed"', "/output/fields/1", "/output/fields/2"],
  }),
  creation({
    name: "full is refused while it is switched off, also for Scale+",
    body: { spec: industry("full"), output: CSV },
    status: 422,
    contains: ['"code":"secondary_cnae_mode_not_allowed"'],
  }),
  creation({
    name: "an export of everything is too broad",
    body: { spec: {}, output: CSV },
    status: 422,
    contains: ['"code":"query_too_broad"', '"matches":500', "geo.uf_any_of"],
  }),
  creation({
    name: "an export whose body is not JSON",
    body: "spec=SP",
    status: 422,
    contains: ['"code":"invalid_request"'],
  }),
  creation({
    name: "an export without a key of the API",
    plan: null,
    body: { spec: SP, output: CSV },
    status: 401,
    contains: ['"code":"authentication_required"'],
  }),
  creation({
    name: "a query beside the body of an export",
    path: "/v1/exports?limit=5",
    body: { spec: SP, output: CSV },
    status: 422,
    contains: ['"code":"invalid_request"', "/query/limit"],
  }),
];

const get = { method: "GET" };
const READ: readonly Scenario[] = [
  ...WRONG_IDS.flatMap((id): Scenario[] => {
    const path = `/v1/exports/${id}`;
    return [
      {
        ...get,
        name: `there is no ${path}`,
        path,
        status: 404,
        contains: ['"code":"export_not_found"'],
      },
      { method: "DELETE", name: `nothing to delete at ${path}`, path, status: 404 },
      { ...get, name: `nothing to load at ${path}`, path: `${path}/download`, status: 404 },
    ];
  }),
  ...["-1", "61", "1.5", "01", "1e1", "+1", "", "0x1", "%31 ", "9999999999"].map(
    (wait): Scenario => ({
      ...get,
      name: `a wait of ${JSON.stringify(wait)}`,
      path: `${UNKNOWN}?wait=${encodeURIComponent(wait)}`,
      status: 422,
      contains: ['"code":"invalid_request"', '"pointer":"/query/wait"', "0 to 60"],
    }),
  ),
  {
    ...get,
    name: "a wait and a requirement that are both wrong",
    path: `${UNKNOWN}?require=failed&wait=x`,
    status: 422,
    contains: ['"pointer":"/query/wait"', '"pointer":"/query/require"'],
  },
  {
    ...get,
    name: "a wait that is there twice",
    path: `${UNKNOWN}?wait=1&wait=1`,
    status: 422,
    contains: ['"pointer":"/query/wait"', "twice"],
  },
  {
    ...get,
    name: "a download with a query",
    path: `${UNKNOWN}/download?wait=1`,
    status: 422,
    contains: ['"pointer":"/query/wait"'],
  },
  ...["0", "201", "-5", "abc", "1.0", "007", ""].map(
    (limit): Scenario => ({
      ...get,
      name: `a list with a limit of ${JSON.stringify(limit)}`,
      path: `/v1/exports?limit=${limit}`,
      status: 422,
      contains: ['"code":"invalid_request"', '"pointer":"/query/limit"', "1 to 200"],
      lacks: ["exports"],
    }),
  ),
  ...["", "x", "A".repeat(56), "A".repeat(116), `${"A".repeat(56)}%3D`, "%F0%9F%92%A3"].map(
    (cursor): Scenario => ({
      ...get,
      name: `a list with the cursor ${JSON.stringify(cursor)}`,
      path: `/v1/exports?cursor=${cursor}`,
      status: 422,
      contains: ['"code":"invalid_cursor"', '"pointer":"/query/cursor"'],
    }),
  ),
  {
    ...get,
    name: "a list with an unknown parameter",
    path: "/v1/exports?status=done",
    status: 422,
    contains: ['"code":"invalid_request"', '"pointer":"/query/status"', "limit, cursor"],
  },
  {
    method: "PUT",
    name: "PUT of an export",
    path: UNKNOWN,
    body: {},
    status: 405,
    answerHeaders: { allow: "GET, HEAD, DELETE, OPTIONS" },
  },
  {
    method: "DELETE",
    name: "DELETE of all exports",
    path: "/v1/exports",
    status: 405,
    answerHeaders: { allow: "POST, GET, HEAD, OPTIONS" },
  },
  { ...get, name: "a list without a key", path: "/v1/exports", plan: null, status: 401 },
  { ...get, name: "a read without a key", path: UNKNOWN, plan: null, status: 401 },
];

/** Every scenario of exports. */
export const EXPORT_SCENARIOS: readonly Scenario[] = [...CREATED, ...REFUSED, ...READ];
