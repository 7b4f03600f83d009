/**
 * Proves: docs/search.md names every filter in both languages, docs/spec.md names the filters of
 * which a search needs one, and docs/errors.md shows the refusal of the code.
 * Does not prove how the generated parts are written into documents (e2e/documents).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FILTERS } from "../../../src/spec/filters/table.ts";
import { NARROWING, tooBroad } from "../../../src/spec/normalize.ts";
import { textOf } from "../../support/house/checkout.ts";
import { normal } from "../../support/spec/outcome.ts";

/** Returns the generated part of a document. */
function generated(file: string, name: string): string {
  const [, after = ""] = textOf(file).split(`<!-- generated: ${name} -->`);
  return after.split("<!-- end of generated -->", 1)[0] as string;
}

describe("documents", () => {
  it("name every filter", () => {
    for (const file of ["docs/search.md", "docs/pt-BR/search.md"]) {
      const text = generated(file, "filters");
      for (const { member } of FILTERS) assert.ok(text.includes(`\`${member}\``), member);
    }
  });

  it("name the filters of which a search needs at least one", () => {
    const text = generated("docs/spec.md", "narrowing filters");
    for (const { group, member } of NARROWING) {
      const line = text.split("\n").find((one) => one.startsWith(`- \`filters.${group}\``));
      assert.ok(line?.includes(`\`${member}\``), member);
    }
    const missing = tooBroad(normal({}))?.missing.map((name) => name.replace("filters.", ""));
    const detail = `"Add at least one of these filters: ${missing?.join(", ")}."`;
    assert.ok(textOf("docs/errors.md").includes(`"detail": ${detail}`), "docs/errors.md");
  });
});
