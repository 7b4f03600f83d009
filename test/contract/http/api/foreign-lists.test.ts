/**
 * Proves, for every route of the interface and of the console's data on both transports: a
 * request that names another tenant's list gets the same bytes as one that names a nonexistent
 * list. The name may be in a path, a body, a file, or a query. No answer contains anything of the
 * list, and the list stays unchanged. A new route fails this suite until the table lists it. A
 * route whose documented body has a spec must have requests in the table.
 * Does not prove: that answers take the same time, nor anything about exports and cursors
 * (e2e/server/tenants.test.ts).
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CONSOLE_DATA_ROUTES } from "../../../../src/console/data-routes.ts";
import { ROUTES } from "../../../../src/http/api/routes.ts";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { type ConsoleServer, startConsole } from "../../../support/console/data.ts";
import { DOCUMENT } from "../../../support/http/documented.ts";
import { TRANSPORTS } from "../../../support/http/fake.ts";
import { text, workbook } from "../../../support/lists/workbooks.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

/** A request that names a list. */
interface Attempt {
  readonly path?: string;
  readonly body?: object | Buffer | string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of the answer. Default: 404. */
  readonly status?: number;
}

type Attempts = (id: string) => readonly Attempt[];

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const named = (id: string, member = "exclude") => ({
  filters: { geo: { uf_any_of: ["SP"] }, lists: { [member]: [id] } },
});
let sheet: Buffer;

/** Bodies with a spec that includes or excludes the list. */
const specs =
  (rest: object = {}, more: Partial<Attempt> = {}): Attempts =>
  (id) =>
    ["any_of", "exclude"].map((member) => ({
      body: { spec: named(id, member), ...rest },
      ...more,
    }));

const inPath =
  (body?: object): Attempts =>
  () => [body === undefined ? {} : { body }];

const filled: Attempts = () => [
  { body: { cnpjs: ["11222333"] } },
  { body: "cnpj\n11222333\n", type: "text/csv" },
  { body: sheet, type: XLSX },
];

const OUTPUT = { output: { format: "csv", fields: ["cnpj"] } };
const KEY = { headers: { "idempotency-key": "one" } };

const called = (name: string, more: object = {}): ((id: string) => Attempt) => {
  return (id) => {
    const params = { name, arguments: { ...named(id), ...more } };
    return { body: { jsonrpc: "2.0", id: 1, method: "tools/call", params }, status: 200 };
  };
};
const TOOLS = [
  called("search_accounts"),
  called("count_accounts"),
  called("create_export", { format: "csv", limit: 5, wait_seconds: 0 }),
];

/** With one snapshot, there are no changes to reveal. listed-changes.test.ts uses two snapshots. */
const NO_OLDER = { status: 422 };

/** Routes that accept a list, with the requests that name one. */
const TAKES: Readonly<Record<string, Attempts>> = {
  "POST /v1/accounts/search": specs(),
  "POST /v1/accounts/count": specs(),
  "POST /v1/spec/normalize": specs(),
  // Lead queries accept no lists of any tenant.
  "POST /v1/leads": specs({}, { status: 422 }),
  "GET /v1/changes": (id) => [
    { ...NO_OLDER, path: `?since=2026-09&spec=${encodeURIComponent(JSON.stringify(named(id)))}` },
  ],
  "POST /v1/changes": specs({ since: "2026-09" }, NO_OLDER),
  "POST /v1/exports": specs(OUTPUT, KEY),
  "GET /v1/lists/{id}": inPath(),
  "PATCH /v1/lists/{id}": inPath({ name: "x" }),
  "DELETE /v1/lists/{id}": inPath(),
  "GET /v1/lists/{id}/entries": inPath(),
  "POST /v1/lists/{id}/entries": filled,
  "POST /v1/lists/{id}/entries/remove": filled,
  "POST /v1/lists/{id}/entries/from-search": (id) => [
    { body: { spec: { filters: { geo: { uf_any_of: ["SP"] } } } } },
    // The tenant owns the list to be changed, but this does not give access to the other tenant's
    // list.
    { body: { spec: named(id) } },
  ],
  "POST /mcp": (id) => TOOLS.map((tool) => tool(id)),
  "POST /v1/accounts/compare": (id) => [
    { body: { specs: [named(id), { filters: { geo: { uf_any_of: ["SP"] } } }], facets: ["uf"] } },
  ],
  "POST /v1/console/accounts/compare": (id) => [
    { body: { specs: [named(id), { filters: { geo: { uf_any_of: ["SP"] } } }], facets: ["uf"] } },
  ],
  "POST /v1/console/searches/{id}/notices": specs(),
  "POST /v1/console/explore": specs({ facets: ["uf"] }),
  "POST /v1/console/accounts/search": specs(),
  "POST /v1/console/accounts/count": specs(),
  "POST /v1/console/accounts/explain": specs({ cnpj: "11222333000181" }),
  "POST /v1/console/exports": specs(OUTPUT, KEY),
  "POST /v1/console/exports/estimate": specs(OUTPUT),
  "POST /v1/console/changes": specs({ since: "2026-09" }, NO_OLDER),
  "GET /v1/console/lists/{id}": inPath(),
  "POST /v1/console/lists/{id}": inPath({ name: "x" }),
  "DELETE /v1/console/lists/{id}": inPath(),
  "GET /v1/console/lists/{id}/entries": inPath(),
  "POST /v1/console/lists/{id}/entries": filled,
  "POST /v1/console/lists/{id}/entries/remove": filled,
  "POST /v1/console/lists/{id}/entries/from-search": (id) => [{ body: { spec: named(id) } }],
  "POST /v1/console/searches": specs({ name: "x" }),
  "POST /v1/searches": specs({ name: "x" }),
  "PATCH /v1/searches/{id}": specs(),
};

/** Paths whose id is that of a saved search. */
const OF_SEARCHES = new Set(["/v1/searches/{id}", "/v1/console/searches/{id}/notices"]);

/** Routes without lists. Their requests name no list and contain no spec. */
const TAKE_NONE = [
  ...["GET /healthz", "GET /readyz", "GET /metrics", "GET /v1/status", "GET /openapi.json"],
  ...["GET /", "GET /docs", "GET /docs/", "GET /docs/errors", "GET /llms.txt"],
  ...["GET /.well-known/security.txt", "GET /files/{name}", "POST /v1/leads/translate"],
  ...["GET /v1/accounts/suggest", "GET /v1/accounts/{cnpj}", "GET /v1/accounts/{cnpj}/{branch}"],
  ...["GET /v1/companies/{root}", "GET /v1/districts", "POST /v1/enrich"],
  ...["POST /v1/enrich/files", "POST /v1/console/enrich/files"],
  ...["POST /v1/console/enrich/preview", "POST /v1/console/accounts/look-up"],
  ...["GET /v1/exports", "GET /v1/exports/{id}", "DELETE /v1/exports/{id}"],
  ...["GET /v1/exports/{id}/download", "GET /v1/lists", "POST /v1/lists"],
  ...["POST /v1/console/translate", "GET /v1/console/accounts/suggest"],
  ...["GET /v1/console/accounts/{cnpj}", "GET /v1/console/companies/{root}"],
  ...["GET /v1/console/districts"],
  ...["GET /v1/console/catalog", "GET /v1/console/status", "GET /v1/console/exports"],
  ...["GET /v1/console/exports/{id}", "DELETE /v1/console/exports/{id}"],
  ...["GET /v1/console/exports/{id}/download", "POST /v1/console/exports/{id}/again"],
  ...["POST /v1/console/accounts/lists", "GET /v1/console/lists", "POST /v1/console/lists"],
  ...["POST /v1/console/workbook"],
  ...["GET /v1/console/searches", "GET /v1/console/searches/{id}"],
  ...["POST /v1/console/searches/{id}", "DELETE /v1/console/searches/{id}"],
  ...["GET /v1/searches", "GET /v1/searches/{id}", "DELETE /v1/searches/{id}"],
  ...["GET /v1/searches/{id}/changes", "GET /feeds/{name}", "GET /v1/notices"],
  ...["POST /v1/webhooks", "GET /v1/webhooks", "GET /v1/webhooks/{id}", "PATCH /v1/webhooks/{id}"],
  ...["DELETE /v1/webhooks/{id}", "POST /v1/webhooks/{id}/rotate", "POST /v1/webhooks/{id}/test"],
  ...["POST /v1/emails", "GET /v1/emails", "GET /v1/emails/{id}", "PATCH /v1/emails/{id}"],
  ...["DELETE /v1/emails/{id}", "POST /v1/emails/{id}/test", "GET /unsubscribe/{token}"],
  ...["POST /v1/notices/{id}/replay", "POST /unsubscribe/{token}"],
  ...["GET /v1/console/companies/{root}/ownership", "GET /v1/console/places"],
  ...["GET /v1/console/searches/{id}/notices", "GET /v1/console/notices"],
  ...["POST /v1/console/notices/{id}/replay", "GET /v1/console/webhooks"],
  ...["POST /v1/console/webhooks", "POST /v1/console/webhooks/{id}"],
  ...["DELETE /v1/console/webhooks/{id}", "POST /v1/console/webhooks/{id}/rotate"],
  ...["POST /v1/console/webhooks/{id}/test", "GET /v1/console/emails"],
  ...["POST /v1/console/emails", "POST /v1/console/emails/{id}"],
  ...["DELETE /v1/console/emails/{id}", "POST /v1/console/emails/{id}/test"],
];

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method} ${path}`;
const ALL = [...ROUTES, ...CONSOLE_DATA_ROUTES].map(nameOf);

it("covers every route", () => {
  const known = [...Object.keys(TAKES), ...TAKE_NONE];
  assert.deepEqual(
    ALL.filter((route) => !known.includes(route)),
    [],
    "say how a list is named there, or that none is",
  );
  assert.deepEqual(
    known.filter((route) => !ALL.includes(route)),
    [],
    "these are no routes any more",
  );
  assert.equal(new Set(known).size, known.length, "a route stands here once");
});

/** True if a part of the document contains a request spec, directly or by a reference. */
function hasSpec(part: unknown): boolean {
  const reported = JSON.stringify(part);
  if (reported.includes("#/components/schemas/SpecInput")) return true;
  const named = [...reported.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
  const schemas = (DOCUMENT as unknown as { components: { schemas: Record<string, unknown> } })
    .components.schemas;
  return named.some((name) => JSON.stringify(schemas[name as string]).includes("/SpecInput"));
}

it("covers a documented body with a spec", () => {
  const paths = DOCUMENT.paths as unknown as Record<string, Record<string, object>>;
  const bodies = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      body: (operation as { requestBody?: object }).requestBody,
    })),
  );
  const withSpec = bodies.filter(({ body }) => body !== undefined && hasSpec(body));
  assert.ok(withSpec.length > 5);
  assert.deepEqual(
    withSpec.map(({ route }) => route).filter((route) => TAKES[route] === undefined),
    [],
  );
});

let sample: SampleSnapshot;
let segment: Segment;
before(async () => {
  sample = await makeSampleSnapshot(1_000, 7, "2026-10");
  segment = await openSegment(sample.snapshot);
  sheet = await workbook([{ name: "x", rows: [[text("cnpj")], [text("11222333")]] }]);
});
after(() => {
  segment.close();
  sample.dispose();
});

const SECRET = "a name that nobody else may read";
const UNKNOWN = `lst_${"0".repeat(32)}`;

for (const transport of TRANSPORTS) {
  describe(`lists of another tenant over ${transport}`, () => {
    let server: ConsoleServer;
    let cookie: string;
    let search = "";
    const leaked: string[] = [];
    before(async () => {
      server = await startConsole(transport, { engine: ENGINE, segment: () => segment });
      cookie = (await server.person("growth")).id;
    });
    after(() => server.close());

    /** Sends a request as the other tenant. Requests to the console use the session of a user. */
    async function send(route: string, id: string, how: Attempt, key = server.keys.growth) {
      const [method = "", path = ""] = route.split(" ");
      const isConsole = path.startsWith("/v1/console");
      const { body, type = "application/json", headers = {} } = how;
      const sent = typeof body === "string" || body instanceof Buffer ? body : JSON.stringify(body);
      // The saved search belongs to the sender, so that only the list in the spec is another
      // tenant's.
      const own = OF_SEARCHES.has(path) ? search : id;
      const answer = await fetch(server.base + path.replace("{id}", own) + (how.path ?? ""), {
        method,
        headers: {
          ...(isConsole
            ? { Cookie: `peneira_session=${cookie}`, "X-CSRF-Token": "the-token-of-a-test" }
            : { Authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "Content-Type": type }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: sent as string }),
      });
      const answered = (await answer.text()).replaceAll(/req_[0-9a-z]+/g, "req_");
      leaked.push(answered);
      return { status: answer.status, answered };
    }

    async function own(method: string, path: string, body?: object) {
      const how = body === undefined ? {} : { body };
      return send(`${method} ${path}`, "", how, server.keys.enterprise);
    }

    it("are reported like nonexistent ones by every route", async () => {
      const made = await own("POST", "/v1/lists", { name: SECRET });
      const { list } = JSON.parse(made.answered) as { list: { id: string } };
      const entries = { cnpjs: ["11222333"] };
      assert.equal((await own("POST", `/v1/lists/${list.id}/entries`, entries)).status, 200);
      const before = (await own("GET", `/v1/lists/${list.id}`)).answered;
      const saved = await send("POST /v1/searches", "", { body: { name: "mine", spec: {} } });
      search = (JSON.parse(saved.answered) as { search: { id: string } }).search.id;
      leaked.length = 0;
      for (const [route, attempts] of Object.entries(TAKES)) {
        const unknown = attempts(UNKNOWN);
        for (const [at, how] of attempts(list.id).entries()) {
          const what = `${route} ${at}`;
          const foreign = await send(route, list.id, how);
          const never = await send(route, UNKNOWN, unknown[at] as Attempt);
          assert.equal(foreign.status, how.status ?? 404, `${what}: ${foreign.answered}`);
          assert.deepEqual(foreign, never, what);
          if (foreign.status === 404)
            assert.match(foreign.answered, /"code":"list_not_found"/, what);
          if (route === "POST /mcp") assert.match(foreign.answered, /You have no list of this id/);
        }
      }
      const [cnpj] = ["11222333000181"];
      await send("POST /v1/console/accounts/lists", "", { body: { cnpjs: [cnpj] } });
      for (const route of ["GET /v1/lists", "GET /v1/console/lists"]) await send(route, "", {});
      const all = leaked.join("\n");
      assert.ok(!all.includes(list.id) && !all.includes(SECRET), "something of it was heard");
      assert.equal((await own("GET", `/v1/lists/${list.id}`)).answered, before);
    });
  });
}
