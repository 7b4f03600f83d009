/**
 * Proves that the route table of an HTTP thread agrees with the server's. The table has every
 * route that a thread may answer itself. For every known or unknown path, both tables find the same
 * one of these routes, or none.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { THREAD_TABLE } from "../../../../src/http/api/accounts/accounts.ts";
import { PUBLIC_TABLE, ROUTES } from "../../../../src/http/api/routes.ts";
import type { RouteTable } from "../../../../src/http/server/routetable.ts";

const METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT"];

/** Returns the route that a thread answers by itself, or null. */
function anywhere(table: RouteTable, method: string, path: string) {
  const route = table.at(path)?.methods.get(method);
  return route?.anywhere === true ? route : null;
}

function paths(): string[] {
  const known = ROUTES.map(({ path }) => path.replace(/\{[^}]*\}/g, "11222333000181"));
  const changed = known.flatMap((path) => [path, `${path}/`, `${path}/x`, path.toUpperCase()]);
  return [...changed, "/", "/v1", "/v1/accounts", "/v1/accounts/11.222.333%2F0001-81", "/app", "*"];
}

describe("a thread's route table", () => {
  it("has every row that is answered anywhere", () => {
    const rows = ROUTES.filter((row) => row.anywhere === true);
    assert(rows.length >= 5);
    for (const { method, path } of rows) {
      const sample = path.replace(/\{[^}]*\}/g, "11222333000181");
      assert.equal(THREAD_TABLE.at(sample)?.methods.get(method)?.path, path);
    }
  });

  it("leads every request to the row of the server's table, or nowhere", () => {
    let answered = 0;
    for (const path of paths()) {
      for (const method of METHODS) {
        const there = anywhere(THREAD_TABLE, method, path);
        assert.equal(there, anywhere(PUBLIC_TABLE, method, path), `${method} ${path}`);
        if (there !== null) answered++;
      }
    }
    assert(answered > 5);
  });
});
