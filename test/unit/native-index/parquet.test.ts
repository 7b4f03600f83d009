/**
 * Proves: Parquet files made from any columns contain the columns' values. The readers hyparquet,
 * DuckDB, Polars, and parquet-wasm confirm it; they share no code with this writer or with each
 * other. The null counts, minima, and maxima in the footer are right. A dictionary exists if and
 * only if values repeat. Incomplete columns are rejected, and no column is read beyond its end. The
 * same columns produce the same bytes on either thread.
 * Does not prove the values of fields (columns.test.ts) nor files of several row groups
 * (unit/export/parquet.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import pl from "nodejs-polars";
import { parquetLibrary } from "../../../native-index/format/arrow/parquet.ts";
import type { FieldColumn, NativeSegment } from "../../../native-index/napi/engine.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import { openRowFixtures, type RowFixtures } from "../../support/native-index/rows-fixture.ts";

let segment: NativeSegment;
let fixtures: RowFixtures;
let folder: string;

before(async () => {
  fixtures = await openRowFixtures();
  segment = fixtures.random;
  folder = mkdtempSync(join(tmpdir(), "peneira-parquet-"));
});
after(() => {
  fixtures.dispose();
  rmSync(folder, { recursive: true });
});

type Value = string | number | boolean | readonly string[] | null;
type Type = FieldColumn["type"];
type Values = Readonly<Record<string, { readonly type: Type; readonly values: readonly Value[] }>>;

function bitmap(flags: readonly boolean[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  flags.forEach((flag, i) => {
    if (flag) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
  });
  return bits;
}

function offsetsOf(lengths: readonly number[]): Uint8Array {
  const offsets = new Int32Array(lengths.length + 1);
  for (const [i, length] of lengths.entries()) offsets[i + 1] = (offsets[i] as number) + length;
  return new Uint8Array(offsets.buffer);
}

function texts(values: readonly (string | null)[]): { offsets: Uint8Array; data: Uint8Array } {
  const parts = values.map((value) => Buffer.from(value ?? ""));
  return { offsets: offsetsOf(parts.map(({ length }) => length)), data: Buffer.concat(parts) };
}

function numbers(type: Type, values: readonly Value[]): Uint8Array {
  const plain = values.map((value) => Number(value ?? 0));
  const array = type === "float64" ? Float64Array.from(plain) : Int32Array.from(plain);
  return new Uint8Array(array.buffer);
}

function columnOf(field: string, type: Type, values: readonly Value[]): FieldColumn {
  const present = values.map((value) => value !== null);
  const nullCount = present.filter((there) => !there).length;
  const validity = nullCount === 0 ? null : bitmap(present);
  const made = (offsets: Uint8Array | null, data: Uint8Array, child: FieldColumn["child"] = null) =>
    ({
      field,
      type,
      length: values.length,
      buffers: { nullCount, validity, offsets, data },
      child,
    }) as const;
  if (type === "bool") return made(null, bitmap(values.map((value) => value === true)));
  if (type === "utf8") {
    const { offsets, data } = texts(values as readonly (string | null)[]);
    return made(offsets, data);
  }
  if (type !== "list<utf8>") return made(null, numbers(type, values));
  const lists = values.map((value) => (value ?? []) as readonly string[]);
  const items = lists.flat();
  const buffers = { nullCount: 0, validity: null, ...texts(items) };
  const offsets = offsetsOf(lists.map(({ length }) => length));
  return made(offsets, new Uint8Array(), { length: items.length, buffers });
}

function columnsOf(values: Values): FieldColumn[] {
  return Object.entries(values).map(([name, { type, values }]) => columnOf(name, type, values));
}

function fileOf(values: Values): Buffer {
  return Buffer.from(segment.parquetOf(new Uint32Array(), [], columnsOf(values)));
}

function arrayBufferOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

/** Returns the values as rows. Dates are texts such as "2026-10-31". */
function rowsOf(values: Values): Record<string, unknown>[] {
  const [first] = Object.values(values);
  return Array.from({ length: first?.values.length ?? 0 }, (_, i) =>
    Object.fromEntries(
      Object.entries(values).map(([name, { type, values }]) => {
        const value = values[i] ?? null;
        return [name, type === "date32" && value !== null ? dayOf(value as number) : value];
      }),
    ),
  );
}

function dayOf(days: number): string {
  return new Date(days * 86_400_000).toISOString().slice(0, 10);
}

/** Converts rows of any reader: dates to text without time, absent values to null. */
function plainRows(rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const plain = (value: unknown): unknown =>
    value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null);
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
  );
}

async function byHyparquet(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  return plainRows(await parquetReadObjects({ file: arrayBufferOf(bytes) }));
}

async function byDuckDb(path: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create()).connect();
  const reader = await connection.runAndReadAll(`SELECT * FROM '${path}'`);
  return reader.getRowObjectsJson() as Record<string, unknown>[];
}

/** Returns a generator of texts with lengths and distances that Snappy encodes differently. */
function wordsOf(random: () => number): () => string {
  const lengths = [
    0, 1, 3, 4, 7, 8, 11, 12, 15, 16, 17, 59, 60, 61, 64, 65, 68, 255, 256, 257, 2_100,
  ];
  const any = (count: number) => Math.floor(random() * count);
  const letters = (length: number) =>
    Array.from({ length }, () => String.fromCharCode(97 + any(26))).join("");
  const stem = letters(3_000);
  return () => {
    const length = lengths[any(lengths.length)] as number;
    const kind = any(4);
    if (kind === 0) return letters(length);
    if (kind === 1) return "ab".repeat(length).slice(0, length);
    if (kind === 2) return stem.slice(any(500)).slice(0, length);
    return `é${"\u{1f600}".repeat(any(20))}ß`;
  };
}

/**
 * Returns columns of every type with many rows. In some, almost all values differ; others have few
 * distinct values.
 */
function manyValues(count: number, seed: number): Values {
  const random = seededRandom(seed);
  const word = wordsOf(random);
  const few = Array.from({ length: 300 }, word);
  const some = <Made extends Value>(share: number, make: () => Made) =>
    Array.from({ length: count }, () => (random() < share ? make() : null));
  const below = (most: number) => Math.floor(random() * most);
  const oneOf = () => few[below(few.length)] as string;
  return {
    cnpj: {
      type: "utf8",
      values: Array.from({ length: count }, (_, i) => `${i}`.padStart(14, "0")),
    },
    free: { type: "utf8", values: some(0.8, word) },
    coded: { type: "utf8", values: some(0.9, oneOf) },
    single: { type: "utf8", values: some(1, () => "SP") },
    empty: { type: "utf8", values: some(0, word) },
    day: { type: "date32", values: some(0.95, () => below(20_000) - 5_000) },
    score: { type: "int32", values: some(1, () => below(100)) },
    apart: { type: "int32", values: some(0.7, () => below(2 ** 32) - 2 ** 31) },
    capital: { type: "float64", values: some(0.9, () => below(1_000) * 1_000.5) },
    exact: { type: "float64", values: some(0.9, random) },
    yes: { type: "bool", values: some(0.5, () => random() < 0.5) },
    always: { type: "bool", values: some(1, () => true) },
    list: { type: "list<utf8>", values: some(0.9, () => Array.from({ length: below(5) }, oneOf)) },
  };
}

describe("values of a Parquet file", () => {
  it("equal its columns for four readers, in full pages and others", async () => {
    for (const [count, seed] of [
      [1, 1],
      [8_192, 2],
      [20_011, 3],
    ] as const) {
      const values = manyValues(count, seed);
      const bytes = fileOf(values);
      const expected = rowsOf(values);
      const path = join(folder, `${seed}.parquet`);
      writeFileSync(path, bytes);
      assert.deepEqual(await byHyparquet(bytes), expected, "hyparquet");
      assert.deepEqual(await byDuckDb(path), expected, "DuckDB");
      const frame = pl.readParquet(bytes);
      assert.deepEqual(plainRows(frame.toRecords()), expected, "Polars");
      // hyparquet also reads a copy of the file that arrow-rs (through parquet-wasm) read and wrote
      // again.
      const { readParquet, writeParquet } = parquetLibrary();
      assert.deepEqual(await byHyparquet(writeParquet(readParquet(bytes))), expected, "arrow-rs");
    }
  });

  it("are correct for any columns", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }).filter((value) => !value.startsWith("\ufeff")),
      fc.constantFrom("", "a", "SP", "ab".repeat(40)),
    );
    const of: Readonly<Record<Type, fc.Arbitrary<Value>>> = {
      utf8: text,
      bool: fc.boolean(),
      int32: fc.integer(),
      date32: fc.integer({ min: -600_000, max: 2_000_000 }),
      float64: fc.double({ noNaN: true }),
      "list<utf8>": fc.array(text, { maxLength: 4 }),
    };
    const types = Object.keys(of) as Type[];
    const table = fc.nat({ max: 70 }).chain((rows) =>
      fc
        .array(
          fc
            .constantFrom(...types)
            .chain((type) =>
              fc
                .array(fc.option(of[type], { freq: 4 }), { minLength: rows, maxLength: rows })
                .map((values) => ({ type, values })),
            ),
          { minLength: 1, maxLength: 4 },
        )
        .map((columns): Values => Object.fromEntries(columns.map((c, i) => [`c${i}`, c]))),
    );
    await fc.assert(
      fc.asyncProperty(table, async (values) => {
        assert.deepEqual(await byHyparquet(fileOf(values)), rowsOf(values));
      }),
      { seed: 17, numRuns: 300 },
    );
  });

  it("are the same bytes from another thread", async () => {
    const columns = columnsOf(manyValues(9_000, 5));
    const rows = Uint32Array.from({ length: 9_000 }, (_, i) => (i * 7) % segment.rowCount);
    const fields = ["legal_name", "cnae_secondary", "started_on"];
    const here = segment.parquetOf(rows, fields, columns);
    assert.deepEqual(await segment.parquetOfAsync(rows, fields, columns), here);
    assert.deepEqual(segment.parquetOf(rows, fields, columns), here);
  });

  it("are correct if long values make shorter pages", async () => {
    const values: Values = {
      long: {
        type: "utf8",
        values: Array.from({ length: 200 }, (_, i) => `${i} ${"x".repeat(100_000)}${i}`),
      },
    };
    assert.deepEqual(await byHyparquet(fileOf(values)), rowsOf(values));
  });
});

/** Returns the columns that the file's footer describes. */
function footerOf(values: Values) {
  const [group] = parquetMetadata(arrayBufferOf(fileOf(values))).row_groups;
  return Object.fromEntries(
    (group?.columns ?? []).map(({ meta_data }) => [
      meta_data?.path_in_schema[0] as string,
      meta_data as NonNullable<typeof meta_data>,
    ]),
  );
}

/** Converts a statistic's value. Some readers return text as bytes. */
function shown(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}

function byBytes(a: unknown, b: unknown): number {
  return typeof a === "string"
    ? Buffer.compare(Buffer.from(a), Buffer.from(b as string))
    : Number(a) - Number(b);
}

describe("the footer of a Parquet file", () => {
  it("has the null counts and the bounds of every column", () => {
    const values = manyValues(3_000, 8);
    const rows = rowsOf(values);
    for (const [name, { statistics }] of Object.entries(footerOf(values))) {
      if (name === "list") continue;
      const there = rows.map(({ [name]: value }) => value).filter((value) => value !== null);
      assert.equal(Number(statistics?.null_count), rows.length - there.length, name);
      if (values[name]?.type === "date32") {
        assert.equal(shown(statistics?.min_value), there.sort()[0]);
        continue;
      }
      const sorted = [...there].sort(byBytes);
      const isLong = [sorted[0], sorted.at(-1)].some(
        (value) => Buffer.byteLength(String(value)) > 64,
      );
      const [least, most] = isLong ? [undefined, undefined] : [sorted[0], sorted.at(-1)];
      // hyparquet shows an empty text as undefined. The minimum zero of a float column is stored as
      // negative zero.
      const isFraction = values[name]?.type === "float64";
      const read = least === "" ? undefined : least === 0 && isFraction ? -0 : least;
      assert.deepEqual(shown(statistics?.min_value), read, name);
      assert.deepEqual(shown(statistics?.max_value), most, name);
    }
  });

  it("has no bounds if they are undefined", () => {
    const footer = footerOf({
      none: { type: "utf8", values: [null, null, null] },
      long: { type: "utf8", values: ["b", "a".repeat(65), "c"] },
      fits: { type: "utf8", values: ["b", "a".repeat(64), "c"] },
      nan: { type: "float64", values: [Number.NaN, 1, 2] },
      zeros: { type: "float64", values: [0, -0, 0] },
    });
    assert.equal(footer.none?.statistics?.min_value, undefined);
    assert.equal(footer.long?.statistics?.max_value, undefined);
    assert.equal(shown(footer.fits?.statistics?.min_value), "a".repeat(64));
    assert.equal(footer.nan?.statistics?.min_value, undefined);
    assert.ok(Object.is(footer.zeros?.statistics?.min_value, -0));
    assert.ok(Object.is(footer.zeros?.statistics?.max_value, 0));
  });

  it("names a dictionary only if values repeat", () => {
    const count = 60_000;
    const values = (make: (i: number) => string) => ({
      type: "utf8" as const,
      values: Array.from({ length: count }, (_, i) => make(i)),
    });
    const random = seededRandom(9);
    const footer = footerOf({
      few: values(() => `${Math.floor(random() * 5_000)} city`),
      twice: values((i) => `${i % 30_000} name`),
      distinct: values((i) => `${i} name`),
      later: values((i) => `${i < 4_096 ? i % 10 : i} name`),
      tooMany: values((i) => `${Math.floor(i / 1.7)} name`),
    });
    const isDictionary = Object.entries(footer).map(([name, { encodings }]) => [
      name,
      encodings.includes("RLE_DICTIONARY"),
    ]);
    assert.deepEqual(isDictionary, [
      ["few", true],
      ["twice", false],
      ["distinct", false],
      ["later", false],
      ["tooMany", false],
    ]);
  });
});

describe("incomplete columns", () => {
  const whole = () => columnOf("name", "utf8", ["one", null, "three"]);
  const refused = (column: FieldColumn, message: RegExp, ...more: FieldColumn[]) =>
    assert.throws(() => segment.parquetOf(new Uint32Array(), [], [column, ...more]), {
      code: "INVALID_ARGUMENT",
      message,
    });
  const changed = (buffers: Partial<FieldColumn["buffers"]>): FieldColumn => {
    const column = whole();
    return { ...column, buffers: { ...column.buffers, ...buffers } };
  };

  it("are rejected by name", () => {
    refused(changed({ offsets: null }), /"name" lacks offsets/);
    refused(changed({ offsets: offsetsOf([1, 2]) }), /"name" lacks offsets/);
    refused(changed({ data: new Uint8Array(7) }), /"name" has an offset outside of its data/);
    const falling = new Uint8Array(Int32Array.of(0, 5, 2, 8).buffer);
    refused(changed({ offsets: falling }), /"name" has an offset outside of its data/);
    const negative = new Uint8Array(Int32Array.of(0, -1, 2, 8).buffer);
    refused(changed({ offsets: negative }), /"name" has an offset outside of its data/);
    refused(
      changed({ validity: new Uint8Array() }),
      /^/,
      columnOf("cnpj", "utf8", ["1", null, "3"]),
    );
    refused(columnOf("cnpj", "utf8", ["1", null, "3"]), /"cnpj" has to have a value in every row/);
    refused(whole(), /"other" has 1 rows and not 3/, columnOf("other", "int32", [1]));
    for (const type of ["bool", "int32", "date32", "float64"] as const) {
      const column = columnOf("number", type, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const short = column.buffers.data.subarray(0, column.buffers.data.length - 1);
      refused({ ...column, buffers: { ...column.buffers, data: short } }, /"number" lacks data/);
    }
    refused({ ...columnOf("list", "list<utf8>", [["a"]]), child: null }, /"list" lacks items/);
  });

  it("are rejected if validity is too short or a type is unknown", () => {
    const nine = columnOf("n", "int32", [1, 2, 3, 4, 5, 6, 7, 8, null]);
    refused({ ...nine, buffers: { ...nine.buffers, validity: Uint8Array.of(1) } }, /validity/);
    refused({ ...nine, type: "int64" as Type }, /type/);
  });
});
