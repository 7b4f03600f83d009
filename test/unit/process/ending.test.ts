/**
 * Proves which file names `export --out` and `import --out` accept, and which format they select.
 * Does not prove: that commands use it (e2e/cli/export.test.ts).
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { kindOfName, otherKind, refuseSnapshotName } from "../../../src/cli/support/ending.ts";
import { EXPORT_FORMATS } from "../../../src/spec/fields.ts";

it("uses the format of the extension, and rejects an unknown or contradicting one", () => {
  for (const format of EXPORT_FORMATS) {
    assert.equal(kindOfName(`a.b/x.${format.toUpperCase()}`).format, format);
    assert.equal(kindOfName(`x.${format}`, { format }).format, format);
    assert.equal(kindOfName("a.b/x", { format }).format, format);
    const other = EXPORT_FORMATS.find((one) => one !== format);
    assert.throws(() => kindOfName(`x.${format}`, { format: other }), {
      exitCode: 2,
      message: /--format is/,
    });
  }
  assert.equal(kindOfName("x").format, undefined);
  assert.equal(kindOfName(".hidden").format, undefined);
  for (const name of ["p.docx", "x.csv.zip", "x.json", "x.json.gz", "x.2026"]) {
    const message = /\.csv, \.html, \.xlsx, \.parquet, \.jsonl, or no ending\.$/;
    assert.throws(() => kindOfName(name), { exitCode: 2, message });
    assert.throws(() => kindOfName(name, { format: "csv" }), { exitCode: 2, message });
  }
});

it("uses the compression of the extension, and rejects one that contradicts --compression", () => {
  assert.deepEqual(kindOfName("x.csv.gz"), { format: "csv", compression: "gzip" });
  assert.deepEqual(kindOfName("x.JSONL.GZ", { compression: "gzip" }), {
    format: "jsonl",
    compression: "gzip",
  });
  assert.deepEqual(kindOfName("x.csv"), { format: "csv", compression: "none" });
  assert.deepEqual(kindOfName("x.gz"), { format: undefined, compression: "gzip" });
  assert.deepEqual(kindOfName("x.html.zst"), { format: "html", compression: "zstd" });
  assert.deepEqual(kindOfName("x"), { format: undefined, compression: undefined });
  assert.equal(kindOfName("x", { compression: "gzip" }).compression, "gzip");
  for (const [name, compression, right] of [
    ["x.csv", "gzip", /ends in \.csv, but --compression is gzip\. Use the ending \.csv\.gz,/],
    // Parquet files are compressed internally, so no extension states their compression.
    ["x.parquet", "gzip", /--compression is gzip\. Use the ending \.csv\.gz, or leave out/],
    ["x.csv.gz", "zstd", /ends in \.gz, but --compression is zstd\. Use the ending \.csv\.zst,/],
    ["x.csv.gz", "none", /ends in \.gz, but --compression is none\. Use the ending \.csv,/],
  ] as const) {
    assert.throws(() => kindOfName(name, { compression }), { exitCode: 2, message: right });
  }
});

it("rejects a name that is only an extension, and a compressed format that is packed again", () => {
  for (const name of [".csv", ".zst", "a.b/.gz", ".JSONL.gz", "/tmp/.xlsx"]) {
    assert.throws(() => kindOfName(name), { exitCode: 2, message: /no name before it\. Use/ });
  }
  for (const name of ["x.xlsx.zst", "x.parquet.gz"]) {
    assert.throws(() => kindOfName(name), { exitCode: 2, message: /is compressed inside\. Use/ });
  }
  assert.throws(() => kindOfName("x.gz", { format: "xlsx" }), { exitCode: 2 });
});

it("rejects a snapshot under the name of another kind of file", () => {
  for (const name of ["x.peneira", "x.ARROW", "2026-10", ".x"]) refuseSnapshotName(name);
  for (const name of ["x.csv", "x.parquet", "x.peneira.zip"]) {
    assert.throws(() => refuseSnapshotName(name), {
      exitCode: 2,
      message: /\.peneira, \.arrow, or/,
    });
  }
});

it("reports an extension that overrides the spec, unless --format decides", () => {
  const spec = { output: { format: "xlsx" } };
  assert.equal(
    otherKind("y.csv", spec),
    "--out y.csv ends in .csv, so csv is written; the spec's output.format is xlsx. " +
      "Use the ending .xlsx, or say --format csv.",
  );
  assert.equal(otherKind("y.csv", spec, { format: "csv" }), null);
  assert.equal(otherKind("y.xlsx", spec), null);
  assert.equal(otherKind("y", spec), null);
  // No conflict is reported here. The format json exists only for searches, and the schema rejects
  // values of wrong types.
  for (const input of [{ output: { format: "json" } }, { output: 1 }, {}, null, "x"]) {
    assert.equal(otherKind("y.csv", input), null);
  }
});

it("reports an extension that overrides the compression of the spec", () => {
  const spec = { output: { format: "csv", compression: "gzip" } };
  assert.equal(
    otherKind("y.csv", spec),
    "--out y.csv ends in .csv, so its compression is none; the spec's output.compression is " +
      "gzip. Use the ending .csv.gz, or say --compression none.",
  );
  assert.equal(otherKind("y.csv", spec, { compression: "none" }), null);
  assert.equal(otherKind("y.csv.gz", spec), null);
  assert.equal(otherKind("y", spec), null);
});
