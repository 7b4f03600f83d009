/**
 * Proves: a route is defined by one row. A row does not compile if it lacks a part, or names a
 * nonexistent schema, example, error, or part of the service. Nor does it if its handler's answer
 * differs from the schema. A complete row makes the route reachable, and adds it to the OpenAPI
 * document, the reference, and llms.txt.
 * Does not prove that the texts of a row are true. The suites in contract/http that check answers
 * against the document do.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { before, describe, it } from "node:test";
import ts from "typescript";
import { type ApiRoute, listed, type RouteRow, route } from "../../../src/http/api/route.ts";
import { ROUTES } from "../../../src/http/api/routes.ts";
import { SCHEMAS } from "../../../src/http/api/schemas.ts";
import { documentRoutes, publicDocument } from "../../../src/http/api/service/documents.ts";
import { answer } from "../../../src/http/api/typed-answer.ts";
import { referencePage } from "../../../src/http/openapi/reference.ts";
import type { HttpAnswer } from "../../../src/http/server/respond.ts";
import { RouteTable } from "../../../src/http/server/routetable.ts";
import type { KeyCall } from "../../../src/http/server/service.ts";
import { ROOT, textOf } from "../../support/house/checkout.ts";

/** The file of a resource to which the test adds routes. */
const RESOURCE = "src/http/api/service/status.ts";

/** The parts of a complete row. */
const PARTS: Readonly<Record<string, string>> = {
  method: `"GET"`,
  path: `"/v1/never"`,
  access: `"key"`,
  id: `"readNever"`,
  tag: `"service"`,
  summary: `"Read what never is"`,
  description: `"It never is."`,
  answers: `{ 200: { description: "It.", schema: "Readiness", example: () => ({}) } }`,
  errors: `["not_found"]`,
  handle: handling(`{ status: "ready", snapshot: call.service.version }`),
};

/** A handler that answers with a value of the schema. */
function handling(value: string): string {
  return `(call: KeyCall<"version">) => answer("Readiness", ${value}, void call.service.version)`;
}

/** Wrong parts, by the name of the mistake. */
const WRONG: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a schema that is not there": {
    answers: `{ 200: { description: "It.", schema: "Never", example: () => 1 } }`,
  },
  "an answer without an example": {
    answers: `{ 200: { description: "It.", schema: "Readiness" } }`,
  },
  "an answer without a description": {
    answers: `{ 200: { schema: "Readiness", example: () => ({}) } }`,
  },
  "an answer that lacks a member": { handle: handling(`{ status: "ready" }`) },
  "an answer with a member of another type": {
    handle: handling(`{ status: "ready", snapshot: 7 }`),
  },
  "an answer with a member too many": {
    handle: handling(`{ status: "ready", snapshot: "", more: 1 }`),
  },
  "an answer with a member too many from elsewhere": {
    handle: handling(`{ ...{ status: "ready", more: call.service.version }, snapshot: "" }`),
  },
  "an answer with a member too many deep inside": {
    answers: `{ 200: { description: "It.", schema: "Lists", example: () => ({}) } }`,
    handle:
      `(_call: KeyCall, rows: readonly (OneList & { more: 1 })[] = []) => ` +
      `answer("Lists", { lists: rows, next_cursor: null, has_more: false })`,
  },
  "an answer of another schema than its own": {
    answers: `{ 200: { description: "It.", schema: "Status", example: () => ({}) } }`,
  },
  "an answer of no schema": {
    handle: `(_call: KeyCall) => ({ status: 200, type: "application/json", body: "{}" })`,
  },
  "a body of a schema that is not there": { body: `{ schema: "Never", example: {} }` },
  "a body without an example": { body: `{ schema: "SearchRequest" }` },
  "an error that is not there": { errors: `["never_found"]` },
  "a handler that reaches for what it does not name": {
    handle: handling(`{ status: "ready", snapshot: call.service.exporter.name }`),
  },
  "a handler that names what is not there": {
    handle: `({ service }: KeyCall<"never">) => answer("Readiness", service.never)`,
  },
  "an open address and a handler that wants to know who asks": { access: `"open"` },
};

const text = (parts: Readonly<Record<string, string>>) =>
  Object.entries(parts)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");

/** The rows to test, by the mistake that each contains. Each row is one line. */
const ROWS: ReadonlyMap<string, string> = new Map([
  ["nothing", text(PARTS)],
  ...Object.keys(PARTS).map((lacking) => {
    const { [lacking]: _, ...rest } = PARTS;
    return [`no ${lacking}`, text(rest)] as const;
  }),
  ...Object.entries(WRONG).map(([name, wrong]) => [name, text({ ...PARTS, ...wrong })] as const),
]);

/** Compiles all of these rows in one resource. Returns the compiler errors by row. */
function mistakes(): Map<string, string[]> {
  const original = textOf(RESOURCE);
  const first = original.split("\n").length;
  const imported =
    `import type { Shape } from "../answershape.ts"; ` +
    `type OneList = Shape<"Lists">["lists"][number];`;
  const rows = [...ROWS.values()].map((row, at) => `export const ROW_${at} = route({ ${row} });`);
  const added = `${original}${imported}\n${rows.join("\n")}\n`;
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => assert.fail() };
  const parsed = ts.getParsedCommandLineOfConfigFile(path.join(ROOT, "tsconfig.json"), {}, host);
  assert.ok(parsed !== undefined);
  const overlay = ts.createCompilerHost(parsed.options);
  overlay.readFile = (file) => (file.endsWith(RESOURCE) ? added : ts.sys.readFile(file));
  const program = ts.createProgram([path.join(ROOT, RESOURCE)], parsed.options, overlay);
  const file = program.getSourceFile(path.join(ROOT, RESOURCE));
  assert.ok(file !== undefined);
  const found = new Map([...ROWS.keys()].map((name) => [name, [] as string[]]));
  for (const { start = 0, messageText } of program.getSemanticDiagnostics(file)) {
    const at = file.getLineAndCharacterOfPosition(start).line - first;
    const name = [...ROWS.keys()][at] ?? "the resource itself";
    const known = found.get(name) ?? [];
    found.set(name, [...known, ts.flattenDiagnosticMessageText(messageText, " ")]);
  }
  return found;
}

describe("a route's row", () => {
  let found: Map<string, string[]>;
  before(() => {
    found = mistakes();
  });

  it("compiles if it is complete, in its one file", () => {
    assert.deepEqual(found.get("nothing"), []);
    assert.deepEqual([...found.keys()], [...ROWS.keys()]);
  });

  for (const name of ROWS.keys()) {
    if (name === "nothing") continue;
    it(`does not compile with ${name}`, () => {
      assert.notDeepEqual(found.get(name), []);
    });
  }
});

describe("a route that is added as one row", () => {
  const row: RouteRow = {
    ...{ method: "GET", path: "/v1/never/{id}", access: "key", cost: "lists" },
    ...{ id: "readNever", tag: "service", summary: "Read what never is" },
    description: "It never is.",
    parameters: [
      { name: "id", in: "path", required: true, description: "Its id.", schema: SCHEMAS.Health },
      { name: "of", in: "query", required: false, description: "Whose.", schema: SCHEMAS.Health },
    ],
    answers: { 200: { description: "It.", schema: "Readiness", example: () => ({}) } },
    errors: ["not_found", "quota_exceeded"],
    handle: (_call: KeyCall) => answer("Readiness", { status: "ready", snapshot: "2026-10" }),
  };
  const added: readonly ApiRoute[] = [...ROUTES, route(row)];
  type Paths = Record<string, { get?: { operationId: string; description: string } }>;
  const pathsOf = (routes: readonly ApiRoute[]) =>
    (publicDocument(routes, "1.0.0") as { readonly paths: Paths }).paths;

  it("is found at its address, with the parameters that it describes", () => {
    const found = new RouteTable(added).at("/v1/never/7");
    assert.equal(found?.path, row.path);
    assert.deepEqual(found?.params, { id: "7" });
    assert.deepEqual(found?.methods.get("GET")?.query, ["of"]);
  });

  it("is in the OpenAPI document, which otherwise stays the same", () => {
    const { [row.path]: own, ...others } = pathsOf(added);
    assert.equal(own?.get?.operationId, row.id);
    assert.match(own?.get?.description ?? "", /^It never is\. Counts as 1 request; /);
    const codes = JSON.stringify(own);
    for (const code of row.errors) assert.ok(codes.includes(`"${code}"`), code);
    assert.deepEqual(others, pathsOf(ROUTES));
  });

  it("is in the reference and in llms.txt", () => {
    const page = referencePage(listed(added), SCHEMAS, "1.0.0");
    assert.ok(page.includes(`<h2 id="${row.id}">${row.summary}</h2>`));
    const llms = documentRoutes(() => added).find((one) => one.path === "/llms.txt");
    const call = { service: { version: "1.0.0" }, header: () => undefined };
    const answer = llms?.handle(call as never) as HttpAnswer;
    assert.ok(String(answer.body).includes(`\`GET ${row.path}\`: ${row.summary}. `));
  });
});

it("accepts only the query parameters that a route's row describes", () => {
  for (const { path: where, query, parameters = [] } of listed(ROUTES)) {
    if (query === "any") continue;
    const described = parameters.filter((one) => one.in === "query").map(({ name }) => name);
    assert.deepEqual([...(query ?? [])].sort(), described.sort(), where);
  }
});
