/**
 * Proves that the OpenAPI document names every route and no other, passes the linter with the
 * committed rules, and has examples that are valid against their schemas. Also proves that
 * comparing an answer with the document detects undocumented parts. The suites that call
 * `assertDocumented` prove that answers match the document.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Compile } from "typebox/schema";
import { ERROR_CODES } from "../../../../src/errors.ts";
import { listed } from "../../../../src/http/api/route.ts";
import { ROUTES } from "../../../../src/http/api/routes.ts";
import { SCHEMAS } from "../../../../src/http/api/schemas.ts";
import { ROOT } from "../../../support/house/checkout.ts";
import {
  ALIASES,
  assertDocumented,
  DOCUMENT,
  PAGES,
  type SeenAnswer,
} from "../../../support/http/documented.ts";

type Media = { readonly schema: object; readonly example?: unknown; readonly examples?: object };

/** Yields every media type object of the document with its position. */
function* mediaIn(value: unknown, place = ""): Generator<readonly [place: string, media: Media]> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === "content") {
      for (const [type, media] of Object.entries(member as Record<string, Media>)) {
        yield [`${place}/${type}`, media];
      }
    } else {
      yield* mediaIn(member, `${place}/${name}`);
    }
  }
}

describe("the OpenAPI document", () => {
  it("has every route except pages and aliases, and no other", () => {
    const routes = ROUTES.filter(({ path }) => !PAGES.includes(path) && !(path in ALIASES));
    const named = routes.map(({ method, path }) => `${method} ${path}`).sort();
    const rows = listed(ROUTES).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(named, rows.sort());
    const documented = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(documented.sort(), named);
  });

  it("requires a key exactly where the server does", () => {
    for (const { method, path, access } of ROUTES) {
      const operation = DOCUMENT.paths[path]?.[method.toLowerCase()] as
        | { readonly security?: readonly unknown[] }
        | undefined;
      if (operation === undefined) continue;
      assert.deepEqual(operation.security, access === "open" ? [] : undefined, path);
    }
  });

  it("passes the linter with the committed rules", () => {
    const folder = mkdtempSync(join(tmpdir(), "peneira-openapi-"));
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(DOCUMENT, null, 2));
    const redocly = join(ROOT, "node_modules/@redocly/cli/bin/cli.js");
    const rules = ["--config", join(ROOT, ".redocly.yaml"), "--format", "json"];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [redocly, "lint", ...rules, file],
      { encoding: "utf8", env: { ...process.env, REDOCLY_TELEMETRY: "off" } },
    );
    rmSync(folder, { recursive: true });
    assert.equal(status, 0, stdout + stderr);
    // The linter prints a notice before the report.
    const { totals } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { totals: object };
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 }, stdout);
  });

  it("has examples for all JSON, each valid against its schema", () => {
    const { components } = DOCUMENT;
    const { examples } = components as unknown as {
      readonly examples: Readonly<Record<string, { readonly value: { readonly code: string } }>>;
    };
    let seen = 0;
    for (const [place, media] of mediaIn(DOCUMENT.paths)) {
      if (!place.endsWith("json")) continue;
      const named = Object.keys(media.examples ?? {}).map((name) => examples[name]?.value);
      const all = media.example === undefined ? named : [media.example];
      assert.ok(all.length > 0, `${place} has no example`);
      const validator = Compile({ components, ...media.schema } as never);
      for (const value of all) {
        assert.ok(validator.Check(value), `${place}: ${JSON.stringify(validator.Errors(value))}`);
        seen++;
      }
    }
    assert.ok(seen > 100);
    for (const [name, { value }] of Object.entries(examples)) assert.equal(value.code, name);
  });

  it("names every code except console-only ones and one that no route returns", () => {
    const named = JSON.stringify(DOCUMENT.paths);
    const missing = Object.keys(ERROR_CODES).filter((code) => !named.includes(`"${code}"`));
    const ofConsole = ["session_required", "sign_in_failed", "csrf_invalid", "role_not_allowed"];
    assert.deepEqual(missing, [...ofConsole, "method_not_allowed"]);
  });

  it("allows no unnamed members, except where it states so", () => {
    const open = Object.entries(SCHEMAS).flatMap(([name, schema]) => {
      const { type, additionalProperties } = schema as unknown as Readonly<Record<string, unknown>>;
      return type === "object" && additionalProperties !== false ? [name] : [];
    });
    // These two schemas allow further members, because problem documents may have them (RFC 9457).
    assert.deepEqual(open, ["Problem", "Mistake"]);
  });
});

describe("checking an answer against the document", () => {
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "x-request-id": "a",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'",
    ratelimit: '"requests";r=1;t=1',
    "ratelimit-policy": '"requests";q=1;w=1',
  };
  const list = '{"exports":[],"next_cursor":null,"has_more":false}';
  const good: SeenAnswer = {
    ...{ method: "GET", path: "/v1/exports?limit=1", status: 200 },
    ...{ headers, body: list },
  };
  const without = (name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));
  const problem = (code: string, status: number, more: object = {}) => ({
    status,
    headers: { ...headers, "content-type": "application/problem+json" },
    body: JSON.stringify({
      ...{ type: `/docs/errors#${code}`, title: "", status, code, detail: "", request_id: "a" },
      ...more,
    }),
  });

  it("accepts documented answers", () => {
    assertDocumented(good);
    assertDocumented({ ...good, ...problem("invalid_cursor", 422) });
    assertDocumented({ ...good, method: "HEAD", body: "" });
    assertDocumented({ ...good, path: "/v1/nope", ...problem("not_found", 404) });
  });

  const wrong: Readonly<Record<string, Partial<SeenAnswer>>> = {
    "a status that is not listed": { status: 206 },
    "a media type that is not listed": { headers: { ...headers, "content-type": "text/plain" } },
    "a header that is not listed": { headers: { ...headers, "x-powered-by": "x" } },
    "a missing header": { headers: without("cache-control") },
    "a missing limit": { headers: without("ratelimit") },
    "a member too many": { body: list.replace("{", '{"tenant":1,') },
    "a member of another type": { body: list.replace("null", "7") },
    "a missing member": { body: '{"exports":[]}' },
    "a body of HEAD": { method: "HEAD" },
    "a code of another route": problem("query_too_broad", 422),
    "a code of another status": problem("invalid_cursor", 404),
    "the id of another request": problem("invalid_cursor", 422, { request_id: "b" }),
    "429 without a time to wait": problem("rate_limited", 429),
    "another status of an unknown path": { path: "/v1/nope", ...problem("invalid_cursor", 422) },
    "405 without its methods": { method: "PUT", ...problem("method_not_allowed", 405) },
    "a key in the body": problem("invalid_cursor", 422, { detail: "pnr_0123abcd" }),
  };
  for (const [what, change] of Object.entries(wrong)) {
    it(`finds ${what}`, () => {
      assert.throws(() => assertDocumented({ ...good, ...change }), /not as documented/);
    });
  }
});
