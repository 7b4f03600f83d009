/**
 * Proves: a pasted text with several CNPJs becomes a spreadsheet with one row per CNPJ, or per line
 * if no line has several. A pasted table stays as it is. A text with one CNPJ or none is no
 * spreadsheet. The same choices give the same query, with a title that the server accepts.
 * Does not prove: how the server reads it (contract/export/enrichment), nor the view
 * (e2e/console/enrich).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  choiceFor,
  fileQuery,
  previewQuery,
  storedChoice,
} from "../../../src/console/web/enrich/choice.ts";
import { pastedSheet } from "../../../src/console/web/enrich/sent.ts";

const A = "11.222.333/0001-81";
const B = "22.333.444/0001-81";

describe("a pasted text", () => {
  for (const [text, rows] of [
    [`${A}\n${B}`, `${A}\n${B}`],
    [`${A}\r\nMaria\r\n${B}\r\n`, `${A}\r\nMaria\r\n${B}\r\n`],
    [`${A}, ${B}`, `${A}\n${B}`],
    [`${A};${B}`, `${A}\n${B}`],
    ["11222333000181 22333444000181", "11222333000181\n22333444000181"],
    [`${A}\t${B}`, `${A}\n${B}`],
    [`Nome\tCNPJ\nUm\t${A}\nDois\t${B}`, `Nome\tCNPJ\nUm\t${A}\nDois\t${B}`],
    [`Um\t${A}\t${B}`, `Um\t${A}\t${B}`],
  ] as const) {
    it(`is rows: ${JSON.stringify(text)}`, () => assert.equal(pastedSheet(text), rows));
  }

  for (const text of [
    A,
    `CNPJ: ${A}`,
    "",
    "restaurantes em Campinas",
    "padarias com capital acima de 10.000.000 e abaixo de 20.000.000",
    "11 98765-4321, 11 98765-4322",
    "11222333, 22333444",
  ]) {
    it(`is no spreadsheet: ${JSON.stringify(text)}`, () => assert.equal(pastedSheet(text), null));
  }
});

describe("a request for a sheet", () => {
  const allowed = ["cnpj", "legal_name", "uf", "email"];

  it("begins with fields of the plan", () => {
    assert.deepEqual(storedChoice(allowed).fields, ["legal_name", "uf", "email"]);
  });

  it("makes an Excel file of a pasted text, unless the user chose another", () => {
    const options = storedChoice(allowed);
    assert.equal(choiceFor(options, true).format, "xlsx");
    assert.equal(choiceFor({ ...options, format: "csv" }, true).format, "csv");
    assert.equal(choiceFor(options, false).format, null);
  });

  it("is a query with the file's name as the title", () => {
    const options = { fields: ["uf"], format: "csv", labels: "none" } as const;
    const reading = { column: "2", fillZeros: true };
    const query = new URLSearchParams(
      fileQuery(options, reading, "Clientes\u200b  2026.final.xlsx"),
    );
    assert.deepEqual(Object.fromEntries(query), {
      ...{ fields: "uf", format: "csv", title: "Clientes 2026.final" },
      ...{ column: "2", lost_zeros: "fill" },
    });
    assert.ok(!fileQuery(options, reading, ".csv").includes("title"));
    assert.ok(previewQuery({ column: null, fillZeros: false }, "en").includes("labels=en"));
  });
});
