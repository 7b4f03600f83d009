/**
 * Proves: registry text is decoded in one place, src/dump/characters.ts and its native twin; no other
 * file of the import reads ISO-8859-1 as text, so none can bring control characters in.
 * Does not prove: that the decoder is right (unit/dump/text.test.ts, unit/ingest/native-scan.test.ts).
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { filesMatching, textOf } from "../../support/checkout.ts";

/** Decoders that give characters of 80 to 9F. The TextDecoder of Node 20 is wrong about them, too. */
const DECODER = /latin1|TextDecoder\("(?:windows-1252|iso-8859-1|latin1)"/;

/** Files that use one for bytes that are no registry text, and what those are. */
const NO_TEXT: Readonly<Record<string, string>> = {
  "src/dump/characters.ts": "the decoder",
  "src/dump/cpf.ts": "patterns of ASCII",
  "src/dump/records.ts": "the name of an encoding",
  "src/ingest/column-rows.ts": "a CNPJ",
  "src/ingest/columns-import.ts": "a CNPJ",
  "src/ingest/company-table.ts": "a CNPJ root",
  "src/ingest/join.ts": "a CNPJ",
  "src/ingest/native-join.ts": "CNPJs",
  "src/ingest/native-scan.ts": "the name of an encoding",
  "src/ingest/parquet.ts": "a magic number",
  "src/ingest/row-counts.ts": "an e-mail, which is ASCII",
  "src/ingest/sanctions.ts": "a CSV of which codes and dates are kept alone",
  "src/ingest/shared-values.ts": "an e-mail or a phone, which are ASCII",
  "src/ingest/tally.ts": "the name of an encoding",
};

it("only one file of the import decodes registry text", () => {
  const files = filesMatching(/^src\/(dump\/(?!sample)|ingest\/).*\.ts$/);
  const found = files.filter((file) => DECODER.test(textOf(file)));
  assert.ok(found.length > 5, "the files are not read");
  assert.deepEqual(found.sort(), Object.keys(NO_TEXT).sort());
});
