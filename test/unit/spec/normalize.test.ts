/**
 * Proves how normalization handles defaults, every documented spelling, the rules of plans and
 * endpoints, warnings, and the list of changes. Also proves the rule about specs that are too
 * broad.
 * Does not prove which specs are refused (unit/spec/refusals.test.ts), that normalization is
 * idempotent for arbitrary specs (unit/spec/properties.test.ts), or which accounts a spec matches
 * (the reference implementation).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type NormalizeContext,
  normalizeSpec,
  specHash,
  tooBroad,
} from "../../../src/spec/normalize.ts";
import { contextWith } from "../../support/spec/catalog.ts";
import { failure, filters, type Json, mistakes, normal } from "../../support/spec/outcome.ts";

describe("normalizeSpec: defaults", () => {
  it("fills in every member of an empty object", () => {
    assert.deepEqual(normal({}), {
      kind: "account_query",
      spec_version: "2.0",
      entity: "company",
      limit: 100,
      filters: {
        industry: {
          cnae_any_of: [],
          cnae_exclude: [],
          secondary_cnae_mode: "off",
          text_hints: [],
        },
        geo: { uf_any_of: [], municipality_ibge_any_of: [], municipality_tom_any_of: [] },
        company: {
          registration_status_any_of: [],
          company_size_code_any_of: [],
          headquarters_only: false,
          simples_opt_in: null,
          mei_opt_in: null,
          started_after: null,
          started_before: null,
        },
        contact: { require_email: false, require_phone: false, require_any_contact: false },
      },
      sort: [{ field: "score", direction: "desc" }],
      scoring: { strategy: "balanced", random_seed: null },
      output: {
        format: "json",
        include_explain: false,
        fields: ["cnpj", "legal_name", "uf", "municipality_ibge", "cnae_primary"],
      },
      explain: { assumptions: [], warnings: [], unmapped_constraints: [], confidence: 1 },
    });
  });

  it("omits unused extensions, in any spelling of unused", () => {
    const unused = {
      company: { share_capital_min: null, share_capital_max: null, legal_nature_any_of: [] },
      geo: { postal_code_prefix_any_of: [], area_code_any_of: null },
    };
    assert.equal(JSON.stringify(normal({ filters: unused })), JSON.stringify(normal({})));
  });
});

describe("normalizeSpec: spellings", () => {
  const group = (name: "industry" | "geo" | "company", members: Json): Json =>
    normal(filters(name, members)).filters[name] as Json;

  for (const [spelling, codes] of [
    ["4711-3/01", ["4711-3/01"]],
    ["4711301", ["4711-3/01"]],
    ["47113", ["4711-3/01", "4711-3/02"]],
    ["4711", ["4711-3/01", "4711-3/02"]],
    ["471", ["4711-3/01", "4711-3/02", "4712-1/00"]],
    ["47", ["4711-3/01", "4711-3/02", "4712-1/00", "4721-1/02"]],
    ["G", ["4711-3/01", "4711-3/02", "4712-1/00", "4721-1/02"]],
    ["01", ["0111-3/01", "0111-3/02", "0112-1/01"]],
    ["88", ["8800-6/00"]],
    ["Q", ["8800-6/00"]],
    ["8888888", ["8888-8/88"]],
    ["8888-8/88", ["8888-8/88"]],
  ] as const) {
    it(`expands the activity ${spelling}`, () => {
      assert.deepEqual(group("industry", { cnae_any_of: [spelling] }).cnae_any_of, codes);
      assert.deepEqual(group("industry", { cnae_exclude: [spelling] }).cnae_exclude, codes);
    });
  }

  for (const [member, sent, result] of [
    ["uf_any_of", ["sp", "Rj", "SP", "ex"], ["EX", "RJ", "SP"]],
    ["municipality_ibge_any_of", ["355030", "3550308", "1100106"], ["1100106", "3550308"]],
    ["municipality_tom_any_of", ["1", "0001", "427", "7107"], ["0001", "0427", "7107"]],
    ["postal_code_prefix_any_of", ["01310", "013", "9", "0131"], ["013", "9"]],
    ["area_code_any_of", ["21", "11", "21"], ["11", "21"]],
  ] as const) {
    it(`completes, sorts, and deduplicates ${member}`, () => {
      assert.deepEqual(group("geo", { [member]: sent })[member], result);
    });
  }

  for (const [member, sent, result] of [
    ["registration_status_any_of", ["08", 2, "02", 1], [1, 2, 8]],
    ["company_size_code_any_of", [5, "01", 0, "05"], ["00", "01", "05"]],
    ["legal_nature_any_of", ["206", "2062", "20"], ["2011", "2054", "2062"]],
    ["started_after", "2020", "2020-01-01"],
    ["started_after", "2020-02", "2020-02-01"],
    ["started_before", "2024-02-29", "2024-02-29"],
    ["share_capital_min", 0.07, 0.07],
    ["share_capital_max", 120_000_000_000.55, 120_000_000_000.55],
    ["simples_opt_in", false, false],
  ] as const) {
    it(`reads ${member} ${JSON.stringify(sent)}`, () => {
      assert.deepEqual(group("company", { [member]: sent })[member], result);
    });
  }

  it("writes minus zero as zero", () => {
    const spec = normal({
      ...filters("company", { share_capital_min: -0 }),
      scoring: { random_seed: -0 },
    });
    assert.ok(Object.is(spec.filters.company.share_capital_min, 0));
    assert.ok(Object.is(spec.scoring.random_seed, 0));
  });

  it("folds hints to words, keeps their order, and drops repeated words", () => {
    const sent = ["  PÃO de-Açúcar ", "pao de acucar", "Silva & Silva", "12ª Vara"];
    const hints = group("industry", { text_hints: sent }).text_hints;
    assert.deepEqual(hints, ["12a vara", "pao de acucar", "silva"]);
  });

  it("keeps the order of sort and of fields, and each field once", () => {
    const sort = [
      { field: "started_on", direction: "desc" },
      { field: "cnpj", direction: "asc" },
    ];
    const spec = normal({ sort, output: { fields: ["uf", "cnpj", "uf"] } });
    assert.deepEqual(spec.sort, sort);
    assert.deepEqual(spec.output.fields, ["uf", "cnpj"]);
  });
});

describe("normalizeSpec: plan and endpoint", () => {
  const mode = (secondary: string) => filters("industry", { secondary_cnae_mode: secondary });

  it("lowers a limit to the plan's cap and reports it once", () => {
    const context = contextWith({ limitCap: 1_000 });
    const first = normalizeSpec({ limit: 5_000 }, context);
    assert.equal(first.spec.limit, 1_000);
    const sentence = "limit was lowered from 5000 to 1000, the plan's cap.";
    assert.deepEqual(first.spec.explain.warnings, [sentence]);
    const second = normalizeSpec(first.spec, context);
    assert.deepEqual(second.spec, first.spec);
    assert.deepEqual(second.warnings, []);
  });

  it("prefers limit and output of the body, member by member", () => {
    const spec = normal(
      { limit: 7, output: { fields: ["uf"], include_explain: true } },
      { bodyLimit: 3, bodyOutput: { fields: ["cnpj"] } },
    );
    assert.equal(spec.limit, 3);
    assert.deepEqual(spec.output, { format: "json", include_explain: true, fields: ["cnpj"] });
  });

  it("validates limit and output of the body at their own pointers", () => {
    const body = { bodyLimit: "3", bodyOutput: { format: "csv", fields: ["x"], more: 1 } };
    assert.deepEqual(mistakes({}, body).sort(), [
      "/limit wrong_type",
      "/output/fields/0 unknown_field",
      "/output/format unknown_value",
      "/output/more unknown_member",
    ]);
    assert.deepEqual(mistakes({}, { bodyOutput: null }), ["/output wrong_type"]);
  });

  it("treats an export's spec as a search if the body has json and a limit", () => {
    const exported = normal(
      { limit: 900_000, output: { format: "csv" } },
      { mode: "export", limitCap: 1_000_000 },
    );
    const spec = normal(exported, { bodyLimit: 10, bodyOutput: { format: "json" } });
    assert.equal(spec.limit, 10);
    assert.equal(spec.output.format, "json");
  });

  it("rejects fields outside the plan, one entry each", () => {
    const context = { allowedFields: ["cnpj", "uf"], defaultFields: ["cnpj"] };
    const spec = { output: { fields: ["cnpj", "email", "phone_1", "email"] } };
    assert.equal(failure(spec, context).code, "field_not_allowed");
    assert.deepEqual(mistakes(spec, context), [
      "/spec/output/fields/1 field_not_allowed",
      "/spec/output/fields/2 field_not_allowed",
    ]);
    assert.equal(failure({ ...spec, limit: 0 }, context).code, "invalid_spec");
    assert.deepEqual(normal({}, context).output.fields, ["cnpj"]);
  });

  for (const [secondary, context] of [
    ["fallback", { mode: "search" }],
    ["full", { mode: "search", fullAllowed: true }],
    ["full", { mode: "export", bodyOutput: { format: "csv" } }],
    ["full", { mode: "either" }],
  ] as const) {
    it(`rejects ${secondary} under ${JSON.stringify(context)}`, () => {
      assert.equal(failure(mode(secondary), context).code, "secondary_cnae_mode_not_allowed");
    });
  }

  it("accepts secondary modes and file formats on exports and in normalization", () => {
    const full = { ...mode("full"), output: { format: "csv" } };
    const spec = normal(full, { mode: "export", fullAllowed: true });
    assert.equal(spec.filters.industry.secondary_cnae_mode, "full");
    normal({ ...mode("fallback"), output: { format: "html" } }, { mode: "export" });
    normal({ ...mode("fallback"), output: { format: "html" } }, { mode: "either" });
    assert.equal(normal({}, { mode: "either" }).output.format, "json");
    assert.equal(normal({}, { mode: "export" }).output.format, "csv");
  });

  it("rejects json files in the spec and in the body", () => {
    const json = { output: { format: "json" } };
    assert.deepEqual(mistakes(json, { mode: "export" }), ["/spec/output/format unknown_value"]);
    const body = { mode: "export", bodyOutput: json.output } as const;
    assert.deepEqual(mistakes({}, body), ["/output/format unknown_value"]);
    assert.equal(
      normal(json, { mode: "export", bodyOutput: { format: "html" } }).output.format,
      "html",
    );
    const unknown = { output: { format: "doc" } };
    assert.deepEqual(mistakes(unknown, { mode: "export" }), ["/spec/output/format unknown_value"]);
  });

  it("defaults an export's limit to the plan's cap, and lowers a higher one", () => {
    const context = { mode: "export", limitDefault: 200_000, limitCap: 200_000 } as const;
    assert.equal(normal({}, context).limit, 200_000);
    assert.deepEqual(normal({}, context).explain.warnings, []);
    const lowered = normal({ limit: 1_000_000_000 }, context);
    assert.equal(lowered.limit, 200_000);
    assert.match(String(lowered.explain.warnings[0]), /lowered from 1000000000 to 200000/);
    assert.equal(normal({ limit: 60_000 }, context).limit, 60_000);
    assert.deepEqual(mistakes({ limit: 1_000_000_001 }, context), ["/spec/limit out_of_range"]);
  });
});

describe("normalizeSpec: csv files", () => {
  const csvOf = (output: Json, changed: Partial<NormalizeContext> = {}) => {
    const { format, bom, delimiter } = normal({ output }, { mode: "export", ...changed }).output;
    return [format, bom, delimiter];
  };

  for (const [output, expected] of [
    [{}, ["csv", undefined, undefined]],
    [{ bom: true }, ["csv", true, undefined]],
    [{ format: "csv", delimiter: ";" }, ["csv", undefined, ";"]],
    [{ format: "csv", bom: false, delimiter: "," }, ["csv", undefined, undefined]],
    [{ format: "xlsx", bom: false, delimiter: "," }, ["xlsx", undefined, undefined]],
  ] as const) {
    it(`reads ${JSON.stringify(output)}`, () => {
      assert.deepEqual(csvOf(output), expected);
    });
  }

  it("omits the defaults from the normal form, and reports it", () => {
    const output = { format: "csv", include_explain: false, fields: ["cnpj"] };
    const sent = { ...normal({ output }, { mode: "export" }), limit: 5 };
    const input = { ...sent, output: { ...sent.output, bom: false, delimiter: "," } };
    const { spec, changes } = normalizeSpec(input, contextWith({ mode: "export" }));
    assert.deepEqual(Object.keys(spec.output), ["format", "include_explain", "fields"]);
    const reported = changes.map(({ pointer, from, to }) => [pointer, from, to]);
    assert.deepEqual(reported, [
      ["/spec/output/bom", false, undefined],
      ["/spec/output/delimiter", ",", undefined],
    ]);
  });

  it("prefers the body, member by member", () => {
    const semicolon = { format: "csv", bom: true, delimiter: ";" };
    const lets = (bodyOutput: Json) => csvOf(semicolon, { bodyOutput });
    assert.deepEqual(lets({ bom: false }), ["csv", undefined, ";"]);
    assert.deepEqual(lets({ delimiter: "," }), ["csv", true, undefined]);
    assert.deepEqual(lets({ format: "csv" }), ["csv", true, ";"]);
    assert.deepEqual(csvOf({ bom: true }, { bodyOutput: { format: "csv" } }), [
      "csv",
      true,
      undefined,
    ]);
  });

  it("drops the csv options of a replaced csv file, and nothing else", () => {
    const csv = { format: "csv", bom: true, delimiter: ";" };
    assert.deepEqual(csvOf(csv, { bodyOutput: { format: "html" } }), [
      "html",
      undefined,
      undefined,
    ]);
    const searched = normal({ output: csv }, { bodyOutput: { format: "json" } });
    assert.deepEqual(Object.keys(searched.output), ["format", "include_explain", "fields"]);
    const mode = "export";
    const body = { mode, bodyOutput: { format: "xlsx", bom: true } } as const;
    assert.deepEqual(mistakes({ output: csv }, body), ["/output/bom csv_only"]);
    const html = { output: { format: "html", bom: true, delimiter: ";" } };
    const both = ["/spec/output/bom csv_only", "/spec/output/delimiter csv_only"];
    assert.deepEqual(mistakes(html, { mode }), both);
    assert.match(failure(html, { mode }).message, /bom is for the format csv, not for html/);
  });

  it("keeps the compression of a text file, and rejects one of any other", () => {
    const mode = "export";
    const of = (output: object, bodyOutput?: object) =>
      normal({ output }, { mode, ...(bodyOutput && { bodyOutput }) }).output.compression;
    for (const format of ["csv", "html", "jsonl"]) {
      assert.equal(of({ format, compression: "gzip" }), "gzip");
      assert.equal(of({ format, compression: "zstd" }), "zstd");
      assert.equal(of({ format, compression: "none" }), undefined);
      assert.equal(of({ format }), undefined);
    }
    assert.equal(of({ compression: "gzip" }), "gzip");
    assert.equal(of({ compression: "gzip" }, { compression: "none" }), undefined);
    assert.equal(of({ format: "csv", compression: "gzip" }, { format: "jsonl" }), "gzip");
    // A compression that the spec states for csv does not apply if the request selects another
    // format.
    assert.equal(of({ format: "csv", compression: "gzip" }, { format: "xlsx" }), undefined);
    for (const format of ["xlsx", "parquet"]) {
      assert.equal(of({ format, compression: "none" }), undefined);
      for (const compression of ["gzip", "zstd"]) {
        const packed = { output: { format, compression } };
        assert.deepEqual(mistakes(packed, { mode }), ["/spec/output/compression text_only"]);
        const fix = /compressed inside already\. Leave it out, or send "none"\./;
        assert.match(failure(packed, { mode }).message, fix);
      }
    }
    const hashes = ["none", "gzip", "zstd"].map((compression) =>
      specHash(normal({ output: { format: "csv", compression } }, { mode })),
    );
    assert.equal(new Set(hashes).size, 3);
  });
});

describe("normalizeSpec: warnings and changes", () => {
  it("warns about municipalities outside the given states, IBGE and TOM, known ones only", () => {
    const spec = filters("geo", {
      uf_any_of: ["RJ"],
      municipality_ibge_any_of: ["3550308", "3304557"],
      municipality_tom_any_of: ["1", "9707"],
    });
    const { warnings, spec: first } = normalizeSpec(spec, contextWith());
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /Exterior\/EX .*Guajará-Mirim\/RO .*São Paulo\/SP/);
    assert.doesNotMatch(warnings[0] ?? "", /Rio de Janeiro/);
    assert.deepEqual(normal(first), first);
  });

  it("keeps explain verbatim and appends its warnings", () => {
    const explain = {
      confidence: 0.5,
      unmapped_constraints: [{ words: "with radius", start: 1, end: 3 }],
      warnings: ["mind"],
      assumptions: [{ deep: { er: [1, null] } }, "ok"],
    };
    const spec = normal({ explain, limit: 50_000 }, { limitCap: 10 });
    assert.deepEqual(spec.explain.unmapped_constraints, explain.unmapped_constraints);
    assert.deepEqual(spec.explain.assumptions, explain.assumptions);
    assert.equal(spec.explain.warnings[0], "mind");
    assert.equal(spec.explain.warnings.length, 2);
  });

  it("lists its changes, and none for a normalized spec", () => {
    const input = { ...filters("geo", { uf_any_of: ["sp"], area_code_any_of: [] }), limit: 5 };
    const { spec, changes } = normalizeSpec(input, contextWith());
    const byPointer = new Map(changes.map((change) => [change.pointer, change]));
    assert.deepEqual(byPointer.get("/spec/filters/geo/uf_any_of")?.to, ["SP"]);
    assert.deepEqual(byPointer.get("/spec/filters/geo/area_code_any_of")?.from, []);
    assert.ok(byPointer.has("/spec/scoring"));
    assert.ok(!byPointer.has("/spec/limit"));
    assert.deepEqual(normalizeSpec(spec, contextWith()).changes, []);
  });
});

describe("tooBroad", () => {
  const broad = (input: Json) => tooBroad(normal(input));

  it("names the missing filters without an industry or place filter", () => {
    const spec = filters("company", { registration_status_any_of: [2] });
    assert.ok(broad(spec)?.missing.includes("filters.geo.uf_any_of"));
    assert.notEqual(broad(filters("industry", { cnae_exclude: ["47"] })), null);
  });

  it("is null with a list of its own, and not with an excluded one", () => {
    const list = `lst_${"0".repeat(32)}`;
    const broad = (input: Json) => tooBroad(normal(input, { listsKnown: true }));
    assert.equal(broad(filters("lists", { any_of: [list] })), null);
    assert.equal(broad(filters("lists", { any_of: ["exported"] })), null);
    assert.ok(
      broad(filters("lists", { exclude: [list] }))?.missing.includes("filters.lists.any_of"),
    );
    assert.notEqual(broad(filters("lists", { any_of: [] })), null);
  });

  it("is null with any industry or place filter", () => {
    for (const [group, member, value] of [
      ["industry", "cnae_any_of", "47"],
      ["industry", "text_hints", "padaria"],
      ["geo", "uf_any_of", "SP"],
      ["geo", "municipality_ibge_any_of", "3550308"],
      ["geo", "municipality_tom_any_of", "7107"],
      ["geo", "postal_code_prefix_any_of", "0"],
      ["geo", "area_code_any_of", "11"],
    ] as const) {
      assert.equal(broad(filters(group, { [member]: [value] })), null, member);
    }
  });
});
