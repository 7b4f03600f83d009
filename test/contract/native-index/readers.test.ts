/**
 * Proves: an independent reader (Polars) reads a snapshot as an Arrow file, by path, link, or
 * bytes. It finds the same number of rows, and the same values in every column of sampled rows.
 * Every column is filled, except those of public lists. `readIPC` of nodejs-polars rejects a path
 * only because of its file name. A snapshot that another program rewrote as plain Arrow or Parquet,
 * in any row order and with other types, is imported to the same accounts in the same order. A
 * plain Arrow file can be searched without import.
 * Does not prove: that damaged snapshots are rejected (campaign/files/damage.test.ts,
 * snapshot-refusals).
 */
import assert from "node:assert/strict";
import { linkSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import pl from "nodejs-polars";
import { COLUMNS } from "../../../native-index/format/columns.ts";
import { CommandError } from "../../../src/errors.ts";
import { openAnySegment } from "../../../src/ingest/columns/boot.ts";
import { importColumns } from "../../../src/ingest/columns/columns-import.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

/** Output field in reais for each stored column in cents. */
const FIELDS_OF_CENTS: Readonly<Record<string, string>> = {
  share_capital_cents: "share_capital",
  federal_debt_cents: "federal_debt_total",
};

const CODES = COLUMNS.filter(({ type }) => /^dictionary/.test(type)).map(({ name }) => name);

let sample: SampleSnapshot;
let folder: string;
// biome-ignore lint/suspicious/noExplicitAny: the declarations of nodejs-polars lag behind it.
let frame: any;

before(async () => {
  sample = await makeSampleSnapshot(5000, 11);
  folder = mkdtempSync(join(tmpdir(), "peneira-readers-"));
  frame = pl.scanIPC(sample.snapshot).collectSync();
});
after(() => {
  sample.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** The frame with codes as plain text, as most programs write them. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
function asText(): any {
  const casts = CODES.map((name) => pl.col(name).cast(pl.Utf8));
  return frame.withColumns(
    ...casts,
    pl.col("cnae_secondary").cast(pl.List(pl.Utf8)),
    pl.col("registration_status").cast(pl.Int32),
  );
}

async function importFile(path: string, changes: Record<string, unknown> = {}) {
  const out = join(folder, "again.peneira");
  await importColumns({
    source: path,
    out,
    label: "2026-10",
    date: decodeSnapshot(sample.snapshot).meta.snapshot_date,
    keepCpf: false,
    threads: 2,
    partitionBytes: 100_000,
    startStage: () => ({ update: () => undefined, done: () => undefined }),
    ...changes,
  });
  return out;
}

/** Returns the rows of a snapshot without fields that have no column, such as populations. */
function stored(path: string): unknown[] {
  return decodeSnapshot(path).rows.map((row) => {
    const { municipality_population: _1, municipality_name: _2, ...rest } = row;
    const { cnae_primary_description: _3, legal_nature_description: _4, ...columns } = rest;
    return columns;
  });
}

describe("Polars", () => {
  it("agrees on the row count and on every column of sampled rows", () => {
    const { rows } = decodeSnapshot(sample.snapshot);
    assert.equal(frame.height, rows.length);
    assert.deepEqual(
      frame.columns,
      COLUMNS.map(({ name }) => name),
    );
    for (let row = 0; row < rows.length; row += 97) {
      const found = frame.row(row) as unknown[];
      const wanted = rows[row] as unknown as Record<string, unknown>;
      COLUMNS.forEach(({ name, type }, column) => {
        const field = FIELDS_OF_CENTS[name] ?? name;
        assert.ok(field in wanted, `${field} is decoded`);
        const cell = field === name ? found[column] : reais(found[column]);
        assert.deepEqual(plain(cell, name, type), wanted[field], `${name} of row ${row}`);
      });
    }
  });
});

describe("a column", () => {
  it("has several values, so every stored column is filled by an import", () => {
    const { rows } = decodeSnapshot(sample.snapshot);
    const valuesOf = (field: string) =>
      new Set(rows.map((row) => JSON.stringify((row as Record<string, unknown>)[field])));
    const empty = COLUMNS.map(({ name }) => FIELDS_OF_CENTS[name] ?? name).filter(
      (field) => valuesOf(field).size < 2,
    );
    // These columns come from public lists (unit/ingest/publiclists), and this import had none.
    assert.deepEqual(
      empty,
      [
        ...["sanctioned", "in_cnep", "in_cepim", "federal_debt", "federal_debt_total"],
        ...["federal_debt_fgts", "federal_debt_social_security", "federal_debt_other"],
      ],
      "filled by native-index/scan and src/ingest/columns/column-rows.ts",
    );
  });
});

describe("readIPC of nodejs-polars", () => {
  it("opens a snapshot as bytes, or under a name that ends in .ipc", () => {
    const link = join(folder, "snapshot.ipc");
    linkSync(sample.snapshot, link);
    for (const given of [link, readFileSync(sample.snapshot)]) {
      assert.ok(pl.readIPC(given).frameEqual(frame, true));
    }
    assert.equal(pl.readIPC(link, { columns: ["cnpj", "uf"] }).width, 2);
  });

  it("treats any other text as bytes, even the path of a file that Polars wrote", () => {
    const written = join(folder, "own.arrow");
    frame.select("cnpj").writeIPC(written);
    for (const text of ["no file at all", written, sample.snapshot]) {
      assert.throws(() => pl.readIPC(text), /InvalidFooter/, text);
    }
  });
});

function reais(cents: unknown): number | null {
  return cents === null || cents === undefined ? null : Number(cents) / 100;
}

/** Converts a cell from Polars to the value in the product's output. */
function plain(cell: unknown, name: string, type: string): unknown {
  if (cell === null || cell === undefined) return type.startsWith("list") ? [] : null;
  if (name === "phone_1" || name === "phone_2") return `+${cell}`;
  if (name === "postal_code") return String(cell).padStart(8, "0");
  if (type === "date32") return (cell as Date).toISOString().slice(0, 10);
  return type.startsWith("list") ? [...(cell as Iterable<unknown>)] : cell;
}

describe("columns of another program", () => {
  it("as plain Arrow with dictionaries yield the same accounts in the same order", async () => {
    const path = join(folder, "plain.arrow");
    frame.sort("legal_name").writeIPC(path, { compression: "uncompressed" });
    assert.deepEqual(stored(await importFile(path)), stored(sample.snapshot));
  });

  it("as plain Arrow with text and without scores yield the same accounts", async () => {
    const path = join(folder, "text.arrow");
    const scores = COLUMNS.map(({ name }) => name).filter((name) => name.startsWith("score"));
    asText().drop(scores).writeIPC(path, { compression: "uncompressed" });
    assert.deepEqual(stored(await importFile(path)), stored(sample.snapshot));
  });

  it("as Parquet yield the same accounts", async () => {
    const path = join(folder, "text.parquet");
    asText().writeParquet(path);
    assert.deepEqual(stored(await importFile(path)), stored(sample.snapshot));
  });

  it("with one code in place of a list count as a one-element list, or as odd", async () => {
    const path = join(folder, "single.arrow");
    const code = pl
      .when(pl.col("uf").eq(pl.lit("SP")))
      .then(pl.lit(4721102))
      .otherwise(pl.lit(0.5));
    asText()
      .withColumns(code.alias("cnae_secondary"))
      .writeIPC(path, { compression: "uncompressed" });
    const rows = stored(await importFile(path)) as { cnae_secondary: unknown; uf: string }[];
    for (const { cnae_secondary, uf } of rows) {
      assert.deepEqual(cnae_secondary, uf === "SP" ? ["4721102"] : []);
    }
  });

  it("as Parquet with categories are rejected with the workaround", async () => {
    const path = join(folder, "categories.parquet");
    frame.writeParquet(path);
    await assert.rejects(importFile(path), (error: Error) => {
      assert.ok(error instanceof CommandError);
      return /write them as text/.test(error.message);
    });
  });

  it("without a column, label, or date are rejected by name", async () => {
    const path = join(folder, "less.arrow");
    frame.drop("uf").writeIPC(path, { compression: "uncompressed" });
    await assert.rejects(importFile(path), /lacks the columns uf/);
    const whole = join(folder, "plain.arrow");
    await assert.rejects(importFile(whole, { label: undefined }), /--label/);
    await assert.rejects(openAnySegment(whole), /--label/);
    await assert.rejects(importFile(sample.snapshot), /snapshot already/);
  });
});
