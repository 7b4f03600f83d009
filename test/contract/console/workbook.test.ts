/**
 * Proves, on both transports: a table that the page sends becomes a workbook with the same cells.
 * No text of the table becomes a formula. Every mistake of a table is reported, and no text is
 * truncated.
 * Does not prove: the tables that the page sends (e2e/console/numbers).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import readSheets from "read-excel-file/node";
import {
  type ConsoleServer,
  type Person,
  pointersIn,
  startConsole,
} from "../../support/console/data.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";

const TABLE = {
  labels: "en",
  head: ["IBGE", "City", "Rate"],
  lines: [
    ["3550308", "=1+1", 12.5],
    ["3509502", "", 0],
  ],
  facts: [["Map of São Paulo"], ["Filters", "Active"]],
};

for (const transport of TRANSPORTS) {
  describe(`the workbook of a table, over ${transport}`, () => {
    let server: ConsoleServer;
    let person: Person;

    before(async () => {
      server = await startConsole(transport);
      person = await server.person();
    });
    after(() => server.close());

    it("has the table's cells, and texts that are no formulas", async () => {
      const { status, headers, bytes } = await person.post("/workbook", TABLE);
      assert.equal(status, 200);
      assert.match(headers.get("content-type") ?? "", /spreadsheetml/);
      const sheets = await readSheets(bytes);
      const [table, about] = sheets.map(({ data }) => data);
      const [, second] = TABLE.lines;
      assert.deepEqual(table, [
        TABLE.head,
        TABLE.lines[0],
        second?.map((one) => (one === "" ? null : one)),
      ]);
      assert.match(JSON.stringify(about), /Map of São Paulo.*Filters.*Active/);
    });

    it("reports every mistake, and cuts nothing", async () => {
      const wrong = { labels: "fr", head: [], lines: [["a", "b", "c", "d"]], facts: [[{}]] };
      const refused = await person.post("/workbook", wrong);
      assert.equal(refused.status, 422);
      assert.deepEqual(pointersIn(refused), ["/facts", "/head", "/labels", "/lines"]);
      const long = await person.post("/workbook", { ...TABLE, lines: [["x".repeat(32_768)]] });
      assert.deepEqual([long.status, pointersIn(long)], [422, ["/lines"]]);
      const lines = Array.from({ length: 1_001 }, () => ["a", "b", 1]);
      const many = await person.post("/workbook", { ...TABLE, lines });
      assert.deepEqual([many.status, pointersIn(many)], [422, ["/lines"]]);
      const most = await person.post("/workbook", { ...TABLE, lines: lines.slice(1) });
      assert.equal(most.status, 200);
    });
  });
}
