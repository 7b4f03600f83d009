/**
 * Makes the fuzzer's requests from random choices and from values in earlier answers (ids, cursors,
 * links). They cover all routes, with valid and nearly valid requests and every method, path,
 * query, and header, and also bytes that are no requests.
 * Invariant: the same choices and history produce the same requests. A request that is not `loose`
 * is valid HTTP/1.1, so its answer must match the OpenAPI document.
 */
import { METHODS as ALL_METHODS } from "node:http";
import { ROUTES } from "../../../src/http/api/routes.ts";
import type { Catalog } from "../../../src/spec/catalog.ts";
import { type Draw, randomExportInput, randomSpecInput } from "../spec/random.ts";
import type { TwinRow } from "../twin.ts";
import { toLists, withinLists } from "./lists.ts";
import { changed, corrupted, JUNK, type Shape, shaped } from "./shapes.ts";

/**
 * Values from which requests are made. Ids, links, ETags, and cursors from the answers are added to
 * its arrays.
 */
export interface FuzzWorld {
  readonly catalog: Catalog;
  readonly rows: readonly TwinRow[];
  readonly keys: { readonly good: string; readonly small: string; readonly disabled: string };
  readonly ids: string[];
  /** Ids of lists. */
  readonly lists: string[];
  readonly links: string[];
  readonly tags: string[];
  readonly pages: { readonly spec: unknown; readonly cursor: string }[];
  /** True if further requests may follow a request with a slow answer (docs/limits.md). */
  readonly waitsInLine: boolean;
}

/** One request. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** The body, if it is JSON. */
  readonly body: unknown;
  /** Media type of the file in the body, or null if it has no file. */
  readonly file: string | null;
  /** True if no other request may use the connection: the answer is slow or ends it. */
  readonly alone: boolean;
  /** True if the request announces the end of its connection. */
  readonly closes: boolean;
  /** True if the transport may reject the request or leave it unanswered. */
  readonly loose: boolean;
  /** True if the client resets the connection immediately after sending. */
  readonly resets?: boolean;
}

type Headers = (readonly [name: string, value: string])[];

const BODIES: Readonly<Record<string, Shape>> = {
  "/v1/accounts/search": { $ref: "#/components/schemas/SearchRequest" },
  "/v1/accounts/count": { $ref: "#/components/schemas/CountRequest" },
  "/v1/spec/normalize": { $ref: "#/components/schemas/NormalizeRequest" },
  "/v1/leads": { $ref: "#/components/schemas/LeadsRequest" },
  "/v1/leads/translate": { $ref: "#/components/schemas/TranslateRequest" },
  "/mcp": { $ref: "#/components/schemas/RpcBody" },
  "/v1/changes": { $ref: "#/components/schemas/ChangesRequest" },
  "/v1/exports": { $ref: "#/components/schemas/ExportRequest" },
};
const POSTS = Object.keys(BODIES);
const METHODS = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const UNKNOWN_ID = `exp_${"0".repeat(32)}`;

/** Returns one random request of any kind. */
export function fuzzRequest(draw: Draw, world: FuzzWorld): FuzzRequest {
  const kind = draw.below(100);
  if (kind < 50) return posted(draw, world);
  if (kind < 55) return built(draw, world, toLists(draw, world));
  if (kind < 97) return addressed(draw, world);
  return kind < 98 ? strange(draw, world) : loose(draw, world);
}

/** A request with a body to a route that takes one. */
function posted(draw: Draw, world: FuzzWorld): FuzzRequest {
  const path = draw.chance(0.03) ? "/v1/exports" : draw.of(POSTS.slice(0, -1));
  const value = draw.chance(0.6) ? meant(draw, world, path) : shaped(draw, BODIES[path] as Shape);
  const near = draw.chance(0.35) ? changed(draw, value) : value;
  const bytes = draw.chance(0.2) ? corrupted(draw, near) : Buffer.from(JSON.stringify(near) ?? "");
  const large = draw.chance(0.0005) ? Buffer.alloc(1_100_000, " ") : Buffer.alloc(0);
  const headers: Headers = [
    ["Content-Type", draw.chance(0.97) ? "application/json" : draw.of(TYPES)],
    ...(path === "/v1/exports" ? idempotency(draw) : []),
  ];
  return built(draw, world, {
    method: "POST",
    path,
    headers,
    bytes: Buffer.concat([bytes, large]),
  });
}

const TYPES = [
  ...["text/plain", "application/json; charset=utf-8", "application/json;charset=latin1"],
  ...["APPLICATION/JSON", "application/json; x=y", "multipart/form-data", "json", ","],
];

function idempotency(draw: Draw): Headers {
  const key = `fuzz-${draw.below(400)}`;
  return [["Idempotency-Key", draw.chance(0.9) ? key : draw.of(["", "a b", "k".repeat(256), "!"])]];
}

/** A meaningful body: a random spec, or a request for a next page. */
function meant(draw: Draw, world: FuzzWorld, path: string): unknown {
  const { catalog, rows, pages } = world;
  if (path === "/v1/exports") {
    const spec = withinLists(draw, world, randomExportInput(draw, catalog, rows));
    return { spec, output: { format: draw.of(["csv", "jsonl", "html", "xlsx", "parquet"]) } };
  }
  if (path === "/v1/accounts/search" && pages.length > 0 && draw.chance(0.3)) {
    return { ...draw.of(pages) };
  }
  if (path.startsWith("/v1/leads")) return meantLeads(draw, path);
  if (path === "/mcp") return meantCall(draw, catalog, rows);
  const spec = withinLists(draw, world, randomSpecInput(draw, catalog, rows));
  if (path === "/v1/changes") return { spec, ...meantChanges(draw) };
  // Larger pages would mainly measure how fast the client reads.
  if (draw.chance(0.995)) spec.limit = 1 + draw.below(8);
  if (path === "/v1/spec/normalize") return { spec };
  return draw.chance(0.3)
    ? { spec, facets: [draw.of(["uf", "contact", "cnae_section"])] }
    : { spec };
}

/** Returns the members of a changes query other than its spec. */
function meantChanges(draw: Draw): object {
  return {
    since: draw.of(["2026-09", "2026-08", "2026-10", "1999-12"]),
    kinds: ["entered", "left", "changed"].filter(() => draw.chance(0.6)),
    watch: ["email", "uf", "street"].filter(() => draw.chance(0.3)),
    limit: 1 + draw.below(8),
  };
}

/** Returns a body with a sentence, or with a lead query of a few members. */
function meantLeads(draw: Draw, path: string): unknown {
  const words = Array.from({ length: 1 + draw.below(5) }, () => draw.of(WORDS)).join(" ");
  if (path.endsWith("translate")) return { query_text: words };
  const limit = 1 + draw.below(8);
  if (draw.chance(0.3)) return { query_text: words, limit };
  const spec = draw.some([
    ["activities", 0.4, () => draw.of(["padaria", ["56", "5611-2/01"], ["dentista"], "xyz"])],
    ["cities", 0.4, () => draw.of(["Recife", ["Bom Jesus/PI", 3550308], ["Floripa"], ["Nada"]])],
    ["states", 0.5, () => draw.of(["SP", ["mg", "Bahia"], ["EX"]])],
    ["districts", 0.2, () => draw.of(["Centro", ["Centro, Recife", "Moema (SP)"], [{}], []])],
    ["regions", 0.1, () => draw.of(["Sul", ["nordeste"]])],
    ["sizes", 0.2, () => draw.of(["micro", ["03", 5]])],
    ["status", 0.2, () => draw.of([[], "ativa", [8, "closed"]])],
    ["exclude_activities", 0.1, () => draw.of(["bares", ["4721102"]])],
    ["opened_after", 0.2, () => draw.of(["2019", "2020-02", null])],
    ["opened_before", 0.1, () => draw.of(["2026", "2024-06-01", null])],
    ["min_share_capital", 0.1, () => draw.of([0, 1_000.5, null])],
    ["has_email", 0.2, () => draw.of([true, false, null])],
    ["has_phone", 0.1, () => draw.of([true, false, null])],
    ["only_headquarters", 0.1, () => draw.chance(0.5)],
    ["simples", 0.1, () => draw.of([true, false, null])],
    ["name_contains", 0.1, () => draw.of(["bar", ["pao de queijo", "casa"]])],
    ["mei", 0.2, () => draw.chance(0.5)],
    ["sort", 0.2, () => draw.of(["newest", ["name"], { field: "score" }])],
    ["one_per_company", 0.3, () => draw.chance(0.5)],
  ]);
  return { spec: { kind: "lead_query", ...spec }, limit };
}

/** A call of a tool, or another message. */
function meantCall(draw: Draw, catalog: Catalog, rows: readonly TwinRow[]): unknown {
  const { filters, sort } = randomSpecInput(draw, catalog, rows) as Record<string, unknown>;
  const tools: readonly (readonly [name: string, sent: object])[] = [
    ["search_accounts", { filters, sort, limit: 1 + draw.below(60) }],
    ["count_accounts", { filters, facets: [draw.of(["uf", "contact", "cnae_section"])] }],
    ["translate", { query_text: draw.of(WORDS) }],
    ["get_account", { cnpj: draw.of(rows).cnpj }],
    ["create_export", { filters, format: "csv", limit: 5, wait_seconds: 0 }],
    ["no_tool", {}],
  ];
  const [name, sent] = draw.chance(0.02) ? draw.of(tools) : draw.of(tools.slice(0, 4));
  const call = { name, arguments: draw.chance(0.2) ? changed(draw, sent) : sent };
  const methods = ["ping", "tools/list", "initialize", "notifications/initialized", "x"];
  const called = { jsonrpc: "2.0", id: draw.below(9), method: "tools/call", params: call };
  if (draw.chance(0.8)) return called;
  const other = { jsonrpc: "2.0", id: "a", method: draw.of(methods), params: {} };
  return draw.chance(0.5) ? other : [called, other, draw.of(JUNK)];
}

const WORDS = [
  ...["padarias", "restaurantes", "em", "São Paulo", "MG", "com e-mail", "sem telefone", "exceto"],
  ...["MEI", "abertas desde 2020", "no Nordeste", "50", "dentists in Recife", "xyzzy", "não"],
];

/** Returns a request with any method, path, and query. */
function addressed(draw: Draw, world: FuzzWorld): FuzzRequest {
  const route = draw.of(ROUTES);
  // The documents are large and always the same, so they are requested rarely.
  const template = draw.chance(0.9) && route.path.includes("doc") ? "/v1/status" : route.path;
  const method = draw.chance(0.7) ? route.method : draw.of(METHODS);
  const ids = template.startsWith("/v1/lists/") ? [...world.lists, "exported"] : world.ids;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    segmentFor(draw, { rows: world.rows, ids }, name),
  );
  const known = template.startsWith("/files/") && world.links.length > 0 && draw.chance(0.7);
  const path = known ? draw.of(world.links) : spelled(draw, filled) + queryOf(draw, template);
  const bytes = method === "POST" ? Buffer.from("{}") : Buffer.alloc(0);
  const headers: Headers = bytes.length > 0 ? [["Content-Type", "application/json"]] : [];
  if (known && draw.chance(0.4)) headers.push(...range(draw));
  return built(draw, world, { method, path, headers, bytes });
}

function segmentFor(
  draw: Draw,
  { rows, ids }: Pick<FuzzWorld, "rows" | "ids">,
  name: string,
): string {
  if (draw.chance(0.15)) return draw.of(JUNK);
  if (name === "id") return ids.length > 0 && draw.chance(0.7) ? draw.of(ids) : UNKNOWN_ID;
  if (name === "name") return `${ids.length > 0 ? draw.of(ids) : UNKNOWN_ID}.csv`;
  const cnpj = String(draw.of(rows).cnpj);
  if (name === "branch") return `${cnpj.slice(8, 12)}-${cnpj.slice(12)}`;
  return draw.of([cnpj, cnpj, cnpj.slice(0, 8), cnpj.toLowerCase(), "11222333000181", "12.345"]);
}

/** Returns another spelling of the path. */
function spelled(draw: Draw, path: string): string {
  if (draw.chance(0.85)) return path;
  const at = 1 + draw.below(path.length - 1);
  const code = path.charCodeAt(at).toString(16);
  return draw.of([
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    `${path.slice(0, at)}%${code}${path.slice(at + 1)}`,
    path.slice(0, at),
    `/v1/${draw.of(JUNK)}`,
    `${path}/${draw.of(JUNK)}`,
  ]);
}

function queryOf(draw: Draw, path: string): string {
  if (draw.chance(0.5)) return "";
  const good = /\{id\}$/.test(path) ? GOOD_READS : (GOOD_QUERIES[path] ?? []);
  if (good.length > 0 && draw.chance(0.7)) return `?${draw.of(good)}`;
  if (draw.chance(0.6)) return "";
  return `?${draw.of(BAD_QUERIES)}`;
}

const BAD_QUERIES = ["a=1", "&", "limit=0", "limit=1&limit=1", "%zz", "wait=x", "cursor=%ff", "="];
const GOOD_READS = ["wait=0", "wait=1", "require=done", "wait=0&require=done"];
const GOOD_CHANGES = [
  "since=2026-09&spec=%7B%7D",
  "since=2026-09&spec=%7B%7D&kinds=left,entered&watch=email&fields=cnpj,uf&limit=3",
  "since=2026-9&spec=%7B&limit=x",
];
const GOOD_LISTS = ["limit=1", "limit=3", "limit=200", "limit=2&cursor=x"];

const GOOD_QUERIES: Readonly<Record<string, readonly string[]>> = {
  "/v1/exports": GOOD_LISTS,
  "/v1/changes": GOOD_CHANGES,
};

/** Builds a request whose headers vary in everything that is checked before the body. */
function built(
  draw: Draw,
  world: FuzzWorld,
  request: {
    method: string;
    path: string;
    headers: Headers;
    bytes: Buffer;
    file?: string | null;
  },
): FuzzRequest {
  const { method, path, bytes, file = null } = request;
  const headers: Headers = [["Host", "fuzz"], ...authorization(draw, world), ...request.headers];
  for (const variant of VARIANTS) if (draw.chance(0.03)) headers.push(...variant(draw, world));
  const twice = draw.chance(0.004);
  if (twice) headers.push(draw.of(headers));
  const chunked = bytes.length > 0 && draw.chance(0.05);
  if (chunked) headers.push(["Transfer-Encoding", "chunked"]);
  else if (bytes.length > 0 || method === "POST") {
    headers.push(["Content-Length", String(bytes.length)]);
  }
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`, "latin1");
  const sent = chunked ? chunks(bytes) : bytes;
  const closes = headers.some(([name]) => name === "Connection");
  const waits = /wait=1|^\/files\//.test(path) || headers.some(([name]) => name === "Expect");
  const aside = mayBeExpensive(bytes) || ASYNC_QUEUE_BOUNDS.test(path);
  const slow = waits || (!world.waitsInLine && aside);
  // On the uws transport, the answer to a body without a stated length ends the connection
  // (limits.md).
  const unsized = chunked || (method === "PATCH" && bytes.length === 0);
  const alone = twice || slow || closes || unsized || bytes.length > 60_000;
  const whole = Buffer.concat([head, sent]);
  return { method, path, bytes: whole, body: read(bytes), file, alone, closes, loose: twice };
}

/**
 * Returns true if the server may answer the body asynchronously. This applies to long bodies,
 * batches, and bodies with names of expensive members.
 */
function mayBeExpensive(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  return bytes.length > 8_192 || text.startsWith("[") || EXPENSIVE.test(text);
}

/**
 * Names in a body that can make it expensive: members of sentences and lead queries, the tool that
 * translates sentences, and lists.
 */
const EXPENSIVE_NAMES = ["query_text", "translate", "lead_query", "activities", "cities", "states"];
const EXPENSIVE = new RegExp(
  `"(${EXPENSIVE_NAMES.join("|")}|regions|districts|name_contains|lists)"`,
);

/** Matches the paths of routes that work in small steps, regardless of the request's body. */
const ASYNC_QUEUE_BOUNDS = /^\/v1\/(companies\/|accounts\/suggest|lists\/.*\/entries)/;

function chunks(bytes: Buffer): Buffer {
  const half = bytes.length >> 1;
  const parts = [bytes.subarray(0, half), bytes.subarray(half)].filter(({ length }) => length > 0);
  const framed = parts.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, "\r\n"]);
  return Buffer.concat([...framed, "0\r\n\r\n"].map((one) => Buffer.from(one)));
}

function read(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString().replace(/^\ufeff/, ""));
  } catch {
    return undefined;
  }
}

function authorization(draw: Draw, { keys }: FuzzWorld): Headers {
  if (draw.chance(0.9)) return [["Authorization", `Bearer ${keys.good}`]];
  const { good, small, disabled } = keys;
  const shapes = [
    ...[`Bearer ${small}`, `bearer ${good}`, `Bearer ${disabled}`, `Bearer ${good.slice(0, -1)}`],
    ...["Bearer", "Basic dTpw", "", good, "Bearer x", "Bearer pnr_0000_0000", `Bearer ${good} x`],
  ];
  return draw.chance(0.2) ? [] : [["Authorization", draw.of(shapes)]];
}

function range(draw: Draw): Headers {
  return [["Range", draw.of(["bytes=0-9", "bytes=5-", "bytes=-1", "bytes=9999999-", "x"])]];
}

/** Functions that return optional headers. */
const VARIANTS: readonly ((draw: Draw, world: FuzzWorld) => Headers)[] = [
  (draw) => [["X-Request-Id", draw.of(["mine-1", "", "a b", "x".repeat(65), '"><script>'])]],
  (draw, { tags }) => [
    ["If-None-Match", draw.of(["*", "", '"x"', 'W/"', tags.at(-1) ?? '"a"', tags[0] ?? "W/"])],
  ],
  range,
  (draw) => [["If-Range", draw.of(['"x"', "", "Wed, 21 Oct 2015 07:28:00 GMT"])]],
  (draw) => [["Accept", draw.of(["text/html", "", "*/*;q=0"])]],
  (draw) => [["Accept-Encoding", draw.of(["gzip, br", "identity;q=0"])]],
  () => [["Cookie", "session=1; session=2"]],
  (draw) => [["Content-Encoding", draw.of(["identity", "gzip", "identity"])]],
  (draw) => [["Origin", draw.of(["null", "http://evil.example"])]],
  () => [["X-Forwarded-For", "192.0.2.1"]],
  () => [["X-HTTP-Method-Override", "DELETE"]],
  (draw) => (draw.chance(0.1) ? [["Expect", draw.of(["100-continue", "200-ok"])]] : []),
  (draw) => (draw.chance(0.1) ? [["Connection", draw.of(["close", "Upgrade", "x"])]] : []),
  (draw) => Array.from({ length: draw.below(40) }, (_, at) => [`X-${at}`, "1"] as const),
];

/**
 * Returns a request with any method, including ones that the parser does not know, and any path.
 * CONNECT is answered by the transport itself. Half of the clients that send it reset the
 * connection before they can read the answer.
 */
function strange(draw: Draw, world: FuzzWorld): FuzzRequest {
  const base = addressed(draw, world);
  const method = draw.chance(0.3) ? "CONNECT" : draw.of([...ALL_METHODS, "PEEL"]);
  const path = method === "CONNECT" && draw.chance(0.7) ? "a:1" : base.path;
  const rest = base.bytes.subarray(base.bytes.indexOf(" HTTP/1.1"));
  const bytes = Buffer.concat([Buffer.from(`${method} ${path}`, "latin1"), rest]);
  const resets = draw.chance(0.5);
  return { ...base, method, path, bytes, body: undefined, alone: true, loose: true, resets };
}

/** Bytes that are nearly a request. */
function loose(draw: Draw, world: FuzzWorld): FuzzRequest {
  const base = draw.chance(0.5) ? posted(draw, world) : addressed(draw, world);
  const bytes = Buffer.from(base.bytes);
  for (let i = 0; i <= draw.below(3); i++) {
    bytes.writeUInt8(draw.below(256), draw.below(Math.min(bytes.length, 200)));
  }
  const cut = draw.chance(0.3) ? bytes.subarray(0, draw.below(bytes.length)) : bytes;
  return { ...base, bytes: cut, body: undefined, alone: true, loose: true };
}
