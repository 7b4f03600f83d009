/**
 * Proves: a CSV file with labels contains the same data as the file without labels, for random
 * specs and both languages. A slow reference implementation converts the labels back. Headers are
 * words that need no quotation marks. A layout has exactly its fields, in order. Files without
 * labels do not change, and formats for programs reject labels.
 * Does not prove: how a spreadsheet displays the file (e2e/export), nor the bytes of a cell
 * (unit/native-index/rows).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../src/errors.ts";
import { columnLabel } from "../../../src/export/formats/labels.ts";
import { renderBytes } from "../../../src/export/render.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { REASONS_PT } from "../../../src/spec/fields/reasons.ts";
import { REASONS_EN } from "../../../src/spec/fields/reasons-en.ts";
import { LABEL_LANGUAGES, VALUE_WORDS } from "../../../src/spec/fields/words.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, OUTPUT_FIELDS } from "../../../src/spec/fields.ts";
import { normalizeSpec, specHash } from "../../../src/spec/normalize.ts";
import { addedColumns, PRESET_NAMES, PRESETS } from "../../../src/spec/presets.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { readCsv } from "../../support/export/readers.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { type Language, readLabelled } from "../../support/native-index/labelled-twin.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

const ACCOUNTS = 4_000;
const ROUNDS = 30;

let sample: SampleSnapshot;
let segment: Segment;

before(async () => {
  sample = await makeSampleSnapshot(ACCOUNTS, 4);
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

function specOf(input: Record<string, unknown>, bodyOutput = {}): AccountQuerySpec {
  return normalizeSpec(input, {
    catalog: segment.catalog,
    limitDefault: 1_000_000,
    limitCap: 1_000_000,
    bodyOutput,
    allowedFields: OUTPUT_FIELD_NAMES,
    defaultFields: DEFAULT_FIELDS,
    mode: "export",
    fullAllowed: true,
  }).spec;
}

async function textOf(spec: AccountQuerySpec): Promise<string> {
  const parts: Uint8Array[] = [];
  await renderBytes({ segment, spec }, (part) => parts.push(Buffer.from(part)));
  return Buffer.concat(parts).toString();
}

/** Returns the mistakes that an output causes, as `pointer code`. */
function mistakesOf(output: Record<string, unknown>): string[] {
  try {
    specOf({ output });
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  }
  return [];
}

/** Returns the value that a cell of a file without labels stands for. */
function machineValue(field: string, cell: string): unknown {
  if (field === "cnae_secondary") return cell === "" ? [] : cell.split(",");
  if (cell === "") return null;
  const kind = OUTPUT_FIELDS.find(({ name }) => name === field)?.stored.type;
  if (kind === "flag") return cell === "true";
  return field === "share_capital" || field === "registration_status" ? Number(cell) : cell;
}

function someSpec(dice: () => number): Record<string, unknown> {
  const fields = OUTPUT_FIELD_NAMES.filter(() => dice() < 0.5).sort(() => dice() - 0.5);
  const ufs = ["SP", "MG", "RJ", "BA", "PR", "RS"].filter(() => dice() < 0.4);
  return {
    limit: 1 + Math.floor(dice() * 400),
    filters: { geo: { uf_any_of: ufs } },
    output: { include_explain: dice() < 0.2, ...(fields.length > 0 ? { fields } : {}) },
  };
}

describe("a file with labels", () => {
  for (const labels of ["pt", "en"] as const satisfies readonly Language[]) {
    it(`has the facts of the machine form in ${labels}`, async () => {
      const dice = seededRandom(labels === "pt" ? 5 : 6);
      for (let i = 0; i < ROUNDS; i++) {
        const input = someSpec(dice);
        const delimiter = dice() < 0.3 ? { delimiter: "," } : {};
        const people = specOf(input, { labels, ...delimiter });
        const machine = specOf(input);
        const text = await textOf(people);
        assert.ok(text.startsWith("\ufeff"));
        const [header = [], ...rows] = readCsv(text.slice(1), people.output.delimiter as ";");
        const [names = [], ...wanted] = readCsv(await textOf(machine));
        assert.deepEqual(
          header,
          names.map((name) => columnLabel(name, people.output).heading),
        );
        assert.equal(rows.length, wanted.length);
        machine.output.fields.forEach((field, column) => {
          wanted.forEach((cells, row) => {
            assert.deepEqual(
              readLabelled(field, rows[row]?.[column] ?? "missing", labels),
              machineValue(field, cells[column] as string),
              `${field} of row ${row}`,
            );
          });
        });
      }
    });
  }

  it("has headings and words that need no quoting or escaping in any format", () => {
    const names = [...OUTPUT_FIELD_NAMES, "explain_score", "explain_size", "change"];
    for (const labels of LABEL_LANGUAGES) {
      for (const preset of [undefined, ...PRESET_NAMES]) {
        const headings = names.map((name) =>
          columnLabel(name, { labels, ...(preset && { preset }) }),
        );
        for (const { heading } of headings) assert.match(heading, /^[\p{L}\d ():/$-]+$/u);
      }
    }
    for (const word of Object.values(VALUE_WORDS).flat()) assert.match(word, /^[\p{L} ]+$/u);
    for (const words of [REASONS_PT, REASONS_EN]) {
      assert.equal(new Set(Object.values(words)).size, 63, "no two reasons are called the same");
      for (const word of Object.values(words)) assert.match(word, /^\p{Lu}[\p{L}\d ()/-]+$/u);
    }
  });

  it("has distinct headings in both languages", () => {
    for (const labels of LABEL_LANGUAGES) {
      const headings = OUTPUT_FIELD_NAMES.map((name) => columnLabel(name, { labels }).heading);
      assert.equal(new Set(headings).size, headings.length);
    }
  });
});

describe("a layout", () => {
  for (const preset of PRESET_NAMES) {
    it(`of ${preset} has its columns in order`, async () => {
      const { columns, delimiter } = PRESETS[preset];
      const added = addedColumns(preset);
      const spec = specOf({ limit: 20, output: { preset } });
      assert.deepEqual(
        spec.output.fields,
        columns.map(([field]) => field),
      );
      assert.equal(new Set(spec.output.fields).size, columns.length);
      assert.equal(spec.output.labels, "pt");
      assert.equal(spec.output.delimiter, delimiter ?? ";");
      const [pt = [], ...rows] = readCsv(
        (await textOf(spec)).slice(1),
        spec.output.delimiter as ";",
      );
      assert.deepEqual(pt, [
        ...columns.map(([, heading]) => heading),
        ...added.map((column) => column.pt[0]),
      ]);
      assert.equal(rows.length, 20);
      for (const row of rows) {
        assert.equal(row.length, pt.length);
        added.forEach(({ firstOf }, i) => {
          const cells = firstOf.map((field) => row[columns.findIndex(([name]) => name === field)]);
          assert.equal(row[columns.length + i], cells.find((cell) => cell !== "") ?? "");
        });
      }
      const english = specOf({ limit: 20, output: { preset, labels: "en" } });
      const [en = []] = readCsv((await textOf(english)).slice(1));
      assert.deepEqual(en, [
        ...columns.map(([, , heading]) => heading),
        ...added.map((column) => column.en[0]),
      ]);
      // A normalized spec has both the layout and the layout's fields. Normalizing it again is no
      // error and changes nothing.
      assert.deepEqual(specOf(JSON.parse(JSON.stringify(spec))), spec);
    });
  }

  it("names its added columns unlike any field, with their own headings", () => {
    for (const preset of PRESET_NAMES) {
      const { columns } = PRESETS[preset];
      for (const { name, pt, en } of addedColumns(preset)) {
        assert.equal(OUTPUT_FIELD_NAMES.includes(name as never), false);
        assert.ok(columns.every(([, ptField, enField]) => ptField !== pt[0] && enField !== en[0]));
      }
    }
    assert.equal(addedColumns("sales").length, 3);
  });

  it("replaces fields, yields to those of a body, and is refused with them", () => {
    const fields = ["cnpj", "uf"];
    const sales = PRESETS.sales.columns.map(([field]) => field);
    assert.deepEqual(specOf({ output: { fields } }, { preset: "sales" }).output.fields, sales);
    const own = specOf({ output: { preset: "sales" } }, { fields }).output;
    assert.deepEqual([own.fields, own.preset, own.labels], [fields, undefined, undefined]);
    assert.deepEqual(mistakesOf({ preset: "sales", fields }), [
      "/spec/output/preset preset_fields",
    ]);
  });
});

describe("an output without labels", () => {
  it("is unchanged, also with an explicit null", () => {
    const plain = specOf({ output: { format: "csv" } });
    const none = specOf({ output: { format: "csv", labels: null } });
    assert.deepEqual(none, plain);
    assert.equal(specHash(none), specHash(plain));
    assert.equal(JSON.stringify(plain.output).includes("labels"), false);
    assert.notEqual(specHash(specOf({ output: { format: "csv", labels: "pt" } })), specHash(plain));
  });

  it("is the only one for programs' formats", () => {
    for (const format of ["parquet", "jsonl"]) {
      assert.deepEqual(mistakesOf({ format, labels: "pt" }), ["/spec/output/labels labels_only"]);
      assert.deepEqual(mistakesOf({ format, preset: "sales" }), [
        "/spec/output/preset labels_only",
      ]);
      assert.deepEqual(mistakesOf({ format, labels: null, title: "Padarias" }), []);
      // The spec sets labels for XLSX, but the body requests another format. The labels do not
      // apply to it.
      const spec = specOf({ output: { format: "xlsx", labels: "pt" } }, { format });
      assert.equal(spec.output.labels, undefined);
    }
  });

  it("has a title of one line", () => {
    assert.equal(
      specOf({ output: { title: "  Padarias   de BH " } }).output.title,
      "Padarias de BH",
    );
    for (const title of ["", "  ", "a".repeat(101), "a\u0000b"]) {
      assert.deepEqual(mistakesOf({ title }), ["/spec/output/title unknown_value"]);
    }
  });
});
