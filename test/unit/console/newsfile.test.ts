/**
 * Proves that a file of news (the changes of a saved search) has the columns of a call list, as far
 * as the plan permits. Its title distinguishes it from a file of the whole search, and no title
 * shows the id of a list.
 * Does not prove: that the server makes such a file (console end-to-end tests do).
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Spec } from "../../../src/console/web/app/answers.ts";
import { switchLanguage } from "../../../src/console/web/app/words.ts";
import { summaryOf } from "../../../src/console/web/exports/summary.ts";
import { emptyQuery } from "../../../src/console/web/find/question.ts";
import { bodyOfFile, titleOfExport } from "../../../src/console/web/news/file.ts";
import type { NewsQuestion } from "../../../src/console/web/news/newsquery.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { presetFields, presetsWithin } from "../../../src/spec/presets.ts";

const SPEC: Spec = {
  ...{ kind: "account_query", spec_version: "2.0", entity: "company", limit: 100 },
  ...{ filters: emptyQuery().filters, sort: [] },
  scoring: { strategy: "balanced", random_seed: null },
  output: { format: "csv", include_explain: false, fields: [] },
  explain: { assumptions: [], warnings: [], unmapped_constraints: [], confidence: 1 },
};
const question: NewsQuestion = {
  ...{ spec: SPEC, since: "2026-09", kind: "entered", fields: [] },
  groups: ["status"],
};

const planOf = (allowed: readonly string[]) => ({
  field_allowlist: [...allowed],
  presets: presetsWithin(allowed),
});

describe("a news file", () => {
  before(() => switchLanguage("pt"));

  it("is the call list if the plan allows it, named after the search", () => {
    const file = { question, format: "xlsx", name: "padarias" } as const;
    const body = bodyOfFile({ ...file, plan: planOf(OUTPUT_FIELD_NAMES) });
    const title = "Novos de padarias";
    assert.deepEqual(body.output, { format: "xlsx", labels: "pt", preset: "sales", title });
    for (const wanted of ["phone_1", "whatsapp", "email", "municipality_name"] as const) {
      assert.ok(presetFields("sales").includes(wanted));
    }
    assert.deepEqual(body.kinds, ["entered"]);
    assert.equal("changed_any_of" in body, false, "new ones have no changed fields");
    const changed = { ...question, kind: "changed" } as const;
    const shown = bodyOfFile({ ...file, question: changed, plan: planOf(OUTPUT_FIELD_NAMES) });
    assert.deepEqual([shown.kinds, shown.changed_any_of], [["changed"], ["status"]]);
    assert.equal("output" in body.spec, false);
  });

  it("of changed and left companies says what they are now", () => {
    const state = ["registration_status", "registration_status_date", "simples_opt_in"];
    for (const kind of ["changed", "left"] as const) {
      const file = { question: { ...question, kind }, format: "xlsx", name: "x" } as const;
      const { output } = bodyOfFile({ ...file, plan: planOf(OUTPUT_FIELD_NAMES) });
      const fields = "fields" in output ? output.fields : [];
      assert.deepEqual(
        state.filter((field) => !fields?.includes(field)),
        [],
      );
      const narrow = bodyOfFile({ ...file, plan: planOf(["cnpj", "registration_status"]) }).output;
      assert.deepEqual("fields" in narrow && narrow.fields, ["cnpj", "registration_status"]);
    }
  });

  it("is reduced to what a smaller plan allows, with a title that the server accepts", () => {
    const allowed = ["cnpj", "legal_name", "municipality_name", "municipality_ibge"];
    const { output } = bodyOfFile({
      question,
      format: "csv",
      name: "x".repeat(200),
      plan: planOf(allowed),
    });
    assert.deepEqual("fields" in output && output.fields, allowed.slice(0, 3));
    assert.equal(output.title.length, 100);
  });
});

describe("the title of an export", () => {
  before(() => switchLanguage("pt"));
  type TitleInput = Partial<Parameters<typeof titleOfExport>[0]>;
  const of = (input: TitleInput) => titleOfExport({ spec: SPEC, ...input }, "SP");

  it("distinguishes news from the whole, also for a file without its own title", () => {
    assert.equal(of({}), "SP");
    assert.equal(of({ since: "2026-09", kinds: ["entered"] }), "Novos de SP");
    assert.equal(of({ since: "2026-09", kinds: ["entered", "left"] }), "Novidades de SP");
    const spec = { ...SPEC, output: { ...SPEC.output, title: "Novos de padarias" } };
    assert.equal(of({ since: "2026-09", kinds: ["entered"], spec }), "Novos de padarias");
  });

  it("shows no list id, even before the lists are read", () => {
    const lists = { exclude: [`lst_${"0".repeat(32)}`] };
    const text = summaryOf({ ...SPEC, filters: { ...SPEC.filters, lists } }, null);
    assert.equal(text.includes("lst_"), false, text);
  });
});
