/**
 * Proves, on random input: normalizing a normalized spec gives the same bytes. Specs that differ
 * only in spelling, order, repeats, or explicit defaults produce the same bytes. Every injected
 * mistake is reported. Arbitrary JSON fails only with an AppError of status 422. Schemas and
 * normalization agree on accepted input and output.
 * Does not prove: single rules (unit/spec/normalize.test.ts, unit/spec/refusals.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Compile } from "typebox/compile";
import { AppError } from "../../../src/errors.ts";
import { cnaeDigits } from "../../../src/spec/catalog.ts";
import {
  canonicalBytes,
  type NormalizeContext,
  normalizeSpec,
  resultHash,
  resultHashOfText,
} from "../../../src/spec/normalize.ts";
import { type AccountQuerySpec, SPEC_INPUT_SCHEMA, SPEC_SCHEMA } from "../../../src/spec/schema.ts";
import { contextWith, SAMPLE_CATALOG } from "../../support/spec/catalog.ts";
import {
  Draw,
  type Rng,
  randomExportInput,
  randomSpecInput,
  seededRng,
  withPeople,
} from "../../support/spec/random.ts";

type Json = Record<string, unknown>;

const CAPPED: Partial<NormalizeContext> = { limitCap: 1_000 };
const normalSchema = Compile(SPEC_SCHEMA);
const inputSchema = Compile(SPEC_INPUT_SCHEMA);

function normal(input: unknown): AccountQuerySpec {
  return normalizeSpec(input, contextWith(CAPPED)).spec;
}

/** Many valid specs before normalization. */
function inputs(seed: number, count: number): Json[] {
  const draw = new Draw(seededRng(seed));
  return Array.from({ length: count }, () => randomSpecInput(draw, SAMPLE_CATALOG, []));
}

/** Shuffles the elements of a list and repeats one. */
function stirred(values: readonly unknown[], rng: Rng): unknown[] {
  const more = values.length > 0 ? [...values, values[Math.floor(rng() * values.length)]] : [];
  return more
    .map((value) => ({ value, at: rng() }))
    .sort((left, right) => left.at - right.at)
    .map(({ value }) => value);
}

/** For each normalized list, a function that returns another spelling of one of its elements. */
const OTHER_SPELLING: Readonly<Record<string, (value: string) => unknown>> = {
  cnae_any_of: cnaeDigits,
  cnae_exclude: cnaeDigits,
  text_hints: (hint) => ` ${hint.toUpperCase().replaceAll("A", "Ã").replaceAll(" ", " - ")}! `,
  uf_any_of: (uf) => uf.toLowerCase(),
  municipality_ibge_any_of: (code) => code.slice(0, 6),
  municipality_tom_any_of: (code) => String(Number(code)),
  registration_status_any_of: (status) => `0${status}`,
  company_size_code_any_of: (size) => Number(size),
};

/** Returns the same spec with other spellings, orders, and repeats. */
function rewritten(spec: AccountQuerySpec, rng: Rng): Json {
  const groups = Object.entries(spec.filters).map(([group, members]) => {
    const entries = Object.entries(members).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) {
        const spell = OTHER_SPELLING[name] ?? ((one: string) => one);
        return [[name, stirred(value, rng).map((one) => spell(one as string))]];
      }
      const isEither = name.endsWith("_opt_in") || name === "has_federal_debt";
      const isDefault = isEither ? value === null : value === false;
      return value === null || isDefault ? [] : [[name, value]];
    });
    return [group, Object.fromEntries(stirredOnce(entries, rng))];
  });
  const { sort, scoring, output, limit } = spec;
  return { scoring, limit, output, filters: Object.fromEntries(groups), sort };
}

function stirredOnce<Value>(values: readonly Value[], rng: Rng): Value[] {
  return [...new Set(stirred(values, rng) as Value[])];
}

describe("normalizeSpec on random specs", () => {
  it("is idempotent to the byte, without further changes and warnings", () => {
    for (const input of inputs(11, 3_000)) {
      const first = JSON.stringify(normal(input));
      const again = normalizeSpec(JSON.parse(first), contextWith(CAPPED));
      assert.equal(JSON.stringify(again.spec), first);
      assert.deepEqual(again.changes, []);
      for (const warning of again.warnings) assert.ok(first.includes(JSON.stringify(warning)));
    }
  });

  it("produces equal bytes for equal specs in another spelling", () => {
    const rng = seededRng(5);
    for (const input of inputs(12, 3_000)) {
      const spec = normal(input);
      const other = normal(rewritten(spec, rng));
      assert.deepEqual(canonicalBytes(other), canonicalBytes(spec));
    }
  });

  it("omits only explain from the canonical bytes", () => {
    for (const input of inputs(16, 500)) {
      const { explain: _, ...identity } = normal(input);
      const text = Buffer.from(canonicalBytes(normal(input))).toString();
      assert.deepEqual(JSON.parse(text), identity);
    }
  });

  it("cuts the hashed part out of a spec's text, as it would be written", () => {
    const cut = (spec: AccountQuerySpec) =>
      resultHashOfText(spec, Buffer.from(JSON.stringify(spec)), JSON.stringify(spec.explain));
    const draw = new Draw(seededRng(18));
    const context = contextWith({ mode: "export", limitCap: 9_000, fullAllowed: true });
    for (const input of inputs(19, 1_000)) {
      const noted = { ...input, explain: { warnings: ["é", { explain: "x" }], confidence: 0.5 } };
      for (const spec of [normal(input), normal(noted)]) assert.equal(cut(spec), resultHash(spec));
    }
    for (let i = 0; i < 1_000; i++) {
      const input = withPeople(draw, randomExportInput(draw, SAMPLE_CATALOG, []));
      const { spec } = normalizeSpec(input, context);
      assert.equal(cut(spec), resultHash(spec));
    }
    // The text of this spec is longer than the buffer in which texts are hashed.
    const prefixes = Array.from({ length: 1_500 }, (_, at) => String(10_000 + at));
    const long = normal({ filters: { geo: { postal_code_prefix_any_of: prefixes } } });
    assert.equal(cut(long), resultHash(long));
    assert.throws(() => resultHashOfText(long, Buffer.from(JSON.stringify(long)), "{}"));
  });

  it("holds for exports, whose outputs name only non-default values", () => {
    const draw = new Draw(seededRng(17));
    const context = contextWith({ mode: "export", limitCap: 9_000, fullAllowed: true });
    const seen = new Set<string>();
    for (let i = 0; i < 1_000; i++) {
      const input = withPeople(draw, randomExportInput(draw, SAMPLE_CATALOG, []));
      assert.deepEqual(inputSchema.Errors(input), []);
      const { spec } = normalizeSpec(input, context);
      assert.deepEqual(normalSchema.Errors(spec), []);
      const again = normalizeSpec(JSON.parse(JSON.stringify(spec)), context);
      assert.equal(JSON.stringify(again.spec), JSON.stringify(spec));
      assert.deepEqual(again.changes, []);
      const { explain: _, ...identity } = spec;
      assert.deepEqual(JSON.parse(Buffer.from(canonicalBytes(spec)).toString()), identity);
      const { format, bom, delimiter, labels } = spec.output;
      const explicit = labels !== undefined && format === "csv";
      assert.equal(explicit && (bom === undefined || delimiter === undefined), false);
      assert.ok(explicit || bom === undefined || (bom && format === "csv"));
      assert.ok(explicit || delimiter === undefined || (delimiter === ";" && format === "csv"));
      if (explicit) continue;
      seen.add(`${format} ${bom} ${delimiter}`);
    }
    assert.equal(seen.size, 8, [...seen].join());
  });

  it("does not alter its input", () => {
    for (const input of inputs(13, 300)) {
      const before = JSON.stringify(input);
      normal(input);
      assert.equal(JSON.stringify(input), before);
    }
  });
});

/** Paths in a spec, each with a value that is wrong there. */
const INJECTIONS: readonly (readonly [path: string, value: unknown])[] = [
  ["kind", 1],
  ["spec_version", "1.0"],
  ["entity", ""],
  ["limit", -1],
  ["surprise", true],
  ["filters/industry/secondary_cnae_mode", "on"],
  ["filters/industry/cnae_any_of", {}],
  ["filters/industry/cnae_exclude", 5],
  ["filters/industry/text_hints", "padaria"],
  ["filters/geo/uf_any_of", "SP"],
  ["filters/geo/municipality_ibge_any_of", null],
  ["filters/geo/municipality_tom_any_of", 1],
  ["filters/geo/area_code_any_of", "11"],
  ["filters/geo/radius", 5],
  ["filters/company/mei_opt_in", 0],
  ["filters/company/started_after", "yesterday"],
  ["filters/company/share_capital_max", "1"],
  ["filters/company/headquarters_only", null],
  ["filters/contact/require_phone", "yes"],
  ["scoring/strategy", 3],
  ["output/fields", "all"],
  ["output/include_explain", null],
  ["output/bom", "yes"],
  ["output/delimiter", "\t"],
  ["output/labels", "fr"],
  ["output/preset", "excel"],
  ["output/title", 3],
  ["explain/confidence", 2],
  ["explain/assumptions", {}],
];

/** Returns the object with a nested member set. The objects on its path are copied. */
function withMember(object: Json, path: readonly string[], value: unknown): Json {
  const [name = "", ...rest] = path;
  const inner = rest.length === 0 ? value : withMember((object[name] ?? {}) as Json, rest, value);
  return { ...object, [name]: inner };
}

describe("normalizeSpec on damaged specs", () => {
  it("reports exactly the injected mistakes, all in one error", () => {
    const rng = seededRng(21);
    for (const input of inputs(14, 1_500)) {
      const chosen = INJECTIONS.filter(() => rng() < 0.2);
      let damaged = input;
      for (const [path, value] of chosen) damaged = withMember(damaged, path.split("/"), value);
      if (chosen.length === 0) continue;
      assert.throws(
        () => normal(damaged),
        (error) => {
          assert.ok(error instanceof AppError);
          const found = error.errors.map(({ pointer }) => pointer).sort();
          assert.deepEqual(found, chosen.map(([path]) => `/spec/${path}`).sort());
          return true;
        },
      );
    }
  });

  it("returns a spec or an AppError that points into it for arbitrary JSON", () => {
    const names = fc.constantFrom(
      ...["filters", "geo", "industry", "company", "sort", "scoring", "output", "explain", "limit"],
      ...["uf_any_of", "cnae_any_of", "fields", "field", "random_seed", "text_hints", "toString"],
    );
    const leaf = fc.oneof(
      fc.constantFrom("SP", "47", "score", "desc", "", "2020", "\ud800", "10", null, true),
      fc.double(),
      fc.string({ unit: "binary" }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaf,
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(names, tie("tree"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(tree, tree, tree, (input, bodyLimit, bodyOutput) => {
        try {
          const context = contextWith({ bodyLimit, bodyOutput });
          assert.ok(normalSchema.Check(normalizeSpec(input, context).spec));
        } catch (error) {
          assert.ok(error instanceof AppError, String(error));
          assert.equal(error.status, 422);
          assert.ok(error.errors.length > 0);
          for (const { pointer } of error.errors) assert.match(pointer, /^\/(spec|limit|output)/);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("schemas", () => {
  it("accept what normalization accepts and returns", () => {
    for (const input of inputs(15, 1_000)) {
      assert.deepEqual(inputSchema.Errors(input), []);
      const spec = normal(input);
      assert.deepEqual(normalSchema.Errors(spec), []);
      assert.deepEqual(inputSchema.Errors(spec), []);
    }
  });

  it("reject no less than normalization where they can", () => {
    for (const [path, value] of INJECTIONS) {
      const damaged = withMember({}, path.split("/"), value);
      assert.ok(!inputSchema.Check(damaged), path);
    }
  });

  it("describe every member for the OpenAPI document", () => {
    const undescribed: string[] = [];
    const visit = (schema: Json, path: string) => {
      const properties = (schema.properties ?? {}) as Record<string, Json>;
      for (const [name, member] of Object.entries(properties)) {
        const items = (member.items ?? {}) as Json;
        const known = member.description ?? items.description ?? member.const ?? member.properties;
        if (known === undefined && member.anyOf === undefined) undescribed.push(`${path}/${name}`);
        visit(member, `${path}/${name}`);
      }
    };
    visit(SPEC_SCHEMA as unknown as Json, "");
    visit(SPEC_INPUT_SCHEMA as unknown as Json, "");
    assert.deepEqual(undescribed, []);
  });
});
