/**
 * Proves that the product reads CNPJs in one place: no file outside that reader imports the strict
 * CNPJ parsers or has a pattern for a CNPJ.
 * Does not prove that the product calls the reader for every CNPJ that a client sends.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";
import { importsOf } from "../../support/house/syntax.ts";

/** Matches the files of the reader of CNPJs. */
const READER = /^src\/spec\/cnpj\/cnpj(candidates|number|spelling)?\.ts$/;
/** Matches imports of the strict parsers of cnpj.ts, which only the reader may import. */
const STRICT = /import[^;]*\b(readCnpj|readRoot)\b[^;]*\bfrom "[^"]*\/cnpj\.ts"/;
/**
 * Matches a regular expression that repeats letters or digits {12}, {14}, {8,12}, or {8,13} times.
 */
const PATTERN = /(?:\\d|0-9A-Z\]|0-9A-Za-z\]|\[0-9\]|\[0-9A-Z\])\{(?:12|14)\}|\{8,1[23]\}/;
/** Files that contain a matching pattern for another purpose, with the meaning of its digits. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ["src/console/web/exports/draft.ts", "rows of an export"],
]);

const PRODUCT = filesMatching(/^(src|native-index)\/.*\.tsx?$/).filter(
  (file) => !READER.test(file),
);

function breaks(text: string): boolean {
  return STRICT.test(text) || PATTERN.test(text);
}

describe("CNPJs", () => {
  it("are parsed by one reader", () => {
    const broken = PRODUCT.filter((file) => !OTHERS.has(file) && breaks(textOf(file)));
    refuse(
      broken,
      "a CNPJ is read by src/spec/cnpj/cnpjspelling.ts; these files read it by themselves",
    );
  });

  it("are parsed by the reader in every place that accepts them", () => {
    const callers = PRODUCT.filter((file) =>
      importsOf(file).some(({ file: target }) => target === "src/spec/cnpj/cnpjspelling.ts"),
    );
    for (const file of [
      ...[
        "src/http/api/accounts/accounts.ts",
        "src/http/api/accounts/companies.ts",
        "src/search/finding.ts",
      ],
      ...["src/lists/entries.ts", "src/lists/column.ts", "src/lists/membership.ts"],
      ...["src/console/explain.ts", "src/console/web/find/typed.ts"],
      "src/console/web/company/company.tsx",
      ...["src/cli/commands/account.ts", "src/ingest/sanctions.ts", "src/spec/filters/read.ts"],
    ]) {
      assert.ok(callers.includes(file), file);
    }
  });

  it("are found in every forbidden pattern", () => {
    for (const text of [
      "/^[0-9A-Z]{12}\\d\\d$/",
      "/^\\d{14}$/",
      "/^[0-9]{14}$/",
      "/^[1-9][0-9]{8,12}$/",
      'import { type Cnpj, readCnpj } from "../spec/cnpj/cnpj.ts";',
    ]) {
      assert.ok(breaks(text), text);
    }
  });
});
