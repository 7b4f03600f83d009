/**
 * Proves that a path leads to its own route of the table and to no other, and that variable parts
 * of the path are decoded. A query is parsed completely: each known parameter may occur once, and
 * everything else is rejected by name.
 * Does not prove how the handlers use the values.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../../../../src/errors.ts";
import { PUBLIC_TABLE, ROUTES } from "../../../../src/http/api/routes.ts";
import { readQuery } from "../../../../src/http/server/query.ts";

describe("RouteTable", () => {
  const table: readonly (readonly [path: string, route: string | null, id?: string])[] = [
    ["/v1/exports", "/v1/exports"],
    ["/v1/exports/", null],
    ["/v1/exports/abc", "/v1/exports/{id}", "abc"],
    ["/v1/exports/%61bc", "/v1/exports/{id}", "abc"],
    ["/v1/exports/a%2520b", "/v1/exports/{id}", "a%20b"],
    ["/v1/exports/{id}", "/v1/exports/{id}", "{id}"],
    ["/v1/exports/a%2Fdownload", null],
    ["/v1/exports/a%00b", null],
    ["/v1/exports/a%5cb", null],
    ["/v1/exports/%ff", null],
    ["/v1/exports//download", null],
    ["/v1/exports/abc/download", "/v1/exports/{id}/download", "abc"],
    ["/v1/exports/abc/download/", null],
    ["/v1/exports/abc/upload", null],
    ["//v1/exports", null],
    ["/V1/exports", null],
    ["/v1/accounts/11.222.333/0001-81", "/v1/accounts/{cnpj}/{branch}"],
    ["/v1/accounts/11.222.333%2F0001-81", "/v1/accounts/{cnpj}/{branch}"],
    ["/v1/accounts/11%2E222%2e333%2f0001%2D81", "/v1/accounts/{cnpj}/{branch}"],
    ["/v1/accounts/search%2F", null],
    ["/v1/accounts/%2F0001-81", null],
    ["/v1/accounts/a%2Fb%2Fc", null],
    ["/v1/accounts/a%2Fb/c", null],
    ["/v1/accounts%2Fsearch", null],
    ["/v1%2Faccounts/search", null],
    ["/", "/"],
    ["/docs/", "/docs/"],
    ["/docs%2F", null],
    ["/files", null],
    ["/files/", null],
    ["/files/a/b", null],
    ["/files/__proto__", "/files/{name}"],
  ];
  for (const [path, route, id] of table) {
    it(`resolves ${path} to ${route ?? "nothing"}`, () => {
      const found = PUBLIC_TABLE.at(path);
      assert.equal(found?.path ?? null, route);
      if (id !== undefined) assert.deepEqual(found?.params, { id });
    });
  }

  it("finds every route of the table under its own path, and HEAD with each GET", () => {
    for (const { method, path } of ROUTES) {
      const found = PUBLIC_TABLE.at(path.replaceAll(/\{\w+\}/g, "x"));
      assert.equal(found?.path, path);
      assert.equal(found?.methods.get(method)?.path, path);
      if (method === "GET") assert.ok(found?.methods.has("HEAD"));
    }
  });
});

describe("readQuery", () => {
  const refused = (raw: string, known: readonly string[]): AppError => {
    try {
      readQuery(raw, known);
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === "invalid_request");
      return error;
    }
    return assert.fail(`${raw} was accepted`);
  };

  it("round-trips any encoded values", () => {
    const values = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "limit"), text()), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(values, (pairs) => {
        const raw = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
        assert.deepEqual([...readQuery(raw, ["a", "b", "limit"])], pairs);
      }),
    );
  });

  it("accepts a plus and a second equals sign literally", () => {
    assert.equal(readQuery("a=1+1=2", ["a"]).get("a"), "1+1=2");
    assert.equal(readQuery("a", ["a"]).get("a"), "");
  });

  it("reports each mistake, and the known names", () => {
    const error = refused("limit=1&nope=2&limit=3&%zz=4&cursor=%ff", ["limit", "cursor"]);
    assert.deepEqual(
      error.errors.map(({ pointer, code }) => [pointer, code]),
      [
        ["/query/nope", "unknown_parameter"],
        ["/query/limit", "duplicate"],
        ["/query/", "wrong_encoding"],
        ["/query/cursor", "wrong_encoding"],
      ],
    );
    assert.match(error.message, /"nope".*known are limit, cursor.*4 mistakes/);
  });

  it("rejects any parameter if none is known, also empty ones", () => {
    for (const raw of ["a=1", "a", "&", "=", "a=1&", "__proto__=1", "constructor"]) {
      assert.match(refused(raw, []).message, /knows no query parameters/);
      refused(`limit=1&${raw}`, ["limit"]);
    }
    assert.equal(readQuery("", []).size, 0);
  });
});

/** Any text that can be encoded, which excludes lone surrogates. */
function text(): fc.Arbitrary<string> {
  return fc.string({ unit: "grapheme", maxLength: 12 });
}
