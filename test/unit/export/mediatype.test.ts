/**
 * Proves: the media type of an enriched CSV file states the encoding and header that the export's
 * record names, and nothing else. Every other export has the media type of its format.
 * Does not prove that the file's content matches its media type (e2e/export/enrichment).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentTypeOf, FORMATS } from "../../../src/export/formats/format.ts";
import type { ExportRecord } from "../../../src/export/record.ts";

describe("the media type of an enriched CSV file", () => {
  it("has what its record knows, and no more", () => {
    const type = (csvText: ExportRecord["csvText"]) =>
      contentTypeOf({ format: "csv", compression: null, csvText });
    assert.equal(type(null), FORMATS.csv.contentType);
    assert.equal(type({}), "text/csv");
    const text = { encoding: "utf-16le", hasHeader: false };
    assert.equal(type(text), "text/csv; charset=utf-16le; header=absent");
  });
});
