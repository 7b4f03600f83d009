/**
 * Proves that only src/dump/registrytext.ts decodes the bytes of imported files. The other files in
 * the list below read records that this product wrote, whose bytes are ASCII.
 * No file of the product uses TextDecoder for one-byte encodings, because Node 20 decodes the bytes
 * 80 to 9F as control characters.
 * Does not prove that a reader cleans the decoded text: the suites of dump and ingest do.
 */
import { describe, it } from "node:test";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";

const DECODES = /"latin1"|"binary"|8859-1"|TextDecoder|readFileSync\([^)]*, "utf-?8"|setEncoding\(/;

/** Files that may convert bytes themselves; each line says what the file converts. */
const OWN_BYTES = new Set([
  "src/dump/registrytext.ts", // the decoder
  "src/dump/cpf.ts", // bytes of constants
  "src/dump/archive.ts", // JSON that the download wrote
  "src/ingest/columns/column-rows.ts", // a CNPJ of a row record
  "src/ingest/join.ts", // CNPJs that were read before
  "src/ingest/columns/parquet.ts", // a magic number
]);

const READERS = filesMatching(/^src\/(dump|ingest)\/(?!sample\/).*\.ts$/);

describe("texts of imported files", () => {
  it("are decoded by one file", () => {
    const others = READERS.filter((file) => !OWN_BYTES.has(file) && DECODES.test(textOf(file)));
    refuse(others, "decode with decodeText or decodeTable of src/dump/registrytext.ts");
  });

  it("are decoded by no TextDecoder of one-byte encodings, nor is any other text", () => {
    const wrong = filesMatching(/^(src|native-index)\/.*\.(tsx?|mjs|cjs)$/).filter((file) =>
      /TextDecoder\(\s*["'`](?!utf-(8|16))/i.test(textOf(file)),
    );
    refuse(wrong, "decode with decodeText of src/dump/registrytext.ts");
  });

  it("are decoded nowhere else in files that no longer do so", () => {
    const idle = [...OWN_BYTES].filter((file) => !DECODES.test(textOf(file)));
    refuse(idle, "these decode nothing any more; take them off the list of this test");
  });
});
