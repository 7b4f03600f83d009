/**
 * Proves which names of files `export --out` and `import --out` take, and which format a name is.
 * Does not prove that the commands ask: e2e/cli/export.test.ts.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { formatOfName, otherFormat, refuseSnapshotName } from "../../../src/cli/support/ending.ts";
import { EXPORT_FORMATS } from "../../../src/spec/fields.ts";

it("takes the format of the ending, and refuses one that is unknown or contradicts", () => {
  for (const format of EXPORT_FORMATS) {
    assert.equal(formatOfName(`a.b/x.${format.toUpperCase()}`), format);
    assert.equal(formatOfName(`x.${format}`, format), format);
    assert.equal(formatOfName("a.b/x", format), format);
    const other = EXPORT_FORMATS.find((one) => one !== format);
    assert.throws(() => formatOfName(`x.${format}`, other), {
      exitCode: 2,
      message: /--format is/,
    });
  }
  assert.equal(formatOfName("x"), undefined);
  assert.equal(formatOfName(".csv"), undefined);
  for (const name of ["p.docx", "x.csv.gz", "x.json", "x.2026"]) {
    const message = /\.csv, \.html, \.xlsx, \.parquet, \.jsonl, or no ending\.$/;
    assert.throws(() => formatOfName(name), { exitCode: 2, message });
    assert.throws(() => formatOfName(name, "csv"), { exitCode: 2, message });
  }
});

it("refuses a snapshot under the name of another kind of file", () => {
  for (const name of ["x.peneira", "x.ARROW", "2026-10", ".x"]) refuseSnapshotName(name);
  for (const name of ["x.csv", "x.parquet", "x.peneira.zip"]) {
    assert.throws(() => refuseSnapshotName(name), {
      exitCode: 2,
      message: /\.peneira, \.arrow, or/,
    });
  }
});

it("reports an ending that decides against the spec, unless --format decides", () => {
  const spec = { output: { format: "xlsx" } };
  assert.equal(
    otherFormat("y.csv", spec),
    "--out y.csv ends in .csv, so csv is written; the spec's output.format is xlsx. " +
      "Use the ending .xlsx, or say --format csv.",
  );
  assert.equal(otherFormat("y.csv", spec, "csv"), null);
  assert.equal(otherFormat("y.xlsx", spec), null);
  assert.equal(otherFormat("y", spec), null);
  // json is a search's own format, and a wrong one is refused by the schema.
  for (const input of [{ output: { format: "json" } }, { output: 1 }, {}, null, "x"]) {
    assert.equal(otherFormat("y.csv", input), null);
  }
});
