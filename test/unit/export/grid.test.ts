/**
 * Proves: files of a grid that is written in several pieces have every cell, and a grid with more
 * rows than a sheet is refused.
 * Does not prove: what the files of counts contain (contract/http/api/counts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import readSheets from "read-excel-file/node";
import { AppError } from "../../../src/errors.ts";
import { gridCsv, gridXlsx } from "../../../src/export/formats/grid.ts";

const OPTIONS = { labels: null, sheet: "Counts", date: "2026-10-10", about: [] };

describe("files of a grid", () => {
  it("have every cell of four million characters", async () => {
    const headings = ["value", "count"];
    const lines = Array.from({ length: 140 }, (_, at) => [`${at},${"é".repeat(31_000)}`, at]);
    const csv = gridCsv({ headings, lines }, null).toString().split("\r\n");
    const quoted = lines.map(([text, count]) => `"${text}",${count}`);
    assert.deepEqual(csv, ["value,count", ...quoted, ""]);
    const [sheet] = await readSheets(gridXlsx({ headings, lines }, OPTIONS));
    assert.deepEqual(sheet?.data, [headings, ...lines]);
  });

  it("have no more rows than a sheet", () => {
    const lines = Array<readonly string[]>(1_048_576).fill(["x"]);
    assert.throws(
      () => gridXlsx({ headings: ["a"], lines }, OPTIONS),
      (error: unknown) => error instanceof AppError && /at most 1048576 rows/.test(error.message),
    );
  });
});
