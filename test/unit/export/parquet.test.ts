/**
 * Proves: a Parquet export, read by hyparquet and by DuckDB, has the promised types. Its cells
 * equal the values of the search, including hostile texts. Files without rows and files with
 * several row groups are valid. The bytes do not depend on how the rows are batched. Errors are
 * thrown.
 * Does not prove which rows an export has (campaign/twin/scroll.test.ts), nor how it is written to
 * disk.
 */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { explainColumns } from "../../../src/export/formats/explained.ts";
import {
  openParquetRenderer,
  ROW_GROUP_ROWS,
} from "../../../src/export/formats/parquet/parquet.ts";
import {
  decodeStruct,
  encodeStruct,
  THRIFT,
  type ThriftField,
  type ThriftStruct,
} from "../../../src/export/formats/parquet/thrift.ts";
import { OUTPUT_FIELD_NAMES, OUTPUT_FIELDS } from "../../../src/spec/fields.ts";
import { specText } from "../../../src/spec/normalize.ts";
import { FIXTURE_TABLES } from "../../support/native-index/fixture-rows.ts";
import {
  batchesOf,
  contextOf,
  type ExportOptions,
  openRenderFixture,
  type RenderFixture,
  renderedBytes,
  searched,
  searchedExplained,
} from "../../support/native-index/render-fixture.ts";

let fixture: RenderFixture;
before(async () => {
  fixture = await openRenderFixture();
});
after(() => fixture.dispose());

/** Bytes of an export of rows. */
function exported(
  rows: Uint32Array,
  options: Partial<ExportOptions> = {},
  size = 100,
): Promise<Buffer> {
  const context = contextOf(fixture.segment, {
    format: "parquet",
    rowCount: rows.length,
    ...options,
  });
  return renderedBytes(openParquetRenderer, context, batchesOf(rows, size));
}

function arrayBufferOf(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

/** Reads the rows with hyparquet. Dates become text. */
async function readByHyparquet(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const rows = await parquetReadObjects({ file: arrayBufferOf(bytes) });
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null),
      ]),
    ),
  );
}

/**
 * Runs a DuckDB query over a Parquet file and returns the rows as JSON values. `FILE` in the query
 * stands for the file.
 */
async function queryDuckDb(bytes: Buffer, query: string): Promise<Record<string, unknown>[]> {
  const path = join(tmpdir(), `peneira-${process.pid}-${Math.random()}.parquet`);
  writeFileSync(path, bytes);
  try {
    const connection = await (await DuckDBInstance.create()).connect();
    const reader = await connection.runAndReadAll(query.replace("FILE", `'${path}'`));
    return reader.getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    rmSync(path);
  }
}

/** Returns the names and types of a file's columns, as DuckDB reports them. */
async function schemaOf(bytes: Buffer): Promise<unknown[][]> {
  const read = await queryDuckDb(bytes, "DESCRIBE SELECT * FROM FILE");
  return read.map(({ column_name, column_type }) => [column_name, column_type]);
}

/** Maps a field to the name of its type in DuckDB. Fields that are not listed are strings. */
const DUCKDB_TYPES: Record<string, string> = {
  headquarters: "BOOLEAN",
  registration_status: "INTEGER",
  registration_status_date: "DATE",
  started_on: "DATE",
  cnae_secondary: "VARCHAR[]",
  share_capital: "DOUBLE",
  simples_opt_in: "BOOLEAN",
  mei_opt_in: "BOOLEAN",
  municipality_population: "INTEGER",
  sanctioned: "BOOLEAN",
  score: "INTEGER",
  email_shared: "INTEGER",
  phone_1_shared: "INTEGER",
  phone_2_shared: "INTEGER",
  establishments: "INTEGER",
  email_own_domain: "BOOLEAN",
  simples_excluded_on: "DATE",
  mei_excluded_on: "DATE",
  in_cnep: "BOOLEAN",
  in_cepim: "BOOLEAN",
  federal_debt: "BOOLEAN",
  federal_debt_total: "DOUBLE",
  federal_debt_fgts: "BOOLEAN",
  federal_debt_social_security: "BOOLEAN",
  federal_debt_other: "BOOLEAN",
  owned_companies: "INTEGER",
  owner_companies: "INTEGER",
};

/** Removes a leading byte order mark from every string, as decoders of JavaScript do. */
function withoutMarks(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const shown = (value: unknown) =>
    typeof value === "string" ? value.replace(/^\ufeff/, "") : value;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)])),
  );
}

describe("cells of a Parquet export", () => {
  it("are those of the search, read by hyparquet", async () => {
    const read = await readByHyparquet(await exported(fixture.rows));
    const accounts = searched(fixture.segment, fixture.rows, OUTPUT_FIELD_NAMES);
    assert.deepEqual(read, withoutMarks(accounts));
  });

  it("are those of the search, read by DuckDB, which truncates no text at its zeros", async () => {
    const read = await queryDuckDb(await exported(fixture.rows), "SELECT * FROM FILE");
    const accounts = searched(fixture.segment, fixture.rows, OUTPUT_FIELD_NAMES);
    assert.deepEqual(read, withoutMarks(accounts));
  });

  it("are the bytes of the search, read by DuckDB as hexadecimal digits", async () => {
    const fields = OUTPUT_FIELDS.filter(({ freeText }) => freeText).map(({ name }) => name);
    const columns = fields.map((name) => `hex(encode(${name})) AS ${name}`);
    const read = await queryDuckDb(
      await exported(fixture.rows, { fields }),
      `SELECT ${columns.join(", ")} FROM FILE`,
    );
    const hex = (text: unknown) =>
      text === null
        ? null
        : Buffer.from(text as string)
            .toString("hex")
            .toUpperCase();
    const accounts = searched(fixture.segment, fixture.rows, fields).map((account) =>
      Object.fromEntries(Object.entries(account).map(([name, value]) => [name, hex(value)])),
    );
    assert.deepEqual(read, accounts);
  });

  it("are followed by those that explain them", async () => {
    for (const cnae of [[], FIXTURE_TABLES.cnae_primary.slice(0, 20)]) {
      const options = { fields: ["cnpj", "trade_name"], explain: true, cnae };
      const context = contextOf(fixture.segment, { format: "parquet", rowCount: 400, ...options });
      const explained = searchedExplained(context, fixture.rows);
      const accounts = searched(fixture.segment, fixture.rows, options.fields);
      const read = await queryDuckDb(await exported(fixture.rows, options), "SELECT * FROM FILE");
      assert.deepEqual(read, withoutMarks(accounts.map((row, i) => ({ ...row, ...explained[i] }))));
      assert.deepEqual(Object.keys(read[0] as object).slice(0, 3), [
        ...options.fields,
        "explain_score",
      ]);
      assert.equal(new Set(read.map((row) => row.explain_matched)).size > 1, cnae.length > 0);
    }
  });

  it("are in the order of the fields and the rows", async () => {
    const rows = fixture.rows.slice(0, 50).reverse();
    const fields = ["score", "cnae_secondary", "cnpj"];
    const bytes = await exported(rows, { fields });
    const read = await queryDuckDb(bytes, "SELECT * FROM FILE");
    assert.deepEqual(Object.keys(read[0] as object), fields);
    assert.deepEqual(read, searched(fixture.segment, rows, fields));
  });
});

describe("the schema of a Parquet export", () => {
  it("has the promised types, with rows and without", async () => {
    const wanted = OUTPUT_FIELDS.map(({ name }) => [name, DUCKDB_TYPES[name] ?? "VARCHAR"]);
    for (const rows of [fixture.rows, fixture.rows.subarray(0, 0)]) {
      assert.deepEqual(await schemaOf(await exported(rows)), wanted);
    }
  });

  it("has integers and texts for explanations, with rows and without", async () => {
    const isText = (name: string) => name.startsWith("explain_matched");
    const spec = contextOf(fixture.segment, { format: "parquet", explain: true, rowCount: 0 }).spec;
    const wanted = explainColumns(spec).map(({ name }) => [
      name,
      isText(name) ? "VARCHAR" : "INTEGER",
    ]);
    for (const rows of [fixture.rows, fixture.rows.subarray(0, 0)]) {
      const schema = await schemaOf(await exported(rows, { explain: true }));
      assert.deepEqual(schema.slice(OUTPUT_FIELDS.length), wanted);
    }
  });

  it("declares only the CNPJ as required", async () => {
    const schema = parquetSchema(parquetMetadata(arrayBufferOf(await exported(fixture.rows))));
    const required = schema.children.filter(
      ({ element }) => element.repetition_type === "REQUIRED",
    );
    assert.deepEqual(
      required.map(({ element }) => element.name),
      ["cnpj"],
    );
  });

  it("has snapshot, date, provenance, matches, and spec", async () => {
    const { segment } = fixture;
    const metadata = parquetMetadata(arrayBufferOf(await exported(fixture.rows)));
    const pairs = new Map(metadata.key_value_metadata?.map(({ key, value }) => [key, value]));
    const { spec } = contextOf(segment, { format: "parquet", rowCount: 400 });
    assert.equal(pairs.get("peneira.snapshot"), segment.label);
    assert.equal(pairs.get("peneira.snapshot_date"), segment.snapshotDate);
    assert.deepEqual(JSON.parse(pairs.get("peneira.provenance") ?? ""), segment.provenance);
    assert.equal(pairs.get("peneira.matches"), "407");
    assert.equal(pairs.get("peneira.spec"), specText(spec, null));
  });
});

describe("row groups of a Parquet export", () => {
  const fields = ["cnpj", "started_on", "cnae_secondary", "trade_name"];
  const count = 2 * ROW_GROUP_ROWS + 1_234;
  const many = Uint32Array.from({ length: count }, (_, i) => (i * 7) % 400);

  it("are equal in size except the last, and together have every row in order", async () => {
    const bytes = await exported(many, { fields }, 65_536);
    const metadata = parquetMetadata(arrayBufferOf(bytes));
    assert.deepEqual(
      metadata.row_groups.map(({ num_rows }) => Number(num_rows)),
      [ROW_GROUP_ROWS, ROW_GROUP_ROWS, 1_234],
    );
    assert.equal(Number(metadata.num_rows), count);
    assert.deepEqual(
      metadata.row_groups.map(({ ordinal }) => ordinal),
      [0, 1, 2],
    );
    const accounts = searched(fixture.segment, fixture.rows, fields);
    const shown = withoutMarks(accounts).map((account) => JSON.stringify(account));
    const read = await readByHyparquet(bytes);
    assert.equal(read.length, count);
    read.forEach((row, i) => {
      assert.equal(JSON.stringify(row), shown[many[i] as number]);
    });
  });

  it("are the same bytes for any batches, every time", async () => {
    const options = { fields, explain: true };
    const rows = many.subarray(0, ROW_GROUP_ROWS + 1_234);
    const first = await exported(rows, options, 65_536);
    for (const size of [65_536, 4_096, 50_001, count]) {
      assert.ok(first.equals(await exported(rows, options, size)), `batches of ${size}`);
    }
  });

  it("do not exist without rows, and the file is still valid", async () => {
    const none = fixture.rows.subarray(0, 0);
    const bytes = await exported(none);
    assert.equal(parquetMetadata(arrayBufferOf(bytes)).row_groups.length, 0);
    assert.deepEqual(await readByHyparquet(bytes), []);
    assert.deepEqual(await queryDuckDb(bytes, "SELECT count(*) AS n FROM FILE"), [{ n: "0" }]);
  });

  it("that end on the last row are not followed by an empty one", async () => {
    const exact = many.subarray(0, ROW_GROUP_ROWS);
    const metadata = parquetMetadata(arrayBufferOf(await exported(exact, { fields })));
    assert.equal(metadata.row_groups.length, 1);
  });
});

describe("errors of a Parquet export", () => {
  it("of writing are thrown unchanged", async () => {
    const full = new Error("no space");
    const context = contextOf(fixture.segment, { format: "parquet", rowCount: 400 });
    let left = 3;
    const renderer = openParquetRenderer(context, () => {
      if (--left === 0) throw full;
    });
    const render = async () => {
      await renderer.begin();
      await renderer.rows(fixture.rows);
      await renderer.end();
    };
    await assert.rejects(render, full);
  });
});

describe("Thrift's compact protocol", () => {
  const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
  const int32 = fc.bigInt(-(2n ** 31n), 2n ** 31n - 1n);
  const flat: fc.Arbitrary<ThriftField> = fc.oneof(
    fc.boolean().map((value) => ({ type: value ? THRIFT.true : THRIFT.false, value })),
    fc.bigInt(-128n, 127n).map((value) => ({ type: THRIFT.i8, value })),
    int32.map((value) => ({ type: THRIFT.i32, value })),
    int64.map((value) => ({ type: THRIFT.i64, value })),
    fc.uint8Array({ maxLength: 200 }).map((value) => ({ type: THRIFT.binary, value })),
    fc
      .array(int64, { maxLength: 40 })
      .map((items) => ({ type: THRIFT.list, value: { element: THRIFT.i64, items } })),
  );
  const structOf = (field: fc.Arbitrary<ThriftField>): fc.Arbitrary<ThriftStruct> =>
    fc
      .array(fc.tuple(fc.integer({ min: 1, max: 40 }), field), { maxLength: 8 })
      .map((fields) => new Map(fields));
  /** A Thrift field that contains structs, directly or in a list. */
  const nesting = (field: fc.Arbitrary<ThriftField>): fc.Arbitrary<ThriftField> =>
    fc.oneof(
      structOf(field).map((value) => ({ type: THRIFT.struct, value })),
      fc
        .array(structOf(field), { maxLength: 20 })
        .map((items) => ({ type: THRIFT.list, value: { element: THRIFT.struct, items } })),
    );
  const value = structOf(fc.oneof(flat, nesting(fc.oneof(flat, nesting(flat)))));

  it("decodes every encoded struct", () => {
    fc.assert(
      fc.property(value, (struct) => {
        assert.deepEqual(decodeStruct(encodeStruct(struct)), struct);
      }),
    );
  });

  it("rejects a truncated struct, and an unknown type", () => {
    const whole = encodeStruct(
      new Map([
        [1, { type: THRIFT.i64, value: 2n ** 40n }],
        [40, { type: THRIFT.binary, value: Buffer.from("text") }],
      ]),
    );
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => decodeStruct(whole.subarray(0, length)), RangeError, `${length}`);
    }
    assert.throws(() => decodeStruct(Uint8Array.of(0x1b, 0)), RangeError);
  });
});
