/**
 * Proves that the OpenAPI document and the reference pages are complete. Every reference and link
 * has its target, and every error has its anchor. The Content-Security-Policy allows exactly the
 * pages' style, and texts are escaped as HTML. Does not prove: that the answers are as documented.
 */
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { ERROR_CODES } from "../../../../src/errors.ts";
import { NOTICE_WEBHOOKS } from "../../../../src/http/api/notices/notices.ts";
import { listed } from "../../../../src/http/api/route.ts";
import { ROUTES } from "../../../../src/http/api/routes.ts";
import { SCHEMAS } from "../../../../src/http/api/schemas.ts";
import { openApiDocument } from "../../../../src/http/openapi/document.ts";
import { DOCS_POLICY, errorsPage, referencePage } from "../../../../src/http/openapi/reference.ts";
import { html } from "../../../../src/text/markup.ts";

const routes = listed(ROUTES);
const document = openApiDocument(routes, SCHEMAS, { version: "1.2.3", webhooks: NOTICE_WEBHOOKS });

/** Yields the document and every object in it. */
function* objects(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const member of Object.values(value)) yield* objects(member);
}

test("has a component for every reference, and a reference for every component", () => {
  const components = document.components as Readonly<Record<string, object>>;
  const { schemas, headers, examples } = components;
  const there = Object.entries({ schemas, headers, examples }).flatMap(([kind, named]) =>
    Object.keys(named as object).map((name) => `#/components/${kind}/${name}`),
  );
  const used = new Set([...objects(document)].flatMap(({ $ref }) => $ref ?? []));
  assert.deepEqual([...used].sort(), there.sort());
  assert.deepEqual(Object.keys(schemas as object), Object.keys(SCHEMAS));
});

test("gives operations unique ids, path parameters, and all codes of their answers", () => {
  const ids = new Set<unknown>();
  const paths = document.paths as Record<string, Record<string, Record<string, unknown>>>;
  for (const [path, methods] of Object.entries(paths)) {
    for (const operation of Object.values(methods)) {
      ids.add(operation.operationId);
      const parameters = (operation.parameters ?? []) as { name: string; in: string }[];
      const inPath = parameters.filter((one) => one.in === "path").map((one) => `{${one.name}}`);
      assert.deepEqual(path.match(/\{\w+\}/g) ?? [], inPath);
      assert(Object.keys(operation.responses as object).includes("500"));
    }
  }
  assert.equal(ids.size, routes.length);
  assert.equal((document.info as { version: string }).version, "1.2.3");
});

test("has targets for links within a page and between the pages", () => {
  const pages = { "/docs": referencePage(routes, SCHEMAS, "1.2.3"), "/docs/errors": errorsPage() };
  const idsOf = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  for (const [path, page] of Object.entries(pages)) {
    const ids = idsOf(page);
    assert.equal(new Set(ids).size, ids.length);
    for (const [, target = ""] of page.matchAll(/ href="([^"]+)"/g)) {
      if (target === "/openapi.json") continue;
      const [where = "", id] = target.split("#");
      const other = pages[(where || path) as keyof typeof pages];
      assert(other !== undefined, target);
      if (id !== undefined) assert(idsOf(other).includes(id), target);
    }
    assert.doesNotMatch(page, /<script|https?:|url\(|@import/);
  }
  for (const code of Object.keys(ERROR_CODES)) {
    assert(idsOf(pages["/docs/errors"]).includes(code), code);
  }
});

test("renders code in the pages' text as code, and leaves no backtick", () => {
  for (const page of [referencePage(routes, SCHEMAS, "1.2.3"), errorsPage()]) {
    assert.doesNotMatch(page.replaceAll(/<pre[\s\S]*?<\/pre>/g, ""), /`/);
  }
  assert(errorsPage().includes("<code>Authorization: Bearer &lt;key&gt;</code>"));
});

test("allows exactly the style of the pages in the policy", () => {
  const style = /<style>([\s\S]*?)<\/style>/.exec(errorsPage())?.[1] ?? assert.fail();
  const hash = createHash("sha256").update(style).digest("base64");
  assert(DOCS_POLICY.includes(`style-src 'sha256-${hash}'`));
});

test("escapes every text in markup, and nothing twice", () => {
  const plainOf = (text: string) =>
    text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => {
      const plain: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
      return plain[name] as string;
    });
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const inner = html`${text}`;
      assert.doesNotMatch(inner.text, /[<>"']/);
      assert.equal(plainOf(inner.text), text);
      assert.equal(html`<b>${[inner, null, false, undefined]}</b>`.text, `<b>${inner.text}</b>`);
    }),
  );
});
