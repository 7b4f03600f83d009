/**
 * Proves: a typed district is searched in the municipality that the same text names, in any common
 * spelling. If the text names none, the district is searched in the selected municipalities, else
 * in the largest ones of the selected states. It is never searched in more municipalities than the
 * server accepts.
 * Does not prove: the districts found there (contract/http/api/districts.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CatalogBook } from "../../../src/console/web/find/catalog.ts";
import { districtQuestion } from "../../../src/console/web/find/filters/districtsearch.ts";
import { emptyQuery } from "../../../src/console/web/find/question.ts";

const CITIES = [
  ["3550308", "São Paulo", "SP", 900],
  ["3304557", "Rio de Janeiro", "RJ", 400],
  ["3106200", "Belo Horizonte", "MG", 300],
  ["2201903", "Bom Jesus", "PI", 9],
  ["4302303", "Bom Jesus", "RS", 8],
  ...Array.from({ length: 20 }, (_, i) => [`35000${10 + i}`, `Vila ${"x".repeat(i + 1)}`, "SP", 1]),
] as const;

const book = new CatalogBook({
  ...{ request_id: "req_x", snapshot: "2026-10", activities: [], prefixes: [], legal_natures: [] },
  municipalities: CITIES.map(([ibge, name, uf, accounts], i) => {
    return { tom: String(1_000 + i), ibge, name, uf, accounts };
  }),
} as never);

const send = (text: string, geo: object = {}) =>
  districtQuestion(text, { ...emptyQuery().filters.geo, ...geo }, book);

describe("the municipality of a typed district", () => {
  it("is the one that the text names", () => {
    const wanted = { name: "savassi", cities: ["3106200"] };
    for (const text of ["savassi, belo horizonte", "savassi,belo", "savassi belo horizonte"]) {
      assert.deepEqual(send(text), wanted, text);
      assert.deepEqual(send(text, { municipality_ibge_any_of: ["3550308"] }), wanted, text);
    }
    assert.deepEqual(send("Vila Nova  São Paulo"), { name: "Vila Nova", cities: ["3550308"] });
    assert.deepEqual(send("centro, bom jesus").cities, ["2201903", "4302303"]);
    assert.deepEqual(send("centro, bom jesus", { uf_any_of: ["RS"] }).cities, ["4302303"]);
  });

  it("is the selected one if the text names none", () => {
    const chosen = ["3106200", "3304557"];
    const requested = send(" savassi ", { municipality_ibge_any_of: chosen });
    assert.deepEqual(requested, { name: "savassi", cities: ["3304557", "3106200"] });
    assert.deepEqual(send("savassi, ", { municipality_ibge_any_of: chosen }).cities.length, 2);
    const many = CITIES.map(([ibge]) => ibge);
    const most = send("centro", { municipality_ibge_any_of: many });
    assert.deepEqual(most.cities.slice(0, 3), ["3550308", "3304557", "3106200"]);
    assert.equal(most.cities.length, 10);
  });

  it("is one of the largest if none is selected", () => {
    assert.deepEqual(send("moema").cities.slice(0, 3), ["3550308", "3304557", "3106200"]);
    assert.equal(send("moema").cities.length, 10);
    assert.deepEqual(send("centro", { uf_any_of: ["RS"] }), {
      name: "centro",
      cities: ["4302303"],
    });
  });
});
